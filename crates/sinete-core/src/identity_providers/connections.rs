//! How an organization is connected to a provider of its own, as far as it chooses that.

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

/// Who a provider is, as it stands in everything it signs: its address, or the entity ID of one that speaks SAML. It is
/// compared byte for byte.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct IdentityProviderIssuer(Box<str>);

/// The text is no issuer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidProviderIssuer {
    /// It is no address of a provider.
    #[error("an https address without a query, a fragment or credentials")]
    NotAnAddress,
    /// It has no TLS.
    #[error("an https address: http only for a provider on this machine, in development")]
    Plain,
    /// It is no entity ID.
    #[error("an entity ID of 1 to 512 visible characters, as the provider writes it")]
    NotAnEntity,
}

/// Whether a provider without TLS is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsecureProviderPolicy {
    /// On this machine, to try things out.
    OnLoopback,
    /// Nowhere.
    Refused,
}

impl IdentityProviderIssuer {
    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address at which it says what it is and where (OpenID Connect Discovery §4).
    pub fn discovery_url(&self) -> String {
        format!("{}/.well-known/openid-configuration", self.0.trim_end_matches('/'))
    }

    /// The issuer, if it may be used where this is said about providers without TLS.
    pub fn parse(text: &str, plain: InsecureProviderPolicy) -> Result<Self, InvalidProviderIssuer> {
        let url = Url::parse(text).map_err(|_| InvalidProviderIssuer::NotAnAddress)?;
        let has_more = url.query().is_some() || url.fragment().is_some();
        let has_credentials = !url.username().is_empty() || url.password().is_some();
        if text.len() > ISSUER_BYTES_MAX
            || has_more
            || has_credentials
            || !url.has_host()
            || text.contains('\\')
        {
            return Err(InvalidProviderIssuer::NotAnAddress);
        }
        match (url.scheme(), plain) {
            ("https", _) => Ok(Self(text.into())),
            ("http", InsecureProviderPolicy::OnLoopback) if is_loopback(&url) => Ok(Self(text.into())),
            ("http", _) => Err(InvalidProviderIssuer::Plain),
            _ => Err(InvalidProviderIssuer::NotAnAddress),
        }
    }

    /// The entity ID of a provider that speaks SAML: any name, since nothing is fetched from it.
    pub fn parse_entity_id(text: &str) -> Result<Self, InvalidProviderIssuer> {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
        let fits = (1..=ISSUER_BYTES_MAX).contains(&text.len());
        if is_plain && fits { Ok(Self(text.into())) } else { Err(InvalidProviderIssuer::NotAnEntity) }
    }
}

/// Whether an address is on this machine.
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

    /// What it must be besides depends on what the provider speaks, and whether one without TLS is taken on the instance
    /// that is to use it.
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

/// How we prove to a provider who we are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderAuthMethod {
    /// With a secret that it gave us.
    #[default]
    ClientSecret,
    /// With a signature of ours, which our published keys verify (RFC 7523).
    PrivateKey,
}

/// What a provider says of how somebody proved who they are, that we take for two factors. Everything else is one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TwoFactorMapping {
    /// Values of `acr`.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub acr: BTreeSet<String>,
    /// Values of `amr`, each of which is enough.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub amr: BTreeSet<String>,
}

impl TwoFactorMapping {
    /// How sure we are of somebody of whom a provider says this. What it does not say counts as one factor, and so does
    /// what was proven longer ago than two factors count here.
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

/// What an organization chooses about a provider, beside who it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "ConnectionSettingsDocument", into = "ConnectionSettingsDocument")]
pub struct ConnectionSettings {
    /// What people read on the button.
    pub name: String,
    /// What we take for two factors.
    pub two_factors: TwoFactorMapping,
    /// The claim or attribute by which a membership that was provisioned is found: it equals the membership's external id.
    /// Without one, the provider names nobody of the directory.
    pub external_id_claim: Option<String>,
    /// What is spoken with it.
    pub protocol: ConnectionProtocol,
}

/// What is spoken with a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectionProtocol {
    /// OpenID Connect.
    OpenId(OidcConnectionSettings),
    /// SAML 2.0.
    Saml(Box<SamlConnectionSettings>),
}

/// What is chosen about a provider that speaks OpenID Connect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OidcConnectionSettings {
    /// The name by which the provider knows us.
    pub client_id: String,
    /// How we prove that to it.
    pub authentication: ProviderAuthMethod,
    /// What we ask it for.
    pub scopes: Vec<String>,
}

/// What is chosen, as it is written down.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConnectionSettingsDocument {
    /// What people read on the button.
    pub name: String,
    /// The name by which the provider knows us.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// How we prove that to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authentication: Option<ProviderAuthMethod>,
    /// What we ask it for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// What we take for two factors.
    #[serde(default)]
    pub two_factors: TwoFactorMapping,
    /// By what a membership that was provisioned is found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id_claim: Option<String>,
    /// What is chosen about a provider that speaks SAML; where it is there, the provider does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saml: Option<SamlConnectionSettings>,
}

