//! The credentials of a request, and what it requires.

use crate::request_rejected::AuthScheme;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName};
use std::borrow::Cow;

/// The credentials of a request.
#[derive(Clone, Default)]
pub struct RequestCredentials<'a> {
    /// The method.
    pub method: &'a str,
    /// The path, with or without the query.
    pub path: &'a str,
    /// The header `Authorization`. Several are joined with a comma, and are rejected.
    pub authorization: Option<Cow<'a, str>>,
    /// The header `DPoP`. Several are joined likewise.
    pub dpop: Option<Cow<'a, str>>,
    /// The SHA-256 thumbprint of the client certificate, in base64url.
    pub certificate_thumbprint: Option<&'a str>,
}

/// Hides the token and the proof, so that they are not logged.
impl std::fmt::Debug for RequestCredentials<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = self.path.split('?').next().unwrap_or_default();
        formatter
            .debug_struct("RequestCredentials")
            .field("method", &self.method)
            .field("path", &path)
            .finish_non_exhaustive()
    }
}

/// What a request requires.
#[derive(Clone, Copy, Debug, Default)]
pub struct AccessRequirements<'a> {
    /// All of these permissions.
    pub scopes: &'a [&'a str],
    /// The organization that the token must be for.
    pub organization: Option<&'a str>,
}

impl<'a> RequestCredentials<'a> {
    /// Reads the credentials of a request. Set `certificate_thumbprint` yourself.
    pub fn from_request(method: &'a str, path: &'a str, headers: &'a HeaderMap) -> Self {
        let dpop = HeaderName::from_static("dpop");
        Self {
            method,
            path,
            authorization: joined_header(headers, &AUTHORIZATION),
            dpop: joined_header(headers, &dpop),
            certificate_thumbprint: None,
        }
    }

    /// Splits `Authorization` into its scheme and token.
    pub(super) fn parse_authorization(&self) -> Option<(AuthScheme, &str)> {
        let header = self.authorization.as_deref()?;
        let (scheme, token) = header.split_once(' ').unwrap_or((header, ""));
        let scheme = match scheme {
            bearer if bearer.eq_ignore_ascii_case("bearer") => AuthScheme::Bearer,
            dpop if dpop.eq_ignore_ascii_case("dpop") => AuthScheme::Dpop,
            _ => return None,
        };
        Some((scheme, token.trim()))
    }
}

/// All values of a header in one string. A value that is not a string becomes empty.
fn joined_header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<Cow<'a, str>> {
    let mut values = headers.get_all(name).iter().map(|value| value.to_str().unwrap_or_default());
    let first = values.next()?;
    let rest: Vec<_> = values.collect();
    if rest.is_empty() {
        return Some(Cow::Borrowed(first));
    }
    Some(Cow::Owned([&[first], &rest[..]].concat().join(", ")))
}
