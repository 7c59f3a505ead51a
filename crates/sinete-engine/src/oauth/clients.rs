//! Clients: those of operators serve every organization, those of an organization only it.

mod lifecycle;
mod membership;
mod secrets;
mod validation;
mod verification;

pub use lifecycle::{disable, enable, remove};
pub use secrets::{
    ClientSecretOverview, NewClientSecret, add_secret, adopt_secret, list_secrets, revoke_secret,
};
pub use sinete_store::oauth::clients::{ClientOrigin, ClientRow};
pub use verification::{list_self_registered, set_verified, show_any};

use crate::access_control::admin_scope::{AdminScope, ScopedPermission};
use crate::organizations::members;
use crate::organizations::members::MemberWithRoles;
use crate::organizations::precondition_failed;
use crate::{Engine, Error};
use sinete_core::access_control::built_in_permissions::{
    CREATE_CLIENTS, MANAGE_AGENTS, MANAGE_CLIENTS, OPERATE_INSTANCE, READ_CLIENTS, READ_INSTANCE,
};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::client_id::{ClientId, ClientKind};
use sinete_core::events::security_event::EventKind;
use sinete_core::id::{MembershipId, RoleId};
use sinete_core::oauth::client_metadata::ClientMetadata;
use sinete_core::oauth::client_trust::{RevokedClientTrust, changes_authentication};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::secret::{ClientSecret, Digest, RegistrationToken, Secret};
use sinete_core::time::Timestamp;
use sinete_store::oauth::{client_secrets, clients, dcr};
use sinete_store::organizations::memberships;
use sinete_store::{
    BatchOutcome, FIRST_VERSION, GuardConflict, GuardedStatement, JsonDocument, organizations,
};
use validation::ClientDraft;

const READ_PERMISSION: ScopedPermission =
    ScopedPermission { in_organization: READ_CLIENTS, over_instance: READ_INSTANCE };
const CREATE_PERMISSION: ScopedPermission =
    ScopedPermission { in_organization: CREATE_CLIENTS, over_instance: OPERATE_INSTANCE };
const MANAGE_PERMISSION: ScopedPermission =
    ScopedPermission { in_organization: MANAGE_CLIENTS, over_instance: OPERATE_INSTANCE };
const AGENTS_PERMISSION: ScopedPermission =
    ScopedPermission { in_organization: MANAGE_AGENTS, over_instance: OPERATE_INSTANCE };

/// A client to add.
#[derive(Clone, Debug)]
pub struct NewClientRequest {
    /// The id, if an operator chose it.
    pub id: Option<ClientId>,
    /// The kind.
    pub kind: ClientKind,
    /// The purpose, for display.
    pub purpose: String,
    /// The owner of an agent.
    pub owner: Option<MembershipId>,
    /// Its roles in its organization, if it acts for itself.
    pub roles: Vec<RoleId>,
    /// Whether an operator verified it.
    pub is_verified: bool,
    /// The digest of an existing secret; only for the command line.
    pub secret: Option<Digest<ClientSecret>>,
    /// The digest of its registration access token, if it has one.
    pub registration: Option<Digest<RegistrationToken>>,
    /// The metadata.
    pub metadata: ClientMetadata,
}

/// A change of a client.
#[derive(Clone, Debug)]
pub struct ClientUpdate {
    /// The purpose.
    pub purpose: String,
    /// The owner.
    pub owner: Option<MembershipId>,
    /// Its roles; `None` leaves them unchanged.
    pub roles: Option<Vec<RoleId>>,
    /// The roles that were read. They can change without changing the client's version.
    pub expected_roles: Vec<RoleId>,
    /// The metadata.
    pub metadata: ClientMetadata,
}

/// A client with its membership.
#[derive(Clone, Debug)]
pub struct ClientOverview {
    /// The client.
    pub client: ClientRow,
    /// Its membership, if it acts for itself.
    pub member: Option<MemberWithRoles>,
}

impl ClientOverview {
    /// The ids of its roles, by name.
    pub fn role_ids(&self) -> Vec<RoleId> {
        self.member.iter().flat_map(|member| member.roles.iter().map(|role| role.id)).collect()
    }
}

/// A client after a change, with a new secret, which is shown once.
pub struct SavedClient {
    /// The client.
    pub overview: ClientOverview,
    /// Its new secret.
    pub secret: Option<Secret<ClientSecret>>,
}

/// Lists clients by id: those of the organization, or of the operators.
pub async fn list(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    after: Option<&ClientId>,
    limit: u32,
) -> Result<Vec<ClientRow>, Error> {
    admin_scope.require_read_permission(READ_PERMISSION)?;
    admin_scope.record_read_by_non_member(engine, "clients").await?;
    Ok(clients::list_clients(engine.store(), origin(admin_scope), after, limit).await?)
}

