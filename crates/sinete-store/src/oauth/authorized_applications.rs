//! The applications a user has authorized: stored consents, active grants, and active token exchanges.

use crate::active_conditions::{
    api_key_counts, client_counts, delegation_counts, grant_counts, organization_counts,
};
use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::oauth::clients;
use crate::statement::SqlStatement;
use crate::store::Store;
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::client_id::{ClientId, ClientKind};
use sinete_core::id::{AccountId, GrantId, MembershipId, OrganizationId};
use sinete_core::oauth::claims::IndividualClaims;
use sinete_core::oauth::grants::refresh_token::last_refresh;
use sinete_core::time::Timestamp;

/// An application, and the membership it acts for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorizedApplication {
    /// The client.
    pub client: ClientId,
    /// Its kind.
    pub kind: ClientKind,
    /// The client's name.
    pub name: String,
    /// When an operator verified the client, if one did.
    pub verified_at: Option<Timestamp>,
    /// The membership it acts for.
    pub membership: MembershipId,
    /// The organization of that membership.
    pub organization: OrganizationId,
    /// The client metadata.
    pub metadata: JsonDocument,
}

/// A stored consent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplicationConsent {
    /// The client and the membership.
    pub application: AuthorizedApplication,
    /// The API.
    pub audience: String,
    /// The scopes.
    pub scope: ScopeSet,
    /// The claims that were requested by name.
    pub claims: IndividualClaims,
    /// When consent was given.
    pub consented_at: Timestamp,
}

/// An active grant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplicationGrant {
    /// The client and the membership.
    pub application: AuthorizedApplication,
    /// Its id.
    pub grant: GrantId,
    /// The consented scopes, per audience.
    pub scopes: JsonDocument,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
    /// When tokens were last issued for it, as far as that is known.
    pub used_at: Option<Timestamp>,
}

/// Exchanged tokens (RFC 8693) with which a client acts for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplicationDelegation {
    /// The acting client and the membership.
    pub application: AuthorizedApplication,
    /// The API.
    pub audience: String,
    /// The scopes.
    pub scope: ScopeSet,
    /// When the oldest of them was issued.
    pub created_at: Timestamp,
    /// When the newest of them was issued.
    pub used_at: Timestamp,
    /// When the last of them expires.
    pub expires_at: Timestamp,
}

/// Lists the user's consents that were not withdrawn, across all memberships.
pub async fn list_account_consents(
    store: &Store,
    account: AccountId,
) -> Result<Vec<ApplicationConsent>, StoreFailure> {
    let rows = store.read_all(&LIST_CONSENTS, &[account.into()]).await?;
    let read = |row: &crate::row::SqlRow| {
        let scope =
            row.text("x.scope")?.parse().map_err(|_| row.damaged_column("x.scope", "a set of scopes"))?;
        let (audience, agreed_at) = (row.text("x.audience")?.to_owned(), row.timestamp("x.agreed_at")?);
        let claims = IndividualClaims::from_names(row.text("x.claims")?.split(' '));
        Ok(ApplicationConsent {
            application: read_application(row)?,
            audience,
            scope,
            claims,
            consented_at: agreed_at,
        })
    };
    rows.iter().map(read).collect()
}

/// Lists the user's active grants, across all memberships.
pub async fn list_account_grants(
    store: &Store,
    account: AccountId,
    now: Timestamp,
) -> Result<Vec<ApplicationGrant>, StoreFailure> {
    let rows = store.read_all(&LIST_GRANTS, &[account.into(), now.into()]).await?;
    let read = |row: &crate::row::SqlRow| {
        Ok(ApplicationGrant {
            application: read_application(row)?,
            grant: row.id("g.id")?,
            scopes: JsonDocument::from_row(row, "g.scopes")?,
            created_at: row.timestamp("g.created_at")?,
            expires_at: row.timestamp("g.expires_at")?,
            used_at: last_use(row)?,
        })
    };
    rows.iter().map(read).collect()
}

/// Lists the clients that hold active exchanged tokens for the user, across all memberships, one entry for
/// each API and scope.
pub async fn list_account_delegations(
    store: &Store,
    account: AccountId,
    now: Timestamp,
) -> Result<Vec<ApplicationDelegation>, StoreFailure> {
    let rows = store.read_all(&LIST_DELEGATIONS, &[account.into(), now.into()]).await?;
    let read = |row: &crate::row::SqlRow| {
        let scope =
            row.text("q.scope")?.parse().map_err(|_| row.damaged_column("q.scope", "a set of scopes"))?;
        Ok(ApplicationDelegation {
            application: read_application(row)?,
            audience: row.text("q.audience")?.to_owned(),
            scope,
            created_at: row.timestamp("oldest")?,
            used_at: row.timestamp("newest")?,
            expires_at: row.timestamp("last_end")?,
        })
    };
    rows.iter().map(read).collect()
}

/// The last use of a grant's refresh token, or else of its code. Unknown shortly before the refresh token expires.
fn last_use(row: &crate::row::SqlRow) -> Result<Option<Timestamp>, StoreFailure> {
    let idle = row.optional_timestamp("g.refresh_idle_expires_at")?;
    let expiry = row.optional_timestamp("g.refresh_expires_at")?;
    match idle.zip(expiry) {
        Some((idle, expiry)) => Ok(last_refresh(idle, expiry)),
        None => row.optional_timestamp("g.code_spent_at"),
    }
}

