//! Client identifiers and client kinds.

use crate::entropy::Entropy;
use crate::id::Id;
use crate::limits::{CLIENT_DOCUMENT_URL_BYTES_MAX, CLIENT_ID_CHARACTERS_MAX};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use url::{Host, Url};

/// A `client_id`: a UUID that we generated, a name that an operator chose in a file, or the https URL of a client
/// metadata document.
///
/// A chosen name looks neither like a UUID nor like a URL, so the three kinds never collide.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct ClientId(Arc<str>);

enum MintedClientIdKind {}

impl ClientId {
    /// Generates an id for a client that registered itself or was created without a chosen name.
    pub fn mint(now: Timestamp, entropy: &dyn Entropy) -> Self {
        Self(Id::<MintedClientIdKind>::mint(now, entropy).to_string().into())
    }

    /// Parses a chosen name.
    pub fn from_chosen_name(name: &str) -> Result<Self, InvalidClientId> {
        let id = Self::from_str(name)?;
        if id.is_minted() || id.is_document_url() { Err(InvalidClientId) } else { Ok(id) }
    }

    /// Whether the id is the URL of a client metadata document.
    pub fn is_document_url(&self) -> bool {
        self.0.starts_with(DOCUMENT_SCHEME)
    }

    /// The host of the client metadata document, with the port if there is one.
    pub fn document_authority(&self) -> Option<&str> {
        self.0.strip_prefix(DOCUMENT_SCHEME)?.split('/').next()
    }

    /// The host of the client metadata document, without the port.
    pub fn document_host(&self) -> Option<&str> {
        self.document_authority()?.split(':').next()
    }

    /// Whether we generated the id.
    pub fn is_minted(&self) -> bool {
        Id::<MintedClientIdKind>::from_str(&self.0).is_ok()
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The kind of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientKind {
    /// An application with users.
    Application,
    /// A service that acts for itself.
    Service,
    /// An AI agent that acts for users or for itself, under an owner.
    Agent,
}

impl ClientKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Application, Self::Service, Self::Agent];

    /// The kind, as stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Application => "application",
            Self::Service => "service",
            Self::Agent => "agent",
        }
    }
}

/// The scheme of client metadata documents.
const DOCUMENT_SCHEME: &str = "https://";

/// Whether the text can be the URL of a client metadata document, in the one spelling that every parser reads
/// alike: a host name, a path, and neither credentials nor a fragment nor dot segments.
fn is_document_url(text: &str) -> bool {
    text.starts_with(DOCUMENT_SCHEME) && describe_document_url_fault(text).is_none()
}

/// Why a text that begins like the URL of a client metadata document cannot be one; `None` if it can, and for every
/// other text.
pub fn describe_document_url_fault(text: &str) -> Option<&'static str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?!$&'()*+,;=%@".contains(&byte);
    let rest = text.strip_prefix(DOCUMENT_SCHEME)?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default().split(':').next().unwrap_or_default();
    let lower = rest.split('?').next().unwrap_or_default().to_ascii_lowercase().replace("%2e", ".");
    let climbs = lower.split('/').any(|segment| matches!(segment, "." | ".."));
    if text.len() > CLIENT_DOCUMENT_URL_BYTES_MAX {
        return Some("its URL is too long");
    }
    if text.contains('#') {
        return Some("its URL has a fragment");
    }
    if authority.contains('@') {
        return Some("its URL has credentials");
    }
    if !rest.strip_prefix(authority).is_some_and(|path| path.starts_with('/')) {
        return Some("its URL has no path");
    }
    let url = Url::parse(text).ok();
    if matches!(url.as_ref().and_then(Url::host), Some(Host::Ipv4(_) | Host::Ipv6(_))) {
        return Some("the host of its URL is an IP address and not a name");
    }
    if !host.trim_end_matches('.').contains('.') {
        return Some("the host of its URL has no dot, so it is no public name");
    }
    if climbs {
        return Some("its URL has dot segments");
    }
    // The parser normalizes, so an equal text was normal.
    let is_normal =
        url.is_some_and(|url| url.as_str() == text && matches!(url.host(), Some(Host::Domain(_))));
    if !text.bytes().all(is_plain) || authority.contains('%') || host.ends_with('.') || !is_normal {
        return Some("its URL is not in its normal spelling");
    }
    None
}

/// The text is not a valid client id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a client id is 1 to {CLIENT_ID_CHARACTERS_MAX} letters, digits, '-', '_' or '.', or the https URL of a client metadata document; a chosen one must not look like a UUID"
)]
pub struct InvalidClientId;

impl FromStr for ClientId {
    type Err = InvalidClientId;

