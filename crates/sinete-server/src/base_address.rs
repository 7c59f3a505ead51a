//! The configured base URL. All links and the issuer are derived from it; host, scheme and port of a request
//! are never used instead.

use axum::http::Uri;

/// The issuer: scheme, host, optional port and path, without a trailing slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseAddress {
    issuer: String,
    path_start: usize,
}

/// The text is not a valid base URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the base URL must look like https://id.example.org: http or https, a host, and no query or fragment"
)]
pub struct InvalidBaseAddress;

impl BaseAddress {
    /// Parses a base URL; one trailing slash is removed.
    pub fn parse(text: &str) -> Result<Self, InvalidBaseAddress> {
        let issuer = text.strip_suffix('/').unwrap_or(text);
        let uri: Uri = issuer.parse().map_err(|_| InvalidBaseAddress)?;
        let scheme = uri.scheme_str().filter(|scheme| matches!(*scheme, "http" | "https"));
        let scheme = scheme.ok_or(InvalidBaseAddress)?;
        let authority = uri.authority().ok_or(InvalidBaseAddress)?;
        let path_start = scheme.len() + "://".len() + authority.as_str().len();
        let plain = uri.query().is_none()
            && !issuer.contains(['#', '%'])
            && !issuer.ends_with('/')
            && !authority.host().is_empty()
            && !authority.as_str().contains('@')
            && issuer.is_char_boundary(path_start);
        if plain { Ok(Self { issuer: issuer.to_owned(), path_start }) } else { Err(InvalidBaseAddress) }
    }

    /// The issuer, as in tokens and metadata.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The base path: empty at the root of a host, else `/such/a/path`.
    pub fn path(&self) -> &str {
        &self.issuer[self.path_start..]
    }

    /// The origin: scheme, host and port.
    pub fn origin(&self) -> &str {
        &self.issuer[..self.path_start]
    }

    /// Whether the scheme is https.
    pub fn is_secure(&self) -> bool {
        self.issuer.starts_with("https://")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_url_yields_issuer_path_and_scheme() {
        for (text, issuer, path, secure) in [
            ("https://id.example.org", "https://id.example.org", "", true),
            ("https://id.example.org/", "https://id.example.org", "", true),
            ("http://localhost:8080", "http://localhost:8080", "", false),
            ("https://[::1]:8443/id", "https://[::1]:8443/id", "/id", true),
            ("https://example.org/a/b/", "https://example.org/a/b", "/a/b", true),
        ] {
            let address = BaseAddress::parse(text).unwrap();
            assert_eq!((address.issuer(), address.path(), address.is_secure()), (issuer, path, secure));
            assert_eq!(format!("{}{path}", address.origin()), issuer);
        }
    }

    #[test]
    fn base_url_with_invalid_syntax_is_refused() {
        for text in [
            "",
            "/",
            "localhost:8080",
            "ftp://example.org",
            "https://",
            "https:///path",
            "https://example.org?x=1",
            "https://example.org#x",
            "https://user@example.org",
            "https://example.org//",
            "https://example.org/%2e",
            "https://exa mple.org",
        ] {
            assert_eq!(BaseAddress::parse(text), Err(InvalidBaseAddress), "{text}");
        }
    }
}
