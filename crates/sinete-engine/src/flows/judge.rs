//! Judging what was said: the facts are gathered here, and what follows is the core's to decide.

pub(in crate::flows) mod code;
mod consent;
pub(in crate::flows) mod mailed;
mod new_account;
pub(crate) mod new_password;
mod passkey;
pub(crate) mod password;
mod second;
mod user_code;

use super::{FlowActor, FlowInput, VerifiedInput, enrolment, people, provider};
use crate::{Engine, Failure};
use sinete_core::fault::ValidationErrors;
use sinete_core::flow::AuthenticationFlow;
use sinete_core::flow::action::CredentialOwner;
use sinete_core::flow::answer::VerifiedFlowInput;
use sinete_core::flow::credential::enrolling::CompletedEnrollment;
use sinete_core::flow::purpose::FlowPurpose;
use sinete_core::flow::stage::EmailChallenge;
use sinete_core::id::AccountId;
use sinete_core::people::LifecycleCondition;
use sinete_core::people::address::EmailAddress;
use sinete_core::people::phone::PhoneNumber;
use sinete_core::refusal::Refusal;
use sinete_store::contacts::{self, ContactKind};
use sinete_store::{WriteBatch, accounts};

/// Nobody's account: no row has this id, because no id was ever minted at the beginning of time. What is asked
/// about somebody who is not there is asked about this one, so that as much is asked.
pub(super) const NOBODY: AccountId = AccountId::from_bytes([0; 16]);

/// What was said, judged.
pub(super) async fn judge(
    engine: &Engine,
    flow: &AuthenticationFlow,
    said: &FlowInput,
    walker: &FlowActor,
) -> Result<Result<VerifiedInput, Refusal>, Failure> {
    match said {
        FlowInput::Password { email, password } => {
            password::judge(engine, flow, email.as_deref(), password, walker).await
        }
        FlowInput::Email { email } => judge_address(engine, flow, email.as_deref()).await,
        FlowInput::SmsCode { phone } => judge_number(engine, flow, phone.as_deref()).await,
        FlowInput::Code { code } => code::judge(engine, flow, code, walker).await,
        FlowInput::Details { email, password, passkey, name } => {
            let wanted = new_account::NewAccountDetails {
                email: email.as_deref(),
                password: password.as_deref(),
                passkey: passkey.as_ref(),
                name: name.as_deref(),
            };
            new_account::judge(engine, flow, wanted).await
        }
        FlowInput::Passkey { credential } => passkey::judge(engine, flow, credential, walker).await,
        FlowInput::Totp { code } => second::digits(engine, flow, code, walker).await,
        FlowInput::RecoveryCode { code } => second::code(engine, flow, code, walker).await,
        FlowInput::PasskeyRegistration { credential, name } => {
            let made = passkey::made(engine, flow, credential, name.as_deref());
            Ok(made.map(|made| plain(VerifiedFlowInput::SetUp(CompletedEnrollment::Passkey(made)))))
        }
        FlowInput::TotpConfirmation { code, name } => {
            enrolment::judge_first_digits(engine, flow, code, name.as_deref())
        }
        FlowInput::RecoveryCodes => {
            Ok(Ok(plain(VerifiedFlowInput::SetUp(CompletedEnrollment::RecoveryCodes))))
        }
        FlowInput::NewPassword { password, keep } => new_password::judge(engine, flow, password, keep).await,
        FlowInput::Resend => Ok(Ok(plain(VerifiedFlowInput::Again))),
        FlowInput::UserCode { user_code } => user_code::judge(engine, flow, user_code, walker).await,
        FlowInput::ChooseOrganization { organization } => {
            let mut faults = ValidationErrors::default();
            let read = faults.read("/organization", organization);
            Ok(read.map(|it| plain(VerifiedFlowInput::Chose(it))).ok_or_else(|| Refusal::unfit(faults)))
        }
        FlowInput::Consent { allow } => consent::judge(engine, flow, *allow, walker).await,
        FlowInput::SingleSignOn(departure) => provider::depart(engine, flow, departure).await,
        // What a provider answered is not judged here, because it can be asked only once.
        FlowInput::ProviderAnswer(_) => Ok(Err(super::out_of_turn(said.action()))),
        FlowInput::Restart => Ok(Ok(plain(VerifiedFlowInput::Restart))),
    }
}

