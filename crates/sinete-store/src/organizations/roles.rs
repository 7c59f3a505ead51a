//! The roles of each organization. The program defines the permissions of built-in roles; the row defines
//! those of the others.

use crate::active_conditions::organization_is_enabled;
use crate::failure::StoreFailure;
use crate::organizations::memberships::{MembershipRow, read_membership_row};
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::GuardedStatement;
use sinete_core::access_control::permission::PermissionSet;
use sinete_core::access_control::permission_catalog::BuiltInRole;
use sinete_core::access_control::role::Role;
use sinete_core::id::{MembershipId, OrganizationId, RoleId};
use sinete_core::organization_kind::OrganizationKind;
use sinete_core::time::Timestamp;

/// A role as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleRow {
    /// Its id.
    pub id: RoleId,
    /// Its name and permissions.
    pub role: Role,
    /// The description its author gave.
    pub description: String,
    /// Whether the program defines its permissions.
    pub is_built_in: bool,
    /// Row version.
    pub version: i64,
}

/// Adds one of the built-in roles to a new organization.
pub fn create_built_in_role(
    id: RoleId,
    organization: OrganizationId,
    role: BuiltInRole,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &CREATE_BUILT_IN,
        [id.into(), organization.into(), role.name().into(), now.into()],
    )
}

/// Creates a role in an enabled organization, if the name is free.
pub fn create_role(
    id: RoleId,
    organization: OrganizationId,
    role: &Role,
    description: &str,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &CREATE,
        [
            id.into(),
            organization.into(),
            role.name().into(),
            description.into(),
            serialize_permissions(role),
            now.into(),
        ],
    )
}

/// Replaces the definition of a role, if its organization is enabled and it has not changed since it was
/// read. The permissions of a built-in role cannot be changed.
pub fn change_role(
    before: &RoleRow,
    organization: OrganizationId,
    after: &Role,
    description: &str,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &CHANGE,
        [
            before.id.into(),
            organization.into(),
            before.version.into(),
            after.name().into(),
            description.into(),
            serialize_permissions(after),
            now.into(),
        ],
    )
}

/// Removes a role that is not built in from the organization and from every member, if the organization is
/// enabled and the role has not changed since it was read.
pub fn remove_role(role: &RoleRow, organization: OrganizationId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &REMOVE,
        [role.id.into(), organization.into(), role.version.into(), now.into()],
    )
}

/// Lists the roles of an organization, by name.
pub async fn list_roles(store: &Store, organization: OrganizationId) -> Result<Vec<RoleRow>, StoreFailure> {
    let rows = store.read_all(&LIST_BY_ORGANIZATION, &[organization.into()]).await?;
    let mut roles = rows.iter().map(read_role_row).collect::<Result<Vec<_>, _>>()?;
    // Sorted in Rust because the databases collate text differently.
    roles.sort_by(|one, other| one.role.name().cmp(other.role.name()));
    Ok(roles)
}

/// Lists the memberships that hold a role and have not ended, by id.
pub async fn list_role_holders(
    store: &Store,
    role: RoleId,
    after: Option<MembershipId>,
    limit: u32,
) -> Result<Vec<MembershipRow>, StoreFailure> {
    // Empty bytes sort before every id.
    let after = after.map_or_else(SqlValue::empty_bytes, SqlValue::from);
    let rows = store.read_list(&HOLDERS, &[role.into(), after, limit.into()]).await?;
    rows.iter().map(read_membership_row).collect()
}

fn read_role_row(row: &SqlRow) -> Result<RoleRow, StoreFailure> {
    let kind =
        row.text("o.kind")?.parse().map_err(|_| row.damaged_column("o.kind", "a kind of organization"))?;
    Ok(RoleRow {
        id: row.id("r.id")?,
        role: read_role_columns(row, kind)?,
        description: row.text("r.description")?.to_owned(),
        is_built_in: row.flag("r.is_built_in")?,
        version: row.integer("r.version")?,
    })
}

/// Reads a role from three columns: its name, whether it is built in, and its permissions.
pub(crate) fn read_role_columns(row: &SqlRow, kind: OrganizationKind) -> Result<Role, StoreFailure> {
    let name = row.text("r.name")?;
    if row.flag("r.is_built_in")? {
        let built_in =
            BuiltInRole::from_name(name).ok_or_else(|| row.damaged_column("r.name", "a built-in role"))?;
        return Ok(built_in.to_role(kind));
    }
    let permissions: PermissionSet = serde_json::from_str(row.text("r.permissions")?)
        .map_err(|_| row.damaged_column("r.permissions", "a set of permissions"))?;
    Role::new(name, permissions).map_err(|_| row.damaged_column("r.name", "a role"))
}

