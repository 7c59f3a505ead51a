//! The client that asks, as it is at this moment.

use crate::client_authentication::CachedClient;
use crate::client_authentication::known::at_version;
use crate::flows::InteractionTarget;
use crate::{ATTEMPTS_MAX, Engine, Failure};
use sinete_core::authorize::addressed::RegisteredRedirectUris;
use sinete_core::authorize::consent::{ClientConsentMode, ClientTrust};
use sinete_core::client::ClientId;
use sinete_core::people::LifecycleCondition;
use sinete_store::client_proofs::{self, ClientAuthState};
use sinete_store::clients::{ClientOrigin, ClientRow};
use std::sync::Arc;

/// A client that may ask: it is enabled, and so is whoever answers for it.
#[derive(Clone, Debug)]
pub struct RequestingClient {
    /// What is known about it, at the version that counts now.
    pub known: Arc<CachedClient>,
    /// Who says that it is what it pretends to be.
    pub vouching: ClientTrust,
    /// The version of everything that APIs define, where it was read with the client.
    pub catalogue: Option<i64>,
}

impl RequestingClient {
    /// The client of this id, if it may ask for anything.
    pub async fn find(engine: &Engine, id: &ClientId) -> Result<Option<Self>, Failure> {
        for _ in 0..ATTEMPTS_MAX {
            let standing = client_proofs::find(engine.store(), id, None, engine.now()).await?;
            let Some((standing, _)) = standing.filter(|(it, _)| it.condition == LifecycleCondition::Enabled)
            else {
                return Ok(None);
            };
            if let Some(applicant) = Self::standing(engine, id, standing).await? {
                return Ok(Some(applicant));
            }
        }
        Err(Failure::Contended)
    }

    /// The client of this id where it stands like this; none if it changed since that was read.
    pub(super) async fn standing(
        engine: &Engine,
        id: &ClientId,
        standing: ClientAuthState,
    ) -> Result<Option<Self>, Failure> {
        let known = at_version(engine, id, standing.version).await?;
        Ok(known.map(|known| Self { catalogue: Some(standing.catalogue), ..Self::of(known) }))
    }

    /// A client that is known to count.
    pub fn of(known: Arc<CachedClient>) -> Self {
        let vouching = vouching(&known.client);
        Self { known, vouching, catalogue: None }
    }

    /// What proving a request's address needs to know of it.
    pub fn addressee(&self) -> RegisteredRedirectUris<'_> {
        RegisteredRedirectUris {
            id: &self.known.client.id,
            redirect_uris: &self.known.metadata.redirect_uris,
        }
    }

    /// Where its people are led: to the hosted screens where they are on, else to where whoever vouches for it says,
    /// else to where everybody is led.
    pub(crate) fn interaction(&self, engine: &Engine) -> InteractionTarget {
        let usual = engine.settings().flows.interaction.clone();
        match (usual, self.vouching, &self.known.metadata.interaction_url) {
            (InteractionTarget::Screens, _, _) => InteractionTarget::Screens,
            (_, ClientTrust::Operator | ClientTrust::Organization, Some(own)) => {
                InteractionTarget::Elsewhere(own.clone())
            }
            (usual, ClientTrust::Nobody, _) | (usual, _, None) => usual,
        }
    }

    /// Whether people are asked before it gets something.
    pub fn consent_mode(&self) -> ClientConsentMode {
        self.known.metadata.consent
    }
}

/// Where the people of this client are led.
pub async fn interaction_of(engine: &Engine, client: &ClientId) -> Result<InteractionTarget, Failure> {
    let applicant = RequestingClient::find(engine, client).await?;
    let usual = || engine.settings().flows.interaction.clone();
    Ok(applicant.map_or_else(usual, |applicant| applicant.interaction(engine)))
}

/// Who says that a client is what it pretends to be: whoever made it, or an operator who looked at it.
pub fn vouching(client: &ClientRow) -> ClientTrust {
    match (client.origin, client.verified_at) {
        (ClientOrigin::Operator, _) | (ClientOrigin::Itself | ClientOrigin::Organization(_), Some(_)) => {
            ClientTrust::Operator
        }
        (ClientOrigin::Organization(_), None) => ClientTrust::Organization,
        (ClientOrigin::Itself, None) => ClientTrust::Nobody,
    }
}
