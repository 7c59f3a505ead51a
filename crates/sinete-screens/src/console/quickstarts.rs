//! What an application is configured with, and code for common frameworks: the quickstarts of `examples`, with
//! the issuer, the client id and the redirect URIs of this application.

mod sample_addresses;

use super::{ConsoleLayout, ConsoleSection};
use crate::page::PageFrame;
use sample_addresses::{SampleAddresses, SamplePath};

/// What an application is configured with.
#[derive(Clone, Copy, Debug)]
pub struct QuickstartSettings<'a> {
    /// The issuer identifier.
    pub issuer: &'a str,
    /// The `client_id`.
    pub id: &'a str,
    /// The redirect URIs, one per line.
    pub redirect_uris: &'a str,
    /// The post-logout redirect URIs, one per line.
    pub post_logout_redirect_uris: &'a str,
    /// Whether it has no secret.
    pub is_public: bool,
    /// Which samples are shown.
    pub samples: SampleSelection<'a>,
}

/// Which samples a page shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleSelection<'a> {
    /// All that fit, on a page that cannot be requested again.
    All,
    /// The one of this name, or else the first that fits, with links to the others.
    One(&'a str),
}

/// A link to a sample.
#[derive(Debug)]
pub(crate) struct SampleLink {
    /// The framework and its library.
    pub(crate) name: &'static str,
    /// The name in the URL.
    pub(crate) slug: &'static str,
    /// Whether the page shows it.
    pub(crate) is_shown: bool,
}

/// The code for a framework.
#[derive(Debug)]
pub(crate) struct QuickstartCode {
    /// The framework and its library.
    pub(crate) name: &'static str,
    /// The file.
    pub(crate) file: &'static str,
    /// The name in element ids.
    pub(crate) slug: &'static str,
    /// The code with the values of the application.
    pub(crate) code: String,
    /// The redirect URI of the code.
    pub(crate) redirect_uri: SampleUri,
    /// The post-logout redirect URI of the code, if it has one.
    pub(crate) post_logout_redirect_uri: Option<SampleUri>,
    /// Whether the framework determines the path of the redirect URI.
    pub(crate) has_fixed_path: bool,
}

/// A URI in the code of a quickstart.
#[derive(Debug)]
pub(crate) struct SampleUri {
    /// The URI.
    pub(crate) uri: String,
    /// Whether it is registered for the application.
    pub(crate) is_registered: bool,
}

/// A quickstart of `examples`.
struct Quickstart {
    name: &'static str,
    file: &'static str,
    slug: &'static str,
    source: &'static str,
    is_public: bool,
    /// The path of the redirect URI.
    path: SamplePath,
    /// The path of the post-logout redirect URI, if the code has one.
    post_logout: Option<SamplePath>,
    /// What of the source is replaced, in this order. Names in brackets stand for the application's values: `[uri]`,
    /// `[origin]`, `[host]`, `[port]`, `[path]`, `[relative]` (the path without its first character), `[listen]` (host
    /// and port of the server on this machine), `[after_logout]` and `[after_logout_path]`.
    replacements: &'static [(&'static str, &'static str)],
}

/// The issuer in the quickstarts.
const EXAMPLE_ISSUER: &str = "http://localhost:8080";

