//! Impersonation: an operator with an assignment gets a token for a user that names the operator in `act`, is
//! valid for minutes and depends on the assignment.
//!
//! Such a token cannot sign in or be exchanged, and at our own APIs it can only be used at userinfo.
//! Credentials and administration are therefore out of its reach.

use crate::access_control::instance_admin::InstanceAdmin;
use crate::access_control::organization_access::with_audit_log_event;
use crate::oauth::access_token::LiveAccessToken;
use crate::oauth::authorize::client_trust;
use crate::oauth::token_issuance;
use crate::oauth::token_issuance::{AccessTokenParams, Audience, IssuedTokens};
use crate::{Engine, Error, Failure};
use sinete_core::access_control::Authority;
use sinete_core::access_control::built_in_permissions::IMPERSONATE_ACCOUNTS;
use sinete_core::access_control::built_in_permissions::READ_INSTANCE;
use sinete_core::access_control::permission_catalog::is_built_in_resource;
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::access_control::subject::{ActiveSubject, LifecycleCondition};
use sinete_core::client_id::ClientId;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor as EventActor};
use sinete_core::id::{AssignmentId, MembershipId, OrganizationId};
use sinete_core::limits::IMPERSONATION_LIFETIME;
use sinete_core::oauth::actor::ActorClaim;
use sinete_core::oauth::authorization_details::AuthorizationDetails;
use sinete_core::oauth::authorize::consent::ClientTrust;
use sinete_core::oauth::client_metadata::ClientMetadata;
use sinete_core::oauth::grants::{invalid_scope, to_refusal};
use sinete_core::oauth::jti::{Jti, TokenRevocationRoot};
use sinete_core::oauth::organization_policy::{
    PolicyApproval, PolicyRequest, RequestedClientAccess, TokenDerivation, TokenSource, check_token_policy,
};
use sinete_core::organizations::api_catalog::ApiIdentifier;
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::time::Timestamp;
use sinete_store::oauth::cache::api_catalog::ApiCatalog;
use sinete_store::oauth::clients;
use sinete_store::oauth::clients::ClientOrigin;
use sinete_store::oauth::subject_state;
use sinete_store::oauth::subject_state::ActingClient;
use sinete_store::organizations::assignments;
use sinete_store::organizations::assignments::{AssignmentRow, OperatorAssignmentRight};
use sinete_store::organizations::memberships;
use sinete_store::{BatchOutcome, WriteBatch};
use std::sync::Arc;

/// A request to impersonate a user.
#[derive(Clone, Debug)]
pub struct ImpersonationRequest {
    /// The client of the token.
    pub client: ClientId,
    /// The API; by default the one that defines the scope.
    pub resource: Option<ApiIdentifier>,
    /// The scope.
    pub scope: ScopeSet,
}

/// The impersonated user, in their current state.
struct ImpersonatedPerson {
    membership: MembershipId,
    organization: OrganizationId,
    subject: ActiveSubject,
    api_catalog: Arc<ApiCatalog>,
    /// The organization's settings.
    settings: OrganizationSettings,
    /// Who verified the client.
    trust: ClientTrust,
    /// The metadata of the client.
    client_metadata: ClientMetadata,
}

