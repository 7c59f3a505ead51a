//! API keys of memberships. A key is valid until it expires or is revoked; what it may do is derived from its
//! membership on every use.

use crate::active_conditions::organization_is_enabled;
use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::GuardedStatement;
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::id::{ApiKeyId, MembershipId, OrganizationId};
use sinete_core::limits::LAST_USE_UPDATE_INTERVAL;
use sinete_core::secret;
use sinete_core::secret::Digest;
use sinete_core::time::Timestamp;

/// An API key to issue.
#[derive(Debug)]
pub struct NewApiKey<'a> {
    /// Its id.
    pub id: ApiKeyId,
    /// Digest of the key.
    pub digest: &'a Digest<secret::ApiKey>,
    /// The membership it belongs to.
    pub membership: MembershipId,
    /// The name its owner gave it.
    pub name: &'a str,
    /// Allowed scopes. They limit the key and confer nothing.
    pub scope: &'a ScopeSet,
    /// When it is issued.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// A valid API key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveApiKey {
    /// Its id.
    pub id: ApiKeyId,
    /// The organization it is valid in.
    pub organization: OrganizationId,
    /// The membership it belongs to.
    pub membership: MembershipId,
    /// Allowed scopes.
    pub scope: ScopeSet,
    /// When it expires.
    pub expires_at: Timestamp,
    /// When it was last used, to the minute.
    pub used_at: Option<Timestamp>,
}

/// Issues a key to an enabled membership of an enabled organization.
pub fn issue_api_key(key: &NewApiKey<'_>) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &ISSUE,
        [
            key.id.into(),
            key.digest.into(),
            key.membership.into(),
            key.name.into(),
            key.scope.to_string().into(),
            key.created_at.into(),
            key.expires_at.into(),
        ],
    )
}

/// Finds the key with this digest, if it is neither revoked nor expired.
pub async fn find_active_api_key(
    store: &Store,
    digest: &Digest<secret::ApiKey>,
    now: Timestamp,
) -> Result<Option<ActiveApiKey>, StoreFailure> {
    let row = store.read_first(&FIND, &[digest.into(), now.into()]).await?;
    row.map(|row| {
        Ok(ActiveApiKey {
            id: row.id("id")?,
            organization: row.id("organization_id")?,
            membership: row.id("membership_id")?,
            scope: row.text("scope")?.parse().map_err(|_| row.damaged_column("scope", "a set of scopes"))?,
            expires_at: row.timestamp("expires_at")?,
            used_at: row.optional_timestamp("used_at")?,
        })
    })
    .transpose()
}

/// Revokes a key of the organization. Idempotent.
pub fn revoke_api_key(organization: OrganizationId, id: ApiKeyId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(&REVOKE, [id.into(), organization.into(), now.into()])
}

/// An API key in any state, without the key itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKeyRow {
    /// Its id.
    pub id: ApiKeyId,
    /// The membership it belongs to.
    pub membership: MembershipId,
    /// The name its owner gave it.
    pub name: String,
    /// Allowed scopes.
    pub scope: ScopeSet,
    /// When it was issued.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
    /// When it was last used, to the minute.
    pub used_at: Option<Timestamp>,
    /// When it was revoked, if it was.
    pub revoked_at: Option<Timestamp>,
}

/// Lists a page of the organization's keys, oldest first.
pub async fn list_api_keys(
    store: &Store,
    organization: OrganizationId,
    after: Option<ApiKeyId>,
    limit: u32,
) -> Result<Vec<ApiKeyRow>, StoreFailure> {
    // Empty bytes sort before every id.
    let after = after.map_or_else(SqlValue::empty_bytes, SqlValue::from);
    store
        .read_list(&PAGE, &[organization.into(), after, limit.into()])
        .await?
        .iter()
        .map(read_api_key_row)
        .collect()
}

/// Finds the key of this id in this organization, in any state.
pub async fn find_api_key(
    store: &Store,
    organization: OrganizationId,
    id: ApiKeyId,
) -> Result<Option<ApiKeyRow>, StoreFailure> {
    store
        .read_first(&FIND_BY_ID, &[organization.into(), id.into()])
        .await?
        .as_ref()
        .map(read_api_key_row)
        .transpose()
}

/// Records that the key was used, at most once a minute.
pub fn touch_api_key(key: &ActiveApiKey, now: Timestamp) -> Option<GuardedStatement> {
    let is_recent = key.used_at.is_some_and(|used_at| now.since(used_at) < LAST_USE_UPDATE_INTERVAL);
    (!is_recent).then(|| {
        GuardedStatement::any_number(
            &TOUCH,
            [key.id.into(), now.into(), now.minus(LAST_USE_UPDATE_INTERVAL).into()],
        )
    })
}

pub(super) fn read_api_key_row(row: &SqlRow) -> Result<ApiKeyRow, StoreFailure> {
    Ok(ApiKeyRow {
        id: row.id("id")?,
        membership: row.id("membership_id")?,
        name: row.text("name")?.to_owned(),
        scope: row.text("scope")?.parse().map_err(|_| row.damaged_column("scope", "a set of scopes"))?,
        created_at: row.timestamp("created_at")?,
        expires_at: row.timestamp("expires_at")?,
        used_at: row.optional_timestamp("used_at")?,
        revoked_at: row.optional_timestamp("revoked_at")?,
    })
}

/// The columns that [`read_api_key_row`] expects.
macro_rules! columns {
    () => {
        "SELECT id, membership_id, name, scope, created_at, expires_at, used_at, revoked_at FROM api_keys \
         WHERE organization_id = ?1 AND "
    };
}

static PAGE: SqlStatement =
    SqlStatement::new("api_keys.page", concat!(columns!(), "id > ?2 ORDER BY id LIMIT ?3"));
static FIND_BY_ID: SqlStatement = SqlStatement::new("api_keys.show", concat!(columns!(), "id = ?2"));
static TOUCH: SqlStatement = SqlStatement::new(
    "api_keys.touch",
    "UPDATE api_keys SET used_at = ?2 WHERE id = ?1 AND (used_at IS NULL OR used_at <= ?3)",
);
static ISSUE: SqlStatement = SqlStatement::new(
    "api_keys.issue",
    concat!(
        "INSERT INTO api_keys (id, digest, organization_id, membership_id, name, scope, created_at, expires_at) \
         SELECT ?1, ?2, m.organization_id, m.id, ?4, ?5, ?6, ?7 FROM memberships m \
         WHERE m.id = ?3 AND m.condition = 'enabled' AND ",
        organization_is_enabled!("m.organization_id", "?6")
    ),
);
static FIND: SqlStatement = SqlStatement::new(
    "api_keys.find",
    "SELECT id, organization_id, membership_id, scope, expires_at, used_at FROM api_keys \
     WHERE digest = ?1 AND revoked_at IS NULL AND expires_at > ?2",
);
static REVOKE: SqlStatement = SqlStatement::new(
    "api_keys.revoke",
    "UPDATE api_keys SET revoked_at = ?3 WHERE id = ?1 AND organization_id = ?2 AND revoked_at IS NULL",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&ISSUE, &FIND, &REVOKE, &PAGE, &FIND_BY_ID, &TOUCH];
