//! The member who sends an invitation, as named in it.

use crate::access_control::organization_access::OrganizationAccess;
use crate::{Engine, Failure};
use sinete_core::accounts::profile_text::ProfileText;
use sinete_core::events::security_event::SecurityEventActor;
use sinete_core::organizations::member_profile::MemberProfile;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::MembershipHolder;

/// The name of the caller in the organization, if the caller is a user who is a member and has a name there.
/// Programs, and operators from outside, are not named.
pub(super) async fn find_inviter_name(
    engine: &Engine,
    access: &OrganizationAccess,
) -> Result<Option<String>, Failure> {
    let SecurityEventActor::Membership(id) = access.cause.actor else { return Ok(None) };
    let membership_row = memberships::find_membership(engine.store(), access.organization.id, id).await?;
    let Some(membership) = membership_row.filter(|it| matches!(it.holder, MembershipHolder::User(_))) else {
        return Ok(None);
    };
    let profile: MemberProfile = membership.profile.parse()?;
    let parts = [profile.given_name, profile.family_name];
    let parts: Vec<&str> = parts.iter().flatten().map(ProfileText::as_str).collect();
    let full_name = profile.name.map_or_else(|| parts.join(" "), |name| name.as_str().to_owned());
    Ok(Some(full_name).filter(|name| !name.is_empty()))
}
