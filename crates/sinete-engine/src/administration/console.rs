//! Access to the console by a browser session. A session makes the user the same caller as an access token
//! would: one membership with its current authority. Console actions call the functions of the management API
//! (docs/contribute/decisions/0176-console-sessions-equal-access-tokens.md).

use crate::access_control::caller;
use crate::access_control::caller::AuthenticatedCaller;
use crate::access_control::organization_access;
use crate::access_control::organization_access::{OrganizationAccess, authorize_in_organization};
use crate::accounts::memberships as own;
use crate::accounts::memberships::OwnMembership;
use crate::organizations;
use crate::organizations::members;
use crate::platform::idempotency::IdempotencyClaim;
use crate::sign_in::account_holder::{AccountHolder, list_sign_in_methods};
use crate::{Engine, Error, EventCause, Failure};
use sinete_core::access_control::built_in_permissions::{
    CREATE_ORGANIZATIONS, MANAGE_ACCOUNTS, MANAGE_API_KEYS, MANAGE_DOMAINS, MANAGE_SSO, MANAGE_WEBHOOKS,
    OPERATE_INSTANCE, READ_APIS, READ_AUDIT, READ_CLIENTS, READ_INSTANCE, READ_MEMBERS, READ_ROLES,
    ROTATE_KEYS, UPDATE_ORGANIZATION, VERIFY_CLIENTS,
};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::events::security_event::SecurityEventActor;
use sinete_core::id::MembershipId;
use sinete_core::oauth::organization_policy::{
    PolicyRequest, PolicyViolation, TokenDerivation, TokenSource, UserAuthentication, check_token_policy,
};
use sinete_core::organization_kind::OrganizationKind;
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_core::refusal::Refusal;
use sinete_core::sign_in::sign_in_methods::best_evidence;
use sinete_store::organizations::OrganizationRow;
use sinete_store::organizations::roles::RoleRow;
use sinete_store::organizations::{memberships, roles};

/// Each of these permissions gives access to a section of the console. A user with none of them has no
/// access.
const CONSOLE_PERMISSIONS: &[&str] = &[
    READ_MEMBERS,
    READ_ROLES,
    READ_CLIENTS,
    MANAGE_API_KEYS,
    MANAGE_DOMAINS,
    MANAGE_SSO,
    MANAGE_WEBHOOKS,
    READ_AUDIT,
    READ_APIS,
    UPDATE_ORGANIZATION,
];

/// Each of these permissions over the instance gives access to a page of the instance.
const INSTANCE_PERMISSIONS: &[&str] =
    &[READ_INSTANCE, OPERATE_INSTANCE, MANAGE_ACCOUNTS, CREATE_ORGANIZATIONS, VERIFY_CLIENTS, ROTATE_KEYS];

/// A user in the console of one of their organizations.
#[derive(Clone, Debug)]
pub struct ConsoleSession {
    /// The account holder.
    pub holder: AccountHolder,
    /// The user's roles.
    pub roles: Vec<RoleRow>,
    /// The user's membership.
    pub membership: MembershipId,
    caller: AuthenticatedCaller,
    access: OrganizationAccess,
}

impl ConsoleSession {
    /// The access for reads and for removing access.
    pub const fn organization_access(&self) -> &OrganizationAccess {
        &self.access
    }

    /// The access for granting access that outlives the session. It requires recent authentication, so that
    /// an unattended browser cannot be used for it
    /// (docs/contribute/decisions/0177-console-which-actions-need-step-up.md).
    pub async fn require_fresh_access(&self, engine: &Engine) -> Result<&OrganizationAccess, Error> {
        self.holder.require_fresh_authentication(engine).await.map(|()| &self.access)
    }

    /// The user as caller of the management API.
    pub const fn caller(&self) -> &AuthenticatedCaller {
        &self.caller
    }

