//! Authenticated callers of our own APIs, and their current permissions.

use crate::platform::idempotency::IdempotencyClaim;
use crate::{Engine, Error, EventCause, Failure};
use sinete_core::access_control::Authority;
use sinete_core::access_control::built_in_permissions::DELETE_ORGANIZATION;
use sinete_core::access_control::permission::{Permission, PermissionSet};
use sinete_core::access_control::permission_catalog::BuiltInRole;
use sinete_core::access_control::subject::{InactiveSubject, LifecycleCondition, SubjectState, TokenSubject};
use sinete_core::client_id::ClientId;
use sinete_core::events::security_event::{RequestOrigin, SecurityEventActor};
use sinete_core::id::{MembershipId, OrganizationId};
use sinete_core::organization_kind::OrganizationKind;
use sinete_core::organizations::memberships;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::access::AccessRefusal;
use sinete_core::secret::{ApiKey, Secret};
use sinete_store::WriteBatch;
use sinete_store::oauth::subject_state;
use sinete_store::oauth::subject_state::{ActingClient, SubjectSnapshot};
use sinete_store::organizations::{OrganizationRow, api_catalog, api_keys};

/// The client name of the command line in events; it is unrelated to a client of this name.
const COMMAND_LINE_CLIENT: &str = "sinete";

/// An authenticated caller in one organization.
#[derive(Clone, Debug)]
pub struct AuthenticatedCaller {
    /// The actor and origin for events.
    pub cause: EventCause,
    /// The caller's membership.
    pub membership: MembershipId,
    /// The organization.
    pub organization: OrganizationId,
    /// The kind of the organization.
    pub organization_kind: OrganizationKind,
    /// Whether it is suspended, so that members may only read.
    pub organization_condition: LifecycleCondition,
    /// The caller's authority, limited by the credential in use.
    pub authority: Authority,
    /// Whether the caller owns the organization and the credential includes that.
    pub is_owner: bool,
    /// Whether the credential carries the caller's full authority.
    pub has_full_authority: bool,
    /// The idempotency key of the request.
    pub claim: Option<IdempotencyClaim>,
    /// The maximum permissions of the credential.
    ceiling: PermissionSet,
}

impl AuthenticatedCaller {
    /// Requires a permission for the instance.
    pub fn require_instance_permission(&self, permission: &'static str) -> Result<(), Refusal> {
        let in_office = self.organization_kind == OrganizationKind::Operator
            && self.organization_condition == LifecycleCondition::Enabled
            && permission.parse().is_ok_and(|permission| self.authority.covers(&permission));
        if in_office {
            return Ok(());
        }
        let reason = match self.credential_scope() {
            Some(scope) if self.organization_kind == OrganizationKind::Operator => {
                missing_permission(&self.cause, Some(scope), permission)
            }
            Some(_) | None => AccessRefusal::OperatorPermissionMissing(permission),
        };
        Err(Refusal::because(reason, format!("{permission} is not held over the instance")))
    }

    /// The scope of the credential, if it carries less than the caller's full authority.
    pub(crate) fn credential_scope(&self) -> Option<&PermissionSet> {
        (!self.has_full_authority).then_some(&self.ceiling)
    }

    /// Whether the caller may read with this permission in their organization.
    pub fn can_read(&self, permission: &str) -> bool {
        permission.parse().is_ok_and(|permission| self.authority.covers(&permission))
    }

    /// Sets the idempotency key.
    #[must_use]
    pub fn with_claim(&self, claim: Option<IdempotencyClaim>) -> Self {
        Self { claim, ..self.clone() }
    }

    /// Whether the credential may use a permission that only an assignment grants.
    pub fn can_use_assignment(&self, reserved: &Permission) -> bool {
        self.ceiling.covers(reserved)
    }
}

/// Authenticates an API key. Nothing is cached between two calls.
pub(crate) async fn authenticate_api_key(
    engine: &Engine,
    secret: &Secret<ApiKey>,
    origin: RequestOrigin,
) -> Result<AuthenticatedCaller, Error> {
    let now = engine.now();
    let Some(key) = api_keys::find_active_api_key(engine.store(), &secret.digest(), now).await? else {
        return Err(invalid_token("there is no such key, or it was revoked or has expired").into());
    };
    let Some(snapshot) =
        subject_state::load_subject(engine.store(), key.membership, ActingClient::None, now).await?
    else {
        return Err(invalid_token("the membership of the key has no holder").into());
    };
    if let Some(step) = api_keys::touch_api_key(&key, now) {
        // The time of last use is informative; a database that cannot write must not lock the caller out.
        engine.store().commit_best_effort(WriteBatch::new().with_statement(step)).await;
    }
    let cause = EventCause { actor: SecurityEventActor::ApiKey(key.id), origin };
    Ok(build_caller(snapshot, key.scope.permissions(), cause)
        .map_err(|subject| invalid_token(&subject.to_string()))?)
}