fn serialize_permissions(role: &Role) -> SqlValue {
    // Serialized by hand: a permission is plain ASCII without quotes, so nothing needs escaping and nothing
    // can fail.
    let quoted_permissions: Vec<String> = role.permissions().iter().map(|it| format!("\"{it}\"")).collect();
    SqlValue::from(format!("[{}]", quoted_permissions.join(",")))
}

static CREATE_BUILT_IN: SqlStatement = SqlStatement::new(
    "roles.create_built_in",
    "INSERT INTO roles (id, organization_id, name, is_built_in, created_at) VALUES (?1, ?2, ?3, 1, ?4)",
);
static CREATE: SqlStatement = SqlStatement::new(
    "roles.create",
    concat!(
        "INSERT INTO roles (id, organization_id, name, description, permissions, created_at) \
         SELECT ?1, o.id, ?3, ?4, ?5, ?6 FROM organizations o WHERE o.id = ?2 AND ",
        crate::active_conditions::organization_counts!("o", "?6"),
        " AND NOT EXISTS (SELECT 1 FROM roles r WHERE r.organization_id = ?2 AND r.name = ?3 \
         AND r.removed_at IS NULL)"
    ),
);
static CHANGE: SqlStatement = SqlStatement::new(
    "roles.change",
    concat!(
        "UPDATE roles SET name = ?4, description = ?5, permissions = ?6, version = version + 1 \
         WHERE id = ?1 AND organization_id = ?2 AND version = ?3 AND is_built_in = 0 AND removed_at IS NULL AND ",
        organization_is_enabled!("?2", "?7")
    ),
);
static REMOVE: SqlStatement = SqlStatement::new(
    "roles.remove",
    concat!(
        "UPDATE roles SET removed_at = ?4, version = version + 1 \
         WHERE id = ?1 AND organization_id = ?2 AND version = ?3 AND is_built_in = 0 AND removed_at IS NULL AND ",
        organization_is_enabled!("?2", "?4")
    ),
);
static LIST_BY_ORGANIZATION: SqlStatement = SqlStatement::new(
    "roles.of_organization",
    "SELECT r.id, r.name, r.is_built_in, r.permissions, r.description, r.version, o.kind \
     FROM roles r JOIN organizations o ON o.id = r.organization_id \
     WHERE r.organization_id = ?1 AND r.removed_at IS NULL",
);
static HOLDERS: SqlStatement = SqlStatement::new(
    "roles.holders",
    "SELECT m.id, m.organization_id, m.account_id, m.client_id, m.condition, m.profile, m.external_id, m.created_at, \
     m.version FROM membership_roles x CROSS JOIN memberships m WHERE x.role_id = ?1 AND x.membership_id > ?2 \
     AND m.id = x.membership_id AND m.condition <> 'ended' ORDER BY x.membership_id LIMIT ?3",
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&CREATE_BUILT_IN, &CREATE, &CHANGE, &REMOVE, &LIST_BY_ORGANIZATION, &HOLDERS];

#[cfg(test)]
mod tests {
    use super::*;

    static ROLE: SqlStatement =
        SqlStatement::new("roles.find", "SELECT r.name, r.is_built_in, r.permissions FROM roles r");

    #[test]
    fn role_permissions_round_trip_through_their_column() {
        let permissions: PermissionSet =
            ["invoices:*", "files:read"].iter().map(|text| text.parse().unwrap()).collect();
        let role = Role::new("clerk", permissions).unwrap();
        let row = SqlRow::new(&ROLE, vec!["clerk".into(), false.into(), serialize_permissions(&role)]);
        assert_eq!(read_role_columns(&row, OrganizationKind::Customer), Ok(role));
    }

    #[test]
    fn stored_role_that_could_not_be_created_is_damage() {
        let reserved = "[\"organizations:administer\"]";
        for columns in [("clerk", false, reserved), ("clerk", false, "{"), ("clerk", true, "[]")] {
            let row = SqlRow::new(&ROLE, vec![columns.0.into(), columns.1.into(), columns.2.into()]);
            assert!(matches!(
                read_role_columns(&row, OrganizationKind::Customer),
                Err(StoreFailure::Damaged(_))
            ));
        }
    }

    #[test]
    fn built_in_role_row_cannot_add_permissions() {
        let row = SqlRow::new(&ROLE, vec!["member".into(), true.into(), "[\"invoices:read\"]".into()]);
        let role = read_role_columns(&row, OrganizationKind::Customer).unwrap();
        assert_eq!(role, BuiltInRole::Member.to_role(OrganizationKind::Customer));
    }
}
