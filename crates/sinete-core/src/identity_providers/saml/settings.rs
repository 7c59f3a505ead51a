//! Settings of a SAML 2.0 connection.

use crate::identity_providers::connections::InsecureProviderPolicy;
use crate::identity_providers::oidc::metadata::parse_endpoint_url;
use crate::limits::{
    CONNECTION_TEXT_BYTES_MAX, CONNECTION_VALUES_MAX, ISSUER_BYTES_MAX, SAML_CERTIFICATE_BYTES_MAX,
    SAML_CERTIFICATES_MAX,
};
use crate::validation::ValidationErrors;
use serde::{Deserialize, Serialize};

/// Selects the `NameID` in place of an attribute name.
pub const NAME_ID: &str = "NameID";

/// The settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SamlConnectionSettings {
    /// The single sign-on URL.
    #[serde(default)]
    pub sso_url: String,
    /// The signing certificates, in PEM.
    #[serde(default)]
    pub certificates: Vec<String>,
    /// The attribute that identifies the user, or [`NAME_ID`] for a persistent `NameID`.
    #[serde(default = "default_subject")]
    pub subject: String,
    /// The attribute with the e-mail address, or [`NAME_ID`] if the `NameID` is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// The attribute with the full name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_name: Option<String>,
    /// The attribute with the given name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_name: Option<String>,
    /// The attribute with the family name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family_name: Option<String>,
    /// The requested authentication context classes; if empty, any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contexts: Vec<String>,
}

fn default_subject() -> String {
    NAME_ID.to_owned()
}

impl Default for SamlConnectionSettings {
    /// Empty settings.
    fn default() -> Self {
        Self {
            sso_url: String::new(),
            certificates: Vec::new(),
            subject: default_subject(),
            email: None,
            full_name: None,
            given_name: None,
            family_name: None,
            contexts: Vec::new(),
        }
    }
}

impl SamlConnectionSettings {
    /// Validates the settings by themselves. The certificates are checked by the layer that can parse them.
    pub fn validate(&self) -> ValidationErrors {
        let mut errors = ValidationErrors::default();
        if !is_plain(&self.subject) {
            errors.add("/subject", "must be NameID or the name of an attribute");
        }
        let attributes = [
            ("/email", &self.email),
            ("/full_name", &self.full_name),
            ("/given_name", &self.given_name),
            ("/family_name", &self.family_name),
        ];
        for (pointer, name) in attributes {
            if name.as_deref().is_some_and(|name| !is_plain(name)) {
                errors.add(pointer, "must be the name of an attribute, as the provider sends it");
            }
        }
        if !self.allows_sso_url(InsecureProviderPolicy::OnLoopback) {
            errors.add("/sso_url", "must be an https URL without fragment and credentials");
        }
        let is_short = |pem: &String| (1..=SAML_CERTIFICATE_BYTES_MAX).contains(&pem.len());
        if !(1..=SAML_CERTIFICATES_MAX).contains(&self.certificates.len())
            || !self.certificates.iter().all(is_short)
        {
            errors.add("/certificates", "must be 1 to 5 certificates in PEM form");
        }
        if self.contexts.len() > CONNECTION_VALUES_MAX || !self.contexts.iter().all(|it| is_plain(it)) {
            errors.add("/contexts", "must be at most 20 authentication contexts");
        }
        errors
    }

    /// Whether the single sign-on URL is allowed under this policy for URLs without TLS.
    pub fn allows_sso_url(&self, plain: InsecureProviderPolicy) -> bool {
        self.sso_url.len() <= 2 * ISSUER_BYTES_MAX && parse_endpoint_url(Some(&self.sso_url), plain).is_some()
    }
}

fn is_plain(text: &str) -> bool {
    (1..=CONNECTION_TEXT_BYTES_MAX).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ')
        && text.trim() == text
}