/// An answer that brings nothing along.
fn plain(answer: VerifiedFlowInput) -> VerifiedInput {
    VerifiedInput { answer, act: WriteBatch::new() }
}

/// Somebody named an address that a code is sent to. Whose it is, if anybody's, shows in nothing.
async fn judge_address(
    engine: &Engine,
    flow: &AuthenticationFlow,
    email: Option<&str>,
) -> Result<Result<VerifiedInput, Refusal>, Failure> {
    let mut faults = ValidationErrors::default();
    let address: Option<EmailAddress> = match (flow.purpose(), email) {
        (FlowPurpose::AcceptInvitation { address, .. }, None) => Some(address.clone()),
        (FlowPurpose::AcceptInvitation { .. }, Some(_)) => {
            faults.add("/email", "the invitation says for which address it is");
            None
        }
        (_, Some(email)) => faults.read("/email", email),
        (_, None) => {
            faults.add("/email", "it is missing");
            None
        }
    };
    let Some(address) = address else { return Ok(Err(Refusal::unfit(faults))) };
    let account = owner_by(engine, ContactKind::Email, &address.lookup()).await?;
    let mailed =
        EmailChallenge { address, account, new_account: None, password: None, passkey: None, name: None };
    Ok(Ok(plain(VerifiedFlowInput::Addressed(mailed))))
}

/// Somebody wants digits by telephone: at a number that they name, or at that of whomever the flow is about.
async fn judge_number(
    engine: &Engine,
    flow: &AuthenticationFlow,
    phone: Option<&str>,
) -> Result<Result<VerifiedInput, Refusal>, Failure> {
    let mut faults = ValidationErrors::default();
    let (number, account) = match (flow.whose_password(), phone) {
        (CredentialOwner::OfAddress, Some(phone)) => {
            let Some(number) = faults.read::<PhoneNumber>("/phone", phone) else {
                return Ok(Err(Refusal::unfit(faults)));
            };
            let account = owner_by(engine, ContactKind::Phone, number.as_str()).await?;
            (Some(number), account)
        }
        (CredentialOwner::OfPerson, None) => {
            let account = flow.account().unwrap_or(NOBODY);
            (people::number_of(engine, account).await?, Some(account))
        }
        (CredentialOwner::OfAddress, None) => {
            faults.add("/phone", "it is missing");
            return Ok(Err(Refusal::unfit(faults)));
        }
        (CredentialOwner::OfPerson, Some(_)) => {
            faults.add("/phone", "it is known whose telephone is meant");
            return Ok(Err(Refusal::unfit(faults)));
        }
    };
    Ok(match number {
        Some(number) => Ok(plain(VerifiedFlowInput::Called { number, account })),
        None => Err(super::wrong("there is no number any more")),
    })
}

/// Whose address or number this is for what is sent to it: only who proved it, and can sign in.
async fn owner_by(engine: &Engine, kind: ContactKind, lookup: &str) -> Result<Option<AccountId>, Failure> {
    let contact = contacts::find_verified(engine.store(), kind, lookup).await?;
    let account = contact.map_or(NOBODY, |contact| contact.account);
    let account = accounts::find(engine.store(), account).await?;
    Ok(account.filter(|account| account.condition == LifecycleCondition::Enabled).map(|account| account.id))
}

fn read_address(email: &str) -> Result<EmailAddress, Refusal> {
    let mut faults = ValidationErrors::default();
    faults.read("/email", email).ok_or_else(|| Refusal::unfit(faults))
}