/// Loads a user as caller in one of their organizations, with their full authority; `None` if anything it
/// depends on is inactive.
pub(crate) async fn load_member_caller(
    engine: &Engine,
    membership: MembershipId,
    cause: EventCause,
) -> Result<Option<AuthenticatedCaller>, Failure> {
    let Some(snapshot) =
        subject_state::load_subject(engine.store(), membership, ActingClient::None, engine.now()).await?
    else {
        return Ok(None);
    };
    let Ok(authority) = readable_authority(snapshot.state.clone()) else { return Ok(None) };
    Ok(build_caller(snapshot, authority.permissions().clone(), cause).ok())
}

/// Builds the caller from this subject state, limited by the credential's maximum permissions.
pub(crate) fn build_caller(
    snapshot: SubjectSnapshot,
    ceiling: PermissionSet,
    cause: EventCause,
) -> Result<AuthenticatedCaller, InactiveSubject> {
    let organization_condition = snapshot.state.organization_condition;
    let carries_owner = memberships::is_owner(&snapshot.state.roles);
    let held_authority = readable_authority(snapshot.state)?;
    let is_whole = held_authority.permissions().iter().all(|permission| ceiling.covers(permission));
    let authority = held_authority.narrow_to_ceiling(&ceiling);
    // A credential counts as an owner's if it includes a permission that only owners have.
    let owns = DELETE_ORGANIZATION.parse().is_ok_and(|permission| authority.covers(&permission));
    let (TokenSubject::User { membership, .. } | TokenSubject::Machine { membership, .. }) =
        *authority.subject();
    Ok(AuthenticatedCaller {
        cause,
        membership,
        organization: authority.organization(),
        organization_kind: snapshot.organization_kind,
        organization_condition,
        authority,
        is_owner: carries_owner && owns,
        has_full_authority: is_whole,
        claim: None,
        ceiling,
    })
}

/// The caller at the command line, in the organization of the operators. They have access to the database
/// itself, so no permission is withheld; their actions are recorded like others.
pub(crate) async fn build_command_line_caller(
    engine: &Engine,
    organization: &OrganizationRow,
) -> Result<AuthenticatedCaller, Failure> {
    let resources = api_catalog::list_offered_resources(engine.store(), organization.id).await?;
    let resource_names = resources.iter().map(|(resource, _)| resource.as_str());
    let roles = vec![
        BuiltInRole::build_owner_role(organization.kind, resource_names),
        BuiltInRole::Operator.to_role(organization.kind),
    ];
    // No membership has this id, because no id was generated at the epoch.
    let membership = MembershipId::from_bytes([0; 16]);
    let client = COMMAND_LINE_CLIENT.parse::<ClientId>().map_err(|_| Failure::Contended)?;
    let subject_state = SubjectState {
        subject: TokenSubject::Machine { client, membership },
        organization: organization.id,
        account: LifecycleCondition::Enabled,
        membership: LifecycleCondition::Enabled,
        organization_condition: LifecycleCondition::Enabled,
        client: LifecycleCondition::Enabled,
        grant: LifecycleCondition::Enabled,
        roles,
    };
    let subject = subject_state.require_active().map_err(|_| Failure::Contended)?;
    let authority = Authority::derive(&subject);
    Ok(AuthenticatedCaller {
        cause: EventCause::system(),
        membership,
        organization: organization.id,
        organization_kind: organization.kind,
        organization_condition: organization.condition,
        ceiling: authority.permissions().clone(),
        authority,
        is_owner: true,
        has_full_authority: true,
        claim: None,
    })
}

/// The authority for reads: members may still read a suspended organization, so it counts as enabled here.
/// Changes check its condition again.
fn readable_authority(subject_state: SubjectState) -> Result<Authority, InactiveSubject> {
    let organization_condition = match subject_state.organization_condition {
        LifecycleCondition::Enabled | LifecycleCondition::Suspended => LifecycleCondition::Enabled,
        LifecycleCondition::Ended => LifecycleCondition::Ended,
    };
    let subject_state = SubjectState { organization_condition, ..subject_state };
    subject_state.require_active().map(|subject| Authority::derive(&subject))
}

/// Why a caller does not have a permission: the scope of the credential, or else the roles.
pub(crate) fn missing_permission(
    cause: &EventCause,
    scope: Option<&PermissionSet>,
    permission: &'static str,
) -> AccessRefusal {
    let is_in_scope =
        scope.is_none_or(|scope| permission.parse().is_ok_and(|permission| scope.covers(&permission)));
    match cause.actor {
        _ if is_in_scope => AccessRefusal::PermissionMissing(permission),
        SecurityEventActor::ApiKey(_) => AccessRefusal::ApiKeyScopeMissing(permission),
        SecurityEventActor::System
        | SecurityEventActor::Anonymous
        | SecurityEventActor::Account(_)
        | SecurityEventActor::Membership(_)
        | SecurityEventActor::Client(_)
        | SecurityEventActor::SetupLink(_) => AccessRefusal::TokenScopeMissing(permission),
    }
}

pub(crate) fn invalid_token(reason: &str) -> Refusal {
    Refusal::because(AccessRefusal::CredentialInvalid, reason)
}
