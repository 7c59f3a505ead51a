//! The requesting client, in its current state.

use crate::oauth::cache::client::load_client_at_version;
use crate::oauth::client_authentication::CachedClient;
use crate::organizations::branding;
use crate::organizations::branding::OrganizationBranding;
use crate::sign_in::flows::InteractionTarget;
use crate::{ATTEMPTS_MAX, Engine, Failure};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::client_id::ClientId;
use sinete_core::oauth::authorize::consent::{ClientConsentMode, ClientTrust};
use sinete_core::oauth::authorize::redirectable_request::RegisteredRedirectUris;
use sinete_store::oauth::client_authentication;
use sinete_store::oauth::client_authentication::ClientAuthState;
use sinete_store::oauth::clients::{ClientOrigin, ClientRow};
use std::sync::Arc;

/// A client that may make requests: it and its owner are active.
#[derive(Clone, Debug)]
pub struct ActiveClient {
    /// The client at its current version.
    pub client: Arc<CachedClient>,
    /// Who verified it.
    pub trust: ClientTrust,
    /// The API catalog version, if it was read with the client.
    pub api_catalog_version: Option<i64>,
}

impl ActiveClient {
    /// Finds the client, if it may make requests.
    pub async fn find(engine: &Engine, id: &ClientId) -> Result<Option<Self>, Failure> {
        for _ in 0..ATTEMPTS_MAX {
            let client_state =
                client_authentication::find_client_auth_state(engine.store(), id, None, engine.now()).await?;
            let Some((auth_state, _)) =
                client_state.filter(|(it, _)| it.condition == LifecycleCondition::Enabled)
            else {
                return Ok(None);
            };
            if let Some(client) = Self::find_in_state(engine, id, auth_state).await? {
                return Ok(Some(client));
            }
        }
        Err(Failure::Contended)
    }

    /// Finds the client in this state; `None` if it changed since the state was read.
    pub(super) async fn find_in_state(
        engine: &Engine,
        id: &ClientId,
        auth_state: ClientAuthState,
    ) -> Result<Option<Self>, Failure> {
        let client = load_client_at_version(engine, id, auth_state.version).await?;
        Ok(client.map(|client| Self {
            api_catalog_version: Some(auth_state.api_catalog_version),
            ..Self::from_client(client)
        }))
    }

    /// Creates it from an active client.
    pub fn from_client(client: Arc<CachedClient>) -> Self {
        let trust = client_trust(&client.client);
        Self { client, trust, api_catalog_version: None }
    }

    /// The data for validating a redirect URI.
    pub fn redirect_target(&self) -> RegisteredRedirectUris<'_> {
        RegisteredRedirectUris {
            id: &self.client.client.id,
            redirect_uris: &self.client.metadata.redirect_uris,
        }
    }

    /// Where users of this client are sent: to the hosted screens if enabled, else to the client's
    /// interaction URL if it is trusted, else to the default.
    pub(crate) fn interaction(&self, engine: &Engine) -> InteractionTarget {
        let default_target = engine.settings().flows.interaction.clone();
        match (default_target, self.trust, &self.client.metadata.interaction_url) {
            (InteractionTarget::Hosted, _, _) => InteractionTarget::Hosted,
            (_, ClientTrust::Operator | ClientTrust::Organization, Some(url)) => {
                InteractionTarget::External(url.clone())
            }
            (default_target, ClientTrust::SelfRegistered, _) | (default_target, _, None) => default_target,
        }
    }

    /// Whether users must consent.
    pub fn consent_mode(&self) -> ClientConsentMode {
        self.client.metadata.consent
    }
}

/// Where users of this client are sent.
pub async fn find_client_interaction(
    engine: &Engine,
    client: &ClientId,
) -> Result<InteractionTarget, Failure> {
    let requesting_client = ActiveClient::find(engine, client).await?;
    let default_target = || engine.settings().flows.interaction.clone();
    Ok(requesting_client.map_or_else(default_target, |client| client.interaction(engine)))
}

/// Finds the branding for an authorization request: of the organization it names, or else of the client's
/// organization.
pub async fn find_request_branding(
    engine: &Engine,
    client: Option<&str>,
    organization: Option<&str>,
) -> Result<Option<OrganizationBranding>, Failure> {
    if let Some(name) = organization {
        return branding::find_branding_by_name(engine, name).await;
    }
    let Some(Ok(client)) = client.map(str::parse) else { return Ok(None) };
    let requesting_client = ActiveClient::find(engine, &client).await?;
    match requesting_client.map(|client| client.client.client.origin) {
        Some(ClientOrigin::Organization(owner)) => branding::find_branding(engine, owner).await,
        Some(ClientOrigin::Operator | ClientOrigin::DynamicRegistration) | None => Ok(None),
    }
}

/// Who verified a client: its owner, or an operator.
pub fn client_trust(client: &ClientRow) -> ClientTrust {
    match (client.origin, client.verified_at) {
        (ClientOrigin::Operator, _)
        | (ClientOrigin::DynamicRegistration | ClientOrigin::Organization(_), Some(_)) => {
            ClientTrust::Operator
        }
        (ClientOrigin::Organization(_), None) => ClientTrust::Organization,
        (ClientOrigin::DynamicRegistration, None) => ClientTrust::SelfRegistered,
    }
}
