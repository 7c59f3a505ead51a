//! Verification of inputs: loads the facts, the account with its sign-in methods among them; the core decides what
//! follows.

mod consent;
pub(super) mod email_challenge;
pub(crate) mod new_password;
pub(super) mod one_time_code;
mod passkey;
mod second_factor;
mod sign_up;
mod user_code;

use super::{FlowActor, FlowInput, SmsDelivery, VerifiedInput, enrollment, identity_provider};
use crate::sign_in::credentials::password::check_password;
use crate::{Engine, Error, Failure};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::accounts::phone_number::PhoneNumber;
use sinete_core::assurance::AuthenticationProof;
use sinete_core::assurance::proof_method::AuthenticationProofMethod;
use sinete_core::id::AccountId;
use sinete_core::refusal::Refusal;
use sinete_core::sign_in::credentials::enrollment::CompletedEnrollment;
use sinete_core::sign_in::flows::AuthenticationFlow;
use sinete_core::sign_in::flows::account::FlowAccount;
use sinete_core::sign_in::flows::action::CredentialAccountSource;
use sinete_core::sign_in::flows::purpose::FlowPurpose;
use sinete_core::sign_in::flows::stage::EmailChallenge;
use sinete_core::sign_in::flows::verified_input::VerifiedFlowInput;
use sinete_core::validation::ValidationErrors;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::{ContactKind, ContactRow};
use sinete_store::sign_in::credentials;
use sinete_store::sign_in::credentials::{CredentialRow, StoredCredentialKind};
use sinete_store::{WriteBatch, accounts};
use std::collections::BTreeSet;

/// An id that no account has, because no id was generated at the epoch. Queries about unknown users use it,
/// so that the work is the same.
pub(crate) const NO_ACCOUNT: AccountId = AccountId::from_bytes([0; 16]);

/// Verifies an input.
pub(super) async fn verify_input(
    engine: &Engine,
    flow: &AuthenticationFlow,
    input: &FlowInput,
    actor: &FlowActor,
) -> Result<VerifiedInput, Error> {
    match input {
        FlowInput::Password { email, password } => {
            verify_password(engine, flow, email.as_deref(), password, actor).await
        }
        FlowInput::Email { email } => verify_email_address(engine, flow, email.as_deref()).await,
        FlowInput::SmsCode { phone } => verify_phone_number(engine, flow, phone.as_deref()).await,
        FlowInput::Code { code } => one_time_code::verify_one_time_code(engine, flow, code, actor).await,
        FlowInput::SignUp => Ok(without_statements(VerifiedFlowInput::SignUp)),
        FlowInput::Details { email, password, passkey, name } => {
            let details = sign_up::NewAccountDetails {
                email: email.as_deref(),
                password: password.as_deref(),
                passkey: passkey.as_ref(),
                name: name.as_deref(),
            };
            sign_up::verify_sign_up(engine, flow, details).await
        }
        FlowInput::Passkey { credential } => passkey::verify_passkey(engine, flow, credential, actor).await,
        FlowInput::Totp { code } => second_factor::verify_totp(engine, flow, code, actor).await,
        FlowInput::RecoveryCode { code } => {
            second_factor::verify_recovery_code(engine, flow, code, actor).await
        }
        FlowInput::PasskeyRegistration { credential, name } => {
            let result = passkey::verify_registration(engine, flow, credential, name.as_deref());
            Ok(result.map(|registered_passkey| {
                without_statements(VerifiedFlowInput::CredentialEnrolled(CompletedEnrollment::Passkey(
                    registered_passkey,
                )))
            })?)
        }
        FlowInput::TotpConfirmation { code, name } => {
            enrollment::verify_first_totp(engine, flow, code, name.as_deref())
        }
        FlowInput::ChooseFactor { factor } => {
            let pending_enrollment = enrollment::mint_enrollment(engine, *factor)?;
            Ok(without_statements(VerifiedFlowInput::FactorChosen(pending_enrollment)))
        }
        FlowInput::RecoveryCodes => {
            Ok(without_statements(VerifiedFlowInput::CredentialEnrolled(CompletedEnrollment::RecoveryCodes)))
        }
        FlowInput::NewPassword { password, keep } => {
            new_password::verify_new_password(engine, flow, password, keep).await
        }
        FlowInput::Resend => Ok(without_statements(VerifiedFlowInput::ResendRequested)),
        FlowInput::UserCode { user_code } => {
            user_code::verify_user_code(engine, flow, user_code, actor).await
        }
        FlowInput::ChooseOrganization { organization } => {
            let mut errors = ValidationErrors::default();
            let read = errors.parse_text("/organization", organization);
            Ok(read
                .map(|it| without_statements(VerifiedFlowInput::OrganizationChosen(it)))
                .ok_or_else(|| Refusal::from_validation_errors(errors))?)
        }
        FlowInput::Consent { allow } => consent::verify_consent(engine, flow, *allow, actor).await,
        FlowInput::SingleSignOn(departure) => {
            identity_provider::start_provider_sign_in(engine, flow, departure).await
        }
        // A provider's response is not verified here, because its code can be redeemed only once.
        FlowInput::ProviderResponse(_) => Err(super::action_not_available(input.action()).into()),
        FlowInput::Restart => Ok(without_statements(VerifiedFlowInput::Restart)),
    }
}

