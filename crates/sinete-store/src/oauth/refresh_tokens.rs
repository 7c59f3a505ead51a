//! The refresh token family of a grant, stored in the grant's row. Only the newest token is valid and stored.
//! All tokens of a family share a mark, so that reuse of any older one is detected for as long as the grant
//! exists.

use crate::active_conditions::{changed_grant_is_alive, filter_only};
use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::GuardedStatement;
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::client_id::ClientId;
use sinete_core::id::{GrantId, MembershipId};
use sinete_core::secret::{Digest, RefreshToken, RefreshTokenDigests};
use sinete_core::time::Timestamp;

/// A refresh token family to start.
#[derive(Debug)]
pub struct NewRefreshFamily {
    /// Digests of the first token, which identifies its grant.
    pub first: RefreshTokenDigests,
    /// The audience of the access tokens.
    pub audience: String,
    /// The requested scopes; the permissions held are derived anew on each use.
    pub scope: ScopeSet,
    /// The key the tokens are bound to (`cnf`), if any.
    pub confirmation: Option<JsonDocument>,
    /// When the first token expires if unused.
    pub idle_expires_at: Timestamp,
    /// When the family expires, regardless of use.
    pub expires_at: Timestamp,
}

/// A refresh token with the data of its family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefreshTokenRow {
    /// The grant it belongs to.
    pub grant: GrantId,
    /// Digest of the newest token of the grant.
    pub newest: Digest<RefreshToken>,
    /// The membership that gave the grant.
    pub membership: MembershipId,
    /// The only client that may use it.
    pub client: ClientId,
    /// The audience of the access tokens.
    pub audience: String,
    /// The requested scopes.
    pub scope: ScopeSet,
    /// The key it is bound to (`cnf`), if any.
    pub confirmation: Option<JsonDocument>,
    /// The parameters of the authorization request, if the grant was opened with a code.
    pub request: Option<JsonDocument>,
    /// When the newest token expires if unused.
    pub idle_expires_at: Timestamp,
    /// When the family expires.
    pub expires_at: Timestamp,
    /// When the grant was revoked, if it was.
    pub revoked_at: Option<Timestamp>,
}

/// A refresh token that was found. The caller must check for reuse before anything else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefreshTokenStatus {
    /// The newest token of its grant.
    Current(RefreshTokenRow),
    /// Already rotated.
    Rotated(RefreshTokenRow),
}

/// The token that replaces a rotated one.
#[derive(Debug)]
pub struct SuccessorRefreshToken<'a> {
    /// Digest of the new token.
    pub digest: &'a Digest<RefreshToken>,
    /// When it expires if unused.
    pub idle_expires_at: Timestamp,
}

impl NewRefreshFamily {
    /// The parameters of [`begun`], in its order.
    pub(crate) fn to_parameters(&self) -> [SqlValue; 7] {
        [
            (&self.first.family_mark).into(),
            (&self.first.token).into(),
            self.audience.as_str().into(),
            self.scope.to_string().into(),
            self.confirmation.as_ref().into(),
            self.idle_expires_at.into(),
            self.expires_at.into(),
        ]
    }
}

/// Stores the first refresh token of a grant to this client, if it has none and the grant and everything that
/// depends on is active.
pub fn start_refresh_family(
    family: &NewRefreshFamily,
    client: &ClientId,
    now: Timestamp,
) -> GuardedStatement {
    let of_grant = [family.first.grant.into(), client.into(), now.into()];
    let parameters: Vec<_> = of_grant.into_iter().chain(family.to_parameters()).collect();
    GuardedStatement::exactly_one(&START_FAMILY, parameters)
}

/// Finds the grant whose mark the token carries and whether the token is its newest, in any state. `None` if
/// the token is newer than the newest one stored here.
pub async fn find_refresh_token(
    store: &Store,
    digests: &RefreshTokenDigests,
) -> Result<Option<RefreshTokenStatus>, StoreFailure> {
    let parameters = [
        digests.grant.into(),
        (&digests.family_mark).into(),
        (&digests.token).into(),
        i64::from(digests.generation).into(),
    ];
    store.read_first(&FIND, &parameters).await?.as_ref().map(read_token_columns).transpose()
}

/// Rotates the token, if it is the newest, unexpired and presented by its client, and its grant and
/// everything that depends on is active.
pub fn rotate_refresh_token(
    digests: &RefreshTokenDigests,
    client: &ClientId,
    successor: &SuccessorRefreshToken<'_>,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &ROTATE,
        [
            digests.grant.into(),
            client.into(),
            now.into(),
            (&digests.token).into(),
            successor.digest.into(),
            successor.idle_expires_at.into(),
        ],
    )
}

