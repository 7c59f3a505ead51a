//! Redirect URIs: registered in advance and compared byte for byte.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use url::{Url, form_urlencoded};

/// The maximum length of a redirect URI, in bytes.
pub const REDIRECT_URI_BYTES_MAX: usize = 2 * 1024;

/// A registered redirect URI.
///
/// https anywhere, plain http on a loopback host, or a private-use scheme with a dot. No fragment, no
/// credentials, no wildcard.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RedirectUri(Box<str>);

/// A redirect URI that matched a registered one. Responses are sent nowhere else.
///
/// ```
/// # use sinete_core::oauth::redirect_uri::{MatchedRedirectUri, RedirectUri};
/// fn open(registered: &[RedirectUri], asked: &str) -> Option<MatchedRedirectUri> { MatchedRedirectUri::match_registered(registered, asked) }
/// ```
/// ```compile_fail,E0423
/// # use sinete_core::oauth::redirect_uri::{MatchedRedirectUri, RedirectUri};
/// fn open(registered: &[RedirectUri], asked: &str) -> Option<MatchedRedirectUri> { Some(MatchedRedirectUri(asked.into())) }
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
    #[error("a redirect URI has no fragment")]
    Fragment,
    /// It has a user name or password.
    #[error("a redirect URI has no user name or password")]
    Credentials,
    /// The scheme is not allowed.
    #[error(
        "a redirect URI uses https, http on a loopback host, or a private scheme with a dot such as com.example.app"
    )]
    Scheme,
    /// The host has a wildcard or a spelling that parsers disagree about.
    #[error("a redirect URI names its host plainly, in lower case and without wildcards")]
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
        loopback_rest(&self.0).is_some()
    }

    /// Returns a query parameter that responses also carry. A client that receives it twice may read the
    /// registered value instead of ours.
    pub fn reserved_query_parameter(&self) -> Option<&'static str> {
        let (_, query) = self.0.split_once('?')?;
        let mut names = form_urlencoded::parse(query.as_bytes()).map(|(name, _)| name);
        names.find_map(|name| RESPONSE_PARAMETERS.into_iter().find(|known| *known == name))
    }

    /// Whether this registration covers the requested URI: byte for byte, except that a loopback URI
    /// registered without a port covers every port.
    fn covers(&self, asked: &str) -> bool {
        if &*self.0 == asked {
            return true;
        }
        let (Some((host, rest)), Some((asked_host, asked_rest))) =
            (loopback_rest(&self.0), loopback_rest(asked))
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
fn loopback_rest(uri: &str) -> Option<(&'static str, &str)> {
    let behind = uri.strip_prefix("http://")?;
    LOOPBACK_HOSTS.into_iter().find_map(|host| {
        let rest = behind.strip_prefix(host)?;
        (rest.is_empty() || rest.starts_with([':', '/', '?'])).then_some((host, rest))
    })
}

impl MatchedRedirectUri {
    /// Returns the requested URI if a registered one covers it.
    pub fn match_registered(registered: &[RedirectUri], asked: &str) -> Option<Self> {
        registered.iter().any(|uri| uri.covers(asked)).then(|| Self(asked.into()))
    }

    /// The URI.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What users are shown: the host, or a private-use scheme. The port of a loopback host is omitted,
    /// because it changes every time.
    pub fn host(&self) -> &str {
        if let Some((host, _)) = loopback_rest(&self.0) {
            return host;
        }
        match self.0.split_once("://") {
            Some(("https", behind)) => behind.split(['/', '?']).next().unwrap_or_default(),
            Some(_) | None => self.0.split(':').next().unwrap_or_default(),
        }
    }

    /// Whether the response stays on the user's machine. A remote server or an application that claims a
    /// scheme may belong to an attacker.
    pub fn is_loopback(&self) -> bool {
        let name = self.host().rsplit_once(':').map_or(self.host(), |(name, _)| name);
        let is_of_a_host = self.0.starts_with("https://") || self.0.starts_with("http://");
        is_of_a_host && (LOOPBACK_HOSTS.contains(&name) || LOOPBACK_HOSTS.contains(&self.host()))
    }
}

impl FromStr for RedirectUri {
    type Err = InvalidRedirectUri;

    fn from_str(text: &str) -> Result<Self, InvalidRedirectUri> {
        // RFC 3986 §2: only unreserved, reserved and percent-encoded characters are allowed.
        let allowed = |b: u8| b.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&b);
        if text.len() > REDIRECT_URI_BYTES_MAX || !text.bytes().all(allowed) {
            return Err(InvalidRedirectUri::Malformed);
        }
        if text.contains('#') {
            return Err(InvalidRedirectUri::Fragment);
        }
        let url = Url::parse(text).map_err(|_| InvalidRedirectUri::Malformed)?;
        if !url.username().is_empty() || url.password().is_some() || authority_of(text).contains('@') {
            return Err(InvalidRedirectUri::Credentials);
        }
        match url.scheme() {
            "https" => check_plain_host(text, "https://", &url)?,
            "http" if loopback_rest(text).is_some() => check_plain_host(text, "http://", &url)?,
            // RFC 8252 §7.1: a private-use scheme is a reversed domain name.
            own if own.contains('.') && text.starts_with(own) => {}
            _ => return Err(InvalidRedirectUri::Scheme),
        }
        Ok(Self(text.into()))
    }
}

