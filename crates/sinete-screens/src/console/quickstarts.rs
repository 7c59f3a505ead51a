//! What an application is configured with, and code for common frameworks: the quickstarts of `examples`, with
//! the issuer and the client id of this application.

/// What an application is configured with.
#[derive(Clone, Copy, Debug)]
pub struct QuickstartSettings<'a> {
    /// The issuer identifier.
    pub issuer: &'a str,
    /// The `client_id`.
    pub id: &'a str,
    /// The redirect URIs, one per line.
    pub redirects: &'a str,
    /// Whether it has no secret.
    pub is_public: bool,
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
}

/// A quickstart of `examples`.
struct Quickstart {
    name: &'static str,
    file: &'static str,
    slug: &'static str,
    source: &'static str,
    is_public: bool,
}

/// The issuer in the quickstarts.
const EXAMPLE_ISSUER: &str = "http://localhost:8080";

const QUICKSTARTS: [Quickstart; 9] = [
    Quickstart {
        name: "Next.js (Auth.js)",
        file: "auth.js",
        slug: "nextjs",
        source: include_str!("../../../../examples/nextjs/auth.js"),
        is_public: false,
    },
    Quickstart {
        name: "Express (openid-client)",
        file: "server.js",
        slug: "express",
        source: include_str!("../../../../examples/express/server.js"),
        is_public: false,
    },
    Quickstart {
        name: "FastAPI (Authlib)",
        file: "main.py",
        slug: "fastapi",
        source: include_str!("../../../../examples/fastapi/main.py"),
        is_public: false,
    },
    Quickstart {
        name: "Django (Authlib)",
        file: "app.py",
        slug: "django",
        source: include_str!("../../../../examples/django/app.py"),
        is_public: false,
    },
    Quickstart {
        name: "Spring Boot",
        file: "application.yaml",
        slug: "spring",
        source: include_str!("../../../../examples/spring/src/main/resources/application.yaml"),
        is_public: false,
    },
    Quickstart {
        name: "Go (go-oidc)",
        file: "main.go",
        slug: "go",
        source: include_str!("../../../../examples/go/main.go"),
        is_public: false,
    },
    Quickstart {
        name: "Rust (axum)",
        file: "main.rs",
        slug: "axum",
        source: include_str!("../../../../examples/axum/src/main.rs"),
        is_public: false,
    },
    Quickstart {
        name: "ASP.NET Core",
        file: "Program.cs",
        slug: "dotnet",
        source: include_str!("../../../../examples/dotnet/Program.cs"),
        is_public: false,
    },
    Quickstart {
        name: "React (oidc-client-ts)",
        file: "main.jsx",
        slug: "react",
        source: include_str!("../../../../examples/react/src/main.jsx"),
        is_public: true,
    },
];

impl QuickstartSettings<'_> {
    /// The URL of the discovery document.
    pub(crate) fn discovery(&self) -> String {
        format!("{}/.well-known/openid-configuration", self.issuer)
    }

    /// The code for the frameworks that fit: with a secret on a server, without one in a browser.
    pub(crate) fn quickstarts(&self) -> Vec<QuickstartCode> {
        let fitting = QUICKSTARTS.iter().filter(|it| it.is_public == self.is_public);
        fitting
            .map(|it| QuickstartCode { name: it.name, file: it.file, slug: it.slug, code: self.fill_in(it) })
            .collect()
    }

    fn fill_in(&self, quickstart: &Quickstart) -> String {
        let named = format!("quickstart-{}", quickstart.slug);
        // The quickstart of a single-page application also calls an API, which this one need not have.
        let source = quickstart.source.split("// Runs once even").next().unwrap_or_default();
        let about_api = |line: &&str| line.contains("resource:") || line.contains("(RFC 8707)");
        let lines: Vec<&str> = source.trim_end().lines().filter(|line| !about_api(line)).collect();
        lines
            .join("\n")
            .replace(&named, self.id)
            .replace(EXAMPLE_ISSUER, self.issuer)
            .replace("__ISSUER__", &format!("\"{}\"", self.issuer))
            .replace(" invoices:read", "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quickstart_code_has_the_values_of_the_application() {
        let mut names = Vec::new();
        for is_public in [false, true] {
            let issuer = "https://id.example.com";
            let connection = QuickstartSettings { issuer, id: "my-shop", redirects: "", is_public };
            for quickstart in connection.quickstarts() {
                let code = &quickstart.code;
                assert!(code.contains("my-shop") && code.contains(issuer), "{}: {code}", quickstart.name);
                for other in ["localhost:8080", "__ISSUER__", "invoices", "client_id: \"quickstart"] {
                    assert!(!code.contains(other), "{} has {other}", quickstart.name);
                }
                names.push(quickstart.slug);
            }
        }
        assert_eq!(
            names,
            ["nextjs", "express", "fastapi", "django", "spring", "go", "axum", "dotnet", "react"]
        );
    }
}
