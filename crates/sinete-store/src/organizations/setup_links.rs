//! Set-up links: one browser opens each, prepares single sign-on, SCIM and a domain, and an owner confirms.

use crate::active_conditions::organization_is_enabled;
use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::{GuardConflict, GuardedStatement};
use sinete_core::id::{ConnectionId, OrganizationId, SetupLinkId};
use sinete_core::limits::SETUP_LINKS_MAX;
use sinete_core::organizations::domains::OrganizationDomain;
use sinete_core::secret::{ApiKey, Digest, SetupLinkToken, SetupSessionToken};
use sinete_core::time::Timestamp;

/// A link to issue.
#[derive(Debug)]
pub struct NewSetupLink<'a> {
    /// Its id.
    pub id: SetupLinkId,
    /// The organization.
    pub organization: OrganizationId,
    /// Digest of the token in the link.
    pub digest: &'a Digest<SetupLinkToken>,
    /// Who issued it, by kind and id.
    pub made_by: &'a str,
    /// The id that a prepared connection gets.
    pub connection: ConnectionId,
    /// When it is issued.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// A link as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupLinkRow {
    /// Its id.
    pub id: SetupLinkId,
    /// The organization.
    pub organization: OrganizationId,
    /// Who issued it, by kind and id.
    pub made_by: String,
    /// The id that a prepared connection has.
    pub connection: ConnectionId,
    /// The prepared domain.
    pub domain: Option<OrganizationDomain>,
    /// The digest of the prepared SCIM token.
    pub scim: Option<Digest<ApiKey>>,
    /// When it was issued.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
    /// When a browser opened it.
    pub opened_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// When an owner confirmed it.
    pub confirmed_at: Option<Timestamp>,
    /// Row version, which every preparation increments.
    pub version: i64,
}

/// Issues a link, if the organization is enabled and has not too many open ones.
pub fn create_setup_link(link: &NewSetupLink<'_>) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &CREATE,
        [
            link.id.into(),
            link.organization.into(),
            link.digest.into(),
            link.made_by.into(),
            link.connection.into(),
            link.created_at.into(),
            link.expires_at.into(),
            SETUP_LINKS_MAX.into(),
        ],
    )
}

/// Binds the link to a browser, if none opened it before and it is open.
pub fn open_setup_link(
    digest: &Digest<SetupLinkToken>,
    session: &Digest<SetupSessionToken>,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(&OPEN, [digest.into(), session.into(), now.into()])
}

/// Finds the unopened link with this token.
pub async fn find_unopened_link(
    store: &Store,
    digest: &Digest<SetupLinkToken>,
    now: Timestamp,
) -> Result<Option<SetupLinkRow>, StoreFailure> {
    store.read_first(&FIND_UNOPENED, &[digest.into(), now.into()]).await?.as_ref().map(read).transpose()
}

/// Finds the open link that this browser opened.
pub async fn find_link_of_session(
    store: &Store,
    session: &Digest<SetupSessionToken>,
    now: Timestamp,
) -> Result<Option<SetupLinkRow>, StoreFailure> {
    store.read_first(&FIND_BY_SESSION, &[session.into(), now.into()]).await?.as_ref().map(read).transpose()
}

/// Records that a connection was prepared, if the link is open.
pub fn record_prepared_connection(id: SetupLinkId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&PREPARE_CONNECTION, [id.into(), now.into()])
}

/// Records the prepared domain, if the link is open and has none.
pub fn record_prepared_domain(
    id: SetupLinkId,
    domain: &OrganizationDomain,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(&PREPARE_DOMAIN, [id.into(), now.into(), domain.as_str().into()])
}

/// Records the digest of a prepared SCIM token in place of an earlier one, if the link is open.
pub fn record_prepared_scim(id: SetupLinkId, digest: &Digest<ApiKey>, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&PREPARE_SCIM, [id.into(), now.into(), digest.into()])
}

/// Revokes the link, if it was neither revoked nor confirmed.
pub fn revoke_setup_link(organization: OrganizationId, id: SetupLinkId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&REVOKE, [organization.into(), id.into(), now.into()])
}

/// Confirms the link, if it is open and nothing was prepared since it was read.
pub fn confirm_setup_link(link: &SetupLinkRow, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&CONFIRM, [link.id.into(), link.version.into(), now.into()])
}

/// Whether the batch was rejected because the link is not open.
pub fn is_link_conflict(conflict: &GuardConflict) -> bool {
    [&OPEN, &PREPARE_CONNECTION, &PREPARE_DOMAIN, &PREPARE_SCIM]
        .iter()
        .any(|statement| conflict.statement() == statement.name())
}

/// Lists a page of the organization's links, oldest first.
pub async fn list_setup_links(
    store: &Store,
    organization: OrganizationId,
    after: Option<SetupLinkId>,
    limit: u32,
) -> Result<Vec<SetupLinkRow>, StoreFailure> {
    // Empty bytes sort before every id.
    let after = after.map_or_else(SqlValue::empty_bytes, SqlValue::from);
    store.read_list(&PAGE, &[organization.into(), after, limit.into()]).await?.iter().map(read).collect()
}

/// Lists links that expired before this moment without a confirmation, and whose prepared connection is still there:
/// disabled, and saved by no owner.
pub async fn list_expired_preparations(
    store: &Store,
    before: Timestamp,
    limit: u32,
) -> Result<Vec<SetupLinkRow>, StoreFailure> {
    store.read_list(&EXPIRED_PREPARATIONS, &[before.into(), limit.into()]).await?.iter().map(read).collect()
}