    /// Requires recent authentication, as [`Self::require_fresh_access`] does.
    pub async fn require_fresh_caller(&self, engine: &Engine) -> Result<&AuthenticatedCaller, Error> {
        self.holder.require_fresh_authentication(engine).await.map(|()| &self.caller)
    }

    /// Whether the user has the permission over the instance.
    pub fn has_instance_permission(&self, permission: &'static str) -> bool {
        self.caller.require_instance_permission(permission).is_ok()
    }

    /// Whether the user has the permission, regardless of a suspension.
    pub fn has_permission(&self, permission: &'static str) -> bool {
        self.access.require_read_permission(permission).is_ok()
    }

    /// Whether the user may make this change now.
    pub fn can_change(&self, permission: &'static str) -> bool {
        self.access.require_change_permission(permission).is_ok()
    }

    /// The idempotency claim of a form, so that submitting it twice has no further effect.
    pub fn idempotency_claim(&self, once: &str, page: &str) -> Result<IdempotencyClaim, Refusal> {
        IdempotencyClaim::new(&self.caller.cause.actor, once, &[b"console", page.as_bytes()])
    }

    /// Whether the membership is the user's own.
    pub fn is_own_membership(&self, membership: MembershipId) -> bool {
        self.access.is_own_membership(membership)
    }
}

/// Lists the organizations that the user may manage, oldest first.
pub async fn list_manageable_organizations(
    engine: &Engine,
    account_holder: &AccountHolder,
) -> Result<Vec<OwnMembership>, Failure> {
    let mut all = Vec::new();
    for belonging in own::list(engine, account_holder).await? {
        if belonging.organization.condition == LifecycleCondition::Ended {
            continue;
        }
        let authenticated_caller =
            caller::load_member_caller(engine, belonging.member.membership.id, account_holder.cause.clone())
                .await?;
        let holds =
            |permission: &&str| authenticated_caller.as_ref().is_some_and(|it| it.can_read(permission));
        if CONSOLE_PERMISSIONS.iter().any(holds) {
            all.push(belonging);
        }
    }
    Ok(all)
}

/// The result of entering the console.
#[derive(Clone, Debug)]
pub enum ConsoleAccessResult {
    /// Access is granted.
    Open(Box<ConsoleSession>),
    /// The organization requires more than this session provides.
    Blocked(Box<UnmetConsoleRequirement>),
}

/// An unmet requirement of an organization.
#[derive(Clone, Debug)]
pub struct UnmetConsoleRequirement {
    /// The organization's name.
    pub organization: String,
    /// The requirement.
    pub requirement: ConsoleSignInRequirement,
    /// The account holder.
    pub holder: AccountHolder,
}

/// A requirement for using the console.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsoleSignInRequirement {
    /// A step-up with an existing credential.
    StepUp,
    /// A step-up with a credential that must be set up first.
    Enrollment,
    /// Another sign-in method.
    OtherSignInMethod,
}

/// Whether the user may administer the instance.
pub async fn can_enter_instance(engine: &Engine, account_holder: &AccountHolder) -> Result<bool, Failure> {
    for belonging in own::list(engine, account_holder).await? {
        if belonging.organization.kind == OrganizationKind::Operator {
            let authenticated_caller = caller::load_member_caller(
                engine,
                belonging.member.membership.id,
                account_holder.cause.clone(),
            )
            .await?;
            return Ok(authenticated_caller.is_some_and(|caller| is_instance_caller(&caller)));
        }
    }
    Ok(false)
}

fn is_instance_caller(caller: &AuthenticatedCaller) -> bool {
    INSTANCE_PERMISSIONS.iter().any(|permission| caller.require_instance_permission(permission).is_ok())
}

/// Enters the pages of the instance, as a member of the operators' organization. For others they do not exist.
pub async fn enter_instance(
    engine: &Engine,
    account_holder: AccountHolder,
) -> Result<ConsoleAccessResult, Error> {
    enter_as_member(engine, account_holder, organizations::OPERATORS, is_instance_caller).await
}

