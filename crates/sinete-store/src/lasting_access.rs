//! What outlives a session: grants with `offline_access`, with the delegations that hang on them, and a person's API keys. All of
//! it is listed, and revoked but for what the person keeps.

use crate::act::Step;
use crate::alive::{api_key_counts, client_counts, grant_counts, organization_counts};
use crate::failed::Failed;
use crate::row::Row;
use crate::statement::Statement;
use crate::store::Store;
use crate::value::Value;
use sinete_core::client::ClientId;
use sinete_core::id::{AccountId, ApiKeyId, GrantId, MembershipId, OrganizationId};
use sinete_core::limits::LASTING_ACCESS_KEPT_MAX;
use sinete_core::time::Timestamp;

/// A grant that outlives the session it was given in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastingGrant {
    /// Its id.
    pub id: GrantId,
    /// The client that holds it.
    pub client: ClientId,
    /// What the client calls itself.
    pub name: String,
    /// Through which membership.
    pub membership: MembershipId,
    /// In which organization.
    pub organization: OrganizationId,
    /// What that is called.
    pub organization_name: String,
    /// When it was given.
    pub created_at: Timestamp,
}

/// An API key of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastingKey {
    /// Its id.
    pub id: ApiKeyId,
    /// What its owner calls it.
    pub name: String,
    /// In which organization.
    pub organization: OrganizationId,
    /// What that is called.
    pub organization_name: String,
    /// When it was issued.
    pub created_at: Timestamp,
}

/// The grants of the person that count now and outlive their sessions, newest first.
pub async fn grants_of(
    store: &Store,
    account: AccountId,
    now: Timestamp,
) -> Result<Vec<LastingGrant>, Failed> {
    let read = |row: &Row| {
        Ok(LastingGrant {
            id: row.id(0)?,
            client: row.client_id(1)?,
            name: row.text(2)?.to_owned(),
            membership: row.id(3)?,
            organization: row.id(4)?,
            organization_name: row.text(5)?.to_owned(),
            created_at: row.timestamp(6)?,
        })
    };
    store.all(&GRANTS_OF, &[account.into(), now.into()]).await?.iter().map(read).collect()
}

/// The person's API keys that count now, oldest first.
pub async fn api_keys_of(
    store: &Store,
    account: AccountId,
    now: Timestamp,
) -> Result<Vec<LastingKey>, Failed> {
    let read = |row: &Row| {
        Ok(LastingKey {
            id: row.id(0)?,
            name: row.text(1)?.to_owned(),
            organization: row.id(2)?,
            organization_name: row.text(3)?.to_owned(),
            created_at: row.timestamp(4)?,
        })
    };
    store.all(&API_KEYS_OF, &[account.into(), now.into()]).await?.iter().map(read).collect()
}

/// Revokes every grant of the person that outlives its session, but for the first of these that there is room for. What hangs
/// on them ends with them.
pub fn revoke_grants(account: AccountId, kept: &[GrantId], because: &str, now: Timestamp) -> Step {
    let parameters = [account.into(), because.into(), now.into()];
    Step::any(&REVOKE_GRANTS, parameters.into_iter().chain(placed(kept)).collect::<Vec<Value>>())
}

/// Revokes every API key of the person, but for the first of these that there is room for.
pub fn revoke_api_keys(account: AccountId, kept: &[ApiKeyId], now: Timestamp) -> Step {
    let parameters = [account.into(), now.into()];
    Step::any(&REVOKE_API_KEYS, parameters.into_iter().chain(placed(kept)).collect::<Vec<Value>>())
}

/// As many values as the statements have places. No id is no bytes at all.
fn placed<T: Copy + Into<Value>>(kept: &[T]) -> impl Iterator<Item = Value> {
    let kept = kept.iter().map(|id| (*id).into());
    kept.chain(std::iter::repeat_with(Value::no_bytes)).take(LASTING_ACCESS_KEPT_MAX)
}

static GRANTS_OF: Statement = Statement::new(
    "lasting_access.grants_of",
    concat!(
        "SELECT g.id, c.id, c.name, m.id, o.id, o.name, g.created_at FROM memberships m \
         JOIN grants g ON g.membership_id = m.id AND g.account_id = m.account_id AND g.session_id IS NULL \
         JOIN organizations o ON o.id = g.organization_id JOIN accounts a ON a.id = g.account_id \
         JOIN clients c ON c.id = g.client_id LEFT JOIN sessions s ON s.id = g.session_id \
         WHERE m.account_id = ?1 AND m.condition = 'enabled' AND ",
        organization_counts!("o", "?2"),
        " AND ",
        client_counts!("c"),
        " AND ",
        grant_counts!("g", "a", "c", "s", "?2"),
        " ORDER BY g.created_at DESC, g.id DESC"
    ),
);
static API_KEYS_OF: Statement = Statement::new(
    "lasting_access.api_keys_of",
    concat!(
        "SELECT k.id, k.name, o.id, o.name, k.created_at FROM memberships m JOIN api_keys k ON k.membership_id = m.id \
         JOIN organizations o ON o.id = k.organization_id WHERE m.account_id = ?1 AND ",
        api_key_counts!("k", "?2"),
        " ORDER BY k.id"
    ),
);
static REVOKE_GRANTS: Statement = Statement::new(
    "lasting_access.revoke_grants",
    "UPDATE grants SET revoked_at = ?3, revoked_because = ?2, version = version + 1 \
     WHERE membership_id IN (SELECT m.id FROM memberships m WHERE m.account_id = ?1) AND session_id IS NULL \
     AND revoked_at IS NULL AND id NOT IN (?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, \
         ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, ?39, ?40, \
         ?41, ?42, ?43, ?44, ?45, ?46, ?47, ?48, ?49, ?50, ?51, ?52, ?53)",
);
static REVOKE_API_KEYS: Statement = Statement::new(
    "lasting_access.revoke_api_keys",
    "UPDATE api_keys SET revoked_at = ?2 \
     WHERE membership_id IN (SELECT m.id FROM memberships m WHERE m.account_id = ?1) AND revoked_at IS NULL \
     AND id NOT IN (?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, \
         ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, ?39, \
         ?40, ?41, ?42, ?43, ?44, ?45, ?46, ?47, ?48, ?49, ?50, ?51, ?52)",
);

pub(crate) static STATEMENTS: &[&Statement] = &[&GRANTS_OF, &API_KEYS_OF, &REVOKE_GRANTS, &REVOKE_API_KEYS];
