//! Users, as directories of an organization know them: the memberships of people, and places that nobody has claimed.

use crate::act::Step;
use crate::alive::organization_is_enabled;
use crate::condition;
use crate::document::Document;
use crate::failed::Failed;
use crate::memberships::{self, Membership};
use crate::row::Row;
use crate::statement::Statement;
use crate::store::Store;
use crate::value::Value;
use sinete_core::id::{AccountId, MembershipId, OrganizationId, RoleId};
use sinete_core::people::Condition;
use sinete_core::time::Timestamp;

/// A membership with what a directory says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvisionedUser {
    /// The membership.
    pub membership: Membership,
    /// The name the directory gives it; nothing, where no directory ever spoke of it.
    pub user_name: Option<String>,
    /// What is in no profile.
    pub attributes: Option<Document>,
    /// When it last changed.
    pub changed_at: Timestamp,
}

/// What a membership becomes.
#[derive(Debug)]
pub struct Changed<'a> {
    /// What the organization sees.
    pub profile: &'a Document,
    /// What the directory knows it by.
    pub external_id: Option<&'a str>,
    /// Whether it counts.
    pub condition: Condition,
}

/// What a directory says beside that.
#[derive(Debug)]
pub struct Said<'a> {
    /// The name it gives.
    pub user_name: &'a str,
    /// The name in the spelling that names are compared in.
    pub lookup: &'a str,
    /// What is in no profile.
    pub attributes: &'a Document,
}

/// The user of this id in this organization, unless it has ended.
pub async fn find(
    store: &Store,
    organization: OrganizationId,
    id: MembershipId,
) -> Result<Option<ProvisionedUser>, Failed> {
    store.first(&FIND, &[organization.into(), id.into()]).await?.as_ref().map(read).transpose()
}

/// The user of this name, in the spelling that names are compared in.
pub async fn by_name(
    store: &Store,
    organization: OrganizationId,
    lookup: &str,
) -> Result<Option<ProvisionedUser>, Failed> {
    store.first(&BY_NAME, &[organization.into(), lookup.into()]).await?.as_ref().map(read).transpose()
}

/// The user that the directory knows by this.
pub async fn by_external_id(
    store: &Store,
    organization: OrganizationId,
    external_id: &str,
) -> Result<Option<ProvisionedUser>, Failed> {
    let parameters = [organization.into(), external_id.into()];
    store.first(&BY_EXTERNAL_ID, &parameters).await?.as_ref().map(read).transpose()
}

/// How many users the organization has.
pub async fn count(store: &Store, organization: OrganizationId) -> Result<u64, Failed> {
    let row = store.list(&COUNT, &[organization.into()]).await?.into_iter().next();
    Ok(row.map_or(Ok(0), |row| row.integer(0))?.max(0).unsigned_abs())
}

/// So many users, oldest first, after so many others.
pub async fn page(
    store: &Store,
    organization: OrganizationId,
    skipped: u64,
    most: u64,
) -> Result<Vec<ProvisionedUser>, Failed> {
    let number = |number: u64| Value::from(i64::try_from(number).unwrap_or(i64::MAX));
    let parameters = [organization.into(), number(skipped), number(most)];
    store.list(&PAGE, &parameters).await?.iter().map(read).collect()
}

/// The next users after one, oldest first.
pub async fn after(
    store: &Store,
    organization: OrganizationId,
    after: Option<MembershipId>,
    most: u32,
) -> Result<Vec<ProvisionedUser>, Failed> {
    // No id is smaller than no bytes at all.
    let after = after.map_or_else(Value::no_bytes, Value::from);
    store.list(&AFTER, &[organization.into(), after, most.into()]).await?.iter().map(read).collect()
}

/// The roles that users carry, of those between two of them.
pub async fn carried(
    store: &Store,
    organization: OrganizationId,
    (first, last): (MembershipId, MembershipId),
) -> Result<Vec<(MembershipId, RoleId)>, Failed> {
    let pair = |row: &Row| Ok((row.id(0)?, row.id(1)?));
    store.list(&CARRIED, &[organization.into(), first.into(), last.into()]).await?.iter().map(pair).collect()
}

/// Changes the membership, if its organization is enabled and nobody has changed it since it was read. An act that takes
/// an owner away also advances the organization.
pub fn change(membership: &Membership, changed: &Changed<'_>, now: Timestamp) -> Step {
    Step::one(
        &CHANGE,
        [
            membership.id.into(),
            membership.version.into(),
            changed.profile.into(),
            changed.external_id.into(),
            condition::text(changed.condition).into(),
            now.into(),
        ],
    )
}

/// Notes what a directory says of a membership. A name that another one has had to its end is free again; one that
/// another has is not given twice.
pub fn note(id: MembershipId, organization: OrganizationId, said: &Said<'_>) -> [Step; 2] {
    let freed = Step::any(&FREE, [organization.into(), said.lookup.into()]);
    let noted = Step::one(
        &NOTE,
        [id.into(), organization.into(), said.user_name.into(), said.lookup.into(), said.attributes.into()],
    );
    [freed, noted]
}

