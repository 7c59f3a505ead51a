//! Families of refresh tokens. Of each family only the newest token counts; the others are remembered for
//! as long as the family lives, so that using one again is noticed whatever its age.

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
use sinete_core::secret::{Digest, RefreshToken};
use sinete_core::time::Timestamp;

/// A family to begin.
#[derive(Debug)]
pub struct NewFamily<'a> {
    /// Its id.
    pub id: FamilyId,
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
    /// Of its first token.
    pub first: &'a Digest<RefreshToken>,
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
    /// Its place in the family, counted from zero.
    pub generation: i64,
    /// When this token dies if it is not used.
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
    /// It was exchanged for its successor at this time.
    Spent(Token, Timestamp),
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
pub fn begin(family: &NewFamily<'_>) -> [Step; 2] {
    let begun = Step::one(
        &BEGIN,
        [
            family.id.into(),
            family.grant.into(),
            family.client.into(),
            family.audience.into(),
            family.scope.to_string().into(),
            family.confirmation.into(),
            family.created_at.into(),
            family.expires_at.into(),
        ],
    );
    let first = Step::one(
        &ADD_FIRST,
        [family.first.into(), family.id.into(), family.created_at.into(), family.idle_expires_at.into()],
    );
    [begun, first]
}

/// The token with this digest and its family, whatever became of them.
pub async fn find(store: &Store, digest: &Digest<RefreshToken>) -> Result<Option<Found>, Failed> {
    store.first(&FIND, &[digest.into()]).await?.map(|row| found_at(&row, 0)).transpose()
}

/// Exchanges the token for its successor, if it is unspent, in time and presented by its client, and if its
/// family, its grant and all that hangs on are alive.
pub fn rotate(
    presented: &Digest<RefreshToken>,
    client: &ClientId,
    successor: &Successor<'_>,
    now: Timestamp,
) -> [Step; 2] {
    let spent = Step::one(&ROTATE, [presented.into(), client.into(), now.into()]);
    let added = Step::one(
        &ADD_SUCCESSOR,
        [successor.digest.into(), presented.into(), now.into(), successor.idle_expires_at.into()],
    );
    [spent, added]
}

/// Uses the token, which stays, if it is unspent, in time and presented by its client, and if its family, its grant and
/// all that hangs on are alive.
pub fn use_again(
    presented: &Digest<RefreshToken>,
    client: &ClientId,
    idle_expires_at: Timestamp,
    now: Timestamp,
) -> Step {
    Step::one(&USE_AGAIN, [presented.into(), client.into(), now.into(), idle_expires_at.into()])
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
        generation: row.integer(first + 7)?,
        idle_expires_at: row.timestamp(first + 8)?,
        family_expires_at: row.timestamp(first + 9)?,
        family_revoked_at: row.optional_timestamp(first + 10)?,
    };
    Ok(match row.optional_timestamp(first + 11)? {
        None => Found::Fresh(token),
        Some(spent_at) => Found::Spent(token, spent_at),
    })
}

static BEGIN: Statement = Statement::new(
    "families.begin",
    "INSERT INTO families (id, grant_id, client_id, audience, scope, confirmation, created_at, expires_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
);
static ADD_FIRST: Statement = Statement::new(
    "families.add_first",
    "INSERT INTO refresh_tokens (digest, family_id, generation, created_at, idle_expires_at) \
     VALUES (?1, ?2, 0, ?3, ?4)",
);
static FIND: Statement = Statement::new(
    "families.find",
    "SELECT f.id, f.grant_id, g.membership_id, f.client_id, f.audience, f.scope, f.confirmation, t.generation, \
     t.idle_expires_at, f.expires_at, f.revoked_at, t.spent_at \
     FROM refresh_tokens t JOIN families f ON f.id = t.family_id JOIN grants g ON g.id = f.grant_id \
     WHERE t.digest = ?1",
);
static ROTATE: Statement = Statement::single_use(
    "families.rotate",
    concat!(
        "UPDATE refresh_tokens SET spent_at = ?3 \
         WHERE digest = ?1 AND spent_at IS NULL AND idle_expires_at > ?3 \
         AND EXISTS (SELECT 1 FROM families y WHERE y.id = refresh_tokens.family_id AND y.client_id = ?2 \
         AND y.revoked_at IS NULL AND y.expires_at > ?3 AND ",
        grant_is_alive!("y.grant_id", "?3"),
        " LIMIT 1 OFFSET 0)"
    ),
);
static USE_AGAIN: Statement = Statement::new(
    "families.use_again",
    concat!(
        "UPDATE refresh_tokens SET idle_expires_at = ?4 \
         WHERE digest = ?1 AND spent_at IS NULL AND idle_expires_at > ?3 \
         AND EXISTS (SELECT 1 FROM families y WHERE y.id = refresh_tokens.family_id AND y.client_id = ?2 \
         AND y.revoked_at IS NULL AND y.expires_at > ?3 AND ",
        grant_is_alive!("y.grant_id", "?3"),
        " LIMIT 1 OFFSET 0)"
    ),
);
// What it takes of its predecessor never changes.
static ADD_SUCCESSOR: Statement = Statement::following(
    "families.add_successor",
    "INSERT INTO refresh_tokens (digest, family_id, generation, created_at, idle_expires_at) \
     SELECT ?1, p.family_id, p.generation + 1, ?3, ?4 FROM refresh_tokens p WHERE p.digest = ?2",
);
static REVOKE: Statement = Statement::new(
    "families.revoke",
    "UPDATE families SET revoked_at = ?2, version = version + 1 WHERE id = ?1 AND revoked_at IS NULL",
);

pub(crate) static STATEMENTS: &[&Statement] =
    &[&BEGIN, &ADD_FIRST, &FIND, &ROTATE, &USE_AGAIN, &ADD_SUCCESSOR, &REVOKE];
