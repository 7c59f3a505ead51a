//! What is sent on the way: digits and a link that only the reader of an address will know.

use super::link::LINK_PATH;
use super::sends::{self, MessageChannel, MessageRequester, MessageSubject, SendAttempt};
use super::{FlowActor, people};
use crate::letters::{EmailKind, EmailMessage, EmailProof, EmailProofKind, code_to};
use crate::{Engine, Failure, deliver};
use sinete_core::entropy::{Entropy, draw};
use sinete_core::flow::AuthenticationFlow;
use sinete_core::flow::purpose::FlowKind;
use sinete_core::flow::stage::{EmailChallenge, FlowStage, SmsChallenge};
use sinete_core::id::AccountId;
use sinete_core::limits::{
    MAILED_CODE_ATTEMPTS_MAX, MAILED_CODE_DIGITS, MAILED_CODE_LIFETIME, TEXTED_CODE_DIGITS,
    TEXTED_CODE_LIFETIME,
};
use sinete_core::people::address::EmailAddress;
use sinete_core::secret::{Digest, MagicLink, Secret};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_crypto::stamp::MacPurpose;
use sinete_store::GuardedStatement;
use sinete_store::contacts::{self, ContactKind};
use sinete_store::magic_links::{self, NewMagicLink};
use sinete_store::one_time_codes::{self, NewOneTimeCode, OneTimeCodeDigits, OneTimeCodeKey};

/// The steps that keep new digits and a new link for this flow and send them. Where the address is not one that may
/// be written to about this, or was written to too often, the same is written down and never leaves; when the next one may
/// is told either way.
pub(super) async fn send_proof(
    engine: &Engine,
    flow: &AuthenticationFlow,
    mailed: &EmailChallenge,
    walker: &FlowActor,
    round: SendAttempt,
) -> Result<Vec<GuardedStatement>, Failure> {
    let lookup = mailed.address.lookup();
    let subject = counted_for(engine, ContactKind::Email, &lookup, mailed.account).await?;
    let requester = MessageRequester::of(engine, subject, walker).await?;
    let budget = sends::one_more(engine, MessageChannel::Mail, &lookup, subject.account, &requester).await?;
    let (counted, place) = (budget.counted, OneTimeCodeKey { flow: flow.id(), purpose: flow.kind().name() });
    let next = one_time_codes::tell_next(place, budget.next_at);
    if counted.is_none() && round == SendAttempt::Again {
        return Ok(vec![next]);
    }
    let digits = digits(engine.entropy(), MAILED_CODE_DIGITS);
    let code = kept(engine, place, (&lookup, &digits), MAILED_CODE_LIFETIME);
    let token = Secret::<MagicLink>::mint(engine.entropy());
    let link = magic_links::issue(&NewMagicLink {
        digest: &token.digest(),
        flow: flow.id(),
        purpose: &link_purpose(flow, mailed),
        created_at: engine.now(),
        expires_at: engine.now().plus(MAILED_CODE_LIFETIME),
    });
    let given = match engine.settings().flows.interaction.link(engine, LINK_PATH, "link", &token.reveal()) {
        Some(link) => EmailProofKind::Either { link, code: digits },
        None => EmailProofKind::Code(digits),
    };
    let about = about(flow.kind(), mailed).filter(|_| counted.is_some());
    let lifetime = about.map_or(Lifetime::ZERO, |_| MAILED_CODE_LIFETIME);
    let about = about.unwrap_or(EmailKind::SignIn);
    // Whoever has an account already is told so, and is given nothing to answer with.
    let is_asked = !matches!(about, EmailKind::AccountExists);
    let letter = EmailMessage {
        about,
        issuer: &engine.settings().issuer,
        language: people::language(engine, mailed.account, walker.language).await?,
        proof: is_asked.then_some(EmailProof { given, lifetime: MAILED_CODE_LIFETIME }),
    };
    let post = deliver::post(engine, &letter, &mailed.address, lifetime)?;
    Ok([code, next, link, post].into_iter().chain(counted.into_iter().flatten()).collect())
}

/// The same with digits to a telephone.
pub(super) async fn send_digits(
    engine: &Engine,
    flow: &AuthenticationFlow,
    texted: &SmsChallenge,
    walker: &FlowActor,
    round: SendAttempt,
) -> Result<Vec<GuardedStatement>, Failure> {
    let number = texted.number.as_str();
    let subject = counted_for(engine, ContactKind::Phone, number, texted.account).await?;
    let requester = MessageRequester::of(engine, subject, walker).await?;
    let budget = sends::one_more(engine, MessageChannel::Text, number, subject.account, &requester).await?;
    let purpose = texted_purpose(flow.kind());
    let (counted, place) = (budget.counted, OneTimeCodeKey { flow: flow.id(), purpose: &purpose });
    let next = one_time_codes::tell_next(place, budget.next_at);
    if counted.is_none() && round == SendAttempt::Again {
        return Ok(vec![next]);
    }
    let digits = digits(engine.entropy(), TEXTED_CODE_DIGITS);
    let code = kept(engine, place, (number, &digits), TEXTED_CODE_LIFETIME);
    let language = people::language(engine, texted.account, walker.language).await?;
    let message = code_to(number, &digits, &engine.settings().issuer, language);
    let leaves = texted.account.is_some() && counted.is_some();
    let lifetime = if leaves { TEXTED_CODE_LIFETIME } else { Lifetime::ZERO };
    let post = deliver::post_short(engine, &message, lifetime)?;
    Ok([code, next, post].into_iter().chain(counted.into_iter().flatten()).collect())
}

