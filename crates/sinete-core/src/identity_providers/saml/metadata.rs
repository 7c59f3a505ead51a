//! What a provider says about itself (SAML Metadata §2.4.3), as whoever sets it up hands it in.

use super::{DS, METADATA, REDIRECT, SAMLP, parse_date_time};
use crate::limits::SAML_METADATA_BYTES_MAX;
use crate::time::Timestamp;
use crate::xml::{InvalidXml, XmlDocument, XmlNode};

/// A provider, by its own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SamlProviderMetadata {
    /// Who it is.
    pub entity_id: String,
    /// Where people are sent to sign in.
    pub sso_url: String,
    /// The certificates whose keys verify what it signs, in PEM.
    pub certificates: Vec<String>,
}

/// The text does not describe a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSamlMetadata {
    /// It is not read at all.
    #[error("this cannot be read: {0}")]
    NotXml(#[from] InvalidXml),
    /// It is of something else.
    #[error("this is no EntityDescriptor with one IDPSSODescriptor for SAML 2.0")]
    NotAProvider,
    /// It counts no longer.
    #[error("its validUntil is over: fetch it again")]
    Over,
    /// Nobody can be sent there by the way of an address.
    #[error("it has no SingleSignOnService for HTTP-Redirect")]
    NoAddress,
    /// It signs with nothing.
    #[error("it has no certificate to sign with")]
    NoCertificate,
}

impl SamlProviderMetadata {
    /// The provider that a text describes.
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
            return Err(InvalidSamlMetadata::Over);
        }
        let entity_id = entity.attribute("entityID").ok_or(InvalidSamlMetadata::NotAProvider)?;
        let mut services = provider.children_named(METADATA, "SingleSignOnService");
        let service = services.find(|service| service.attribute("Binding") == Some(REDIRECT));
        let sso_url =
            service.and_then(|it| it.attribute("Location")).ok_or(InvalidSamlMetadata::NoAddress)?;
        let certificates = certificates(provider);
        if certificates.is_empty() {
            return Err(InvalidSamlMetadata::NoCertificate);
        }
        Ok(Self { entity_id: entity_id.to_owned(), sso_url: sso_url.to_owned(), certificates })
    }
}

/// The certificates that it signs with, each once.
fn certificates(provider: XmlNode<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let keys = provider.children_named(METADATA, "KeyDescriptor");
    for key in keys.filter(|key| key.attribute("use").is_none_or(|used| used == "signing")) {
        let infos = key.children_named(DS, "KeyInfo");
        let data = infos.flat_map(|info| info.children_named(DS, "X509Data"));
        for text in data.flat_map(|data| data.children_named(DS, "X509Certificate")).filter_map(XmlNode::text)
        {
            let packed: String = text.split_ascii_whitespace().collect();
            let pem = pem(&packed);
            if !packed.is_empty() && !found.contains(&pem) {
                found.push(pem);
            }
        }
    }
    found
}

/// A certificate in base64 as PEM. Whether it is one is for whoever can read it.
fn pem(packed: &str) -> String {
    let letters: Vec<char> = packed.chars().collect();
    let lines: Vec<String> = letters.chunks(64).map(|line| line.iter().collect()).collect();
    format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", lines.join("\n"))
}
