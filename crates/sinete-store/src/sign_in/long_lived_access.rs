//! Access that outlives a session: grants with `offline_access`, with the delegations that depend on them,
//! and a user's API keys. They are listed, grants by application, and revoked except for what the user keeps.
//! The number of grants of an application changes neither the number of statements nor of rows read.

use crate::active_conditions::{api_key_counts, client_counts, grant_counts, organization_counts};
use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::GuardedStatement;
use sinete_core::client_id::ClientId;
use sinete_core::id::{AccountId, ApiKeyId, MembershipId, OrganizationId};
use sinete_core::limits::LONG_LIVED_ACCESS_RETAINED_MAX;
use sinete_core::time::Timestamp;

/// An application with grants that outlive their session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfflineAccessApplication {
    /// The client.
    pub client: ClientId,
    /// The client's name.
    pub name: String,
    /// The membership that gave them.
    pub membership: MembershipId,
    /// The organization of that membership.
    pub organization: OrganizationId,
    /// The organization's display name.
    pub organization_name: String,
    /// When the oldest of them was opened.
    pub created_at: Timestamp,
    /// The number of grants.
    pub grants: i64,
}

/// An API key of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserApiKey {
    /// Its id.
    pub id: ApiKeyId,
    /// The name its owner gave it.
    pub name: String,
    /// The organization it is valid in.
    pub organization: OrganizationId,
    /// The organization's display name.
    pub organization_name: String,
    /// When it was issued.
    pub created_at: Timestamp,
}

/// Lists the applications with active grants of the user that outlive their sessions, those with the newest
/// grants first.
pub async fn list_offline_applications(
    store: &Store,
    account: AccountId,
    now: Timestamp,
) -> Result<Vec<OfflineAccessApplication>, StoreFailure> {
    let read = |row: &SqlRow| {
        Ok(OfflineAccessApplication {
            client: row.client_id("c.id")?,
            name: row.text("c.name")?.to_owned(),
            membership: row.id("m.id")?,
            organization: row.id("o.id")?,
            organization_name: row.text("o.name")?.to_owned(),
            created_at: row.timestamp("since")?,
            grants: row.integer("total")?,
        })
    };
    store.read_all(&LIST_APPLICATIONS, &[account.into(), now.into()]).await?.iter().map(read).collect()
}

/// Lists the user's active API keys, oldest first.
pub async fn list_lasting_api_keys(
    store: &Store,
    account: AccountId,
    now: Timestamp,
) -> Result<Vec<UserApiKey>, StoreFailure> {
    let read = |row: &SqlRow| {
        Ok(UserApiKey {
            id: row.id("k.id")?,
            name: row.text("k.name")?.to_owned(),
            organization: row.id("o.id")?,
            organization_name: row.text("o.name")?.to_owned(),
            created_at: row.timestamp("k.created_at")?,
        })
    };
    store.read_all(&LIST_API_KEYS, &[account.into(), now.into()]).await?.iter().map(read).collect()
}

/// Revokes every grant of the user that outlives its session, except those of the applications to keep, given
/// by membership and client, up to [`LONG_LIVED_ACCESS_RETAINED_MAX`]. What depends on them ends too.
pub fn revoke_lasting_grants(
    account: AccountId,
    retained_clients: &[(MembershipId, ClientId)],
    because: &str,
    now: Timestamp,
) -> GuardedStatement {
    let parameters = [account.into(), because.into(), now.into()];
    let sql_values =
        retained_clients.iter().map(|(membership, client)| [(*membership).into(), client.into()]);
    // Placeholders that match nothing: an empty membership id and an empty client id.
    let none = || [SqlValue::empty_bytes(), "".into()];
    let placed =
        sql_values.chain(std::iter::repeat_with(none)).take(LONG_LIVED_ACCESS_RETAINED_MAX).flatten();
    GuardedStatement::any_number(
        &REVOKE_GRANTS,
        parameters.into_iter().chain(placed).collect::<Vec<SqlValue>>(),
    )
}

/// Revokes every API key of the user, except those to keep, up to [`LONG_LIVED_ACCESS_RETAINED_MAX`].
pub fn revoke_lasting_api_keys(
    account: AccountId,
    api_key_ids: &[ApiKeyId],
    now: Timestamp,
) -> GuardedStatement {
    let parameters = [account.into(), now.into()];
    GuardedStatement::any_number(
        &REVOKE_API_KEYS,
        parameters.into_iter().chain(pad_parameters(api_key_ids)).collect::<Vec<SqlValue>>(),
    )
}

/// Pads the values to the number of statement parameters. Empty bytes match no id.
fn pad_parameters<T: Copy + Into<SqlValue>>(retained_ids: &[T]) -> impl Iterator<Item = SqlValue> {
    let sql_values = retained_ids.iter().map(|id| (*id).into());
    sql_values.chain(std::iter::repeat_with(SqlValue::empty_bytes)).take(LONG_LIVED_ACCESS_RETAINED_MAX)
}

