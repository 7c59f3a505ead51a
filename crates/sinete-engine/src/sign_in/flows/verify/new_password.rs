//! Rules for new passwords: minimum length, not a related name, not a common password, and not breached if a
//! lookup is configured.

use super::{NO_ACCOUNT, VerifiedInput, without_statements};
use crate::sign_in::credentials::password;
use crate::{Engine, Error, Failure, organizations as houses};
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::id::{AccountId, OrganizationId};
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_core::refusal::Refusal;
use sinete_core::secret::Digest;
use sinete_core::sign_in::credentials::password::{
    Password, PasswordHash, PasswordPolicy, PasswordRejection,
};
use sinete_core::sign_in::flows::AuthenticationFlow;
use sinete_core::sign_in::flows::purpose::FlowPurpose;
use sinete_core::sign_in::flows::verified_input::VerifiedFlowInput;
use sinete_crypto::sign_in::credentials::breached_password::fingerprint_password;
use sinete_store::accounts::contacts;
use sinete_store::organizations::{invitations, memberships};
use sinete_store::{JsonDocument, organizations};

/// Minimum length of a host label that counts as a name.
const HOST_LABEL_CHARACTERS_MIN: usize = 4;

/// Verifies a new password for the account of the flow.
pub(super) async fn verify_new_password(
    engine: &Engine,
    flow: &AuthenticationFlow,
    password: &str,
    keep: &[String],
) -> Result<VerifiedInput, Error> {
    let names = list_known_names(engine, flow.account().unwrap_or(NO_ACCOUNT)).await?;
    {
        let hash = hash_new_password(engine, password, &names).await?;
        Ok(without_statements(VerifiedFlowInput::PasswordChosen { hash, keep: keep.to_vec() }))
    }
}

/// Hashes a new password if it is acceptable. The names are those of the user and their organizations.
pub(crate) async fn hash_new_password(
    engine: &Engine,
    password: &str,
    names: &[String],
) -> Result<PasswordHash, Error> {
    let settings = engine.settings();
    let host = settings.issuer.split("://").nth(1).unwrap_or_default();
    let host = host.split(['/', ':']).next().unwrap_or_default();
    let labels = host.split('.').filter(|label| label.len() >= HOST_LABEL_CHARACTERS_MIN);
    let service_names = ["Sinete", host, &settings.passwords.service_name].into_iter().chain(labels);
    let rules = PasswordPolicy {
        characters_min: settings.passwords.characters_min,
        names: service_names.chain(names.iter().map(String::as_str)).collect(),
    };
    let password = Password::from_chosen(password, &rules)
        .map_err(|unfit| Refusal::from_validation_errors(unfit.to_validation_errors("/password")))?;
    let fingerprint = fingerprint_password(&password);
    for breached_passwords in engine.breached_passwords() {
        if breached_passwords.contains(&fingerprint).await? {
            return Err(Refusal::from_validation_errors(
                PasswordRejection::Breached.to_validation_errors("/password"),
            )
            .into());
        }
    }
    password::hash_password(engine, &password).await
}

/// The user's addresses and the names of their organizations.
pub(crate) async fn list_known_names(engine: &Engine, account: AccountId) -> Result<Vec<String>, Failure> {
    let contacts = contacts::list_account_contacts(engine.store(), account).await?;
    let mut names: Vec<String> = contacts.into_iter().map(|contact| contact.address).collect();
    for belongs in memberships::list_usable_memberships(engine.store(), account, engine.now()).await? {
        names.extend(organization_display_name(&belongs.settings)?);
        names.extend([belongs.name, belongs.slug]);
    }
    Ok(names)
}

/// The same for an account that the flow creates.
pub(super) async fn list_future_names(
    engine: &Engine,
    flow: &AuthenticationFlow,
    address: &EmailAddress,
) -> Result<Vec<String>, Failure> {
    let (store, now) = (engine.store(), engine.now());
    let house = match flow.purpose() {
        FlowPurpose::AcceptInvitation { invitation, .. } => {
            let invitation_row =
                invitations::find_invitation_by_token(store, &Digest::from_bytes(*invitation)).await?;
            let joined: Option<OrganizationId> = invitation_row.map(|invitation| invitation.organization);
            match joined {
                Some(joined) => organizations::find_organization(store, joined, now).await?,
                None => None,
            }
        }
        FlowPurpose::FirstOperator { .. } => {
            houses::find_built_in_organization(engine, houses::OPERATORS).await?
        }
        _ => houses::find_built_in_organization(engine, houses::HOME).await?,
    };
    let mut names = vec![address.as_str().to_owned()];
    if let Some(house) = house {
        names.extend(organization_display_name(&house.settings)?);
        names.extend([house.name, house.slug.to_string()]);
    }
    Ok(names)
}

/// The displayed name of an organization, if set.
fn organization_display_name(settings: &JsonDocument) -> Result<Option<String>, Failure> {
    let settings: OrganizationSettings = settings.parse()?;
    Ok(settings.branding.name.map(|name| name.as_str().to_owned()))
}
