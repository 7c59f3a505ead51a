//! Who calls our own APIs, and what they may do at this moment.

use crate::oauth::caller_authentication;
use crate::oauth::presented_credential::PresentedCredential;
use crate::platform::idempotency::IdempotencyClaim;
use crate::{Engine, EventCause, Failure, organizations};
use sinete_core::access_control::Authority;
use sinete_core::access_control::permission::{Permission, PermissionSet};
use sinete_core::access_control::permission_catalog::BuiltInRole;
use sinete_core::access_control::permission_catalog::DELETE_ORGANIZATION;
use sinete_core::access_control::subject::{InactiveSubject, LifecycleCondition, SubjectState, TokenSubject};
use sinete_core::client_id::ClientId;
use sinete_core::events::security_event::{RequestOrigin, SecurityEventActor};
use sinete_core::id::{MembershipId, OrganizationId};
use sinete_core::organizations::OrganizationKind;
use sinete_core::organizations::memberships;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::{ApiKey, Secret};
use sinete_store::WriteBatch;
use sinete_store::oauth::subject_state;
use sinete_store::oauth::subject_state::{SubjectAccessPath, SubjectSnapshot};
use sinete_store::organizations::{api_catalog, api_keys};

/// What the command line goes by where a client's name stands; a client of this name has nothing to do with it.
const COMMAND_LINE_CLIENT: &str = "sinete";

/// Somebody who proved who they are, in the one organization they speak for.
#[derive(Clone, Debug)]
pub struct AuthenticatedCaller {
    /// Who, and from where.
    pub cause: EventCause,
    /// Through which membership.
    pub membership: MembershipId,
    /// The organization they speak for.
    pub organization: OrganizationId,
    /// What that organization is to the instance.
    pub organization_kind: OrganizationKind,
    /// Whether it is suspended: then its members may look and nothing else.
    pub organization_condition: LifecycleCondition,
    /// What they may do there, below the ceiling of the credential they use.
    pub authority: Authority,
    /// Whether they own the organization, and the credential they use says so.
    pub is_owner: bool,
    /// Whether the credential they use carries everything that they hold.
    pub has_full_authority: bool,
    /// The key under which they may repeat their request.
    pub claim: Option<IdempotencyClaim>,
    /// What the credential they use may at most be used for.
    ceiling: PermissionSet,
}

impl AuthenticatedCaller {
    /// Whether they may do this to the instance as a whole.
    pub fn require_instance_permission(&self, permission: &str) -> Result<(), Refusal> {
        let in_office = self.organization_kind == OrganizationKind::Operator
            && self.organization_condition == LifecycleCondition::Enabled
            && permission.parse().is_ok_and(|permission| self.authority.covers(&permission));
        if in_office {
            return Ok(());
        }
        let reason = format!("{permission} is not held over the instance");
        Err(Refusal::new(RefusalCode::InsufficientScope, "the credential does not allow this", reason))
    }

    /// Whether they may do this in the organization they speak for, which only looks.
    pub fn can_read(&self, permission: &str) -> bool {
        permission.parse().is_ok_and(|permission| self.authority.covers(&permission))
    }

    /// The same caller, asking for something to be made under a key of theirs.
    #[must_use]
    pub fn with_claim(&self, claim: Option<IdempotencyClaim>) -> Self {
        Self { claim, ..self.clone() }
    }

    /// Whether the credential may be used for something that only an assignment confers.
    pub fn can_use_assignment(&self, reserved: &Permission) -> bool {
        self.ceiling.covers(reserved)
    }
}

/// The caller behind a credential, as of now. Nothing about them is remembered between two calls.
pub async fn authenticate_caller(
    engine: &Engine,
    shown: impl Into<PresentedCredential<'_>>,
    origin: RequestOrigin,
) -> Result<Result<AuthenticatedCaller, Refusal>, Failure> {
    let shown = shown.into();
    match Secret::<ApiKey>::parse(shown.text) {
        Ok(secret) if shown.is_bearer() => authenticate_api_key(engine, &secret, origin).await,
        Ok(_) => Ok(Err(invalid_token("a key is bound to nothing"))),
        Err(_) => caller_authentication::authenticate_access_token(engine, shown, origin).await,
    }
}

