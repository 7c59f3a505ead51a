//! What is sent on the way: digits that only the reader of an address will know.

use super::Walker;
use crate::letters::{About, Given, Letter, Proof};
use crate::{Engine, Failed, deliver};
use sinete_core::entropy::{Entropy, draw};
use sinete_core::flow::Flow;
use sinete_core::flow::purpose::FlowKind;
use sinete_core::flow::stage::Mailed;
use sinete_core::limits::{MAILED_CODE_ATTEMPTS_MAX, MAILED_CODE_DIGITS, MAILED_CODE_LIFETIME};
use sinete_core::secret::Digest;
use sinete_core::time::Lifetime;
use sinete_crypto::stamp::Stamped;
use sinete_store::Step;
use sinete_store::one_time_codes::{self, NewOneTimeCode, Place, ShortCode};

/// The steps that keep new digits for this flow and send them. Where the address is not one that may be written
/// to about this, the same is written down and never leaves.
pub(super) fn send_proof(
    engine: &Engine,
    flow: &Flow,
    mailed: &Mailed,
    walker: &Walker,
) -> Result<[Step; 2], Failed> {
    let (now, digits) = (engine.now(), digits(engine.entropy()));
    let place = Place { flow: flow.id(), purpose: flow.kind().name() };
    let code = NewOneTimeCode {
        place,
        digest: &stamped(engine, place, &digits),
        attempts_max: MAILED_CODE_ATTEMPTS_MAX,
        created_at: now,
        expires_at: now.plus(MAILED_CODE_LIFETIME),
    };
    let about = about(flow.kind(), mailed);
    let lifetime = about.map_or(Lifetime::ZERO, |_| MAILED_CODE_LIFETIME);
    let about = about.unwrap_or(About::SignIn);
    // Whoever has an account already is told so, and is given nothing to type.
    let is_asked = !matches!(about, About::AccountExists);
    let proof = Proof { given: Given::Code(digits), lifetime: MAILED_CODE_LIFETIME };
    let letter = Letter {
        about,
        issuer: &engine.settings().issuer,
        language: walker.language,
        proof: is_asked.then_some(proof),
    };
    Ok([one_time_codes::put(&code), deliver::post(engine, &letter, &mailed.address, lifetime)?])
}

/// What digits are remembered by: a stamp of ours over them and the place they belong to.
pub(super) fn stamped(engine: &Engine, place: Place<'_>, digits: &str) -> Digest<ShortCode> {
    let parts: [&[u8]; 3] = [place.flow.as_bytes(), place.purpose.as_bytes(), digits.as_bytes()];
    Digest::of_parts(&[&engine.instance_keys().stamp(Stamped::TypedCode, &parts)])
}

/// Digits, each as likely as any other.
fn digits(entropy: &dyn Entropy) -> String {
    let most = 10_u64.pow(MAILED_CODE_DIGITS);
    // Of 64 bits the remainder favours no number by more than one in 10^11.
    let number = u64::from_be_bytes(draw(entropy)) % most;
    format!("{number:0width$}", width = MAILED_CODE_DIGITS as usize)
}

/// What is written to the address, if anything is.
fn about(kind: FlowKind, mailed: &Mailed) -> Option<About<'static>> {
    match (kind, mailed.account) {
        (FlowKind::SignUp, None) => Some(About::SignUp),
        (FlowKind::SignUp, Some(_)) => Some(About::AccountExists),
        (FlowKind::ResetPassword, Some(_)) => Some(About::ResetPassword),
        (FlowKind::VerifyEmail, Some(_)) => Some(About::VerifyEmail),
        (_, Some(_)) => Some(About::SignIn),
        (_, None) => None,
    }
}
