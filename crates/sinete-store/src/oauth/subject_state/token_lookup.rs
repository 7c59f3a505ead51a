//! What a request to the token endpoint is held against, in one statement: the client and its proof, what it showed,
//! and everything that hangs on. Each is read at every use; a client that proves nothing is told nothing of the rest.

use super::{GRANT, GrantWithSession, SESSION, SubjectSnapshot, read_grant_with_session, read_subject};
use crate::active_conditions::{client_condition, grant_counts, organization_counts};
use crate::failure::StoreFailure;
use crate::lifecycle_condition;
use crate::oauth::client_authentication::{ClientAuthState, DependencySnapshot, join_secret};
use crate::oauth::{authorization_codes, refresh_tokens};
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use sinete_core::client_id::ClientId;
use sinete_core::secret::{AuthorizationCodeDigest, ClientSecret, Digest, RefreshTokenDigests};
use sinete_core::time::Timestamp;

/// Who asks, as it says itself, and the secret it shows, where it does.
#[derive(Clone, Copy, Debug)]
pub struct ClientLookup<'a> {
    /// The client it says it is.
    pub client: &'a ClientId,
    /// The secret.
    pub secret: Option<&'a Digest<ClientSecret>>,
}

/// What was shown, with whose it is and what it hangs on.
#[derive(Clone, Debug)]
pub struct TokenLookup<T> {
    /// What was shown, whatever became of it.
    pub what: T,
    /// The standing of its membership through the client that asks, and the grant where it is one between the two. There
    /// is none where nobody holds the membership.
    pub standing: Option<(SubjectSnapshot, Option<GrantWithSession>)>,
    /// What all of it but the grant and the session was read from, the client's proof included.
    pub facts: DependencySnapshot,
}

/// A service in the organization it belongs to.
#[derive(Clone, Debug)]
pub struct ServiceLookup {
    /// How it stands there.
    pub found: SubjectSnapshot,
    /// What that was read from.
    pub facts: DependencySnapshot,
}

/// How the client stands now, and if it asks for itself, how it stands in the organization it belongs to. There is none
/// for a client nobody knows, and no standing in an organization where it carries no roles.
pub async fn load_service(
    store: &Store,
    asker: ClientLookup<'_>,
    now: Timestamp,
) -> Result<Option<(ClientAuthState, Option<ServiceLookup>)>, StoreFailure> {
    let rows = store.read_all(&BY_MACHINE, &[asker.client.into(), asker.secret.into(), now.into()]).await?;
    let Some(first) = rows.first() else { return Ok(None) };
    let found = match first.optional_blob(MEMBERSHIP)? {
        None => None,
        Some(_) => read_subject(store, &rows, true, false).await?,
    };
    let ends = [first.optional_timestamp(FACTS + 1)?, first.optional_timestamp(FACTS + 2)?];
    let facts =
        DependencySnapshot { version: first.integer(FACTS)?, until: ends.into_iter().flatten().min() };
    Ok(Some((read_client_state(first, GRANT)?, found.map(|found| ServiceLookup { found, facts }))))
}

/// How the client stands now, and the refresh token it shows.
pub async fn load_refresh_token(
    store: &Store,
    asker: ClientLookup<'_>,
    token: &RefreshTokenDigests,
    now: Timestamp,
) -> Result<Option<(ClientAuthState, Option<TokenLookup<refresh_tokens::RefreshTokenStatus>>)>, StoreFailure>
{
    let parameters = [
        asker.client.into(),
        asker.secret.into(),
        now.into(),
        token.grant.into(),
        (&token.mark).into(),
        (&token.token).into(),
        i64::from(token.generation).into(),
    ];
    let rows = store.read_all(&REFRESH_TOKEN, &parameters).await?;
    read_token_lookup(store, &rows, refresh_tokens::read_token_columns, WHAT + 10).await
}

/// How the client stands now, and the code it shows.
pub async fn load_authorization_code(
    store: &Store,
    asker: ClientLookup<'_>,
    code: &AuthorizationCodeDigest,
    now: Timestamp,
) -> Result<
    Option<(ClientAuthState, Option<TokenLookup<authorization_codes::AuthorizationCodeStatus>>)>,
    StoreFailure,
> {
    let parameters =
        [asker.client.into(), asker.secret.into(), now.into(), code.grant.into(), (&code.code).into()];
    let rows = store.read_all(&CODE, &parameters).await?;
    read_token_lookup(store, &rows, authorization_codes::read_code_columns, WHAT + 8).await
}

/// What was shown, from the columns behind which stand the version of the facts and when the secret ends.
async fn read_token_lookup<T>(
    store: &Store,
    rows: &[SqlRow],
    what: impl Fn(&SqlRow, usize) -> Result<T, StoreFailure>,
    facts: usize,
) -> Result<Option<(ClientAuthState, Option<TokenLookup<T>>)>, StoreFailure> {
    let Some(first) = rows.first() else { return Ok(None) };
    let client = read_client_state(first, PROOF)?;
    if first.optional_blob(WHAT)?.is_none() {
        return Ok(Some((client, None)));
    }
    let standing = match read_subject(store, rows, true, true).await? {
        None => None,
        // A grant that was given to another client is none between these two.
        Some(found) => {
            Some((found, if first.flag(IS_THEIRS)? { read_grant_with_session(first)? } else { None }))
        }
    };
    let facts =
        DependencySnapshot { version: first.integer(facts)?, until: first.optional_timestamp(facts + 1)? };
    Ok(Some((client, Some(TokenLookup { what: what(first, WHAT)?, standing, facts }))))
}