    fn from_str(text: &str) -> Result<Self, InvalidClientId> {
        if is_document_url(text) {
            return Ok(Self(text.into()));
        }
        let fits = (1..=CLIENT_ID_CHARACTERS_MAX).contains(&text.len());
        let plain = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.');
        // Ids are lower case. A text that becomes an id in lower case would be a second spelling of it.
        let is_respelt = || {
            text.bytes().any(|c| c.is_ascii_uppercase())
                && Id::<MintedClientIdKind>::from_str(&text.to_ascii_lowercase()).is_ok()
        };
        if !fits || !text.bytes().all(plain) || is_respelt() {
            return Err(InvalidClientId);
        }
        Ok(Self(text.into()))
    }
}

impl TryFrom<String> for ClientId {
    type Error = InvalidClientId;
    fn try_from(text: String) -> Result<Self, InvalidClientId> {
        text.parse()
    }
}
impl Serialize for ClientId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}
impl From<ClientId> for String {
    fn from(id: ClientId) -> Self {
        id.as_str().to_owned()
    }
}
impl fmt::Display for ClientId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}
impl fmt::Debug for ClientId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "client {}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::DangerouslySeededEntropy;

    #[test]
    fn client_id_generated_and_chosen_cannot_be_confused() {
        let minted = ClientId::mint(Timestamp::from_seconds(9), &DangerouslySeededEntropy::new(4));
        assert!(minted.is_minted());
        assert_eq!(minted.as_str().parse(), Ok(minted.clone()));
        assert_eq!(ClientId::from_chosen_name(minted.as_str()), Err(InvalidClientId));
        assert!(!ClientId::from_chosen_name("billing-portal").unwrap().is_minted());
    }

    #[test]
    fn client_id_that_is_a_document_url_has_one_spelling() {
        let long = format!("https://a.example/{}", "x".repeat(600));
        for text in [
            "https://a.example/client",
            "https://a.example:8443/c.json",
            "https://a.example/",
            "https://a.example/c?v=1",
        ] {
            let id: ClientId = text.parse().unwrap();
            assert!(id.is_document_url() && !id.is_minted(), "{text}");
            assert_eq!(id.document_host(), Some("a.example"));
            assert_eq!(ClientId::from_chosen_name(text), Err(InvalidClientId));
        }
        assert_eq!("billing".parse::<ClientId>().unwrap().document_host(), None);
        for text in [
            "https://a.example",
            "http://a.example/client",
            "HTTPS://a.example/client",
            "https://A.example/client",
            "https://a.example:443/client",
            "https://a.example./client",
            "https://me@a.example/client",
            "https://a.example/client#x",
            "https://a.example/../client",
            "https://a.example/%2e%2E/client",
            "https://a.example/./client",
            "https://127.0.0.1/client",
            "https://[::1]/client",
            "https://0x7f.1/client",
            "https://localhost/client",
            "https://a.example\\client",
            "https://a.example/cl ient",
            "https:///client",
            "https://",
            "javascript:x",
            long.as_str(),
        ] {
            assert!(text.parse::<ClientId>().is_err(), "{text}");
        }
    }

    #[test]
    fn client_id_that_begins_like_a_document_url_is_refused_with_its_error() {
        let long = format!("https://a.example/{}", "x".repeat(600));
        for (text, fault) in [
            ("https://localhost/client", "no dot"),
            ("https://localhost:8443/client", "no dot"),
            ("https://intranet./client", "no dot"),
            ("https://127.0.0.1/client", "IP address"),
            ("https://[::1]/client", "IP address"),
            ("https://a.example", "no path"),
            ("https://a.example?client", "no path"),
            ("https://me@a.example/client", "credentials"),
            ("https://a.example/client#x", "fragment"),
            ("https://a.example/../client", "dot segments"),
            ("https://A.example/client", "normal spelling"),
            ("https://a.example:443/client", "normal spelling"),
            ("https://a.example./client", "normal spelling"),
            (long.as_str(), "too long"),
        ] {
            let description = describe_document_url_fault(text).unwrap();
            assert!(description.contains(fault), "{text}: {description}");
        }
        for text in ["https://a.example/client", "billing", "http://localhost/client", ""] {
            assert_eq!(describe_document_url_fault(text), None, "{text}");
        }
    }

    #[test]
    fn client_id_with_ambiguous_characters_is_refused() {
        for text in ["", "a b", "a/b", "https://a.example", "é", "01936F5E-7C2A-7DEF-8A1B-2C3D4E5F6071"] {
            assert!(text.parse::<ClientId>().is_err(), "{text}");
        }
        assert!("x".repeat(101).parse::<ClientId>().is_err());
    }
}
