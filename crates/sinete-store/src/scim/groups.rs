//! SCIM groups: the roles of an organization.

use crate::active_conditions::organization_is_enabled;
use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::id::{MembershipId, OrganizationId, RoleId};
use sinete_core::time::Timestamp;

/// SCIM attributes of a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScimGroupRow {
    /// The role.
    pub role: RoleId,
    /// When the role was created.
    pub created_at: Timestamp,
    /// The `displayName` that the directory set; `None` if it is the role's own name.
    pub display_name: Option<String>,
    /// The `externalId`.
    pub external_id: Option<String>,
    /// Whether SCIM created the role.
    pub is_created_by_scim: bool,
}

/// Lists the SCIM attributes of each role of the organization.
pub async fn list_scim_groups(
    store: &Store,
    organization: OrganizationId,
) -> Result<Vec<ScimGroupRow>, StoreFailure> {
    let group = |row: &SqlRow| {
        Ok(ScimGroupRow {
            role: row.id("r.id")?,
            created_at: row.timestamp("r.created_at")?,
            display_name: row.optional_text("g.display_name")?.map(str::to_owned),
            external_id: row.optional_text("g.external_id")?.map(str::to_owned),
            is_created_by_scim: row.optional_flag("g.is_made")?.unwrap_or(false),
        })
    };
    store.read_all(&LIST_BY_ORGANIZATION, &[organization.into()]).await?.iter().map(group).collect()
}

/// Counts the groups that a directory sent.
pub async fn count_scim_groups(store: &Store, organization: OrganizationId) -> Result<u64, StoreFailure> {
    let row = store.read_first(&COUNT, &[organization.into()]).await?;
    Ok(row.map_or(Ok(0), |row| row.integer("total"))?.max(0).unsigned_abs())
}

/// The memberships with the role, except clients, oldest first.
pub async fn list_group_members(store: &Store, role: RoleId) -> Result<Vec<MembershipId>, StoreFailure> {
    store.read_list(&LIST_MEMBERS, &[role.into()]).await?.iter().map(|row| row.id("m.id")).collect()
}

/// Stores SCIM attributes of a role. Identifiers of a removed role can be used again.
pub fn record_scim_group(group: &ScimGroupRow, organization: OrganizationId) -> [GuardedStatement; 2] {
    let freed = GuardedStatement::any_number(
        &DELETE_REMOVED,
        [organization.into(), group.external_id.as_deref().into()],
    );
    let noted = GuardedStatement::exactly_one(
        &UPSERT,
        [
            group.role.into(),
            organization.into(),
            group.display_name.as_deref().into(),
            group.external_id.as_deref().into(),
            i64::from(group.is_created_by_scim).into(),
        ],
    );
    [freed, noted]
}

/// Increments a group's version when its members change, if the organization is enabled and the role has not
/// changed since it was read.
pub fn advance_group_version(
    role: RoleId,
    version: i64,
    organization: OrganizationId,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(&ADVANCE, [role.into(), version.into(), organization.into(), now.into()])
}

static LIST_BY_ORGANIZATION: SqlStatement = SqlStatement::new(
    "provisioned_groups.of_organization",
    "SELECT r.id, r.created_at, g.display_name, g.external_id, g.is_made FROM roles r \
     LEFT JOIN provisioned_groups g ON g.role_id = r.id WHERE r.organization_id = ?1 AND r.removed_at IS NULL \
     ORDER BY r.id",
);
static COUNT: SqlStatement = SqlStatement::new(
    "provisioned_groups.count",
    "SELECT COUNT(*) AS total FROM roles r CROSS JOIN provisioned_groups g \
     WHERE r.organization_id = ?1 AND r.removed_at IS NULL AND g.role_id = r.id",
);
static LIST_MEMBERS: SqlStatement = SqlStatement::new(
    "provisioned_groups.bearers",
    "SELECT m.id FROM membership_roles x JOIN memberships m ON m.id = x.membership_id \
     WHERE x.role_id = ?1 AND m.client_id IS NULL AND m.condition <> 'ended' ORDER BY m.id",
);
static DELETE_REMOVED: SqlStatement = SqlStatement::new(
    "provisioned_groups.free",
    "DELETE FROM provisioned_groups WHERE organization_id = ?1 AND external_id = ?2 AND EXISTS (SELECT 1 \
     FROM roles r WHERE r.id = provisioned_groups.role_id AND r.removed_at IS NOT NULL)",
);
static UPSERT: SqlStatement = SqlStatement::new(
    "provisioned_groups.note",
    "INSERT INTO provisioned_groups (role_id, organization_id, display_name, external_id, is_made) \
     VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (role_id) DO UPDATE SET display_name = excluded.display_name, \
     external_id = excluded.external_id",
);
static ADVANCE: SqlStatement = SqlStatement::new(
    "provisioned_groups.advance",
    concat!(
        "UPDATE roles SET version = version + 1 \
         WHERE id = ?1 AND version = ?2 AND organization_id = ?3 AND removed_at IS NULL AND ",
        organization_is_enabled!("?3", "?4")
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&LIST_BY_ORGANIZATION, &COUNT, &LIST_MEMBERS, &DELETE_REMOVED, &UPSERT, &ADVANCE];
