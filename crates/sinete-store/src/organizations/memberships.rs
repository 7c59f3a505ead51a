//! Memberships of organizations, held by a user, by a client, or not claimed yet.

mod claim;

pub use claim::{
    ProvisionedMembership, claim_membership, claim_membership_through_connection, find_provisioned_membership,
};

use crate::active_conditions::{organization_counts, organization_is_enabled};
use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::lifecycle_condition;
use crate::organizations::api_catalog::ApiCatalogVersion;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::GuardedStatement;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::client_id::ClientId;
use sinete_core::id::{AccountId, MembershipId, OrganizationId, RoleId};
use sinete_core::time::Timestamp;

/// The holder of a membership.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MembershipHolder {
    /// A user.
    User(AccountId),
    /// A service or agent.
    Machine(ClientId),
    /// Not claimed yet: it was provisioned or offered.
    Unclaimed,
}

/// A membership to create.
#[derive(Debug)]
pub struct NewMembership<'a> {
    /// Its id.
    pub id: MembershipId,
    /// The organization.
    pub organization: OrganizationId,
    /// The holder.
    pub holder: &'a MembershipHolder,
    /// The profile that the organization sees.
    pub profile: &'a JsonDocument,
    /// The external id of a provisioning system.
    pub external_id: Option<&'a str>,
    /// When it is created.
    pub created_at: Timestamp,
}

/// A membership as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MembershipRow {
    /// Its id: the `sub` of a user's tokens.
    pub id: MembershipId,
    /// The organization.
    pub organization: OrganizationId,
    /// The holder.
    pub holder: MembershipHolder,
    /// Its own condition, regardless of account and organization.
    pub condition: LifecycleCondition,
    /// The profile that the organization sees.
    pub profile: JsonDocument,
    /// The external id of a provisioning system.
    pub external_id: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// Row version.
    pub version: i64,
}

/// Creates a membership of an enabled organization.
pub fn create_membership(membership: &NewMembership<'_>) -> GuardedStatement {
    let (account, client) = match membership.holder {
        MembershipHolder::User(account) => (Some(account), None),
        MembershipHolder::Machine(client) => (None, Some(client)),
        MembershipHolder::Unclaimed => (None, None),
    };
    GuardedStatement::exactly_one(
        &CREATE,
        [
            membership.id.into(),
            membership.organization.into(),
            account.into(),
            client.into(),
            membership.profile.into(),
            membership.external_id.into(),
            membership.created_at.into(),
        ],
    )
}

/// Finds the membership of this id in this organization, in any condition.
pub async fn find_membership(
    store: &Store,
    organization: OrganizationId,
    id: MembershipId,
) -> Result<Option<MembershipRow>, StoreFailure> {
    store
        .read_first(&FIND, &[id.into(), organization.into()])
        .await?
        .as_ref()
        .map(read_membership_row)
        .transpose()
}

/// Lists the memberships of a user that have not ended.
pub async fn list_account_memberships(
    store: &Store,
    account: AccountId,
) -> Result<Vec<MembershipRow>, StoreFailure> {
    store.read_all(&LIST_BY_ACCOUNT, &[account.into()]).await?.iter().map(read_membership_row).collect()
}

/// A membership that is usable now, with its organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsableMembership {
    /// The membership.
    pub membership: MembershipId,
    /// The organization.
    pub organization: OrganizationId,
    /// The organization's slug.
    pub slug: String,
    /// The organization's display name.
    pub name: String,
    /// The organization's settings.
    pub settings: JsonDocument,
    /// The API catalog version that applies there.
    pub api_catalog_version: ApiCatalogVersion,
}

/// Lists a user's enabled memberships in enabled organizations, oldest first.
pub async fn list_usable_memberships(
    store: &Store,
    account: AccountId,
    now: Timestamp,
) -> Result<Vec<UsableMembership>, StoreFailure> {
    let rows = store.read_all(&LIST_USABLE, &[account.into(), now.into()]).await?;
    rows.iter().map(|row| UsableMembership::read_columns(row, row.integer("k.version")?)).collect()
}

impl UsableMembership {
    /// Reads the membership `m` of a row and its organization, at this API catalog version.
    pub(crate) fn read_columns(row: &SqlRow, catalogue: i64) -> Result<Self, StoreFailure> {
        let organization = row.id("o.id")?;
        Ok(Self {
            membership: row.id("m.id")?,
            organization,
            slug: row.text("o.slug")?.to_owned(),
            name: row.text("o.name")?.to_owned(),
            settings: JsonDocument::from_row(row, "o.settings")?,
            api_catalog_version: ApiCatalogVersion { organization, version: catalogue },
        })
    }
}

/// Finds the membership of a client in an organization, unless it has ended.
pub async fn find_client_membership(
    store: &Store,
    organization: OrganizationId,
    client: &ClientId,
) -> Result<Option<MembershipRow>, StoreFailure> {
    store
        .read_first(&FIND_BY_CLIENT, &[client.into(), organization.into()])
        .await?
        .as_ref()
        .map(read_membership_row)
        .transpose()
}

