//! Whether an access token is active: its subject, its client and everything it depends on, in one statement.
//! Access tokens themselves are not stored.

use super::{SubjectSnapshot, read_subject, standing_columns, standing_tables};
use crate::active_conditions::{api_key_counts, delegation_counts, grant_counts, impersonation_counts};
use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::oauth::grants;
use crate::oauth::grants::StoredGrantKind;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use sinete_core::id::MembershipId;
use sinete_core::oauth::access_token::AccessTokenClaims;
use sinete_core::oauth::jti::TokenRevocationRoot;
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_core::time::{Lifetime, Timestamp};

/// What was read about an access token.
#[derive(Clone, Debug)]
pub struct AccessTokenLookup {
    /// Everything its authority depends on. The grant state covers whatever the token derives from: a grant,
    /// an API key, an assignment or a service's epoch, its token exchanges, and its own revocation.
    pub snapshot: SubjectSnapshot,
    /// The dependency version at which this was read.
    pub dependency_version: i64,
    /// The grant that the token derives from, if it derives from one that still exists.
    pub grant: Option<TokenGrant>,
}

/// The part of a token's grant that is read.
#[derive(Clone, Debug)]
pub struct TokenGrant {
    /// The grant type.
    pub kind: StoredGrantKind,
    /// How the user authenticated.
    pub authentication: JsonDocument,
}

impl AccessTokenLookup {
    /// The organization's settings.
    pub fn organization_settings(&self) -> Result<OrganizationSettings, StoreFailure> {
        self.snapshot.settings.parse()
    }
}

/// Loads the current state of the subject of a token with these claims; `None` if its membership is gone.
///
/// The claims must come from a verified token of this issuer: that they name the right subject is not checked
/// again.
pub async fn load_access_token_subject(
    store: &Store,
    claims: &AccessTokenClaims,
    now: Timestamp,
) -> Result<Option<AccessTokenLookup>, StoreFailure> {
    let jti = claims.jti();
    // `iat` has a resolution of one second: the membership may have been created within it.
    let issued_before = claims.issued_at().plus(Lifetime::from_seconds(1));
    let (as_issued, exchanged, hangs_on) = match jti.root {
        TokenRevocationRoot::Machine { epoch } => (
            &FIND_BY_MACHINE,
            &FIND_BY_EXCHANGED_MACHINE,
            vec![claims.subject().into(), epoch.into(), issued_before.into()],
        ),
        TokenRevocationRoot::ApiKey(key) => (&FIND_BY_API_KEY, &FIND_BY_EXCHANGED_API_KEY, vec![key.into()]),
        TokenRevocationRoot::Grant(grant) => {
            let Ok(holder) = claims.subject().parse::<MembershipId>() else { return Ok(None) };
            (&FIND_BY_GRANT, &FIND_BY_EXCHANGED_GRANT, vec![holder.into(), grant.into()])
        }
        TokenRevocationRoot::Assignment(assignment) => {
            let Ok(holder) = claims.subject().parse::<MembershipId>() else { return Ok(None) };
            (&FIND_BY_ASSIGNMENT, &FIND_BY_EXCHANGED_ASSIGNMENT, vec![holder.into(), assignment.into()])
        }
    };
    let mut parameters: Vec<SqlValue> =
        vec![now.into(), claims.organization().into(), claims.client().into(), jti.to_string().into()];
    parameters.extend(hangs_on);
    parameters.extend(jti.delegation.map(SqlValue::from));
    let statement = if jti.delegation.is_some() { exchanged } else { as_issued };
    let rows = store.read_all(statement, &parameters).await?;
    let (Some(snapshot), Some(first)) = (read_subject(store, &rows, true, true).await?, rows.first()) else {
        return Ok(None);
    };
    let is_granted =
        matches!(jti.root, TokenRevocationRoot::Grant(_)) && first.optional_text("g.kind")?.is_some();
    let grant = is_granted.then(|| token_grant(first)).transpose()?;
    Ok(Some(AccessTokenLookup { snapshot, dependency_version: first.integer("f.version")?, grant }))
}

fn token_grant(row: &SqlRow) -> Result<TokenGrant, StoreFailure> {
    let authentication = JsonDocument::from_row(row, "g.authentication")?;
    Ok(TokenGrant { kind: grants::read_kind(row, "g.kind")?, authentication })
}

/// Requires that every exchange leading to the given one is active.
macro_rules! chain_counts {
    ($delegation:literal, $now:literal) => {
        concat!(
            " AND 1 = (WITH RECURSIVE chain (parent_id, counts) AS (SELECT d.parent_id, CASE WHEN ",
            delegation_counts!("d", $now),
            " THEN 1 ELSE 0 END FROM delegations d WHERE d.id = ",
            $delegation,
            " UNION ALL SELECT p.parent_id, CASE WHEN ",
            delegation_counts!("p", $now),
            " THEN 1 ELSE 0 END FROM chain JOIN delegations p ON p.id = chain.parent_id) \
             SELECT MIN(chain.counts) FROM chain)"
        )
    };
}