/// Shows a client.
pub async fn show(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: &ClientId,
) -> Result<ClientOverview, Error> {
    admin_scope.require_read_permission(READ_PERMISSION)?;
    admin_scope.record_read_by_non_member(engine, "clients").await?;
    find(engine, admin_scope, id).await
}

/// Adds a client. One that acts for itself becomes a member, with roles that the caller may assign.
pub async fn create(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    request: &NewClientRequest,
) -> Result<SavedClient, Error> {
    let allowed = admin_scope.require_change_permission(required_permission(CREATE_PERMISSION, request.kind));
    allowed.and_then(|()| validation::check_chosen_credentials(admin_scope, request))?;
    let draft = ClientDraft::from_new(request);
    validation::check_draft(engine, admin_scope, &draft).await?;
    let now = admin_scope.now();
    let id = request.id.clone().unwrap_or_else(|| ClientId::mint(now, engine.entropy()));
    let joining = membership::prepare_membership(engine, admin_scope, &id, &request.roles).await?;
    let (digest, secret) = match (request.metadata.token_endpoint_auth_method.needs_secret(), request.secret)
    {
        (false, _) => (None, None),
        (true, Some(digest)) => (Some(digest), None),
        (true, None) => {
            let secret = Secret::<ClientSecret>::mint(engine.entropy());
            (Some(secret.digest()), Some(secret))
        }
    };
    let (scope, metadata) = (request.metadata.allowed_scopes(), JsonDocument::from_value(&request.metadata)?);
    let new = clients::NewClient {
        id: &id,
        kind: request.kind,
        origin: origin(admin_scope),
        name: &request.metadata.client_name,
        purpose: &request.purpose,
        owner: request.owner,
        scope: &scope,
        metadata: &metadata,
        created_at: now,
    };
    let batch = admin_scope
        .guarded_batch()
        .with_statements(joining.guard)
        .with_statement(clients::create_client(&new))
        .with_statements(
            request.is_verified.then(|| clients::set_client_verified(&id, FIRST_VERSION, Some(now))),
        )
        .with_statements(joining.steps)
        .with_statements(digest.map(|digest| client_secrets::add_client_secret(&digest, &id, now, None)))
        .with_statements(request.registration.map(|token| dcr::issue_registration_token(&id, &token)));
    let event = admin_scope
        .event(engine, EventKind::ClientCreated)
        .with_subject("client", &id)
        .with_detail("kind", request.kind.as_str())
        .with_detail("roles", joining.names);
    match engine.store().commit(admin_scope.record(batch, &event)?).await? {
        // The row is not read again: if that failed, the secret would be lost.
        BatchOutcome::Committed(_) => {
            let mut client = new.to_row();
            if request.is_verified {
                client = client.with_verification(Some(now));
            }
            Ok(SavedClient { overview: ClientOverview { client, member: joining.member }, secret })
        }
        BatchOutcome::Conflict(conflict) => Err(conflict_refusal(&conflict, client_id_taken).into()),
    }
}

/// Changes a client, if the version matches.
pub async fn change(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: &ClientId,
    expected_version: i64,
    changed: &ClientUpdate,
) -> Result<SavedClient, Error> {
    let overview = find_changeable(engine, admin_scope, id, expected_version).await?;
    if changed.roles.is_some() && overview.role_ids() != changed.expected_roles {
        return Err(precondition_failed().into());
    }
    let ClientOverview { client, member } = overview;
    let before: ClientMetadata = client.metadata.parse()?;
    let trust =
        RevokedClientTrust::from_change(validation::client_editor(admin_scope), &before, &changed.metadata);
    let lapses = client.verified_at.is_some() && trust.ends_verification();
    let draft = ClientDraft::from_change(&client, member.as_ref(), changed, lapses);
    validation::check_draft(engine, admin_scope, &draft).await?;
    if changes_authentication(&before, &changed.metadata) {
        validation::check_takeover(engine, admin_scope, member.as_ref()).await?;
    }
    let roles = membership::prepare_membership_change(
        engine,
        admin_scope,
        id,
        member.as_ref(),
        changed.roles.as_deref(),
    )
    .await?;
    let (proof, secret) =
        change_authentication_method(engine, id, admin_scope.now(), &before, &changed.metadata);
    let (scope, metadata) = (changed.metadata.allowed_scopes(), JsonDocument::from_value(&changed.metadata)?);
    let description = clients::ClientChange {
        name: &changed.metadata.client_name,
        purpose: &changed.purpose,
        owner: changed.owner,
        scope: &scope,
        metadata: &metadata,
        trust,
    };
    let batch = admin_scope
        .guarded_batch()
        .with_statements(roles.guard)
        .with_statements(roles.steps)
        .with_statements(clients::change_client(id, expected_version, &description, admin_scope.now()))
        .with_statements(proof);
    let mut event = admin_scope.event(engine, EventKind::ClientChanged).with_subject("client", id);
    if changed.roles.is_some() {
        event = event.with_detail("roles", roles.names);
    }
    if lapses {
        event = event.with_detail("verified", false);
    }
    match engine.store().commit(admin_scope.record(batch, &event)?).await? {
        // As above: a new secret is returned whatever happens to the database.
        BatchOutcome::Committed(_) => {
            let client = client.with_change(&description);
            Ok(SavedClient { overview: ClientOverview { client, member: roles.member }, secret })
        }
        BatchOutcome::Conflict(conflict) => Err(conflict_refusal(&conflict, precondition_failed).into()),
    }
}