/// Issues a token for the user that the assignment names.
pub async fn start_impersonation(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    assignment: AssignmentId,
    request: &ImpersonationRequest,
) -> Result<IssuedTokens, Error> {
    let now = instance_admin.now();
    let allowed = instance_admin
        .require_permission(READ_INSTANCE)
        .and_then(|()| require_assignment_permission(instance_admin));
    allowed.and_then(|()| refuse_built_in_permissions(&request.scope))?;
    let assignment_row = assignments::find_assignment(engine.store(), assignment).await?;
    let Some(valid_assignment) =
        assignment_row.filter(|it| is_valid_for(it, instance_admin.membership(), now))
    else {
        return Err(no_such_assignment().into());
    };
    let impersonated_person = load_impersonated_user(engine, &valid_assignment, request, now).await?;
    let (audience, authority) = narrow_authority(engine, &impersonated_person, request)?;
    let policy = check_policy(&impersonated_person, &audience, &request.scope)?;
    let remaining = valid_assignment.assignment.ends_at.since(now);
    let lifetime = audience.token_lifetime().min(IMPERSONATION_LIFETIME).min(remaining);
    let jti = Jti::mint(TokenRevocationRoot::Assignment(assignment), None, &engine.id_entropy());
    let event = instance_admin
        .event(engine, EventKind::MembershipImpersonated, impersonated_person.organization)
        .with_subject("membership", impersonated_person.membership)
        .with_client(request.client.clone())
        .with_detail("assignment", assignment.to_string())
        .with_detail("operator", instance_admin.membership().to_string())
        .with_detail("token", jti.to_string())
        .with_detail("audience", audience.audience().as_str())
        .with_detail("scope", request.scope.to_string())
        .with_detail("expires_at", now.plus(lifetime).to_string());
    let wording = AccessTokenParams {
        audience: &audience,
        client: &request.client,
        scopes: &request.scope,
        metadata: &impersonated_person.client_metadata,
        jti,
        now,
        lifetime,
        authentication: None,
        actor: ActorClaim::for_impersonation(instance_admin.membership()),
        confirmation: None,
        details: Vec::new(),
        policy,
    };
    let access_token =
        token_issuance::sign_access_token(engine, &impersonated_person.subject, &authority, wording)?;
    let batch = WriteBatch::new().with_statement(assignments::lock_assignment_row(assignment, now));
    let batch = with_audit_log_event(
        batch,
        &event,
        impersonated_person.organization,
        &valid_assignment.assignment.reason,
    )?;
    match engine.store().commit(batch).await? {
        BatchOutcome::Committed(_) => Ok(IssuedTokens {
            access_token,
            lifetime,
            scope: request.scope.clone(),
            refresh_token: None,
            id_token: None,
            details: Vec::new(),
            is_exchanged: false,
        }),
        BatchOutcome::Conflict(_) => Err(no_such_assignment().into()),
    }
}

/// Records a read at our own APIs by an operator who impersonates a member. It must be durable before the
/// response.
pub(crate) async fn record_read(
    engine: &Engine,
    live: &LiveAccessToken,
    resource: &'static str,
) -> Result<(), Failure> {
    let TokenRevocationRoot::Assignment(id) = live.claims.jti().root else { return Ok(()) };
    let Some(assignment) = assignments::find_assignment(engine.store(), id).await? else { return Ok(()) };
    let now = engine.now();
    let event = SecurityEvent::new(
        EventKind::MembershipImpersonated,
        EventActor::Membership(assignment.holder),
        now,
        engine.entropy(),
    )
    .with_organization(assignment.organization)
    .with_subject("membership", live.claims.subject())
    .with_client(live.claims.client().clone())
    .with_detail("assignment", id.to_string())
    .with_detail("operator", assignment.holder.to_string())
    .with_detail("token", live.claims.jti().to_string())
    .with_detail("looked_at", resource);
    let batch = with_audit_log_event(
        WriteBatch::new(),
        &event,
        assignment.organization,
        &assignment.assignment.reason,
    )?;
    match engine.store().commit(batch).await? {
        BatchOutcome::Committed(_) => Ok(()),
        BatchOutcome::Conflict(_) => Err(Failure::Contended),
    }
}

/// Requires that the credential may use assignments.
fn require_assignment_permission(instance_admin: &InstanceAdmin) -> Result<(), Refusal> {
    let allowed =
        IMPERSONATE_ACCOUNTS.parse().is_ok_and(|reserved| instance_admin.can_use_assignment(&reserved));
    if allowed {
        return Ok(());
    }
    let reason = instance_admin.missing_permission(IMPERSONATE_ACCOUNTS);
    Err(Refusal::because(reason, "the credential does not carry accounts:impersonate"))
}

fn is_valid_for(assignment: &AssignmentRow, holder: MembershipId, now: Timestamp) -> bool {
    assignment.holder == holder && assignment.ended_at.is_none() && assignment.assignment.ends_at > now
}