/// The authority component.
fn authority_of(text: &str) -> &str {
    let Some((_, behind)) = text.split_once("//") else { return "" };
    behind.split(['/', '?']).next().unwrap_or("")
}

/// Rejects a host that parsers read differently: our check and the browser must agree on the host.
fn check_plain_host(text: &str, scheme: &str, url: &Url) -> Result<(), InvalidRedirectUri> {
    let authority =
        text.strip_prefix(scheme).map(|_| authority_of(text)).ok_or(InvalidRedirectUri::Scheme)?;
    let spelled = match url.port() {
        Some(port) => format!("{}:{port}", url.host_str().unwrap_or("")),
        None => url.host_str().unwrap_or("").to_owned(),
    };
    let odd =
        authority.is_empty() || authority.contains('*') || authority.ends_with('.') || authority != spelled;
    // Parsers resolve dot segments differently.
    let path = text.strip_prefix(scheme).and_then(|rest| rest.strip_prefix(authority)).unwrap_or("");
    let path = path.split('?').next().unwrap_or("").to_ascii_lowercase().replace("%2e", ".");
    let climbs = path.split('/').any(|segment| matches!(segment.split(';').next(), Some("." | "..")));
    if odd || climbs { Err(InvalidRedirectUri::Host) } else { Ok(()) }
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn registered(uri: &str) -> [RedirectUri; 1] {
        [uri.parse().unwrap()]
    }

    #[test]
    fn redirect_uri_is_displayed_by_its_host() {
        for (uri, host, is_loopback) in [
            ("https://app.example/cb?x=1", "app.example", false),
            ("https://app.example:8443/cb", "app.example:8443", false),
            ("https://localhost:8443/cb", "localhost:8443", true),
            ("http://127.0.0.1/cb", "127.0.0.1", true),
            ("http://[::1]:81/cb", "[::1]", true),
            ("com.example.app:/cb", "com.example.app", false),
            ("com.example.app://cb", "com.example.app", false),
        ] {
            let callback = MatchedRedirectUri(uri.into());
            assert_eq!((callback.host(), callback.is_loopback()), (host, is_loopback), "{uri}");
        }
    }

    #[test]
    fn redirect_uri_matches_only_in_the_registered_spelling() {
        let registered = registered("https://a.example/cb");
        assert_eq!(
            MatchedRedirectUri::match_registered(&registered, "https://a.example/cb").unwrap().as_str(),
            "https://a.example/cb"
        );
        for asked in [
            "https://a.example/cb/",
            "https://a.example/cb?x",
            "https://a.example/cb#f",
            "https://a.example/CB",
            "https://A.example/cb",
            "https://a.example:443/cb",
            "https://a.example@evil.example/cb",
            "https://a.example\\@evil.example/cb",
            "https://a.example/cb/..;/x",
            "https://a.example/%2e%2e/cb",
            "https://xn--a-example/cb",
            "https://a.example./cb",
            "https://a.example/c\tb",
            "https://a.example/cb\n",
            "http://a.example/cb",
            " https://a.example/cb",
            "",
        ] {
            assert_eq!(MatchedRedirectUri::match_registered(&registered, asked), None, "{asked:?}");
        }
    }

    #[test]
    fn redirect_uri_that_could_leak_the_response_cannot_be_registered() {
        use InvalidRedirectUri::*;
        for (text, why) in [
            ("javascript:alert(1)", Scheme),
            ("JavaScript:alert(1)", Scheme),
            ("data:text/html,x", Scheme),
            ("vbscript:x", Scheme),
            ("file:///etc/passwd", Scheme),
            ("myapp:/cb", Scheme),
            ("http://a.example/cb", Scheme),
            ("http://127.0.0.1.evil.example/cb", Scheme),
            ("http://localhost.evil.example/cb", Scheme),
            ("http://127.0.0.1@evil.example/cb", Credentials),
            ("https://user@a.example/cb", Credentials),
            ("https://@a.example/cb", Credentials),
            ("https://a.example/cb#fragment", Fragment),
            ("https://a.example/cb#", Fragment),
            ("https://*.a.example/cb", Host),
            ("https://A.example/cb", Host),
            ("https://a.example:443/cb", Host),
            ("https://a.example./cb", Host),
            ("https://0x7f.1/cb", Host),
            ("https://a.example/x/../cb", Host),
            ("https://a.example/x/%2E%2e/cb", Host),
            ("https://a.example/..;/cb", Host),
            ("https:a.example/cb", Scheme),
            ("https:///cb", Host),
            ("https://a.example\\cb", Malformed),
            ("https://a.example/c b", Malformed),
            ("https://é.example/cb", Malformed),
            ("/cb", Malformed),
            ("", Malformed),
        ] {
            assert_eq!(text.parse::<RedirectUri>(), Err(why), "{text:?}");
        }
        assert!(format!("https://a.example/{}", "x".repeat(2048)).parse::<RedirectUri>().is_err());
        for text in
            ["https://a.example", "https://a.example:8443/cb?x=y", "com.example.app:/cb", "http://[::1]:9/cb"]
        {
            assert!(text.parse::<RedirectUri>().is_ok(), "{text}");
        }
    }

    #[test]
    fn redirect_uri_query_with_a_response_parameter_is_found_in_every_encoding() {
        for (query, found) in [
            ("?code=x", Some("code")),
            ("?a=b&state", Some("state")),
            ("?c%6Fde=x", Some("code")),
            ("?iss=https://evil.example", Some("iss")),
            ("?error=access_denied", Some("error")),
            ("", None),
            ("?", None),
            ("?tenant=code&Code=1&codes=2", None),
        ] {
            let uri: RedirectUri = format!("https://a.example/cb{query}").parse().unwrap();
            assert_eq!(uri.reserved_query_parameter(), found, "{query}");
        }
        let own: RedirectUri = "com.example.app:/cb?state=x".parse().unwrap();
        assert_eq!(own.reserved_query_parameter(), Some("state"));
    }

    #[test]
    fn redirect_uri_on_loopback_without_a_port_matches_every_port() {
        let any = registered("http://127.0.0.1/cb");
        for asked in ["http://127.0.0.1/cb", "http://127.0.0.1:1/cb", "http://127.0.0.1:65535/cb"] {
            assert!(MatchedRedirectUri::match_registered(&any, asked).is_some(), "{asked}");
        }
        for asked in [
            "http://127.0.0.1:0/cb",
            "http://127.0.0.1:65536/cb",
            "http://127.0.0.1:080/cb",
            "http://127.0.0.1:/cb",
            "http://127.0.0.1:80/other",
            "http://127.0.0.1:80/cb?x",
            "http://127.0.0.1:80@evil.example/cb",
            "https://127.0.0.1:80/cb",
            "http://localhost:80/cb",
            "http://[::1]:80/cb",
        ] {
            assert_eq!(MatchedRedirectUri::match_registered(&any, asked), None, "{asked}");
        }
        assert!(
            MatchedRedirectUri::match_registered(
                &registered("http://127.0.0.1:7000/cb"),
                "http://127.0.0.1:7001/cb"
            )
            .is_none()
        );
        assert!(
            MatchedRedirectUri::match_registered(
                &registered("http://localhost/cb"),
                "http://localhost:5173/cb"
            )
            .is_some()
        );
    }

    proptest! {
        #[test]
        fn redirect_uri_parsing_never_panics_and_a_parsed_uri_matches_itself(text in "(https?|com\\.x)://?[ -~]{0,40}") {
            if let Ok(uri) = text.parse::<RedirectUri>() {
                prop_assert_eq!(uri.as_str(), &text);
                prop_assert!(MatchedRedirectUri::match_registered(&[uri], &text).is_some());
            }
        }

        #[test]
        fn redirect_uri_match_never_leaves_the_registered_host(asked in "http://(127\\.0\\.0\\.1|localhost)[:/@?.a-z0-9]{0,20}") {
            if MatchedRedirectUri::match_registered(&registered("http://127.0.0.1/cb"), &asked).is_some() {
                let url = Url::parse(&asked).unwrap();
                prop_assert_eq!(url.host_str(), Some("127.0.0.1"));
                prop_assert_eq!(url.path(), "/cb");
            }
        }
    }
}
