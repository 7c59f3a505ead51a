//! People at work in their own organizations, by the session of their browser. It makes them the same caller that a
//! token of theirs would: one membership, with what it confers now. What they ask for there is done by the functions
//! that the management API calls (docs/contribute/decisions/0176-console-sessions-equal-access-tokens.md).

use crate::access_control::caller;
use crate::access_control::caller::AuthenticatedCaller;
use crate::access_control::organization_access;
use crate::access_control::organization_access::{OrganizationAccess, authorize_in_organization};
use crate::accounts::memberships as own;
use crate::accounts::memberships::OwnMembership;
use crate::organizations::members;
use crate::platform::idempotency::IdempotencyClaim;
use crate::sign_in::account_holder::{AccountHolder, list_sign_in_methods};
use crate::{Engine, EventCause, Failure};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::events::security_event::SecurityEventActor;
use sinete_core::id::MembershipId;
use sinete_core::oauth::organization_policy::{
    PolicyRequest, PolicyViolation, TokenSource, TokenStep, UserAuthentication, check_token_policy,
};
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_core::refusal::Refusal;
use sinete_core::sign_in::sign_in_methods::best_evidence;
use sinete_store::organizations::OrganizationRow;
use sinete_store::organizations::roles::RoleRow;
use sinete_store::organizations::{memberships, roles};

/// Each of these opens a part of the console. Who holds none of them has nothing to do there.
const CONSOLE_PERMISSIONS: &[&str] = &[
    "members:read",
    "roles:read",
    "clients:read",
    "api_keys:manage",
    "domains:manage",
    "sso:manage",
    "webhooks:manage",
    "audit:read",
];

/// Somebody at work in an organization of theirs.
#[derive(Clone, Debug)]
pub struct ConsoleSession {
    /// Who they are.
    pub holder: AccountHolder,
    /// The roles they carry there.
    pub roles: Vec<RoleRow>,
    /// Through which membership they are there.
    pub membership: MembershipId,
    caller: AuthenticatedCaller,
    access: OrganizationAccess,
}

impl ConsoleSession {
    /// They, about to look at something or to take something away.
    pub const fn organization_access(&self) -> &OrganizationAccess {
        &self.access
    }

    /// They, about to hand out access that outlives their session. Whoever finds a browser open must not be able
    /// to, so it takes a fresh proof (docs/contribute/decisions/0177-console-which-actions-need-step-up.md).
    pub async fn require_fresh_access(
        &self,
        engine: &Engine,
    ) -> Result<Result<&OrganizationAccess, Refusal>, Failure> {
        Ok(self.holder.require_fresh_authentication(engine).await?.map(|()| &self.access))
    }

    /// Whether they may do this here, were the organization enabled.
    pub fn has_permission(&self, permission: &str) -> bool {
        self.access.require_read_permission(permission).is_ok()
    }

    /// Whether they may do this here now, which changes something.
    pub fn can_change(&self, permission: &str) -> bool {
        self.access.require_change_permission(permission).is_ok()
    }

    /// The claim of a form on what it makes, so that one which is sent again makes nothing again.
    pub fn idempotency_claim(&self, once: &str, page: &str) -> Result<IdempotencyClaim, Refusal> {
        IdempotencyClaim::new(&self.caller, once, &[b"console", page.as_bytes()])
    }

    /// Whether the membership is their own.
    pub fn is_own_membership(&self, membership: MembershipId) -> bool {
        self.access.is_own_membership(membership)
    }
}

/// The organizations in which the person has something to manage, oldest first.
pub async fn list_manageable_organizations(
    engine: &Engine,
    oneself: &AccountHolder,
) -> Result<Vec<OwnMembership>, Failure> {
    let mut all = Vec::new();
    for belonging in own::list(engine, oneself).await? {
        if belonging.organization.condition == LifecycleCondition::Ended {
            continue;
        }
        let found =
            caller::load_own_caller(engine, belonging.member.membership.id, oneself.cause.clone()).await?;
        let holds = |permission: &&str| found.as_ref().is_some_and(|it| it.can_read(permission));
        if CONSOLE_PERMISSIONS.iter().any(holds) {
            all.push(belonging);
        }
    }
    Ok(all)
}

