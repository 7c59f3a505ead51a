//! Invitations by e-mail: single use, for one address, with roles that the inviter may assign.

mod accept;
mod first_owner;
mod invitation_list;
mod inviter;
mod resend;
mod revoke;

pub use accept::accept;
pub(crate) use accept::{AcceptingAccount, find_pending, prepare_acceptance};
pub(crate) use first_owner::prepare_first_owner;
pub use invitation_list::{InvitationListResult, invite_list};
pub use resend::resend;
pub use revoke::revoke;

use crate::access_control::organization_access::OrganizationAccess;
use crate::organizations::role_assignment::RoleAssignmentPlan;
use crate::organizations::{branding, members, role_assignment};
use crate::platform::email::{EmailKind, EmailMessage, EmailOrganization, EmailedLinkOrCode, LinkOrCodeKind};
use crate::platform::outbox;
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use sinete_core::access_control::built_in_permissions::{MANAGE_MEMBERS, READ_MEMBERS};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::accounts::language::Language;
use sinete_core::events::security_event::{EventKind, SecurityEvent};
use sinete_core::id::{InvitationId, MembershipId, OrganizationId, RoleId};
use sinete_core::limits::{
    INVITATION_LIFETIME, INVITATION_LIFETIME_MAX, INVITATIONS_PER_ADDRESS_MAX, INVITATIONS_PER_ADDRESS_WINDOW,
};
use sinete_core::organizations::memberships::{check_membership_restore, is_owner};
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::organizations::OrganizationRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::secret::{InvitationToken, Secret};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_core::validation::ValidationErrors;
use sinete_store::organizations::invitations;
use sinete_store::organizations::invitations::NewInvitation;
use sinete_store::organizations::member_batch;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::{MembershipHolder, NewMembership};
use sinete_store::sign_in::attempt_counters;
use sinete_store::sign_in::attempt_counters::{AttemptCounterKey, AttemptCounterRow};
use sinete_store::{BatchOutcome, GuardedStatement, JsonDocument, Store, WriteBatch, organizations};

pub use sinete_store::organizations::invitations::InvitationRow;

/// The path of the acceptance page, below the issuer, with hosted screens.
pub(crate) const ACCEPT_PATH: &str = "/accept-invitation";

/// An invitation to send.
#[derive(Clone, Debug)]
pub struct InvitationRequest {
    /// The recipient.
    pub address: EmailAddress,
    /// The membership to claim.
    pub membership: InvitedMembership,
    /// The lifetime; `None` for the default.
    pub lifetime: Option<Lifetime>,
    /// The language; `None` for the organization's.
    pub language: Option<Language>,
}

/// The membership that an invitation claims.
#[derive(Clone, Debug)]
pub enum InvitedMembership {
    /// A new one with these roles.
    New(Vec<RoleId>),
    /// An existing one without an account, created by a directory.
    Existing(MembershipId),
}

/// Sends an invitation: creates a membership and queues an e-mail with the only link that claims it, in one
/// transaction.
pub async fn invite(
    engine: &Engine,
    access: &OrganizationAccess,
    request: &InvitationRequest,
) -> Result<InvitationRow, Error> {
    let lifetime = request.lifetime.unwrap_or(INVITATION_LIFETIME);
    access.require_change_permission(MANAGE_MEMBERS).and_then(|()| check_lifetime(lifetime))?;
    let lookup = request.address.lookup_key();
    for _ in 0..ATTEMPTS_MAX {
        if invitations::has_pending_invitation(engine.store(), access.organization.id, &lookup, access.now())
            .await?
        {
            return Err(already_invited().into());
        }
        let statement = count_invitation(engine, access.now(), &lookup).await?;
        let id = InvitationId::mint(access.now(), engine.entropy());
        let (batch, event) = build_batch(engine, access, request, lifetime, id).await?;
        let batch = access.record(batch.with_statement(statement), &event)?;
        match engine.store().commit(batch).await? {
            BatchOutcome::Committed(_) => return find_stored(engine, access, id).await,
            BatchOutcome::Conflict(conflict) if organizations::is_lock_conflict(&conflict) => {
                return Err(crate::access_control::organization_access::organization_suspended().into());
            }
            BatchOutcome::Conflict(_) => {}
        }
    }
    Err(Failure::Contended.into())
}

