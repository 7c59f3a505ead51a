//! An organization's connection to an identity provider: its issuer and settings.

use super::saml::settings::{NAME_ID, SamlConnectionSettings};
use crate::assurance::AssuranceLevel;
use crate::id::OrganizationId;
use crate::limits::{AAL2_AGE_MAX, CONNECTION_TEXT_BYTES_MAX, CONNECTION_VALUES_MAX, ISSUER_BYTES_MAX};
use crate::time::Timestamp;
use crate::validation::ValidationErrors;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use url::{Host, Url};

/// The issuer of an identity provider: its issuer URL, or its entity ID for SAML. Compared byte for byte.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct IdentityProviderIssuer(Box<str>);

/// Why an issuer is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidProviderIssuer {
    /// It is not an issuer URL.
    #[error("must be an https URL without query, fragment and credentials")]
    NotAUrl,
    /// It does not use TLS.
    #[error("must be an https URL; http is allowed only for a provider on this machine in development mode")]
    NotHttps,
    /// It is not an entity ID.
    #[error("must be an entity ID of 1 to 512 visible characters, as the provider shows it")]
    NotAnEntityId,
}

/// Whether identity providers without TLS are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsecureProviderPolicy {
    /// On loopback addresses, for development.
    OnLoopback,
    /// Never.
    Refused,
}

impl IdentityProviderIssuer {
    /// The issuer as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The URL of the provider's metadata (OpenID Connect Discovery §4).
    pub fn discovery_url(&self) -> String {
        format!("{}/.well-known/openid-configuration", self.0.trim_end_matches('/'))
    }

    /// Parses an issuer URL under this policy for providers without TLS.
    pub fn parse(text: &str, plain: InsecureProviderPolicy) -> Result<Self, InvalidProviderIssuer> {
        let url = Url::parse(text).map_err(|_| InvalidProviderIssuer::NotAUrl)?;
        let has_more = url.query().is_some() || url.fragment().is_some();
        let has_credentials = !url.username().is_empty() || url.password().is_some();
        if text.len() > ISSUER_BYTES_MAX
            || has_more
            || has_credentials
            || !url.has_host()
            || text.contains('\\')
        {
            return Err(InvalidProviderIssuer::NotAUrl);
        }
        match (url.scheme(), plain) {
            ("https", _) => Ok(Self(text.into())),
            ("http", InsecureProviderPolicy::OnLoopback) if is_loopback(&url) => Ok(Self(text.into())),
            ("http", _) => Err(InvalidProviderIssuer::NotHttps),
            _ => Err(InvalidProviderIssuer::NotAUrl),
        }
    }

    /// Parses a SAML entity ID: any name, because nothing is fetched from it.
    pub fn parse_entity_id(text: &str) -> Result<Self, InvalidProviderIssuer> {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
        let fits = (1..=ISSUER_BYTES_MAX).contains(&text.len());
        if is_plain && fits { Ok(Self(text.into())) } else { Err(InvalidProviderIssuer::NotAnEntityId) }
    }
}

/// Whether the URL has a loopback host.
pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

impl TryFrom<String> for IdentityProviderIssuer {
    type Error = InvalidProviderIssuer;

    /// Accepts any issuer or entity ID. The protocol and the instance's policy for TLS restrict it further.
    fn try_from(text: String) -> Result<Self, InvalidProviderIssuer> {
        Self::parse_entity_id(&text)
    }
}
impl From<IdentityProviderIssuer> for String {
    fn from(issuer: IdentityProviderIssuer) -> Self {
        issuer.0.into()
    }
}
impl fmt::Display for IdentityProviderIssuer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The client authentication method at the identity provider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderAuthMethod {
    /// `client_secret_post`, with a secret that the provider issued.
    #[default]
    ClientSecret,
    /// `private_key_jwt` (RFC 7523), verified with our published keys.
    PrivateKey,
}

/// The `acr` and `amr` values of a provider that count as two factors. Everything else counts as one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TwoFactorMapping {
    /// Values of `acr`.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub acr: BTreeSet<String>,
    /// Values of `amr`; any one of them is enough.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub amr: BTreeSet<String>,
}

