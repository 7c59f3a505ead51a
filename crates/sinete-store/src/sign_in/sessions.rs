//! Sessions of signed-in browsers and devices. Whether a session is active is checked on every use.

pub(crate) mod session_end;

pub use session_end::{
    end_account_sessions, end_all_sessions, end_other_sessions, end_session, erase_account_sessions,
    list_sessions_ended_at,
};

use crate::active_conditions::session_counts;
use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::assurance::{AssuranceLevel, AuthenticationEvidence};
use sinete_core::id::{AccountId, SessionId};
use sinete_core::limits::{AAL2_IDLE_MAX, ACCOUNT_SESSIONS_MAX, LAST_USE_UPDATE_INTERVAL};
use sinete_core::secret::{DeviceCookie, Digest, SessionToken};
use sinete_core::time::Timestamp;

/// A session to start.
#[derive(Debug)]
pub struct NewSession<'a> {
    /// Its id.
    pub id: SessionId,
    /// Digest of the session token.
    pub digest: &'a Digest<SessionToken>,
    /// The account.
    pub account: AccountId,
    /// The account's epoch when it was read.
    pub account_epoch: i64,
    /// The authentication evidence (`amr`), with times.
    pub evidence: &'a JsonDocument,
    /// The device, if known.
    pub device: Option<&'a Digest<DeviceCookie>>,
    /// The description shown to the user.
    pub description: &'a JsonDocument,
    /// When it starts.
    pub created_at: Timestamp,
    /// When it ends if unused.
    pub idle_expires_at: Timestamp,
    /// When it ends regardless of use.
    pub expires_at: Timestamp,
}

/// An active session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    /// Its id.
    pub id: SessionId,
    /// The account.
    pub account: AccountId,
    /// The account's epoch.
    pub account_epoch: i64,
    /// The authentication evidence (`amr`), with times.
    pub evidence: JsonDocument,
    /// When the user last authenticated.
    pub authenticated_at: Timestamp,
    /// When it started.
    pub created_at: Timestamp,
    /// When it was last used, to the minute.
    pub used_at: Timestamp,
    /// When it was first found idle too long for the higher assurance level, since its evidence last changed.
    pub assurance_lapsed_at: Option<Timestamp>,
    /// When it ends if unused.
    pub idle_expires_at: Timestamp,
    /// When it ends regardless of use.
    pub expires_at: Timestamp,
    /// The device, if known.
    pub device: Option<Digest<DeviceCookie>>,
    /// The description shown to the user.
    pub description: JsonDocument,
    /// Version of the evidence.
    pub version: i64,
}

/// When the user last authenticated in a session, and its use since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionFreshness {
    /// When the user last authenticated.
    pub authenticated_at: Timestamp,
    /// When it was last used, to the minute.
    pub used_at: Timestamp,
    /// When it was first found idle too long for the higher assurance level.
    pub assurance_lapsed_at: Option<Timestamp>,
}

/// The changes to a session after another authentication in it.
#[derive(Debug)]
pub struct SessionTokenRenewal<'a> {
    /// Digest of the new session token.
    pub digest: &'a Digest<SessionToken>,
    /// All evidence by now.
    pub evidence: &'a JsonDocument,
    /// When the user last authenticated.
    pub authenticated_at: Timestamp,
}

/// Starts a session, if the account can sign in and is still at that epoch.
pub fn start_session(session: &NewSession<'_>) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &START,
        [
            session.id.into(),
            session.digest.into(),
            session.account.into(),
            session.account_epoch.into(),
            session.evidence.into(),
            session.created_at.into(),
            session.idle_expires_at.into(),
            session.expires_at.into(),
            session.device.into(),
            session.description.into(),
        ],
    )
}

/// Finds the session with this digest, if it and its account are active.
pub async fn find_session(
    store: &Store,
    digest: &Digest<SessionToken>,
    now: Timestamp,
) -> Result<Option<SessionRow>, StoreFailure> {
    store
        .read_first(&FIND, &[digest.into(), now.into()])
        .await?
        .as_ref()
        .map(read_session_columns)
        .transpose()
}

/// Finds the session of this id, if it and its account are active.
pub async fn find_session_by_id(
    store: &Store,
    id: SessionId,
    now: Timestamp,
) -> Result<Option<SessionRow>, StoreFailure> {
    store
        .read_first(&FIND_BY_ID, &[id.into(), now.into()])
        .await?
        .as_ref()
        .map(read_session_columns)
        .transpose()
}

