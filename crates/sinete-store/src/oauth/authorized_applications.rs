//! What a person let applications do in their name: agreements that are remembered, and grants that count.

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

/// An application, and in which organization it acts for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorizedApplication {
    /// The application.
    pub client: ClientId,
    /// What it calls itself.
    pub name: String,
    /// When an operator vouched for it, if one did.
    pub verified_at: Option<Timestamp>,
    /// The membership it acts for.
    pub membership: MembershipId,
    /// The organization of that membership.
    pub organization: OrganizationId,
    /// What it says about itself.
    pub metadata: JsonDocument,
}

/// An agreement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplicationConsent {
    /// With whom, and for which membership.
    pub with: AuthorizedApplication,
    /// At which API.
    pub audience: String,
    /// About what.
    pub scope: ScopeSet,
    /// About which claims, where they were asked for by their names.
    pub claims: IndividualClaims,
    /// When.
    pub agreed_at: Timestamp,
}

/// A grant that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplicationGrant {
    /// Who holds it, and for which membership.
    pub by: AuthorizedApplication,
    /// Its id.
    pub grant: GrantId,
    /// The scopes agreed to, per audience.
    pub scopes: JsonDocument,
    /// When it was given.
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Timestamp,
}

/// What the person agreed to and did not take back, in any of their memberships.
pub async fn list_account_consents(
    store: &Store,
    account: AccountId,
) -> Result<Vec<ApplicationConsent>, StoreFailure> {
    let rows = store.read_all(&AGREEMENTS_OF, &[account.into()]).await?;
    let read = |row: &crate::row::SqlRow| {
        let scope = row.text(7)?.parse().map_err(|_| row.damaged_column(7, "a set of scopes"))?;
        let (audience, agreed_at) = (row.text(6)?.to_owned(), row.timestamp(8)?);
        let claims = IndividualClaims::from_names(row.text(9)?.split(' '));
        Ok(ApplicationConsent { with: application(row)?, audience, scope, claims, agreed_at })
    };
    rows.iter().map(read).collect()
}

/// The grants of the person that count now, in any of their memberships.
pub async fn list_account_grants(
    store: &Store,
    account: AccountId,
    now: Timestamp,
) -> Result<Vec<ApplicationGrant>, StoreFailure> {
    let rows = store.read_all(&GRANTS_OF, &[account.into(), now.into()]).await?;
    let read = |row: &crate::row::SqlRow| {
        Ok(ApplicationGrant {
            by: application(row)?,
            grant: row.id(6)?,
            scopes: JsonDocument::from_row(row, 7)?,
            created_at: row.timestamp(8)?,
            expires_at: row.timestamp(9)?,
        })
    };
    rows.iter().map(read).collect()
}

fn application(row: &crate::row::SqlRow) -> Result<AuthorizedApplication, StoreFailure> {
    Ok(AuthorizedApplication {
        client: row.client_id(0)?,
        name: row.text(1)?.to_owned(),
        verified_at: row.optional_timestamp(2)?,
        membership: row.id(3)?,
        organization: row.id(4)?,
        metadata: JsonDocument::from_row(row, 5)?,
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
