//! Authorization codes. A spent one is kept while its grant lives, so that a second presentation is known.

use crate::act::Step;
use crate::alive::grant_is_alive;
use crate::document::Document;
use crate::failed::Failed;
use crate::row::Row;
use crate::statement::Statement;
use crate::store::Store;
use sinete_core::client::ClientId;
use sinete_core::id::{GrantId, MembershipId};
use sinete_core::secret::GrantCodeDigest;
use sinete_core::time::Timestamp;

/// A code to be handed out.
#[derive(Debug)]
pub struct NewCode<'a> {
    /// Of the code itself, which names the grant it redeems.
    pub digest: &'a GrantCodeDigest,
    /// The only client that may redeem it.
    pub client: &'a ClientId,
    /// Where it is sent, and what the token request must repeat.
    pub redirect_uri: &'a str,
    /// The SHA-256 of the verifier the token request must show.
    pub challenge: [u8; 32],
    /// What else the token request is held against.
    pub request: &'a Document,
    /// When it is handed out.
    pub created_at: Timestamp,
    /// When it stops working.
    pub expires_at: Timestamp,
}

/// A code as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// The grant it redeems.
    pub grant: GrantId,
    /// Whose grant that is.
    pub membership: MembershipId,
    /// The only client that may redeem it.
    pub client: ClientId,
    /// What the token request must repeat.
    pub redirect_uri: String,
    /// The SHA-256 of the verifier the token request must show.
    pub challenge: [u8; 32],
    /// What else the token request is held against.
    pub request: Document,
    /// When it was handed out.
    pub created_at: Timestamp,
    /// When it stops working.
    pub expires_at: Timestamp,
}

/// A code that was found. Whether it was spent comes before anything else about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nobody has redeemed it.
    Fresh(Code),
    /// Somebody has, at this time.
    Spent(Code, Timestamp),
}

/// A code for a grant.
pub fn issue(code: &NewCode<'_>) -> Step {
    Step::one(
        &ISSUE,
        [
            (&code.digest.code).into(),
            code.digest.grant.into(),
            code.client.into(),
            code.redirect_uri.into(),
            code.challenge.into(),
            code.request.into(),
            code.created_at.into(),
            code.expires_at.into(),
        ],
    )
}

/// What the request said that led to the grant, where that was redeemed with a code.
pub async fn request_of(store: &Store, grant: GrantId) -> Result<Option<Document>, Failed> {
    let row = store.first(&REQUEST_OF, &[grant.into()]).await?;
    row.map(|row| Document::from_row(&row, 0)).transpose()
}

/// Spends the code for the client it was issued to, if it is unspent, has not expired, and its grant and all
/// that hangs on is alive.
pub fn spend(digest: &GrantCodeDigest, client: &ClientId, now: Timestamp) -> Step {
    Step::one(&SPEND, [(&digest.code).into(), client.into(), now.into(), digest.grant.into()])
}

/// The code whose columns begin with this one.
pub(crate) fn found_at(row: &Row, first: usize) -> Result<Found, Failed> {
    let challenge = row.blob(first + 4)?.try_into().map_err(|_| row.damaged(first + 4, "a SHA-256"))?;
    let code = Code {
        grant: row.id(first)?,
        membership: row.id(first + 1)?,
        client: row.client_id(first + 2)?,
        redirect_uri: row.text(first + 3)?.to_owned(),
        challenge,
        request: Document::from_row(row, first + 5)?,
        created_at: row.timestamp(first + 6)?,
        expires_at: row.timestamp(first + 7)?,
    };
    Ok(match row.optional_timestamp(first + 8)? {
        None => Found::Fresh(code),
        Some(spent_at) => Found::Spent(code, spent_at),
    })
}

static ISSUE: Statement = Statement::new(
    "codes.issue",
    "INSERT INTO codes (digest, grant_id, client_id, redirect_uri, challenge, request, created_at, expires_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
);
static REQUEST_OF: Statement = Statement::new(
    "codes.request_of",
    "SELECT request FROM codes WHERE grant_id = ?1 ORDER BY created_at DESC LIMIT 1",
);
static SPEND: Statement = Statement::single_use(
    "codes.spend",
    concat!(
        "UPDATE codes SET spent_at = ?3 \
         WHERE grant_id = ?4 AND digest = ?1 AND client_id = ?2 AND spent_at IS NULL AND expires_at > ?3 AND ",
        grant_is_alive!("codes.grant_id", "?3")
    ),
);

pub(crate) static STATEMENTS: &[&Statement] = &[&ISSUE, &REQUEST_OF, &SPEND];
