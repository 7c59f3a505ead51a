//! What is sent on the way: digits and a link that only the reader of an address will know.

use super::Walker;
use super::link::LINK_PATH;
use crate::letters::{About, Given, Letter, Proof};
use crate::{Engine, Failed, deliver};
use sinete_core::entropy::{Entropy, draw};
use sinete_core::flow::Flow;
use sinete_core::flow::purpose::FlowKind;
use sinete_core::flow::stage::Mailed;
use sinete_core::limits::{MAILED_CODE_ATTEMPTS_MAX, MAILED_CODE_DIGITS, MAILED_CODE_LIFETIME};
use sinete_core::people::address::EmailAddress;
use sinete_core::secret::{Digest, MagicLink, Secret};
use sinete_core::time::Lifetime;
use sinete_crypto::stamp::Stamped;
use sinete_store::Step;
use sinete_store::magic_links::{self, NewMagicLink};
use sinete_store::one_time_codes::{self, NewOneTimeCode, Place, ShortCode};

/// The steps that keep new digits and a new link for this flow and send them. Where the address is not one that may
/// be written to about this, the same is written down and never leaves.
pub(super) fn send_proof(
    engine: &Engine,
    flow: &Flow,
    mailed: &Mailed,
    walker: &Walker,
) -> Result<Vec<Step>, Failed> {
    let (now, digits) = (engine.now(), digits(engine.entropy()));
    let (place, expires_at) =
        (Place { flow: flow.id(), purpose: flow.kind().name() }, now.plus(MAILED_CODE_LIFETIME));
    let code = NewOneTimeCode {
        place,
        digest: &stamped(engine, place, &digits),
        attempts_max: MAILED_CODE_ATTEMPTS_MAX,
        created_at: now,
        expires_at,
    };
    let token = Secret::<MagicLink>::mint(engine.entropy());
    let link = magic_links::issue(&NewMagicLink {
        digest: &token.digest(),
        flow: flow.id(),
        purpose: &link_purpose(flow, mailed),
        created_at: now,
        expires_at,
    });
    let given = match engine.settings().flows.interaction.link(engine, LINK_PATH, "link", &token.reveal()) {
        Some(link) => Given::Either { link, code: digits },
        None => Given::Code(digits),
    };
    let about = about(flow.kind(), mailed);
    let lifetime = about.map_or(Lifetime::ZERO, |_| MAILED_CODE_LIFETIME);
    let about = about.unwrap_or(About::SignIn);
    // Whoever has an account already is told so, and is given nothing to answer with.
    let is_asked = !matches!(about, About::AccountExists);
    let letter = Letter {
        about,
        issuer: &engine.settings().issuer,
        language: walker.language,
        proof: is_asked.then_some(Proof { given, lifetime: MAILED_CODE_LIFETIME }),
    };
    let post = deliver::post(engine, &letter, &mailed.address, lifetime)?;
    Ok(vec![one_time_codes::put(&code), link, post])
}

/// What a link proves: that whoever holds it reads this address, in this flow and for what it is for.
pub(super) fn link_purpose(flow: &Flow, mailed: &Mailed) -> String {
    let address =
        Digest::<EmailAddress>::of_parts(&[flow.id().as_bytes(), mailed.address.lookup().as_bytes()]);
    let address: String = address.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{} {address}", flow.kind().name())
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