/// An input without statements.
fn without_statements(answer: VerifiedFlowInput) -> VerifiedInput {
    VerifiedInput { input: answer, batch: WriteBatch::new() }
}

/// Verifies the password of the given address, or of the flow's account.
async fn verify_password(
    engine: &Engine,
    flow: &AuthenticationFlow,
    email: Option<&str>,
    password: &str,
    actor: &FlowActor,
) -> Result<VerifiedInput, Error> {
    let (account, lookup) = find_password_owner(engine, flow, email).await?;
    let (flow_account, batch) = check_password(engine, account, &lookup, password, actor).await?;
    let answer =
        VerifiedFlowInput::Authenticated { person: flow_account, proof: AuthenticationProof::Password };
    Ok(VerifiedInput { input: answer, batch })
}

/// The account of the password, and the address under which attempts are counted if there is none.
async fn find_password_owner(
    engine: &Engine,
    flow: &AuthenticationFlow,
    email: Option<&str>,
) -> Result<(Option<AccountId>, String), Error> {
    match (flow.password_owner(), email) {
        (CredentialAccountSource::SubmittedContact, Some(email)) => {
            let address = parse_address(email)?;
            let lookup = address.lookup_key();
            let owner = contacts::find_contact_owner(engine.store(), ContactKind::Email, &lookup).await?;
            Ok((owner.map(|contact| contact.account), lookup))
        }
        (CredentialAccountSource::FlowAccount, None) => Ok((flow.account(), String::new())),
        (CredentialAccountSource::SubmittedContact, None) => {
            Err(invalid_field("/email", "is required").into())
        }
        (CredentialAccountSource::FlowAccount, Some(_)) => {
            Err(invalid_field("/email", "is known already; remove this member").into())
        }
    }
}

/// An address to send a code to. The result does not reveal whether it has an account.
async fn verify_email_address(
    engine: &Engine,
    flow: &AuthenticationFlow,
    email: Option<&str>,
) -> Result<VerifiedInput, Error> {
    let mut errors = ValidationErrors::default();
    let address: Option<EmailAddress> = match (flow.purpose(), email) {
        (FlowPurpose::AcceptInvitation { address, .. }, None) => Some(address.clone()),
        (FlowPurpose::AcceptInvitation { .. }, Some(_)) => {
            errors.add("/email", "is set by the invitation; remove this member");
            None
        }
        (_, Some(email)) => errors.parse_text("/email", email),
        (_, None) => {
            errors.add("/email", "is required");
            None
        }
    };
    let Some(address) = address else { return Err(Refusal::from_validation_errors(errors).into()) };
    let account = find_verified_owner(engine, ContactKind::Email, &address.lookup_key()).await?;
    let challenge =
        EmailChallenge { address, account, new_account: None, password: None, passkey: None, name: None };
    Ok(without_statements(VerifiedFlowInput::EmailChallengeRequested(challenge)))
}

/// A request for a code by SMS: to a given number, or to that of the flow's account.
async fn verify_phone_number(
    engine: &Engine,
    flow: &AuthenticationFlow,
    phone: Option<&str>,
) -> Result<VerifiedInput, Error> {
    let mut errors = ValidationErrors::default();
    let (number, account) = match (flow.password_owner(), phone) {
        (CredentialAccountSource::SubmittedContact, Some(phone)) => {
            let Some(number) = errors.parse_text::<PhoneNumber>("/phone", phone) else {
                return Err(Refusal::from_validation_errors(errors).into());
            };
            let account = find_verified_owner(engine, ContactKind::Phone, number.as_str()).await?;
            (Some(number), account)
        }
        (CredentialAccountSource::FlowAccount, None) => {
            let account = flow.account().unwrap_or(NO_ACCOUNT);
            let contacts = contacts::list_account_contacts(engine.store(), account).await?;
            (find_sms_number(engine, &contacts), Some(account))
        }
        (CredentialAccountSource::SubmittedContact, None) => {
            errors.add("/phone", "is required");
            return Err(Refusal::from_validation_errors(errors).into());
        }
        (CredentialAccountSource::FlowAccount, Some(_)) => {
            errors.add("/phone", "is known already; remove this member");
            return Err(Refusal::from_validation_errors(errors).into());
        }
    };
    match number {
        Some(number) => Ok(without_statements(VerifiedFlowInput::SmsCodeRequested { number, account })),
        None => Err(super::invalid_proof("there is no phone number that can be used").into()),
    }
}

