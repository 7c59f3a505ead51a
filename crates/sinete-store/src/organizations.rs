//! The tenants. A suspended one keeps everything, confers nothing and accepts no change.

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
pub mod roles;

use crate::active_conditions::organization_counts;
use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::lifecycle_condition;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::{GuardConflict, GuardedStatement};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::id::OrganizationId;
use sinete_core::organizations::{OrganizationKind, OrganizationSlug};
use sinete_core::time::Timestamp;

/// An organization to make.
#[derive(Debug)]
pub struct NewOrganization<'a> {
    /// Its id.
    pub id: OrganizationId,
    /// What it is to the instance.
    pub kind: OrganizationKind,
    /// Its short name.
    pub slug: &'a OrganizationSlug,
    /// Its name, as people read it.
    pub name: &'a str,
    /// What it decides for itself.
    pub settings: &'a JsonDocument,
    /// When it is made.
    pub created_at: Timestamp,
}

/// An organization as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrganizationRow {
    /// Its id.
    pub id: OrganizationId,
    /// What it is to the instance.
    pub kind: OrganizationKind,
    /// Its short name.
    pub slug: OrganizationSlug,
    /// Its name, as people read it.
    pub name: String,
    /// Whether it counts, the end somebody asked for included.
    pub condition: LifecycleCondition,
    /// Why it is in that condition, as whoever put it there said.
    pub condition_reason: String,
    /// What it decides for itself.
    pub settings: JsonDocument,
    /// When it ends, if somebody asked for that.
    pub ends_at: Option<Timestamp>,
    /// How often it, or a rule that spans its members, has changed.
    pub version: i64,
}

/// Who puts an organization into another condition, and why.
#[derive(Clone, Copy, Debug)]
pub struct ConditionChangeReason<'a> {
    /// Who, by kind and id.
    pub by: &'a str,
    /// Why.
    pub reason: &'a str,
}

/// Makes an organization.
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

/// The organization of this id, whatever its condition.
pub async fn find_organization(
    store: &Store,
    id: OrganizationId,
    now: Timestamp,
) -> Result<Option<OrganizationRow>, StoreFailure> {
    store.read_first(&FIND, &[id.into()]).await?.map(|row| read(&row, now)).transpose()
}

/// The organization of this slug, whatever its condition.
pub async fn find_organization_by_slug(
    store: &Store,
    slug: &OrganizationSlug,
    now: Timestamp,
) -> Result<Option<OrganizationRow>, StoreFailure> {
    store.read_first(&FIND_BY_SLUG, &[slug.as_str().into()]).await?.map(|row| read(&row, now)).transpose()
}

/// Suspends, restores or ends the organization, if nobody has changed it since it was read. An ended one
/// stays so.
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
            because.by.into(),
            because.reason.into(),
            now.into(),
        ],
    )
}

/// Counts a change that concerns the organization as a whole, if it is enabled and nobody has counted one
/// since it was read. Rules that span several of its rows, such as keeping an owner, stand on this.
pub fn advance_organization_version(id: OrganizationId, version: i64, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&ADVANCE, [id.into(), version.into(), now.into()])
}

/// Finds the organization enabled and keeps it so until the act is done: a suspended one accepts no change,
/// also not from whoever read it a moment before.
pub fn lock_organization(id: OrganizationId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&HOLD, [id.into(), now.into()])
}

/// Whether an act came to nothing because the organization it was to [`hold`] is not enabled any more.
pub fn is_lock_conflict(conflict: &GuardConflict) -> bool {
    conflict.statement() == HOLD.name()
}

/// Renames the organization or changes its settings, if it is enabled and nobody has changed it since it was
/// read.
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

/// A page of all organizations, oldest first.
pub async fn list_organizations(
    store: &Store,
    after: Option<OrganizationId>,
    most: u32,
    now: Timestamp,
) -> Result<Vec<OrganizationRow>, StoreFailure> {
    // No id is smaller than no bytes at all.
    let after = after.map_or_else(SqlValue::empty_bytes, SqlValue::from);
    store.read_list(&PAGE, &[after, most.into()]).await?.iter().map(|row| read(row, now)).collect()
}

/// Sets or takes back the moment the organization ends, if nobody has changed it since it was read. What has
/// ended stays ended, and a suspended organization accepts no such change.
pub fn schedule_organization_deletion(
    id: OrganizationId,
    version: i64,
    ends_at: Option<Timestamp>,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(&CHANGE_END, [id.into(), version.into(), ends_at.into(), now.into()])
}

fn read(row: &SqlRow, now: Timestamp) -> Result<OrganizationRow, StoreFailure> {
    let ends_at = row.optional_timestamp(7)?;
    let has_ended = ends_at.is_some_and(|ends_at| ends_at <= now);
    Ok(OrganizationRow {
        id: row.id(0)?,
        kind: row.text(1)?.parse().map_err(|_| row.damaged_column(1, "a kind of organization"))?,
        slug: row.text(2)?.parse().map_err(|_| row.damaged_column(2, "a slug"))?,
        name: row.text(3)?.to_owned(),
        condition: if has_ended {
            LifecycleCondition::Ended
        } else {
            lifecycle_condition::read_condition(row, 4)?
        },
        condition_reason: row.text(5)?.to_owned(),
        settings: JsonDocument::from_row(row, 6)?,
        ends_at,
        version: row.integer(8)?,
    })
}

/// The columns [`read`] takes an organization from.
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
// Writing what is there already changes nothing and takes the row's lock.
static HOLD: SqlStatement = SqlStatement::new(
    "organizations.hold",
    concat!(
        "UPDATE organizations SET version = version WHERE id = ?1 AND ",
        organization_counts!("organizations", "?2")
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
static CHANGE_END: SqlStatement = SqlStatement::new(
    "organizations.change_end",
    concat!(
        "UPDATE organizations SET ends_at = ?3, version = version + 1 \
         WHERE id = ?1 AND version = ?2 AND kind = 'customer' AND ",
        organization_counts!("organizations", "?4")
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&CREATE, &FIND, &FIND_BY_SLUG, &CHANGE_CONDITION, &ADVANCE, &HOLD, &CHANGE, &PAGE, &CHANGE_END];
