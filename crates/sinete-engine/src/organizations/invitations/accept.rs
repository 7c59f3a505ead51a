//! Accepting an invitation: once, and only for whoever reads the address it was sent to.

use super::{InvitationRow, invalid_invitation};
use crate::access_control::organization_access::with_audit_log_event;
use crate::{ATTEMPTS_MAX, Engine, Failure};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::events::security_event::{EventKind, RequestOrigin, SecurityEvent, SecurityEventActor};
use sinete_core::id::{AccountId, MembershipId};
use sinete_core::organizations::invitations::{OfferedMembership, UnclaimedMembership, check_offered_roles};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::{Digest, InvitationToken, Secret};
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::ContactKind;
use sinete_store::organizations::{invitations, memberships};
use sinete_store::{GuardedStatement, WriteBatch, accounts, organizations};

/// Accepts an invitation for an account that has proven the address it was sent to. Whoever else holds the
/// link can do nothing with it, and nothing is spent by trying.
pub async fn accept(
    engine: &Engine,
    token: &str,
    account: AccountId,
    origin: &RequestOrigin,
) -> Result<Result<MembershipId, Refusal>, Failure> {
    let Ok(token) = Secret::<InvitationToken>::parse(token) else {
        return Ok(Err(invalid_invitation("the text is no invitation of ours")));
    };
    let digest = token.digest();
    for _ in 0..ATTEMPTS_MAX {
        let WaitingInvitation { invitation, .. } = match find_pending(engine, &digest).await? {
            Ok(waiting) => waiting,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let (steps, event) =
            match prepare_acceptance(engine, &digest, account, AcceptingAccount::Existing).await? {
                Ok(accepting) => accepting,
                Err(refusal) => return Ok(Err(refusal)),
            };
        let event = event.with_origin(origin);
        let act = with_audit_log_event(
            WriteBatch::new().with_statements(steps),
            &event,
            invitation.organization,
            "",
        )?;
        if engine.store().commit(act).await?.is_ok() {
            return Ok(Ok(invitation.membership));
        }
    }
    Err(Failure::Contended)
}

/// Whose account accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AcceptingAccount {
    /// One that is there, and must have proven the address.
    Existing,
    /// One that the same act makes, for the address the invitation was sent to.
    New,
}

/// An invitation that waits to be accepted.
pub(crate) struct WaitingInvitation {
    pub(crate) invitation: InvitationRow,
    /// What it gives.
    membership: OfferedMembership,
}

/// The invitation of this token, if it waits to be accepted, its organization is there and its membership carries no role
/// beside those that were offered.
pub(crate) async fn find_pending(
    engine: &Engine,
    digest: &Digest<InvitationToken>,
) -> Result<Result<WaitingInvitation, Refusal>, Failure> {
    let now = engine.now();
    let found = invitations::find_invitation_by_token(engine.store(), digest).await?;
    let counts =
        |it: &InvitationRow| it.accepted_at.is_none() && it.revoked_at.is_none() && it.expires_at > now;
    let Some(invitation) = found.filter(counts) else {
        return Ok(Err(invalid_invitation("unknown, accepted, taken back or expired")));
    };
    let organization = organizations::find_organization(engine.store(), invitation.organization, now).await?;
    if organization.is_none_or(|it| it.condition != LifecycleCondition::Enabled) {
        return Ok(Err(invalid_invitation("the organization is suspended or gone")));
    }
    // The membership first: a role given after this read also counts a change, and the claim finds it.
    let (store, id) = (engine.store(), invitation.membership);
    let Some(membership) = memberships::find_membership(store, invitation.organization, id).await? else {
        return Ok(Err(invalid_invitation("the membership is gone")));
    };
    let roles = memberships::list_membership_roles(store, id).await?;
    let unclaimed = UnclaimedMembership { id, version: membership.version, roles: &roles };
    Ok(match check_offered_roles(&invitation.roles, &unclaimed) {
        Some(membership) => Ok(WaitingInvitation { invitation, membership }),
        None => Err(invalid_invitation("the membership carries roles that were not offered")),
    })
}

/// The steps by which the account accepts, and what is told about it.
pub(crate) async fn prepare_acceptance(
    engine: &Engine,
    digest: &Digest<InvitationToken>,
    account: AccountId,
    whose: AcceptingAccount,
) -> Result<Result<([GuardedStatement; 2], SecurityEvent), Refusal>, Failure> {
    let WaitingInvitation { invitation, membership } = match find_pending(engine, digest).await? {
        Ok(waiting) => waiting,
        Err(refusal) => return Ok(Err(refusal)),
    };
    if whose == AcceptingAccount::Existing
        && let Err(refusal) = check_acceptance(engine, &invitation, account).await?
    {
        return Ok(Err(refusal));
    }
    let (now, actor) = (engine.now(), SecurityEventActor::Membership(invitation.membership));
    let event = SecurityEvent::new(EventKind::InvitationAccepted, actor, now, engine.entropy())
        .with_organization(invitation.organization)
        .with_subject("invitation", invitation.id);
    Ok(Ok((invitations::accept_invitation(invitation.id, membership, account, now), event)))
}

/// Whether the account is one the invitation was meant for, and not a member already.
async fn check_acceptance(
    engine: &Engine,
    invitation: &InvitationRow,
    account: AccountId,
) -> Result<Result<(), Refusal>, Failure> {
    let found = accounts::find_account(engine.store(), account).await?;
    if found.is_none_or(|it| it.condition != LifecycleCondition::Enabled) {
        return Ok(Err(invalid_invitation("the account cannot sign in")));
    }
    let proven = contacts::list_account_contacts(engine.store(), account).await?.into_iter().any(|contact| {
        contact.kind == ContactKind::Email
            && contact.lookup == invitation.lookup
            && contact.verified_at.is_some()
    });
    if !proven {
        return Ok(Err(invalid_invitation("the account has not proven the address")));
    }
    let memberships = memberships::list_account_memberships(engine.store(), account).await?;
    if memberships.iter().any(|it| it.organization == invitation.organization) {
        let public = "you are a member of this organization already";
        return Ok(Err(Refusal::new(RefusalCode::Conflict, public, "a member already")));
    }
    Ok(Ok(()))
}
