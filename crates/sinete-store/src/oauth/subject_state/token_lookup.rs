//! Everything a token request is checked against, in one statement: the client and its authentication, the
//! presented code or token, and everything that depends on. It is read on every use; a client that fails to
//! authenticate learns nothing of the rest.

use super::{GrantWithSession, SubjectSnapshot, read_grant_with_session, read_subject};
use crate::active_conditions::{client_condition, grant_counts, organization_counts};
use crate::dependency_snapshot::DependencySnapshot;
use crate::failure::StoreFailure;
use crate::lifecycle_condition;
use crate::oauth::client_authentication::{ClientAuthState, join_secret};
use crate::oauth::{authorization_codes, refresh_tokens};
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use sinete_core::client_id::ClientId;
use sinete_core::secret::{AuthorizationCodeDigest, ClientSecret, Digest, RefreshTokenDigests};
use sinete_core::time::Timestamp;

/// The client that a request names, and the secret it presents, if any.
#[derive(Clone, Copy, Debug)]
pub struct ClientLookup<'a> {
    /// The claimed client id.
    pub client: &'a ClientId,
    /// Digest of the presented secret.
    pub secret: Option<&'a Digest<ClientSecret>>,
}

/// A presented code or token, with its subject.
#[derive(Clone, Debug)]
pub struct TokenLookup<T> {
    /// The code or token, in any state.
    pub credential: T,
    /// State of its membership through the requesting client, and the grant if it connects the two. `None` if
    /// the membership has no holder.
    pub subject: Option<(SubjectSnapshot, Option<GrantWithSession>)>,
    /// The dependencies of all of it except grant and session, including the client's authentication.
    pub dependency_snapshot: DependencySnapshot,
}

/// A service in its organization.
#[derive(Clone, Debug)]
pub struct ServiceLookup {
    /// Its state there.
    pub snapshot: SubjectSnapshot,
    /// The dependencies of that state.
    pub dependency_snapshot: DependencySnapshot,
}

/// Loads the client's state and, if it requests a token for itself, its state in its organization. `None` for
/// an unknown client; no state in an organization where it has no roles.
pub async fn load_service(
    store: &Store,
    client_lookup: ClientLookup<'_>,
    now: Timestamp,
) -> Result<Option<(ClientAuthState, Option<ServiceLookup>)>, StoreFailure> {
    let rows = store
        .read_all(&MACHINE, &[client_lookup.client.into(), client_lookup.secret.into(), now.into()])
        .await?;
    let Some(first) = rows.first() else { return Ok(None) };
    let snapshot = match first.optional_blob("m.id")? {
        None => None,
        Some(_) => read_subject(store, &rows, true, false).await?,
    };
    let ends = [first.optional_timestamp("o.ends_at")?, first.optional_timestamp("z.expires_at")?];
    let facts =
        DependencySnapshot { version: first.integer("f.version")?, until: ends.into_iter().flatten().min() };
    Ok(Some((
        read_client_state(first)?,
        snapshot.map(|snapshot| ServiceLookup { snapshot, dependency_snapshot: facts }),
    )))
}

/// Loads the client's state and the presented refresh token.
pub async fn load_refresh_token(
    store: &Store,
    client_lookup: ClientLookup<'_>,
    token: &RefreshTokenDigests,
    now: Timestamp,
) -> Result<Option<(ClientAuthState, Option<TokenLookup<refresh_tokens::RefreshTokenStatus>>)>, StoreFailure>
{
    let parameters = [
        client_lookup.client.into(),
        client_lookup.secret.into(),
        now.into(),
        token.grant.into(),
        (&token.family_mark).into(),
        (&token.token).into(),
        i64::from(token.generation).into(),
    ];
    let rows = store.read_all(&REFRESH_TOKEN, &parameters).await?;
    read_token_lookup(store, &rows, refresh_tokens::read_token_columns).await
}

/// Loads the client's state and the presented authorization code.
pub async fn load_authorization_code(
    store: &Store,
    client_lookup: ClientLookup<'_>,
    code: &AuthorizationCodeDigest,
    now: Timestamp,
) -> Result<
    Option<(ClientAuthState, Option<TokenLookup<authorization_codes::AuthorizationCodeStatus>>)>,
    StoreFailure,
> {
    let parameters = [
        client_lookup.client.into(),
        client_lookup.secret.into(),
        now.into(),
        code.grant.into(),
        (&code.code).into(),
    ];
    let rows = store.read_all(&AUTHORIZATION_CODE, &parameters).await?;
    read_token_lookup(store, &rows, authorization_codes::read_code_columns).await
}

