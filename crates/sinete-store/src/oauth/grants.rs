//! Grants: one authorization each, with its authorization code and refresh tokens in the same row. Revoking a
//! grant ends everything issued under it.

use crate::active_conditions::{filter_only, grant_is_alive, holders_count, session_counts};
use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::oauth::authorization_codes::NewAuthorizationCode;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::GuardedStatement;
use sinete_core::client_id::ClientId;
use sinete_core::id::{AccountId, GrantId, MembershipId, OrganizationId, SessionId};
use sinete_core::time::Timestamp;

/// The grant type by which a grant was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredGrantKind {
    /// Authorization code.
    Code,
    /// Device authorization.
    Device,
    /// CIBA.
    Backchannel,
}

impl StoredGrantKind {
    const ALL: [Self; 3] = [Self::Code, Self::Device, Self::Backchannel];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Device => "device",
            Self::Backchannel => "backchannel",
        }
    }
}

/// What ends a grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantLifespan {
    /// The end of its session, or its own expiry.
    Session,
    /// Only its own expiry.
    Expiry,
}

/// A grant to open.
#[derive(Debug)]
pub struct NewGrant<'a> {
    /// Its id.
    pub id: GrantId,
    /// The grant type.
    pub kind: StoredGrantKind,
    /// The membership that gives it.
    pub membership: MembershipId,
    /// The account's epoch when it was read.
    pub account_epoch: i64,
    /// The client that receives it.
    pub client: &'a ClientId,
    /// The session it is given in.
    pub session: SessionId,
    /// Its lifetime.
    pub lifespan: GrantLifespan,
    /// The consented scopes, per audience: what was requested, not the permissions held.
    pub scopes: &'a JsonDocument,
    /// The consented authorization details (RFC 9396).
    pub details: &'a JsonDocument,
    /// How and when the user authenticated.
    pub authentication: &'a JsonDocument,
    /// When it is opened.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// A grant as stored. [`crate::oauth::subject_state`] decides whether it is active.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantRow {
    /// Its id.
    pub id: GrantId,
    /// The grant type.
    pub kind: StoredGrantKind,
    /// The organization it is valid in.
    pub organization: OrganizationId,
    /// The membership that gave it.
    pub membership: MembershipId,
    /// The account of that membership.
    pub account: AccountId,
    /// The client that received it.
    pub client: ClientId,
    /// The session that ends it; `None` if it outlives the session.
    pub session: Option<SessionId>,
    /// The consented scopes, per audience.
    pub scopes: JsonDocument,
    /// The consented authorization details (RFC 9396).
    pub details: JsonDocument,
    /// How and when the user authenticated.
    pub authentication: JsonDocument,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
    /// When it was revoked, if it was.
    pub revoked_at: Option<Timestamp>,
}

/// Opens a grant, if the session, its account at that epoch, the membership, the organization and the client
/// are all active.
pub fn open_grant(grant: &NewGrant<'_>) -> GuardedStatement {
    GuardedStatement::exactly_one(&OPEN, grant.parameters())
}

/// A stored consent that a new grant relies on.
#[derive(Clone, Copy, Debug)]
pub struct PriorConsent<'a> {
    /// The API.
    pub audience: &'a str,
    /// When consent was given.
    pub at: Timestamp,
}

/// Opens a grant together with its authorization code, under the same conditions. If it relies on a prior
/// consent, that must not have been withdrawn.
pub fn open_grant_with_code(
    grant: &NewGrant<'_>,
    code: &NewAuthorizationCode<'_>,
    prior_consent: Option<PriorConsent<'_>>,
) -> GuardedStatement {
    let of_code = [
        code.digest.into(),
        code.redirect_uri.into(),
        code.challenge.into(),
        code.request.into(),
        code.expires_at.into(),
        prior_consent.map(|prior_consent| prior_consent.audience).into(),
        prior_consent.map(|prior_consent| prior_consent.at).into(),
    ];
    let parameters: Vec<_> = grant.parameters().into_iter().chain(of_code).collect();
    GuardedStatement::exactly_one(&OPEN_WITH_CODE, parameters)
}

impl NewGrant<'_> {
    fn parameters(&self) -> [SqlValue; 12] {
        let outlives = self.lifespan == GrantLifespan::Expiry;
        [
            self.id.into(),
            self.kind.as_str().into(),
            self.membership.into(),
            self.account_epoch.into(),
            self.client.into(),
            self.session.into(),
            outlives.into(),
            self.scopes.into(),
            self.details.into(),
            self.authentication.into(),
            self.created_at.into(),
            self.expires_at.into(),
        ]
    }
}

/// Finds the grant of this id, in any state.
pub async fn find_grant(store: &Store, id: GrantId) -> Result<Option<GrantRow>, StoreFailure> {
    store.read_first(&FIND, &[id.into()]).await?.as_ref().map(read_grant_columns).transpose()
}

