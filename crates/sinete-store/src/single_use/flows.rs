//! Single-use statements of authentication flows.

use super::{SingleUseFixture, SpendableItem};
use crate::failure::StoreFailure;
use crate::sign_in::credentials::magic_links;
use crate::sign_in::credentials::magic_links::NewMagicLink;
use crate::sign_in::credentials::one_time_codes;
use crate::sign_in::credentials::one_time_codes::{NewOneTimeCode, OneTimeCodeDigits, OneTimeCodeKey};
use crate::sign_in::flows;
use crate::sign_in::flows::{NewFlow, StoredFlowState};
use crate::write_batch::GuardedStatement;
use sinete_core::entropy::{Entropy, draw_bytes};
use sinete_core::id::{FlowId, Id};
use sinete_core::secret::{Digest, Secret};

const PURPOSE: &str = "sign_in";

fn create_open_flow(world: &SingleUseFixture, entropy: &dyn Entropy) -> (FlowId, GuardedStatement) {
    let id = Id::mint(world.now, entropy);
    let step = flows::create_flow(&NewFlow {
        id,
        digest: &Secret::mint(entropy).digest(),
        kind: PURPOSE,
        state: StoredFlowState { document: &world.empty_document, form: 1, account: None },
        created_at: world.now,
        expires_at: world.expires_at,
    });
    (id, step)
}

pub(super) fn prepare_flow_advance(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (flow, started) = create_open_flow(world, entropy);
    let (now, nothing, account) = (world.now, world.empty_document.clone(), world.account);
    Ok(SpendableItem::new([started], move |entropy| {
        let state = StoredFlowState { document: &nothing, form: 1, account: Some(account) };
        [flows::advance_flow(flow, 1, state, &Secret::mint(entropy).digest(), now)]
    }))
}

pub(super) fn prepare_flow_finish(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (flow, started) = create_open_flow(world, entropy);
    let now = world.now;
    Ok(SpendableItem::new([started], move |_| [flows::finish_flow(flow, 1, now)]))
}

fn store_code(
    world: &SingleUseFixture,
    flow: FlowId,
    digest: &Digest<OneTimeCodeDigits>,
) -> GuardedStatement {
    one_time_codes::store_one_time_code(&NewOneTimeCode {
        key: OneTimeCodeKey { flow, purpose: PURPOSE },
        digest,
        attempts_max: 5,
        created_at: world.now,
        expires_at: world.expires_at,
    })
}

pub(super) fn prepare_code_attempt(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (flow, started) = create_open_flow(world, entropy);
    let setup = [started, store_code(world, flow, &Digest::from_bytes(draw_bytes(entropy)))];
    let now = world.now;
    Ok(SpendableItem::new(setup, move |_| {
        [one_time_codes::record_code_attempt(OneTimeCodeKey { flow, purpose: PURPOSE }, 0, now)]
    }))
}

pub(super) fn prepare_one_time_code(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (flow, started) = create_open_flow(world, entropy);
    let digest = Digest::from_bytes(draw_bytes(entropy));
    let code_key = OneTimeCodeKey { flow, purpose: PURPOSE };
    let paid = one_time_codes::record_code_attempt(code_key, 0, world.now);
    let setup = [started, store_code(world, flow, &digest), paid];
    let now = world.now;
    Ok(SpendableItem::new(setup, move |_| [one_time_codes::redeem_one_time_code(code_key, &digest, now)]))
}

pub(super) fn prepare_magic_link(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (flow, started) = create_open_flow(world, entropy);
    let digest = Secret::mint(entropy).digest();
    let issued = magic_links::issue_magic_link(&NewMagicLink {
        digest: &digest,
        flow,
        purpose: PURPOSE,
        created_at: world.now,
        expires_at: world.expires_at,
    });
    let now = world.now;
    Ok(SpendableItem::new([started, issued], move |_| {
        [magic_links::consume_magic_link(&digest, PURPOSE, now)]
    }))
}