async fn authenticate_api_key(
    engine: &Engine,
    secret: &Secret<ApiKey>,
    origin: RequestOrigin,
) -> Result<Result<AuthenticatedCaller, Refusal>, Failure> {
    let now = engine.now();
    let Some(key) = api_keys::find_active_api_key(engine.store(), &secret.digest(), now).await? else {
        return Ok(Err(invalid_token("there is no such key, or it was revoked or has expired")));
    };
    let Some(found) =
        subject_state::load_subject(engine.store(), key.membership, SubjectAccessPath::Itself, now).await?
    else {
        return Ok(Err(invalid_token("nobody holds the membership of the key")));
    };
    if let Some(step) = api_keys::touch_api_key(&key, now) {
        // The use is a convenience to its owner; a database that cannot write now does not lock them out.
        engine.store().commit_best_effort(WriteBatch::new().with_statement(step)).await;
    }
    let cause = EventCause { actor: SecurityEventActor::ApiKey(key.id), origin };
    Ok(build_caller(found, key.scope.permissions(), cause)
        .map_err(|lifeless| invalid_token(&lifeless.to_string())))
}

/// A person in one of their own organizations, with everything they hold there; nobody, where nothing of it is
/// alive.
pub(crate) async fn load_own_caller(
    engine: &Engine,
    membership: MembershipId,
    cause: EventCause,
) -> Result<Option<AuthenticatedCaller>, Failure> {
    let Some(found) =
        subject_state::load_subject(engine.store(), membership, SubjectAccessPath::Itself, engine.now())
            .await?
    else {
        return Ok(None);
    };
    let Ok(held) = readable_authority(found.standing.clone()) else { return Ok(None) };
    Ok(build_caller(found, held.permissions().clone(), cause).ok())
}

/// The caller with this standing, whose credential may at most be used for this.
pub(crate) fn build_caller(
    found: SubjectSnapshot,
    ceiling: PermissionSet,
    cause: EventCause,
) -> Result<AuthenticatedCaller, InactiveSubject> {
    let organization_condition = found.standing.organization_condition;
    let carries_owner = memberships::is_owner(&found.standing.roles);
    let held = readable_authority(found.standing)?;
    let is_whole = held.permissions().iter().all(|permission| ceiling.covers(permission));
    let authority = held.narrow_to_ceiling(&ceiling);
    // A credential counts as an owner's if it carries what nobody else is made with.
    let owns = DELETE_ORGANIZATION.parse().is_ok_and(|permission| authority.covers(&permission));
    let (TokenSubject::Person { membership, .. } | TokenSubject::Machine { membership, .. }) =
        *authority.subject();
    Ok(AuthenticatedCaller {
        cause,
        membership,
        organization: authority.organization(),
        organization_kind: found.organization_kind,
        organization_condition,
        authority,
        is_owner: carries_owner && owns,
        has_full_authority: is_whole,
        claim: None,
        ceiling,
    })
}

/// Whoever holds the program's command line. They have the database itself, so nothing is kept from them; what
/// they do by these use cases is recorded like everybody's.
pub async fn load_command_line_caller(engine: &Engine) -> Result<AuthenticatedCaller, Failure> {
    organizations::ensure_built_in_organizations(engine).await?;
    let now = engine.now();
    let slug = organizations::OPERATORS.parse().map_err(|_| Failure::Contended)?;
    let found = sinete_store::organizations::find_organization_by_slug(engine.store(), &slug, now).await?;
    let organization = found.ok_or(Failure::Contended)?;
    let resources = api_catalog::list_offered_resources(engine.store(), organization.id).await?;
    let offered = resources.iter().map(|(resource, _)| resource.as_str());
    let roles = vec![
        BuiltInRole::build_owner_role(organization.kind, offered),
        BuiltInRole::Operator.to_role(organization.kind),
    ];
    // Nobody's membership: no row has this id, because no id was ever minted at the beginning of time.
    let membership = MembershipId::from_bytes([0; 16]);
    let client = COMMAND_LINE_CLIENT.parse::<ClientId>().map_err(|_| Failure::Contended)?;
    let standing = SubjectState {
        subject: TokenSubject::Machine { client, membership },
        organization: organization.id,
        account: LifecycleCondition::Enabled,
        membership: LifecycleCondition::Enabled,
        organization_condition: LifecycleCondition::Enabled,
        client: LifecycleCondition::Enabled,
        grant: LifecycleCondition::Enabled,
        roles,
    };
    let alive = standing.require_active().map_err(|_| Failure::Contended)?;
    let authority = Authority::derive(&alive);
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

/// A suspended organization stays visible to its members: for looking, and only for that, it counts as
/// enabled. What changes something asks for its condition again.
fn readable_authority(standing: SubjectState) -> Result<Authority, InactiveSubject> {
    let organization_condition = match standing.organization_condition {
        LifecycleCondition::Enabled | LifecycleCondition::Suspended => LifecycleCondition::Enabled,
        LifecycleCondition::Ended => LifecycleCondition::Ended,
    };
    let standing = SubjectState { organization_condition, ..standing };
    standing.require_active().map(|alive| Authority::derive(&alive))
}

pub(crate) fn invalid_token(reason: &str) -> Refusal {
    Refusal::new(RefusalCode::InvalidToken, "the credential is unknown, revoked or expired", reason)
}
