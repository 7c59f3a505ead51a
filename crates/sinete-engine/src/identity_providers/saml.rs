//! SAML identity providers. We send them no requests: the browser carries our request there and their
//! response back.

use super::{callback_url, insecure_provider_policy};
use crate::{Engine, Error};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sinete_core::id::ConnectionId;
use sinete_core::identity_providers::saml::authn_request;
use sinete_core::identity_providers::saml::authn_request::{SamlAuthnRequest, SamlServiceProvider};
use sinete_core::identity_providers::saml::response::{
    SamlResponseExpectations, SamlResponseRejection, VerifiedSamlAssertion, verify_saml_response,
};
use sinete_core::identity_providers::saml::settings::SamlConnectionSettings;
use sinete_core::identity_providers::saml::subject_description::{SamlSubjectDescription, describe_subject};
use sinete_core::limits::SAML_RESPONSE_BYTES_MAX;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::validation::ValidationErrors;
use sinete_core::xml::InvalidXml;
use sinete_crypto::identity_providers::saml::SamlSigningCertificate;
use sinete_store::identity_providers::connections;
use sinete_store::identity_providers::connections::ConnectionRow;

/// The path of our metadata for a connection, below the issuer. Its URL is our entity ID.
pub const METADATA_PATH: &str = "/sign-in/provider/{connection}/metadata";

/// Our entity ID for this connection.
pub fn entity_id(engine: &Engine, connection: ConnectionId) -> String {
    let path = METADATA_PATH.replace("{connection}", &connection.to_string());
    format!("{}{path}", engine.settings().issuer)
}

/// Our service provider metadata for this connection, even if it is disabled.
pub async fn sp_metadata(engine: &Engine, connection: ConnectionId) -> Result<String, Error> {
    let connection_row = connections::find_connection_by_id(engine.store(), connection).await?;
    if connection_row.is_none_or(|connection| connection.settings.saml_settings().is_none()) {
        return Err(Refusal::because(RequestRefusal::PathNotFound, "no SAML connection").into());
    }
    let (entity_id, callback) = (entity_id(engine, connection), callback_url(engine, connection));
    Ok(authn_request::build_sp_metadata(SamlServiceProvider { entity_id: &entity_id, callback: &callback }))
}

/// The URL of the authentication request.
pub(crate) fn authn_request_url(
    engine: &Engine,
    connection: ConnectionId,
    saml: &SamlConnectionSettings,
    request: &SamlAuthnRequest<'_>,
) -> Option<String> {
    let (entity_id, callback) = (entity_id(engine, connection), callback_url(engine, connection));
    authn_request::build_redirect_url(
        saml,
        SamlServiceProvider { entity_id: &entity_id, callback: &callback },
        request,
    )
}

/// Verifies a response to this request, and returns its assertion.
pub(crate) fn verify_response(
    engine: &Engine,
    connection: &ConnectionRow,
    saml: &SamlConnectionSettings,
    response: &str,
    request: &str,
) -> Result<VerifiedSamlAssertion, SamlResponseRejection> {
    if response.len() > 2 * SAML_RESPONSE_BYTES_MAX {
        return Err(InvalidXml::LimitExceeded.into());
    }
    let packed: String = response.split_ascii_whitespace().collect();
    let xml = STANDARD.decode(packed).map_err(|_| InvalidXml::Characters)?;
    let (us, callback) = (entity_id(engine, connection.id), callback_url(engine, connection.id));
    let certificates = parse_certificates(saml);
    let expected = SamlResponseExpectations {
        entity_id: connection.issuer.as_str(),
        sp_entity_id: &us,
        callback: &callback,
        request,
        settings: saml,
        external_id: connection.settings.external_id_claim.as_deref(),
        now: engine.now(),
    };
    verify_saml_response(&xml, &expected, &|method, message, signature| {
        certificates.iter().any(|certificate| certificate.verify_signature(method, message, signature))
    })
}

/// Describes the subject of a response that was rejected only because of it, for an administrator.
pub(crate) fn describe_rejected_subject(
    saml: &SamlConnectionSettings,
    response: &str,
) -> Option<SamlSubjectDescription> {
    let packed: String = response.split_ascii_whitespace().collect();
    let (xml, certificates) = (STANDARD.decode(packed).ok()?, parse_certificates(saml));
    describe_subject(&xml, &|method, message, signature| {
        certificates.iter().any(|certificate| certificate.verify_signature(method, message, signature))
    })
}

/// Parses the configured certificates, which were validated when they were saved.
pub fn parse_certificates(saml: &SamlConnectionSettings) -> Vec<SamlSigningCertificate> {
    saml.certificates.iter().filter_map(|pem| SamlSigningCertificate::parse_pem(pem).ok()).collect()
}

/// Finds errors of the settings that depend on this instance, under their location.
pub(crate) fn find_faults(engine: &Engine, saml: &SamlConnectionSettings) -> ValidationErrors {
    let mut errors = ValidationErrors::default();
    if !saml.allows_sso_url(insecure_provider_policy(engine)) {
        errors.add(
            "/sso_url",
            "must be an https URL; http is allowed only for a provider on this machine in development mode",
        );
    }
    for (index, pem) in saml.certificates.iter().enumerate() {
        if let Err(certificate) = SamlSigningCertificate::parse_pem(pem) {
            errors.add(format!("/certificates/{index}"), certificate.to_string());
        }
    }
    errors
}