/// The text of a statement about tokens with one kind of root: when the root is active, with the exchanges if
/// any, the tables this takes, and the membership. It reads nothing that tokens of this kind do not depend
/// on, so that one query plan serves all.
///
/// `?1` is the time, `?2` the organization, `?3` the token's client and `?4` its id; the parameters of the
/// kind follow, and the exchange is last, if there is one.
macro_rules! of_token {
    ($counts:expr, $chain:expr, $through:literal, $whose:literal) => {
        of_token!($counts, $chain, ", f.version", $through, $whose)
    };
    ($counts:expr, $chain:expr, $more:literal, $through:literal, $whose:literal) => {
        concat!(
            standing_columns!("?1"),
            "CASE WHEN ",
            $counts,
            " AND NOT EXISTS (SELECT 1 FROM revoked_jtis j WHERE j.jti = ?4)",
            $chain,
            " THEN 1 ELSE 0 END",
            standing_tables!($more, $through),
            $whose
        )
    };
}

macro_rules! of_grant {
    ($chain:expr) => {
        of_token!(
            grant_counts!("g", "a", "c", "s", "?1"),
            $chain,
            ", f.version, g.kind, g.authentication",
            "JOIN service_facts f ON f.id = 1 LEFT JOIN grants g ON g.id = ?6 \
             AND CASE WHEN g.membership_id = m.id THEN 1 ELSE 0 END = 1 \
             LEFT JOIN clients c ON c.id = COALESCE(g.client_id, ?3) \
             LEFT JOIN sessions s ON s.id = g.session_id",
            "m.id = ?5 AND CASE WHEN m.organization_id = ?2 THEN 1 ELSE 0 END = 1"
        )
    };
}

macro_rules! of_api_key {
    ($chain:expr) => {
        of_token!(
            api_key_counts!("key_used", "?1"),
            $chain,
            "JOIN service_facts f ON f.id = 1 LEFT JOIN api_keys key_used ON key_used.id = ?5 AND key_used.membership_id = m.id \
             LEFT JOIN clients c ON c.id = ?3",
            "m.id = (SELECT key.membership_id FROM api_keys key WHERE key.id = ?5) \
             AND CASE WHEN m.organization_id = ?2 THEN 1 ELSE 0 END = 1"
        )
    };
}

macro_rules! of_assignment {
    ($chain:expr) => {
        of_token!(
            impersonation_counts!("?6", "m", "?1"),
            $chain,
            "JOIN service_facts f ON f.id = 1 LEFT JOIN clients c ON c.id = ?3",
            "m.id = ?5 AND CASE WHEN m.organization_id = ?2 THEN 1 ELSE 0 END = 1"
        )
    };
}

macro_rules! of_own {
    ($chain:expr) => {
        of_token!(
            "own.epoch = ?6",
            $chain,
            "JOIN service_facts f ON f.id = 1 LEFT JOIN clients c ON c.id = ?3",
            "m.organization_id = ?2 AND m.client_id = ?5 AND m.condition <> 'ended' AND m.created_at < ?7"
        )
    };
}

static FIND_BY_GRANT: SqlStatement = SqlStatement::batched_read("standing.of_grant", of_grant!(""));
static FIND_BY_EXCHANGED_GRANT: SqlStatement =
    SqlStatement::batched_read("standing.of_exchanged_grant", of_grant!(chain_counts!("?7", "?1")));
static FIND_BY_API_KEY: SqlStatement = SqlStatement::batched_read("standing.of_api_key", of_api_key!(""));
static FIND_BY_EXCHANGED_API_KEY: SqlStatement =
    SqlStatement::batched_read("standing.of_exchanged_api_key", of_api_key!(chain_counts!("?6", "?1")));
static FIND_BY_ASSIGNMENT: SqlStatement =
    SqlStatement::batched_read("standing.of_assignment", of_assignment!(""));
static FIND_BY_EXCHANGED_ASSIGNMENT: SqlStatement =
    SqlStatement::batched_read("standing.of_exchanged_assignment", of_assignment!(chain_counts!("?7", "?1")));
static FIND_BY_MACHINE: SqlStatement = SqlStatement::batched_read("standing.of_own", of_own!(""));
static FIND_BY_EXCHANGED_MACHINE: SqlStatement =
    SqlStatement::batched_read("standing.of_exchanged_own", of_own!(chain_counts!("?8", "?1")));

pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &FIND_BY_GRANT,
    &FIND_BY_EXCHANGED_GRANT,
    &FIND_BY_API_KEY,
    &FIND_BY_EXCHANGED_API_KEY,
    &FIND_BY_ASSIGNMENT,
    &FIND_BY_EXCHANGED_ASSIGNMENT,
    &FIND_BY_MACHINE,
    &FIND_BY_EXCHANGED_MACHINE,
];
