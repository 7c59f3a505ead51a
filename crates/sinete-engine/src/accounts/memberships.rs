//! The memberships of an account, and leaving an organization.

use crate::access_control::{caller, organization_access};
use crate::organizations::members;
use crate::organizations::members::MemberWithRoles;
use crate::sign_in::account_holder::{AccountHolder, not_found};
use crate::{Engine, Error, Failure};
use sinete_core::id::MembershipId;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::accounts::AccountRefusal;
use sinete_store::organizations;
use sinete_store::organizations::OrganizationRow;
use sinete_store::organizations::{memberships, roles};

/// A membership with its organization, as shown to the user. Suspended organizations are included.
#[derive(Clone, Debug)]
pub struct OwnMembership {
    /// The organization.
    pub organization: OrganizationRow,
    /// The membership and its roles.
    pub member: MemberWithRoles,
}

/// Lists the memberships, oldest first.
pub async fn list(engine: &Engine, account_holder: &AccountHolder) -> Result<Vec<OwnMembership>, Failure> {
    let mut all = Vec::new();
    for membership in memberships::list_account_memberships(engine.store(), account_holder.account()).await? {
        let organization_row =
            organizations::find_organization(engine.store(), membership.organization, account_holder.now())
                .await?;
        let Some(organization) = organization_row else { continue };
        let catalogue = roles::list_roles(engine.store(), organization.id).await?;
        let member = members::load_member_roles(engine, membership, &catalogue).await?;
        all.push(OwnMembership { organization, member });
    }
    Ok(all)
}

/// Leaves an organization permanently. Its last owner cannot leave, and a suspended organization accepts no
/// change.
pub async fn leave(engine: &Engine, account_holder: &AccountHolder, id: MembershipId) -> Result<(), Error> {
    account_holder.require_fresh_authentication(engine).await?;
    let mine = memberships::list_account_memberships(engine.store(), account_holder.account()).await?;
    if !mine.iter().any(|membership| membership.id == id) {
        return Err(not_found("no such membership of this account").into());
    }
    let Some(caller) = caller::load_member_caller(engine, id, account_holder.cause.clone()).await? else {
        return Err(
            Refusal::because(AccountRefusal::MembershipDisabled, "the membership is not active").into()
        );
    };
    let access =
        organization_access::authorize_in_organization(engine, &caller, &caller.organization.to_string())
            .await?;
    members::remove(engine, &access, id).await.map(drop)
}
