//! Families of refresh tokens. Of each only the newest token counts and is kept. All of them bear the mark of the family,
//! so that using an older one again is noticed whatever its age, for as long as the family is kept.

use crate::act::Step;
use crate::alive::grant_is_alive;
use crate::document::Document;
use crate::failed::Failed;
use crate::row::Row;
use crate::statement::Statement;
use crate::store::Store;
use sinete_core::authority::scope::Scopes;
use sinete_core::client::ClientId;
use sinete_core::id::{FamilyId, GrantId, MembershipId};
use sinete_core::secret::{Digest, FamilyDigests, RefreshToken};
use sinete_core::time::Timestamp;

/// A family to begin.
#[derive(Debug)]
pub struct NewFamily<'a> {
    /// Its first token, which names it.
    pub first: &'a FamilyDigests,
    /// The grant it hangs from.
    pub grant: GrantId,
    /// The only client that may use it.
    pub client: &'a ClientId,
    /// What its access tokens are for.
    pub audience: &'a str,
    /// What was asked for; what is held is derived anew each time.
    pub scope: &'a Scopes,
    /// The key its tokens are bound to.
    pub confirmation: Option<&'a Document>,
    /// When it begins.
    pub created_at: Timestamp,
    /// When its first token dies if it is not used.
    pub idle_expires_at: Timestamp,
    /// When the whole family ends, however often it was used.
    pub expires_at: Timestamp,
}

/// A refresh token with the family it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its family.
    pub family: FamilyId,
    /// The grant the family hangs from.
    pub grant: GrantId,
    /// Whose grant that is.
    pub membership: MembershipId,
    /// The only client that may use it.
    pub client: ClientId,
    /// What the family's access tokens are for.
    pub audience: String,
    /// What was asked for.
    pub scope: Scopes,
    /// The key its tokens are bound to.
    pub confirmation: Option<Document>,
    /// When its newest token dies if it is not used.
    pub idle_expires_at: Timestamp,
    /// When the whole family ends.
    pub family_expires_at: Timestamp,
    /// When the family was revoked, if it was.
    pub family_revoked_at: Option<Timestamp>,
}

/// A refresh token that was found. Whether it was spent comes before anything else about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// It is the newest of its family.
    Fresh(Token),
    /// It was exchanged for its successor.
    Spent(Token),
}

/// What takes the place of a token.
#[derive(Debug)]
pub struct Successor<'a> {
    /// Of the new token.
    pub digest: &'a Digest<RefreshToken>,
    /// When it dies if it is not used.
    pub idle_expires_at: Timestamp,
}

/// A family with its first token.
pub fn begin(family: &NewFamily<'_>) -> Step {
    Step::one(
        &BEGIN,
        [
            family.first.family.into(),
            family.grant.into(),
            family.client.into(),
            family.audience.into(),
            family.scope.to_string().into(),
            family.confirmation.into(),
            family.created_at.into(),
            family.expires_at.into(),
            (&family.first.mark).into(),
            (&family.first.token).into(),
            family.idle_expires_at.into(),
        ],
    )
}

/// The family that the token bears the mark of, and whether the token is its newest, whatever became of them. There is none
/// where the token comes after the newest that is known here.
pub async fn find(store: &Store, shown: &FamilyDigests) -> Result<Option<Found>, Failed> {
    let parameters = [
        shown.family.into(),
        (&shown.mark).into(),
        (&shown.token).into(),
        i64::from(shown.generation).into(),
    ];
    store.first(&FIND, &parameters).await?.map(|row| found_at(&row, 0)).transpose()
}

/// Exchanges the token for its successor, if it is the newest, in time and presented by its client, and if its
/// family, its grant and all that hangs on are alive.
pub fn rotate(
    presented: &FamilyDigests,
    client: &ClientId,
    successor: &Successor<'_>,
    now: Timestamp,
) -> Step {
    Step::one(
        &ROTATE,
        [
            presented.family.into(),
            client.into(),
            now.into(),
            (&presented.token).into(),
            successor.digest.into(),
            successor.idle_expires_at.into(),
        ],
    )
}

