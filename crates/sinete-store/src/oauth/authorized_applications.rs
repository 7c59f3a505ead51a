//! The applications a user has authorized: stored consents and active grants.

use crate::active_conditions::{client_counts, grant_counts, organization_counts};
use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::statement::SqlStatement;
use crate::store::Store;
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::client_id::ClientId;
use sinete_core::id::{AccountId, GrantId, MembershipId, OrganizationId};
use sinete_core::oauth::claims::IndividualClaims;
use sinete_core::time::Timestamp;

/// An application, and the membership it acts for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorizedApplication {
    /// The client.
    pub client: ClientId,
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
    pub with: AuthorizedApplication,
    /// The API.
    pub audience: String,
    /// The scopes.
    pub scope: ScopeSet,
    /// The claims that were requested by name.
    pub claims: IndividualClaims,
    /// When consent was given.
    pub agreed_at: Timestamp,
}

/// An active grant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplicationGrant {
    /// The client and the membership.
    pub by: AuthorizedApplication,
    /// Its id.
    pub grant: GrantId,
    /// The consented scopes, per audience.
    pub scopes: JsonDocument,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// Lists the user's consents that were not withdrawn, across all memberships.
pub async fn list_account_consents(
    store: &Store,
    account: AccountId,
) -> Result<Vec<ApplicationConsent>, StoreFailure> {
    let rows = store.read_all(&AGREEMENTS_OF, &[account.into()]).await?;
    let read = |row: &crate::row::SqlRow| {
        let scope =
            row.text("x.scope")?.parse().map_err(|_| row.damaged_column("x.scope", "a set of scopes"))?;
        let (audience, agreed_at) = (row.text("x.audience")?.to_owned(), row.timestamp("x.agreed_at")?);
        let claims = IndividualClaims::from_names(row.text("x.claims")?.split(' '));
        Ok(ApplicationConsent { with: application(row)?, audience, scope, claims, agreed_at })
    };
    rows.iter().map(read).collect()
}

/// Lists the user's active grants, across all memberships.
pub async fn list_account_grants(
    store: &Store,
    account: AccountId,
    now: Timestamp,
) -> Result<Vec<ApplicationGrant>, StoreFailure> {
    let rows = store.read_all(&GRANTS_OF, &[account.into(), now.into()]).await?;
    let read = |row: &crate::row::SqlRow| {
        Ok(ApplicationGrant {
            by: application(row)?,
            grant: row.id("g.id")?,
            scopes: JsonDocument::from_row(row, "g.scopes")?,
            created_at: row.timestamp("g.created_at")?,
            expires_at: row.timestamp("g.expires_at")?,
        })
    };
    rows.iter().map(read).collect()
}

fn application(row: &crate::row::SqlRow) -> Result<AuthorizedApplication, StoreFailure> {
    Ok(AuthorizedApplication {
        client: row.client_id("c.id")?,
        name: row.text("c.name")?.to_owned(),
        verified_at: row.optional_timestamp("c.verified_at")?,
        membership: row.id("m.id")?,
        organization: row.id("m.organization_id")?,
        metadata: JsonDocument::from_row(row, "c.metadata")?,
    })
}

static AGREEMENTS_OF: SqlStatement = SqlStatement::new(
    "consents.agreements_of",
    "SELECT c.id, c.name, c.verified_at, m.id, m.organization_id, c.metadata, x.audience, x.scope, \
     x.agreed_at, x.claims \
     FROM memberships m JOIN consents x ON x.membership_id = m.id JOIN clients c ON c.id = x.client_id \
     WHERE m.account_id = ?1 AND m.condition <> 'ended' AND x.revoked_at IS NULL AND c.condition <> 'ended' \
     ORDER BY c.id, m.id, x.audience",
);
static GRANTS_OF: SqlStatement = SqlStatement::new(
    "grants.of_account",
    concat!(
        "SELECT c.id, c.name, c.verified_at, m.id, m.organization_id, c.metadata, g.id, g.scopes, g.created_at, \
         g.expires_at FROM memberships m JOIN grants g ON g.membership_id = m.id AND g.account_id = m.account_id \
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

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&AGREEMENTS_OF, &GRANTS_OF];
