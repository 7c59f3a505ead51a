//! Parses a declarative document from JSON into its types. An error is reported with its location, and
//! parsing continues with the rest.

mod object_reader;

use super::identity_providers::DeclaredConnection;
use super::webhooks::DeclaredWebhook;
use super::{
    ApiAvailability, DeclarativeConfig, DeclaredApi, DeclaredClient, DeclaredOrganization, DeclaredRole,
    SecretReference,
};
use crate::access_control::permission::Permission;
use crate::identity_providers::connections::{ConnectionSettings, ConnectionSettingsDocument};
use crate::oauth::client_metadata::ClientMetadata;
use crate::organizations::api_catalog::{ApiDefinition, PermissionDescription};
use crate::validation::ValidationErrors;
use object_reader::DeclarativeObjectReader;
use serde_json::Value;
use std::collections::BTreeSet;

impl DeclarativeConfig {
    /// Parses and validates the document, or returns all errors in it.
    pub fn parse(raw: &Value) -> Result<Self, ValidationErrors> {
        let mut errors = ValidationErrors::default();
        let mut reader = DeclarativeObjectReader::from_value("", raw, &mut errors);
        let document = reader.as_mut().map(|reader| Self {
            organizations: reader.read_map("organizations", read_organization),
            apis: reader.read_map("apis", read_api),
            clients: reader.read_map("clients", read_client),
            webhooks: reader.read_map("webhooks", read_webhook),
        });
        if let Some(reader) = reader {
            reader.finish();
        }
        let document = document.unwrap_or_default();
        let validation_errors = document.validate();
        errors.add_nested("", &validation_errors);
        if errors.is_empty() { Ok(document) } else { Err(errors) }
    }
}

fn read_organization(part: &mut DeclarativeObjectReader<'_>) -> Option<DeclaredOrganization> {
    let (id, name) = (part.read_optional("id"), part.read_required("name"));
    let settings = part.read_defaulted("settings", SETTINGS);
    let (roles, webhooks) = (part.read_map("roles", read_role), part.read_map("webhooks", read_webhook));
    let connections = part.read_map("connections", read_connection);
    let domains = if part.members.contains_key("domains") { part.read_list("domains") } else { None };
    let domains = domains.unwrap_or_default().into_iter().collect();
    Some(DeclaredOrganization { id, name: name?, settings, roles, webhooks, domains, connections })
}

fn read_role(part: &mut DeclarativeObjectReader<'_>) -> Option<DeclaredRole> {
    let description: Option<String> = part.read_optional("description");
    let permissions = part.read_list::<Permission>("permissions")?;
    Some(DeclaredRole {
        description: description.unwrap_or_default(),
        permissions: permissions.into_iter().collect(),
    })
}

fn read_api(part: &mut DeclarativeObjectReader<'_>) -> Option<DeclaredApi> {
    let (id, organization) = (part.read_optional("id"), part.read_optional("organization"));
    let offered_to: Option<ApiAvailability> = part.read_optional("offered_to");
    let Some(raw) = part.members.remove("definition") else {
        part.add_fault("definition", "is required");
        return None;
    };
    let mut below =
        DeclarativeObjectReader::from_value(part.member_pointer("definition"), &raw, part.faults)?;
    let definition = read_definition(&mut below);
    below.finish();
    Some(DeclaredApi {
        id,
        organization,
        offered_to: offered_to.unwrap_or_default(),
        definition: definition?,
    })
}

fn read_definition(part: &mut DeclarativeObjectReader<'_>) -> Option<ApiDefinition> {
    let (identifier, name) = (part.read_required("identifier"), part.read_required("name"));
    let permissions = part.read_list::<PermissionDescription>("permissions");
    let default_scope: Option<_> = part.read_optional("default_scope");
    let token_lifetime_seconds = part.read_optional("token_lifetime_seconds");
    let algorithm = part.read_optional("algorithm");
    let unverified_clients: Option<_> = part.read_optional("unverified_clients");
    let detail_types: Option<_> = part.read_optional("detail_types");
    let object_types: Option<_> = part.read_optional("object_types");
    Some(ApiDefinition {
        identifier: identifier?,
        name: name?,
        permissions: permissions?,
        default_scope: default_scope.unwrap_or_default(),
        token_lifetime_seconds,
        algorithm,
        unverified_clients: unverified_clients.unwrap_or_default(),
        detail_types: detail_types.unwrap_or_default(),
        object_types: object_types.unwrap_or_default(),
    })
}

