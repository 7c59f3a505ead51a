//! Everything the authorization endpoint needs, in one statement: the client's state, the session with its
//! account, the user's usable memberships, the permissions they hold there, and the consent they gave the
//! client. All of it is read on every request.

use crate::active_conditions::{client_condition, organization_counts, session_counts};
use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::lifecycle_condition;
use crate::oauth::client_authentication;
use crate::oauth::consents::ConsentRow;
use crate::oauth::subject_state;
use crate::oauth::subject_state::SubjectSnapshot;
use crate::organizations::api_catalog::ApiCatalogVersion;
use crate::organizations::memberships::UsableMembership;
use crate::row::SqlRow;
use crate::sign_in::sessions;
use crate::sign_in::sessions::{SessionRow, session_columns};
use crate::statement::SqlStatement;
use crate::store::Store;
use sinete_core::client_id::ClientId;
use sinete_core::id::MembershipId;
use sinete_core::secret::{Digest, SessionToken};
use sinete_core::time::Timestamp;
use std::sync::Arc;

/// The user's session, if any, and the client that sent them.
#[derive(Clone, Debug)]
pub struct AuthorizeContext {
    /// The client's state. The client has not authenticated.
    pub client: client_authentication::ClientAuthState,
    /// Version of the client, the organizations and the permissions held there. It does not cover the
    /// session, consents and names, and covers role assignments only for users who opened a grant before.
    pub dependency_version: i64,
    /// The session, if it and its account are active.
    pub signed_in: Option<AuthorizeSession>,
}

/// A signed-in user.
#[derive(Clone, Debug)]
pub struct AuthorizeSession {
    /// The session.
    pub session: SessionRow,
    /// Usable memberships; `None` if there are more than this statement reads, so that the caller reads them
    /// separately.
    pub memberships: Option<UsableMemberships>,
}

/// The memberships a user can act in.
#[derive(Clone, Debug)]
pub struct UsableMemberships {
    /// The memberships that are usable now, oldest first.
    pub usable: Vec<UsableMembership>,
    /// Permissions held and consents given in them.
    pub snapshots: MembershipSnapshots,
}

/// What a user holds in their usable memberships, and the consents they gave one client there, as of the
/// read.
#[derive(Clone, Debug)]
pub struct MembershipSnapshots(Arc<Vec<SqlRow>>);

/// Loads the context for this session and client; `None` if the client does not exist.
pub async fn load_authorize_context(
    store: &Store,
    session: &Digest<SessionToken>,
    client: &ClientId,
    now: Timestamp,
) -> Result<Option<AuthorizeContext>, StoreFailure> {
    let mut rows = store.read_all(&FIND, &[client.into(), session.into(), now.into()]).await?;
    let Some(first) = rows.first() else { return Ok(None) };
    let client = client_authentication::ClientAuthState {
        version: first.integer("c.version")?,
        condition: lifecycle_condition::read_condition(first, "client_condition")?,
        has_secret: false,
        api_catalog_version: first.integer("k.version")?,
    };
    let facts = first.integer("f.version")?;
    if first.optional_blob("a.id")?.is_none() {
        return Ok(Some(AuthorizeContext { client, dependency_version: facts, signed_in: None }));
    }
    let session = sessions::read_session_columns(first)?;
    if rows.len() >= ROWS_MAX {
        return Ok(Some(AuthorizeContext {
            client,
            dependency_version: facts,
            signed_in: Some(AuthorizeSession { session, memberships: None }),
        }));
    }
    rows.retain(|row| !matches!(row.optional_blob("o.id"), Ok(None)));
    // Sorted in Rust: equal keys must be adjacent for `chunk_by`, and the databases collate text differently.
    rows.sort_by(|one, other| read_consent_key(one).cmp(&read_consent_key(other)));
    let usable = rows.chunk_by(|one, other| read_consent_key(one).0 == read_consent_key(other).0);
    let usable =
        usable.filter_map(|rows| rows.first()).map(|row| read_usable(row, client.api_catalog_version));
    let usable = usable.collect::<Result<_, _>>()?;
    let places = Some(UsableMemberships { usable, snapshots: MembershipSnapshots(Arc::new(rows)) });
    Ok(Some(AuthorizeContext {
        client,
        dependency_version: facts,
        signed_in: Some(AuthorizeSession { session, memberships: places }),
    }))
}

