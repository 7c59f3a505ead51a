//! Organization settings. All have defaults, and none can enable what the instance disables.

use super::OrganizationSlug;
use super::audit_log_settings::AuditLogSettings;
use super::branding::BrandingSettings;
use super::client_documents::ClientDocumentRules;
use super::effective_date::EffectiveDate;
use super::scim_settings::ScimSettings;
use crate::accounts::language::Language;
use crate::assurance::credential_kind::CredentialKind;
use crate::assurance::{AssuranceLevel, AuthenticationEvidence};
use crate::id::OrganizationId;
use crate::json_schema::impl_value_schema;
use crate::limits::ORGANIZATION_NAME_CHARACTERS_MAX;
use crate::time::Timestamp;
use crate::validation::is_display_text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// An organization's display name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OrganizationName(Box<str>);

impl_value_schema!(OrganizationName, {
    "type": "string", "minLength": 1, "maxLength": ORGANIZATION_NAME_CHARACTERS_MAX,
});

/// The text is not a valid name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a name is 1 to {ORGANIZATION_NAME_CHARACTERS_MAX} visible characters, without control or direction marks"
)]
pub struct InvalidOrganizationName;

impl OrganizationName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The default name of an organization.
    pub fn from_slug(slug: &OrganizationSlug) -> Self {
        Self(slug.as_str().into())
    }
}

impl TryFrom<String> for OrganizationName {
    type Error = InvalidOrganizationName;

    fn try_from(text: String) -> Result<Self, InvalidOrganizationName> {
        let trimmed = text.trim();
        let fits = is_display_text(trimmed, ORGANIZATION_NAME_CHARACTERS_MAX);
        if fits { Ok(Self(trimmed.into())) } else { Err(InvalidOrganizationName) }
    }
}
impl From<OrganizationName> for String {
    fn from(name: OrganizationName) -> Self {
        name.0.into()
    }
}
impl fmt::Display for OrganizationName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The settings of an organization.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OrganizationSettings {
    /// The minimum assurance level for tokens of this organization.
    #[schemars(description = "The minimum assurance level for tokens of this organization.")]
    pub least_assurance: AssuranceLevel,
    /// When `least_assurance` takes effect; `None` is at once. Until then `aal1` suffices.
    #[schemars(
        description = "The date from which least_assurance applies, from midnight UTC on. If omitted, it applies at once. Until then aal1 suffices."
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_assurance_from: Option<EffectiveDate>,
    /// The credential kinds accepted for signing in; `None` accepts all.
    #[schemars(
        description = "The kinds of credentials that members may sign in with. If omitted, every kind is accepted."
    )]
    #[schemars(length(max = 8))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_credentials: Option<BTreeSet<CredentialKind>>,
    /// Whether members must sign in at the organization's identity provider.
    #[schemars(description = "Whether members must sign in at the organization's identity provider.")]
    #[serde(skip_serializing_if = "SingleSignOnPolicy::is_default")]
    pub single_sign_on: SingleSignOnPolicy,
    /// The disabled grant types.
    #[schemars(description = "The grant types that are disabled.")]
    #[schemars(length(max = 5))]
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub refused_grants: BTreeSet<RestrictableGrantType>,
    /// Whether untrusted clients may request access from members.
    #[schemars(description = "Whether unverified clients may request access from members.")]
    pub unverified_clients: UnverifiedClientPolicy,
    /// Which clients with a metadata document may request access from members.
    #[schemars(description = "Which clients with a metadata document may request access from members.")]
    #[serde(skip_serializing_if = "ClientDocumentRules::is_default")]
    pub client_documents: ClientDocumentRules,
    /// What it decides about dynamically registered clients.
    #[serde(skip_serializing_if = "RegistrationSettings::is_default")]
    pub registration: RegistrationSettings,
    /// Whether the organization's own agents may act for its members by token exchange.
    pub delegation: DelegationPolicy,
    /// The language for recipients whose own is unknown.
    #[schemars(description = "The language for recipients whose own language is unknown.")]
    #[schemars(with = "String", extend("enum" = ["en", "pt", "pt-PT", "es", "pt-BR"], "default" = "en"))]
    #[serde(skip_serializing_if = "is_default_language")]
    pub language: Language,
    /// The branding of its hosted pages.
    #[schemars(description = "The branding of the hosted pages.")]
    #[serde(skip_serializing_if = "BrandingSettings::is_empty")]
    pub branding: BrandingSettings,
    /// What it decides about the SCIM requests of its directories.
    #[schemars(description = "The SCIM settings of the organization.")]
    #[serde(skip_serializing_if = "ScimSettings::is_default")]
    pub scim: ScimSettings,
    /// How long its audit log is kept.
    #[schemars(description = "The audit log settings of the organization.")]
    #[serde(skip_serializing_if = "AuditLogSettings::is_default")]
    pub audit_log: AuditLogSettings,
}