/// Uses the token without rotation, if it is the newest, unexpired and presented by its client, and its grant
/// and everything that depends on is active.
pub fn reuse_refresh_token(
    digests: &RefreshTokenDigests,
    client: &ClientId,
    idle_expires_at: Timestamp,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &EXTEND_IDLE_LIFETIME,
        [digests.grant.into(), client.into(), now.into(), (&digests.token).into(), idle_expires_at.into()],
    )
}

/// Reads a token from its [`columns`].
pub(crate) fn read_token_columns(row: &SqlRow) -> Result<RefreshTokenStatus, StoreFailure> {
    let token = RefreshTokenRow {
        grant: row.id("g.id")?,
        newest: row.digest("g.refresh_newest")?,
        membership: row.id("g.membership_id")?,
        client: row.client_id("g.client_id")?,
        audience: row.text("g.refresh_audience")?.to_owned(),
        scope: row
            .text("g.refresh_scope")?
            .parse()
            .map_err(|_| row.damaged_column("g.refresh_scope", "a set of scopes"))?,
        confirmation: JsonDocument::optional_from_row(row, "g.refresh_confirmation")?,
        request: JsonDocument::optional_from_row(row, "g.code_request")?,
        idle_expires_at: row.timestamp("g.refresh_idle_expires_at")?,
        expires_at: row.timestamp("g.refresh_expires_at")?,
        revoked_at: row.optional_timestamp("g.revoked_at")?,
    };
    Ok(if row.flag("is_newest")? {
        RefreshTokenStatus::Current(token)
    } else {
        RefreshTokenStatus::Rotated(token)
    })
}

/// The columns that a token is read from, of its grant `g`; the parameter is the token.
macro_rules! columns {
    ($token:literal) => {
        concat!(
            "g.id, g.refresh_newest, g.membership_id, g.client_id, g.refresh_audience, g.refresh_scope, \
             g.refresh_confirmation, g.code_request, g.refresh_idle_expires_at, g.refresh_expires_at, g.revoked_at, \
             CASE WHEN g.refresh_newest = ",
            $token,
            " THEN 1 ELSE 0 END AS is_newest"
        )
    };
}
pub(crate) use columns;

/// Writes the first refresh token and the data of its family into the grant's row.
macro_rules! begun {
    ($mark:literal, $newest:literal, $audience:literal, $scope:literal, $confirmation:literal, $idle:literal, $ends:literal) => {
        concat!(
            "refresh_mark = ",
            $mark,
            ", refresh_newest = ",
            $newest,
            ", refresh_audience = ",
            $audience,
            ", refresh_scope = ",
            $scope,
            ", refresh_confirmation = ",
            $confirmation,
            ", refresh_idle_expires_at = ",
            $idle,
            ", refresh_expires_at = ",
            $ends
        )
    };
}
pub(crate) use begun;

/// Holds while the token in these parameters is the newest of the grant, and both and everything they depend
/// on are active.
macro_rules! is_newest_and_alive {
    () => {
        concat!(
            " WHERE id = ?1 AND refresh_newest = ?4 AND ",
            filter_only!("client_id = ?2"),
            " AND refresh_expires_at > ?3 AND refresh_idle_expires_at > ?3 AND ",
            changed_grant_is_alive!("?3")
        )
    };
}

static START_FAMILY: SqlStatement = SqlStatement::single_use(
    "families.begin",
    concat!(
        "UPDATE grants SET ",
        begun!("?4", "?5", "?6", "?7", "?8", "?9", "?10"),
        " WHERE id = ?1 AND ",
        filter_only!("client_id = ?2"),
        " AND refresh_mark IS NULL AND ",
        changed_grant_is_alive!("?3")
    ),
);
static FIND: SqlStatement = SqlStatement::new(
    "families.find",
    concat!(
        "SELECT ",
        columns!("?3"),
        " FROM grants g WHERE g.id = ?1 AND g.refresh_mark = ?2 AND g.refresh_generation >= ?4"
    ),
);
static ROTATE: SqlStatement = SqlStatement::single_use(
    "families.rotate",
    concat!(
        "UPDATE grants SET refresh_newest = ?5, refresh_generation = refresh_generation + 1, \
         refresh_idle_expires_at = ?6",
        is_newest_and_alive!()
    ),
);
static EXTEND_IDLE_LIFETIME: SqlStatement = SqlStatement::new(
    "families.use_again",
    concat!("UPDATE grants SET refresh_idle_expires_at = ?5", is_newest_and_alive!()),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&START_FAMILY, &FIND, &ROTATE, &EXTEND_IDLE_LIFETIME];
