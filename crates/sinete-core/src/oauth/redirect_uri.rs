//! Redirect URIs: registered in advance and compared byte for byte.

mod private_use_scheme;

use crate::json_schema::impl_value_schema;
use crate::validation::ValidationErrors;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use url::{Url, form_urlencoded};

/// The maximum length of a redirect URI, in bytes.
pub const REDIRECT_URI_BYTES_MAX: usize = 2 * 1024;
/// How much of a submitted URI an error message repeats, in bytes.
const QUOTED_URI_BYTES_MAX: usize = 120;

/// A registered redirect URI.
///
/// https anywhere, plain http on a loopback host, or a private-use scheme with a dot or an authority
/// (docs/contribute/decisions/0273-redirect-uris-private-use-schemes-with-an-authority.md). No fragment, no
/// credentials, no wildcard.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RedirectUri(Box<str>);

impl_value_schema!(RedirectUri, {
    "type": "string", "minLength": 1, "maxLength": REDIRECT_URI_BYTES_MAX,
});

/// A redirect URI that matched a registered one. Responses are sent nowhere else.
///
/// ```
/// # use sinete_core::oauth::redirect_uri::{MatchedRedirectUri, RedirectUri};
/// fn open(registered: &[RedirectUri], requested: &str) -> Option<MatchedRedirectUri> { MatchedRedirectUri::match_registered(registered, requested) }
/// ```
/// ```compile_fail,E0423
/// # use sinete_core::oauth::redirect_uri::{MatchedRedirectUri, RedirectUri};
/// fn open(registered: &[RedirectUri], requested: &str) -> Option<MatchedRedirectUri> { Some(MatchedRedirectUri(requested.into())) }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchedRedirectUri(Box<str>);

/// Why a text cannot be registered as a redirect URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRedirectUri {
    /// It is not a normalized absolute URI.
    #[error(
        "a redirect URI is an absolute URI of at most {REDIRECT_URI_BYTES_MAX} bytes, without spaces or backslashes"
    )]
    Malformed,
    /// It has a fragment.
    #[error("a redirect URI must not have a fragment")]
    Fragment,
    /// It has a user name or password.
    #[error("a redirect URI must not contain a user name or password")]
    Credentials,
    /// The scheme is not allowed.
    #[error(
        "a redirect URI uses https, http on a loopback host, or a private-use scheme: one with a dot (com.example.app:/callback) or with an authority (app://host/callback)"
    )]
    Scheme,
    /// The host has a wildcard or a spelling that parsers disagree about, or the path has dot segments.
    #[error(
        "a redirect URI names its host plainly, in lower case and without wildcards, and its path has no dot segments"
    )]
    Host,
}

/// Parameters of authorization responses: RFC 6749 §4.1.2, RFC 9207, OpenID Connect and its session
/// management, and JARM.
const RESPONSE_PARAMETERS: [&str; 12] = [
    "access_token",
    "code",
    "error",
    "error_description",
    "error_uri",
    "expires_in",
    "id_token",
    "iss",
    "response",
    "session_state",
    "state",
    "token_type",
];

const LOOPBACK_HOSTS: [&str; 3] = ["127.0.0.1", "[::1]", "localhost"];

impl RedirectUri {
    /// The URI exactly as registered.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is a plain http URI on a loopback host.
    pub fn is_loopback(&self) -> bool {
        split_loopback_uri(&self.0).is_some()
    }

    /// Returns a query parameter that responses also carry. A client that receives it twice may read the
    /// registered value instead of ours.
    pub fn reserved_query_parameter(&self) -> Option<&'static str> {
        let (_, query) = self.0.split_once('?')?;
        let mut names = form_urlencoded::parse(query.as_bytes()).map(|(name, _)| name);
        names.find_map(|name| RESPONSE_PARAMETERS.into_iter().find(|parameter| *parameter == name))
    }

    /// Whether this registration covers the requested URI: byte for byte, except that a loopback URI
    /// registered without a port covers every port.
    fn covers(&self, requested_uri: &str) -> bool {
        if &*self.0 == requested_uri {
            return true;
        }
        let (Some((host, rest)), Some((asked_host, asked_rest))) =
            (split_loopback_uri(&self.0), split_loopback_uri(requested_uri))
        else {
            return false;
        };
        if rest.starts_with(':') || host != asked_host {
            return false;
        }
        let Some(after_colon) = asked_rest.strip_prefix(':') else { return false };
        let digits = after_colon.bytes().take_while(u8::is_ascii_digit).count();
        after_colon[..digits].parse::<u16>().is_ok_and(|port| port > 0)
            && !after_colon.starts_with('0')
            && &after_colon[digits..] == rest
    }
}

/// Splits a plain http loopback URI into its host and the rest.
fn split_loopback_uri(uri: &str) -> Option<(&'static str, &str)> {
    let after_scheme = uri.strip_prefix("http://")?;
    LOOPBACK_HOSTS.into_iter().find_map(|host| {
        let rest = after_scheme.strip_prefix(host)?;
        (rest.is_empty() || rest.starts_with([':', '/', '?'])).then_some((host, rest))
    })
}

impl MatchedRedirectUri {
    /// Returns the requested URI if a registered one covers it.
    pub fn match_registered(registered: &[RedirectUri], requested_uri: &str) -> Option<Self> {
        registered.iter().any(|uri| uri.covers(requested_uri)).then(|| Self(requested_uri.into()))
    }