/// The organization of the newest active grant that this session gave this client.
pub async fn find_session_organization(
    store: &Store,
    session: SessionId,
    client: &ClientId,
    now: Timestamp,
) -> Result<Option<OrganizationId>, StoreFailure> {
    let row =
        store.read_first(&FIND_SESSION_ORGANIZATION, &[session.into(), client.into(), now.into()]).await?;
    row.map(|row| row.id("l.organization_id")).transpose()
}

/// The scopes of every active grant that this membership gave this client.
pub async fn list_granted_scopes(
    store: &Store,
    membership: MembershipId,
    client: &ClientId,
    now: Timestamp,
) -> Result<Vec<JsonDocument>, StoreFailure> {
    let rows = store.read_all(&LIST_SCOPES, &[membership.into(), client.into(), now.into()]).await?;
    rows.iter().map(|row| JsonDocument::from_row(row, "l.scopes")).collect()
}

/// Revokes the grant with a reason. Idempotent: the first reason stays.
pub fn revoke_grant(id: GrantId, because: &str, now: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(&REVOKE, [id.into(), because.into(), now.into()])
}

/// Revokes every grant a membership gave to a client.
pub fn revoke_client_grants(
    membership: MembershipId,
    client: &ClientId,
    because: &str,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::any_number(
        &REVOKE_BY_MEMBERSHIP,
        [membership.into(), client.into(), because.into(), now.into()],
    )
}

/// Reads the grant type from a column.
pub(crate) fn read_kind(row: &SqlRow, column: &str) -> Result<StoredGrantKind, StoreFailure> {
    let kind = row.text(column)?;
    let kind = StoredGrantKind::ALL.into_iter().find(|it| it.as_str() == kind);
    kind.ok_or_else(|| row.damaged_column(column, "a kind of grant"))
}

/// Reads the grant `g` of a row.
pub(crate) fn read_grant_columns(row: &SqlRow) -> Result<GrantRow, StoreFailure> {
    Ok(GrantRow {
        id: row.id("g.id")?,
        kind: read_kind(row, "g.kind")?,
        organization: row.id("g.organization_id")?,
        membership: row.id("g.membership_id")?,
        account: row.id("g.account_id")?,
        client: row.client_id("g.client_id")?,
        session: row.optional_id("g.session_id")?,
        scopes: JsonDocument::from_row(row, "g.scopes")?,
        details: JsonDocument::from_row(row, "g.details")?,
        authentication: JsonDocument::from_row(row, "g.authentication")?,
        created_at: row.timestamp("g.created_at")?,
        expires_at: row.timestamp("g.expires_at")?,
        revoked_at: row.optional_timestamp("g.revoked_at")?,
    })
}

/// Lists a page of the grants in an organization, oldest first, in any state.
pub async fn list_grants(
    store: &Store,
    organization: OrganizationId,
    after: Option<GrantId>,
    limit: u32,
) -> Result<Vec<GrantRow>, StoreFailure> {
    let parameters = [organization.into(), page_start(after), limit.into()];
    store.read_list(&PAGE, &parameters).await?.iter().map(read_grant_columns).collect()
}

/// Lists a page of the grants that one member gave, oldest first.
pub async fn list_member_grants(
    store: &Store,
    organization: OrganizationId,
    member: MembershipId,
    after: Option<GrantId>,
    limit: u32,
) -> Result<Vec<GrantRow>, StoreFailure> {
    let parameters = [organization.into(), page_start(after), limit.into(), member.into()];
    store.read_list(&PAGE_OF_MEMBER, &parameters).await?.iter().map(read_grant_columns).collect()
}