/// Loads the user and the client, if both are active.
async fn load_impersonated_user(
    engine: &Engine,
    assignment: &AssignmentRow,
    request: &ImpersonationRequest,
    now: Timestamp,
) -> Result<ImpersonatedPerson, Error> {
    let OperatorAssignmentRight::Impersonating(account) = assignment.assignment.allows else {
        return Err(no_such_assignment().into());
    };
    let client = clients::find_client(engine.store(), &request.client).await?;
    let trust = client.as_ref().map_or(ClientTrust::SelfRegistered, client_trust);
    let metadata = client.as_ref().map(|client| client.metadata.parse::<ClientMetadata>()).transpose()?;
    let client_metadata = metadata.unwrap_or_default();
    let serves = client.is_some_and(|client| {
        let is_theirs = match client.origin {
            ClientOrigin::Operator => true,
            ClientOrigin::Organization(organization) => organization == assignment.organization,
            // An unverified client must not receive the token.
            ClientOrigin::DynamicRegistration => client.verified_at.is_some(),
        };
        // A token bound to the client's certificate or key could not be issued here.
        is_theirs
            && !client_metadata.binds_tokens()
            && client.condition == LifecycleCondition::Enabled
            && request.scope.is_within(&client.scope)
    });
    if !serves {
        return Err(Refusal::because(
            OAuthRefusal::ImpersonationScopeInvalid,
            "a client that cannot be used",
        )
        .into());
    }
    let all = memberships::list_account_memberships(engine.store(), account).await?;
    let membership = all
        .into_iter()
        .find(|it| it.organization == assignment.organization && it.condition != LifecycleCondition::Ended);
    let Some(membership) = membership else {
        return Err(impersonation_not_active("the member no longer exists").into());
    };
    let through = ActingClient::Client(&request.client);
    let Some(snapshot) = subject_state::load_subject(engine.store(), membership.id, through, now).await?
    else {
        return Err(impersonation_not_active("the membership has no holder").into());
    };
    let catalog = snapshot.api_catalog_version.load_catalog(engine.store()).await?;
    let (settings, organization) = (snapshot.settings.parse()?, assignment.organization);
    let active_subject =
        snapshot.state.require_active().map_err(|subject| impersonation_not_active(&subject.to_string()))?;
    Ok(ImpersonatedPerson {
        membership: membership.id,
        organization,
        subject: active_subject,
        api_catalog: catalog,
        settings,
        trust,
        client_metadata,
    })
}

/// Rejects built-in permissions.
fn refuse_built_in_permissions(scope: &ScopeSet) -> Result<(), Refusal> {
    if !scope.permissions().iter().any(|permission| is_built_in_resource(permission.resource())) {
        return Ok(());
    }
    Err(Refusal::because(OAuthRefusal::ImpersonationOfManagement, "a permission of our own"))
}

/// Resolves the audience, and narrows the user's authority to the requested scope.
fn narrow_authority(
    engine: &Engine,
    impersonated_person: &ImpersonatedPerson,
    request: &ImpersonationRequest,
) -> Result<(Audience, Authority), Error> {
    let permissions = request.scope.permissions();
    let audience = match &request.resource {
        Some(resource) => token_issuance::find_audience(engine, &impersonated_person.api_catalog, resource)?,
        None => token_issuance::infer_audience(engine, &impersonated_person.api_catalog, &permissions)?,
    };
    audience.target().require_defined_permissions(&permissions).map_err(to_refusal)?;
    let authority = Authority::derive(&impersonated_person.subject)
        .narrow(&permissions)
        .map_err(|widening| invalid_scope(widening.to_string()))?;
    Ok((audience, authority))
}

/// Checks the organization's policy for the client. There is no user authentication to check.
fn check_policy(
    impersonated_person: &ImpersonatedPerson,
    audience: &Audience,
    scopes: &ScopeSet,
) -> Result<PolicyApproval, Refusal> {
    let details = AuthorizationDetails::default();
    let (trust, target) = (impersonated_person.trust, audience.target());
    let request = PolicyRequest {
        organization: impersonated_person.organization,
        source: TokenSource::Impersonation,
        derivation: TokenDerivation::Direct,
        client: Some(RequestedClientAccess {
            client_trust: trust,
            document_host: None,
            target,
            scopes,
            details: &details,
        }),
        user: None,
    };
    check_token_policy(&impersonated_person.settings, &request)
        .map_err(|violation| violation.token_error(true))
}

fn impersonation_not_active(reason: &str) -> Refusal {
    Refusal::because(OAuthRefusal::ImpersonationNotPossible, reason)
}

fn no_such_assignment() -> Refusal {
    Refusal::because(RequestRefusal::NotFound, "no such assignment for this caller")
}