/// The organization of a membership.
pub async fn find_membership_organization(
    store: &Store,
    id: MembershipId,
) -> Result<Option<OrganizationId>, StoreFailure> {
    store.read_first(&FIND_ORGANIZATION, &[id.into()]).await?.map(|row| row.id("organization_id")).transpose()
}

/// Suspends, restores or ends the membership, if its organization is enabled and it has not changed since it
/// was read. Ending is final. A batch that removes an owner must also advance the organization's version.
pub fn change_membership_condition(
    membership: &MembershipRow,
    condition: LifecycleCondition,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &CHANGE_CONDITION,
        [
            membership.id.into(),
            membership.version.into(),
            lifecycle_condition::condition_text(condition).into(),
            now.into(),
        ],
    )
}

/// Adds a role of the membership's organization that it does not have yet.
pub fn add_role(membership: MembershipId, role: RoleId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&ADD_ROLE, [membership.into(), role.into(), now.into()])
}

/// Removes a role from a membership that has it. A batch that removes an owner must also advance the
/// organization's version.
pub fn remove_role(membership: MembershipId, role: RoleId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&REMOVE_ROLE, [membership.into(), role.into(), now.into()])
}

/// Increments the membership's version, if it has not ended and has not changed since it was read.
pub fn advance_membership_version(id: MembershipId, version: i64, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&ADVANCE, [id.into(), version.into(), now.into()])
}

/// Replaces the membership's profile, if its organization is enabled and it has not changed since it was
/// read.
pub fn change_membership_profile(
    membership: &MembershipRow,
    profile: &JsonDocument,
    now: Timestamp,
) -> GuardedStatement {
    let parameters = [membership.id.into(), membership.version.into(), profile.into(), now.into()];
    GuardedStatement::exactly_one(&CHANGE_PROFILE, parameters)
}

/// Ends every membership of the account and erases the profiles that the organizations stored.
pub fn end_account_memberships(account: AccountId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(&END_BY_ACCOUNT, [account.into(), now.into()])
}

/// Lists a page of an organization's memberships that have not ended, oldest first.
pub async fn list_memberships(
    store: &Store,
    organization: OrganizationId,
    after: Option<MembershipId>,
    limit: u32,
) -> Result<Vec<MembershipRow>, StoreFailure> {
    // Empty bytes sort before every id.
    let after = after.map_or_else(SqlValue::empty_bytes, SqlValue::from);
    store
        .read_list(&PAGE, &[organization.into(), after, limit.into()])
        .await?
        .iter()
        .map(read_membership_row)
        .collect()
}

/// The ids of a membership's roles.
pub async fn list_membership_roles(store: &Store, id: MembershipId) -> Result<Vec<RoleId>, StoreFailure> {
    store.read_all(&LIST_ROLES, &[id.into()]).await?.iter().map(|row| row.id("x.role_id")).collect()
}

/// Counts the users who can sign in and have the role through an enabled membership.
pub async fn count_role_holders(store: &Store, role: RoleId) -> Result<i64, StoreFailure> {
    store.read_first(&COUNT_USERS_WITH_ROLE, &[role.into()]).await?.map_or(Ok(0), |row| row.integer("total"))
}

pub(crate) fn read_membership_row(row: &SqlRow) -> Result<MembershipRow, StoreFailure> {
    let holder = match (row.optional_id("account_id")?, row.optional_client_id("client_id")?) {
        (Some(account), None) => MembershipHolder::User(account),
        (None, Some(client)) => MembershipHolder::Machine(client),
        (None, None) => MembershipHolder::Unclaimed,
        (Some(_), Some(_)) => return Err(row.damaged_column("client_id", "the holder of a membership")),
    };
    Ok(MembershipRow {
        id: row.id("id")?,
        organization: row.id("organization_id")?,
        holder,
        condition: lifecycle_condition::read_condition(row, "condition")?,
        profile: JsonDocument::from_row(row, "profile")?,
        external_id: row.optional_text("external_id")?.map(str::to_owned),
        created_at: row.timestamp("created_at")?,
        version: row.integer("version")?,
    })
}

/// The columns that [`read_membership_row`] expects.
macro_rules! columns {
    () => {
        "SELECT id, organization_id, account_id, client_id, condition, profile, external_id, created_at, version \
         FROM memberships WHERE "
    };
}
pub(crate) use columns;

static CREATE: SqlStatement = SqlStatement::new(
    "memberships.create",
    concat!(
        "INSERT INTO memberships (id, organization_id, account_id, client_id, condition, condition_at, profile, \
         external_id, created_at) \
         SELECT ?1, o.id, ?3, ?4, 'enabled', ?7, ?5, ?6, ?7 FROM organizations o WHERE o.id = ?2 AND ",
        organization_counts!("o", "?7")
    ),
);
static FIND: SqlStatement =
    SqlStatement::new("memberships.find", concat!(columns!(), "id = ?1 AND organization_id = ?2"));
