//! The client that asks, as it is at this moment.

use crate::client_authentication::KnownClient;
use crate::client_authentication::known::at_version;
use crate::flows::Interaction;
use crate::{ATTEMPTS_MAX, Engine, Failed};
use sinete_core::authorize::addressed::Addressee;
use sinete_core::authorize::consent::{ConsentMode, Vouching};
use sinete_core::client::ClientId;
use sinete_core::people::Condition;
use sinete_store::client_proofs::{self, Standing};
use sinete_store::clients::{Client, Origin};
use std::sync::Arc;

/// A client that may ask: it is enabled, and so is whoever answers for it.
#[derive(Clone, Debug)]
pub struct Applicant {
    /// What is known about it, at the version that counts now.
    pub known: Arc<KnownClient>,
    /// Who says that it is what it pretends to be.
    pub vouching: Vouching,
    /// The version of everything that APIs define, where it was read with the client.
    pub catalogue: Option<i64>,
}

impl Applicant {
    /// The client of this id, if it may ask for anything.
    pub async fn find(engine: &Engine, id: &ClientId) -> Result<Option<Self>, Failed> {
        for _ in 0..ATTEMPTS_MAX {
            let standing = client_proofs::find(engine.store(), id, None, engine.now()).await?;
            let Some((standing, _)) = standing.filter(|(it, _)| it.condition == Condition::Enabled) else {
                return Ok(None);
            };
            if let Some(applicant) = Self::standing(engine, id, standing).await? {
                return Ok(Some(applicant));
            }
        }
        Err(Failed::Contended)
    }

    /// The client of this id where it stands like this; none if it changed since that was read.
    pub(super) async fn standing(
        engine: &Engine,
        id: &ClientId,
        standing: Standing,
    ) -> Result<Option<Self>, Failed> {
        let known = at_version(engine, id, standing.version).await?;
        Ok(known.map(|known| Self { catalogue: Some(standing.catalogue), ..Self::of(known) }))
    }

    /// A client that is known to count.
    pub fn of(known: Arc<KnownClient>) -> Self {
        let vouching = vouching(&known.client);
        Self { known, vouching, catalogue: None }
    }

    /// What proving a request's address needs to know of it.
    pub fn addressee(&self) -> Addressee<'_> {
        Addressee { id: &self.known.client.id, redirect_uris: &self.known.metadata.redirect_uris }
    }

    /// Where its people are led: to the hosted screens where they are on, else to where whoever vouches for it says,
    /// else to where everybody is led.
    pub(crate) fn interaction(&self, engine: &Engine) -> Interaction {
        let usual = engine.settings().flows.interaction.clone();
        match (usual, self.vouching, &self.known.metadata.interaction_url) {
            (Interaction::Screens, _, _) => Interaction::Screens,
            (_, Vouching::Operator | Vouching::Organization, Some(own)) => {
                Interaction::Elsewhere(own.clone())
            }
            (usual, Vouching::Nobody, _) | (usual, _, None) => usual,
        }
    }

    /// Whether people are asked before it gets something.
    pub fn consent_mode(&self) -> ConsentMode {
        self.known.metadata.consent
    }
}

/// Where the people of this client are led.
pub async fn interaction_of(engine: &Engine, client: &ClientId) -> Result<Interaction, Failed> {
    let applicant = Applicant::find(engine, client).await?;
    let usual = || engine.settings().flows.interaction.clone();
    Ok(applicant.map_or_else(usual, |applicant| applicant.interaction(engine)))
}

/// Who says that a client is what it pretends to be: whoever made it, or an operator who looked at it.
pub fn vouching(client: &Client) -> Vouching {
    match (client.origin, client.verified_at) {
        (Origin::Operator, _) | (Origin::Itself | Origin::Organization(_), Some(_)) => Vouching::Operator,
        (Origin::Organization(_), None) => Vouching::Organization,
        (Origin::Itself, None) => Vouching::Nobody,
    }
}