/// Adds or removes secrets after a change of the authentication method: a client has a permanent secret
/// exactly if it needs one.
pub(crate) fn change_authentication_method(
    engine: &Engine,
    id: &ClientId,
    now: Timestamp,
    before: &ClientMetadata,
    after: &ClientMetadata,
) -> (Option<GuardedStatement>, Option<Secret<ClientSecret>>) {
    let needs = |metadata: &ClientMetadata| metadata.token_endpoint_auth_method.needs_secret();
    match (needs(before), needs(after)) {
        (false, true) => {
            let secret = Secret::<ClientSecret>::mint(engine.entropy());
            (Some(client_secrets::add_client_secret(&secret.digest(), id, now, None)), Some(secret))
        }
        (true, false) => (Some(client_secrets::revoke_client_secrets(id, now)), None),
        (true, true) | (false, false) => (None, None),
    }
}

/// Loads the client for a change, if it has this version and the caller may change it.
pub async fn find_changeable(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: &ClientId,
    expected_version: i64,
) -> Result<ClientOverview, Error> {
    let overview = find_manageable(engine, admin_scope, id).await?;
    if overview.client.version == expected_version { Ok(overview) } else { Err(precondition_failed().into()) }
}

/// Loads the client, if the caller may manage its kind.
pub(super) async fn find_manageable(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: &ClientId,
) -> Result<ClientOverview, Error> {
    // A caller who may manage neither kind does not learn which one it is.
    if let (Err(refusal), Err(_)) = (
        admin_scope.require_change_permission(MANAGE_PERMISSION),
        admin_scope.require_change_permission(AGENTS_PERMISSION),
    ) {
        return Err(refusal.into());
    }
    {
        let overview = find(engine, admin_scope, id).await?;
        Ok(admin_scope
            .require_change_permission(required_permission(MANAGE_PERMISSION, overview.client.kind))
            .map(|()| overview)?)
    }
}

/// Loads the client for a change of its condition. Operators also stop clients that registered themselves.
async fn find_stoppable(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: &ClientId,
) -> Result<ClientOverview, Error> {
    let is_own = |client: &ClientRow| {
        client.origin == ClientOrigin::DynamicRegistration && client.condition != LifecycleCondition::Ended
    };
    if let AdminScope::Instance(_) = admin_scope
        && admin_scope.require_change_permission(MANAGE_PERMISSION).is_ok()
        && let Some(client) = clients::find_client(engine.store(), id).await?.filter(is_own)
    {
        return Ok(ClientOverview { client, member: None });
    }
    find_manageable(engine, admin_scope, id).await
}

async fn find(engine: &Engine, admin_scope: AdminScope<'_>, id: &ClientId) -> Result<ClientOverview, Error> {
    let client_row = clients::find_client(engine.store(), id).await?;
    let is_own = |client: &ClientRow| {
        client.origin == origin(admin_scope) && client.condition != LifecycleCondition::Ended
    };
    let Some(client) = client_row.filter(is_own) else { return Err(no_such_client().into()) };
    let member = match admin_scope {
        AdminScope::Instance(_) => None,
        AdminScope::Organization(access) => {
            match memberships::find_client_membership(engine.store(), access.organization.id, id).await? {
                Some(membership) => members::find_member(engine, access, membership.id).await?,
                None => None,
            }
        }
    };
    Ok(ClientOverview { client, member })
}

fn origin(admin_scope: AdminScope<'_>) -> ClientOrigin {
    admin_scope.owning_organization().map_or(ClientOrigin::Operator, ClientOrigin::Organization)
}

/// The required permission: agents have one of their own.
const fn required_permission(otherwise: ScopedPermission, kind: ClientKind) -> ScopedPermission {
    match kind {
        ClientKind::Agent => AGENTS_PERMISSION,
        ClientKind::Application | ClientKind::Service => otherwise,
    }
}

/// Converts a guard conflict to a refusal.
fn conflict_refusal(conflict: &GuardConflict, otherwise: fn() -> Refusal) -> Refusal {
    if organizations::is_lock_conflict(conflict) {
        crate::access_control::organization_access::organization_suspended()
    } else {
        otherwise()
    }
}

fn no_such_client() -> Refusal {
    Refusal::because(RequestRefusal::NotFound, "no such client")
}

fn client_id_taken() -> Refusal {
    Refusal::because(OAuthRefusal::ClientIdTaken, "the id or the digest is taken")
}