/// Forgets what a directory said of a membership.
pub fn forget(id: MembershipId) -> Step {
    Step::any(&FORGET, [id.into()])
}

/// Forgets what directories said of somebody, wherever.
pub fn forget_all(account: AccountId) -> Step {
    Step::any(&FORGET_ALL, [account.into()])
}

fn read(row: &Row) -> Result<ProvisionedUser, Failed> {
    let membership = memberships::read(row)?;
    Ok(ProvisionedUser {
        user_name: row.optional_text(9)?.map(str::to_owned),
        attributes: Document::optional_from_row(row, 10)?,
        changed_at: row.optional_timestamp(11)?.unwrap_or(membership.created_at),
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

static FIND: Statement = Statement::new(
    "provisioned_users.find",
    concat!(
        columns!("memberships m LEFT JOIN provisioned_users d ON d.membership_id = m.id"),
        "m.organization_id = ?1 AND m.id = ?2"
    ),
);
static BY_NAME: Statement = Statement::new(
    "provisioned_users.by_name",
    concat!(
        columns!("provisioned_users d JOIN memberships m ON m.id = d.membership_id"),
        "d.organization_id = ?1 AND d.lookup = ?2"
    ),
);
static BY_EXTERNAL_ID: Statement = Statement::new(
    "provisioned_users.by_external_id",
    concat!(
        columns!("memberships m LEFT JOIN provisioned_users d ON d.membership_id = m.id"),
        "m.organization_id = ?1 AND m.external_id = ?2"
    ),
);
static COUNT: Statement = Statement::new(
    "provisioned_users.count",
    "SELECT COUNT(*) FROM memberships WHERE organization_id = ?1 AND client_id IS NULL AND condition <> 'ended'",
);
static PAGE: Statement = Statement::new(
    "provisioned_users.page",
    concat!(
        columns!("memberships m LEFT JOIN provisioned_users d ON d.membership_id = m.id"),
        "m.organization_id = ?1 ORDER BY m.id LIMIT ?3 OFFSET ?2"
    ),
);
static AFTER: Statement = Statement::new(
    "provisioned_users.after",
    concat!(
        columns!("memberships m LEFT JOIN provisioned_users d ON d.membership_id = m.id"),
        "m.organization_id = ?1 AND m.id > ?2 ORDER BY m.id LIMIT ?3"
    ),
);
static CARRIED: Statement = Statement::new(
    "provisioned_users.carried",
    "SELECT x.membership_id, x.role_id FROM memberships m JOIN membership_roles x ON x.membership_id = m.id \
     JOIN roles r ON r.id = x.role_id WHERE m.organization_id = ?1 AND m.id >= ?2 AND m.id <= ?3 \
     AND m.client_id IS NULL AND m.condition <> 'ended' AND r.removed_at IS NULL \
     ORDER BY x.membership_id, x.role_id",
);
static CHANGE: Statement = Statement::new(
    "provisioned_users.change",
    concat!(
        "UPDATE memberships SET profile = ?3, external_id = ?4, \
         condition_at = CASE WHEN condition = ?5 THEN condition_at ELSE ?6 END, condition = ?5, changed_at = ?6, \
         version = version + 1 WHERE id = ?1 AND version = ?2 AND client_id IS NULL AND condition <> 'ended' AND ",
        organization_is_enabled!("memberships.organization_id", "?6")
    ),
);
static FREE: Statement = Statement::new(
    "provisioned_users.free",
    "DELETE FROM provisioned_users WHERE organization_id = ?1 AND lookup = ?2 AND EXISTS (SELECT 1 \
     FROM memberships m WHERE m.id = provisioned_users.membership_id AND m.condition = 'ended')",
);
static NOTE: Statement = Statement::new(
    "provisioned_users.note",
    "INSERT INTO provisioned_users (membership_id, organization_id, user_name, lookup, attributes) \
     VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (membership_id) DO UPDATE SET user_name = excluded.user_name, \
     lookup = excluded.lookup, attributes = excluded.attributes",
);
static FORGET: Statement =
    Statement::new("provisioned_users.forget", "DELETE FROM provisioned_users WHERE membership_id = ?1");
static FORGET_ALL: Statement = Statement::new(
    "provisioned_users.forget_all",
    "DELETE FROM provisioned_users WHERE membership_id IN (SELECT id FROM memberships WHERE account_id = ?1)",
);

pub(crate) static STATEMENTS: &[&Statement] = &[
    &FIND,
    &BY_NAME,
    &BY_EXTERNAL_ID,
    &COUNT,
    &PAGE,
    &AFTER,
    &CARRIED,
    &CHANGE,
    &FREE,
    &NOTE,
    &FORGET,
    &FORGET_ALL,
];