impl OrganizationSettings {
    /// The assurance level that the organization requires now.
    pub fn required_assurance(&self, now: Timestamp) -> AssuranceLevel {
        let is_in_effect = self.least_assurance_from.is_none_or(|date| date.starts_at() <= now);
        if is_in_effect { self.least_assurance } else { AssuranceLevel::One }
    }

    /// The assurance level that the evidence reaches here, without other organizations' identity providers
    /// and credentials that are not accepted; `None` if this way of signing in is not accepted.
    pub fn effective_assurance_level(
        &self,
        evidence: &AuthenticationEvidence,
        organization: OrganizationId,
    ) -> Option<AssuranceLevel> {
        let counts = self.accepted_evidence(evidence, organization);
        let is_accepted = match self.single_sign_on {
            SingleSignOnPolicy::Optional => true,
            SingleSignOnPolicy::Required => counts.includes_identity_provider(),
        };
        counts.assurance_level().filter(|_| is_accepted)
    }

    /// The evidence accepted here, without other organizations' identity providers and credentials that are
    /// not accepted.
    pub fn accepted_evidence(
        &self,
        evidence: &AuthenticationEvidence,
        organization: OrganizationId,
    ) -> AuthenticationEvidence {
        let authentication_evidence = evidence.restrict_to_organization(organization);
        self.allowed_credentials.as_ref().map_or_else(
            || authentication_evidence.clone(),
            |it| authentication_evidence.restrict_to_kinds(it),
        )
    }
}

/// Whether the scope that a self-registered client named at registration limits its requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ScopeCeilingPolicy {
    /// It does.
    #[default]
    Registered,
    /// The user's consent decides instead.
    Consent,
}

impl ScopeCeilingPolicy {
    /// The policy in an organization, which may restrict the instance's policy and never relaxes it.
    #[must_use]
    pub fn restrict(self, organization: Option<Self>) -> Self {
        match (self, organization) {
            (Self::Consent, None | Some(Self::Consent)) => Self::Consent,
            (Self::Registered, _) | (_, Some(Self::Registered)) => Self::Registered,
        }
    }
}

/// What an organization decides about dynamically registered clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(inline)]
pub struct RegistrationSettings {
    /// Whether the registered scope limits requests; `None` follows the instance.
    #[schemars(
        description = "Whether the scope that a self-registered client registered limits its requests. If omitted, the instance's setting applies. The value consent has no effect if the instance's setting is registered."
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope_ceiling: Option<ScopeCeilingPolicy>,
}

impl RegistrationSettings {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

fn is_default_language(language: &Language) -> bool {
    *language == Language::default()
}

/// Whether members must use the organization's identity provider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SingleSignOnPolicy {
    /// Members may sign in there.
    #[default]
    Optional,
    /// Members must sign in there, and may need a step-up afterwards.
    Required,
}

impl SingleSignOnPolicy {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The grant types that an organization can disable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum RestrictableGrantType {
    /// Client credentials.
    ClientCredentials,
    /// Token exchange (RFC 8693).
    TokenExchange,
    /// Device authorization (RFC 8628).
    DeviceCode,
    /// CIBA.
    Backchannel,
    /// API keys.
    ApiKey,
}

/// What untrusted clients may do here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum UnverifiedClientPolicy {
    /// They may request access, and the user decides.
    #[default]
    Allow,
    /// They may not request access.
    Refuse,
}

