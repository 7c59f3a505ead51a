//! SCIM users: the memberships of users, and unclaimed memberships.

use crate::active_conditions::organization_is_enabled;
use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::lifecycle_condition;
use crate::organizations::memberships;
use crate::organizations::memberships::MembershipRow;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::GuardedStatement;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::id::{AccountId, MembershipId, OrganizationId, RoleId};
use sinete_core::time::Timestamp;

/// A membership with its SCIM attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScimUserRow {
    /// The membership.
    pub membership: MembershipRow,
    /// The `userName`; `None` if no directory ever provisioned it.
    pub user_name: Option<String>,
    /// Attributes that are not part of the profile.
    pub attributes: Option<JsonDocument>,
    /// When it was last changed.
    pub changed_at: Timestamp,
}

/// A change of a membership.
#[derive(Debug)]
pub struct ScimUserChange<'a> {
    /// The profile that the organization sees.
    pub profile: &'a JsonDocument,
    /// The `externalId`.
    pub external_id: Option<&'a str>,
    /// Whether it is active.
    pub condition: LifecycleCondition,
}

/// SCIM attributes beside the membership.
#[derive(Debug)]
pub struct ScimUserAttributes<'a> {
    /// The `userName`.
    pub user_name: &'a str,
    /// The `userName` normalized for comparison.
    pub lookup: &'a str,
    /// Attributes that are not part of the profile.
    pub attributes: &'a JsonDocument,
}

/// Finds the user of this id in this organization, unless it has ended.
pub async fn find_scim_user(
    store: &Store,
    organization: OrganizationId,
    id: MembershipId,
) -> Result<Option<ScimUserRow>, StoreFailure> {
    store.read_first(&FIND, &[organization.into(), id.into()]).await?.as_ref().map(read).transpose()
}

/// Finds the user with this normalized `userName`.
pub async fn find_scim_user_by_name(
    store: &Store,
    organization: OrganizationId,
    lookup: &str,
) -> Result<Option<ScimUserRow>, StoreFailure> {
    store
        .read_first(&FIND_BY_NAME, &[organization.into(), lookup.into()])
        .await?
        .as_ref()
        .map(read)
        .transpose()
}

/// Finds the user with this `externalId`.
pub async fn find_scim_user_by_external_id(
    store: &Store,
    organization: OrganizationId,
    external_id: &str,
) -> Result<Option<ScimUserRow>, StoreFailure> {
    let parameters = [organization.into(), external_id.into()];
    store.read_first(&FIND_BY_EXTERNAL_ID, &parameters).await?.as_ref().map(read).transpose()
}

/// Counts the users of the organization.
pub async fn count_scim_users(store: &Store, organization: OrganizationId) -> Result<u64, StoreFailure> {
    let row = store.read_list(&COUNT, &[organization.into()]).await?.into_iter().next();
    Ok(row.map_or(Ok(0), |row| row.integer("total"))?.max(0).unsigned_abs())
}

/// Counts the users that a directory sent, up to a maximum.
pub async fn count_provisioned_users(
    store: &Store,
    organization: OrganizationId,
    limit: u32,
) -> Result<usize, StoreFailure> {
    Ok(store.read_list(&COUNT_PROVISIONED, &[organization.into(), limit.into()]).await?.len())
}

/// Lists users, oldest first, from an offset.
pub async fn list_scim_users(
    store: &Store,
    organization: OrganizationId,
    skipped: u64,
    limit: u64,
) -> Result<Vec<ScimUserRow>, StoreFailure> {
    let number = |number: u64| SqlValue::from(i64::try_from(number).unwrap_or(i64::MAX));
    let parameters = [organization.into(), number(skipped), number(limit)];
    store.read_list(&PAGE, &parameters).await?.iter().map(read).collect()
}