fn read_application(row: &crate::row::SqlRow) -> Result<AuthorizedApplication, StoreFailure> {
    Ok(AuthorizedApplication {
        client: row.client_id("c.id")?,
        kind: clients::read_kind(row, "c.kind")?,
        name: row.text("c.name")?.to_owned(),
        verified_at: row.optional_timestamp("c.verified_at")?,
        membership: row.id("m.id")?,
        organization: row.id("m.organization_id")?,
        metadata: JsonDocument::from_row(row, "c.metadata")?,
    })
}

static LIST_CONSENTS: SqlStatement = SqlStatement::new(
    "consents.agreements_of",
    "SELECT c.id, c.kind, c.name, c.verified_at, m.id, m.organization_id, c.metadata, x.audience, x.scope, \
     x.agreed_at, x.claims \
     FROM memberships m JOIN consents x ON x.membership_id = m.id JOIN clients c ON c.id = x.client_id \
     WHERE m.account_id = ?1 AND m.condition <> 'ended' AND x.revoked_at IS NULL AND c.condition <> 'ended' \
     ORDER BY c.id, m.id, x.audience",
);
static LIST_GRANTS: SqlStatement = SqlStatement::new(
    "grants.of_account",
    concat!(
        "SELECT c.id, c.kind, c.name, c.verified_at, m.id, m.organization_id, c.metadata, g.id, g.scopes, g.created_at, \
         g.expires_at, g.refresh_idle_expires_at, g.refresh_expires_at, g.code_spent_at FROM memberships m JOIN grants g ON g.membership_id = m.id AND g.account_id = m.account_id \
         JOIN organizations o ON o.id = g.organization_id JOIN accounts a ON a.id = g.account_id \
         JOIN clients c ON c.id = g.client_id LEFT JOIN sessions s ON s.id = g.session_id \
         WHERE m.account_id = ?1 AND m.condition = 'enabled' AND ",
        organization_counts!("o", "?2"),
        " AND ",
        client_counts!("c"),
        " AND ",
        grant_counts!("g", "a", "c", "s", "?2"),
        " ORDER BY c.id, m.id, g.id"
    ),
);
// From the grants and API keys of the account down to the exchanges of exchanged tokens.
static LIST_DELEGATIONS: SqlStatement = SqlStatement::new(
    "delegations.of_account",
    concat!(
        "SELECT c.id, c.kind, c.name, c.verified_at, m.id, m.organization_id, c.metadata, q.audience, q.scope, \
         MIN(q.created_at) AS oldest, MAX(q.created_at) AS newest, MAX(q.expires_at) AS last_end FROM (WITH RECURSIVE active (id, membership_id, \
         actor_client_id, audience, scope, created_at, expires_at) AS (\
         SELECT d.id, m.id, d.actor_client_id, d.audience, d.scope, d.created_at, d.expires_at \
         FROM memberships m JOIN grants g ON g.membership_id = m.id AND g.account_id = m.account_id \
         JOIN organizations o ON o.id = g.organization_id JOIN accounts a ON a.id = g.account_id \
         JOIN clients c ON c.id = g.client_id LEFT JOIN sessions s ON s.id = g.session_id \
         JOIN delegations d ON d.grant_id = g.id \
         WHERE m.account_id = ?1 AND m.condition = 'enabled' AND d.parent_id IS NULL AND ",
        organization_counts!("o", "?2"),
        " AND ",
        client_counts!("c"),
        " AND ",
        grant_counts!("g", "a", "c", "s", "?2"),
        " AND ",
        delegation_counts!("d", "?2"),
        " UNION ALL SELECT d.id, m.id, d.actor_client_id, d.audience, d.scope, d.created_at, d.expires_at \
         FROM memberships m JOIN organizations o ON o.id = m.organization_id \
         JOIN api_keys k ON k.membership_id = m.id JOIN delegations d ON d.api_key_id = k.id \
         WHERE m.account_id = ?1 AND m.condition = 'enabled' AND d.parent_id IS NULL AND ",
        organization_counts!("o", "?2"),
        " AND ",
        api_key_counts!("k", "?2"),
        " AND ",
        delegation_counts!("d", "?2"),
        " UNION ALL SELECT d.id, active.membership_id, d.actor_client_id, d.audience, d.scope, d.created_at, \
         d.expires_at FROM active JOIN delegations d ON d.parent_id = active.id WHERE ",
        delegation_counts!("d", "?2"),
        ") SELECT active.membership_id, active.actor_client_id, active.audience, active.scope, active.created_at, \
         active.expires_at FROM active) q \
         JOIN memberships m ON m.id = q.membership_id JOIN clients c ON c.id = q.actor_client_id \
         GROUP BY c.id, c.kind, c.name, c.verified_at, m.id, m.organization_id, c.metadata, q.audience, q.scope \
         ORDER BY c.id, m.id, q.audience, q.scope"
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&LIST_CONSENTS, &LIST_GRANTS, &LIST_DELEGATIONS];
