//! Organizations, as requested and returned.

use crate::management_api::pagination::ResourceView;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::accounts::language::Language;
use sinete_core::id::OrganizationId;
use sinete_core::limits::DISPLAY_TEXT_CHARACTERS_MAX;
use sinete_core::organization_kind::OrganizationKind;
use sinete_core::organizations::OrganizationSlug;
use sinete_core::organizations::branding::{AccentColor, BackgroundColor};
use sinete_core::organizations::client_documents::ClientDocumentHosts;
use sinete_core::organizations::effective_date::EffectiveDate;
use sinete_core::organizations::scim_settings::ScimExtensionSchemas;
use sinete_core::organizations::settings::{OrganizationName, OrganizationSettings};
use sinete_core::refusal::Refusal;
use sinete_core::validation::ValidationErrors;
use sinete_engine::Failure;
use sinete_engine::organizations::{FirstOwner, OrganizationChange, OrganizationRequest, OrganizationRow};
use sinete_server::reply::HandlerError;
use sinete_server::reply::json::JsonTimestamp;
use sinete_server::schema::NamedSchema;

/// An organization, as returned.
#[derive(Serialize, JsonSchema)]
struct OrganizationView<'a> {
    id: OrganizationId,
    /// The short name in URLs, unique and never reused.
    slug: &'a str,
    /// The display name.
    name: &'a str,
    /// A tenant (`customer`), the operators' organization, or the home organization, for users who belong to
    /// no other.
    #[schemars(with = "String", extend("enum" = ["customer", "operator", "home"]))]
    kind: OrganizationKind,
    /// A suspended organization grants no access and cannot be changed; its members can still see it.
    #[schemars(extend("enum" = ["enabled", "suspended", "ended"]))]
    condition: &'static str,
    /// Why it was suspended.
    #[serde(skip_serializing_if = "Option::is_none")]
    condition_reason: Option<&'a str>,
    settings: OrganizationSettings,
    /// When it is deleted, if its deletion was requested.
    ends_at: Option<JsonTimestamp>,
    /// The version, which is also the `ETag`.
    version: i64,
}

impl ResourceView for OrganizationRow {
    fn cursor(&self) -> String {
        self.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        let reason = self.condition_reason.as_str();
        Ok(OrganizationView {
            id: self.id,
            slug: self.slug.as_str(),
            name: &self.name,
            kind: self.kind,
            condition: condition_name(self.condition),
            condition_reason: (self.condition == LifecycleCondition::Suspended).then_some(reason),
            settings: self.settings.parse().map_err(Failure::from)?,
            ends_at: self.ends_at.map(JsonTimestamp),
            version: self.version,
        })
    }
}

/// The name of a condition.
pub(crate) const fn condition_name(condition: LifecycleCondition) -> &'static str {
    match condition {
        LifecycleCondition::Enabled => "enabled",
        LifecycleCondition::Suspended => "suspended",
        LifecycleCondition::Ended => "ended",
    }
}

/// An organization to create.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewOrganizationInput {
    /// Lower-case letters, digits and inner hyphens. It must not look like an id.
    #[schemars(with = "OrganizationSlug")]
    slug: String,
    /// The display name; by default the slug.
    #[schemars(with = "Option<OrganizationName>")]
    name: Option<String>,
    #[schemars(with = "OrganizationSettings")]
    #[serde(default)]
    settings: Value,
    /// The first owner, who is invited by e-mail in the same transaction.
    owner: Option<FirstOwnerInput>,
}

/// The first owner.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct FirstOwnerInput {
    #[schemars(with = "EmailAddress")]
    email: String,
    /// The language of the message; by default the organization's.
    #[schemars(with = "Option<String>", extend("enum" = ["en", "pt", "pt-PT", "es", "pt-BR"]))]
    language: Option<Language>,
}

impl FirstOwnerInput {
    /// Parses the address, which is at this pointer of the body.
    pub(crate) fn parse_owner(
        self,
        pointer: &'static str,
        errors: &mut ValidationErrors,
    ) -> Option<FirstOwner> {
        let address = errors.parse_text::<EmailAddress>(pointer, &self.email)?;
        Some(FirstOwner { address, language: self.language })
    }
}