static QUICKSTARTS: [Quickstart; 9] = [
    Quickstart {
        name: "Next.js (Auth.js)",
        file: "auth.js",
        slug: "nextjs",
        source: include_str!("../../../../examples/nextjs/auth.js"),
        is_public: false,
        path: SamplePath::Fixed("/api/auth/callback/sinete"),
        post_logout: None,
        replacements: &[(
            "// The settings of Auth.js",
            "// Start the application with NEXTAUTH_URL=[origin] and PORT=[port].\n// The settings of Auth.js",
        )],
    },
    Quickstart {
        name: "Express (openid-client)",
        file: "server.js",
        slug: "express",
        source: include_str!("../../../../examples/express/server.js"),
        is_public: false,
        path: SamplePath::Chosen("/callback"),
        post_logout: Some(SamplePath::Chosen("/")),
        replacements: &[
            ("PORT = \"3000\"", "PORT = \"[port]\""),
            ("`http://localhost:${PORT}`", "\"[origin]\""),
            ("`${baseUrl}/callback`", "\"[uri]\""),
            ("app.get(\"/callback\"", "app.get(\"[path]\""),
            ("`${baseUrl}/`", "\"[after_logout]\""),
        ],
    },
    Quickstart {
        name: "FastAPI (Authlib)",
        file: "main.py",
        slug: "fastapi",
        source: include_str!("../../../../examples/fastapi/main.py"),
        is_public: false,
        path: SamplePath::Chosen("/callback"),
        post_logout: Some(SamplePath::Chosen("/")),
        replacements: &[
            (
                "BASE_URL = f\"http://localhost:{os.environ.get('PORT', '3000')}\"",
                "# Start the application on [listen].\nBASE_URL = \"[origin]\"",
            ),
            ("f\"{BASE_URL}/callback\"", "f\"{BASE_URL}[path]\""),
            ("@app.get(\"/callback\")", "@app.get(\"[path]\")"),
            ("f\"{BASE_URL}/\"", "f\"{BASE_URL}[after_logout_path]\""),
        ],
    },
    Quickstart {
        name: "Django (Authlib)",
        file: "app.py",
        slug: "django",
        source: include_str!("../../../../examples/django/app.py"),
        is_public: false,
        path: SamplePath::Chosen("/callback"),
        post_logout: Some(SamplePath::Chosen("/")),
        replacements: &[
            ("BASE_URL = f\"http://localhost:{os.environ.get('PORT', '3000')}\"", "BASE_URL = \"[origin]\""),
            ("ALLOWED_HOSTS=[\"localhost\"]", "ALLOWED_HOSTS=[\"[host]\"]"),
            ("f\"{BASE_URL}/callback\"", "f\"{BASE_URL}[path]\""),
            ("path(\"callback\", callback)", "path(\"[relative]\", callback)"),
            ("f\"{BASE_URL}/\"", "f\"{BASE_URL}[after_logout_path]\""),
            ("BASE_URL.removeprefix(\"http://\")", "\"[listen]\""),
        ],
    },
    Quickstart {
        name: "Spring Boot",
        file: "application.yaml",
        slug: "spring",
        source: include_str!("../../../../examples/spring/src/main/resources/application.yaml"),
        is_public: false,
        path: SamplePath::Fixed("/login/oauth2/code/sinete"),
        post_logout: None,
        replacements: &[("${PORT:3000}", "${PORT:[port]}")],
    },
    Quickstart {
        name: "Go (go-oidc)",
        file: "main.go",
        slug: "go",
        source: include_str!("../../../../examples/go/main.go"),
        is_public: false,
        path: SamplePath::Chosen("/callback"),
        post_logout: None,
        replacements: &[
            ("env(\"PORT\", \"3000\")", "env(\"PORT\", \"[port]\")"),
            ("\"http://localhost:\" + port + \"/callback\"", "\"[uri]\""),
            ("\"GET /callback\"", "\"GET [path]\""),
        ],
    },
    Quickstart {
        name: "Rust (axum)",
        file: "main.rs",
        slug: "axum",
        source: include_str!("../../../../examples/axum/src/main.rs"),
        is_public: false,
        path: SamplePath::Chosen("/callback"),
        post_logout: None,
        replacements: &[
            ("unwrap_or(\"3000\".into())", "unwrap_or(\"[port]\".into())"),
            ("format!(\"{base_url}/callback\")", "\"[uri]\".into()"),
            (".route(\"/callback\"", ".route(\"[path]\""),
        ],
    },
    Quickstart {
        name: "ASP.NET Core",
        file: "Program.cs",
        slug: "dotnet",
        source: include_str!("../../../../examples/dotnet/Program.cs"),
        is_public: false,
        path: SamplePath::Chosen("/callback"),
        post_logout: Some(SamplePath::Chosen("/signed-out")),
        replacements: &[
            ("CallbackPath = \"/callback\"", "CallbackPath = \"[path]\""),
            ("SignedOutCallbackPath = \"/signed-out\"", "SignedOutCallbackPath = \"[after_logout_path]\""),
            ("app.Run(\"http://localhost:3000\")", "app.Run(\"http://[listen]\")"),
        ],
    },
    Quickstart {
        name: "React (oidc-client-ts)",
        file: "main.jsx",
        slug: "react",
        source: include_str!("../../../../examples/react/src/main.jsx"),
        is_public: true,
        path: SamplePath::Any("/"),
        post_logout: Some(SamplePath::Any("/")),
        replacements: &[
            ("const baseUrl = `${location.origin}/`;\n", ""),
            ("post_logout_redirect_uri: baseUrl", "post_logout_redirect_uri: \"[after_logout]\""),
            ("  redirect_uri: baseUrl", "  redirect_uri: \"[uri]\""),
        ],
    },
];

