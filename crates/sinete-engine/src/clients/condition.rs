//! Stopping a client, letting it go on, and removing it. Each counts everywhere at its next use.

use super::{lost, manageable};
use crate::managing::Managing;
use crate::members::{plain, roles_refused};
use crate::organizations::outrun;
use crate::{ATTEMPTS_MAX, Engine, Failed};
use sinete_core::client::ClientId;
use sinete_core::people::Condition;
use sinete_core::people::membership::{RolesRefused, is_owner};
use sinete_core::refusal::Refusal;
use sinete_core::security::event::EventKind;
use sinete_store::{clients, memberships, organizations};

use super::Shown;

/// Stops the client: nothing it holds counts from this moment on, and nothing is lost.
pub async fn disable(
    engine: &Engine,
    managing: Managing<'_>,
    id: &ClientId,
) -> Result<Result<Shown, Refusal>, Failed> {
    turn(engine, managing, id, Condition::Suspended).await
}

/// Lets a stopped client go on: everything counts again as it did.
pub async fn enable(
    engine: &Engine,
    managing: Managing<'_>,
    id: &ClientId,
) -> Result<Result<Shown, Refusal>, Failed> {
    turn(engine, managing, id, Condition::Enabled).await
}

/// Removes the client for good, with its membership and every grant it was given.
pub async fn remove(
    engine: &Engine,
    managing: Managing<'_>,
    id: &ClientId,
) -> Result<Result<Shown, Refusal>, Failed> {
    turn(engine, managing, id, Condition::Ended).await
}

/// Whatever else changes about the client meanwhile, it is put into the condition somebody asked for.
async fn turn(
    engine: &Engine,
    managing: Managing<'_>,
    id: &ClientId,
    condition: Condition,
) -> Result<Result<Shown, Refusal>, Failed> {
    let kind = match condition {
        Condition::Enabled => EventKind::ClientEnabled,
        Condition::Suspended => EventKind::ClientDisabled,
        Condition::Ended => EventKind::ClientRemoved,
    };
    for _ in 0..ATTEMPTS_MAX {
        let shown = match manageable(engine, managing, id).await? {
            Ok(shown) => shown,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if shown.client.condition == condition {
            managing.note_look(engine, "clients").await?;
            return Ok(Ok(shown));
        }
        if condition == Condition::Ended
            && let Err(refusal) = may_end(managing, &shown)
        {
            return Ok(Err(refusal));
        }
        let mut act = managing.act();
        if let (Condition::Ended, Some(member)) = (condition, &shown.member) {
            act = act.with(memberships::change_condition(&member.membership, condition, managing.now()));
        }
        act = act.with(clients::change_condition(id, shown.client.version, condition, managing.now()));
        let event = managing.event(engine, kind).about("client", id);
        match engine.store().commit(managing.record(act, &event)?).await? {
            Ok(_) => {
                let client = clients::Client { condition, version: shown.client.version + 1, ..shown.client };
                return Ok(Ok(Shown { client, ..shown }));
            }
            Err(conflict) if organizations::was_not_held(&conflict) => {
                return Ok(Err(lost(&conflict, outrun)));
            }
            Err(_) => {}
        }
    }
    Err(Failed::Contended)
}

/// A machine that owns the organization goes like anybody who does: an owner decides.
fn may_end(managing: Managing<'_>, shown: &Shown) -> Result<(), Refusal> {
    let owns = shown.member.as_ref().is_some_and(|member| is_owner(&plain(&member.roles)));
    match managing {
        Managing::Organization(acting) if owns && !acting.is_owner => {
            Err(roles_refused(&RolesRefused::OwnersOnly))
        }
        Managing::Organization(_) | Managing::Instance(_) => Ok(()),
    }
}
