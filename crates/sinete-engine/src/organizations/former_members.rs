//! Former members: members that an organization removed or disabled. A user who returns through an identity
//! provider is recognized by their identifiers, also after unlinking the provider: a removal lasts until an
//! administrator invites them again.

use crate::organizations::domains;
use crate::{Engine, Failure};
use sinete_core::id::{AccountId, OrganizationId};
use sinete_core::identity_providers::identity_resolution::ExternalIdentity;
use sinete_core::identity_providers::oidc::id_token::IdentityProviderClaims;
use sinete_core::organizations::former_members::FormerMemberIdentifier;
use sinete_core::organizations::member_profile::MemberProfile;
use sinete_store::GuardedStatement;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::ContactKind;
use sinete_store::identity_providers::identities;
use sinete_store::organizations::former_members;
use sinete_store::organizations::memberships::{MembershipHolder, MembershipRow};

/// Records all identifiers by which the member of an ending membership can be recognized.
pub(crate) async fn record_former_member_identifiers(
    engine: &Engine,
    membership: &MembershipRow,
) -> Result<Vec<GuardedStatement>, Failure> {
    let organization = membership.organization;
    let note = |trace: FormerMemberIdentifier<'_>| {
        former_members::insert_former_member_identifier(organization, &trace.digest(), membership.id)
    };
    let account = match &membership.holder {
        MembershipHolder::Machine(_) => return Ok(Vec::new()),
        MembershipHolder::User(account) => Some(*account),
        MembershipHolder::Unclaimed => None,
    };
    let profile: MemberProfile = membership.profile.parse()?;
    let mut steps: Vec<GuardedStatement> = membership
        .external_id
        .as_deref()
        .map(FormerMemberIdentifier::ExternalId)
        .map(note)
        .into_iter()
        .collect();
    steps.extend(profile.email.map(|address| note(FormerMemberIdentifier::Email(&address.lookup_key()))));
    let Some(account) = account else { return Ok(steps) };
    for contact in contacts::list_account_contacts(engine.store(), account).await? {
        // Only addresses in a verified domain of the organization are recorded.
        if contact.kind == ContactKind::Email
            && contact.verified_at.is_some()
            && let Ok(address) = contact.address.parse()
            && domains::is_verified_address(engine, organization, &address).await?
        {
            steps.push(note(FormerMemberIdentifier::Email(&contact.lookup)));
        }
    }
    for linked in identities::list_account_identities(engine.store(), account).await? {
        let identity = ExternalIdentity { provider: linked.provider, subject: linked.subject };
        if identity.split_provider_key().is_some_and(|(it, _)| it == organization) {
            steps.push(note(identity_trace(&identity)));
        }
    }
    Ok(steps)
}

/// Records the identity of a current or former member who unlinks it.
pub(crate) fn record_unlinked_identity(
    account: AccountId,
    identity: &ExternalIdentity,
) -> Option<GuardedStatement> {
    let (organization, _) = identity.split_provider_key()?;
    Some(former_members::record_former_account(organization, &identity_trace(identity).digest(), account))
}

/// Whether the organization removed or disabled the reported user, or the user unlinked this identity.
pub(crate) async fn is_former_member(
    engine: &Engine,
    organization: OrganizationId,
    identity: &ExternalIdentity,
    reported: &IdentityProviderClaims,
) -> Result<bool, Failure> {
    let identity = identity_trace(identity).digest();
    let external =
        reported.external_id.as_deref().map(|name| FormerMemberIdentifier::ExternalId(name).digest());
    let address =
        reported.verified_email.as_ref().map(|it| FormerMemberIdentifier::Email(&it.lookup_key()).digest());
    let others = [external.as_ref(), address.as_ref()];
    Ok(former_members::is_former_member(engine.store(), organization, &identity, others).await?)
}

fn identity_trace(identity: &ExternalIdentity) -> FormerMemberIdentifier<'_> {
    FormerMemberIdentifier::Identity { provider: &identity.provider, subject: &identity.subject }
}