/// How the client stands, where this column says whether the secret is its own.
fn read_client_state(row: &SqlRow, proof: usize) -> Result<ClientAuthState, StoreFailure> {
    Ok(ClientAuthState {
        version: row.integer(9)?,
        condition: lifecycle_condition::read_condition(row, 8)?,
        has_secret: row.flag(proof)?,
        catalogue: row.integer(CATALOGUE)?,
    })
}

/// The column of the membership's id.
const MEMBERSHIP: usize = 14;
/// The column of the version of everything that APIs define.
const CATALOGUE: usize = 17;
/// The columns behind whether the secret is a machine's: the version of what its tokens hang on, and when its
/// organization and that secret end.
const FACTS: usize = GRANT + 1;
/// The columns behind those of a grant and its session: whether the secret is the client's, whether the grant is, and
/// what was shown.
const PROOF: usize = SESSION + 3;
const IS_THEIRS: usize = PROOF + 1;
const WHAT: usize = PROOF + 2;

/// The columns of [`super`], of a membership `m` of the organization `o` held by an account `a`, or by the client `c`
/// itself: what the account's condition is, and whether what is hung on counts.
macro_rules! columns {
    ($account:expr, $counts:expr) => {
        concat!(
            "SELECT m.account_id, m.client_id, m.organization_id, m.condition, o.kind, CASE WHEN ",
            organization_counts!("o", "?3"),
            " THEN 'enabled' WHEN o.condition = 'suspended' AND (o.ends_at IS NULL OR o.ends_at > ?3) \
             THEN 'suspended' ELSE 'ended' END, ",
            $account,
            ", ",
            client_condition!("c"),
            ", c.version, ",
            $counts,
            ", r.name, r.is_built_in, r.permissions, m.id, c.epoch, o.settings, k.version"
        )
    };
}

/// The roles that the membership carries.
macro_rules! roles {
    () => {
        " LEFT JOIN membership_roles x ON x.membership_id = m.id \
         LEFT JOIN roles r ON r.id = x.role_id AND r.organization_id = o.id AND r.removed_at IS NULL \
         WHERE c.id = ?1"
    };
}

/// A client with what it shows, and the grant that this belongs to.
macro_rules! of_grant {
    ($columns:expr, $shown:literal) => {
        concat!(
            columns!(
                "a.condition, 'ended'",
                concat!(
                    "CASE WHEN g.client_id = c.id AND ",
                    grant_counts!("g", "a", "c", "s", "?3"),
                    " THEN 1 ELSE 0 END"
                )
            ),
            ", g.id, g.kind, g.organization_id, g.membership_id, g.account_id, g.client_id, g.session_id, g.scopes, \
             g.details, g.authentication, g.created_at, g.expires_at, g.revoked_at, \
             s.authenticated_at, s.used_at, s.rested_at, ",
            "CASE WHEN z.digest IS NOT NULL THEN 1 ELSE 0 END, CASE WHEN g.client_id = c.id THEN 1 ELSE 0 END, ",
            $columns,
            ", f.version, z.expires_at FROM clients c JOIN api_catalogue k ON k.id = 1 JOIN service_facts f ON f.id = 1 ",
            join_secret!("?2", "?3"),
            " LEFT JOIN grants g ON ",
            $shown,
            " LEFT JOIN memberships m ON m.id = g.membership_id \
             LEFT JOIN organizations o ON o.id = m.organization_id \
             LEFT JOIN accounts a ON a.id = m.account_id \
             LEFT JOIN sessions s ON s.id = g.session_id",
            roles!()
        )
    };
}

static BY_MACHINE: SqlStatement = SqlStatement::batched_read(
    "standing.by_machine",
    concat!(
        columns!("NULL, NULL", "1"),
        ", CASE WHEN z.digest IS NOT NULL THEN 1 ELSE 0 END, f.version, o.ends_at, z.expires_at \
         FROM clients c JOIN api_catalogue k ON k.id = 1 JOIN service_facts f ON f.id = 1 ",
        join_secret!("?2", "?3"),
        " LEFT JOIN memberships m ON m.client_id = c.id AND m.organization_id = c.organization_id \
         AND m.condition <> 'ended' \
         LEFT JOIN organizations o ON o.id = m.organization_id",
        roles!()
    ),
);
static REFRESH_TOKEN: SqlStatement = SqlStatement::batched_read(
    "standing.refresh_token",
    of_grant!(
        refresh_tokens::columns!("?6"),
        "g.id = ?4 AND g.refresh_mark = ?5 AND g.refresh_generation >= ?7"
    ),
);
static CODE: SqlStatement = SqlStatement::batched_read(
    "standing.code",
    of_grant!(authorization_codes::columns!(), "g.id = ?4 AND g.code_digest = ?5"),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&BY_MACHINE, &REFRESH_TOKEN, &CODE];
