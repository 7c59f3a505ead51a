//! Validation of a connection when it is created or changed.

use super::ConnectionDraft;
use crate::access_control::organization_access::OrganizationAccess;
use crate::identity_providers::insecure_provider_policy;
use crate::{Engine, Failure};
use sinete_core::id::ConnectionId;
use sinete_core::identity_providers::connections::{
    ConnectionProtocol, ConnectionSettings, IdentityProviderIssuer, ProviderAuthMethod,
};
use sinete_core::limits::{CONNECTION_SECRET_BYTES_MAX, CONNECTIONS_PER_ORGANIZATION_MAX};
use sinete_core::organizations::domains::OrganizationDomain;
use sinete_core::validation::ValidationErrors;
use sinete_store::identity_providers::connections;

/// The issuer: as submitted, or from the metadata.
pub(super) fn resolve_issuer(
    engine: &Engine,
    submitted_issuer: Option<&str>,
    described: Option<String>,
    draft: &ConnectionDraft,
) -> Result<IdentityProviderIssuer, String> {
    let text = match (submitted_issuer, described.as_deref()) {
        (Some(submitted_issuer), Some(described)) if submitted_issuer != described => {
            return Err("the metadata of the provider has another entity ID".to_owned());
        }
        (Some(submitted_issuer), _) => submitted_issuer,
        (None, Some(described)) => described,
        (None, None) => {
            return Err(
                "is required: the issuer or entity ID of the provider, exactly as it shows it".to_owned()
            );
        }
    };
    let read = match &draft.settings.protocol {
        ConnectionProtocol::OpenId(_) => {
            IdentityProviderIssuer::parse(text, insecure_provider_policy(engine))
        }
        ConnectionProtocol::Saml(_) => IdentityProviderIssuer::parse_entity_id(text),
    };
    read.map_err(|provider_issuer| provider_issuer.to_string())
}

/// Parses the domains, and collects errors.
pub(super) fn parse_domains(
    engine: &Engine,
    draft: &ConnectionDraft,
    has_secret: bool,
    errors: &mut ValidationErrors,
) -> Vec<OrganizationDomain> {
    errors.add_nested("", &draft.settings.validate());
    if let (true, Some(saml)) = (errors.is_empty(), draft.settings.saml_settings()) {
        errors.add_nested("/saml", &crate::identity_providers::saml::find_faults(engine, saml));
    }
    let is_fit = |secret: &String| {
        (1..=CONNECTION_SECRET_BYTES_MAX).contains(&secret.len()) && !secret.chars().any(char::is_control)
    };
    if draft.secret.as_ref().is_some_and(|secret| !is_fit(secret)) {
        errors.add("/client_secret", "must be 1 to 1024 characters, as the provider shows it");
    }
    match (client_authentication(&draft.settings), has_secret, &draft.secret) {
        (Some(ProviderAuthMethod::ClientSecret), false, _) => {
            errors.add("/client_secret", "is required; the provider shows it");
        }
        (Some(ProviderAuthMethod::PrivateKey), _, Some(_)) => {
            errors.add("/client_secret", "a connection with private_key has none; remove this member");
        }
        (None, _, Some(_)) => errors.add("/client_secret", "a SAML connection has none; remove this member"),
        (Some(ProviderAuthMethod::ClientSecret), true, _)
        | (Some(ProviderAuthMethod::PrivateKey) | None, _, None) => {}
    }
    let names = draft.domains.iter().enumerate();
    names.filter_map(|(index, name)| errors.parse_text(format!("/domains/{index}"), name)).collect()
}

/// Our client authentication method, if the protocol has one.
pub(super) const fn client_authentication(settings: &ConnectionSettings) -> Option<ProviderAuthMethod> {
    match &settings.protocol {
        ConnectionProtocol::OpenId(open_id) => Some(open_id.authentication),
        ConnectionProtocol::Saml(_) => None,
    }
}

/// Requires that only one connection of an organization claims provisioned memberships. If two are submitted
/// concurrently, neither succeeds.
pub(super) async fn require_single_directory(
    engine: &Engine,
    access: &OrganizationAccess,
    draft: &ConnectionDraft,
    connection_id: Option<ConnectionId>,
    errors: &mut ValidationErrors,
) -> Result<(), Failure> {
    if draft.settings.external_id_claim.is_none() {
        return Ok(());
    }
    let all = connections::list_connections(
        engine.store(),
        access.organization.id,
        None,
        CONNECTIONS_PER_ORGANIZATION_MAX,
    )
    .await?;
    if all.iter().any(|it| Some(it.id) != connection_id && it.settings.external_id_claim.is_some()) {
        errors.add(
            "/external_id_claim",
            "another connection has it; only one connection of an organization can link users by externalId",
        );
    }
    Ok(())
}
