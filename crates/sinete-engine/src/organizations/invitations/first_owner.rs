//! The invitation of the first owner of a new organization.

use super::{InvitationParts, count_invitation, prepare_invitation};
use crate::{Engine, Error};
use sinete_core::access_control::permission_catalog::BuiltInRole;
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::accounts::language::Language;
use sinete_core::id::{InvitationId, MembershipId, OrganizationId, RoleId};
use sinete_core::limits::INVITATION_LIFETIME;
use sinete_core::time::Timestamp;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::{MembershipHolder, NewMembership};
use sinete_store::{GuardedStatement, JsonDocument};

/// The invitation of the first owner of an organization that the same batch creates.
pub(crate) struct FirstOwnerInvitation {
    /// The statements, after those that create the organization and its roles.
    pub(crate) statements: Vec<GuardedStatement>,
    /// The invitation.
    pub(crate) invitation: InvitationId,
    /// The membership that it claims.
    pub(crate) membership: MembershipId,
}

/// Prepares the invitation of the first owner, with the role of owners.
pub(crate) async fn prepare_first_owner(
    engine: &Engine,
    organization: OrganizationId,
    name: &str,
    address: &EmailAddress,
    language: Language,
    role: RoleId,
    now: Timestamp,
) -> Result<FirstOwnerInvitation, Error> {
    let membership = MembershipId::mint(now, engine.entropy());
    let invitation = InvitationId::mint(now, engine.entropy());
    let new_membership = NewMembership {
        id: membership,
        organization,
        holder: &MembershipHolder::Unclaimed,
        profile: &JsonDocument::from_value(&serde_json::Map::new())?,
        external_id: None,
        created_at: now,
    };
    let mut steps =
        vec![memberships::create_membership(&new_membership), memberships::add_role(membership, role, now)];
    let parts = InvitationParts {
        id: invitation,
        organization,
        organization_name: name,
        inviter: None,
        branding: None,
        membership,
        roles: &[role],
        role_names: &[BuiltInRole::Owner.name().to_owned()],
        address,
        language,
        lifetime: INVITATION_LIFETIME,
        now,
    };
    steps.extend(prepare_invitation(engine, &parts)?);
    steps.push(count_invitation(engine, now, &address.lookup_key()).await?);
    Ok(FirstOwnerInvitation { statements: steps, invitation, membership })
}
