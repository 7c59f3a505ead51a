//! Whether a subject is active and what it may do: read on every use, all conditions in one statement. It
//! also reads the versions at which cached clients and API catalogs are valid.

pub mod access_token;
pub mod consent;
pub mod token_lookup;

use crate::active_conditions::grant_counts;
use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::lifecycle_condition;
use crate::oauth::grants;
use crate::oauth::grants::GrantRow;
use crate::organizations::api_catalog::ApiCatalogVersion;
use crate::organizations::roles;
use crate::row::SqlRow;
use crate::sign_in::sessions::SessionFreshness;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use sinete_core::access_control::permission_catalog::BuiltInRole;
use sinete_core::access_control::role::Role;
use sinete_core::access_control::subject::{LifecycleCondition, SubjectState, TokenSubject};
use sinete_core::client_id::ClientId;
use sinete_core::id::{GrantId, MembershipId};
use sinete_core::organization_kind::OrganizationKind;
use sinete_core::time::Timestamp;

/// The client and grant that a subject acts through.
#[derive(Clone, Copy, Debug)]
pub enum ActingClient<'a> {
    /// None: a user with a session or API key, or a service with its own credentials.
    None,
    /// A client without a grant.
    Client(&'a ClientId),
    /// A client and its grant.
    Grant(&'a ClientId, GrantId),
}

/// The state of a subject as read.
#[derive(Clone, Debug)]
pub struct SubjectSnapshot {
    /// Everything its authority depends on.
    pub state: SubjectState,
    /// The kind of its organization.
    pub organization_kind: OrganizationKind,
    /// The organization's settings.
    pub settings: JsonDocument,
    /// The API catalog version that applies there.
    pub api_catalog_version: ApiCatalogVersion,
    /// Version of the client acted through; cache entries are valid only at this version.
    pub client_version: Option<i64>,
    /// Epoch of that client: a service's own tokens carry it and end when it advances.
    pub client_epoch: Option<i64>,
}

/// Loads the current state of a membership; `None` for a membership that is not claimed.
///
/// A grant that is revoked, expired, of another client or membership, of an older epoch, or bound to an ended
/// session is treated as absent. A client whose owner is gone or suspended counts as suspended.
pub async fn load_subject(
    store: &Store,
    membership: MembershipId,
    through: ActingClient<'_>,
    now: Timestamp,
) -> Result<Option<SubjectSnapshot>, StoreFailure> {
    let (client, grant) = match through {
        ActingClient::None => (None, None),
        ActingClient::Client(client) => (Some(client), None),
        ActingClient::Grant(client, grant) => (Some(client), Some(grant)),
    };
    let parameters: [SqlValue; 4] = [membership.into(), client.into(), grant.into(), now.into()];
    let rows = store.read_all(&FIND, &parameters).await?;
    read_subject(store, &rows, client.is_some(), grant.is_some()).await
}

/// A grant as stored, with the session it is bound to, if any.
#[derive(Clone, Debug)]
pub struct GrantWithSession {
    /// The grant.
    pub grant: GrantRow,
    /// Freshness of the session. The session is active whenever the grant is.
    pub session: Option<SessionFreshness>,
}

/// Loads the state of a membership through a grant, like [`load_subject`], and the grant itself if it
/// connects membership and client.
pub async fn load_subject_with_grant(
    store: &Store,
    membership: MembershipId,
    client: &ClientId,
    grant: GrantId,
    now: Timestamp,
) -> Result<Option<(SubjectSnapshot, Option<GrantWithSession>)>, StoreFailure> {
    let parameters = [membership.into(), client.into(), grant.into(), now.into()];
    let rows = store.read_all(&FIND_WITH_GRANT, &parameters).await?;
    let (Some(snapshot), Some(first)) = (read_subject(store, &rows, true, true).await?, rows.first()) else {
        return Ok(None);
    };
    Ok(Some((snapshot, read_grant_with_session(first)?)))
}

/// Reads the grant of a row, if it has one, with its session.
fn read_grant_with_session(row: &SqlRow) -> Result<Option<GrantWithSession>, StoreFailure> {
    if row.optional_blob("g.id")?.is_none() {
        return Ok(None);
    }
    let session = row.optional_integer("s.authenticated_at")?.map(|_| SessionFreshness::read_columns(row));
    Ok(Some(GrantWithSession { grant: grants::read_grant_columns(row)?, session: session.transpose()? }))
}

/// Reads a subject from the rows of one membership: one row per role.
pub(crate) async fn read_subject(
    store: &Store,
    rows: &[SqlRow],
    is_through_client: bool,
    hangs_on_something: bool,
) -> Result<Option<SubjectSnapshot>, StoreFailure> {
    let Some(first) = rows.first() else { return Ok(None) };
    let Some((subject, account)) = read_holder(first)? else { return Ok(None) };
    let organization_kind = first
        .text("o.kind")?
        .parse()
        .map_err(|_| first.damaged_column("o.kind", "a kind of organization"))?;
    let client = if is_through_client {
        lifecycle_condition::read_condition(first, "client_condition")?
    } else {
        LifecycleCondition::Enabled
    };
    let grant = if hangs_on_something && !first.flag("is_active")? {
        LifecycleCondition::Ended
    } else {
        LifecycleCondition::Enabled
    };
    let offering = ApiCatalogVersion {
        organization: first.id("m.organization_id")?,
        version: first.integer("k.version")?,
    };
    let subject_state = SubjectState {
        subject,
        organization: offering.organization,
        account,
        membership: lifecycle_condition::read_condition(first, "m.condition")?,
        organization_condition: lifecycle_condition::read_condition(first, "organization_condition")?,
        client,
        grant,
        roles: read_roles(store, rows, organization_kind, offering).await?,
    };
    let (client_version, client_epoch) =
        (first.optional_integer("c.version")?, first.optional_integer("c.epoch")?);
    let settings = JsonDocument::from_row(first, "o.settings")?;
    Ok(Some(SubjectSnapshot {
        state: subject_state,
        organization_kind,
        settings,
        api_catalog_version: offering,
        client_version,
        client_epoch,
    }))
}

/// The roles of the membership, limited to permissions that are defined.
async fn read_roles(
    store: &Store,
    rows: &[SqlRow],
    kind: OrganizationKind,
    offering: ApiCatalogVersion,
) -> Result<Vec<Role>, StoreFailure> {
    let with_role = rows.iter().filter(|row| !matches!(row.optional_text("r.name"), Ok(None)));
    let mut roles =
        with_role.map(|row| roles::read_role_columns(row, kind)).collect::<Result<Vec<_>, _>>()?;
    // Decision 0021: a role does not grant a permission that no API defines any longer.
    if roles.iter().any(Role::includes_api_permissions) {
        let catalog = offering.load_catalog(store).await?;
        roles = roles.into_iter().map(|role| role.restrict_to_defined(catalog.permissions())).collect();
    }
    if roles.iter().any(|role| role.name() == BuiltInRole::Owner.name()) {
        let catalog = offering.load_catalog(store).await?;
        let resource_names = catalog.resources().iter().map(|(resource, _)| resource.as_str());
        roles.retain(|role| role.name() != BuiltInRole::Owner.name());
        roles.push(BuiltInRole::build_owner_role(kind, resource_names));
    }
    // Sorted in Rust because the databases collate text differently.
    roles.sort_by(|one, other| one.name().cmp(other.name()));
    Ok(roles)
}

/// The holder of the membership with the condition of their account. A service has no account: its own client
/// takes that place, and is not read a second time if it is also the client acted through.
fn read_holder(row: &SqlRow) -> Result<Option<(TokenSubject, LifecycleCondition)>, StoreFailure> {
    let membership = row.id("m.id")?;
    Ok(match (row.optional_id("m.account_id")?, row.optional_client_id("m.client_id")?) {
        (Some(account), None) => Some((
            TokenSubject::User { account, membership },
            lifecycle_condition::read_condition(row, "account_condition")?,
        )),
        (None, Some(client)) => {
            let condition_column = if row.optional_text("own_condition")?.is_none() {
                "client_condition"
            } else {
                "own_condition"
            };
            Some((
                TokenSubject::Machine { client, membership },
                lifecycle_condition::read_condition(row, condition_column)?,
            ))
        }
        (None, None) => None,
        (Some(_), Some(_)) => return Err(row.damaged_column("m.client_id", "the holder of a membership")),
    })
}

/// The holder of a membership, its organization, whether both are active, and the client acted through.
macro_rules! standing_columns {
    ($now:literal) => {
        concat!(
            "SELECT m.account_id, m.client_id, m.organization_id, m.condition, o.kind, CASE WHEN ",
            $crate::active_conditions::organization_counts!("o", $now),
            " THEN 'enabled' WHEN o.condition = 'suspended' AND (o.ends_at IS NULL OR o.ends_at > ",
            $now,
            ") THEN 'suspended' ELSE 'ended' END AS organization_condition, a.condition AS account_condition, ",
            $crate::active_conditions::client_condition!("own"),
            " AS own_condition, ",
            $crate::active_conditions::client_condition!("c"),
            " AS client_condition, c.version, "
        )
    };
}

/// The remaining columns, after whether the token's root is active; and their tables.
macro_rules! standing_tables {
    ($through:literal) => {
        standing_tables!("", $through)
    };
    ($more:literal, $through:literal) => {
        concat!(
            " AS is_active, r.name, r.is_built_in, r.permissions, m.id, c.epoch, o.settings, k.version",
            $more,
            " FROM memberships m JOIN organizations o ON o.id = m.organization_id \
             JOIN api_catalogue k ON k.id = 1 \
             LEFT JOIN accounts a ON a.id = m.account_id \
             LEFT JOIN clients own ON own.id = m.client_id ",
            $through,
            " LEFT JOIN membership_roles x ON x.membership_id = m.id \
             LEFT JOIN roles r ON r.id = x.role_id AND r.organization_id = o.id AND r.removed_at IS NULL WHERE "
        )
    };
}

use {standing_columns, standing_tables};

/// The same with more columns, for a membership through a client and a grant.
macro_rules! through_grant {
    ($more:literal) => {
        concat!(
            standing_columns!("?4"),
            "CASE WHEN ",
            grant_counts!("g", "a", "c", "s", "?4"),
            " THEN 1 ELSE 0 END",
            standing_tables!(
                $more,
                "LEFT JOIN clients c ON c.id = ?2 \
                 LEFT JOIN grants g ON g.id = ?3 \
                 AND CASE WHEN g.membership_id = m.id AND g.client_id = c.id THEN 1 ELSE 0 END = 1 \
                 LEFT JOIN sessions s ON s.id = g.session_id"
            ),
            "m.id = ?1"
        )
    };
}

static FIND: SqlStatement = SqlStatement::batched_read("standing.find", through_grant!(""));
static FIND_WITH_GRANT: SqlStatement = SqlStatement::batched_read(
    "standing.with_grant",
    through_grant!(
        ", g.id, g.kind, g.organization_id, g.membership_id, g.account_id, g.client_id, g.session_id, g.scopes, \
         g.details, g.authentication, g.created_at, g.expires_at, g.revoked_at, \
         s.authenticated_at, s.used_at, s.rested_at"
    ),
);
pub(crate) static STATEMENTS: &[&SqlStatement] = &[&FIND, &FIND_WITH_GRANT];