static LIST_BY_ACCOUNT: SqlStatement = SqlStatement::new(
    "memberships.of_account",
    concat!(columns!(), "account_id = ?1 AND condition <> 'ended' ORDER BY id"),
);
// "Has not ended" is repeated because SQLite needs it to choose the partial index.
static LIST_USABLE: SqlStatement = SqlStatement::new(
    "memberships.usable_by",
    concat!(
        "SELECT m.id, o.id, o.slug, o.name, o.settings, k.version FROM memberships m \
         JOIN organizations o ON o.id = m.organization_id JOIN api_catalogue k ON k.id = 1 \
         WHERE m.account_id = ?1 AND m.condition = 'enabled' AND m.condition <> 'ended' AND ",
        organization_counts!("o", "?2"),
        " ORDER BY m.id"
    ),
);
static FIND_BY_CLIENT: SqlStatement = SqlStatement::new(
    "memberships.of_client",
    concat!(columns!(), "client_id = ?1 AND organization_id = ?2 AND condition <> 'ended'"),
);
static FIND_ORGANIZATION: SqlStatement =
    SqlStatement::new("memberships.organization_of", "SELECT organization_id FROM memberships WHERE id = ?1");
static CHANGE_CONDITION: SqlStatement = SqlStatement::new(
    "memberships.change_condition",
    concat!(
        "UPDATE memberships SET condition = ?3, condition_at = ?4, changed_at = ?4, version = version + 1 \
         WHERE id = ?1 AND version = ?2 AND condition <> 'ended' AND ",
        organization_is_enabled!("memberships.organization_id", "?4")
    ),
);
static ADD_ROLE: SqlStatement = SqlStatement::new(
    "memberships.give_role",
    concat!(
        "INSERT INTO membership_roles (membership_id, role_id) \
         SELECT m.id, r.id FROM memberships m JOIN organizations o ON o.id = m.organization_id \
         JOIN roles r ON r.organization_id = o.id \
         WHERE m.id = ?1 AND r.id = ?2 AND m.condition <> 'ended' AND r.removed_at IS NULL AND ",
        organization_counts!("o", "?3"),
        " ON CONFLICT (membership_id, role_id) DO NOTHING"
    ),
);
static REMOVE_ROLE: SqlStatement = SqlStatement::new(
    "memberships.take_role",
    concat!(
        "DELETE FROM membership_roles WHERE membership_id = ?1 AND role_id = ?2 \
         AND EXISTS (SELECT 1 FROM memberships m JOIN organizations o ON o.id = m.organization_id \
         WHERE m.id = ?1 AND ",
        organization_counts!("o", "?3"),
        ")"
    ),
);
static ADVANCE: SqlStatement = SqlStatement::new(
    "memberships.advance",
    "UPDATE memberships SET version = version + 1, changed_at = ?3 \
     WHERE id = ?1 AND version = ?2 AND condition <> 'ended'",
);
static CHANGE_PROFILE: SqlStatement = SqlStatement::new(
    "memberships.change_profile",
    concat!(
        "UPDATE memberships SET profile = ?3, changed_at = ?4, version = version + 1 \
         WHERE id = ?1 AND version = ?2 AND condition <> 'ended' AND ",
        organization_is_enabled!("memberships.organization_id", "?4")
    ),
);
static PAGE: SqlStatement = SqlStatement::new(
    "memberships.page",
    concat!(columns!(), "organization_id = ?1 AND condition <> 'ended' AND id > ?2 ORDER BY id LIMIT ?3"),
);
static LIST_ROLES: SqlStatement = SqlStatement::new(
    "memberships.roles_of",
    "SELECT x.role_id FROM membership_roles x JOIN roles r ON r.id = x.role_id \
     WHERE x.membership_id = ?1 AND r.removed_at IS NULL ORDER BY x.role_id",
);
static COUNT_USERS_WITH_ROLE: SqlStatement = SqlStatement::new(
    "memberships.count_people_with",
    "SELECT COUNT(*) AS total FROM membership_roles x JOIN memberships m ON m.id = x.membership_id \
     JOIN accounts a ON a.id = m.account_id \
     WHERE x.role_id = ?1 AND m.condition = 'enabled' AND a.condition = 'enabled'",
);

static END_BY_ACCOUNT: SqlStatement = SqlStatement::new(
    "memberships.end_of_account",
    "UPDATE memberships SET condition = 'ended', condition_at = ?2, profile = '{}', external_id = NULL, version = version + 1 \
     WHERE account_id = ?1 AND condition <> 'ended'",
);

pub(crate) static CLAIM_STATEMENTS: &[&SqlStatement] = claim::STATEMENTS;
pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &CREATE,
    &FIND,
    &LIST_BY_ACCOUNT,
    &LIST_USABLE,
    &FIND_BY_CLIENT,
    &FIND_ORGANIZATION,
    &CHANGE_CONDITION,
    &ADD_ROLE,
    &REMOVE_ROLE,
    &COUNT_USERS_WITH_ROLE,
    &ADVANCE,
    &CHANGE_PROFILE,
    &PAGE,
    &LIST_ROLES,
    &END_BY_ACCOUNT,
];
