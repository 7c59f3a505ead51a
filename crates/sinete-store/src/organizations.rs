//! Organizations, the tenants. A suspended one keeps its data, confers nothing and accepts no change.

pub mod api_catalog;
pub mod api_keys;
pub mod assignments;
pub mod branding;
pub mod domains;
pub mod former_members;
pub mod invitations;
pub mod member_batch;
pub mod member_search_index;
pub mod memberships;
pub mod newest_first;
pub mod roles;
pub mod setup_links;

use crate::active_conditions::{filter_only, organization_counts};
use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::lifecycle_condition;
use crate::row::SqlRow;
use crate::statement::{SqlStatement, like_prefix};
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::{GuardConflict, GuardedStatement};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::id::OrganizationId;
use sinete_core::organization_kind::OrganizationKind;
use sinete_core::organizations::OrganizationSlug;
use sinete_core::time::Timestamp;

/// An organization to create.
#[derive(Debug)]
pub struct NewOrganization<'a> {
    /// Its id.
    pub id: OrganizationId,
    /// Its kind, such as the operators' own organization.
    pub kind: OrganizationKind,
    /// The slug.
    pub slug: &'a OrganizationSlug,
    /// The display name.
    pub name: &'a str,
    /// Its settings.
    pub settings: &'a JsonDocument,
    /// When it is created.
    pub created_at: Timestamp,
}

/// An organization as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrganizationRow {
    /// Its id.
    pub id: OrganizationId,
    /// Its kind, such as the operators' own organization.
    pub kind: OrganizationKind,
    /// The slug.
    pub slug: OrganizationSlug,
    /// The display name.
    pub name: String,
    /// Its condition, which takes a scheduled deletion that is due into account.
    pub condition: LifecycleCondition,
    /// The reason given for that condition.
    pub condition_reason: String,
    /// Its settings.
    pub settings: JsonDocument,
    /// When it is scheduled to end, if it is.
    pub ends_at: Option<Timestamp>,
    /// Row version, which changes of rules that span its members increment too.
    pub version: i64,
}

/// Who changes the condition of an organization, and why.
#[derive(Clone, Copy, Debug)]
pub struct ConditionChangeReason<'a> {
    /// The actor, by kind and id.
    pub actor: &'a str,
    /// The reason given.
    pub reason: &'a str,
}

/// Creates an organization.
pub fn create_organization(organization: &NewOrganization<'_>) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &CREATE,
        [
            organization.id.into(),
            organization.kind.as_str().into(),
            organization.slug.as_str().into(),
            organization.name.into(),
            organization.settings.into(),
            organization.created_at.into(),
        ],
    )
}

/// Finds the organization of this id, in any condition.
pub async fn find_organization(
    store: &Store,
    id: OrganizationId,
    now: Timestamp,
) -> Result<Option<OrganizationRow>, StoreFailure> {
    store.read_first(&FIND, &[id.into()]).await?.map(|row| read(&row, now)).transpose()
}

/// Finds the organization of this slug, in any condition.
pub async fn find_organization_by_slug(
    store: &Store,
    slug: &OrganizationSlug,
    now: Timestamp,
) -> Result<Option<OrganizationRow>, StoreFailure> {
    store.read_first(&FIND_BY_SLUG, &[slug.as_str().into()]).await?.map(|row| read(&row, now)).transpose()
}

/// Suspends, restores or ends the organization, if it has not changed since it was read. Ending is final.
pub fn change_organization_condition(
    id: OrganizationId,
    version: i64,
    condition: LifecycleCondition,
    because: ConditionChangeReason<'_>,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &CHANGE_CONDITION,
        [
            id.into(),
            version.into(),
            lifecycle_condition::condition_text(condition).into(),
            because.actor.into(),
            because.reason.into(),
            now.into(),
        ],
    )
}

/// Increments the organization's version, if it is enabled and has not changed since it was read. Rules that
/// span several of its rows, such as keeping an owner, rely on this.
pub fn advance_organization_version(id: OrganizationId, version: i64, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&ADVANCE, [id.into(), version.into(), now.into()])
}

/// Locks the organization until the transaction ends, if it is enabled: a suspended one accepts no change,
/// not even from a caller that read it as enabled a moment before.
pub fn lock_organization_row(id: OrganizationId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&LOCK, [id.into(), now.into()])
}

/// Whether the batch was rejected because [`lock_organization_row`] found the organization not enabled.
pub fn is_lock_conflict(conflict: &GuardConflict) -> bool {
    conflict.statement() == LOCK.name()
}

/// Requires that no user is or was a member of the organization.
pub fn require_no_users(id: OrganizationId) -> GuardedStatement {
    GuardedStatement::exactly_one(&REQUIRE_NO_USERS, [id.into()])
}

/// Whether a user is or was a member of the organization.
pub async fn has_users(store: &Store, id: OrganizationId) -> Result<bool, StoreFailure> {
    Ok(store.read_first(&HAS_USERS, &[id.into()]).await?.is_some())
}

/// Renames the organization or changes its settings, if it is enabled and has not changed since it was read.
pub fn change_organization(
    id: OrganizationId,
    version: i64,
    name: &str,
    settings: &JsonDocument,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &CHANGE,
        [id.into(), version.into(), name.into(), settings.into(), now.into()],
    )
}

/// Lists a page of all organizations, oldest first.
pub async fn list_organizations(
    store: &Store,
    after: Option<OrganizationId>,
    limit: u32,
    now: Timestamp,
) -> Result<Vec<OrganizationRow>, StoreFailure> {
    // Empty bytes sort before every id.
    let after = after.map_or_else(SqlValue::empty_bytes, SqlValue::from);
    store.read_list(&PAGE, &[after, limit.into()]).await?.iter().map(|row| read(row, now)).collect()
}