    /// The URI.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What users are shown: the host, or a private-use scheme, with its authority if the scheme alone says
    /// little. The port of a loopback host is omitted, because it changes every time.
    pub fn host(&self) -> &str {
        if let Some((host, _)) = split_loopback_uri(&self.0) {
            return host;
        }
        match self.0.split_once("://") {
            Some(("https", after_scheme)) => after_scheme.split(['/', '?']).next().unwrap_or_default(),
            Some((scheme, _)) if private_use_scheme::is_unowned(scheme) => {
                let end = scheme.len() + "://".len() + extract_authority(&self.0).len();
                self.0.get(..end).unwrap_or(scheme)
            }
            Some(_) | None => self.0.split(':').next().unwrap_or_default(),
        }
    }

    /// Whether users are asked for consent each time, because any application may claim the scheme and nothing
    /// says which one receives the response (RFC 8252 §8.6).
    pub fn requires_consent_each_time(&self) -> bool {
        self.0.split_once(':').is_some_and(|(scheme, _)| private_use_scheme::is_unowned(scheme))
    }

    /// Whether the response stays on the user's machine. A remote server or an application that claims a
    /// scheme may belong to an attacker.
    pub fn is_loopback(&self) -> bool {
        let name = self.host().rsplit_once(':').map_or(self.host(), |(name, _)| name);
        let is_of_a_host = self.0.starts_with("https://") || self.0.starts_with("http://");
        is_of_a_host && (LOOPBACK_HOSTS.contains(&name) || LOOPBACK_HOSTS.contains(&self.host()))
    }
}

/// Parses a submitted redirect URI, or adds an error that names it and says why it cannot be used.
pub fn parse_submitted_uri(
    errors: &mut ValidationErrors,
    pointer: String,
    text: &str,
) -> Option<RedirectUri> {
    text.parse()
        .map_err(|redirect_uri| {
            errors.add(pointer, format!("{} cannot be used: {redirect_uri}", quote_uri(text)))
        })
        .ok()
}

/// The start of a submitted URI for an error message: URI characters only, others percent-encoded.
pub(super) fn quote_uri(text: &str) -> String {
    format!("`{}`", shorten_uri(text))
}

/// The start of a submitted URI for an error: bounded, and percent-encoded where it is no URI.
pub fn shorten_uri(text: &str) -> String {
    let mut quoted = String::new();
    for byte in text.bytes().take(QUOTED_URI_BYTES_MAX) {
        match is_uri_byte(byte) {
            true => quoted.push(char::from(byte)),
            false => quoted.push_str(&format!("%{byte:02X}")),
        }
    }
    quoted.push_str(if text.len() > QUOTED_URI_BYTES_MAX { "..." } else { "" });
    quoted
}

/// Whether RFC 3986 §2 allows the byte: unreserved, reserved and percent-encoded characters.
fn is_uri_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte)
}

impl FromStr for RedirectUri {
    type Err = InvalidRedirectUri;

    fn from_str(text: &str) -> Result<Self, InvalidRedirectUri> {
        if text.len() > REDIRECT_URI_BYTES_MAX || !text.bytes().all(is_uri_byte) {
            return Err(InvalidRedirectUri::Malformed);
        }
        if text.contains('#') {
            return Err(InvalidRedirectUri::Fragment);
        }
        let url = Url::parse(text).map_err(|_| InvalidRedirectUri::Malformed)?;
        if !url.username().is_empty() || url.password().is_some() || extract_authority(text).contains('@') {
            return Err(InvalidRedirectUri::Credentials);
        }
        match url.scheme() {
            "https" => check_plain_host(text, "https://", &url)?,
            "http" if split_loopback_uri(text).is_some() => check_plain_host(text, "http://", &url)?,
            // RFC 8252 §7.1: a private-use scheme is a reversed domain name.
            scheme if scheme.contains('.') && text.starts_with(scheme) => {}
            scheme => private_use_scheme::check_scheme_with_authority(scheme, text)?,
        }
        Ok(Self(text.into()))
    }
}

/// The authority component.
fn extract_authority(text: &str) -> &str {
    let Some((_, after_scheme)) = text.split_once("//") else { return "" };
    after_scheme.split(['/', '?']).next().unwrap_or("")
}

/// Rejects a host that parsers read differently: our check and the browser must agree on the host.
fn check_plain_host(text: &str, scheme: &str, url: &Url) -> Result<(), InvalidRedirectUri> {
    let authority =
        text.strip_prefix(scheme).map(|_| extract_authority(text)).ok_or(InvalidRedirectUri::Scheme)?;
    let spelled = match url.port() {
        Some(port) => format!("{}:{port}", url.host_str().unwrap_or("")),
        None => url.host_str().unwrap_or("").to_owned(),
    };
    let odd =
        authority.is_empty() || authority.contains('*') || authority.ends_with('.') || authority != spelled;
    if odd || has_dot_segments(text) { Err(InvalidRedirectUri::Host) } else { Ok(()) }
}

/// Whether the path of a URI with an authority has dot segments, which parsers resolve differently.
fn has_dot_segments(text: &str) -> bool {
    let Some((_, after_scheme)) = text.split_once("//") else { return false };
    let path = after_scheme.strip_prefix(extract_authority(text)).unwrap_or("");
    let path = path.split('?').next().unwrap_or("").to_ascii_lowercase().replace("%2e", ".");
    path.split('/').any(|segment| matches!(segment.split(';').next(), Some("." | "..")))
}

impl TryFrom<String> for RedirectUri {
    type Error = InvalidRedirectUri;
    fn try_from(text: String) -> Result<Self, InvalidRedirectUri> {
        text.parse()
    }
}
impl From<RedirectUri> for String {
    fn from(uri: RedirectUri) -> Self {
        uri.0.into()
    }
}
impl fmt::Display for RedirectUri {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests;
