//! SAML connections: metadata, and certificates as the only basis of trust.

use super::{ConnectionDraft, MANAGE_PERMISSION};
use crate::access_control::organization_access::OrganizationAccess;
use crate::identity_providers::insecure_provider_policy;
use crate::{Engine, Error, Failure};
use sinete_core::events::security_event::SecurityEvent;
use sinete_core::id::{ConnectionId, OrganizationId};
use sinete_core::identity_providers::connections::{
    ConnectionProtocol, ConnectionSettings, IdentityProviderIssuer,
};
use sinete_core::identity_providers::saml::metadata::{SamlProviderMetadata, is_metadata_url};
use sinete_core::limits::CONNECTIONS_PER_ORGANIZATION_MAX;
use sinete_core::platform::outbound::{OutboundOwner, OutboundPurpose, OutboundTarget};
use sinete_core::refusal::Refusal;
use sinete_core::validation::ValidationErrors;
use sinete_crypto::identity_providers::saml::SamlSigningCertificate;
use sinete_store::identity_providers::connections;
use sinete_store::identity_providers::connections::ConnectionRow;

/// Fetches the metadata of a provider from the URL that it publishes, once. Later changes are not followed,
/// because otherwise a party that controls the URL could replace the certificates.
pub async fn fetch_metadata(
    engine: &Engine,
    access: &OrganizationAccess,
    url: &str,
) -> Result<String, Error> {
    access.require_change_permission(MANAGE_PERMISSION)?;
    fetch_document(engine, access.organization.id, url).await
}

/// Fetches the metadata for an organization.
pub(crate) async fn fetch_document(
    engine: &Engine,
    organization: OrganizationId,
    url: &str,
) -> Result<String, Error> {
    let mut errors = ValidationErrors::default();
    if !is_metadata_url(url, insecure_provider_policy(engine)) {
        errors.add("/metadata_url", "must be an https URL without fragment and credentials");
        return Err(Refusal::from_validation_errors(errors).into());
    }
    let owner = OutboundOwner::Organization(organization);
    let target = OutboundTarget { purpose: OutboundPurpose::ConnectionTest, owner, url };
    let document = engine.outbound_http().get(&target).await.ok();
    let document = document.and_then(|body| String::from_utf8(body.to_vec()).ok());
    Ok(document.ok_or_else(|| {
        errors
            .add("/metadata_url", "nothing could be read there; check the URL, or send the document itself");
        Refusal::from_validation_errors(errors)
    })?)
}

/// Requires that issuer and protocol are unchanged.
pub(super) fn require_same_provider(
    before: &ConnectionRow,
    described: Option<&str>,
    after: &ConnectionSettings,
    errors: &mut ValidationErrors,
) {
    if described.is_some_and(|it| it != before.issuer.as_str()) {
        errors.add("/metadata", "the metadata is of another provider; create a new connection");
    }
    if !before.settings.has_same_protocol(after) {
        errors.add("/saml", "the protocol of a connection cannot be changed; create a new connection");
    }
}

/// Requires that the organization has only one connection to this issuer: identities are stored under its
/// name, whichever key signs.
pub(super) async fn require_unique_issuer(
    access: &OrganizationAccess,
    engine: &Engine,
    issuer: &IdentityProviderIssuer,
    connection_id: Option<ConnectionId>,
    errors: &mut ValidationErrors,
) -> Result<(), Failure> {
    let all = connections::list_connections(
        engine.store(),
        access.organization.id,
        None,
        CONNECTIONS_PER_ORGANIZATION_MAX,
    )
    .await?;
    let is_taken = |it: &ConnectionRow| {
        Some(it.id) != connection_id && it.settings.saml_settings().is_some() && it.issuer == *issuer
    };
    if all.iter().any(is_taken) {
        errors.add(
            "/issuer",
            "the organization already has a connection to this provider; change that one, or remove it first",
        );
    }
    Ok(())
}

/// Adds the trusted certificates to the event.
pub(super) fn with_certificates(event: SecurityEvent, settings: &ConnectionSettings) -> SecurityEvent {
    let Some(saml) = settings.saml_settings() else { return event };
    let read = saml.certificates.iter().filter_map(|pem| SamlSigningCertificate::parse_pem(pem).ok());
    let fingerprints: Vec<_> = read.map(|it| it.fingerprint()).collect();
    event.with_detail("certificates", fingerprints).with_detail("subject", saml.subject.as_str())
}

/// Copies the URL and certificates from the metadata into the settings, and returns the entity ID. The
/// metadata is not stored.
pub(super) fn apply_metadata(
    engine: &Engine,
    draft: &mut ConnectionDraft,
    errors: &mut ValidationErrors,
) -> Option<String> {
    let text = draft.metadata.take()?;
    let ConnectionProtocol::Saml(saml) = &mut draft.settings.protocol else {
        errors.add("/metadata", "metadata is for SAML connections only; remove this member");
        return None;
    };
    match SamlProviderMetadata::parse(&text, engine.now()) {
        Ok(described) => {
            saml.sso_url = described.sso_url;
            saml.certificates = described.certificates;
            Some(described.entity_id)
        }
        Err(saml_metadata) => {
            errors.add("/metadata", saml_metadata.to_string());
            None
        }
    }
}