impl TwoFactorMapping {
    /// Maps the provider's claims to an assurance level. Missing claims count as one factor, and so does an
    /// `auth_time` older than the maximum age of `aal2`.
    pub fn map_assurance_level(
        &self,
        acr: Option<&str>,
        amr: &[String],
        auth_time: Option<Timestamp>,
        now: Timestamp,
    ) -> AssuranceLevel {
        let is_said =
            acr.is_some_and(|acr| self.acr.contains(acr)) || amr.iter().any(|it| self.amr.contains(it));
        let is_old = auth_time.is_some_and(|at| now.since(at) > AAL2_AGE_MAX);
        if is_said && !is_old { AssuranceLevel::Two } else { AssuranceLevel::One }
    }
}

/// An organization's settings for a connection, apart from the issuer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "ConnectionSettingsDocument", into = "ConnectionSettingsDocument")]
pub struct ConnectionSettings {
    /// The name on the sign-in button.
    pub name: String,
    /// The values that count as two factors.
    pub two_factors: TwoFactorMapping,
    /// The claim or attribute whose value equals the external id of a provisioned membership. If `None`, this
    /// provider claims no provisioned memberships.
    pub external_id_claim: Option<String>,
    /// The protocol and its settings.
    pub protocol: ConnectionProtocol,
}

/// The protocol of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectionProtocol {
    /// OpenID Connect.
    OpenId(OidcConnectionSettings),
    /// SAML 2.0.
    Saml(Box<SamlConnectionSettings>),
}

/// Settings of an OpenID Connect connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OidcConnectionSettings {
    /// Our `client_id` at the provider.
    pub client_id: String,
    /// Our client authentication method.
    pub authentication: ProviderAuthMethod,
    /// The scopes to request.
    pub scopes: Vec<String>,
}

/// The settings as serialized in APIs and files.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConnectionSettingsDocument {
    /// The name on the sign-in button.
    pub name: String,
    /// Our `client_id` at the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// Our client authentication method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authentication: Option<ProviderAuthMethod>,
    /// The scopes to request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// The values that count as two factors.
    #[serde(default)]
    pub two_factors: TwoFactorMapping,
    /// The claim or attribute that identifies a provisioned membership.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id_claim: Option<String>,
    /// The SAML settings; if present, the protocol is SAML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saml: Option<SamlConnectionSettings>,
}

/// The document has settings of both protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a SAML connection has no client_id, authentication and scopes; remove them")]
pub struct ConflictingProtocols;

impl TryFrom<ConnectionSettingsDocument> for ConnectionSettings {
    type Error = ConflictingProtocols;

    fn try_from(text: ConnectionSettingsDocument) -> Result<Self, ConflictingProtocols> {
        let is_plain = text.client_id.is_none() && text.authentication.is_none() && text.scopes.is_none();
        let protocol = match text.saml {
            Some(_) if !is_plain => return Err(ConflictingProtocols),
            Some(saml) => ConnectionProtocol::Saml(Box::new(saml)),
            None => ConnectionProtocol::OpenId(OidcConnectionSettings {
                client_id: text.client_id.unwrap_or_default(),
                authentication: text.authentication.unwrap_or_default(),
                scopes: text.scopes.unwrap_or_else(default_scopes),
            }),
        };
        let (two_factors, external_id_claim) = (text.two_factors, text.external_id_claim);
        Ok(Self { name: text.name, two_factors, external_id_claim, protocol })
    }
}

impl From<ConnectionSettings> for ConnectionSettingsDocument {
    fn from(settings: ConnectionSettings) -> Self {
        let document = Self {
            name: settings.name,
            two_factors: settings.two_factors,
            external_id_claim: settings.external_id_claim,
            ..Self::default()
        };
        match settings.protocol {
            ConnectionProtocol::Saml(saml) => Self { saml: Some(*saml), ..document },
            ConnectionProtocol::OpenId(open_id) => Self {
                client_id: Some(open_id.client_id),
                authentication: Some(open_id.authentication),
                scopes: Some(open_id.scopes),
                ..document
            },
        }
    }
}