/// Finds a link of this organization, in any state.
pub async fn find_setup_link(
    store: &Store,
    organization: OrganizationId,
    id: SetupLinkId,
) -> Result<Option<SetupLinkRow>, StoreFailure> {
    store.read_first(&FIND, &[organization.into(), id.into()]).await?.as_ref().map(read).transpose()
}

fn read(row: &SqlRow) -> Result<SetupLinkRow, StoreFailure> {
    let domain = row.optional_text("domain")?.map(str::parse::<OrganizationDomain>).transpose();
    let scim = row.optional_blob("scim_digest")?.map(<[u8; 32]>::try_from).transpose();
    Ok(SetupLinkRow {
        id: row.id("id")?,
        organization: row.id("organization_id")?,
        made_by: row.text("made_by")?.to_owned(),
        connection: row.id("connection_id")?,
        domain: domain.map_err(|_| row.damaged_column("domain", "a domain"))?,
        scim: scim.map_err(|_| row.damaged_column("scim_digest", "a digest"))?.map(Digest::from_bytes),
        created_at: row.timestamp("created_at")?,
        expires_at: row.timestamp("expires_at")?,
        opened_at: row.optional_timestamp("opened_at")?,
        revoked_at: row.optional_timestamp("revoked_at")?,
        confirmed_at: row.optional_timestamp("confirmed_at")?,
        version: row.integer("version")?,
    })
}

/// The columns that a link is read from.
macro_rules! columns {
    () => {
        "SELECT id, organization_id, made_by, connection_id, domain, scim_digest, created_at, expires_at, opened_at, \
         revoked_at, confirmed_at, version FROM setup_links WHERE "
    };
}

/// Holds while the link can be used.
macro_rules! is_open {
    ($now:literal) => {
        concat!(
            "revoked_at IS NULL AND confirmed_at IS NULL AND expires_at > ",
            $now,
            " AND ",
            organization_is_enabled!("setup_links.organization_id", $now)
        )
    };
}

static CREATE: SqlStatement = SqlStatement::new(
    "setup_links.create",
    concat!(
        "INSERT INTO setup_links (id, organization_id, digest, made_by, connection_id, created_at, expires_at) \
         SELECT ?1, o.id, ?3, ?4, ?5, ?6, ?7 FROM organizations o WHERE o.id = ?2 \
         AND (SELECT COUNT(*) FROM setup_links WHERE organization_id = ?2 AND revoked_at IS NULL \
         AND confirmed_at IS NULL AND expires_at > ?6) < ?8 AND ",
        organization_is_enabled!("?2", "?6")
    ),
);
static OPEN: SqlStatement = SqlStatement::single_use(
    "setup_links.open",
    concat!(
        "UPDATE setup_links SET session_digest = ?2, opened_at = ?3, version = version + 1 \
         WHERE digest = ?1 AND session_digest IS NULL AND ",
        is_open!("?3")
    ),
);
static FIND_UNOPENED: SqlStatement = SqlStatement::new(
    "setup_links.unopened",
    concat!(columns!(), "digest = ?1 AND session_digest IS NULL AND ", is_open!("?2")),
);
static FIND_BY_SESSION: SqlStatement = SqlStatement::new(
    "setup_links.of_session",
    concat!(columns!(), "session_digest = ?1 AND ", is_open!("?2")),
);
static PREPARE_CONNECTION: SqlStatement = SqlStatement::new(
    "setup_links.prepare_connection",
    concat!("UPDATE setup_links SET version = version + 1 WHERE id = ?1 AND ", is_open!("?2")),
);
static PREPARE_DOMAIN: SqlStatement = SqlStatement::new(
    "setup_links.prepare_domain",
    concat!(
        "UPDATE setup_links SET domain = ?3, version = version + 1 WHERE id = ?1 AND domain IS NULL AND ",
        is_open!("?2")
    ),
);
static PREPARE_SCIM: SqlStatement = SqlStatement::new(
    "setup_links.prepare_scim",
    concat!(
        "UPDATE setup_links SET scim_digest = ?3, version = version + 1 WHERE id = ?1 AND ",
        is_open!("?2")
    ),
);
static REVOKE: SqlStatement = SqlStatement::new(
    "setup_links.revoke",
    "UPDATE setup_links SET revoked_at = ?3, version = version + 1 \
     WHERE organization_id = ?1 AND id = ?2 AND revoked_at IS NULL AND confirmed_at IS NULL",
);
static CONFIRM: SqlStatement = SqlStatement::single_use(
    "setup_links.confirm",
    concat!(
        "UPDATE setup_links SET confirmed_at = ?3, version = version + 1 WHERE id = ?1 AND version = ?2 AND ",
        is_open!("?3")
    ),
);
static PAGE: SqlStatement = SqlStatement::new(
    "setup_links.page",
    concat!(columns!(), "organization_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3"),
);
static EXPIRED_PREPARATIONS: SqlStatement = SqlStatement::new(
    "setup_links.expired_preparations",
    concat!(
        columns!(),
        "expires_at < ?1 AND revoked_at IS NULL AND confirmed_at IS NULL AND EXISTS (SELECT 1 FROM connections c \
         WHERE c.id = setup_links.connection_id AND c.removed_at IS NULL AND c.is_enabled = 0 \
         AND c.is_confirmed = 0) ORDER BY expires_at LIMIT ?2"
    ),
);
static FIND: SqlStatement =
    SqlStatement::new("setup_links.find", concat!(columns!(), "organization_id = ?1 AND id = ?2"));

pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &CREATE,
    &OPEN,
    &FIND_UNOPENED,
    &FIND_BY_SESSION,
    &PREPARE_CONNECTION,
    &PREPARE_DOMAIN,
    &PREPARE_SCIM,
    &REVOKE,
    &CONFIRM,
    &PAGE,
    &EXPIRED_PREPARATIONS,
    &FIND,
];
