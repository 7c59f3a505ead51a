//! Long-lived keys of memberships. A key counts as long as it was not revoked and has time left, and what it
//! may do is derived from its membership at every use.

use crate::act::Step;
use crate::alive::organization_is_enabled;
use crate::failed::Failed;
use crate::statement::Statement;
use crate::store::Store;
use sinete_core::authority::scope::Scopes;
use sinete_core::id::{ApiKeyId, MembershipId, OrganizationId};
use sinete_core::secret::{self, Digest};
use sinete_core::time::Timestamp;

/// A key to issue.
#[derive(Debug)]
pub struct NewApiKey<'a> {
    /// Its id.
    pub id: ApiKeyId,
    /// Of the key itself.
    pub digest: &'a Digest<secret::ApiKey>,
    /// Whose it is.
    pub membership: MembershipId,
    /// What its owner calls it.
    pub name: &'a str,
    /// The most it may be used for; it confers nothing.
    pub scope: &'a Scopes,
    /// When it is issued.
    pub created_at: Timestamp,
    /// When it stops working.
    pub expires_at: Timestamp,
}

/// A key that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// Its id.
    pub id: ApiKeyId,
    /// Where it counts.
    pub organization: OrganizationId,
    /// Whose it is.
    pub membership: MembershipId,
    /// The most it may be used for.
    pub scope: Scopes,
    /// When it stops working.
    pub expires_at: Timestamp,
    /// When it was last used, roughly.
    pub used_at: Option<Timestamp>,
}

/// Issues a key to an enabled membership of an enabled organization.
pub fn issue(key: &NewApiKey<'_>) -> Step {
    Step::one(
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

/// The key with this digest, if it was not revoked and has time left.
pub async fn find(
    store: &Store,
    digest: &Digest<secret::ApiKey>,
    now: Timestamp,
) -> Result<Option<ApiKey>, Failed> {
    let row = store.first(&FIND, &[digest.into(), now.into()]).await?;
    row.map(|row| {
        Ok(ApiKey {
            id: row.id(0)?,
            organization: row.id(1)?,
            membership: row.id(2)?,
            scope: row.text(3)?.parse().map_err(|_| row.damaged(3, "a set of scopes"))?,
            expires_at: row.timestamp(4)?,
            used_at: row.optional_timestamp(5)?,
        })
    })
    .transpose()
}

/// Revokes a key of the organization. Doing it again changes nothing.
pub fn revoke(organization: OrganizationId, id: ApiKeyId, now: Timestamp) -> Step {
    Step::any(&REVOKE, [id.into(), organization.into(), now.into()])
}

static ISSUE: Statement = Statement::new(
    "api_keys.issue",
    concat!(
        "INSERT INTO api_keys (id, digest, organization_id, membership_id, name, scope, created_at, expires_at) \
         SELECT ?1, ?2, m.organization_id, m.id, ?4, ?5, ?6, ?7 FROM memberships m \
         WHERE m.id = ?3 AND m.condition = 'enabled' AND ",
        organization_is_enabled!("m.organization_id", "?6")
    ),
);
static FIND: Statement = Statement::new(
    "api_keys.find",
    "SELECT id, organization_id, membership_id, scope, expires_at, used_at FROM api_keys \
     WHERE digest = ?1 AND revoked_at IS NULL AND expires_at > ?2",
);
static REVOKE: Statement = Statement::new(
    "api_keys.revoke",
    "UPDATE api_keys SET revoked_at = ?3 WHERE id = ?1 AND organization_id = ?2 AND revoked_at IS NULL",
);

pub(crate) static STATEMENTS: &[&Statement] = &[&ISSUE, &FIND, &REVOKE];