/// The default scopes.
pub fn default_scopes() -> Vec<String> {
    ["openid", "email", "profile"].map(str::to_owned).into()
}

impl ConnectionSettings {
    /// Validates the settings.
    pub fn validate(&self) -> ValidationErrors {
        let mut errors = ValidationErrors::default();
        errors.check_display_text("/name", &self.name);
        match &self.protocol {
            ConnectionProtocol::OpenId(open_id) => {
                if self.external_id_claim.as_deref().is_some_and(|name| !is_plain(name)) {
                    errors.add("/external_id_claim", "must be the name of a claim, such as sub or oid");
                }
                errors.add_nested("", &open_id.validate());
            }
            ConnectionProtocol::Saml(saml) => {
                // Attribute names are URIs, or words separated by spaces.
                let is_name = |name: &str| is_plain(&name.replace(' ', "_")) && name.trim() == name;
                if self.external_id_claim.as_deref().is_some_and(|name| !is_name(name)) {
                    errors.add("/external_id_claim", "must be NameID or the name of an attribute");
                }
                errors.add_nested("/saml", &saml.validate());
            }
        }
        for (pointer, values) in
            [("/two_factors/acr", &self.two_factors.acr), ("/two_factors/amr", &self.two_factors.amr)]
        {
            if values.len() > CONNECTION_VALUES_MAX || !values.iter().all(|value| is_plain(value)) {
                errors.add(pointer, "must be at most 20 values of visible characters");
            }
        }
        errors
    }

    /// The SAML settings, if the protocol is SAML.
    pub const fn saml_settings(&self) -> Option<&SamlConnectionSettings> {
        match &self.protocol {
            ConnectionProtocol::Saml(saml) => Some(saml),
            ConnectionProtocol::OpenId(_) => None,
        }
    }

    /// Whether both use the same protocol, so that the same issuer means the same provider.
    pub const fn has_same_protocol(&self, other: &Self) -> bool {
        self.saml_settings().is_some() == other.saml_settings().is_some()
    }

    /// The key for identities of this provider, apart from the organization: the issuer and, for SAML, also
    /// the attribute that identifies users. The same value in a different attribute is a different identity.
    pub fn provider_key(&self, issuer: &IdentityProviderIssuer) -> String {
        match self.saml_settings() {
            None => issuer.to_string(),
            Some(saml) if saml.subject == NAME_ID => format!("{SAML_KEY_PREFIX}{issuer}"),
            Some(saml) => format!("{SAML_KEY_PREFIX}{issuer} {}", saml.subject),
        }
    }
}

/// The prefix of SAML provider keys. No OpenID Connect issuer begins with it.
const SAML_KEY_PREFIX: &str = "saml:";

/// Extracts the issuer from a provider key.
pub fn issuer_from_key(known_as: &str) -> &str {
    match known_as.strip_prefix(SAML_KEY_PREFIX) {
        Some(rest) => rest.split(' ').next().unwrap_or_default(),
        None => known_as,
    }
}

fn is_plain(text: &str) -> bool {
    (1..=CONNECTION_TEXT_BYTES_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

impl OidcConnectionSettings {
    fn validate(&self) -> ValidationErrors {
        let mut errors = ValidationErrors::default();
        if !is_plain(&self.client_id) {
            errors.add("/client_id", "must be 1 to 256 visible characters, as the provider shows it");
        }
        let is_scope = |text: &String| is_plain(text) && !text.contains(['"', '\\']);
        if self.scopes.len() > CONNECTION_VALUES_MAX || !self.scopes.iter().all(is_scope) {
            errors.add("/scopes", "must be at most 20 scopes");
        } else if !self.scopes.iter().any(|scope| scope == "openid") {
            errors.add("/scopes", "must contain openid");
        }
        errors
    }
}

/// Builds the key under which an identity is stored together with the provider's `sub`. It includes the
/// organization: identities of one organization's provider never match accounts of another, even if both use
/// the same provider.
pub fn build_provider_key(
    organization: OrganizationId,
    settings: &ConnectionSettings,
    issuer: &IdentityProviderIssuer,
) -> String {
    format!("{organization} {}", settings.provider_key(issuer))
}

#[cfg(test)]
mod tests;