impl QuickstartSettings<'_> {
    /// The URL of the discovery document.
    pub(crate) fn discovery(&self) -> String {
        format!("{}/.well-known/openid-configuration", self.issuer)
    }

    /// The code that the page shows.
    pub(crate) fn quickstarts(&self) -> Vec<QuickstartCode> {
        match self.samples {
            SampleSelection::All => self.compatible_quickstarts().map(|it| self.fill_in(it)).collect(),
            SampleSelection::One(_) => {
                self.selected_sample().map(|it| self.fill_in(it)).into_iter().collect()
            }
        }
    }

    /// Links to the samples, if the page shows one of several.
    pub(crate) fn sample_links(&self) -> Vec<SampleLink> {
        let shown_slug = self.selected_sample().map(|it| it.slug);
        let link = |it: &Quickstart| SampleLink {
            name: it.name,
            slug: it.slug,
            is_shown: shown_slug == Some(it.slug),
        };
        match self.samples {
            SampleSelection::One(_) if self.compatible_quickstarts().count() > 1 => {
                self.compatible_quickstarts().map(link).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether the page shows one sample, which is open.
    pub(crate) const fn shows_single_sample(&self) -> bool {
        matches!(self.samples, SampleSelection::One(_))
    }

    /// The frameworks that fit: with a secret on a server, without one in a browser.
    fn compatible_quickstarts(&self) -> impl Iterator<Item = &'static Quickstart> {
        let is_public = self.is_public;
        QUICKSTARTS.iter().filter(move |it| it.is_public == is_public)
    }

    /// The selected sample, or else the first that fits.
    fn selected_sample(&self) -> Option<&'static Quickstart> {
        let selected = match self.samples {
            SampleSelection::One(slug) => self.compatible_quickstarts().find(|it| it.slug == slug),
            SampleSelection::All => None,
        };
        selected.or_else(|| self.compatible_quickstarts().next())
    }

    fn fill_in(&self, quickstart: &Quickstart) -> QuickstartCode {
        let sample_id = format!("quickstart-{}", quickstart.slug);
        // The quickstart of a single-page application also calls an API, which this one need not have.
        let source = quickstart.source.split("// Runs once even").next().unwrap_or_default();
        let about_api = |line: &&str| line.contains("resource:") || line.contains("(RFC 8707)");
        let lines: Vec<&str> = source.trim_end().lines().filter(|line| !about_api(line)).collect();
        let code = lines
            .join("\n")
            .replace(&sample_id, self.id)
            .replace(EXAMPLE_ISSUER, self.issuer)
            .replace("__ISSUER__", &format!("\"{}\"", self.issuer))
            .replace(" invoices:read", "");
        let addresses = SampleAddresses::choose(self, quickstart.path, quickstart.post_logout);
        let code = quickstart
            .replacements
            .iter()
            .fold(code, |code, (sample, template)| code.replace(sample, &addresses.fill_in(template)));
        let (redirect_uri, post_logout_redirect_uri) = addresses.into_uris();
        QuickstartCode {
            name: quickstart.name,
            file: quickstart.file,
            slug: quickstart.slug,
            code,
            redirect_uri,
            post_logout_redirect_uri,
            has_fixed_path: matches!(quickstart.path, SamplePath::Fixed(_)),
        }
    }
}

impl ConsoleLayout<'_> {
    /// The URL of an application's page with a code sample.
    pub(crate) fn sample_url(&self, frame: &PageFrame<'_>, id: &str, sample: &str) -> String {
        let path = format!("{}/{id}?sample={sample}", ConsoleSection::Applications.path());
        format!("{}#connect", self.section_url(frame, &path))
    }
}

#[cfg(test)]
mod tests;
