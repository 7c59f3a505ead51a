//! The metadata of an identity provider (SAML Metadata §2.4.3), as uploaded by an administrator.

use super::{DS, METADATA, REDIRECT, SAMLP, parse_date_time};
use crate::identity_providers::connections::InsecureProviderPolicy;
use crate::identity_providers::oidc::metadata::parse_endpoint_url;
use crate::limits::{ISSUER_BYTES_MAX, SAML_METADATA_BYTES_MAX};
use crate::time::Timestamp;
use crate::xml::{InvalidXml, XmlDocument, XmlNode};

/// The metadata of an identity provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SamlProviderMetadata {
    /// The entity ID.
    pub entity_id: String,
    /// The single sign-on URL.
    pub sso_url: String,
    /// The signing certificates, in PEM.
    pub certificates: Vec<String>,
}

/// Why the metadata is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSamlMetadata {
    /// It cannot be parsed.
    #[error("the metadata cannot be parsed: {0}")]
    NotXml(#[from] InvalidXml),
    /// It does not describe an identity provider.
    #[error("this is not an EntityDescriptor with one IDPSSODescriptor for SAML 2.0")]
    NotAProvider,
    /// It has expired (`validUntil`).
    #[error("its validUntil has passed: fetch it again")]
    Expired,
    /// There is no single sign-on URL for the HTTP-Redirect binding.
    #[error("it has no SingleSignOnService for HTTP-Redirect")]
    NoSingleSignOnUrl,
    /// There is no signing certificate.
    #[error("it has no signing certificate")]
    NoCertificate,
}

/// Whether metadata may be fetched from this URL: https, or loopback for development.
pub fn is_metadata_url(text: &str, plain: InsecureProviderPolicy) -> bool {
    text.len() <= 2 * ISSUER_BYTES_MAX && parse_endpoint_url(Some(text), plain).is_some()
}

impl SamlProviderMetadata {
    /// Parses the metadata.
    pub fn parse(text: &str, now: Timestamp) -> Result<Self, InvalidSamlMetadata> {
        let document = XmlDocument::parse(text.as_bytes(), SAML_METADATA_BYTES_MAX)?;
        let entity = document.root().filter(|root| root.has_name(METADATA, "EntityDescriptor"));
        let entity = entity.ok_or(InvalidSamlMetadata::NotAProvider)?;
        let speaks = |node: &XmlNode<'_>| {
            let protocols = node.attribute("protocolSupportEnumeration").unwrap_or_default();
            protocols.split_ascii_whitespace().any(|protocol| protocol == SAMLP)
        };
        let mut roles = entity.children_named(METADATA, "IDPSSODescriptor").filter(speaks);
        let (Some(provider), None) = (roles.next(), roles.next()) else {
            return Err(InvalidSamlMetadata::NotAProvider);
        };
        let is_over = |node: XmlNode<'_>| {
            node.attribute("validUntil")
                .is_some_and(|until| parse_date_time(until).is_none_or(|until| until <= now))
        };
        if is_over(entity) || is_over(provider) {
            return Err(InvalidSamlMetadata::Expired);
        }
        let entity_id = entity.attribute("entityID").ok_or(InvalidSamlMetadata::NotAProvider)?;
        let mut services = provider.children_named(METADATA, "SingleSignOnService");
        let service = services.find(|service| service.attribute("Binding") == Some(REDIRECT));
        let sso_url =
            service.and_then(|it| it.attribute("Location")).ok_or(InvalidSamlMetadata::NoSingleSignOnUrl)?;
        let certificates = collect_certificates(provider);
        if certificates.is_empty() {
            return Err(InvalidSamlMetadata::NoCertificate);
        }
        Ok(Self { entity_id: entity_id.to_owned(), sso_url: sso_url.to_owned(), certificates })
    }
}

/// The distinct signing certificates.
fn collect_certificates(provider: XmlNode<'_>) -> Vec<String> {
    let mut certificates = Vec::new();
    let keys = provider.children_named(METADATA, "KeyDescriptor");
    for key in keys.filter(|key| key.attribute("use").is_none_or(|used| used == "signing")) {
        let infos = key.children_named(DS, "KeyInfo");
        let data = infos.flat_map(|info| info.children_named(DS, "X509Data"));
        for text in data.flat_map(|data| data.children_named(DS, "X509Certificate")).filter_map(XmlNode::text)
        {
            let packed: String = text.split_ascii_whitespace().collect();
            let pem = format_pem(&packed);
            if !packed.is_empty() && !certificates.contains(&pem) {
                certificates.push(pem);
            }
        }
    }
    certificates
}

/// Formats a base64 certificate as PEM, without checking that it is one.
fn format_pem(packed: &str) -> String {
    let characters: Vec<char> = packed.chars().collect();
    let lines: Vec<String> = characters.chunks(64).map(|line| line.iter().collect()).collect();
    format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", lines.join("\n"))
}
