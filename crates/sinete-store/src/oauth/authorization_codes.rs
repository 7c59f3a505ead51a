//! Authorization codes. Each is stored in the row of the grant it redeems. A redeemed code stays there, so
//! that reuse is detected for as long as the grant exists.

use crate::active_conditions::{changed_grant_is_alive, filter_only};
use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::oauth::refresh_tokens;
use crate::oauth::refresh_tokens::NewRefreshFamily;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::client_id::ClientId;
use sinete_core::id::{GrantId, MembershipId};
use sinete_core::secret::{AuthorizationCode, AuthorizationCodeDigest, Digest};
use sinete_core::time::Timestamp;

/// An authorization code to issue, for the grant that is opened with it.
#[derive(Debug)]
pub struct NewAuthorizationCode<'a> {
    /// Digest of the code, which identifies the grant.
    pub digest: &'a Digest<AuthorizationCode>,
    /// The redirect URI, which the token request must repeat.
    pub redirect_uri: &'a str,
    /// SHA-256 of the PKCE verifier that the token request must present.
    pub challenge: [u8; 32],
    /// The other request parameters that the token request is checked against.
    pub request: &'a JsonDocument,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// An authorization code as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorizationCodeRow {
    /// The grant it redeems.
    pub grant: GrantId,
    /// The membership that gave the grant.
    pub membership: MembershipId,
    /// The only client that may redeem it.
    pub client: ClientId,
    /// The redirect URI, which the token request must repeat.
    pub redirect_uri: String,
    /// SHA-256 of the PKCE verifier that the token request must present.
    pub challenge: [u8; 32],
    /// The other request parameters that the token request is checked against.
    pub request: JsonDocument,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// A code that was found. The caller must check for reuse before anything else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuthorizationCodeStatus {
    /// Not redeemed yet.
    Unredeemed(AuthorizationCodeRow),
    /// Redeemed at this time.
    Redeemed(AuthorizationCodeRow, Timestamp),
}

/// The authorization request that led to the grant, if the grant was opened with a code.
pub async fn find_grant_request(store: &Store, grant: GrantId) -> Result<Option<JsonDocument>, StoreFailure> {
    let row = store.read_first(&FIND_REQUEST, &[grant.into()]).await?;
    row.map_or(Ok(None), |row| JsonDocument::optional_from_row(&row, "code_request"))
}

/// Redeems the code for the client it was issued to, if it is unused and unexpired and its grant and
/// everything the grant depends on is active.
pub fn redeem_authorization_code(
    digest: &AuthorizationCodeDigest,
    client: &ClientId,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &REDEEM,
        [digest.grant.into(), client.into(), now.into(), (&digest.code).into()],
    )
}

/// Redeems the code likewise and starts the refresh token family of its grant, if it has none.
pub fn redeem_code_with_refresh_token(
    digest: &AuthorizationCodeDigest,
    client: &ClientId,
    family: &NewRefreshFamily,
    now: Timestamp,
) -> GuardedStatement {
    debug_assert_eq!(family.first.grant, digest.grant, "a refresh token contains the id of its grant");
    let spent = [digest.grant.into(), client.into(), now.into(), (&digest.code).into()];
    let parameters: Vec<_> = spent.into_iter().chain(family.to_parameters()).collect();
    GuardedStatement::exactly_one(&REDEEM_WITH_REFRESH_TOKEN, parameters)
}

/// Reads a code from its [`columns`].
pub(crate) fn read_code_columns(row: &SqlRow) -> Result<AuthorizationCodeStatus, StoreFailure> {
    let challenge = row
        .blob("g.code_challenge")?
        .try_into()
        .map_err(|_| row.damaged_column("g.code_challenge", "a SHA-256"))?;
    let code = AuthorizationCodeRow {
        grant: row.id("g.id")?,
        membership: row.id("g.membership_id")?,
        client: row.client_id("g.client_id")?,
        redirect_uri: row.text("g.code_redirect_uri")?.to_owned(),
        challenge,
        request: JsonDocument::from_row(row, "g.code_request")?,
        expires_at: row.timestamp("g.code_expires_at")?,
    };
    Ok(match row.optional_timestamp("g.code_spent_at")? {
        None => AuthorizationCodeStatus::Unredeemed(code),
        Some(spent_at) => AuthorizationCodeStatus::Redeemed(code, spent_at),
    })
}

/// The columns that a code is read from, of its grant `g`.
macro_rules! columns {
    () => {
        "g.id, g.membership_id, g.client_id, g.code_redirect_uri, g.code_challenge, g.code_request, \
         g.code_expires_at, g.code_spent_at"
    };
}
pub(crate) use columns;

/// Holds while the code in these parameters is unused and unexpired, and its grant and everything that
/// depends on is active.
macro_rules! is_fresh_and_alive {
    () => {
        concat!(
            " WHERE id = ?1 AND code_digest = ?4 AND ",
            filter_only!("client_id = ?2"),
            " AND code_spent_at IS NULL AND code_expires_at > ?3 AND ",
            changed_grant_is_alive!("?3")
        )
    };
}

static FIND_REQUEST: SqlStatement =
    SqlStatement::new("codes.request_of", "SELECT code_request FROM grants WHERE id = ?1");
static REDEEM: SqlStatement = SqlStatement::single_use(
    "codes.spend",
    concat!("UPDATE grants SET code_spent_at = ?3", is_fresh_and_alive!()),
);
static REDEEM_WITH_REFRESH_TOKEN: SqlStatement = SqlStatement::single_use(
    "codes.spend_and_begin",
    concat!(
        "UPDATE grants SET code_spent_at = ?3, ",
        refresh_tokens::begun!("?5", "?6", "?7", "?8", "?9", "?10", "?11"),
        is_fresh_and_alive!(),
        " AND refresh_mark IS NULL"
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&FIND_REQUEST, &REDEEM, &REDEEM_WITH_REFRESH_TOKEN];