fn read_client(part: &mut DeclarativeObjectReader<'_>) -> Option<DeclaredClient> {
    let (kind, organization) = (part.read_required("kind"), part.read_optional("organization"));
    let (purpose, roles, verified): (Option<String>, Option<_>, Option<bool>) =
        (part.read_optional("purpose"), part.read_optional("roles"), part.read_optional("verified"));
    let secret = read_secret(part);
    if !part.members.contains_key("metadata") {
        part.add_fault("metadata", "is required");
    }
    let metadata = part.read_defaulted("metadata", ClientMetadata::MEMBERS);
    Some(DeclaredClient {
        kind: kind?,
        organization,
        purpose: purpose.unwrap_or_default(),
        roles: roles.unwrap_or_default(),
        verified: verified.unwrap_or_default(),
        secret,
        metadata,
    })
}

fn read_webhook(part: &mut DeclarativeObjectReader<'_>) -> Option<DeclaredWebhook> {
    let (id, address) = (part.read_optional("id"), part.read_required("address"));
    let (description, kinds): (Option<String>, Option<_>) =
        (part.read_optional("description"), part.read_optional("kinds"));
    let secret = read_secret(part);
    if matches!(secret, Some(SecretReference::Digest(_))) {
        part.add_fault("secret", "a digest cannot sign; name where the secret is stored, or omit it");
    }
    Some(DeclaredWebhook {
        id,
        address: address?,
        description: description.unwrap_or_default(),
        kinds: kinds.unwrap_or_default(),
        secret,
    })
}

fn read_connection(part: &mut DeclarativeObjectReader<'_>) -> Option<DeclaredConnection> {
    let (issuer, secret) = (part.read_required("issuer"), read_secret(part));
    if matches!(secret, Some(SecretReference::Digest(_))) {
        part.add_fault("secret", "a digest cannot authenticate; name where the secret is stored, or omit it");
    }
    let (domains, enabled): (Option<BTreeSet<_>>, Option<bool>) =
        (part.read_optional("domains"), part.read_optional("enabled"));
    let name: Option<String> = part.read_required("name");
    let is_saml = part.members.contains_key("saml");
    let text = ConnectionSettingsDocument {
        name: name.unwrap_or_default(),
        client_id: if is_saml { part.read_optional("client_id") } else { part.read_required("client_id") },
        authentication: part.read_optional("authentication"),
        scopes: part.read_optional("scopes"),
        two_factors: part.read_optional("two_factors").unwrap_or_default(),
        external_id_claim: part.read_optional("external_id_claim"),
        saml: part.read_optional("saml"),
    };
    let settings = ConnectionSettings::try_from(text)
        .map_err(|conflicting_protocols| part.add_fault("saml", conflicting_protocols))
        .ok()?;
    let (domains, enabled) = (domains.unwrap_or_default(), enabled.unwrap_or_default());
    Some(DeclaredConnection { issuer: issuer?, settings, domains, enabled, secret })
}

/// Reads a secret reference. An invalid value is never repeated in the error: it could be the secret itself.
fn read_secret(part: &mut DeclarativeObjectReader<'_>) -> Option<SecretReference> {
    let raw = part.members.remove("secret")?;
    let read = serde_json::from_value::<SecretReference>(raw).ok();
    if read.is_none() {
        part.add_fault(
            "secret",
            "name where the secret is stored, as { env = \"NAME\" }, { file = \"PATH\" } or \
             { digest = \"…\" }; a document must not contain the secret itself",
        );
    }
    read
}

