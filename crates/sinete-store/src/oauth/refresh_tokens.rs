//! The refresh tokens of a grant, which are a family and stand in its row. Only the newest counts and is kept. All of them bear
//! the same mark, so that using an older one again is noticed whatever its age, for as long as the grant is kept.

use crate::active_conditions::changed_grant_is_alive;
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

/// Refresh tokens to begin.
#[derive(Debug)]
pub struct NewRefreshFamily {
    /// The first of them, which names its grant.
    pub first: RefreshTokenDigests,
    /// What their access tokens are for.
    pub audience: String,
    /// What was asked for; what is held is derived anew each time.
    pub scope: ScopeSet,
    /// The key they are bound to.
    pub confirmation: Option<JsonDocument>,
    /// When the first dies if it is not used.
    pub idle_expires_at: Timestamp,
    /// When all of them end, however often they were used.
    pub expires_at: Timestamp,
}

/// A refresh token, with what is kept of all those of its grant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefreshTokenRow {
    /// The grant it renews.
    pub grant: GrantId,
    /// Whose grant that is.
    pub membership: MembershipId,
    /// The only client that may use it.
    pub client: ClientId,
    /// What the access tokens are for.
    pub audience: String,
    /// What was asked for.
    pub scope: ScopeSet,
    /// The key it is bound to.
    pub confirmation: Option<JsonDocument>,
    /// When the newest dies if it is not used.
    pub idle_expires_at: Timestamp,
    /// When all of them end.
    pub expires_at: Timestamp,
    /// When the grant was revoked, if it was.
    pub revoked_at: Option<Timestamp>,
}

/// A refresh token that was found. Whether it was spent comes before anything else about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefreshTokenStatus {
    /// It is the newest of its grant.
    Fresh(RefreshTokenRow),
    /// It was exchanged for its successor.
    Spent(RefreshTokenRow),
}

/// What takes the place of a token.
#[derive(Debug)]
pub struct SuccessorRefreshToken<'a> {
    /// Of the new token.
    pub digest: &'a Digest<RefreshToken>,
    /// When it dies if it is not used.
    pub idle_expires_at: Timestamp,
}

impl NewRefreshFamily {
    /// What is written of it, in the order of [`begun`].
    pub(crate) fn to_parameters(&self) -> [SqlValue; 7] {
        [
            (&self.first.mark).into(),
            (&self.first.token).into(),
            self.audience.as_str().into(),
            self.scope.to_string().into(),
            self.confirmation.as_ref().into(),
            self.idle_expires_at.into(),
            self.expires_at.into(),
        ]
    }
}

/// The first refresh token of a grant to this client, if there was none and the grant and all that hangs on is alive.
pub fn start_refresh_family(
    family: &NewRefreshFamily,
    client: &ClientId,
    now: Timestamp,
) -> GuardedStatement {
    let of_grant = [family.first.grant.into(), client.into(), now.into()];
    let parameters: Vec<_> = of_grant.into_iter().chain(family.to_parameters()).collect();
    GuardedStatement::exactly_one(&BEGIN, parameters)
}

/// The grant that the token bears the mark of, and whether the token is its newest, whatever became of them. There is none
/// where the token comes after the newest that is known here.
pub async fn find_refresh_token(
    store: &Store,
    shown: &RefreshTokenDigests,
) -> Result<Option<RefreshTokenStatus>, StoreFailure> {
    let parameters =
        [shown.grant.into(), (&shown.mark).into(), (&shown.token).into(), i64::from(shown.generation).into()];
    store.read_first(&FIND, &parameters).await?.map(|row| read_token_columns(&row, 0)).transpose()
}

/// Exchanges the token for its successor, if it is the newest, in time and presented by its client, and if its grant and
/// all that hangs on are alive.
pub fn rotate_refresh_token(
    presented: &RefreshTokenDigests,
    client: &ClientId,
    successor: &SuccessorRefreshToken<'_>,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &ROTATE,
        [
            presented.grant.into(),
            client.into(),
            now.into(),
            (&presented.token).into(),
            successor.digest.into(),
            successor.idle_expires_at.into(),
        ],
    )
}

/// Uses the token, which stays, if it is the newest, in time and presented by its client, and if its grant and all that
/// hangs on are alive.
pub fn reuse_refresh_token(
    presented: &RefreshTokenDigests,
    client: &ClientId,
    idle_expires_at: Timestamp,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &USE_AGAIN,
        [
            presented.grant.into(),
            client.into(),
            now.into(),
            (&presented.token).into(),
            idle_expires_at.into(),
        ],
    )
}

/// The token whose columns begin with this one.
pub(crate) fn read_token_columns(row: &SqlRow, first: usize) -> Result<RefreshTokenStatus, StoreFailure> {
    let token = RefreshTokenRow {
        grant: row.id(first)?,
        membership: row.id(first + 1)?,
        client: row.client_id(first + 2)?,
        audience: row.text(first + 3)?.to_owned(),
        scope: row.text(first + 4)?.parse().map_err(|_| row.damaged_column(first + 4, "a set of scopes"))?,
        confirmation: JsonDocument::optional_from_row(row, first + 5)?,
        idle_expires_at: row.timestamp(first + 6)?,
        expires_at: row.timestamp(first + 7)?,
        revoked_at: row.optional_timestamp(first + 8)?,
    };
    Ok(if row.flag(first + 9)? { RefreshTokenStatus::Fresh(token) } else { RefreshTokenStatus::Spent(token) })
}

/// The columns a token is read from, of its grant `g`, where this parameter is the token.
macro_rules! columns {
    ($token:literal) => {
        concat!(
            "g.id, g.membership_id, g.client_id, g.refresh_audience, g.refresh_scope, g.refresh_confirmation, \
             g.refresh_idle_expires_at, g.refresh_expires_at, g.revoked_at, CASE WHEN g.refresh_newest = ",
            $token,
            " THEN 1 ELSE 0 END"
        )
    };
}
pub(crate) use columns;

/// Writes the first refresh token, and what all of them share, into the row of the grant.
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

/// Holds while the token of these parameters is the newest of the grant, and counts with all it hangs on.
macro_rules! is_newest_and_alive {
    () => {
        concat!(
            " WHERE id = ?1 AND refresh_newest = ?4 AND client_id = ?2 AND refresh_expires_at > ?3 \
             AND refresh_idle_expires_at > ?3 AND ",
            changed_grant_is_alive!("?3")
        )
    };
}

static BEGIN: SqlStatement = SqlStatement::single_use(
    "families.begin",
    concat!(
        "UPDATE grants SET ",
        begun!("?4", "?5", "?6", "?7", "?8", "?9", "?10"),
        " WHERE id = ?1 AND client_id = ?2 AND refresh_mark IS NULL AND ",
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
static USE_AGAIN: SqlStatement = SqlStatement::new(
    "families.use_again",
    concat!("UPDATE grants SET refresh_idle_expires_at = ?5", is_newest_and_alive!()),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&BEGIN, &FIND, &ROTATE, &USE_AGAIN];
