//! The addresses in the code of a quickstart: those that are registered for the application where the framework lets
//! one choose, and otherwise those that have to be registered.

use super::{QuickstartSettings, SampleUri};

/// The port of the quickstarts, for applications whose redirect URI is not on the developer's machine.
const DEFAULT_PORT: &str = "3000";

/// Paths that the quickstarts use for their own pages.
const QUICKSTART_PATHS: [&str; 4] = ["", "/", "/login", "/logout"];

/// The path of a URI in a quickstart.
#[derive(Clone, Copy, Debug)]
pub(super) enum SamplePath {
    /// The framework determines it.
    Fixed(&'static str),
    /// The code can have any that it does not use for a page of its own; this one if none is registered.
    Chosen(&'static str),
    /// The code can have any; this one if none is registered.
    Any(&'static str),
}

/// The addresses in the code of a quickstart.
#[derive(Debug)]
pub(super) struct SampleAddresses {
    redirect: HttpUri,
    is_registered: bool,
    after_logout: Option<HttpUri>,
    is_after_logout_registered: bool,
}

/// An `http` or `https` URI of an application, without query and fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct HttpUri {
    scheme: String,
    host: String,
    port: Option<String>,
    path: String,
}

impl SampleAddresses {
    /// The registered addresses that the code can use. An address on the developer's machine comes first, because the
    /// code is tried there.
    pub(super) fn choose(
        settings: &QuickstartSettings<'_>,
        path: SamplePath,
        post_logout: Option<SamplePath>,
    ) -> Self {
        let registered: Vec<HttpUri> = settings.redirect_uris.lines().filter_map(HttpUri::parse).collect();
        let usable = || registered.iter().filter(|uri| path.accepts(uri));
        let http_uri = usable().find(|uri| uri.is_loopback()).or_else(|| usable().next());
        let home =
            http_uri.or_else(|| registered.iter().find(|uri| uri.is_loopback())).or(registered.first());
        let redirect = http_uri.cloned().unwrap_or_else(|| HttpUri::at_origin(home, path.default_path()));
        let ends: Vec<HttpUri> =
            settings.post_logout_redirect_uris.lines().filter_map(HttpUri::parse).collect();
        let registered_end = post_logout.and_then(|path| {
            ends.iter().find(|uri| path.accepts_after_logout(uri) && uri.origin() == redirect.origin())
        });
        let after_logout = post_logout.map(|path| {
            registered_end
                .cloned()
                .unwrap_or_else(|| HttpUri::at_origin(Some(&redirect), path.default_path()))
        });
        Self {
            is_registered: http_uri.is_some(),
            is_after_logout_registered: registered_end.is_some(),
            redirect,
            after_logout,
        }
    }

    /// The template with the addresses in place of the names in brackets.
    pub(super) fn fill_in(&self, template: &str) -> String {
        let end = self.after_logout.as_ref();
        template
            .replace("[uri]", &self.redirect.to_text())
            .replace("[origin]", &self.redirect.origin())
            .replace("[host]", &self.redirect.host)
            .replace("[port]", self.redirect.listening_port())
            .replace("[path]", &self.redirect.path)
            .replace("[relative]", self.redirect.path.trim_start_matches('/'))
            .replace("[listen]", &self.redirect.listening_address())
            .replace("[after_logout]", &end.map(HttpUri::to_text).unwrap_or_default())
            .replace("[after_logout_path]", end.map_or("/", |uri| &uri.path))
    }

    /// The redirect URI and the post-logout redirect URI, for the text beside the code.
    pub(super) fn into_uris(self) -> (SampleUri, Option<SampleUri>) {
        let redirect = SampleUri { uri: self.redirect.to_text(), is_registered: self.is_registered };
        let is_registered = self.is_after_logout_registered;
        (redirect, self.after_logout.map(|uri| SampleUri { uri: uri.to_text(), is_registered }))
    }
}

impl SamplePath {
    fn accepts(self, uri: &HttpUri) -> bool {
        match self {
            Self::Fixed(path) => uri.path == path,
            Self::Chosen(_) => !QUICKSTART_PATHS.contains(&uri.path.as_str()),
            Self::Any(_) => true,
        }
    }

    /// As a post-logout redirect URI: the home page of the code is one, unless the framework needs the path itself.
    fn accepts_after_logout(self, uri: &HttpUri) -> bool {
        match self {
            Self::Chosen("/") | Self::Any(_) => true,
            Self::Chosen(_) | Self::Fixed(_) => self.accepts(uri),
        }
    }

    const fn default_path(self) -> &'static str {
        match self {
            Self::Fixed(path) | Self::Chosen(path) | Self::Any(path) => path,
        }
    }
}

impl HttpUri {
    /// Reads a URI that can be written into code as it is. `None` for others: those of another scheme, with a query, or
    /// with characters that mean something else in a string or in the routes of a framework.
    fn parse(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (host, port) =
            authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)));
        let is_plain = |text: &str, others: &[u8]| {
            text.bytes().all(|byte| byte.is_ascii_alphanumeric() || others.contains(&byte))
        };
        let is_usable = matches!(scheme, "http" | "https")
            && !host.is_empty()
            && is_plain(host, b"-.")
            && port.is_none_or(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()))
            && is_plain(path, b"/-._~");
        is_usable.then(|| Self {
            scheme: scheme.to_owned(),
            host: host.to_owned(),
            port: port.map(str::to_owned),
            path: path.to_owned(),
        })
    }

    /// A path at the origin of another URI, or at the usual one.
    fn at_origin(other: Option<&Self>, path: &str) -> Self {
        let path = path.to_owned();
        match other {
            Some(other) => Self { path, ..other.clone() },
            None => Self {
                scheme: "http".to_owned(),
                host: "localhost".to_owned(),
                port: Some(DEFAULT_PORT.to_owned()),
                path,
            },
        }
    }

    fn is_loopback(&self) -> bool {
        self.scheme == "http" && matches!(self.host.as_str(), "localhost" | "127.0.0.1")
    }

    fn origin(&self) -> String {
        let port = self.port.as_ref().map(|port| format!(":{port}")).unwrap_or_default();
        format!("{}://{}{port}", self.scheme, self.host)
    }

    fn to_text(&self) -> String {
        format!("{}{}", self.origin(), self.path)
    }

    /// The port on which the code listens. Behind a proxy it need not be that of the URI.
    fn listening_port(&self) -> &str {
        match (&self.port, self.is_loopback()) {
            (Some(port), true) => port,
            (None, true) => "80",
            (_, false) => DEFAULT_PORT,
        }
    }

    fn listening_address(&self) -> String {
        let host = if self.is_loopback() { &self.host } else { "localhost" };
        format!("{host}:{}", self.listening_port())
    }
}
