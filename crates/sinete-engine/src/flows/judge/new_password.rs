//! Whether a password that somebody chose will do: long enough, no name of here, not among those that are tried first,
//! and not known from a breach where somebody is asked about that.

use super::{NOBODY, VerifiedInput, plain};
use crate::{Engine, Failure, organizations as houses, passwords};
use sinete_core::flow::AuthenticationFlow;
use sinete_core::flow::answer::VerifiedFlowInput;
use sinete_core::flow::credential::password::{Password, PasswordHash, PasswordPolicy, PasswordRejection};
use sinete_core::flow::purpose::FlowPurpose;
use sinete_core::id::{AccountId, OrganizationId};
use sinete_core::people::address::EmailAddress;
use sinete_core::people::settings::OrganizationSettings;
use sinete_core::refusal::Refusal;
use sinete_core::secret::Digest;
use sinete_crypto::breached::fingerprint_of;
use sinete_store::{JsonDocument, contacts, invitations, memberships, organizations};

/// The shortest part of our host's name that counts as a name of its own.
const HOST_LABEL_CHARACTERS_MIN: usize = 4;

/// A password for whomever the flow is about.
pub(super) async fn judge(
    engine: &Engine,
    flow: &AuthenticationFlow,
    password: &str,
    keep: &[String],
) -> Result<Result<VerifiedInput, Refusal>, Failure> {
    let names = names_of(engine, flow.account().unwrap_or(NOBODY)).await?;
    Ok(match hashed(engine, password, &names).await? {
        Ok(hash) => Ok(plain(VerifiedFlowInput::PasswordChosen { hash, keep: keep.to_vec() })),
        Err(refusal) => Err(refusal),
    })
}

/// The hash of a password that somebody chose, if it will do. The names are those of the person and of where they belong.
pub(crate) async fn hashed(
    engine: &Engine,
    password: &str,
    names: &[String],
) -> Result<Result<PasswordHash, Refusal>, Failure> {
    let settings = engine.settings();
    let host = settings.issuer.split("://").nth(1).unwrap_or_default();
    let host = host.split(['/', ':']).next().unwrap_or_default();
    let labels = host.split('.').filter(|label| label.len() >= HOST_LABEL_CHARACTERS_MIN);
    let here = ["Sinete", host, &settings.passwords.service_name].into_iter().chain(labels);
    let rules = PasswordPolicy {
        characters_min: settings.passwords.characters_min,
        names: here.chain(names.iter().map(String::as_str)).collect(),
    };
    let password = match Password::chosen(password, &rules) {
        Ok(password) => password,
        Err(unfit) => return Ok(Err(Refusal::unfit(unfit.at("/password")))),
    };
    let fingerprint = fingerprint_of(&password);
    for known in engine.breached() {
        if known.holds(&fingerprint).await? {
            return Ok(Err(Refusal::unfit(PasswordRejection::Breached.at("/password"))));
        }
    }
    passwords::hash(engine, &password).await
}

/// What somebody is known by: their addresses, and what the organizations they belong to are called.
pub(crate) async fn names_of(engine: &Engine, account: AccountId) -> Result<Vec<String>, Failure> {
    let known = contacts::of_account(engine.store(), account).await?;
    let mut names: Vec<String> = known.into_iter().map(|contact| contact.address).collect();
    for belongs in memberships::usable_by(engine.store(), account, engine.now()).await? {
        names.extend(called(&belongs.settings)?);
        names.extend([belongs.name, belongs.slug]);
    }
    Ok(names)
}

/// What somebody will be known by whose account the flow makes.
pub(super) async fn names_to_be(
    engine: &Engine,
    flow: &AuthenticationFlow,
    address: &EmailAddress,
) -> Result<Vec<String>, Failure> {
    let (store, now) = (engine.store(), engine.now());
    let house = match flow.purpose() {
        FlowPurpose::AcceptInvitation { invitation, .. } => {
            let found = invitations::find(store, &Digest::from_bytes(*invitation)).await?;
            let joined: Option<OrganizationId> = found.map(|invitation| invitation.organization);
            match joined {
                Some(joined) => organizations::find(store, joined, now).await?,
                None => None,
            }
        }
        FlowPurpose::FirstOperator { .. } => houses::of_the_instance(engine, houses::OPERATORS).await?,
        _ => houses::of_the_instance(engine, houses::HOME).await?,
    };
    let mut names = vec![address.as_str().to_owned()];
    if let Some(house) = house {
        names.extend(called(&house.settings)?);
        names.extend([house.name, house.slug.to_string()]);
    }
    Ok(names)
}

/// What an organization is called on the screens, where it chose that.
fn called(settings: &JsonDocument) -> Result<Option<String>, Failure> {
    let settings: OrganizationSettings = settings.read()?;
    Ok(settings.branding.name.map(|name| name.as_str().to_owned()))
}