/// Lists the users after one, oldest first.
pub async fn list_scim_users_after(
    store: &Store,
    organization: OrganizationId,
    after: Option<MembershipId>,
    limit: u32,
) -> Result<Vec<ScimUserRow>, StoreFailure> {
    // No id is smaller than no bytes at all.
    let after = after.map_or_else(SqlValue::empty_bytes, SqlValue::from);
    store
        .read_list(&LIST_AFTER, &[organization.into(), after, limit.into()])
        .await?
        .iter()
        .map(read)
        .collect()
}

/// Lists the roles of the users between two of them.
pub async fn list_carried_roles(
    store: &Store,
    organization: OrganizationId,
    first: MembershipId,
    last: MembershipId,
) -> Result<Vec<(MembershipId, RoleId)>, StoreFailure> {
    let pair = |row: &SqlRow| Ok((row.id("x.membership_id")?, row.id("x.role_id")?));
    store
        .read_list(&LIST_ROLES, &[organization.into(), first.into(), last.into()])
        .await?
        .iter()
        .map(pair)
        .collect()
}

/// Changes the membership, if its organization is enabled and it has not changed since it was read. A batch
/// that removes an owner must also advance the organization's version.
pub fn change_scim_user(
    membership: &MembershipRow,
    changed: &ScimUserChange<'_>,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &CHANGE,
        [
            membership.id.into(),
            membership.version.into(),
            changed.profile.into(),
            changed.external_id.into(),
            lifecycle_condition::condition_text(changed.condition).into(),
            now.into(),
        ],
    )
}

/// Stores SCIM attributes of a membership. A `userName` of an ended membership can be used again; that of a
/// current one cannot.
pub fn record_scim_user(
    id: MembershipId,
    organization: OrganizationId,
    user_attributes: &ScimUserAttributes<'_>,
) -> [GuardedStatement; 2] {
    let freed =
        GuardedStatement::any_number(&DELETE_ENDED, [organization.into(), user_attributes.lookup.into()]);
    let noted = GuardedStatement::exactly_one(
        &UPSERT,
        [
            id.into(),
            organization.into(),
            user_attributes.user_name.into(),
            user_attributes.lookup.into(),
            user_attributes.attributes.into(),
        ],
    );
    [freed, noted]
}

/// Deletes the SCIM attributes of a membership.
pub fn delete_scim_user(id: MembershipId) -> GuardedStatement {
    GuardedStatement::any_number(&DELETE, [id.into()])
}

/// Deletes the SCIM attributes of an account's memberships in every organization.
pub fn delete_account_scim_users(account: AccountId) -> GuardedStatement {
    GuardedStatement::any_number(&DELETE_BY_ACCOUNT, [account.into()])
}

fn read(row: &SqlRow) -> Result<ScimUserRow, StoreFailure> {
    let membership = memberships::read_membership_row(row)?;
    Ok(ScimUserRow {
        user_name: row.optional_text("d.user_name")?.map(str::to_owned),
        attributes: JsonDocument::optional_from_row(row, "d.attributes")?,
        changed_at: row.optional_timestamp("m.changed_at")?.unwrap_or(membership.created_at),
        membership,
    })
}

macro_rules! columns {
    ($from:literal) => {
        concat!(
            "SELECT m.id, m.organization_id, m.account_id, m.client_id, m.condition, m.profile, m.external_id, \
             m.created_at, m.version, d.user_name, d.attributes, m.changed_at FROM ",
            $from,
            " WHERE m.client_id IS NULL AND m.condition <> 'ended' AND "
        )
    };
}

