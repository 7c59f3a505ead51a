//! What a request is for, once it is known whom it is about: the one audience of the tokens, and what the person holds and
//! agreed to there.

use super::walk::{There, Walk};
use super::wanted::{Audience, Halt, Wanted};
use sinete_core::authorize::response::AuthorizationError;
use sinete_core::authorize::target;
use sinete_core::people::Alive;
use sinete_store::consents::{Consent, Parties};
use sinete_store::standing::agreed;
use std::sync::Arc;

/// What a request is for.
pub(super) struct Aim {
    pub(super) audience: Audience,
    /// What the person is and may do there; nothing if they or the client count no longer.
    pub(super) alive: Option<Alive>,
    /// What they agreed to before.
    pub(super) consent: Option<Consent>,
}

impl Walk<'_> {
    /// What the request is for.
    pub(super) async fn aim(&self, wanted: &Wanted, there: &There) -> Result<Aim, Halt> {
        let audience = self.audience(wanted, there).await?;
        let target = audience.target();
        let (store, membership) = (self.engine.store(), there.usable.membership);
        let audience_name = target.identifier().as_str();
        let found = match self.person {
            Some(person) => person.held.at(store, membership, audience_name).await?,
            None => {
                let client = &self.applicant.known.client.id;
                let parties = Parties { membership, client, audience: audience_name };
                agreed::find(store, parties, self.engine.now()).await?
            }
        };
        let (alive, consent) =
            found.map_or((None, None), |(found, consent)| (found.standing.alive().ok(), consent));
        Ok(Aim { audience, alive, consent })
    }

    /// The one audience of the tokens: the API that was named, or the only one the scopes belong to. It must be
    /// offered to the organization.
    async fn audience(&self, wanted: &Wanted, there: &There) -> Result<Audience, Halt> {
        let store = self.engine.store();
        let issuer = || self.engine.settings().issuer.parse().map(Audience::Ourselves);
        let unknown = (AuthorizationError::InvalidTarget, "resource is not known here");
        match &wanted.named {
            Some(Audience::Ourselves(issuer)) => Ok(Audience::Ourselves(issuer.clone())),
            Some(Audience::Api(api)) => {
                let offered = there.usable.offering.load(store).await?;
                let is_offered = offered.resources().iter().any(|(_, id)| *id == api.id);
                if is_offered { Ok(Audience::Api(Arc::clone(api))) } else { Err(unknown.into()) }
            }
            None => {
                let offered = there.usable.offering.load(store).await?;
                match target::audience(&wanted.scopes.permissions(), offered.resources())? {
                    None => Ok(issuer().map_err(|_| unknown)?),
                    Some(id) => Ok(Audience::Api(Arc::clone(offered.api(id).ok_or(unknown)?))),
                }
            }
        }
    }
}
