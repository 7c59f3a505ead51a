//! Acceptance of an invitation: once, and only by an account with the verified address.

use super::{InvitationRow, invalid_invitation};
use crate::access_control::organization_access::with_audit_log_event;
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::events::security_event::{EventKind, RequestOrigin, SecurityEvent, SecurityEventActor};
use sinete_core::id::{AccountId, MembershipId};
use sinete_core::organizations::invitations::{
    InvitableMembership, UnclaimedMembership, check_offered_roles,
};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::organizations::OrganizationRefusal;
use sinete_core::secret::{Digest, InvitationToken, Secret};
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::ContactKind;
use sinete_store::organizations::{invitations, memberships};
use sinete_store::{GuardedStatement, WriteBatch, accounts, organizations};

/// Accepts an invitation for an account that has verified its address. Other accounts cannot use the link,
/// and trying does not consume it.
pub async fn accept(
    engine: &Engine,
    token: &str,
    account: AccountId,
    origin: &RequestOrigin,
) -> Result<MembershipId, Error> {
    let Ok(token) = Secret::<InvitationToken>::parse(token) else {
        return Err(invalid_invitation("the text is not an invitation token").into());
    };
    let digest = token.digest();
    for _ in 0..ATTEMPTS_MAX {
        let WaitingInvitation { invitation, .. } = find_pending(engine, &digest).await?;
        let (steps, event) = prepare_acceptance(engine, &digest, account, AcceptingAccount::Existing).await?;
        let event = event.with_origin(origin);
        let batch = with_audit_log_event(
            WriteBatch::new().with_statements(steps),
            &event,
            invitation.organization,
            "",
        )?;
        if engine.store().commit(batch).await?.is_committed() {
            return Ok(invitation.membership);
        }
    }
    Err(Failure::Contended.into())
}

/// The accepting account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AcceptingAccount {
    /// An existing one, which must have verified the address.
    Existing,
    /// A new one, created in the same transaction for the invited address.
    New,
}

/// A pending invitation.
pub(crate) struct WaitingInvitation {
    pub(crate) invitation: InvitationRow,
    /// The membership it claims.
    membership: InvitableMembership,
}

/// Finds the pending invitation of this token, if its organization is active and its membership has only the
/// offered roles.
pub(crate) async fn find_pending(
    engine: &Engine,
    digest: &Digest<InvitationToken>,
) -> Result<WaitingInvitation, Error> {
    let now = engine.now();
    let invitation_row = invitations::find_invitation_by_token(engine.store(), digest).await?;
    let counts =
        |it: &InvitationRow| it.accepted_at.is_none() && it.revoked_at.is_none() && it.expires_at > now;
    let Some(invitation) = invitation_row.filter(counts) else {
        return Err(invalid_invitation("unknown, accepted, revoked or expired").into());
    };
    let organization = organizations::find_organization(engine.store(), invitation.organization, now).await?;
    if organization.is_none_or(|it| it.condition != LifecycleCondition::Enabled) {
        return Err(invalid_invitation("the organization is suspended or gone").into());
    }
    // The membership is read first: a role assigned after this read changes its version, which the claim
    // detects.
    let (store, id) = (engine.store(), invitation.membership);
    let Some(membership) = memberships::find_membership(store, invitation.organization, id).await? else {
        return Err(invalid_invitation("the membership is gone").into());
    };
    let roles = memberships::list_membership_roles(store, id).await?;
    let unclaimed = UnclaimedMembership { id, version: membership.version, roles: &roles };
    match check_offered_roles(&invitation.roles, &unclaimed) {
        Some(membership) => Ok(WaitingInvitation { invitation, membership }),
        None => Err(invalid_invitation("the membership has roles that were not offered").into()),
    }
}

/// The statements and events of an acceptance.
pub(crate) async fn prepare_acceptance(
    engine: &Engine,
    digest: &Digest<InvitationToken>,
    account: AccountId,
    accepting_account: AcceptingAccount,
) -> Result<([GuardedStatement; 2], SecurityEvent), Error> {
    let WaitingInvitation { invitation, membership } = find_pending(engine, digest).await?;
    if accepting_account == AcceptingAccount::Existing {
        check_acceptance(engine, &invitation, account).await?;
    }
    let (now, actor) = (engine.now(), SecurityEventActor::Membership(invitation.membership));
    let event = SecurityEvent::new(EventKind::InvitationAccepted, actor, now, engine.entropy())
        .with_organization(invitation.organization)
        .with_subject("invitation", invitation.id);
    Ok((invitations::accept_invitation(invitation.id, membership, account, now), event))
}

/// Checks that the account has verified the invited address and is not a member yet.
async fn check_acceptance(
    engine: &Engine,
    invitation: &InvitationRow,
    account: AccountId,
) -> Result<(), Error> {
    let account_row = accounts::find_account(engine.store(), account).await?;
    if account_row.is_none_or(|it| it.condition != LifecycleCondition::Enabled) {
        return Err(invalid_invitation("the account cannot sign in").into());
    }
    let is_proven =
        contacts::list_account_contacts(engine.store(), account).await?.into_iter().any(|contact| {
            contact.kind == ContactKind::Email
                && contact.lookup == invitation.lookup
                && contact.verified_at.is_some()
        });
    if !is_proven {
        return Err(invalid_invitation("the account has not proven the address").into());
    }
    let memberships = memberships::list_account_memberships(engine.store(), account).await?;
    if memberships.iter().any(|it| it.organization == invitation.organization) {
        return Err(Refusal::because(OrganizationRefusal::AlreadyMember, "a member already").into());
    }
    Ok(())
}
