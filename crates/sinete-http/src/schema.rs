//! Every JSON schema of the API, by its name.

use crate::accounts::management::handlers as accounts;
use crate::administration::diagnostics::handlers as diagnostics;
use crate::administration::health::handlers as health;
use crate::administration::settings::handlers as settings;
use crate::administration::signing_keys::handlers as keys;
use crate::authzen::relationships::handlers as relationships;
use crate::events::audit_log::handlers as audit;
use crate::events::security_log::handlers as events;
use crate::events::security_log::status as log_status;
use crate::events::usage::handlers as usage;
use crate::events::webhooks::handlers as webhooks;
use crate::identity_providers::connections::handlers as connections;
use crate::identity_providers::setup_links::handlers as setup_links;
use crate::oauth::clients::handlers as clients;
use crate::organizations::api_catalog::handlers as apis;
use crate::organizations::api_keys::handlers as api_keys;
use crate::organizations::assignments::handlers as assignments;
use crate::organizations::ciba_requests::handlers as ciba_requests;
use crate::organizations::domains::handlers as domains;
use crate::organizations::impersonation::handlers as impersonation;
use crate::organizations::invitations::handlers as invitations;
use crate::organizations::member_grants::handlers as grants;
use crate::organizations::members::handlers as members;
use crate::organizations::organization::handlers as organizations;
use crate::organizations::permissions::handlers as permissions;
use crate::organizations::roles::handlers as roles;
use crate::platform::messages::handlers as messages;
use sinete_server::schema::{NamedSchema, SchemaRegistry};
use std::sync::LazyLock;

/// Every schema, parsed.
pub static SCHEMA_REGISTRY: LazyLock<SchemaRegistry> = LazyLock::new(|| SchemaRegistry::new(&ALL_SCHEMAS));

/// The source of every schema. A resource adds its own here.
static ALL_SCHEMAS: LazyLock<Vec<&'static NamedSchema>> = LazyLock::new(|| {
    let schemas: [&[&NamedSchema]; 4] = [
        crate::platform::health::SCHEMAS,
        crate::openapi::SCHEMAS,
        crate::sign_in::flows::handlers::SCHEMAS,
        crate::scim::SCHEMAS,
    ];
    [schemas.concat(), management_api_schemas(), crate::accounts::account_request::SCHEMAS.clone()].concat()
});

/// The schemas of the management API.
fn management_api_schemas() -> Vec<&'static NamedSchema> {
    let schemas = [
        accounts::SCHEMAS,
        api_keys::SCHEMAS,
        apis::OBJECT_SCHEMAS,
        apis::SCHEMAS,
        assignments::SCHEMAS,
        setup_links::SCHEMAS,
        audit::SCHEMAS,
        ciba_requests::SCHEMAS,
        connections::SCHEMAS,
        diagnostics::SCHEMAS,
        domains::SCHEMAS,
        events::SCHEMAS,
        log_status::SCHEMAS,
        grants::SCHEMAS,
        health::SCHEMAS,
        impersonation::SCHEMAS,
        invitations::SCHEMAS,
        keys::SCHEMAS,
        members::SCHEMAS,
        messages::SCHEMAS,
        organizations::SCHEMAS,
        crate::organizations::organization::first_owner::SCHEMAS,
        crate::organizations::organization::logo::SCHEMAS,
        permissions::SCHEMAS,
        relationships::SCHEMAS,
        roles::SCHEMAS,
        settings::SCHEMAS,
        usage::SCHEMAS,
        webhooks::SCHEMAS,
    ];
    [schemas.concat(), clients::SCHEMAS.concat()].concat()
}

/// The schema with this name, as written.
pub fn find_schema(name: &str) -> Option<&'static NamedSchema> {
    ALL_SCHEMAS.iter().copied().find(|schema| schema.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use sinete_core::json_schema;
    use sinete_server::schema::SCHEMA_REFERENCE_PREFIX;

    fn references(schema: &Value, reference_names: &mut Vec<String>) {
        match schema {
            Value::Object(members) => {
                reference_names.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
                members.values().for_each(|member| references(member, reference_names));
            }
            Value::Array(elements) => {
                elements.iter().for_each(|element| references(element, reference_names))
            }
            _ => {}
        }
    }

    #[test]
    fn json_schemas_have_unique_names_and_resolving_references() {
        assert_eq!(SCHEMA_REGISTRY.iter().count(), ALL_SCHEMAS.len(), "two schemas share a name");
        for (name, schema) in SCHEMA_REGISTRY.iter() {
            assert!(schema.is_object(), "{name} is not JSON");
            let mut reference_names = Vec::new();
            references(schema, &mut reference_names);
            for reference in reference_names {
                let target = reference.strip_prefix(SCHEMA_REFERENCE_PREFIX).unwrap_or_default();
                assert!(SCHEMA_REGISTRY.find(target).is_some(), "{name} refers to {reference}");
            }
        }
    }

    /// Annotation keywords. A pattern or format documents one of our types, which is stricter.
    const SAID: [&str; 5] = ["default", "description", "examples", "format", "pattern"];

    #[test]
    fn json_schemas_use_enforced_keywords_only() {
        for (name, read) in SCHEMA_REGISTRY.iter() {
            let unknown = json_schema::find_unsupported_keywords(read, &SAID);
            assert!(unknown.is_empty(), "{name} contains {unknown:?}, which is not enforced");
        }
    }

    #[test]
    fn json_schema_that_is_not_registered_accepts_nothing() {
        let unlisted = NamedSchema::from_json("Unlisted", "{}");
        assert!(!SCHEMA_REGISTRY.check(&unlisted, &Value::Null).is_empty());
    }
}
