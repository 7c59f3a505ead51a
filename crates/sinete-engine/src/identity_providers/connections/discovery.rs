//! Discovery of a provider before it is connected: the issuer cannot be changed later.

use super::validation::client_authentication;
use crate::access_control::organization_access::OrganizationAccess;
use crate::identity_providers::{ProviderError, metadata_cache};
use crate::{Engine, Error};
use sinete_core::identity_providers::connections::{ConnectionSettings, IdentityProviderIssuer};
use sinete_core::identity_providers::oidc::metadata::InvalidOidcMetadata;
use sinete_core::limits::CONNECTIONS_PER_ORGANIZATION_MAX;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::identity_providers::IdentityProviderRefusal;
use sinete_store::identity_providers::connections;

/// Whether the provider must be discovered before the connection is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiscoveryPolicy {
    /// Its discovery document must name the issuer.
    Required,
    /// It may be created before the provider can be reached.
    Skipped,
}

/// Requires that the discovery document of an OpenID Connect provider can be read and names this issuer.
pub(super) async fn require_discovery(
    engine: &Engine,
    acting: &OrganizationAccess,
    issuer: &IdentityProviderIssuer,
    settings: &ConnectionSettings,
) -> Result<(), Error> {
    let Some(authentication) = client_authentication(settings) else { return Ok(()) };
    let (organization, most) = (acting.organization.id, CONNECTIONS_PER_ORGANIZATION_MAX);
    let all = connections::list_connections(engine.store(), organization, None, most).await?;
    // Then nothing is created anyway.
    if all.len() >= most as usize {
        return Ok(());
    }
    let found = metadata_cache::discover_issuer(engine, organization, issuer).await;
    let usable = found.and_then(|provider| Ok(provider.require_auth_method(authentication)?));
    usable.map_err(|error| discovery_refusal(&issuer.discovery_url(), &error).into())
}

/// The refusal, which says what stands at the discovery URL.
fn discovery_refusal(url: &str, error: &ProviderError) -> Refusal {
    let text = match error {
        ProviderError::NotReached(_) => {
            format!("Nothing could be read at {url}. Check the issuer, and that this service can reach it.")
        }
        ProviderError::NotAProvider(InvalidOidcMetadata::AnotherIssuer(other)) => format!(
            "The discovery document at {url} names the issuer {}. Enter the issuer exactly so.",
            to_plain_text(other)
        ),
        other => {
            format!("The discovery document at {url} cannot be used: {}.", to_plain_text(&other.to_string()))
        }
    };
    Refusal::because(IdentityProviderRefusal::ProviderNotDiscovered, error.to_string())
        .with_public_text(to_plain_text(&text))
}

/// The text in ASCII, without quotes and backslashes.
fn to_plain_text(text: &str) -> String {
    text.chars().filter(|c| matches!(c, ' '..='~') && *c != '"' && *c != '\\').collect()
}