/// What the organization's own agents may do for its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(inline)]
pub struct DelegationPolicy {
    /// Whether they may exchange a member's token for a narrower one of their own.
    #[schemars(description = "Whether its own agents may act for its members through token exchange.")]
    #[schemars(extend("default" = true))]
    pub own_agents: bool,
}

impl Default for DelegationPolicy {
    fn default() -> Self {
        Self { own_agents: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Lifetime;

    #[test]
    fn organization_settings_default_when_omitted_and_stay_omitted() {
        let settings: OrganizationSettings = serde_json::from_str("{}").unwrap();
        assert_eq!(settings, OrganizationSettings::default());
        assert!(settings.delegation.own_agents);
        assert!(!serde_json::to_string(&settings).unwrap().contains("language"));
        let text = r##"{"language":"pt","least_assurance":"aal2","allowed_credentials":["passkey"],"branding":{"accent":"#1a5fb4"}}"##;
        let settings: OrganizationSettings = serde_json::from_str(text).unwrap();
        assert_eq!(
            (settings.least_assurance, settings.language),
            (AssuranceLevel::Two, Language::Portuguese)
        );
        let parsed_settings = serde_json::from_value(serde_json::to_value(&settings).unwrap()).unwrap();
        assert_eq!(settings, parsed_settings);
    }

    #[test]
    fn organization_setting_that_is_unknown_is_refused() {
        for text in [
            r#"{"leastAssurance":"aal2"}"#,
            r#"{"least_assurance":"aal3"}"#,
            r#"{"least_assurance_from":"2026-02-30"}"#,
            r#"{"least_assurance_from":1767225600}"#,
            r#"{"allowed_credentials":["secret_question"]}"#,
            r#"{"refused_grants":["password"]}"#,
            r#"{"branding":{"css":"x"}}"#,
            r#"{"language":"de"}"#,
            r#"{"scim":{"unknown_attributes":"store"}}"#,
            r#"{"scim":{"extension_schemas":["acme"]}}"#,
            r#"{"audit_log":{"retention_days":29}}"#,
            r#"{"audit_log":{"retention_days":"400d"}}"#,
            r#"{"audit_log":{"retention":400}}"#,
        ] {
            assert!(serde_json::from_str::<OrganizationSettings>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn least_assurance_is_required_from_its_effective_date() {
        let text = r#"{"least_assurance":"aal2","least_assurance_from":"2026-12-01"}"#;
        let settings: OrganizationSettings = serde_json::from_str(text).unwrap();
        // 2026-12-01T00:00:00Z
        let begin = Timestamp::from_seconds(1_796_083_200);
        let day_before = begin.minus(Lifetime::from_micros(1));
        assert_eq!(settings.required_assurance(day_before), AssuranceLevel::One);
        assert_eq!(settings.required_assurance(begin), AssuranceLevel::Two);
        let at_once = OrganizationSettings { least_assurance_from: None, ..settings.clone() };
        assert_eq!(at_once.required_assurance(day_before), AssuranceLevel::Two);
        assert!(serde_json::to_string(&settings).unwrap().contains("\"2026-12-01\""));
    }

    #[test]
    fn organization_name_that_could_imitate_another_is_refused() {
        let name = |text: &str| OrganizationName::try_from(text.to_owned());
        assert_eq!(name("  Padaria São João ").unwrap().as_str(), "Padaria São João");
        for text in ["", "   ", "a\u{202e}b", "a\u{200b}b", "a\nb", "a\0b", &"x".repeat(101)] {
            assert_eq!(name(text), Err(InvalidOrganizationName), "{text:?}");
        }
    }

    #[test]
    fn scope_ceiling_policy_of_an_organization_restricts_and_never_relaxes() {
        use ScopeCeilingPolicy::{Consent, Registered};
        assert_eq!(Consent.restrict(None), Consent);
        assert_eq!(Consent.restrict(Some(Consent)), Consent);
        assert_eq!(Consent.restrict(Some(Registered)), Registered);
        for organization in [None, Some(Consent), Some(Registered)] {
            assert_eq!(Registered.restrict(organization), Registered);
        }
    }
}