/// The owner of a contact for messages: only an account that verified it and can sign in.
async fn find_verified_owner(
    engine: &Engine,
    kind: ContactKind,
    lookup: &str,
) -> Result<Option<AccountId>, Failure> {
    let contact = contacts::find_verified_contact(engine.store(), kind, lookup).await?;
    let account = contact.map_or(NO_ACCOUNT, |contact| contact.account);
    let account = accounts::find_account(engine.store(), account).await?;
    Ok(account.filter(|account| account.condition == LifecycleCondition::Enabled).map(|account| account.id))
}

/// Loads an account with all its sign-in methods.
pub async fn load_flow_account(engine: &Engine, account: AccountId) -> Result<FlowAccount, Failure> {
    let credentials = credentials::list_account_credentials(engine.store(), account).await?;
    build_flow_account(engine, account, &credentials).await
}

/// The same with credentials that were already read. Unconfirmed credentials do not count; disabled ones
/// count as set up. A verified phone number counts if SMS can be delivered.
pub(crate) async fn build_flow_account(
    engine: &Engine,
    account: AccountId,
    credentials: &[CredentialRow],
) -> Result<FlowAccount, Failure> {
    let set_up = credentials.iter().filter(|it| it.confirmed_at.is_some());
    let (in_use, closed): (Vec<_>, Vec<_>) = set_up.partition(|it| it.disabled_at.is_none());
    let to_proof_method = |credential: &CredentialRow| match credential.kind {
        StoredCredentialKind::Passkey => AuthenticationProofMethod::Passkey,
        StoredCredentialKind::Password => AuthenticationProofMethod::Password,
        StoredCredentialKind::Totp => AuthenticationProofMethod::Totp,
        StoredCredentialKind::RecoveryCodes => AuthenticationProofMethod::RecoveryCode,
    };
    let contacts = contacts::list_account_contacts(engine.store(), account).await?;
    let number = find_sms_number(engine, &contacts).map(|_| AuthenticationProofMethod::SmsCode);
    let mut proof_methods: BTreeSet<AuthenticationProofMethod> =
        in_use.into_iter().map(to_proof_method).chain(number).collect();
    // Queried in every case, so that the work does not reveal whether the account exists.
    let is_linked = !super::list_usable_identities(engine, account).await?.is_empty();
    // A user with credentials of their own must use them: an organization's identity provider does not decide
    // about the account itself.
    if is_linked && !has_own_sign_in_method(credentials, &contacts) {
        proof_methods.insert(AuthenticationProofMethod::SingleSignOn);
    }
    Ok(FlowAccount {
        account,
        ways: proof_methods,
        closed: closed.into_iter().map(to_proof_method).collect(),
    })
}

/// Whether the user has set up a sign-in method that does not depend on an identity provider. Disabled ones
/// count too: otherwise an attacker who gets one disabled by guessing would let the provider decide.
pub(crate) fn has_own_sign_in_method(credentials: &[CredentialRow], contacts: &[ContactRow]) -> bool {
    let is_first = |it: &CredentialRow| {
        it.confirmed_at.is_some()
            && matches!(it.kind, StoredCredentialKind::Passkey | StoredCredentialKind::Password)
    };
    credentials.iter().any(is_first) || contacts.iter().any(can_sign_in_with)
}

/// Whether a message to this contact can be used to sign in.
pub(crate) fn can_sign_in_with(contact: &ContactRow) -> bool {
    contact.kind == ContactKind::Email && contact.verified_at.is_some()
}

/// The verified phone number for codes, if SMS can be delivered.
fn find_sms_number(engine: &Engine, contacts: &[ContactRow]) -> Option<PhoneNumber> {
    if engine.settings().flows.sms == SmsDelivery::Off {
        return None;
    }
    let contact_rows = contacts.iter().filter(|it| it.kind == ContactKind::Phone && it.verified_at.is_some());
    contact_rows.max_by_key(|it| it.is_primary).and_then(|it| it.address.parse().ok())
}

fn parse_address(email: &str) -> Result<EmailAddress, Refusal> {
    let mut errors = ValidationErrors::default();
    errors.parse_text("/email", email).ok_or_else(|| Refusal::from_validation_errors(errors))
}

fn invalid_field(pointer: &str, text: &'static str) -> Refusal {
    let mut errors = ValidationErrors::default();
    errors.add(pointer, text);
    Refusal::from_validation_errors(errors)
}
