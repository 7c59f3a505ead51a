//! The membership and roles of a client in its organization.

use crate::access_control::admin_scope::AdminScope;
use crate::organizations::members::MemberWithRoles;
use crate::organizations::role_assignment;
use crate::{Engine, Error};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::client_id::ClientId;
use sinete_core::id::{MembershipId, RoleId};
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::{MembershipHolder, MembershipRow, NewMembership};
use sinete_store::{FIRST_VERSION, GuardedStatement, JsonDocument};

/// A change of a client's membership.
#[derive(Debug, Default)]
pub(super) struct ClientMembershipChange {
    /// The guards on the organization.
    pub(super) guard: Vec<GuardedStatement>,
    /// The statements that change an existing client.
    pub(super) steps: Vec<GuardedStatement>,
    /// The names of the resulting roles.
    pub(super) names: Vec<String>,
    /// The resulting membership, so that it need not be read again.
    pub(super) member: Option<MemberWithRoles>,
}

/// Prepares a membership with these roles; nothing if there are none.
pub(super) async fn prepare_membership(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    client: &ClientId,
    roles: &[RoleId],
) -> Result<ClientMembershipChange, Error> {
    let access = match admin_scope {
        AdminScope::Organization(access) if !roles.is_empty() => access,
        AdminScope::Organization(_) | AdminScope::Instance(_) => {
            return Ok(ClientMembershipChange::default());
        }
    };
    let id = MembershipId::mint(access.now(), engine.entropy());
    let granted = role_assignment::plan_first_roles(engine, access, id, roles).await?;
    let (holder, profile) =
        (MembershipHolder::Machine(client.clone()), JsonDocument::from_value(&serde_json::Map::new())?);
    let statement = memberships::create_membership(&NewMembership {
        id,
        organization: access.organization.id,
        holder: &holder,
        profile: &profile,
        external_id: None,
        created_at: access.now(),
    });
    let membership = MembershipRow {
        id,
        organization: access.organization.id,
        holder,
        condition: LifecycleCondition::Enabled,
        profile,
        external_id: None,
        created_at: access.now(),
        version: FIRST_VERSION,
    };
    Ok(ClientMembershipChange {
        guard: granted.guard_statements,
        steps: std::iter::once(statement).chain(granted.statements).collect(),
        names: granted.names,
        member: Some(MemberWithRoles { membership, roles: granted.roles }),
    })
}

/// Prepares a change of roles, for an existing or a new membership.
pub(super) async fn prepare_membership_change(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    client: &ClientId,
    member: Option<&MemberWithRoles>,
    roles: Option<&[RoleId]>,
) -> Result<ClientMembershipChange, Error> {
    match (admin_scope, member, roles) {
        (AdminScope::Organization(access), Some(member), Some(roles)) => {
            let granted = role_assignment::plan_role_change(engine, access, member, roles).await?;
            let version = member.membership.version + 1;
            let membership = MembershipRow { version, ..member.membership.clone() };
            Ok(ClientMembershipChange {
                guard: granted.guard_statements,
                steps: granted.statements,
                names: granted.names,
                member: Some(MemberWithRoles { membership, roles: granted.roles }),
            })
        }
        (_, Some(member), _) => {
            Ok(ClientMembershipChange { member: Some(member.clone()), ..ClientMembershipChange::default() })
        }
        (_, None, roles) => prepare_membership(engine, admin_scope, client, roles.unwrap_or_default()).await,
    }
}
