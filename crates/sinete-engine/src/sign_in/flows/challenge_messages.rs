//! Codes and links that a flow sends.

use super::FlowActor;
use super::magic_link::LINK_PATH;
use super::verify::NO_ACCOUNT;
use crate::platform::email::{
    EmailKind, EmailMessage, EmailReader, EmailedLinkOrCode, LinkOrCodeKind, build_code_sms,
};
use crate::platform::outbox;
use crate::sign_in::message_rate_limit;
use crate::sign_in::message_rate_limit::{
    MessageChannel, MessageRecipientAccount, MessageRequester, MessageResendStatus,
};
use crate::{Engine, Failure};
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::accounts::language::Language;
use sinete_core::entropy::{Entropy, draw_bytes};
use sinete_core::id::AccountId;
use sinete_core::limits::{
    EMAIL_CODE_DIGITS, EMAIL_CODE_LIFETIME, ONE_TIME_CODE_ATTEMPTS_MAX, SMS_CODE_DIGITS, SMS_CODE_LIFETIME,
};
use sinete_core::secret::{Digest, MagicLink, Secret};
use sinete_core::sign_in::flows::AuthenticationFlow;
use sinete_core::sign_in::flows::purpose::FlowKind;
use sinete_core::sign_in::flows::stage::{EmailChallenge, FlowStage, SmsChallenge};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_crypto::platform::mac::MacPurpose;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::ContactKind;
use sinete_store::sign_in::credentials::magic_links;
use sinete_store::sign_in::credentials::magic_links::NewMagicLink;
use sinete_store::sign_in::credentials::one_time_codes;
use sinete_store::sign_in::credentials::one_time_codes::{NewOneTimeCode, OneTimeCodeDigits, OneTimeCodeKey};
use sinete_store::{GuardedStatement, accounts};

/// The statements that store a new code and link for this flow and send them. If the address may not receive
/// them or has reached its limit, the same is stored but not sent; the time of the next possible message is
/// shown in either case.
pub(crate) async fn send_email_challenge(
    engine: &Engine,
    flow: &AuthenticationFlow,
    challenge: &EmailChallenge,
    actor: &FlowActor,
    round: MessageResendStatus,
) -> Result<Vec<GuardedStatement>, Failure> {
    let lookup = challenge.address.lookup_key();
    let subject = find_counted_account(engine, ContactKind::Email, &lookup, challenge.account).await?;
    let requester = MessageRequester::from_actor(engine, subject, actor).await?;
    let budget = message_rate_limit::count_message(
        engine,
        MessageChannel::Email,
        &lookup,
        subject.account,
        &requester,
    )
    .await?;
    let (statements, code_key) =
        (budget.count_statements, OneTimeCodeKey { flow: flow.id(), purpose: flow.kind().name() });
    let next = one_time_codes::set_next_message_time(code_key, budget.next_at);
    if statements.is_none() && round == MessageResendStatus::Repeat {
        return Ok(vec![next]);
    }
    let digits = random_digits(engine.entropy(), EMAIL_CODE_DIGITS);
    let code = store_code(engine, code_key, &lookup, &digits, EMAIL_CODE_LIFETIME);
    let token = Secret::<MagicLink>::mint(engine.entropy());
    let link = magic_links::issue_magic_link(&NewMagicLink {
        digest: &token.digest(),
        flow: flow.id(),
        purpose: &link_purpose(flow, challenge),
        created_at: engine.now(),
        expires_at: engine.now().plus(EMAIL_CODE_LIFETIME),
    });
    let kind = match engine.settings().flows.interaction.link(engine, LINK_PATH, "link", &token.reveal()) {
        Some(link) => LinkOrCodeKind::Either { link, code: digits },
        None => LinkOrCodeKind::Code(digits),
    };
    let challenge_kind = email_kind(flow.kind(), challenge).filter(|_| statements.is_some());
    let lifetime = challenge_kind.map_or(Lifetime::ZERO, |_| EMAIL_CODE_LIFETIME);
    let email_kind = challenge_kind.unwrap_or(EmailKind::SignIn);
    // A user who already has an account is notified without a code or link.
    let is_asked = !matches!(email_kind, EmailKind::AccountExists);
    let message = EmailMessage {
        kind: email_kind,
        origin: engine.email_origin(),
        reader: preferred_reader(engine, challenge.account, actor.language).await?,
        proof: is_asked.then_some(EmailedLinkOrCode { kind, lifetime: EMAIL_CODE_LIFETIME }),
    };
    let post = outbox::enqueue_email(engine, &message, &challenge.address, lifetime)?;
    Ok([code, next, link, post].into_iter().chain(statements.into_iter().flatten()).collect())
}

