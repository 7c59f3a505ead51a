//! What a request shows, and what it takes.

use crate::refused::Scheme;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName};
use std::borrow::Cow;

/// What a request shows.
#[derive(Clone, Default)]
pub struct Shown<'a> {
    /// Its method.
    pub method: &'a str,
    /// Its path, with its query or without.
    pub path: &'a str,
    /// The header `Authorization`. Two of them are written as one, with a comma, and count for nothing.
    pub authorization: Option<Cow<'a, str>>,
    /// The header `DPoP`, likewise.
    pub dpop: Option<Cow<'a, str>>,
    /// The SHA-256 of the certificate that the connection showed, in base64url.
    pub certificate: Option<&'a str>,
}

/// Says nothing of the token and the proof, so that neither gets into a log.
impl std::fmt::Debug for Shown<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = self.path.split('?').next().unwrap_or_default();
        formatter
            .debug_struct("Shown")
            .field("method", &self.method)
            .field("path", &path)
            .finish_non_exhaustive()
    }
}

/// What a request takes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Needs<'a> {
    /// Every one of these permissions.
    pub scopes: &'a [&'a str],
    /// The organization that the token must speak for.
    pub organization: Option<&'a str>,
}

impl<'a> Shown<'a> {
    /// What a request with these headers shows. A certificate that the connection showed is yours to add.
    pub fn by(method: &'a str, path: &'a str, headers: &'a HeaderMap) -> Self {
        let dpop = HeaderName::from_static("dpop");
        Self {
            method,
            path,
            authorization: header(headers, &AUTHORIZATION),
            dpop: header(headers, &dpop),
            certificate: None,
        }
    }

    /// The token, and what it is shown as.
    pub(super) fn credential(&self) -> Option<(Scheme, &str)> {
        let header = self.authorization.as_deref()?;
        let (scheme, token) = header.split_once(' ').unwrap_or((header, ""));
        let scheme = match scheme {
            bearer if bearer.eq_ignore_ascii_case("bearer") => Scheme::Bearer,
            dpop if dpop.eq_ignore_ascii_case("dpop") => Scheme::Dpop,
            _ => return None,
        };
        Some((scheme, token.trim()))
    }
}

/// A header as one text. What is no text is nothing that could count.
fn header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<Cow<'a, str>> {
    let mut values = headers.get_all(name).iter().map(|value| value.to_str().unwrap_or_default());
    let first = values.next()?;
    let rest: Vec<_> = values.collect();
    if rest.is_empty() {
        return Some(Cow::Borrowed(first));
    }
    Some(Cow::Owned([&[first], &rest[..]].concat().join(", ")))
}