static FIND: SqlStatement = SqlStatement::new(
    "provisioned_users.find",
    concat!(
        columns!("memberships m LEFT JOIN provisioned_users d ON d.membership_id = m.id"),
        "m.organization_id = ?1 AND m.id = ?2"
    ),
);
static FIND_BY_NAME: SqlStatement = SqlStatement::new(
    "provisioned_users.by_name",
    concat!(
        columns!("provisioned_users d JOIN memberships m ON m.id = d.membership_id"),
        "d.organization_id = ?1 AND d.lookup = ?2"
    ),
);
static FIND_BY_EXTERNAL_ID: SqlStatement = SqlStatement::new(
    "provisioned_users.by_external_id",
    concat!(
        columns!("memberships m LEFT JOIN provisioned_users d ON d.membership_id = m.id"),
        "m.organization_id = ?1 AND m.external_id = ?2"
    ),
);
static COUNT: SqlStatement = SqlStatement::new(
    "provisioned_users.count",
    "SELECT COUNT(*) AS total FROM memberships WHERE organization_id = ?1 AND client_id IS NULL AND condition <> 'ended'",
);
static COUNT_PROVISIONED: SqlStatement = SqlStatement::new(
    "provisioned_users.provisioned",
    "SELECT u.membership_id FROM provisioned_users u CROSS JOIN memberships m WHERE u.organization_id = ?1 \
     AND m.id = u.membership_id AND m.condition <> 'ended' LIMIT ?2",
);
static PAGE: SqlStatement = SqlStatement::new(
    "provisioned_users.page",
    concat!(
        columns!("memberships m LEFT JOIN provisioned_users d ON d.membership_id = m.id"),
        "m.organization_id = ?1 ORDER BY m.id LIMIT ?3 OFFSET ?2"
    ),
);
static LIST_AFTER: SqlStatement = SqlStatement::new(
    "provisioned_users.after",
    concat!(
        columns!("memberships m LEFT JOIN provisioned_users d ON d.membership_id = m.id"),
        "m.organization_id = ?1 AND m.id > ?2 ORDER BY m.id LIMIT ?3"
    ),
);
static LIST_ROLES: SqlStatement = SqlStatement::new(
    "provisioned_users.carried",
    "SELECT x.membership_id, x.role_id FROM memberships m JOIN membership_roles x ON x.membership_id = m.id \
     JOIN roles r ON r.id = x.role_id WHERE m.organization_id = ?1 AND m.id >= ?2 AND m.id <= ?3 \
     AND m.client_id IS NULL AND m.condition <> 'ended' AND r.removed_at IS NULL \
     ORDER BY x.membership_id, x.role_id",
);
static CHANGE: SqlStatement = SqlStatement::new(
    "provisioned_users.change",
    concat!(
        "UPDATE memberships SET profile = ?3, external_id = ?4, \
         condition_at = CASE WHEN condition = ?5 THEN condition_at ELSE ?6 END, condition = ?5, changed_at = ?6, \
         version = version + 1 WHERE id = ?1 AND version = ?2 AND client_id IS NULL AND condition <> 'ended' AND ",
        organization_is_enabled!("memberships.organization_id", "?6")
    ),
);
static DELETE_ENDED: SqlStatement = SqlStatement::new(
    "provisioned_users.free",
    "DELETE FROM provisioned_users WHERE organization_id = ?1 AND lookup = ?2 AND EXISTS (SELECT 1 \
     FROM memberships m WHERE m.id = provisioned_users.membership_id AND m.condition = 'ended')",
);
static UPSERT: SqlStatement = SqlStatement::new(
    "provisioned_users.note",
    "INSERT INTO provisioned_users (membership_id, organization_id, user_name, lookup, attributes) \
     VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (membership_id) DO UPDATE SET user_name = excluded.user_name, \
     lookup = excluded.lookup, attributes = excluded.attributes",
);
static DELETE: SqlStatement =
    SqlStatement::new("provisioned_users.forget", "DELETE FROM provisioned_users WHERE membership_id = ?1");
static DELETE_BY_ACCOUNT: SqlStatement = SqlStatement::new(
    "provisioned_users.forget_all",
    "DELETE FROM provisioned_users WHERE membership_id IN (SELECT id FROM memberships WHERE account_id = ?1)",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &FIND,
    &FIND_BY_NAME,
    &FIND_BY_EXTERNAL_ID,
    &COUNT,
    &COUNT_PROVISIONED,
    &PAGE,
    &LIST_AFTER,
    &LIST_ROLES,
    &CHANGE,
    &DELETE_ENDED,
    &UPSERT,
    &DELETE,
    &DELETE_BY_ACCOUNT,
];
