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
    acting: &OrganizationAccess,
    url: &str,
) -> Result<String, Error> {
    acting.require_change_permission(MANAGE_PERMISSION)?;
    fetch_document(engine, acting.organization.id, url).await
}

/// Fetches the metadata for an organization.
pub(crate) async fn fetch_document(
    engine: &Engine,
    organization: OrganizationId,
    url: &str,
) -> Result<String, Error> {
    let mut faults = ValidationErrors::default();
    if !is_metadata_url(url, insecure_provider_policy(engine)) {
        faults.add("/metadata_url", "must be an https URL without fragment and credentials");
        return Err(Refusal::from_validation_errors(faults).into());
    }
    let owner = OutboundOwner::Organization(organization);
    let target = OutboundTarget { purpose: OutboundPurpose::ConnectionTest, owner, url };
    let document = engine.outbound_http().get(&target).await.ok();
    let document = document.and_then(|body| String::from_utf8(body.to_vec()).ok());
    Ok(document.ok_or_else(|| {
        faults
            .add("/metadata_url", "nothing could be read there; check the URL, or send the document itself");
        Refusal::from_validation_errors(faults)
    })?)
}

/// Requires that issuer and protocol are unchanged.
pub(super) fn require_same_provider(
    before: &ConnectionRow,
    described: Option<&str>,
    after: &ConnectionSettings,
    faults: &mut ValidationErrors,
) {
    if described.is_some_and(|it| it != before.issuer.as_str()) {
        faults.add("/metadata", "the metadata is of another provider; create a new connection");
    }
    if !before.chosen.has_same_protocol(after) {
        faults.add("/saml", "the protocol of a connection cannot be changed; create a new connection");
    }
}

/// Requires that the organization has only one connection to this issuer: identities are stored under its
/// name, whichever key signs.
pub(super) async fn require_unique_issuer(
    acting: &OrganizationAccess,
    engine: &Engine,
    issuer: &IdentityProviderIssuer,
    own: Option<ConnectionId>,
    faults: &mut ValidationErrors,
) -> Result<(), Failure> {
    let all = connections::list_connections(
        engine.store(),
        acting.organization.id,
        None,
        CONNECTIONS_PER_ORGANIZATION_MAX,
    )
    .await?;
    let is_taken = |it: &ConnectionRow| {
        Some(it.id) != own && it.chosen.saml_settings().is_some() && it.issuer == *issuer
    };
    if all.iter().any(is_taken) {
        faults.add(
            "/issuer",
            "the organization already has a connection to this provider; change that one, or remove it first",
        );
    }
    Ok(())
}

/// Adds the trusted certificates to the event.
pub(super) fn with_certificates(event: SecurityEvent, chosen: &ConnectionSettings) -> SecurityEvent {
    let Some(saml) = chosen.saml_settings() else { return event };
    let read = saml.certificates.iter().filter_map(|pem| SamlSigningCertificate::parse_pem(pem).ok());
    let fingerprints: Vec<_> = read.map(|it| it.fingerprint()).collect();
    event.with_detail("certificates", fingerprints).with_detail("subject", saml.subject.as_str())
}

/// Copies the URL and certificates from the metadata into the settings, and returns the entity ID. The
/// metadata is not stored.
pub(super) fn apply_metadata(
    engine: &Engine,
    wanted: &mut ConnectionDraft,
    faults: &mut ValidationErrors,
) -> Option<String> {
    let text = wanted.metadata.take()?;
    let ConnectionProtocol::Saml(saml) = &mut wanted.chosen.protocol else {
        faults.add("/metadata", "metadata is for SAML connections only; remove this member");
        return None;
    };
    match SamlProviderMetadata::parse(&text, engine.now()) {
        Ok(described) => {
            saml.sso_url = described.sso_url;
            saml.certificates = described.certificates;
            Some(described.entity_id)
        }
        Err(why) => {
            faults.add("/metadata", why.to_string());
            None
        }
    }
}
