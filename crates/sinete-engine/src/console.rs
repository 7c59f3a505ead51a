//! People at work in their own organizations, by the session of their browser. It makes them the same caller that a
//! token of theirs would: one membership, with what it confers now. What they ask for there is done by the functions
//! that the management API calls (docs/decisions/0176-console-sessions-equal-access-tokens.md).

use crate::account::memberships::{self as own, OwnMembership};
use crate::account::{AccountHolder, ways_in};
use crate::acting::{self, OrganizationAccess, step_into};
use crate::caller::AuthenticatedCaller;
use crate::idempotency::IdempotencyClaim;
use crate::{Engine, EventCause, Failure, caller, members};
use sinete_core::authorize::policy::{
    PolicyRequest, PolicyViolation, TokenSource, TokenStep, UserAuthentication, check_token_policy,
};
use sinete_core::id::MembershipId;
use sinete_core::people::LifecycleCondition;
use sinete_core::people::settings::OrganizationSettings;
use sinete_core::people::ways_in::at_best;
use sinete_core::refusal::Refusal;
use sinete_core::security::event::SecurityEventActor;
use sinete_store::organizations::OrganizationRow;
use sinete_store::roles::RoleRow;
use sinete_store::{memberships, roles};

/// Each of these opens a part of the console. Who holds none of them has nothing to do there.
const OPENING: &[&str] = &[
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
    pub oneself: AccountHolder,
    /// The roles they carry there.
    pub roles: Vec<RoleRow>,
    /// Through which membership they are there.
    pub membership: MembershipId,
    caller: AuthenticatedCaller,
    acting: OrganizationAccess,
}

impl ConsoleSession {
    /// They, about to look at something or to take something away.
    pub const fn acting(&self) -> &OrganizationAccess {
        &self.acting
    }

    /// They, about to hand out access that outlives their session. Whoever finds a browser open must not be able
    /// to, so it takes a fresh proof (docs/decisions/0177-console-which-actions-need-step-up.md).
    pub async fn conferring(&self, engine: &Engine) -> Result<Result<&OrganizationAccess, Refusal>, Failure> {
        Ok(self.oneself.must_be_fresh(engine).await?.map(|()| &self.acting))
    }

    /// Whether they may do this here, were the organization enabled.
    pub fn holds(&self, permission: &str) -> bool {
        self.acting.may_look(permission).is_ok()
    }

    /// Whether they may do this here now, which changes something.
    pub fn may_change(&self, permission: &str) -> bool {
        self.acting.may_change(permission).is_ok()
    }

    /// The claim of a form on what it makes, so that one which is sent again makes nothing again.
    pub fn claim(&self, once: &str, page: &str) -> Result<IdempotencyClaim, Refusal> {
        IdempotencyClaim::new(&self.caller, once, &[b"console", page.as_bytes()])
    }

    /// Whether the membership is their own.
    pub fn is_own(&self, membership: MembershipId) -> bool {
        self.acting.is_member(membership)
    }
}

/// The organizations in which the person has something to manage, oldest first.
pub async fn workplaces(engine: &Engine, oneself: &AccountHolder) -> Result<Vec<OwnMembership>, Failure> {
    let mut all = Vec::new();
    for belonging in own::list(engine, oneself).await? {
        if belonging.organization.condition == LifecycleCondition::Ended {
            continue;
        }
        let found = caller::oneself(engine, belonging.member.membership.id, oneself.cause.clone()).await?;
        let holds = |permission: &&str| found.as_ref().is_some_and(|it| it.may_look(permission));
        if OPENING.iter().any(holds) {
            all.push(belonging);
        }
    }
    Ok(all)
}

/// Where going to work leads.
#[derive(Clone, Debug)]
pub enum ConsoleEntry {
    /// To work.
    AtWork(Box<ConsoleSession>),
    /// Nowhere yet: the organization asks its members for more than this session has.
    Stopped(Box<ConsoleBlock>),
}

/// What an organization of the person's asks for first.
#[derive(Clone, Debug)]
pub struct ConsoleBlock {
    /// Its name.
    pub organization: String,
    /// What it takes.
    pub takes: ConsoleRequirement,
    /// Whose session it is.
    pub oneself: AccountHolder,
}

/// What it takes to go to work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsoleRequirement {
    /// A stronger proof, which the person can give.
    Proof,
    /// A stronger proof, for which the person has to set something up first.
    SettingUp,
    /// Another way of signing in.
    OtherWay,
}

/// Goes to work in the organization that the text names. One of others is answered like one that does not exist, and
/// so is one's own without anything to manage in it.
pub async fn enter(
    engine: &Engine,
    oneself: AccountHolder,
    named: &str,
) -> Result<Result<ConsoleEntry, Refusal>, Failure> {
    let Some(organization) = acting::find(engine, named, oneself.now()).await? else {
        return Ok(Err(acting::no_such_organization()));
    };
    let mine = memberships::of_account(engine.store(), oneself.account()).await?;
    let Some(membership) = mine.into_iter().find(|it| it.organization == organization.id) else {
        return Ok(Err(acting::no_such_organization()));
    };
    // What is recorded is what would be of a token of theirs.
    let cause = EventCause { actor: SecurityEventActor::Membership(membership.id), ..oneself.cause.clone() };
    let Some(caller) = caller::oneself(engine, membership.id, cause).await? else {
        return Ok(Err(acting::no_such_organization()));
    };
    if !OPENING.iter().any(|permission| caller.may_look(permission)) {
        return Ok(Err(acting::no_such_organization()));
    }
    if let Some(takes) = takes(engine, &oneself, &organization).await? {
        let stopped = ConsoleBlock { organization: organization.name, takes, oneself };
        return Ok(Ok(ConsoleEntry::Stopped(Box::new(stopped))));
    }
    let acting = match step_into(engine, &caller, &organization.id.to_string()).await? {
        Ok(acting) => acting,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let catalogue = roles::of_organization(engine.store(), organization.id).await?;
    let roles = members::with_roles(engine, membership, &catalogue).await?.roles;
    let membership = caller.membership;
    Ok(Ok(ConsoleEntry::AtWork(Box::new(ConsoleSession { oneself, roles, membership, caller, acting }))))
}

/// What the organization asks for that the session does not have: the same that it asks for before a token.
async fn takes(
    engine: &Engine,
    oneself: &AccountHolder,
    organization: &OrganizationRow,
) -> Result<Option<ConsoleRequirement>, Failure> {
    let settings: OrganizationSettings = organization.settings.read()?;
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
        Err(_) => return Ok(Some(ConsoleRequirement::OtherWay)),
    }
    // What the organization does not accept brings nobody further, however well it is proven.
    let ways = ways_in(engine, oneself.account()).await?;
    let could = settings.reached(&at_best(signed_in.evidence.clone(), &ways), organization.id);
    let suffices = could.is_some_and(|level| level >= settings.least_assurance);
    Ok(Some(if suffices { ConsoleRequirement::Proof } else { ConsoleRequirement::SettingUp }))
}
