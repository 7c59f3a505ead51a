//! Sending an invitation again: a new link for the same membership, and the end of the old one.

use super::{
    InvitationRequest, InvitationRow, InvitedMembership, already_accepted, already_invited, build_batch,
    count_invitation, find_stored,
};
use crate::access_control::organization_access::OrganizationAccess;
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use sinete_core::access_control::built_in_permissions::MANAGE_MEMBERS;
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::id::InvitationId;
use sinete_core::limits::INVITATION_LIFETIME;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_store::organizations::invitations;
use sinete_store::{BatchOutcome, organizations};

/// Sends a pending or expired invitation again, to the same address and with the same roles. The new one replaces it: its
/// link no longer works.
pub async fn resend(
    engine: &Engine,
    access: &OrganizationAccess,
    id: InvitationId,
) -> Result<InvitationRow, Error> {
    access.require_change_permission(MANAGE_MEMBERS)?;
    let gone = |detail: &'static str| Refusal::because(RequestRefusal::NotFound, detail);
    for _ in 0..ATTEMPTS_MAX {
        let old = find_stored(engine, access, id).await?;
        if old.accepted_at.is_some() {
            return Err(already_accepted().into());
        }
        if old.revoked_at.is_some() {
            return Err(gone("a revoked invitation").into());
        }
        let (store, now) = (engine.store(), access.now());
        let is_expired = old.expires_at <= now;
        if is_expired
            && invitations::has_pending_invitation(store, access.organization.id, &old.lookup, now).await?
        {
            return Err(already_invited().into());
        }
        let address: EmailAddress = old.lookup.parse().map_err(|_| gone("an erased address"))?;
        let statement = count_invitation(engine, now, &old.lookup).await?;
        let request = InvitationRequest {
            address,
            membership: InvitedMembership::Existing(old.membership),
            lifetime: None,
            language: None,
        };
        let new = InvitationId::mint(now, engine.entropy());
        let (batch, event) = build_batch(engine, access, &request, INVITATION_LIFETIME, new).await?;
        let batch = batch.with_statement(statement).with_statement(invitations::revoke_invitation(
            access.organization.id,
            id,
            now,
        ));
        let event = event.with_detail("replaces", id.to_string());
        match store.commit(access.record(batch, &event)?).await? {
            BatchOutcome::Committed(_) => return find_stored(engine, access, new).await,
            BatchOutcome::Conflict(conflict) if organizations::is_lock_conflict(&conflict) => {
                return Err(crate::access_control::organization_access::organization_suspended().into());
            }
            BatchOutcome::Conflict(_) => {}
        }
    }
    Err(Failure::Contended.into())
}
