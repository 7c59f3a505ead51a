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

use super::{Judged, Said, Walker, enrolment, people, provider};
use crate::{Engine, Failed};
use sinete_core::fault::Faults;
use sinete_core::flow::Flow;
use sinete_core::flow::action::Whose;
use sinete_core::flow::answer::Answer;
use sinete_core::flow::credential::enrolling::SetUp;
use sinete_core::flow::purpose::Purpose;
use sinete_core::flow::stage::Mailed;
use sinete_core::id::AccountId;
use sinete_core::people::Condition;
use sinete_core::people::address::EmailAddress;
use sinete_core::people::phone::PhoneNumber;
use sinete_core::refusal::Refusal;
use sinete_store::contacts::{self, Kind};
use sinete_store::{Act, accounts};

/// Nobody's account: no row has this id, because no id was ever minted at the beginning of time. What is asked
/// about somebody who is not there is asked about this one, so that as much is asked.
pub(super) const NOBODY: AccountId = AccountId::from_bytes([0; 16]);

/// What was said, judged.
pub(super) async fn judge(
    engine: &Engine,
    flow: &Flow,
    said: &Said,
    walker: &Walker,
) -> Result<Result<Judged, Refusal>, Failed> {
    match said {
        Said::Password { email, password } => {
            password::judge(engine, flow, email.as_deref(), password, walker).await
        }
        Said::Email { email } => judge_address(engine, flow, email.as_deref()).await,
        Said::SmsCode { phone } => judge_number(engine, flow, phone.as_deref()).await,
        Said::Code { code } => code::judge(engine, flow, code, walker).await,
        Said::Details { email, password, passkey, name } => {
            let wanted = new_account::Wanted {
                email: email.as_deref(),
                password: password.as_deref(),
                passkey: passkey.as_ref(),
                name: name.as_deref(),
            };
            new_account::judge(engine, flow, wanted).await
        }
        Said::Passkey { credential } => passkey::judge(engine, flow, credential, walker).await,
        Said::Totp { code } => second::digits(engine, flow, code, walker).await,
        Said::RecoveryCode { code } => second::code(engine, flow, code, walker).await,
        Said::PasskeyRegistration { credential, name } => {
            let made = passkey::made(engine, flow, credential, name.as_deref());
            Ok(made.map(|made| plain(Answer::SetUp(SetUp::Passkey(made)))))
        }
        Said::TotpConfirmation { code, name } => {
            enrolment::judge_first_digits(engine, flow, code, name.as_deref())
        }
        Said::RecoveryCodes => Ok(Ok(plain(Answer::SetUp(SetUp::RecoveryCodes)))),
        Said::NewPassword { password, keep } => new_password::judge(engine, flow, password, keep).await,
        Said::Resend => Ok(Ok(plain(Answer::Again))),
        Said::UserCode { user_code } => user_code::judge(engine, flow, user_code, walker).await,
        Said::ChooseOrganization { organization } => {
            let mut faults = Faults::default();
            let read = faults.read("/organization", organization);
            Ok(read.map(|it| plain(Answer::Chose(it))).ok_or_else(|| Refusal::unfit(faults)))
        }
        Said::Consent { allow } => consent::judge(engine, flow, *allow, walker).await,
        Said::SingleSignOn(departure) => provider::depart(engine, flow, departure).await,
        // What a provider answered is not judged here, because it can be asked only once.
        Said::ProviderAnswer(_) => Ok(Err(super::out_of_turn(said.action()))),
        Said::Restart => Ok(Ok(plain(Answer::Restart))),
    }
}

/// An answer that brings nothing along.
fn plain(answer: Answer) -> Judged {
    Judged { answer, act: Act::new() }
}

/// Somebody named an address that a code is sent to. Whose it is, if anybody's, shows in nothing.
async fn judge_address(
    engine: &Engine,
    flow: &Flow,
    email: Option<&str>,
) -> Result<Result<Judged, Refusal>, Failed> {
    let mut faults = Faults::default();
    let address: Option<EmailAddress> = match (flow.purpose(), email) {
        (Purpose::AcceptInvitation { address, .. }, None) => Some(address.clone()),
        (Purpose::AcceptInvitation { .. }, Some(_)) => {
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
    let account = owner_by(engine, Kind::Email, &address.lookup()).await?;
    let mailed = Mailed { address, account, new_account: None, password: None, passkey: None, name: None };
    Ok(Ok(plain(Answer::Addressed(mailed))))
}

/// Somebody wants digits by telephone: at a number that they name, or at that of whomever the flow is about.
async fn judge_number(
    engine: &Engine,
    flow: &Flow,
    phone: Option<&str>,
) -> Result<Result<Judged, Refusal>, Failed> {
    let mut faults = Faults::default();
    let (number, account) = match (flow.whose_password(), phone) {
        (Whose::OfAddress, Some(phone)) => {
            let Some(number) = faults.read::<PhoneNumber>("/phone", phone) else {
                return Ok(Err(Refusal::unfit(faults)));
            };
            let account = owner_by(engine, Kind::Phone, number.as_str()).await?;
            (Some(number), account)
        }
        (Whose::OfPerson, None) => {
            let account = flow.account().unwrap_or(NOBODY);
            (people::number_of(engine, account).await?, Some(account))
        }
        (Whose::OfAddress, None) => {
            faults.add("/phone", "it is missing");
            return Ok(Err(Refusal::unfit(faults)));
        }
        (Whose::OfPerson, Some(_)) => {
            faults.add("/phone", "it is known whose telephone is meant");
            return Ok(Err(Refusal::unfit(faults)));
        }
    };
    Ok(match number {
        Some(number) => Ok(plain(Answer::Called { number, account })),
        None => Err(super::wrong("there is no number any more")),
    })
}

/// Whose address or number this is for what is sent to it: only who proved it, and can sign in.
async fn owner_by(engine: &Engine, kind: Kind, lookup: &str) -> Result<Option<AccountId>, Failed> {
    let contact = contacts::find_verified(engine.store(), kind, lookup).await?;
    let account = contact.map_or(NOBODY, |contact| contact.account);
    let account = accounts::find(engine.store(), account).await?;
    Ok(account.filter(|account| account.condition == Condition::Enabled).map(|account| account.id))
}

fn read_address(email: &str) -> Result<EmailAddress, Refusal> {
    let mut faults = Faults::default();
    faults.read("/email", email).ok_or_else(|| Refusal::unfit(faults))
}
