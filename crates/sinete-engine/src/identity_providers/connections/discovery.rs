//! Discovery of a provider before it is connected: the issuer cannot be changed later.

use super::validation::client_authentication;
use crate::identity_providers::{ProviderError, metadata_cache};
use crate::{Engine, Error};
use sinete_core::id::{ConnectionId, OrganizationId};
use sinete_core::identity_providers::connections::{ConnectionSettings, IdentityProviderIssuer};
use sinete_core::identity_providers::oidc::metadata::InvalidOidcMetadata;
use sinete_core::limits::CONNECTIONS_PER_ORGANIZATION_MAX;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::identity_providers::IdentityProviderRefusal;
use sinete_store::identity_providers::connections;

/// What the discovery document must confirm before a connection is created
/// (docs/contribute/decisions/0337-connections-discovery-on-every-path.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiscoveryPolicy {
    /// It must be there and name the issuer: an administrator enters the issuer and sees the result.
    Required,
    /// If it can be read, it must name the issuer. A program may connect a provider that cannot be reached yet.
    IfReachable,
    /// It is not fetched: a declarative document is applied without outbound requests.
    Skipped,
}

/// Requires that the discovery document of an OpenID Connect provider names this issuer and can be used. Every path that
/// creates or prepares a connection passes here. It takes no longer than one outbound request.
pub(super) async fn require_discovery(
    engine: &Engine,
    organization: OrganizationId,
    id: ConnectionId,
    issuer: &IdentityProviderIssuer,
    settings: &ConnectionSettings,
    policy: DiscoveryPolicy,
) -> Result<(), Error> {
    let authentication = client_authentication(settings).filter(|_| policy != DiscoveryPolicy::Skipped);
    let Some(authentication) = authentication else { return Ok(()) };
    let limit = CONNECTIONS_PER_ORGANIZATION_MAX;
    let all = connections::list_connections(engine.store(), organization, None, limit).await?;
    // Then nothing is created anyway. A prepared connection is replaced.
    if all.iter().filter(|other| other.id != id).count() >= limit as usize {
        return Ok(());
    }
    let result = metadata_cache::discover_issuer(engine, organization, issuer).await;
    let usable = result.and_then(|provider| Ok(provider.require_auth_method(authentication)?));
    match usable {
        Ok(()) => Ok(()),
        Err(ProviderError::NotReached(_) | ProviderError::Busy) if policy == DiscoveryPolicy::IfReachable => {
            Ok(())
        }
        Err(error) => Err(discovery_refusal(&issuer.discovery_url(), &error).into()),
    }
}

/// The refusal, which states what is wrong at the discovery URL.
fn discovery_refusal(url: &str, error: &ProviderError) -> Refusal {
    let text = match error {
        ProviderError::NotReached(_) => {
            format!("Nothing could be read at {url}. Check the issuer, and that this service can reach it.")
        }
        ProviderError::NotAProvider(InvalidOidcMetadata::IssuerMismatch(other)) => format!(
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