/// Where going to work leads.
#[derive(Clone, Debug)]
pub enum ConsoleEntry {
    /// To work.
    Open(Box<ConsoleSession>),
    /// Nowhere yet: the organization asks its members for more than this session has.
    Blocked(Box<ConsoleBlock>),
}

/// What an organization of the person's asks for first.
#[derive(Clone, Debug)]
pub struct ConsoleBlock {
    /// Its name.
    pub organization: String,
    /// What it takes.
    pub requirement: ConsoleRequirement,
    /// Whose session it is.
    pub holder: AccountHolder,
}

/// What it takes to go to work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsoleRequirement {
    /// A stronger proof, which the person can give.
    StepUp,
    /// A stronger proof, for which the person has to set something up first.
    Enrollment,
    /// Another way of signing in.
    OtherSignInMethod,
}

/// Goes to work in the organization that the text names. One of others is answered like one that does not exist, and
/// so is one's own without anything to manage in it.
pub async fn enter_organization(
    engine: &Engine,
    oneself: AccountHolder,
    named: &str,
) -> Result<Result<ConsoleEntry, Refusal>, Failure> {
    let Some(organization) = organization_access::find_organization(engine, named, oneself.now()).await?
    else {
        return Ok(Err(organization_access::no_such_organization()));
    };
    let mine = memberships::list_account_memberships(engine.store(), oneself.account()).await?;
    let Some(membership) = mine.into_iter().find(|it| it.organization == organization.id) else {
        return Ok(Err(organization_access::no_such_organization()));
    };
    // What is recorded is what would be of a token of theirs.
    let cause = EventCause { actor: SecurityEventActor::Membership(membership.id), ..oneself.cause.clone() };
    let Some(caller) = caller::load_own_caller(engine, membership.id, cause).await? else {
        return Ok(Err(organization_access::no_such_organization()));
    };
    if !CONSOLE_PERMISSIONS.iter().any(|permission| caller.can_read(permission)) {
        return Ok(Err(organization_access::no_such_organization()));
    }
    if let Some(takes) = missing_requirement(engine, &oneself, &organization).await? {
        let stopped = ConsoleBlock { organization: organization.name, requirement: takes, holder: oneself };
        return Ok(Ok(ConsoleEntry::Blocked(Box::new(stopped))));
    }
    let acting = match authorize_in_organization(engine, &caller, &organization.id.to_string()).await? {
        Ok(acting) => acting,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let catalogue = roles::list_roles(engine.store(), organization.id).await?;
    let roles = members::load_member_roles(engine, membership, &catalogue).await?.roles;
    let membership = caller.membership;
    Ok(Ok(ConsoleEntry::Open(Box::new(ConsoleSession {
        holder: oneself,
        roles,
        membership,
        caller,
        access: acting,
    }))))
}

/// What the organization asks for that the session does not have: the same that it asks for before a token.
async fn missing_requirement(
    engine: &Engine,
    oneself: &AccountHolder,
    organization: &OrganizationRow,
) -> Result<Option<ConsoleRequirement>, Failure> {
    let settings: OrganizationSettings = organization.settings.parse()?;
    let signed_in = &oneself.signed_in;
    let request = PolicyRequest {
        organization: organization.id,
        source: TokenSource::Session,
        step: TokenStep::First,
        client: None,
        user: Some(UserAuthentication {
            evidence: &signed_in.evidence,
            assurance: signed_in.assurance,
            now: oneself.now(),
        }),
    };
    match check_token_policy(&settings, &request) {
        Ok(_) => return Ok(None),
        Err(PolicyViolation::AssuranceTooLow) => {}
        Err(_) => return Ok(Some(ConsoleRequirement::OtherSignInMethod)),
    }
    // What the organization does not accept brings nobody further, however well it is proven.
    let ways = list_sign_in_methods(engine, oneself.account()).await?;
    let could = settings
        .effective_assurance_level(&best_evidence(signed_in.evidence.clone(), &ways), organization.id);
    let suffices = could.is_some_and(|level| level >= settings.least_assurance);
    Ok(Some(if suffices { ConsoleRequirement::StepUp } else { ConsoleRequirement::Enrollment }))
}