/// Uses the token, which stays, if it is the newest, in time and presented by its client, and if its family, its grant and
/// all that hangs on are alive.
pub fn use_again(
    presented: &FamilyDigests,
    client: &ClientId,
    idle_expires_at: Timestamp,
    now: Timestamp,
) -> Step {
    Step::one(
        &USE_AGAIN,
        [
            presented.family.into(),
            client.into(),
            now.into(),
            (&presented.token).into(),
            idle_expires_at.into(),
        ],
    )
}

/// Ends the family. Doing it again changes nothing.
pub fn revoke(family: FamilyId, now: Timestamp) -> Step {
    Step::any(&REVOKE, [family.into(), now.into()])
}

/// The token whose columns begin with this one.
pub(crate) fn found_at(row: &Row, first: usize) -> Result<Found, Failed> {
    let token = Token {
        family: row.id(first)?,
        grant: row.id(first + 1)?,
        membership: row.id(first + 2)?,
        client: row.client_id(first + 3)?,
        audience: row.text(first + 4)?.to_owned(),
        scope: row.text(first + 5)?.parse().map_err(|_| row.damaged(first + 5, "a set of scopes"))?,
        confirmation: Document::optional_from_row(row, first + 6)?,
        idle_expires_at: row.timestamp(first + 7)?,
        family_expires_at: row.timestamp(first + 8)?,
        family_revoked_at: row.optional_timestamp(first + 9)?,
    };
    Ok(if row.flag(first + 10)? { Found::Fresh(token) } else { Found::Spent(token) })
}

/// The columns a token is read from, of a family `f` and its grant `g`, where this parameter is the token.
macro_rules! columns {
    ($token:literal) => {
        concat!(
            "f.id, f.grant_id, g.membership_id, f.client_id, f.audience, f.scope, f.confirmation, \
             f.idle_expires_at, f.expires_at, f.revoked_at, CASE WHEN f.newest = ",
            $token,
            " THEN 1 ELSE 0 END"
        )
    };
}
pub(crate) use columns;

/// Holds while the token of these parameters is the newest of the family, and the family counts with all it hangs on.
macro_rules! is_newest_and_alive {
    () => {
        concat!(
            "WHERE id = ?1 AND newest = ?4 AND client_id = ?2 AND revoked_at IS NULL AND expires_at > ?3 \
             AND idle_expires_at > ?3 AND ",
            grant_is_alive!("families.grant_id", "?3")
        )
    };
}

static BEGIN: Statement = Statement::new(
    "families.begin",
    "INSERT INTO families (id, grant_id, client_id, audience, scope, confirmation, created_at, expires_at, mark, \
     newest, idle_expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
);
static FIND: Statement = Statement::new(
    "families.find",
    concat!(
        "SELECT ",
        columns!("?3"),
        " FROM families f JOIN grants g ON g.id = f.grant_id WHERE f.id = ?1 AND f.mark = ?2 AND f.generation >= ?4"
    ),
);
static ROTATE: Statement = Statement::single_use(
    "families.rotate",
    concat!(
        "UPDATE families SET newest = ?5, generation = generation + 1, idle_expires_at = ?6 ",
        is_newest_and_alive!()
    ),
);
static USE_AGAIN: Statement = Statement::new(
    "families.use_again",
    concat!("UPDATE families SET idle_expires_at = ?5 ", is_newest_and_alive!()),
);
static REVOKE: Statement = Statement::new(
    "families.revoke",
    "UPDATE families SET revoked_at = ?2, version = version + 1 WHERE id = ?1 AND revoked_at IS NULL",
);

pub(crate) static STATEMENTS: &[&Statement] = &[&BEGIN, &FIND, &ROTATE, &USE_AGAIN, &REVOKE];
