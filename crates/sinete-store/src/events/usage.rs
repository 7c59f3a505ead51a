//! Usage counts, and the last day on which each user was active. Both are written only in the batch that seals the
//! counted events, so that every event counts once (docs/contribute/decisions/0304-usage-counted-by-the-log-sealer.md).

use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::GuardedStatement;
use sinete_core::events::usage::{UsageCount, UsageCounter};
use sinete_core::id::{AccountId, GrantId, MembershipId, OrganizationId};
use sinete_core::time::Timestamp;

/// Whose usage a row counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UsageOwner {
    /// The whole instance.
    Instance,
    /// An organization.
    Organization(OrganizationId),
}

/// An account or a member, as a row of active users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActiveUserId {
    /// An account, counted for the instance.
    Account(AccountId),
    /// A member, counted for the organization.
    Member(MembershipId),
}

/// A member whose activity is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberActivityRow {
    /// The member.
    pub member: MembershipId,
    /// Its organization.
    pub organization: OrganizationId,
    /// The account, unless it is not claimed.
    pub account: Option<AccountId>,
    /// The last day on which the member was counted.
    pub member_active_on: Option<Timestamp>,
    /// The last day on which the account was counted.
    pub account_active_on: Option<Timestamp>,
}

/// Adds to a count.
pub fn add_usage(
    owner: UsageOwner,
    counter: UsageCounter,
    starts_at: Timestamp,
    count: i64,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &ADD,
        [owner.into(), starts_at.into(), counter.name().into(), SqlValue::from(count)],
    )
}

/// Records the last day on which a user was active.
pub fn record_active_user(user: ActiveUserId, active_on: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&RECORD, [user.into(), active_on.into()])
}

/// Deletes the days on which an account and its members were last active.
pub fn delete_account_activity(account: AccountId) -> GuardedStatement {
    GuardedStatement::any_number(&DELETE_BY_ACCOUNT, [account.into()])
}

/// Lists the counts from a time on.
pub async fn list_usage(
    store: &Store,
    owner: UsageOwner,
    from: Timestamp,
) -> Result<Vec<UsageCount>, StoreFailure> {
    let rows = store.read_list(&LIST, &[owner.into(), from.into()]).await?;
    rows.iter().filter_map(|row| read_count(row).transpose()).collect()
}

/// A count; `None` if a newer version added its counter.
fn read_count(row: &SqlRow) -> Result<Option<UsageCount>, StoreFailure> {
    let Some(counter) = UsageCounter::parse(row.text("counter")?) else { return Ok(None) };
    let total = row.integer("total")?.max(0).unsigned_abs();
    Ok(Some(UsageCount { counter, starts_at: row.timestamp("starts_at")?, total }))
}

/// The members that grants were given by.
pub async fn find_grant_members(
    store: &Store,
    grants: &[GrantId],
) -> Result<Vec<(GrantId, MembershipId)>, StoreFailure> {
    let mut memberships = Vec::new();
    for parameters in batch_parameters(grants) {
        for row in store.read_list(&GRANTS, &parameters).await? {
            memberships.push((row.id("g.id")?, row.id("g.membership_id")?));
        }
    }
    Ok(memberships)
}

/// The organizations and accounts of members, with the last days of activity.
pub async fn find_member_activity(
    store: &Store,
    members: &[MembershipId],
) -> Result<Vec<MemberActivityRow>, StoreFailure> {
    let mut activities = Vec::new();
    for parameters in batch_parameters(members) {
        for row in store.read_list(&MEMBERS, &parameters).await? {
            activities.push(MemberActivityRow {
                member: row.id("m.id")?,
                organization: row.id("m.organization_id")?,
                account: row.optional_id("m.account_id")?,
                member_active_on: row.optional_timestamp("member_active_on")?,
                account_active_on: row.optional_timestamp("account_active_on")?,
            });
        }
    }
    Ok(activities)
}

/// The last days on which accounts were active.
pub async fn find_account_activity(
    store: &Store,
    accounts: &[AccountId],
) -> Result<Vec<(AccountId, Timestamp)>, StoreFailure> {
    let mut activity = Vec::new();
    for parameters in batch_parameters(accounts) {
        for row in store.read_list(&ACCOUNTS, &parameters).await? {
            activity.push((row.id("user_id")?, row.timestamp("active_on")?));
        }
    }
    Ok(activity)
}

/// Ids per statement.
const IDS_PER_STATEMENT: usize = 20;

/// The parameters of each statement, padded by repetition.
fn batch_parameters<T: Copy + Into<SqlValue>>(ids: &[T]) -> impl Iterator<Item = Vec<SqlValue>> {
    ids.chunks(IDS_PER_STATEMENT)
        .map(|some| some.iter().cycle().take(IDS_PER_STATEMENT).map(|id| (*id).into()).collect())
}

impl From<UsageOwner> for SqlValue {
    fn from(owner: UsageOwner) -> Self {
        match owner {
            UsageOwner::Instance => [0; 16].into(),
            UsageOwner::Organization(id) => id.into(),
        }
    }
}

impl From<ActiveUserId> for SqlValue {
    fn from(user: ActiveUserId) -> Self {
        match user {
            ActiveUserId::Account(id) => id.into(),
            ActiveUserId::Member(id) => id.into(),
        }
    }
}

/// Matches any of the requested ids.
macro_rules! any {
    () => {
        "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)"
    };
}

static ADD: SqlStatement = SqlStatement::new(
    "usage_counts.add",
    "INSERT INTO usage_counts (organization_id, starts_at, counter, total) VALUES (?1, ?2, ?3, ?4) \
     ON CONFLICT (organization_id, starts_at, counter) DO UPDATE SET total = usage_counts.total + excluded.total",
);
static RECORD: SqlStatement = SqlStatement::new(
    "active_users.record",
    "INSERT INTO active_users (user_id, active_on) VALUES (?1, ?2) \
     ON CONFLICT (user_id) DO UPDATE SET active_on = excluded.active_on",
);
static DELETE_BY_ACCOUNT: SqlStatement = SqlStatement::new(
    "active_users.forget",
    "DELETE FROM active_users WHERE user_id IN (SELECT a.id FROM accounts a WHERE a.id = ?1 \
     UNION ALL SELECT m.id FROM memberships m WHERE m.account_id = ?1)",
);
static LIST: SqlStatement = SqlStatement::new(
    "usage_counts.list",
    "SELECT starts_at, counter, total FROM usage_counts WHERE organization_id = ?1 AND starts_at >= ?2",
);
static GRANTS: SqlStatement = SqlStatement::new(
    "usage_counts.grants",
    concat!("SELECT g.id, g.membership_id FROM grants g WHERE g.id IN ", any!()),
);
static MEMBERS: SqlStatement = SqlStatement::new(
    "usage_counts.members",
    concat!(
        "SELECT m.id, m.organization_id, m.account_id, u.active_on AS member_active_on, \
         a.active_on AS account_active_on FROM memberships m LEFT JOIN active_users u ON u.user_id = m.id \
         LEFT JOIN active_users a ON a.user_id = m.account_id WHERE m.id IN ",
        any!()
    ),
);
static ACCOUNTS: SqlStatement = SqlStatement::new(
    "usage_counts.accounts",
    concat!("SELECT user_id, active_on FROM active_users WHERE user_id IN ", any!()),
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&ADD, &RECORD, &DELETE_BY_ACCOUNT, &LIST, &GRANTS, &MEMBERS, &ACCOUNTS];