impl NewOrganizationInput {
    pub(crate) fn into_organization_request(
        self,
    ) -> Result<(OrganizationRequest, Option<FirstOwner>), HandlerError> {
        let mut errors = ValidationErrors::default();
        let slug = errors.parse_text::<OrganizationSlug>("/slug", &self.slug);
        let name = match self.name {
            Some(name) => parse_name(name, &mut errors),
            None => slug.as_ref().map(OrganizationName::from_slug),
        };
        let settings = parse_settings(self.settings, &mut errors);
        let owner = self.owner.and_then(|owner| owner.parse_owner("/owner/email", &mut errors));
        match (slug, name, settings) {
            (Some(slug), Some(name), Some(settings)) if errors.is_empty() => {
                Ok((OrganizationRequest { id: None, slug, name, settings }, owner))
            }
            _ => Err(Refusal::from_validation_errors(errors).into()),
        }
    }
}

/// The editable properties of an organization.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OrganizationPatch {
    #[schemars(with = "OrganizationName")]
    name: String,
    #[schemars(with = "OrganizationSettings")]
    #[serde(default)]
    settings: Value,
}

impl OrganizationPatch {
    pub(crate) fn from_organization(organization: &OrganizationRow) -> Result<Self, HandlerError> {
        let settings = organization.settings.parse().map_err(Failure::from)?;
        Ok(Self { name: organization.name.clone(), settings })
    }

    pub(crate) fn into_organization_changes(self) -> Result<OrganizationChange, HandlerError> {
        let mut errors = ValidationErrors::default();
        let name = parse_name(self.name, &mut errors);
        let settings = parse_settings(self.settings, &mut errors);
        if errors.is_empty() {
            Ok(OrganizationChange { name, settings })
        } else {
            Err(Refusal::from_validation_errors(errors).into())
        }
    }
}

fn parse_name(text: String, errors: &mut ValidationErrors) -> Option<OrganizationName> {
    OrganizationName::try_from(text)
        .map_err(|organization_name| errors.add("/name", organization_name.to_string()))
        .ok()
}

/// Parses the settings after they were validated against the schema: only names, dates and colors are left to check.
fn parse_settings(value: Value, errors: &mut ValidationErrors) -> Option<OrganizationSettings> {
    let date = value.pointer("/least_assurance_from").and_then(Value::as_str).map(str::to_owned);
    if let Some(Err(effective_date)) = date.map(EffectiveDate::try_from) {
        errors.add("/settings/least_assurance_from", effective_date.to_string());
    }
    let branding =
        |name: &str| value.pointer(&format!("/branding/{name}")).and_then(Value::as_str).map(str::to_owned);
    if let Some(Err(organization_name)) = branding("name").map(OrganizationName::try_from) {
        errors.add("/settings/branding/name", organization_name.to_string());
    }
    if let Some(Err(invalid_color)) = branding("accent").map(AccentColor::try_from) {
        errors.add("/settings/branding/accent", invalid_color.to_string());
    }
    if let Some(Err(invalid_color)) = branding("background").map(BackgroundColor::try_from) {
        errors.add("/settings/branding/background", invalid_color.to_string());
    }
    let schemas = value.pointer("/scim/extension_schemas").cloned();
    let schemas = schemas.and_then(|schemas| Vec::<String>::deserialize(schemas).ok());
    if let Some(Err(extension_schemas)) = schemas.map(ScimExtensionSchemas::try_from) {
        errors.add("/settings/scim/extension_schemas", extension_schemas.to_string());
    }
    let hosts = value.pointer("/client_documents/hosts").cloned();
    let hosts = hosts.and_then(|hosts| Vec::<String>::deserialize(hosts).ok());
    if let Some(Err(document_hosts)) = hosts.map(ClientDocumentHosts::try_from) {
        errors.add("/settings/client_documents/hosts", document_hosts.to_string());
    }
    let value = if value.is_null() { Value::Object(serde_json::Map::new()) } else { value };
    match OrganizationSettings::deserialize(value) {
        Ok(settings) => Some(settings),
        Err(_) if errors.is_empty() => {
            errors.add("/settings", "are not valid settings; compare them with the schema in /openapi.json");
            None
        }
        Err(_) => None,
    }
}

/// The reason of an action.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReasonInput {
    /// The reason, which the organization sees in its audit log.
    #[schemars(length(min = 1, max = DISPLAY_TEXT_CHARACTERS_MAX))]
    reason: String,
}

