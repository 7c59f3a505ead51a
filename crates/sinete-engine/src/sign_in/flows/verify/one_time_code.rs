//! Verification of sent codes, in their flow and for their purpose.

use super::email_challenge;
use super::email_challenge::MailReader;
use crate::sign_in::flows::challenge_messages::{code_digest, sms_purpose};
use crate::sign_in::flows::failed_attempts::with_failed_attempt;
use crate::sign_in::flows::{FlowActor, VerifiedInput, invalid_proof};
use crate::sign_in::lockout::{AttemptCounter, factor};
use crate::{Engine, Error, Failure};
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::id::AccountId;
use sinete_core::sign_in::flows::AuthenticationFlow;
use sinete_core::sign_in::flows::stage::FlowStage;
use sinete_core::sign_in::flows::verified_input::VerifiedFlowInput;
use sinete_store::WriteBatch;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::ContactKind;
use sinete_store::sign_in::credentials::one_time_codes;
use sinete_store::sign_in::credentials::one_time_codes::{OneTimeCodeKey, OneTimeCodeRow};

/// Verifies a code. An attempt is counted twice before it is checked: for the code, which allows few, and for
/// the account, whose counter is not reset by another code.
pub(super) async fn verify_one_time_code(
    engine: &Engine,
    flow: &AuthenticationFlow,
    code: &str,
    actor: &FlowActor,
) -> Result<VerifiedInput, Error> {
    let Some(sent_code) = SentCode::from_flow(flow) else {
        return Err(invalid_proof("nothing was sent").into());
    };
    // The owner of the address is counted even if they cannot sign in, so that counters reveal nothing.
    let owner = contacts::find_verified_contact(engine.store(), sent_code.kind, &sent_code.recipient).await?;
    let counted_account = sent_code.account.or(owner.map(|contact| contact.account));
    let bucket =
        AttemptCounter::new(engine, counted_account, &sent_code.recipient, sent_code.factor, actor).await?;
    bucket.count_attempt(engine).await?;
    let code_key = OneTimeCodeKey { flow: flow.id(), purpose: &sent_code.purpose };
    let guessed = code_digest(engine, code_key, &sent_code.recipient, code);
    let is_right = count_guess(engine, code_key).await?.is_some_and(|code| code.digest == guessed);
    let reader = match flow.stage() {
        FlowStage::MailedProof(challenge) => {
            email_challenge::find_mail_reader(engine, flow, challenge).await?
        }
        FlowStage::TextedProof(challenge) => {
            email_challenge::find_phone_owner(engine, flow, challenge).await?
        }
        _ => MailReader::NoAccount,
    };
    let account = match (is_right, reader) {
        (true, MailReader::Account(account)) => Some(account),
        (true, MailReader::NewAccount) => None,
        (true, MailReader::OtherAccount) => return Err(email_challenge::address_taken().into()),
        (false, _) | (true, MailReader::NoAccount) => {
            record_failed_proof(engine, sent_code.account, sent_code.factor, actor).await?;
            return Err(invalid_proof("the digits are wrong, spent or too old").into());
        }
    };
    let spent = one_time_codes::redeem_one_time_code(code_key, &guessed, engine.now());
    let batch = WriteBatch::new().with_statement(spent).with_statements(bucket.reset_statements());
    Ok(VerifiedInput { input: VerifiedFlowInput::CodeVerified { person: account }, batch })
}

/// A sent code, as far as attempts are concerned.
struct SentCode {
    kind: ContactKind,
    recipient: String,
    account: Option<AccountId>,
    purpose: String,
    factor: &'static str,
}

impl SentCode {
    fn from_flow(flow: &AuthenticationFlow) -> Option<Self> {
        match flow.stage() {
            FlowStage::MailedProof(challenge) => Some(Self {
                kind: ContactKind::Email,
                recipient: challenge.address.lookup_key(),
                account: challenge.account,
                purpose: flow.kind().name().to_owned(),
                factor: factor::EMAIL_CODE,
            }),
            FlowStage::TextedProof(challenge) => Some(Self {
                kind: ContactKind::Phone,
                recipient: challenge.number.as_str().to_owned(),
                account: challenge.account,
                purpose: sms_purpose(flow.kind()),
                factor: factor::SMS_CODE,
            }),
            _ => None,
        }
    }
}

/// Records a failed proof in the security log.
pub(in crate::sign_in::flows) async fn record_failed_proof(
    engine: &Engine,
    account: Option<AccountId>,
    factor: &str,
    actor: &FlowActor,
) -> Result<(), Failure> {
    let event = SecurityEvent::new(
        EventKind::CredentialFailed,
        SecurityEventActor::Anonymous,
        engine.now(),
        engine.entropy(),
    );
    let event = event.with_origin(&actor.origin).with_detail("factor", factor);
    let event = match account {
        Some(account) => event.with_subject("account", account),
        None => event,
    };
    // This batch cannot conflict.
    let batch = with_failed_attempt(engine, WriteBatch::new(), event, account, actor).await?;
    let _ = engine.store().commit(batch).await?;
    Ok(())
}

/// Counts an attempt, and returns the code if it is allowed.
async fn count_guess(
    engine: &Engine,
    code_key: OneTimeCodeKey<'_>,
) -> Result<Option<OneTimeCodeRow>, Failure> {
    let Some(code) = one_time_codes::find_one_time_code(engine.store(), code_key).await? else {
        return Ok(None);
    };
    let paid = one_time_codes::record_code_attempt(code_key, code.attempts, engine.now());
    Ok(engine.store().commit(WriteBatch::new().with_statement(paid)).await?.is_committed().then_some(code))
}
