//! Disabling, enabling and removing a client. Each takes effect at its next use.

use super::{conflict_refusal, find_stoppable};
use crate::access_control::admin_scope::AdminScope;
use crate::organizations::members::roles_refused;
use crate::organizations::precondition_failed;
use crate::organizations::role_assignment;
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::client_id::ClientId;
use sinete_core::events::security_event::EventKind;
use sinete_core::organizations::memberships::{RoleChangeRejection, check_membership_restore, is_owner};
use sinete_store::oauth::clients;
use sinete_store::organizations::memberships;
use sinete_store::{BatchOutcome, organizations};

use super::ClientOverview;

/// Disables the client: all its access ends, and no data is lost.
pub async fn disable(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: &ClientId,
) -> Result<ClientOverview, Error> {
    change_condition(engine, admin_scope, id, LifecycleCondition::Suspended).await
}

/// Enables a disabled client with all its access.
pub async fn enable(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: &ClientId,
) -> Result<ClientOverview, Error> {
    change_condition(engine, admin_scope, id, LifecycleCondition::Enabled).await
}

/// Removes the client permanently, with its membership and all its grants.
pub async fn remove(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: &ClientId,
) -> Result<ClientOverview, Error> {
    change_condition(engine, admin_scope, id, LifecycleCondition::Ended).await
}

/// Changes the condition, regardless of concurrent changes of the client.
async fn change_condition(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: &ClientId,
    condition: LifecycleCondition,
) -> Result<ClientOverview, Error> {
    let kind = match condition {
        LifecycleCondition::Enabled => EventKind::ClientEnabled,
        LifecycleCondition::Suspended => EventKind::ClientDisabled,
        LifecycleCondition::Ended => EventKind::ClientRemoved,
    };
    for _ in 0..ATTEMPTS_MAX {
        let overview = find_stoppable(engine, admin_scope, id).await?;
        if overview.client.condition == condition {
            admin_scope.record_read_by_non_member(engine, "clients").await?;
            return Ok(overview);
        }
        check_condition_change(engine, admin_scope, &overview, condition).await?;
        let mut batch = admin_scope.guarded_batch();
        if let (LifecycleCondition::Ended, Some(member)) = (condition, &overview.member) {
            batch = batch.with_statement(memberships::change_membership_condition(
                &member.membership,
                condition,
                admin_scope.now(),
            ));
        }
        batch = batch.with_statement(clients::change_client_condition(
            id,
            overview.client.version,
            condition,
            admin_scope.now(),
        ));
        let event = admin_scope.event(engine, kind).with_subject("client", id);
        match engine.store().commit(admin_scope.record(batch, &event)?).await? {
            BatchOutcome::Committed(_) => {
                let client =
                    clients::ClientRow { condition, version: overview.client.version + 1, ..overview.client };
                return Ok(ClientOverview { client, ..overview });
            }
            BatchOutcome::Conflict(conflict) if organizations::is_lock_conflict(&conflict) => {
                return Err(conflict_refusal(&conflict, precondition_failed).into());
            }
            BatchOutcome::Conflict(_) => {}
        }
    }
    Err(Failure::Contended.into())
}

/// Checks the change like that of any member: only an owner decides about a client that is an owner, and
/// enabling requires all permissions that it holds.
async fn check_condition_change(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    overview: &ClientOverview,
    condition: LifecycleCondition,
) -> Result<(), Error> {
    let (AdminScope::Organization(access), Some(member)) = (admin_scope, &overview.member) else {
        return Ok(());
    };
    let member_roles: Vec<_> = member.roles.iter().collect();
    let roles = role_assignment::effective_roles(engine, access, &member_roles).await?;
    let decided = match condition {
        LifecycleCondition::Enabled => check_membership_restore(access.role_changer(), &roles),
        LifecycleCondition::Suspended | LifecycleCondition::Ended if is_owner(&roles) && !access.is_owner => {
            Err(RoleChangeRejection::OwnersOnly)
        }
        LifecycleCondition::Suspended | LifecycleCondition::Ended => Ok(()),
    };
    Ok(decided.map_err(|rejection| roles_refused(&rejection))?)
}