/// Builds the write batch and the event, which does not contain the address.
async fn build_batch(
    engine: &Engine,
    access: &OrganizationAccess,
    request: &InvitationRequest,
    lifetime: Lifetime,
    id: InvitationId,
) -> Result<(WriteBatch, SecurityEvent), Error> {
    let (organization, now) = (&access.organization, access.now());
    let PreparedMembership { membership, roles: granted, statements: steps } = match &request.membership {
        InvitedMembership::New(roles) => create_provisional_membership(engine, access, roles).await?,
        InvitedMembership::Existing(membership) => {
            use_existing_membership(engine, access, *membership).await?
        }
    };
    let settings: OrganizationSettings = organization.settings.parse()?;
    let inviter = inviter::find_inviter_name(engine, access).await?;
    let branding = branding::find_email_organization(engine, organization).await?;
    let role_ids: Vec<RoleId> = granted.roles.iter().map(|role| role.id).collect();
    let prepared = prepare_invitation(
        engine,
        &InvitationParts {
            id,
            organization: organization.id,
            organization_name: &organization.name,
            inviter: inviter.as_deref(),
            branding: Some(&branding),
            membership,
            roles: &role_ids,
            role_names: &granted.names,
            address: &request.address,
            language: request.language.unwrap_or(settings.language),
            lifetime,
            now,
        },
    )?;
    let event = access
        .event(engine, EventKind::InvitationSent)
        .with_subject("invitation", id)
        .with_detail("membership", membership.to_string())
        .with_detail("roles", granted.names);
    let batch = WriteBatch::new()
        .with_statement(organizations::lock_organization_row(organization.id, now))
        .with_statements(granted.guard_statements)
        .with_statements(steps)
        .with_statements(granted.statements)
        .with_statements(prepared);
    Ok((batch, event))
}

/// What an invitation consists of.
struct InvitationParts<'a> {
    id: InvitationId,
    organization: OrganizationId,
    organization_name: &'a str,
    /// The name of the member who invites, if it is known.
    inviter: Option<&'a str>,
    /// The branding of the organization, if it has one.
    branding: Option<&'a EmailOrganization>,
    membership: MembershipId,
    roles: &'a [RoleId],
    role_names: &'a [String],
    address: &'a EmailAddress,
    language: Language,
    lifetime: Lifetime,
    now: Timestamp,
}

/// The statements that store an invitation and queue its message.
fn prepare_invitation(
    engine: &Engine,
    parts: &InvitationParts<'_>,
) -> Result<[GuardedStatement; 2], Failure> {
    let token = Secret::<InvitationToken>::mint(engine.entropy());
    let (digest, lookup) = (token.digest(), parts.address.lookup_key());
    let invitation = NewInvitation {
        id: parts.id,
        digest: &digest,
        organization: parts.organization,
        membership: parts.membership,
        roles: &JsonDocument::from_value(&parts.roles)?,
        lookup: &lookup,
        created_at: parts.now,
        expires_at: parts.now.plus(parts.lifetime),
    };
    // Without hosted screens, the message contains the token for use with the API.
    let token = token.reveal();
    let link = engine.settings().flows.interaction.link(engine, ACCEPT_PATH, "invitation", &token);
    let kind = link.map_or_else(|| LinkOrCodeKind::Code(token), LinkOrCodeKind::Link);
    let message = EmailMessage {
        kind: EmailKind::Invitation {
            organization: parts.organization_name,
            inviter: parts.inviter,
            roles: parts.role_names,
        },
        origin: engine.email_origin().for_organization(parts.branding),
        reader: parts.language.into(),
        proof: Some(EmailedLinkOrCode { kind, lifetime: parts.lifetime }),
    };
    Ok([
        invitations::create_invitation(&invitation),
        outbox::enqueue_email(engine, &message, parts.address, parts.lifetime)?,
    ])
}

/// The prepared membership of an invitation.
struct PreparedMembership {
    membership: MembershipId,
    roles: RoleAssignmentPlan,
    /// The statements that create the membership, or guard the existing one.
    statements: Vec<GuardedStatement>,
}

async fn create_provisional_membership(
    engine: &Engine,
    access: &OrganizationAccess,
    roles: &[RoleId],
) -> Result<PreparedMembership, Error> {
    let membership = MembershipId::mint(access.now(), engine.entropy());
    let granted = role_assignment::plan_first_roles(engine, access, membership, roles).await?;
    let new_membership = NewMembership {
        id: membership,
        organization: access.organization.id,
        holder: &MembershipHolder::Unclaimed,
        profile: &JsonDocument::from_value(&serde_json::Map::new())?,
        external_id: None,
        created_at: access.now(),
    };
    Ok(PreparedMembership {
        membership,
        roles: granted,
        statements: vec![memberships::create_membership(&new_membership)],
    })
}

/// Uses an existing unclaimed membership, if the caller may assign its roles.
async fn use_existing_membership(
    engine: &Engine,
    access: &OrganizationAccess,
    membership: MembershipId,
) -> Result<PreparedMembership, Error> {
    let with_roles = members::find_member(engine, access, membership).await?;
    let Some(member) = with_roles.filter(|it| it.membership.holder == MembershipHolder::Unclaimed) else {
        return Err(Refusal::because(RequestRefusal::NotFound, "no unclaimed membership").into());
    };
    if member.membership.condition != LifecycleCondition::Enabled {
        return Err(Refusal::because(OrganizationRefusal::MembershipDisabled, "a disabled place").into());
    }
    let member_roles: Vec<_> = member.roles.iter().collect();
    let roles = role_assignment::effective_roles(engine, access, &member_roles).await?;
    check_membership_restore(access.role_changer(), &roles)
        .map_err(|rejection| members::roles_refused(&rejection))?;
    let granted = RoleAssignmentPlan {
        guard_statements: members::ownership_guard(access, is_owner(&roles)),
        statements: Vec::new(),
        names: members::to_roles(&member.roles).iter().map(|role| role.name().to_owned()).collect(),
        roles: member.roles,
    };
    let statement =
        memberships::advance_membership_version(membership, member.membership.version, access.now());
    Ok(PreparedMembership { membership, roles: granted, statements: vec![statement] })
}

