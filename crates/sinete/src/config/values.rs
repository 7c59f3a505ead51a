//! The types of parsed configuration values.

use sinete_core::platform::signing_keys::SigningAlgorithm;
use std::fmt;
use std::path::PathBuf;
use url::Url;
use zeroize::Zeroizing;

/// The mode of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfiguredMode {
    /// Development on one's own machine.
    Development,
    /// Production.
    Production,
}

impl fmt::Display for ConfiguredMode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Development => "development",
            Self::Production => "production",
        })
    }
}

/// The public base URL of this instance: the issuer, without a trailing slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl(String);

impl BaseUrl {
    /// Parses a base URL. Host names are normalized, so that an issuer has one spelling.
    pub fn parse(text: &str) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|error| format!("{text:?} is not an address: {error}"))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(format!("{text:?} is neither an http nor an https address"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("must not contain a user name or a password".to_owned());
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(format!("{text:?} must not have a query or a fragment"));
        }
        if url.path().contains(['%', ';']) || url.path().contains("//") {
            return Err(format!("{text:?} must have a plain path"));
        }
        Ok(Self(url.as_str().trim_end_matches('/').to_owned()))
    }

    /// The base URL of a development instance on this machine.
    pub fn localhost(port: u16) -> Self {
        Self(format!("http://localhost:{port}"))
    }

    /// The issuer, byte for byte as in tokens.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the scheme is https.
    pub fn is_https(&self) -> bool {
        self.0.starts_with("https://")
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// A mail server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailServer {
    /// The host name or address.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The connection security.
    pub security: MailSecurity,
}

/// The connection security of a mail server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailSecurity {
    /// STARTTLS, required.
    StartTls,
    /// TLS from the first byte.
    Tls,
    /// Unencrypted.
    Plain,
}

impl MailServer {
    /// Parses a mail server. An error does not repeat the text, because it may contain a password.
    pub fn parse(text: &str) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|error| format!("{text:?} is not an address: {error}"))?;
        let (security, port) = match url.scheme() {
            "smtp" => (MailSecurity::StartTls, 587),
            "smtps" => (MailSecurity::Tls, 465),
            "smtp-plain" => (MailSecurity::Plain, 25),
            _ => return Err("begins with none of smtp://, smtps:// and smtp-plain://".to_owned()),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err("must not contain a user name or a password".to_owned());
        }
        let host = url.host_str().filter(|host| !host.is_empty());
        let host = host.ok_or_else(|| format!("{text:?} names no host"))?.trim_matches(['[', ']']).to_owned();
        if !url.path().trim_matches('/').is_empty() || url.query().is_some() || url.fragment().is_some() {
            return Err(format!("{text:?} has more than a host and a port"));
        }
        Ok(Self { host, port: url.port().unwrap_or(port), security })
    }
}

/// Whether the host is this machine, regardless of name resolution.
pub fn is_loopback_host(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// A text that is never printed and is erased from memory on drop.
#[derive(Clone, PartialEq, Eq)]
pub struct MaskedText(Zeroizing<String>);

impl MaskedText {
    /// Wraps a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    /// The text.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for MaskedText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("…")
    }
}

/// A signing key file, with its algorithm if given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyFile {
    /// The algorithm, for a key type that fits two.
    pub algorithm: Option<SigningAlgorithm>,
    /// The file.
    pub path: PathBuf,
}

/// The log format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// Text for users.
    Text,
    /// JSON: one object per line.
    Json,
}

impl fmt::Display for LogFormat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Text => "text",
            Self::Json => "json",
        })
    }
}

/// A log filter: a level, and other levels for parts of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFilter(String);

impl LogFilter {
    /// Parses a filter. Stricter than the library, which would take a mistyped level for a module name.
    pub fn parse(text: &str) -> Result<Self, String> {
        for item in text.split(',') {
            let level = item.split_once('=').map_or(item, |(_, level)| level).trim();
            let is_known_level = ["off", "error", "warn", "info", "debug", "trace"].contains(&level);
            let part = item.split_once('=').map_or("sinete", |(part, _)| part.trim());
            let is_valid_part =
                !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "_:".contains(c));
            if !is_known_level || !is_valid_part {
                return Err(format!("{item:?} is no level"));
            }
        }
        Ok(Self(text.split_whitespace().collect()))
    }

    /// The filter as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issuer_has_no_trailing_slash_and_is_normalized() {
        for (input, issuer) in [
            ("https://ID.example.com/", "https://id.example.com"),
            ("https://id.example.com:443", "https://id.example.com"),
            ("http://localhost:8080", "http://localhost:8080"),
            ("https://example.com/id/", "https://example.com/id"),
        ] {
            assert_eq!(BaseUrl::parse(input).unwrap().as_str(), issuer);
        }
        for wrong in
            ["", "localhost:8080", "ftp://x", "https://", "https://a/?b", "https://a/#b", "https://u:p@a"]
        {
            assert!(BaseUrl::parse(wrong).is_err(), "{wrong}");
        }
        assert!(!BaseUrl::parse("https://user:hunter2@a").unwrap_err().contains("hunter2"));
    }

    #[test]
    fn smtp_url_is_a_host_and_a_port_only() {
        let server = |text| MailServer::parse(text).map(|it| (it.host, it.port, it.security));
        let mail = "mail.example.com".to_owned();
        assert_eq!(server("smtp://mail.example.com"), Ok((mail.clone(), 587, MailSecurity::StartTls)));
        assert_eq!(server("smtps://mail.example.com:2465"), Ok((mail, 2465, MailSecurity::Tls)));
        assert_eq!(server("smtp-plain://[::1]:1025/"), Ok(("::1".to_owned(), 1025, MailSecurity::Plain)));
        for wrong in
            ["", "mail.example.com", "http://x", "smtp://", "smtp://h/path", "smtp://h?x", "smtp://u:p@h"]
        {
            assert!(server(wrong).is_err(), "{wrong}");
        }
        assert!(!server("smtp://user:hunter2@h").unwrap_err().contains("hunter2"));
        assert!(is_loopback_host("localhost") && is_loopback_host("127.0.0.9") && is_loopback_host("[::1]"));
        assert!(!is_loopback_host("localhost.example.com") && !is_loopback_host("10.0.0.1"));
    }

    #[test]
    fn invalid_log_level_is_refused() {
        for valid_filter in ["info", "warn,sinete_http=debug", "info, sinete_store::driver=trace", "off"] {
            assert!(LogFilter::parse(valid_filter).is_ok(), "{valid_filter}");
        }
        for wrong in ["", "infoo", "info,", "sinete=loud", "=info", "info,[span]=debug"] {
            assert!(LogFilter::parse(wrong).is_err(), "{wrong}");
        }
    }
}
