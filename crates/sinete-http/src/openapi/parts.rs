//! Parts of the description: schemas, parameters, response headers and security schemes.

use serde_json::{Value, json};
use sinete_core::limits::{
    CURSOR_CHARACTERS_MAX, IDEMPOTENCY_KEY_CHARACTERS_MAX, PAGE_ITEMS_DEFAULT, PAGE_ITEMS_MAX,
};
use sinete_server::schema::SchemaRegistry;
use std::collections::BTreeMap;

/// All components.
pub(super) fn describe_components(schemas: &SchemaRegistry, refusals: Value) -> Value {
    json!({
        "schemas": schemas.iter().map(|(name, schema)| (name, publish_schema(schema))).collect::<BTreeMap<_, _>>(),
        "responses": refusals,
        "parameters": parameter_components(),
        "securitySchemes": {
            "bearer": {
                "type": "http",
                "scheme": "bearer",
                "description": "An API key or an access token, as `Authorization: Bearer sn_ak_…`.",
            },
            "dpop": {
                "type": "http",
                "scheme": "dpop",
                "description": "A DPoP-bound access token, as `Authorization: DPoP eyJ…`, with a proof in the header `DPoP` (RFC 9449).",
            },
            "session": {
                "type": "apiKey", "in": "header", "name": "Authorization",
                "description": "A session token, as `Authorization: Session sn_se_…`.",
            },
            "sessionCookie": {
                "type": "apiKey", "in": "cookie", "name": "__Host-session",
                "description": "The session token as a cookie, which is called `session` over plain HTTP in development.",
            },
            "flow": {
                "type": "apiKey", "in": "header", "name": "Authorization",
                "description": "The token of a flow, as `Authorization: Flow sn_fl_…`.",
            },
            "flowCookie": {
                "type": "apiKey", "in": "cookie", "name": "__Host-flow",
                "description": "The flow token as a cookie, which is called `flow` over plain HTTP in development.",
            },
        },
    })
}

fn parameter_components() -> Value {
    json!({
        "limit": {
            "name": "limit", "in": "query", "description": "The maximum number of items on a page.",
            "schema": {"type": "integer", "minimum": 1, "maximum": PAGE_ITEMS_MAX, "default": PAGE_ITEMS_DEFAULT},
        },
        "after": {
            "name": "after", "in": "query",
            "description": "The cursor at which the page begins: `next` of the previous page of the same list with the same filters.",
            "schema": {"type": "string", "maxLength": CURSOR_CHARACTERS_MAX},
        },
        "idempotencyKey": {
            "name": "Idempotency-Key", "in": "header",
            "description": "A key that the caller chooses. A request that is repeated with it within 24 hours creates nothing twice: the response is the same, or 409 `already_created` with the id if the response contained a secret.",
            "schema": {
                "type": "string", "minLength": 1, "maxLength": IDEMPOTENCY_KEY_CHARACTERS_MAX,
                "pattern": "^[!-~]+$",
            },
        },
        "ifMatch": {
            "name": "If-Match", "in": "header", "required": true,
            "description": "The ETag of the version to change.",
            "schema": {"type": "string", "pattern": "^\"[1-9][0-9]{0,17}\"$"}, "example": "\"1\"",
        },
    })
}

/// A schema as the description shows it: without `uniqueItems` of a list of fixed words, for which generators of
/// Java make code that does not compile. What the server checks stays: decision 0295.
pub(super) fn publish_schema(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let lists_words = members.get("items").is_some_and(|items| items.get("enum").is_some());
            let published = members.iter().filter(|(name, _)| !(lists_words && *name == "uniqueItems"));
            Value::Object(published.map(|(name, member)| (name.clone(), publish_schema(member))).collect())
        }
        Value::Array(elements) => elements.iter().map(publish_schema).collect(),
        other => other.clone(),
    }
}

/// Describes a header of a response, in place: some generators of clients fail at a reference here.
pub(super) fn describe_response_header(name: &str) -> Value {
    match name {
        "ETag" => json!({"description": "The version of the resource.", "schema": {"type": "string"}}),
        "Location" => {
            json!({"description": "The URL of the created resource.", "schema": {"type": "string"}})
        }
        "Retry-After" => {
            json!({"description": "The number of seconds to wait.", "schema": {"type": "integer"}})
        }
        "WWW-Authenticate" => {
            json!({"description": "What the credential lacks (RFC 6750).", "schema": {"type": "string"}})
        }
        _ => json!({
            "description": "The id of the request, as in logs and errors.",
            "schema": {"type": "string", "format": "uuid"},
        }),
    }
}

/// Describes a path parameter.
pub(super) fn describe_path_parameter(name: &str) -> Value {
    let (description, schema) = match name {
        "organization" => (
            "The id or the slug of the organization.".to_owned(),
            json!({"type": "string", "minLength": 2, "maxLength": 63, "pattern": "^[a-z0-9][a-z0-9-]*[a-z0-9]$"}),
        ),
        "action" => {
            let names: Vec<_> = sinete_core::sign_in::flows::action::FlowAction::ALL
                .iter()
                .map(|action| action.name())
                .collect();
            ("The name of the action.".to_owned(), json!({"type": "string", "enum": names}))
        }
        "client" => {
            ("The id of the client.".to_owned(), json!({"type": "string", "minLength": 1, "maxLength": 100}))
        }
        "resource_type" => (
            "The name of the resource type.".to_owned(),
            json!({"type": "string", "enum": ["User", "Group"]}),
        ),
        "schema" => ("The name of the schema, as a URN.".to_owned(), json!({"type": "string"})),
        other => {
            let resource = other.replace('_', " ").replace("api", "API");
            (format!("The id of the {resource}."), json!({"type": "string", "format": "uuid"}))
        }
    };
    json!({"name": name, "in": "path", "required": true, "description": description, "schema": schema})
}