/// Lists the active sessions of an account, oldest first.
pub async fn list_account_sessions(
    store: &Store,
    account: AccountId,
    now: Timestamp,
) -> Result<Vec<SessionRow>, StoreFailure> {
    store
        .read_all(&LIST_BY_ACCOUNT, &[account.into(), now.into()])
        .await?
        .iter()
        .map(read_session_columns)
        .collect()
}

impl SessionFreshness {
    /// The current assurance level of the session; `None` without evidence. Once it has been idle too long,
    /// use does not raise it again.
    pub fn assurance_level(
        &self,
        evidence: &AuthenticationEvidence,
        now: Timestamp,
    ) -> Option<AssuranceLevel> {
        let level = evidence.effective_level(self.used_at, now);
        level.map(|level| if self.assurance_lapsed_at.is_some() { AssuranceLevel::One } else { level })
    }

    /// Reads three columns of the session `s`.
    pub(crate) fn read_columns(row: &SqlRow) -> Result<Self, StoreFailure> {
        Ok(Self {
            authenticated_at: row.timestamp("s.authenticated_at")?,
            used_at: row.timestamp("s.used_at")?,
            assurance_lapsed_at: row.optional_timestamp("s.rested_at")?,
        })
    }
}

impl SessionRow {
    /// The current assurance level; `None` without evidence.
    pub fn assurance_level(
        &self,
        evidence: &AuthenticationEvidence,
        now: Timestamp,
    ) -> Option<AssuranceLevel> {
        self.freshness().assurance_level(evidence, now)
    }

    /// The evidence with times. Evidence that an earlier release stored without a time is as old as the
    /// session, because it is unknown whether it was added later.
    pub fn dated_evidence(&self) -> Result<AuthenticationEvidence, StoreFailure> {
        let evidence: AuthenticationEvidence = self.evidence.parse()?;
        Ok(evidence.date_undated_proofs(self.created_at))
    }

    /// The session's freshness.
    pub const fn freshness(&self) -> SessionFreshness {
        let Self { authenticated_at, used_at, assurance_lapsed_at: rested_at, .. } = *self;
        SessionFreshness { authenticated_at, used_at, assurance_lapsed_at: rested_at }
    }

    /// Whether the last recorded use is old enough to be updated.
    pub fn needs_touch(&self, now: Timestamp) -> bool {
        self.used_at.plus(LAST_USE_UPDATE_INTERVAL) <= now
    }
}

/// Records use of the session and moves its idle expiry. Does nothing if use was recorded a moment ago.
///
/// No change may make a session less fresh: its freshness may have been read some minutes before it is
/// applied (docs/contribute/decisions/0220-refresh-tokens-cached-after-a-renewal.md). A session that must lose assurance
/// is ended.
pub fn touch_session(id: SessionId, now: Timestamp, idle_expires_at: Timestamp) -> GuardedStatement {
    let long_ago = now.minus(LAST_USE_UPDATE_INTERVAL);
    let rested = now.minus(AAL2_IDLE_MAX);
    GuardedStatement::any_number(
        &TOUCH,
        [id.into(), now.into(), idle_expires_at.into(), long_ago.into(), rested.into()],
    )
}

/// Issues a new session token with the new evidence, if the session is active and its evidence has not
/// changed since it was read. The old token stops working.
pub fn renew_session(
    session: &SessionRow,
    renewed: &SessionTokenRenewal<'_>,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &RENEW,
        [
            session.id.into(),
            session.version.into(),
            renewed.digest.into(),
            renewed.evidence.into(),
            now.into(),
            renewed.authenticated_at.into(),
        ],
    )
}

/// Counts the active sessions.
pub async fn count_active_sessions(store: &Store, now: Timestamp) -> Result<i64, StoreFailure> {
    store.read_first(&COUNT_ACTIVE, &[now.into()]).await?.map_or(Ok(0), |row| row.integer("total"))
}

/// Requires that the account has no more sessions than allowed. Place it after the statements that start and
/// end sessions and after one that locks the account, so that two concurrent starts cannot both pass.
pub fn check_session_limit(account: AccountId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &CHECK_LIMIT,
        [account.into(), now.into(), (ACCOUNT_SESSIONS_MAX as i64).into()],
    )
}