/// Enters the console of the organization with this id or slug. An organization of others, or one without
/// anything to manage, is answered as not found.
pub async fn enter_organization(
    engine: &Engine,
    account_holder: AccountHolder,
    name: &str,
) -> Result<ConsoleAccessResult, Error> {
    let may_manage = |caller: &AuthenticatedCaller| {
        CONSOLE_PERMISSIONS.iter().any(|permission| caller.can_read(permission))
    };
    enter_as_member(engine, account_holder, name, may_manage).await
}

async fn enter_as_member(
    engine: &Engine,
    account_holder: AccountHolder,
    name: &str,
    may_enter: impl Fn(&AuthenticatedCaller) -> bool,
) -> Result<ConsoleAccessResult, Error> {
    let Some(organization) =
        organization_access::find_organization(engine, name, account_holder.now()).await?
    else {
        return Err(organization_access::no_such_organization().into());
    };
    let mine = memberships::list_account_memberships(engine.store(), account_holder.account()).await?;
    let Some(membership) = mine.into_iter().find(|it| it.organization == organization.id) else {
        return Err(organization_access::no_such_organization().into());
    };
    // Events have the same actor as with an access token of the user.
    let cause =
        EventCause { actor: SecurityEventActor::Membership(membership.id), ..account_holder.cause.clone() };
    let Some(caller) = caller::load_member_caller(engine, membership.id, cause).await? else {
        return Err(organization_access::no_such_organization().into());
    };
    if !may_enter(&caller) {
        return Err(organization_access::no_such_organization().into());
    }
    if let Some(takes) = missing_requirement(engine, &account_holder, &organization).await? {
        let stopped = UnmetConsoleRequirement {
            organization: organization.name,
            requirement: takes,
            holder: account_holder,
        };
        return Ok(ConsoleAccessResult::Blocked(Box::new(stopped)));
    }
    let access = authorize_in_organization(engine, &caller, &organization.id.to_string()).await?;
    let catalogue = roles::list_roles(engine.store(), organization.id).await?;
    let roles = members::load_member_roles(engine, membership, &catalogue).await?.roles;
    let membership = caller.membership;
    Ok(ConsoleAccessResult::Open(Box::new(ConsoleSession {
        holder: account_holder,
        roles,
        membership,
        caller,
        access,
    })))
}

/// The requirement that the session does not meet: the same as for issuing a token.
async fn missing_requirement(
    engine: &Engine,
    account_holder: &AccountHolder,
    organization: &OrganizationRow,
) -> Result<Option<ConsoleSignInRequirement>, Failure> {
    let settings: OrganizationSettings = organization.settings.parse()?;
    let signed_in = &account_holder.signed_in;
    let request = PolicyRequest {
        organization: organization.id,
        source: TokenSource::Session,
        derivation: TokenDerivation::Direct,
        client: None,
        user: Some(UserAuthentication {
            evidence: &signed_in.evidence,
            assurance: signed_in.assurance,
            now: account_holder.now(),
        }),
    };
    match check_token_policy(&settings, &request) {
        Ok(_) => return Ok(None),
        Err(PolicyViolation::AssuranceTooLow) => {}
        Err(_) => return Ok(Some(ConsoleSignInRequirement::OtherSignInMethod)),
    }
    // Credentials that the organization does not accept do not help, however strong.
    let sign_in_methods = list_sign_in_methods(engine, account_holder.account()).await?;
    let could = settings.effective_assurance_level(
        &best_evidence(signed_in.evidence.clone(), &sign_in_methods),
        organization.id,
    );
    let suffices = could.is_some_and(|level| level >= settings.required_assurance(account_holder.now()));
    Ok(Some(if suffices { ConsoleSignInRequirement::StepUp } else { ConsoleSignInRequirement::Enrollment }))
}