/// Lists a page of the organizations whose name or slug begins with this text, or whose id it is, oldest first.
pub async fn search_organizations(
    store: &Store,
    search: &str,
    after: Option<OrganizationId>,
    limit: u32,
    now: Timestamp,
) -> Result<Vec<OrganizationRow>, StoreFailure> {
    let after = after.map_or_else(SqlValue::empty_bytes, SqlValue::from);
    let id = search.parse::<OrganizationId>().map_or_else(|_| SqlValue::empty_bytes(), SqlValue::from);
    let parameters = [after, id, like_prefix(search).into(), limit.into()];
    store.read_list(&SEARCH, &parameters).await?.iter().map(|row| read(row, now)).collect()
}

/// Schedules the end of the organization or cancels it, if it has not changed since it was read and is
/// neither ended nor suspended.
pub fn schedule_organization_deletion(
    id: OrganizationId,
    version: i64,
    ends_at: Option<Timestamp>,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(&SCHEDULE_DELETION, [id.into(), version.into(), ends_at.into(), now.into()])
}

fn read(row: &SqlRow, now: Timestamp) -> Result<OrganizationRow, StoreFailure> {
    let ends_at = row.optional_timestamp("ends_at")?;
    let has_ended = ends_at.is_some_and(|ends_at| ends_at <= now);
    Ok(OrganizationRow {
        id: row.id("id")?,
        kind: row.text("kind")?.parse().map_err(|_| row.damaged_column("kind", "a kind of organization"))?,
        slug: row.text("slug")?.parse().map_err(|_| row.damaged_column("slug", "a slug"))?,
        name: row.text("name")?.to_owned(),
        condition: if has_ended {
            LifecycleCondition::Ended
        } else {
            lifecycle_condition::read_condition(row, "condition")?
        },
        condition_reason: row.text("condition_reason")?.to_owned(),
        settings: JsonDocument::from_row(row, "settings")?,
        ends_at,
        version: row.integer("version")?,
    })
}

/// The columns that [`read`] expects.
macro_rules! columns {
    () => {
        "SELECT id, kind, slug, name, condition, condition_reason, settings, ends_at, version \
         FROM organizations WHERE "
    };
}

static CREATE: SqlStatement = SqlStatement::new(
    "organizations.create",
    "INSERT INTO organizations (id, kind, slug, name, condition, condition_at, settings, created_at) \
     VALUES (?1, ?2, ?3, ?4, 'enabled', ?6, ?5, ?6)",
);
static FIND: SqlStatement = SqlStatement::new("organizations.find", concat!(columns!(), "id = ?1"));
static FIND_BY_SLUG: SqlStatement =
    SqlStatement::new("organizations.find_by_slug", concat!(columns!(), "slug = ?1"));
static CHANGE_CONDITION: SqlStatement = SqlStatement::new(
    "organizations.change_condition",
    "UPDATE organizations SET condition = ?3, condition_by = ?4, condition_reason = ?5, condition_at = ?6, \
     version = version + 1 \
     WHERE id = ?1 AND version = ?2 AND condition <> 'ended' AND (ends_at IS NULL OR ends_at > ?6)",
);
static ADVANCE: SqlStatement = SqlStatement::single_use(
    "organizations.advance",
    concat!(
        "UPDATE organizations SET version = version + 1 WHERE id = ?1 AND version = ?2 AND ",
        organization_counts!("organizations", "?3")
    ),
);
// A no-op update takes the row lock.
static LOCK: SqlStatement = SqlStatement::new(
    "organizations.hold",
    concat!(
        "UPDATE organizations SET version = version WHERE id = ?1 AND ",
        organization_counts!("organizations", "?2")
    ),
);
static REQUIRE_NO_USERS: SqlStatement = SqlStatement::new(
    "organizations.hold_without_users",
    "UPDATE organizations SET version = version WHERE id = ?1 AND NOT EXISTS \
     (SELECT 1 FROM memberships m WHERE m.organization_id = ?1 AND m.account_id IS NOT NULL)",
);
static HAS_USERS: SqlStatement = SqlStatement::new(
    "organizations.any_user",
    concat!(
        "SELECT m.id FROM memberships m WHERE m.organization_id = ?1 AND ",
        filter_only!("m.account_id IS NOT NULL"),
        " LIMIT 1"
    ),
);
static CHANGE: SqlStatement = SqlStatement::new(
    "organizations.change",
    concat!(
        "UPDATE organizations SET name = ?3, settings = ?4, version = version + 1 \
         WHERE id = ?1 AND version = ?2 AND ",
        organization_counts!("organizations", "?5")
    ),
);

static PAGE: SqlStatement =
    SqlStatement::new("organizations.page", concat!(columns!(), "id > ?1 ORDER BY id LIMIT ?2"));
static SEARCH: SqlStatement = SqlStatement::new(
    "organizations.search",
    concat!(
        columns!(),
        "id > ?1 AND (id = ?2 OR slug LIKE ?3 ESCAPE '!' OR lower(name) LIKE ?3 ESCAPE '!') ORDER BY id LIMIT ?4"
    ),
);
static SCHEDULE_DELETION: SqlStatement = SqlStatement::new(
    "organizations.change_end",
    concat!(
        "UPDATE organizations SET ends_at = ?3, version = version + 1 \
         WHERE id = ?1 AND version = ?2 AND kind = 'customer' AND ",
        organization_counts!("organizations", "?4")
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &CREATE,
    &FIND,
    &FIND_BY_SLUG,
    &CHANGE_CONDITION,
    &ADVANCE,
    &LOCK,
    &REQUIRE_NO_USERS,
    &HAS_USERS,
    &CHANGE,
    &PAGE,
    &SEARCH,
    &SCHEDULE_DELETION,
];