/// Reads the presented code or token with everything that depends on it.
async fn read_token_lookup<T>(
    store: &Store,
    rows: &[SqlRow],
    read_status: impl Fn(&SqlRow) -> Result<T, StoreFailure>,
) -> Result<Option<(ClientAuthState, Option<TokenLookup<T>>)>, StoreFailure> {
    let Some(first) = rows.first() else { return Ok(None) };
    let client = read_client_state(first)?;
    if first.optional_blob("g.id")?.is_none() {
        return Ok(Some((client, None)));
    }
    let subject_with_grant = match read_subject(store, rows, true, true).await? {
        None => None,
        // A grant to another client does not connect these two.
        Some(snapshot) => {
            Some((snapshot, if first.flag("is_theirs")? { read_grant_with_session(first)? } else { None }))
        }
    };
    let facts = DependencySnapshot {
        version: first.integer("f.version")?,
        until: first.optional_timestamp("z.expires_at")?,
    };
    Ok(Some((
        client,
        Some(TokenLookup {
            credential: read_status(first)?,
            subject: subject_with_grant,
            dependency_snapshot: facts,
        }),
    )))
}

/// Reads the client's state, with whether the presented secret is its own.
fn read_client_state(row: &SqlRow) -> Result<ClientAuthState, StoreFailure> {
    Ok(ClientAuthState {
        version: row.integer("c.version")?,
        condition: lifecycle_condition::read_condition(row, "client_condition")?,
        has_secret: row.flag("has_secret")?,
        api_catalog_version: row.integer("k.version")?,
    })
}

/// The columns of [`super`], of a membership `m` in the organization `o` held by an account `a` or by the
/// client `c` itself: the account's condition, and whether what the token derives from is active.
macro_rules! columns {
    ($account:expr, $counts:expr) => {
        concat!(
            "SELECT m.account_id, m.client_id, m.organization_id, m.condition, o.kind, CASE WHEN ",
            organization_counts!("o", "?3"),
            " THEN 'enabled' WHEN o.condition = 'suspended' AND (o.ends_at IS NULL OR o.ends_at > ?3) \
             THEN 'suspended' ELSE 'ended' END AS organization_condition, ",
            $account,
            ", ",
            client_condition!("c"),
            " AS client_condition, c.version, ",
            $counts,
            " AS is_active, r.name, r.is_built_in, r.permissions, m.id, c.epoch, o.settings, k.version"
        )
    };
}

/// The roles of the membership.
macro_rules! roles {
    () => {
        " LEFT JOIN membership_roles x ON x.membership_id = m.id \
         LEFT JOIN roles r ON r.id = x.role_id AND r.organization_id = o.id AND r.removed_at IS NULL \
         WHERE c.id = ?1"
    };
}

/// A client with the presented code or token, and the grant that belongs to.
macro_rules! of_grant {
    ($columns:expr, $shown:literal) => {
        concat!(
            columns!(
                "a.condition AS account_condition, 'ended' AS own_condition",
                concat!(
                    "CASE WHEN g.client_id = c.id AND ",
                    grant_counts!("g", "a", "c", "s", "?3"),
                    " THEN 1 ELSE 0 END"
                )
            ),
            ", g.id, g.kind, g.organization_id, g.membership_id, g.account_id, g.client_id, g.session_id, g.scopes, \
             g.details, g.authentication, g.created_at, g.expires_at, g.revoked_at, \
             s.authenticated_at, s.used_at, s.rested_at, ",
            "CASE WHEN z.digest IS NOT NULL THEN 1 ELSE 0 END AS has_secret, \
             CASE WHEN g.client_id = c.id THEN 1 ELSE 0 END AS is_theirs, ",
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

static MACHINE: SqlStatement = SqlStatement::batched_read(
    "standing.by_machine",
    concat!(
        columns!("NULL AS account_condition, NULL AS own_condition", "1"),
        ", CASE WHEN z.digest IS NOT NULL THEN 1 ELSE 0 END AS has_secret, f.version, o.ends_at, z.expires_at \
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
static AUTHORIZATION_CODE: SqlStatement = SqlStatement::batched_read(
    "standing.code",
    of_grant!(authorization_codes::columns!(), "g.id = ?4 AND g.code_digest = ?5"),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&MACHINE, &REFRESH_TOKEN, &AUTHORIZATION_CODE];