/// Lists the latest active grants of a member, each with the session that it was given in. One that ends with its
/// session is active as long as that is.
pub async fn list_active_member_grants(
    store: &Store,
    organization: OrganizationId,
    member: MembershipId,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<(GrantRow, Option<SessionId>)>, StoreFailure> {
    let parameters = [organization.into(), member.into(), now.into(), limit.into()];
    let read = |row: &SqlRow| Ok((read_grant_columns(row)?, row.optional_id("g.given_in")?));
    store.read_list(&ACTIVE_OF_MEMBER, &parameters).await?.iter().map(read).collect()
}

/// The start of a page: empty bytes sort before every id.
fn page_start(after: Option<GrantId>) -> SqlValue {
    after.map_or_else(SqlValue::empty_bytes, SqlValue::from)
}

/// The columns that a grant is read from.
macro_rules! page {
    ($more:literal) => {
        concat!(
            "SELECT g.id, g.kind, g.organization_id, g.membership_id, g.account_id, g.client_id, g.session_id, g.scopes, \
             g.details, g.authentication, g.created_at, g.expires_at, g.revoked_at \
             FROM grants g WHERE g.organization_id = ?1 AND g.id > ?2",
            $more,
            " ORDER BY g.id LIMIT ?3"
        )
    };
}

/// Inserts a grant with additional columns and values.
macro_rules! opened {
    ($columns:literal, $values:literal, $condition:expr) => {
        concat!(
            "INSERT INTO grants (id, kind, organization_id, membership_id, account_id, account_epoch, client_id, \
             client_epoch, session_id, given_in, scopes, details, authentication, created_at, expires_at",
            $columns,
            ") SELECT ?1, ?2, o.id, m.id, a.id, a.epoch, c.id, c.epoch, \
             CASE WHEN CAST(?7 AS BIGINT) = 1 THEN NULL ELSE s.id END, s.id, ?8, ?9, ?10, ?11, ?12",
            $values,
            " FROM memberships m JOIN organizations o ON o.id = m.organization_id \
             JOIN accounts a ON a.id = m.account_id JOIN sessions s ON s.account_id = a.id \
             JOIN clients c ON c.id = ?5 \
             WHERE m.id = ?3 AND s.id = ?6 AND a.epoch = ?4 AND ",
            holders_count!("o", "m", "a", "c", "?11"),
            " AND ",
            session_counts!("s", "a", "?11"),
            $condition
        )
    };
}

static PAGE: SqlStatement = SqlStatement::new("grants.page", page!(""));
static PAGE_OF_MEMBER: SqlStatement =
    SqlStatement::new("grants.page_of_member", page!(" AND g.membership_id = ?4"));
static ACTIVE_OF_MEMBER: SqlStatement = SqlStatement::new(
    "grants.active_of_member",
    concat!(
        "SELECT g.id, g.kind, g.organization_id, g.membership_id, g.account_id, g.client_id, g.session_id, g.scopes, \
         g.details, g.authentication, g.created_at, g.expires_at, g.revoked_at, g.given_in FROM grants g \
         WHERE g.organization_id = ?1 AND g.membership_id = ?2 AND g.revoked_at IS NULL AND g.expires_at > ?3 \
         AND (g.session_id IS NULL OR EXISTS (SELECT 1 FROM sessions s JOIN accounts a ON a.id = s.account_id \
         WHERE s.id = g.session_id AND ",
        session_counts!("s", "a", "?3"),
        " LIMIT 1 OFFSET 0)) ORDER BY g.created_at DESC, g.id DESC LIMIT ?4"
    ),
);
static OPEN: SqlStatement = SqlStatement::one_row("grants.open", opened!("", "", ""));
static OPEN_WITH_CODE: SqlStatement = SqlStatement::one_row(
    "grants.open_with_code",
    opened!(
        ", code_digest, code_redirect_uri, code_challenge, code_request, code_expires_at",
        ", ?13, ?14, ?15, ?16, ?17",
        concat!(
            " AND (CAST(?18 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM consents q WHERE q.membership_id = m.id AND ",
            filter_only!("q.client_id = c.id"),
            " AND q.audience = ?18 AND q.revoked_at IS NULL AND q.agreed_at = ?19))"
        )
    ),
);
static FIND: SqlStatement = SqlStatement::new(
    "grants.find",
    "SELECT g.id, g.kind, g.organization_id, g.membership_id, g.account_id, g.client_id, g.session_id, g.scopes, \
     g.details, g.authentication, g.created_at, g.expires_at, g.revoked_at FROM grants g WHERE g.id = ?1",
);
static FIND_SESSION_ORGANIZATION: SqlStatement = SqlStatement::new(
    "grants.given_in",
    concat!(
        "SELECT l.organization_id FROM grants l WHERE l.given_in = ?1 AND l.client_id = ?2 AND ",
        grant_is_alive!("l.id", "?3"),
        " ORDER BY l.created_at DESC, l.id DESC LIMIT 1"
    ),
);
static LIST_SCOPES: SqlStatement = SqlStatement::new(
    "grants.scopes_between",
    concat!(
        "SELECT l.scopes FROM grants l WHERE l.membership_id = ?1 AND l.client_id = ?2 AND ",
        grant_is_alive!("l.id", "?3")
    ),
);
static REVOKE: SqlStatement = SqlStatement::new(
    "grants.revoke",
    "UPDATE grants SET revoked_at = ?3, revoked_because = ?2, version = version + 1 \
     WHERE id = ?1 AND revoked_at IS NULL",
);
static REVOKE_BY_MEMBERSHIP: SqlStatement = SqlStatement::new(
    "grants.revoke_all_of",
    "UPDATE grants SET revoked_at = ?4, revoked_because = ?3, version = version + 1 \
     WHERE membership_id = ?1 AND client_id = ?2 AND revoked_at IS NULL",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &OPEN,
    &OPEN_WITH_CODE,
    &FIND,
    &PAGE,
    &PAGE_OF_MEMBER,
    &ACTIVE_OF_MEMBER,
    &FIND_SESSION_ORGANIZATION,
    &LIST_SCOPES,
    &REVOKE,
    &REVOKE_BY_MEMBERSHIP,
];
