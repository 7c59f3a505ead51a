//! Invitations of a whole list.

use super::{InvitationRequest, InvitedMembership, invite};
use crate::access_control::organization_access::OrganizationAccess;
use crate::{Engine, Error};
use sinete_core::access_control::built_in_permissions::MANAGE_MEMBERS;
use sinete_core::id::RoleId;
use sinete_core::organizations::invitation_list::InvitationLine;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::time::Lifetime;
use sinete_store::organizations::invitations;

/// The result of a list.
#[derive(Debug, Default)]
pub struct InvitationListResult {
    /// How many invitations were sent.
    pub sent_invitations: usize,
    /// How many recipients already had a pending invitation.
    pub already_invited: usize,
    /// The line at which it stopped, and why, if it did.
    pub stopped: Option<(usize, Refusal)>,
}

/// Sends the invitations of a list, in its order. Recipients with a pending invitation are skipped, so that a
/// list can be sent again after it stopped. `count` counts an invitation for the rate limit, before it is
/// sent.
pub async fn invite_list(
    engine: &Engine,
    access: &OrganizationAccess,
    lines: &[InvitationLine<RoleId>],
    lifetime: Lifetime,
    count: impl Fn() -> Result<(), Refusal> + Send + Sync,
) -> Result<InvitationListResult, Error> {
    access.require_change_permission(MANAGE_MEMBERS)?;
    let mut result = InvitationListResult::default();
    for line in lines {
        let lookup = line.address.lookup_key();
        let organization = access.organization.id;
        if invitations::has_pending_invitation(engine.store(), organization, &lookup, access.now()).await? {
            result.already_invited += 1;
            continue;
        }
        if let Err(refusal) = count() {
            result.stopped = Some((line.line, refusal));
            break;
        }
        let request = InvitationRequest {
            address: line.address.clone(),
            membership: InvitedMembership::New(line.roles.clone()),
            lifetime: Some(lifetime),
            language: line.language,
        };
        match invite(engine, access, &request).await {
            Ok(_) => result.sent_invitations += 1,
            // Another request invited the same recipient concurrently.
            Err(Error::Refused(refusal)) if refusal.code() == RefusalCode::Conflict => {
                result.already_invited += 1
            }
            Err(Error::Refused(refusal)) => {
                result.stopped = Some((line.line, refusal));
                break;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(result)
}
