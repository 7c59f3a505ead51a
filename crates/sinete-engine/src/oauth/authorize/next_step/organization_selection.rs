//! Selects the organization of a request: named, hinted, from an earlier grant, or chosen by the user.

use super::AuthorizationCheck;
use crate::Failure;
use crate::oauth::authorize::OrganizationOption;
use crate::oauth::authorize::error::AuthorizationError;
use crate::oauth::authorize::id_token_hint::NamedSubject;
use crate::sign_in::sessions::ActiveSession;
use sinete_core::oauth::authorize::organization_selection;
use sinete_core::oauth::authorize::organization_selection::{
    OrganizationCandidate, OrganizationHints, OrganizationSelection, RequestedOrganization,
};
use sinete_core::organization_kind::OrganizationKind;
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_store::oauth::clients::ClientOrigin;
use sinete_store::oauth::grants;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::UsableMembership;

/// The selected organization.
pub(in crate::oauth::authorize) struct ChosenOrganization {
    pub(in crate::oauth::authorize) membership: UsableMembership,
    pub(super) settings: OrganizationSettings,
}

/// The result of the selection.
pub(super) enum OrganizationChoice {
    Chosen(Box<ChosenOrganization>),
    /// The user must choose one of these.
    Required(Vec<OrganizationOption>),
}

impl AuthorizationCheck<'_> {
    /// Selects the organization, or returns the choices.
    pub(super) async fn select_organization(
        &self,
        signed_in: &ActiveSession,
        expects: Option<NamedSubject>,
    ) -> Result<OrganizationChoice, AuthorizationError> {
        let (store, now, client) = (self.engine.store(), self.engine.now(), &self.client.client.client);
        let mut usable = match self.memberships {
            Some(authorizing_memberships) => authorizing_memberships.usable.clone(),
            None => memberships::list_usable_memberships(store, signed_in.session.account, now).await?,
        };
        let serves = self.client.client.metadata.serves;
        let is_home = |it: &UsableMembership| it.slug == OrganizationKind::HOME;
        usable.retain(|it| match client.origin {
            ClientOrigin::Operator | ClientOrigin::DynamicRegistration => {
                organization_selection::is_served(serves, is_home(it))
            }
            ClientOrigin::Organization(only) => it.organization == only,
        });
        let candidate = |it: &UsableMembership| OrganizationCandidate {
            organization: it.organization,
            membership: it.membership,
            is_home: is_home(it),
        };
        let candidates: Vec<_> = usable.iter().map(candidate).collect();
        let organization = self.params.organization.as_deref().map_or(RequestedOrganization::None, |name| {
            let is = |it: &&UsableMembership| it.slug == name || it.organization.to_string() == name;
            usable
                .iter()
                .find(is)
                .map_or(RequestedOrganization::Unknown, |it| RequestedOrganization::Existing(it.organization))
        });
        let signs = OrganizationHints {
            requested: organization,
            selected: self.answers.organization,
            hinted: expects.and_then(NamedSubject::organization),
            granted: match candidates.len() {
                0 | 1 => None,
                _ => grants::find_session_organization(store, signed_in.session.id, &client.id, now).await?,
            },
        };
        let selection =
            organization_selection::select_organization(&signs, &candidates, serves, &self.params.prompt)?;
        let OrganizationSelection::Selected(at) = selection else {
            let choice = |it: UsableMembership| OrganizationOption {
                id: it.organization,
                slug: it.slug,
                name: it.name,
            };
            return Ok(OrganizationChoice::Required(usable.into_iter().map(choice).collect()));
        };
        let membership = usable.into_iter().find(|it| it.organization == at.organization);
        let usable = membership.ok_or(Failure::Contended)?;
        let settings = usable.settings.parse()?;
        Ok(OrganizationChoice::Chosen(Box::new(ChosenOrganization { membership: usable, settings })))
    }
}
