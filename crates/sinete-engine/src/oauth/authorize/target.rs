//! The audience of a request, and the user's permissions and consent there.

use super::error::AuthorizationError;
use super::next_step::{AuthorizationCheck, ChosenOrganization};
use super::requested_scopes::{RequestedAudience, RequestedScopes};
use sinete_core::access_control::subject::ActiveSubject;
use sinete_core::oauth::authorize::response::AuthorizationErrorCode;
use sinete_core::oauth::authorize::target_resource;
use sinete_store::oauth::consents::{ConsentParties, ConsentRow};
use sinete_store::oauth::subject_state::consent;
use std::sync::Arc;

/// The target of a request.
pub(super) struct AuthorizationTarget {
    pub(super) audience: RequestedAudience,
    /// The user in the organization; `None` if they or the client are no longer active.
    pub(super) subject: Option<ActiveSubject>,
    /// The earlier consent.
    pub(super) consent: Option<ConsentRow>,
}

impl AuthorizationCheck<'_> {
    /// Resolves the target.
    pub(super) async fn resolve_target(
        &self,
        requested_scopes: &RequestedScopes,
        organization: &ChosenOrganization,
    ) -> Result<AuthorizationTarget, AuthorizationError> {
        let audience = self.resolve_audience(requested_scopes, organization).await?;
        let target = audience.target();
        let (store, membership) = (self.engine.store(), organization.membership.membership);
        let audience_name = target.identifier().as_str();
        let subject_with_consent = match self.memberships {
            Some(authorizing_memberships) => {
                authorizing_memberships
                    .subjects
                    .load_subject_with_consent(store, membership, audience_name)
                    .await?
            }
            None => {
                let client = &self.client.client.client.id;
                let parties = ConsentParties { membership, client, audience: audience_name };
                consent::load_subject_with_consent(store, parties, self.engine.now()).await?
            }
        };
        let (subject, consent) = subject_with_consent
            .map_or((None, None), |(snapshot, consent)| (snapshot.state.require_active().ok(), consent));
        Ok(AuthorizationTarget { audience, subject, consent })
    }

    /// Resolves the audience: the requested API, or the only one that defines the scopes. It must be offered
    /// to the organization.
    async fn resolve_audience(
        &self,
        requested_scopes: &RequestedScopes,
        organization: &ChosenOrganization,
    ) -> Result<RequestedAudience, AuthorizationError> {
        let store = self.engine.store();
        let issuer = || self.engine.settings().issuer.parse().map(RequestedAudience::Instance);
        let unknown = (
            AuthorizationErrorCode::InvalidTarget,
            "The resource is not an API that this client may use. Send the identifier of an API that is \
             offered to the organization.",
        );
        match &requested_scopes.audience {
            Some(RequestedAudience::Instance(issuer)) => Ok(RequestedAudience::Instance(issuer.clone())),
            Some(RequestedAudience::Api(api)) => {
                let catalog = organization.membership.api_catalog_version.load_catalog(store).await?;
                let is_offered = catalog.resources().iter().any(|(_, id)| *id == api.id);
                if is_offered { Ok(RequestedAudience::Api(Arc::clone(api))) } else { Err(unknown.into()) }
            }
            None => {
                let catalog = organization.membership.api_catalog_version.load_catalog(store).await?;
                match target_resource::resolve_audience(
                    &requested_scopes.scopes.permissions(),
                    catalog.resources(),
                )? {
                    None => Ok(issuer().map_err(|_| unknown)?),
                    Some(id) => Ok(RequestedAudience::Api(Arc::clone(catalog.find_api(id).ok_or(unknown)?))),
                }
            }
        }
    }
}
