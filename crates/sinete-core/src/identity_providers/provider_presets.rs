//! Identity providers that the console guides through: how each writes its issuer.

/// A provider with a guide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderPreset {
    /// Okta, with OpenID Connect.
    Okta,
    /// Microsoft Entra ID, with OpenID Connect.
    EntraId,
    /// Google Workspace, with OpenID Connect.
    GoogleWorkspace,
    /// Any other OpenID Connect provider.
    OpenIdConnect,
    /// Any SAML 2.0 provider.
    Saml,
}

impl ProviderPreset {
    /// All providers.
    pub const ALL: [Self; 5] =
        [Self::Okta, Self::EntraId, Self::GoogleWorkspace, Self::OpenIdConnect, Self::Saml];

    /// The name in URLs.
    pub const fn slug(self) -> &'static str {
        match self {
            Self::Okta => "okta",
            Self::EntraId => "entra-id",
            Self::GoogleWorkspace => "google-workspace",
            Self::OpenIdConnect => "oidc",
            Self::Saml => "saml",
        }
    }

    /// Finds a provider by its name in URLs.
    pub fn from_slug(slug: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.slug() == slug)
    }

    /// The display name that a form suggests.
    pub const fn suggested_name(self) -> &'static str {
        match self {
            Self::Okta => "Okta",
            Self::EntraId => "Microsoft",
            Self::GoogleWorkspace => "Google",
            Self::OpenIdConnect | Self::Saml => "",
        }
    }

    /// The issuer, from what an administrator copies at the provider: a domain at Okta, a tenant ID at Entra, nothing
    /// at Google. A whole issuer is taken as it is, and so is the URL of a discovery document.
    pub fn build_issuer(self, input: &str) -> String {
        let input = input.trim();
        let input = input.strip_suffix("/.well-known/openid-configuration").unwrap_or(input);
        let is_whole = input.starts_with("https://") || input.starts_with("http://");
        match self {
            Self::GoogleWorkspace => "https://accounts.google.com".to_owned(),
            Self::Okta => {
                let bare = input.trim_start_matches("https://").trim_end_matches('/');
                // The address of the admin console is not the issuer.
                let bare = bare.replacen("-admin.okta", ".okta", 1);
                match bare.contains(['.', ':']) {
                    _ if input.is_empty() || input.starts_with("http://") => input.to_owned(),
                    true => format!("https://{bare}"),
                    false => format!("https://{bare}.okta.com"),
                }
            }
            Self::EntraId if input.is_empty() || is_whole => input.to_owned(),
            Self::EntraId => format!("https://login.microsoftonline.com/{input}/v2.0"),
            Self::OpenIdConnect | Self::Saml => input.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ProviderPreset::{EntraId, GoogleWorkspace, Okta, OpenIdConnect};
    use super::*;

    #[test]
    fn provider_preset_builds_the_issuer_from_what_an_administrator_copies() {
        let tenant = "2f1c8b7e-0000-4000-8000-000000000000";
        let entra = format!("https://login.microsoftonline.com/{tenant}/v2.0");
        for (preset, input, issuer) in [
            (Okta, " acme.okta.com ", "https://acme.okta.com"),
            (Okta, "acme", "https://acme.okta.com"),
            (Okta, "https://acme-admin.okta.com/", "https://acme.okta.com"),
            (Okta, "https://acme.okta.com/oauth2/default", "https://acme.okta.com/oauth2/default"),
            (Okta, "", ""),
            (Okta, "http://127.0.0.1:9", "http://127.0.0.1:9"),
            (EntraId, tenant, entra.as_str()),
            (EntraId, entra.as_str(), entra.as_str()),
            (EntraId, "", ""),
            (GoogleWorkspace, "anything", "https://accounts.google.com"),
            (OpenIdConnect, "https://idp.example/.well-known/openid-configuration", "https://idp.example"),
            (OpenIdConnect, "https://idp.example/", "https://idp.example/"),
        ] {
            assert_eq!(preset.build_issuer(input), issuer, "{preset:?} {input}");
        }
    }

    #[test]
    fn provider_preset_is_found_by_its_slug_only() {
        for preset in ProviderPreset::ALL {
            assert_eq!(ProviderPreset::from_slug(preset.slug()), Some(preset));
        }
        assert_eq!(ProviderPreset::from_slug("Okta"), None);
    }
}