/// What is written down is of a provider of both kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("with saml there is no client_id, authentication or scopes")]
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
    fn from(chosen: ConnectionSettings) -> Self {
        let whole = Self {
            name: chosen.name,
            two_factors: chosen.two_factors,
            external_id_claim: chosen.external_id_claim,
            ..Self::default()
        };
        match chosen.protocol {
            ConnectionProtocol::Saml(saml) => Self { saml: Some(*saml), ..whole },
            ConnectionProtocol::OpenId(open_id) => Self {
                client_id: Some(open_id.client_id),
                authentication: Some(open_id.authentication),
                scopes: Some(open_id.scopes),
                ..whole
            },
        }
    }
}

/// The scopes that are asked for unless it is said otherwise.
pub fn default_scopes() -> Vec<String> {
    ["openid", "email", "profile"].map(str::to_owned).into()
}

impl ConnectionSettings {
    /// What is wrong with it, if anything.
    pub fn validate(&self) -> ValidationErrors {
        let mut faults = ValidationErrors::default();
        faults.check_display_text("/name", &self.name);
        match &self.protocol {
            ConnectionProtocol::OpenId(open_id) => {
                if self.external_id_claim.as_deref().is_some_and(|name| !is_plain(name)) {
                    faults.add("/external_id_claim", "the name of a claim, such as sub or oid");
                }
                faults.add_nested("", &open_id.validate());
            }
            ConnectionProtocol::Saml(saml) => {
                // Names of attributes are addresses, or words with spaces between them.
                let is_name = |name: &str| is_plain(&name.replace(' ', "_")) && name.trim() == name;
                if self.external_id_claim.as_deref().is_some_and(|name| !is_name(name)) {
                    faults.add("/external_id_claim", "NameID, or the name of an attribute");
                }
                faults.add_nested("/saml", &saml.validate());
            }
        }
        for (pointer, values) in
            [("/two_factors/acr", &self.two_factors.acr), ("/two_factors/amr", &self.two_factors.amr)]
        {
            if values.len() > CONNECTION_VALUES_MAX || !values.iter().all(|value| is_plain(value)) {
                faults.add(pointer, "at most 20 values of visible characters");
            }
        }
        faults
    }

    /// What is chosen about it, if it speaks SAML.
    pub const fn saml_settings(&self) -> Option<&SamlConnectionSettings> {
        match &self.protocol {
            ConnectionProtocol::Saml(saml) => Some(saml),
            ConnectionProtocol::OpenId(_) => None,
        }
    }

    /// Whether the same is spoken with both, so that the same issuer is the same provider.
    pub const fn has_same_protocol(&self, other: &Self) -> bool {
        self.saml_settings().is_some() == other.saml_settings().is_some()
    }

    /// What the provider's people are known under, beside the organization: who it is, and for one that speaks SAML also
    /// what it names them by. What means somebody in one way means nobody in another.
    pub fn provider_key(&self, issuer: &IdentityProviderIssuer) -> String {
        match self.saml_settings() {
            None => issuer.to_string(),
            Some(saml) if saml.subject == NAME_ID => format!("{SAML_MARK}{issuer}"),
            Some(saml) => format!("{SAML_MARK}{issuer} {}", saml.subject),
        }
    }
}

/// What the name begins with that people of a provider are known under which speaks SAML: no issuer of the other kind does.
const SAML_MARK: &str = "saml:";

/// Who a provider is, of what its people are known under.
pub fn issuer_from_key(known_as: &str) -> &str {
    match known_as.strip_prefix(SAML_MARK) {
        Some(rest) => rest.split(' ').next().unwrap_or_default(),
        None => known_as,
    }
}

fn is_plain(text: &str) -> bool {
    (1..=CONNECTION_TEXT_BYTES_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

impl OidcConnectionSettings {
    fn validate(&self) -> ValidationErrors {
        let mut faults = ValidationErrors::default();
        if !is_plain(&self.client_id) {
            faults.add("/client_id", "1 to 256 visible characters, as the provider shows it");
        }
        let is_scope = |text: &String| is_plain(text) && !text.contains(['"', '\\']);
        if self.scopes.len() > CONNECTION_VALUES_MAX || !self.scopes.iter().all(is_scope) {
            faults.add("/scopes", "at most 20 names of scopes");
        } else if !self.scopes.iter().any(|scope| scope == "openid") {
            faults.add("/scopes", "openid must be among them");
        }
        faults
    }
}

/// The name under which somebody is known by a provider of an organization, beside the subject that the provider gives
/// them. What one organization's provider says is nothing to another's accounts, even where both use the same one.
pub fn build_provider_key(
    organization: OrganizationId,
    chosen: &ConnectionSettings,
    issuer: &IdentityProviderIssuer,
) -> String {
    format!("{organization} {}", chosen.provider_key(issuer))
}

#[cfg(test)]
mod tests;
