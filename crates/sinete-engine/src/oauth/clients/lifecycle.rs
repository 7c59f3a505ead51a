//! Disabling, enabling and removing a client. Each takes effect at its next use.

use super::{conflict_refusal, find_manageable};
use crate::access_control::admin_scope::AdminScope;
use crate::organizations::members::roles_refused;
use crate::organizations::precondition_failed;
use crate::organizations::role_assignment;
use crate::{ATTEMPTS_MAX, Engine, Failure};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::client_id::ClientId;
use sinete_core::events::security_event::EventKind;
use sinete_core::organizations::memberships::{RoleChangeRejection, check_membership_restore, is_owner};
use sinete_core::refusal::Refusal;
use sinete_store::oauth::clients;
use sinete_store::organizations;
use sinete_store::organizations::memberships;

use super::ClientOverview;

/// Disables the client: all its access ends, and no data is lost.
pub async fn disable(
    engine: &Engine,
    managing: AdminScope<'_>,
    id: &ClientId,
) -> Result<Result<ClientOverview, Refusal>, Failure> {
    change_condition(engine, managing, id, LifecycleCondition::Suspended).await
}

/// Enables a disabled client with all its access.
pub async fn enable(
    engine: &Engine,
    managing: AdminScope<'_>,
    id: &ClientId,
) -> Result<Result<ClientOverview, Refusal>, Failure> {
    change_condition(engine, managing, id, LifecycleCondition::Enabled).await
}

/// Removes the client permanently, with its membership and all its grants.
pub async fn remove(
    engine: &Engine,
    managing: AdminScope<'_>,
    id: &ClientId,
) -> Result<Result<ClientOverview, Refusal>, Failure> {
    change_condition(engine, managing, id, LifecycleCondition::Ended).await
}

/// Changes the condition, regardless of concurrent changes of the client.
async fn change_condition(
    engine: &Engine,
    managing: AdminScope<'_>,
    id: &ClientId,
    condition: LifecycleCondition,
) -> Result<Result<ClientOverview, Refusal>, Failure> {
    let kind = match condition {
        LifecycleCondition::Enabled => EventKind::ClientEnabled,
        LifecycleCondition::Suspended => EventKind::ClientDisabled,
        LifecycleCondition::Ended => EventKind::ClientRemoved,
    };
    for _ in 0..ATTEMPTS_MAX {
        let shown = match find_manageable(engine, managing, id).await? {
            Ok(shown) => shown,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if shown.client.condition == condition {
            managing.record_read_by_stranger(engine, "clients").await?;
            return Ok(Ok(shown));
        }
        if let Err(refusal) = check_condition_change(engine, managing, &shown, condition).await? {
            return Ok(Err(refusal));
        }
        let mut act = managing.guarded_batch();
        if let (LifecycleCondition::Ended, Some(member)) = (condition, &shown.member) {
            act = act.with_statement(memberships::change_membership_condition(
                &member.membership,
                condition,
                managing.now(),
            ));
        }
        act = act.with_statement(clients::change_client_condition(
            id,
            shown.client.version,
            condition,
            managing.now(),
        ));
        let event = managing.event(engine, kind).with_subject("client", id);
        match engine.store().commit(managing.record(act, &event)?).await? {
            Ok(_) => {
                let client =
                    clients::ClientRow { condition, version: shown.client.version + 1, ..shown.client };
                return Ok(Ok(ClientOverview { client, ..shown }));
            }
            Err(conflict) if organizations::is_lock_conflict(&conflict) => {
                return Ok(Err(conflict_refusal(&conflict, precondition_failed)));
            }
            Err(_) => {}
        }
    }
    Err(Failure::Contended)
}

/// Checks the change like that of any member: only an owner decides about a client that is an owner, and
/// enabling requires all permissions that it holds.
async fn check_condition_change(
    engine: &Engine,
    managing: AdminScope<'_>,
    shown: &ClientOverview,
    condition: LifecycleCondition,
) -> Result<Result<(), Refusal>, Failure> {
    let (AdminScope::Organization(acting), Some(member)) = (managing, &shown.member) else {
        return Ok(Ok(()));
    };
    let carried: Vec<_> = member.roles.iter().collect();
    let roles = role_assignment::effective_roles(engine, acting, &carried).await?;
    let decided = match condition {
        LifecycleCondition::Enabled => check_membership_restore(acting.role_changer(), &roles),
        LifecycleCondition::Suspended | LifecycleCondition::Ended if is_owner(&roles) && !acting.is_owner => {
            Err(RoleChangeRejection::OwnersOnly)
        }
        LifecycleCondition::Suspended | LifecycleCondition::Ended => Ok(()),
    };
    Ok(decided.map_err(|why| roles_refused(&why)))
}