/// Reads a session from its [`session_columns`].
pub(crate) fn read_session_columns(row: &SqlRow) -> Result<SessionRow, StoreFailure> {
    Ok(SessionRow {
        id: row.id("s.id")?,
        account: row.id("s.account_id")?,
        account_epoch: row.integer("s.account_epoch")?,
        evidence: JsonDocument::from_row(row, "s.evidence")?,
        authenticated_at: row.timestamp("s.authenticated_at")?,
        created_at: row.timestamp("s.created_at")?,
        used_at: row.timestamp("s.used_at")?,
        assurance_lapsed_at: row.optional_timestamp("s.rested_at")?,
        idle_expires_at: row.timestamp("s.idle_expires_at")?,
        expires_at: row.timestamp("s.expires_at")?,
        device: row.optional_digest("s.device_digest")?,
        description: JsonDocument::from_row(row, "s.description")?,
        version: row.integer("s.version")?,
    })
}

/// The columns of a session `s` that [`read_session_columns`] expects.
macro_rules! session_columns {
    () => {
        "s.id, s.account_id, s.account_epoch, s.evidence, s.authenticated_at, s.created_at, s.used_at, s.rested_at, \
         s.idle_expires_at, s.expires_at, s.device_digest, s.description, s.version"
    };
}
pub(crate) use session_columns;

/// The sessions that are active, together with their account.
macro_rules! that_count {
    () => {
        concat!(
            "SELECT ",
            session_columns!(),
            " FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE a.condition = 'enabled' AND ",
            session_counts!("s", "a", "?2"),
            " AND "
        )
    };
}

static START: SqlStatement = SqlStatement::new(
    "sessions.start",
    "INSERT INTO sessions (id, digest, account_id, account_epoch, evidence, authenticated_at, created_at, \
     used_at, idle_expires_at, expires_at, device_digest, description) \
     SELECT ?1, ?2, a.id, a.epoch, ?5, ?6, ?6, ?6, ?7, ?8, ?9, ?10 FROM accounts a \
     WHERE a.id = ?3 AND a.epoch = ?4 AND a.condition = 'enabled'",
);
static FIND: SqlStatement = SqlStatement::new("sessions.find", concat!(that_count!(), "s.digest = ?1"));
static FIND_BY_ID: SqlStatement =
    SqlStatement::new("sessions.find_by_id", concat!(that_count!(), "s.id = ?1"));
static LIST_BY_ACCOUNT: SqlStatement =
    SqlStatement::new("sessions.of_account", concat!(that_count!(), "s.account_id = ?1 ORDER BY s.id"));
static TOUCH: SqlStatement = SqlStatement::new(
    "sessions.touch",
    "UPDATE sessions SET used_at = ?2, idle_expires_at = ?3, \
     rested_at = CASE WHEN rested_at IS NULL AND used_at < ?5 THEN ?2 ELSE rested_at END \
     WHERE id = ?1 AND ended_at IS NULL AND used_at <= ?4 AND idle_expires_at > ?2 AND expires_at > ?2",
);
static RENEW: SqlStatement = SqlStatement::single_use(
    "sessions.renew",
    concat!(
        "UPDATE sessions SET digest = ?3, evidence = ?4, authenticated_at = ?6, used_at = ?5, rested_at = NULL, \
         version = version + 1 WHERE id = ?1 AND version = ?2 AND EXISTS (SELECT 1 FROM accounts a \
         WHERE a.id = sessions.account_id AND a.condition = 'enabled' AND ",
        session_counts!("sessions", "a", "?5"),
        " LIMIT 1 OFFSET 0)"
    ),
);

static COUNT_ACTIVE: SqlStatement = SqlStatement::new(
    "sessions.count_alive",
    concat!(
        "SELECT COUNT(*) AS total FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE a.condition = 'enabled' AND ",
        session_counts!("s", "a", "?1")
    ),
);
static CHECK_LIMIT: SqlStatement = SqlStatement::new(
    "sessions.are_few",
    concat!(
        "UPDATE accounts SET epoch = epoch WHERE id = ?1 AND (SELECT COUNT(*) FROM sessions s \
         WHERE s.account_id = accounts.id AND ",
        session_counts!("s", "accounts", "?2"),
        ") <= ?3"
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&START, &FIND, &FIND_BY_ID, &LIST_BY_ACCOUNT, &TOUCH, &RENEW, &COUNT_ACTIVE, &CHECK_LIMIT];