impl ReasonInput {
    pub(crate) fn into_reason(self) -> Result<String, HandlerError> {
        let mut errors = ValidationErrors::default();
        errors.check_display_text("/reason", &self.reason);
        if errors.is_empty() { Ok(self.reason) } else { Err(Refusal::from_validation_errors(errors).into()) }
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] =
    &[&ORGANIZATION, &NEW_ORGANIZATION, &ORGANIZATION_PATCH, &SETTINGS, &SETTINGS_PATCH, &REASON];

/// The schema of the resource.
pub(crate) const ORGANIZATION: NamedSchema = NamedSchema::response::<OrganizationView<'_>>("Organization")
    .with_example(r#"{
        "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071", "slug": "padaria-sao-joao",
        "name": "Padaria São João", "kind": "customer", "condition": "enabled",
        "settings": {"least_assurance": "aal1", "unverified_clients": "allow", "delegation": {"own_agents": true}},
        "ends_at": null, "version": 1
    }"#);

/// The schema for creating an organization.
pub(crate) const NEW_ORGANIZATION: NamedSchema =
    NamedSchema::request::<NewOrganizationInput>("CreateOrganizationRequest").with_example(
        r#"{"slug": "padaria-sao-joao", "name": "Padaria São João", "owner": {"email": "ana@example.org"}}"#,
    );

/// The schema for changing an organization.
pub(crate) const ORGANIZATION_PATCH: NamedSchema =
    NamedSchema::merge_patch::<OrganizationPatch>("OrganizationPatch")
        .with_example(r#"{"name": "Padaria São João Ltda", "settings": {"least_assurance": "aal2"}}"#);

/// The schema of the settings.
const SETTINGS: NamedSchema = NamedSchema::request::<OrganizationSettings>("OrganizationSettings")
    .with_description("The settings of an organization. Omitted settings have their default.");

/// The schema for changing the settings: null restores a default.
const SETTINGS_PATCH: NamedSchema =
    NamedSchema::merge_patch::<OrganizationSettings>("OrganizationSettingsPatch").with_description(
        "A JSON merge patch: members that are present are set, null restores the default, and absent members \
             keep their values.",
    );

/// The schema of a reason.
pub(crate) const REASON: NamedSchema =
    NamedSchema::request::<ReasonInput>("Reason").with_example(r#"{"reason": "Unpaid since March"}"#);

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::assurance::AssuranceLevel;
    use sinete_core::assurance::credential_kind::CredentialKind;
    use sinete_core::organizations::audit_log_settings::{AuditLogSettings, AuditRetention};
    use sinete_core::organizations::branding::BrandingSettings;
    use sinete_core::organizations::client_documents::{ClientDocumentPolicy, ClientDocumentRules};
    use sinete_core::organizations::scim_settings::{ScimSettings, UnknownAttributePolicy};
    use sinete_core::organizations::settings::{
        DelegationPolicy, RegistrationSettings, RestrictableGrantType, ScopeCeilingPolicy,
        SingleSignOnPolicy, UnverifiedClientPolicy,
    };

    #[test]
    fn organization_schemas_cover_every_setting() {
        // Every field is listed, so that a new one is not forgotten in the schemas.
        let settings = OrganizationSettings {
            least_assurance: AssuranceLevel::Two,
            least_assurance_from: EffectiveDate::try_from("2026-12-01".to_owned()).ok(),
            allowed_credentials: Some([CredentialKind::Passkey, CredentialKind::SingleSignOn].into()),
            single_sign_on: SingleSignOnPolicy::Required,
            refused_grants: [RestrictableGrantType::DeviceCode, RestrictableGrantType::ApiKey].into(),
            unverified_clients: UnverifiedClientPolicy::Refuse,
            client_documents: ClientDocumentRules {
                policy: ClientDocumentPolicy::AllowList,
                hosts: vec!["app.example".to_owned()].try_into().unwrap(),
            },
            registration: RegistrationSettings { scope_ceiling: Some(ScopeCeilingPolicy::Consent) },
            delegation: DelegationPolicy { own_agents: false },
            language: Language::Portuguese,
            branding: BrandingSettings {
                name: OrganizationName::try_from("Acme".to_owned()).ok(),
                accent: AccentColor::try_from("#1a5fb4".to_owned()).ok(),
                background: BackgroundColor::try_from("#eef2ff".to_owned()).ok(),
            },
            scim: ScimSettings {
                unknown_attributes: UnknownAttributePolicy::Refuse,
                extension_schemas: vec!["urn:acme:crm:1.0:User".to_owned()].try_into().unwrap(),
            },
            audit_log: AuditLogSettings { retention_days: AuditRetention::try_from(400).ok() },
        };
        let text = serde_json::to_value(&settings).unwrap();
        for schema in [&SETTINGS, &SETTINGS_PATCH] {
            assert!(
                crate::schema::SCHEMA_REGISTRY.check(schema, &text).is_empty(),
                "{:?}",
                crate::schema::SCHEMA_REGISTRY.check(schema, &text)
            );
        }
        let mut errors = ValidationErrors::default();
        assert_eq!(parse_settings(text, &mut errors), Some(settings));
    }
}