/// Counts an invitation to the address, unless the limit over all senders is reached.
async fn count_invitation(engine: &Engine, now: Timestamp, lookup: &str) -> Result<GuardedStatement, Error> {
    let subject = format!("email {lookup}");
    let key = AttemptCounterKey { subject: &subject, factor: "invitation" };
    let before = attempt_counters::find_attempt_counter(engine.store(), key).await?;
    let recent = before.filter(|counter| now.since(counter.since) < INVITATIONS_PER_ADDRESS_WINDOW);
    if let Some(counter) = recent
        && counter.count >= INVITATIONS_PER_ADDRESS_MAX
    {
        let wait = counter.since.plus(INVITATIONS_PER_ADDRESS_WINDOW).since(now);
        let refusal =
            Refusal::because(OrganizationRefusal::InvitationRateLimited, "invitations to one address");
        return Err(refusal.with_retry_after(wait).into());
    }
    let after = AttemptCounterRow {
        count: recent.map_or(0, |counter| counter.count) + 1,
        since: recent.map_or(now, |counter| counter.since),
        blocked_until: before.map_or(now, |counter| counter.blocked_until),
    };
    Ok(attempt_counters::advance_attempt_counter(key, before.as_ref(), &after))
}

/// Lists the invitations in any state, oldest first.
pub async fn list(
    engine: &Engine,
    access: &OrganizationAccess,
    after: Option<InvitationId>,
    limit: u32,
) -> Result<Vec<InvitationRow>, Error> {
    access.require_read_permission(READ_MEMBERS)?;
    access.record_read_by_non_member(engine, "invitations").await?;
    Ok(invitations::list_invitations(engine.store(), access.organization.id, after, limit).await?)
}

/// The last known invitation address of each of these members.
pub async fn list_addresses(
    engine: &Engine,
    access: &OrganizationAccess,
    members: &[MembershipId],
) -> Result<Vec<(MembershipId, String)>, Error> {
    access.require_read_permission(READ_MEMBERS)?;
    access.record_read_by_non_member(engine, "invitations").await?;
    Ok(list_last_addresses(engine.store(), access.organization.id, members).await?)
}

/// The last known invitation address of each of these members.
pub(crate) async fn list_last_addresses(
    store: &Store,
    organization: OrganizationId,
    members: &[MembershipId],
) -> Result<Vec<(MembershipId, String)>, Failure> {
    let mut addresses = member_batch::list_invited_addresses(store, organization, members).await?;
    // The last of a member's invitations counts.
    addresses.reverse();
    let last = |of: MembershipId| addresses.iter().find(|(id, _)| *id == of).cloned();
    Ok(members.iter().filter_map(|id| last(*id)).collect())
}

/// Shows an invitation.
pub async fn show(
    engine: &Engine,
    access: &OrganizationAccess,
    id: InvitationId,
) -> Result<InvitationRow, Error> {
    access.require_read_permission(READ_MEMBERS)?;
    access.record_read_by_non_member(engine, "invitations").await?;
    find_stored(engine, access, id).await
}

async fn find_stored(
    engine: &Engine,
    access: &OrganizationAccess,
    id: InvitationId,
) -> Result<InvitationRow, Error> {
    let invitation = invitations::find_invitation(engine.store(), access.organization.id, id).await?;
    Ok(invitation.ok_or_else(|| Refusal::because(RequestRefusal::NotFound, "no such invitation"))?)
}

fn check_lifetime(lifetime: Lifetime) -> Result<(), Refusal> {
    if lifetime == Lifetime::ZERO || lifetime > INVITATION_LIFETIME_MAX {
        let mut errors = ValidationErrors::default();
        errors.add("/lifetime_seconds", "must be within 7 days from now");
        return Err(Refusal::from_validation_errors(errors));
    }
    Ok(())
}

fn already_invited() -> Refusal {
    Refusal::because(OrganizationRefusal::InvitationPending, "an invitation waits")
}

fn already_accepted() -> Refusal {
    Refusal::because(OrganizationRefusal::InvitationAccepted, "accepted")
}

/// The same refusal for every reason, so that a link reveals nothing.
pub(crate) fn invalid_invitation(reason: &str) -> Refusal {
    Refusal::because(OrganizationRefusal::InvitationInvalid, reason)
}