/// The same with a code by SMS.
pub(crate) async fn send_sms_code(
    engine: &Engine,
    flow: &AuthenticationFlow,
    challenge: &SmsChallenge,
    actor: &FlowActor,
    round: MessageResendStatus,
) -> Result<Vec<GuardedStatement>, Failure> {
    let number = challenge.number.as_str();
    let subject = find_counted_account(engine, ContactKind::Phone, number, challenge.account).await?;
    let requester = MessageRequester::from_actor(engine, subject, actor).await?;
    let budget =
        message_rate_limit::count_message(engine, MessageChannel::Sms, number, subject.account, &requester)
            .await?;
    let purpose = sms_purpose(flow.kind());
    let (statements, code_key) =
        (budget.count_statements, OneTimeCodeKey { flow: flow.id(), purpose: &purpose });
    let next = one_time_codes::set_next_message_time(code_key, budget.next_at);
    if statements.is_none() && round == MessageResendStatus::Repeat {
        return Ok(vec![next]);
    }
    let digits = random_digits(engine.entropy(), SMS_CODE_DIGITS);
    let code = store_code(engine, code_key, number, &digits, SMS_CODE_LIFETIME);
    let language = preferred_language(engine, challenge.account, actor.language).await?;
    let message = build_code_sms(number, &digits, &engine.settings().issuer, language);
    let leaves = challenge.account.is_some() && statements.is_some();
    let lifetime = if leaves { SMS_CODE_LIFETIME } else { Lifetime::ZERO };
    let post = outbox::enqueue_sms(engine, &message, lifetime)?;
    Ok([code, next, post].into_iter().chain(statements.into_iter().flatten()).collect())
}

/// The language of messages: the user's preference, or else that of the flow.
pub(crate) async fn preferred_language(
    engine: &Engine,
    account: Option<AccountId>,
    otherwise: Language,
) -> Result<Language, Failure> {
    Ok(preferred_reader(engine, account, otherwise).await?.language)
}

/// The language and the time zone of messages: the user's, or else the language of the flow and UTC.
pub(crate) async fn preferred_reader(
    engine: &Engine,
    account: Option<AccountId>,
    otherwise: Language,
) -> Result<EmailReader, Failure> {
    let Some(account_row) = accounts::find_account(engine.store(), account.unwrap_or(NO_ACCOUNT)).await?
    else {
        return Ok(otherwise.into());
    };
    let profile: serde_json::Map<String, serde_json::Value> = account_row.profile.parse()?;
    let language = account_row.language.as_deref().and_then(Language::from_locale_list);
    let time_zone = profile.get("zoneinfo").and_then(|zone| zone.as_str()).map(str::to_owned);
    Ok(EmailReader { language: language.unwrap_or(otherwise), time_zone })
}

