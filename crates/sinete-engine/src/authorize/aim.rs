//! What a request is for, once it is known whom it is about: the one audience of the tokens, and what the person holds and
//! agreed to there.

use super::walk::{AuthorizationCheck, ChosenOrganization};
use super::wanted::{RequestedAudience, RequestedScopes, ScopeError};
use sinete_core::authorize::response::AuthorizationErrorCode;
use sinete_core::authorize::target;
use sinete_core::people::ActiveSubject;
use sinete_store::consents::{ConsentParties, ConsentRow};
use sinete_store::standing::agreed;
use std::sync::Arc;

/// What a request is for.
pub(super) struct AuthorizationTarget {
    pub(super) audience: RequestedAudience,
    /// What the person is and may do there; nothing if they or the client count no longer.
    pub(super) alive: Option<ActiveSubject>,
    /// What they agreed to before.
    pub(super) consent: Option<ConsentRow>,
}

impl AuthorizationCheck<'_> {
    /// What the request is for.
    pub(super) async fn aim(
        &self,
        wanted: &RequestedScopes,
        there: &ChosenOrganization,
    ) -> Result<AuthorizationTarget, ScopeError> {
        let audience = self.audience(wanted, there).await?;
        let target = audience.target();
        let (store, membership) = (self.engine.store(), there.usable.membership);
        let audience_name = target.identifier().as_str();
        let found = match self.person {
            Some(person) => person.held.at(store, membership, audience_name).await?,
            None => {
                let client = &self.applicant.known.client.id;
                let parties = ConsentParties { membership, client, audience: audience_name };
                agreed::find(store, parties, self.engine.now()).await?
            }
        };
        let (alive, consent) =
            found.map_or((None, None), |(found, consent)| (found.standing.alive().ok(), consent));
        Ok(AuthorizationTarget { audience, alive, consent })
    }

    /// The one audience of the tokens: the API that was named, or the only one the scopes belong to. It must be
    /// offered to the organization.
    async fn audience(
        &self,
        wanted: &RequestedScopes,
        there: &ChosenOrganization,
    ) -> Result<RequestedAudience, ScopeError> {
        let store = self.engine.store();
        let issuer = || self.engine.settings().issuer.parse().map(RequestedAudience::Ourselves);
        let unknown = (AuthorizationErrorCode::InvalidTarget, "resource is not known here");
        match &wanted.named {
            Some(RequestedAudience::Ourselves(issuer)) => Ok(RequestedAudience::Ourselves(issuer.clone())),
            Some(RequestedAudience::Api(api)) => {
                let offered = there.usable.offering.load(store).await?;
                let is_offered = offered.resources().iter().any(|(_, id)| *id == api.id);
                if is_offered { Ok(RequestedAudience::Api(Arc::clone(api))) } else { Err(unknown.into()) }
            }
            None => {
                let offered = there.usable.offering.load(store).await?;
                match target::audience(&wanted.scopes.permissions(), offered.resources())? {
                    None => Ok(issuer().map_err(|_| unknown)?),
                    Some(id) => Ok(RequestedAudience::Api(Arc::clone(offered.api(id).ok_or(unknown)?))),
                }
            }
        }
    }
}