static LIST_APPLICATIONS: SqlStatement = SqlStatement::new(
    "long_lived_access.applications_of",
    concat!(
        "SELECT c.id, c.name, m.id, o.id, o.name, MIN(g.created_at) AS since, COUNT(*) AS total FROM memberships m \
         JOIN grants g ON g.membership_id = m.id AND g.account_id = m.account_id AND g.session_id IS NULL \
         JOIN organizations o ON o.id = g.organization_id JOIN accounts a ON a.id = g.account_id \
         JOIN clients c ON c.id = g.client_id LEFT JOIN sessions s ON s.id = g.session_id \
         WHERE m.account_id = ?1 AND m.condition = 'enabled' AND ",
        organization_counts!("o", "?2"),
        " AND ",
        client_counts!("c"),
        " AND ",
        grant_counts!("g", "a", "c", "s", "?2"),
        " GROUP BY m.id, c.id, c.name, o.id, o.name ORDER BY MAX(g.created_at) DESC, m.id, c.id"
    ),
);
static LIST_API_KEYS: SqlStatement = SqlStatement::new(
    "long_lived_access.api_keys_of",
    concat!(
        "SELECT k.id, k.name, o.id, o.name, k.created_at FROM memberships m JOIN api_keys k ON k.membership_id = m.id \
         JOIN organizations o ON o.id = k.organization_id WHERE m.account_id = ?1 AND ",
        api_key_counts!("k", "?2"),
        " ORDER BY k.id"
    ),
);
static REVOKE_GRANTS: SqlStatement = SqlStatement::new(
    "long_lived_access.revoke_grants",
    "UPDATE grants SET revoked_at = ?3, revoked_because = ?2, version = version + 1 \
     WHERE membership_id IN (SELECT m.id FROM memberships m WHERE m.account_id = ?1) AND session_id IS NULL \
     AND revoked_at IS NULL AND NOT (
         (membership_id = ?4 AND client_id = ?5) OR (membership_id = ?6 AND client_id = ?7) \
         OR (membership_id = ?8 AND client_id = ?9) OR (membership_id = ?10 AND client_id = ?11) \
         OR (membership_id = ?12 AND client_id = ?13) OR (membership_id = ?14 AND client_id = ?15) \
         OR (membership_id = ?16 AND client_id = ?17) OR (membership_id = ?18 AND client_id = ?19) \
         OR (membership_id = ?20 AND client_id = ?21) OR (membership_id = ?22 AND client_id = ?23) \
         OR (membership_id = ?24 AND client_id = ?25) OR (membership_id = ?26 AND client_id = ?27) \
         OR (membership_id = ?28 AND client_id = ?29) OR (membership_id = ?30 AND client_id = ?31) \
         OR (membership_id = ?32 AND client_id = ?33) OR (membership_id = ?34 AND client_id = ?35) \
         OR (membership_id = ?36 AND client_id = ?37) OR (membership_id = ?38 AND client_id = ?39) \
         OR (membership_id = ?40 AND client_id = ?41) OR (membership_id = ?42 AND client_id = ?43) \
         OR (membership_id = ?44 AND client_id = ?45) OR (membership_id = ?46 AND client_id = ?47) \
         OR (membership_id = ?48 AND client_id = ?49) OR (membership_id = ?50 AND client_id = ?51) \
         OR (membership_id = ?52 AND client_id = ?53) OR (membership_id = ?54 AND client_id = ?55) \
         OR (membership_id = ?56 AND client_id = ?57) OR (membership_id = ?58 AND client_id = ?59) \
         OR (membership_id = ?60 AND client_id = ?61) OR (membership_id = ?62 AND client_id = ?63) \
         OR (membership_id = ?64 AND client_id = ?65) OR (membership_id = ?66 AND client_id = ?67) \
         OR (membership_id = ?68 AND client_id = ?69) OR (membership_id = ?70 AND client_id = ?71) \
         OR (membership_id = ?72 AND client_id = ?73) OR (membership_id = ?74 AND client_id = ?75) \
         OR (membership_id = ?76 AND client_id = ?77) OR (membership_id = ?78 AND client_id = ?79) \
         OR (membership_id = ?80 AND client_id = ?81) OR (membership_id = ?82 AND client_id = ?83) \
         OR (membership_id = ?84 AND client_id = ?85) OR (membership_id = ?86 AND client_id = ?87) \
         OR (membership_id = ?88 AND client_id = ?89) OR (membership_id = ?90 AND client_id = ?91) \
         OR (membership_id = ?92 AND client_id = ?93) OR (membership_id = ?94 AND client_id = ?95) \
         OR (membership_id = ?96 AND client_id = ?97) OR (membership_id = ?98 AND client_id = ?99) \
         OR (membership_id = ?100 AND client_id = ?101) OR (membership_id = ?102 AND client_id = ?103))",
);
static REVOKE_API_KEYS: SqlStatement = SqlStatement::new(
    "long_lived_access.revoke_api_keys",
    "UPDATE api_keys SET revoked_at = ?2 \
     WHERE membership_id IN (SELECT m.id FROM memberships m WHERE m.account_id = ?1) AND revoked_at IS NULL \
     AND id NOT IN (?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, \
         ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, ?39, \
         ?40, ?41, ?42, ?43, ?44, ?45, ?46, ?47, ?48, ?49, ?50, ?51, ?52)",
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&LIST_APPLICATIONS, &LIST_API_KEYS, &REVOKE_GRANTS, &REVOKE_API_KEYS];