/// When another message may be requested at this stage, if one was. It does not depend on whether the address
/// has an account or the last message was sent.
pub(crate) async fn next_message_at(
    engine: &Engine,
    flow: &AuthenticationFlow,
) -> Result<Option<Timestamp>, Failure> {
    let purpose = match flow.stage() {
        FlowStage::MailedProof(_) => flow.kind().name().to_owned(),
        FlowStage::TextedProof(_) => sms_purpose(flow.kind()),
        _ => return Ok(None),
    };
    let code = one_time_codes::find_one_time_code(
        engine.store(),
        OneTimeCodeKey { flow: flow.id(), purpose: &purpose },
    )
    .await?;
    Ok(code.map(|code| code.next_message_at.max(engine.now())))
}

/// The account whose messages are counted: the owner of the verified address, even if they cannot sign in, so
/// that counters reveal nothing; otherwise the account of the flow.
async fn find_counted_account(
    engine: &Engine,
    kind: ContactKind,
    lookup: &str,
    otherwise: Option<AccountId>,
) -> Result<MessageRecipientAccount, Failure> {
    let owner = contacts::find_verified_contact(engine.store(), kind, lookup).await?;
    let is_proven = owner.is_some();
    Ok(MessageRecipientAccount { account: owner.map(|contact| contact.account).or(otherwise), is_proven })
}

/// The purpose of an SMS code in a flow of this kind.
pub(crate) fn sms_purpose(kind: FlowKind) -> String {
    format!("{} by telephone", kind.name())
}

/// The statement that stores a sent code.
fn store_code(
    engine: &Engine,
    code_key: OneTimeCodeKey<'_>,
    to: &str,
    digits: &str,
    lifetime: Lifetime,
) -> GuardedStatement {
    one_time_codes::store_one_time_code(&NewOneTimeCode {
        key: code_key,
        digest: &code_digest(engine, code_key, to, digits),
        attempts_max: ONE_TIME_CODE_ATTEMPTS_MAX,
        created_at: engine.now(),
        expires_at: engine.now().plus(lifetime),
    })
}

/// The purpose of a link: it proves access to this address, in this flow.
pub(crate) fn link_purpose(flow: &AuthenticationFlow, challenge: &EmailChallenge) -> String {
    let address = Digest::<EmailAddress>::from_parts(&[
        flow.id().as_bytes(),
        challenge.address.lookup_key().as_bytes(),
    ]);
    let address: String = address.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{} {address}", flow.kind().name())
}

/// The stored MAC of a code, over the code, its flow and the recipient.
pub(crate) fn code_digest(
    engine: &Engine,
    code_key: OneTimeCodeKey<'_>,
    to: &str,
    digits: &str,
) -> Digest<OneTimeCodeDigits> {
    let parts: [&[u8]; 4] =
        [code_key.flow.as_bytes(), code_key.purpose.as_bytes(), to.as_bytes(), digits.as_bytes()];
    Digest::from_parts(&[&engine.instance_keys().compute_mac(MacPurpose::UserEnteredCode, &parts)])
}

/// Uniformly random digits.
fn random_digits(entropy: &dyn Entropy, count: u32) -> String {
    let limit = 10_u64.pow(count);
    // With 64 bits, the modulo bias is below one in 10^11.
    let number = u64::from_be_bytes(draw_bytes(entropy)) % limit;
    format!("{number:0width$}", width = count as usize)
}

/// The kind of e-mail to send, if any.
fn email_kind(kind: FlowKind, challenge: &EmailChallenge) -> Option<EmailKind<'static>> {
    match (kind, challenge.account) {
        (_, None) if challenge.creates_account() => Some(EmailKind::SignUp),
        (_, Some(_)) if challenge.creates_account() => Some(EmailKind::AccountExists),
        (FlowKind::ResetPassword, Some(_)) => Some(EmailKind::ResetPassword),
        (FlowKind::ChangeEmail, Some(_)) => Some(EmailKind::ChangeEmail),
        (FlowKind::ChangeEmail, None) => Some(EmailKind::AccountExists),
        (FlowKind::VerifyEmail, Some(_)) => Some(EmailKind::VerifyEmail),
        (_, Some(_)) => Some(EmailKind::SignIn),
        (_, None) => None,
    }
}