const SETTINGS: &[&str] = &[
    "least_assurance",
    "least_assurance_from",
    "allowed_credentials",
    "single_sign_on",
    "refused_grants",
    "unverified_clients",
    "client_documents",
    "registration",
    "delegation",
    "language",
    "branding",
    "scim",
    "audit_log",
];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn places(raw: &Value) -> Vec<String> {
        match DeclarativeConfig::parse(raw) {
            Ok(_) => Vec::new(),
            Err(errors) => errors.iter().map(|fault| fault.pointer.clone()).collect(),
        }
    }

    fn example() -> Value {
        serde_json::to_value(crate::administration::declarative::tests::example()).unwrap()
    }

    #[test]
    fn declarative_document_is_read_as_written() {
        assert_eq!(
            DeclarativeConfig::parse(&example()),
            Ok(crate::administration::declarative::tests::example())
        );
        assert_eq!(DeclarativeConfig::parse(&json!({})), Ok(DeclarativeConfig::default()));
        assert_eq!(places(&json!([])), [""]);
        assert_eq!(places(&json!({"organizations": []})), ["/organizations"]);
    }

    #[test]
    fn declarative_document_errors_are_all_reported_at_once() {
        let mut raw = example();
        raw["organisations"] = json!({});
        raw["organizations"]["Not A Slug"] = json!({"name": "x"});
        raw["organizations"]["acme"] = json!({
            "name": "", "settings": {"least_assurance": "aal9", "colour": 1, "language": "pt"},
            "roles": {"clerk": {"permissions": ["invoices:read", "everything"], "extra": 1}, "bare": {}},
        });
        raw["apis"]["in/voices"] =
            json!({"definition": {"identifier": "nonsense", "permissions": [{"english": "x"}]}});
        raw["apis"]["bare"] = json!({"offered_to": "some"});
        raw["clients"]["robot"]["metadata"] = json!({"client_nme": "x", "grant_types": ["password"]});
        raw["clients"]["robot"]["kind"] = json!("person");
        let mut pointers = places(&raw);
        pointers.sort();
        let mut expected = vec![
            "/organisations",
            "/organizations/Not A Slug",
            "/organizations/acme/name",
            "/organizations/acme/settings/least_assurance",
            "/organizations/acme/settings/colour",
            "/organizations/acme/roles/clerk/permissions/1",
            "/organizations/acme/roles/clerk/extra",
            "/organizations/acme/roles/bare/permissions",
            "/apis/in~1voices/definition/identifier",
            "/apis/in~1voices/definition/name",
            "/apis/in~1voices/definition/permissions/0",
            "/apis/bare/offered_to",
            "/apis/bare/definition",
            "/clients/robot/metadata/client_nme",
            "/clients/robot/metadata/grant_types",
            "/clients/robot/kind",
        ];
        expected.sort_unstable();
        assert_eq!(pointers, expected);
    }

    #[test]
    fn declarative_document_secret_is_refused_and_not_repeated() {
        for secret in [json!("sn_cs_verysecret"), json!({"value": "sn_cs_verysecret"}), json!({"env": 1})] {
            let mut raw = example();
            raw["clients"]["robot"]["secret"] = secret;
            let errors = DeclarativeConfig::parse(&raw).unwrap_err();
            assert!(errors.iter().any(|fault| fault.pointer == "/clients/robot/secret"));
            assert!(!format!("{errors:?}").contains("verysecret"));
        }
    }

    #[test]
    fn declarative_document_accepts_every_settings_member() {
        let settings = json!({
            "least_assurance": "aal2", "least_assurance_from": "2026-12-01", "allowed_credentials": ["passkey"], "single_sign_on": "required", "refused_grants": ["api_key"],
            "unverified_clients": "refuse", "client_documents": {"policy": "off"},
            "registration": {"scope_ceiling": "consent"}, "audit_log": {"retention_days": 400}, "delegation": {"own_agents": false}, "language": "pt",
            "branding": {"name": "x"}, "scim": {"unknown_attributes": "refuse"},
        });
        let read: crate::organizations::settings::OrganizationSettings =
            serde_json::from_value(settings).unwrap();
        let serialized_settings = serde_json::to_value(&read).unwrap();
        assert_eq!(serialized_settings.as_object().unwrap().len(), SETTINGS.len());
        assert!(SETTINGS.iter().all(|name| serialized_settings.get(name).is_some()));
    }
}
