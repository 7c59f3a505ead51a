//! Verification of the details of a new account.

use super::new_password::{hash_new_password, list_future_names};
use super::{parse_address, passkey, without_statements};
use crate::sign_in::flows::VerifiedInput;
use crate::sign_in::flows::offers::new_account_id;
use crate::{Engine, Error, Failure};
use serde_json::Value;
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::sign_in::SignInRefusal;
use sinete_core::sign_in::flows::AuthenticationFlow;
use sinete_core::sign_in::flows::purpose::{FlowKind, FlowPurpose};
use sinete_core::sign_in::flows::stage::EmailChallenge;
use sinete_core::sign_in::flows::verified_input::VerifiedFlowInput;
use sinete_core::validation::ValidationErrors;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::ContactKind;

/// Verifies the details. An address that already has an account is not revealed until it is proven.
pub(super) async fn verify_sign_up(
    engine: &Engine,
    flow: &AuthenticationFlow,
    details: NewAccountDetails<'_>,
) -> Result<VerifiedInput, Error> {
    let (address, name) = check_details(flow, &details)?;
    let result = details.passkey.map(|answer| passkey::verify_registration(engine, flow, answer, None));
    let passkey = result.transpose()?;
    let hash = match details.password {
        None => None,
        Some(password) => {
            let names = list_future_names(engine, flow, &address).await?;
            {
                let hash = hash_new_password(engine, password, &names).await?;
                Some(hash)
            }
        }
    };
    let lookup = address.lookup_key();
    let owner = contacts::find_verified_contact(engine.store(), ContactKind::Email, &lookup).await?;
    // The first operator's address is not verified by e-mail, so an address that another account signs in
    // with is rejected.
    let is_in_use = flow.kind() == FlowKind::FirstOperator && is_address_used(engine, &lookup).await?;
    if is_in_use || (owner.is_some() && !flow.verifies_new_address()) {
        return Err(Refusal::because(SignInRefusal::EmailTaken, "the address is taken").into());
    }
    let challenge = EmailChallenge {
        address,
        account: owner.map(|contact| contact.account),
        new_account: Some(new_account_id(flow)),
        password: hash,
        passkey,
        name,
    };
    Ok(without_statements(VerifiedFlowInput::DetailsEntered(challenge)))
}

/// Whether an account has this address, verified or not.
async fn is_address_used(engine: &Engine, lookup: &str) -> Result<bool, Failure> {
    let owner = contacts::find_contact_owner(engine.store(), ContactKind::Email, lookup).await?;
    Ok(owner.is_some_and(|contact| contact.is_primary || contact.verified_at.is_some()))
}

/// The submitted details.
pub(super) struct NewAccountDetails<'a> {
    pub(super) email: Option<&'a str>,
    pub(super) password: Option<&'a str>,
    pub(super) passkey: Option<&'a Value>,
    pub(super) name: Option<&'a str>,
}

fn check_details(
    flow: &AuthenticationFlow,
    details: &NewAccountDetails<'_>,
) -> Result<(EmailAddress, Option<String>), Refusal> {
    let NewAccountDetails { email, name, .. } = *details;
    let mut errors = ValidationErrors::default();
    // An account with a verified address can sign in by e-mail; the first operator needs a credential.
    let needs_credential = flow.kind() == FlowKind::FirstOperator;
    if needs_credential && details.password.is_none() && details.passkey.is_none() {
        errors.add("/passkey", "a passkey or a password is required");
    }
    if let Some(name) = name {
        errors.check_display_text("/name", name);
    }
    let address = match (flow.purpose(), email) {
        (FlowPurpose::AcceptInvitation { address, .. }, None) => Some(address.clone()),
        (FlowPurpose::AcceptInvitation { .. }, Some(_)) => {
            errors.add("/email", "is set by the invitation; remove this member");
            None
        }
        (_, Some(email)) => match parse_address(email) {
            Ok(address) => Some(address),
            Err(refusal) => {
                errors.add_nested("", refusal.validation_errors());
                None
            }
        },
        (_, None) => {
            errors.add("/email", "is required");
            None
        }
    };
    match address {
        Some(address) if errors.is_empty() => Ok((address, name.map(str::to_owned))),
        Some(_) | None => Err(Refusal::from_validation_errors(errors)),
    }
}
