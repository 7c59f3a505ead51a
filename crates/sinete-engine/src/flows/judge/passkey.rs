//! Whether a passkey signed, and whether a new one will do. Every reason to refuse one reads alike outside.

use super::super::{Judged, Walker, people, wrong};
use crate::passkeys::{self, Occasion};
use crate::{Engine, Failed};
use serde_json::Value;
use sinete_core::assurance::Proof;
use sinete_core::flow::Flow;
use sinete_core::flow::answer::Answer;
use sinete_core::flow::credential::enrolling::MadePasskey;
use sinete_core::people::Condition;
use sinete_core::refusal::Refusal;
use sinete_core::security::event::{Actor, Event, EventKind};
use sinete_crypto::webauthn::{
    self, Asserted, AssertionResponse, Expected, Naming, Owner, Passkey, Refused, RegistrationResponse,
    UserVerification,
};
use sinete_store::credentials::{self, Credential};
use sinete_store::{Act, accounts};

/// Whether a passkey of the person the flow is about signed; where it is about nobody yet, whose it is.
pub(super) async fn judge(
    engine: &Engine,
    flow: &Flow,
    answer: &Value,
    walker: &Walker,
) -> Result<Result<Judged, Refusal>, Failed> {
    let response = match AssertionResponse::parse(answer) {
        Ok(response) => response,
        Err(refused) => return Ok(Err(wrong(refused.name()))),
    };
    let handle = response.credential_id();
    let Some(kept) = credentials::find_by_handle(engine.store(), handle).await? else {
        return Ok(Err(wrong("no such passkey")));
    };
    let (asserted, passkey) = match check(engine, flow, &response, &kept) {
        Ok(checked) => checked,
        Err(refused) => {
            failed(engine, &kept, refused, walker).await?;
            return Ok(Err(wrong(refused.name())));
        }
    };
    let account = accounts::find(engine.store(), kept.account).await?;
    let is_enabled = account.is_some_and(|account| account.condition == Condition::Enabled);
    if !is_enabled || kept.disabled_at.is_some() {
        return Ok(Err(wrong("the account or the passkey is switched off")));
    }
    let now = engine.now();
    let mut act = Act::new().with(credentials::accept_signature(&kept, i64::from(asserted.counter), now));
    if asserted.backed_up != passkey.backed_up {
        let mut changed = passkey;
        changed.backed_up = asserted.backed_up;
        act = act.with(credentials::replace_material(&kept, &changed.to_bytes()));
    }
    let proof = Proof::Passkey { user_verified: asserted.user_verified, device_bound: asserted.device_bound };
    let person = people::person(engine, kept.account).await?;
    Ok(Ok(Judged { answer: Answer::Proved { person, proof }, act }))
}

fn check(
    engine: &Engine,
    flow: &Flow,
    response: &AssertionResponse,
    kept: &Credential,
) -> Result<(Asserted, Passkey), Refused> {
    let naming = match flow.account() {
        Some(account) if account != kept.account => return Err(Refused::UserHandle),
        Some(_) => Naming::Beforehand,
        None => Naming::ByDevice,
    };
    let challenge = ours(engine, flow, response.claimed_challenge())?;
    let expected = Expected {
        party: engine.relying_party(),
        challenge: &challenge,
        user_verification: UserVerification::Required,
    };
    let passkey = Passkey::from_bytes(&kept.material).map_err(|_| Refused::PublicKey)?;
    let counter = u32::try_from(kept.counter).map_err(|_| Refused::Counter)?;
    let owner = Owner { handle: kept.account.as_bytes(), naming };
    webauthn::assert(response, &passkey, counter, owner, &expected).map(|asserted| (asserted, passkey))
}

/// A new passkey for the account with this id, if it passes every check.
pub(super) fn made(
    engine: &Engine,
    flow: &Flow,
    answer: &Value,
    name: Option<&str>,
) -> Result<MadePasskey, Refusal> {
    let name = match name {
        Some(name) => crate::account::credentials::named(name)?,
        None => "passkey",
    };
    let registered = (|| {
        let response = RegistrationResponse::parse(answer)?;
        let challenge = ours(engine, flow, response.claimed_challenge())?;
        let expected = Expected {
            party: engine.relying_party(),
            challenge: &challenge,
            user_verification: UserVerification::Required,
        };
        webauthn::register(&response, &expected)
    })();
    let registered = registered.map_err(|refused: Refused| wrong(refused.name()))?;
    Ok(MadePasskey {
        handle: registered.id,
        material: registered.passkey.to_bytes(),
        counter: registered.counter,
        name: name.to_owned(),
        user_verified: registered.user_verified,
        device_bound: !registered.passkey.backup_eligible,
    })
}

/// The challenge that is answered, if it is one of ours for this flow and step.
fn ours(engine: &Engine, flow: &Flow, claimed: Option<Vec<u8>>) -> Result<Vec<u8>, Refused> {
    let occasion = Occasion { flow: flow.id(), step: flow.steps() };
    let claimed = claimed.ok_or(Refused::ClientData)?;
    if passkeys::is_ours(engine, occasion, &claimed) { Ok(claimed) } else { Err(Refused::Challenge) }
}

/// Tells the owner's log of a signature that was refused, and why.
async fn failed(engine: &Engine, kept: &Credential, refused: Refused, walker: &Walker) -> Result<(), Failed> {
    let event = Event::new(EventKind::CredentialFailed, Actor::Anonymous, engine.now(), engine.entropy())
        .from_origin(&walker.origin)
        .about("account", kept.account)
        .with("factor", "passkey")
        .with("check", refused.name());
    // Nothing in this act can conflict.
    let _ = engine.store().commit(Act::new().record(&event)).await?;
    Ok(())
}