/// When another message may leave from where the flow stands, where one was asked for. It is the same for an address that is
/// nobody's, and whether the last one left is not told.
pub(super) async fn next_message_at(
    engine: &Engine,
    flow: &AuthenticationFlow,
) -> Result<Option<Timestamp>, Failure> {
    let purpose = match flow.stage() {
        FlowStage::MailedProof(_) => flow.kind().name().to_owned(),
        FlowStage::TextedProof(_) => texted_purpose(flow.kind()),
        _ => return Ok(None),
    };
    let code =
        one_time_codes::find(engine.store(), OneTimeCodeKey { flow: flow.id(), purpose: &purpose }).await?;
    Ok(code.map(|code| code.next_message_at.max(engine.now())))
}

/// Whose messages are counted: those of whoever proved the address, also where they cannot sign in, so that no counter
/// tells one from the other; where nobody did, those of the account the flow is about.
async fn counted_for(
    engine: &Engine,
    kind: ContactKind,
    lookup: &str,
    otherwise: Option<AccountId>,
) -> Result<MessageSubject, Failure> {
    let owner = contacts::find_verified(engine.store(), kind, lookup).await?;
    let is_proven = owner.is_some();
    Ok(MessageSubject { account: owner.map(|contact| contact.account).or(otherwise), is_proven })
}

/// What digits to a telephone prove in a flow of this kind.
pub(super) fn texted_purpose(kind: FlowKind) -> String {
    format!("{} by telephone", kind.name())
}

/// The step that keeps digits which were sent to this address or number.
fn kept(
    engine: &Engine,
    place: OneTimeCodeKey<'_>,
    (to, digits): (&str, &str),
    lifetime: Lifetime,
) -> GuardedStatement {
    one_time_codes::put(&NewOneTimeCode {
        place,
        digest: &stamped(engine, place, to, digits),
        attempts_max: MAILED_CODE_ATTEMPTS_MAX,
        created_at: engine.now(),
        expires_at: engine.now().plus(lifetime),
    })
}

/// What a link proves: that whoever holds it reads this address, in this flow and for what it is for.
pub(super) fn link_purpose(flow: &AuthenticationFlow, mailed: &EmailChallenge) -> String {
    let address =
        Digest::<EmailAddress>::of_parts(&[flow.id().as_bytes(), mailed.address.lookup().as_bytes()]);
    let address: String = address.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{} {address}", flow.kind().name())
}

/// What digits are remembered by: a stamp of ours over them, the place they belong to and where they were sent.
pub(super) fn stamped(
    engine: &Engine,
    place: OneTimeCodeKey<'_>,
    to: &str,
    digits: &str,
) -> Digest<OneTimeCodeDigits> {
    let parts: [&[u8]; 4] =
        [place.flow.as_bytes(), place.purpose.as_bytes(), to.as_bytes(), digits.as_bytes()];
    Digest::of_parts(&[&engine.instance_keys().stamp(MacPurpose::TypedCode, &parts)])
}

/// Digits, each as likely as any other.
fn digits(entropy: &dyn Entropy, count: u32) -> String {
    let most = 10_u64.pow(count);
    // Of 64 bits the remainder favours no number by more than one in 10^11.
    let number = u64::from_be_bytes(draw(entropy)) % most;
    format!("{number:0width$}", width = count as usize)
}

/// What is written to the address, if anything is.
fn about(kind: FlowKind, mailed: &EmailChallenge) -> Option<EmailKind<'static>> {
    match (kind, mailed.account) {
        (FlowKind::SignUp, None) => Some(EmailKind::SignUp),
        (FlowKind::SignUp, Some(_)) => Some(EmailKind::AccountExists),
        (FlowKind::ResetPassword, Some(_)) => Some(EmailKind::ResetPassword),
        (FlowKind::ChangeEmail, Some(_)) => Some(EmailKind::ChangeEmail),
        (FlowKind::ChangeEmail, None) => Some(EmailKind::AccountExists),
        (FlowKind::VerifyEmail, Some(_)) => Some(EmailKind::VerifyEmail),
        (_, Some(_)) => Some(EmailKind::SignIn),
        (_, None) => None,
    }
}