impl MembershipSnapshots {
    /// The subject state of one of the memberships through the client, with the consent for this API, as
    /// [`consent::load_subject_with_consent`](crate::oauth::subject_state::consent::load_subject_with_consent)
    /// returns it. `None` for any other membership.
    pub async fn load_subject_with_consent(
        &self,
        store: &Store,
        membership: MembershipId,
        audience: &str,
    ) -> Result<Option<(SubjectSnapshot, Option<ConsentRow>)>, StoreFailure> {
        // One run of rows per consent, or one run if there is none; each run repeats every role.
        let runs = || {
            let all = self.0.chunk_by(|one, other| read_consent_key(one) == read_consent_key(other));
            all.filter(|run| read_consent_key(&run[0]).0 == Some(membership.as_bytes()))
        };
        let Some(any) = runs().next() else { return Ok(None) };
        let Some(snapshot) = subject_state::read_subject(store, any, true, false).await? else {
            return Ok(None);
        };
        let sql_rows = runs().find(|run| read_consent_key(&run[0]).1 == Some(audience));
        let consent = sql_rows.map(|run| ConsentRow::read_columns(&run[0])).transpose()?;
        Ok(Some((snapshot, consent)))
    }
}

/// The membership of a row, and the audience of its consent.
fn read_consent_key(row: &SqlRow) -> (Option<&[u8]>, Option<&str>) {
    let membership = row.optional_blob("m.id").ok().flatten();
    (membership, row.optional_text("q.audience").ok().flatten())
}

fn read_usable(row: &SqlRow, catalogue: i64) -> Result<UsableMembership, StoreFailure> {
    let organization = row.id("o.id")?;
    Ok(UsableMembership {
        membership: row.id("m.id")?,
        organization,
        slug: row.text("o.slug")?.to_owned(),
        name: row.text("o.name")?.to_owned(),
        settings: JsonDocument::from_row(row, "o.settings")?,
        api_catalog_version: ApiCatalogVersion { organization, version: catalogue },
    })
}

/// Row limit. There is one row for every role and consent of a membership, and other reads wait for this one.
const ROWS_MAX: usize = 64;

// "Membership has not ended" is repeated because SQLite needs it to choose the partial index.
static FIND: SqlStatement = SqlStatement::batched_read(
    "visitors.find",
    concat!(
        "SELECT m.account_id, m.client_id, m.organization_id, m.condition, o.kind, \
         o.condition AS organization_condition, a.condition AS account_condition, NULL AS own_condition, ",
        client_condition!("c"),
        " AS client_condition, c.version, 1 AS is_active, r.name, r.is_built_in, r.permissions, m.id, c.epoch, o.settings, k.version, \
         q.scope, q.session_id, q.redirect_host, q.agreed_at, q.claims, q.audience, a.id, ",
        session_columns!(),
        ", o.id, o.slug, o.name, f.version FROM clients c JOIN api_catalogue k ON k.id = 1 \
         JOIN service_facts f ON f.id = 1 \
         LEFT JOIN sessions s ON s.digest = ?2 \
         LEFT JOIN accounts a ON a.id = s.account_id AND a.condition = 'enabled' AND ",
        session_counts!("s", "a", "?3"),
        " LEFT JOIN memberships m ON m.account_id = a.id AND m.condition = 'enabled' AND m.condition <> 'ended' \
         LEFT JOIN organizations o ON o.id = m.organization_id AND ",
        organization_counts!("o", "?3"),
        " LEFT JOIN membership_roles x ON x.membership_id = m.id \
         LEFT JOIN roles r ON r.id = x.role_id AND r.organization_id = o.id AND r.removed_at IS NULL \
         LEFT JOIN consents q ON q.membership_id = m.id AND q.client_id = c.id AND q.revoked_at IS NULL \
         WHERE c.id = ?1 LIMIT 64"
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&FIND];
