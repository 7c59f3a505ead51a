//! The OpenAPI 3.1 description, generated from the table of routes and their schemas, so that it matches what
//! is served.

#[cfg(test)]
mod compatibility;
#[cfg(feature = "screens")]
pub(crate) mod explorer;
mod operations;
mod parts;

use crate::state::HttpState;
use crate::state::RouteEntry;
use serde_json::{Map, Value, json};
use sinete_core::secret::Digest;
use sinete_server::reply::document::StaticDocument;
use sinete_server::reply::{HandlerError, RetryOutlook, ServerFailure};
use sinete_server::route::{OperationTag, RouteListener};
use sinete_server::schema::{NamedSchema, SchemaRegistry};
use std::sync::Arc;

/// The description.
pub(crate) fn openapi_document(state: &HttpState) -> Result<Arc<StaticDocument>, HandlerError> {
    let document = state.openapi_document(|| build_document(state).map(Arc::new));
    document.ok_or_else(|| {
        let reason = "the OpenAPI description could not be serialized".to_owned();
        HandlerError::Failed(ServerFailure { retry: RetryOutlook::Permanent, reason })
    })
}

fn build_document(state: &HttpState) -> Option<StaticDocument> {
    let description = describe_api(state.routes(), state.schemas(), state.base_address().issuer());
    let bytes = serde_json::to_vec(&description).ok()?;
    let digest = Digest::<OpenApiDigestDomain>::from_parts(&[&bytes]);
    let tag: String = digest.as_bytes().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    StaticDocument::new(bytes, &tag, "application/json", "public, max-age=300")
        .ok()
        .map(StaticDocument::with_gzip)
}

/// The digest type of the description.
enum OpenApiDigestDomain {}

/// Describes these routes at this issuer.
fn describe_api(routes: &[RouteEntry], schemas: &SchemaRegistry, issuer: &str) -> Value {
    let tags: Vec<_> = OperationTag::ALL
        .iter()
        .map(|tag| json!({"name": tag.name(), "description": tag.description()}))
        .collect();
    json!({
        "openapi": "3.1.1",
        "info": {
            "title": "Sinete",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "The management API of a Sinete instance",
            "description": API_DESCRIPTION,
            "license": {"name": "Apache License 2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": issuer}],
        "tags": tags,
        "paths": describe_paths(routes),
        "components": parts::describe_components(schemas, operations::refusal_components(routes)),
    })
}

fn describe_paths(routes: &[RouteEntry]) -> Value {
    let mut paths = Map::new();
    for route in routes.iter().filter(|route| route.listener.includes(RouteListener::Public)) {
        let Some(operation) = &route.operation else { continue };
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.name().to_ascii_lowercase()] = operations::describe_operation(route, operation);
    }
    Value::Object(paths)
}

const API_DESCRIPTION: &str = "Organizations with their members, roles, clients, API keys and audit logs.\n\n\
A request below `/manage` is authenticated by a bearer credential in the `Authorization` header. A resource of another \
organization is answered like one that does not exist. Every response contains the id of the request in `X-Request-Id`; \
an error is `application/problem+json` and repeats it.\n\n\
Lists are returned in pages, ordered by id: `limit` is the maximum number of items, and `next` of one page is `after` of \
the following one. A request that creates a resource may contain an `Idempotency-Key`; repeated by the same caller within \
24 hours, it creates nothing twice. A request that changes a resource names the version to change in `If-Match`. The \
body of a `PATCH` is a JSON merge patch (RFC 7396), sent as `application/json` or `application/merge-patch+json`. Unknown \
members of a body and unknown query parameters are refused.\n\n\
The routes below `/scim/v2` are SCIM 2.0 and follow RFC 7643 and RFC 7644 instead of these conventions. Their bodies are \
sent as `application/json` or `application/scim+json`.";

/// The schemas of this module.
pub(crate) const SCHEMAS: &[&NamedSchema] = &[&DESCRIPTION, &PROBLEM];

/// The schema of the description itself.
pub(crate) const DESCRIPTION: NamedSchema = NamedSchema::from_json(
    "Description",
    r#"{
        "type": "object", "required": ["openapi", "info", "paths"],
        "description": "This document.",
        "properties": {"openapi": {"type": "string"}, "info": {"type": "object"}, "paths": {"type": "object"}}
    }"#,
);

/// The schema of a problem document (RFC 9457).
const PROBLEM: NamedSchema = NamedSchema::from_json(
    "Problem",
    r#"{
        "type": "object", "additionalProperties": false,
        "required": ["type", "title", "status", "code", "detail", "instance"],
        "description": "Why a request was refused (RFC 9457).",
        "properties": {
            "type": {"type": "string", "format": "uri", "description": "A URI that names the reason for the refusal. It never changes."},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "code": {"type": "string", "description": "The general error code, which several types share."},
            "detail": {"type": "string", "description": "What is wrong and what to do, in one or two sentences."},
            "instance": {"type": "string", "format": "uri", "description": "The id of the request."},
            "id": {"type": "string", "description": "The id of the resource that an earlier request created."},
            "needs": {
                "type": "object", "additionalProperties": false, "required": ["flow", "acr_values", "max_age"],
                "description": "The authentication that is required first (RFC 9470).",
                "properties": {
                    "flow": {"type": "string", "description": "The kind of flow in which the user can authenticate."},
                    "acr_values": {"type": "string"},
                    "max_age": {"type": "integer", "description": "The maximum age of the authentication, in seconds."}
                }
            },
            "errors": {
                "type": "array", "description": "What is wrong with the body, and where.",
                "items": {
                    "type": "object", "additionalProperties": false, "required": ["pointer", "detail"],
                    "properties": {
                        "pointer": {"type": "string", "description": "A JSON pointer (RFC 6901) into the body."},
                        "detail": {"type": "string"}
                    }
                }
            }
        },
        "examples": [{
            "type": "urn:sinete:problem:validation_failed", "title": "Unprocessable Entity", "status": 422,
            "code": "unprocessable",
            "detail": "The request body is not valid. The member errors names each field and what is wrong with it.",
            "instance": "urn:uuid:01936f5e-7c2a-7def-8a1b-2c3d4e5f6075",
            "errors": [{"pointer": "/name", "detail": "is required"}]
        }]
    }"#,
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::router::ROUTES;
    use crate::schema::SCHEMA_REGISTRY;

    #[test]
    fn openapi_describes_every_documented_route_and_no_other() {
        let description = describe_api(ROUTES, &SCHEMA_REGISTRY, "https://id.example.org");
        let mut described = 0;
        for route in ROUTES {
            let method_name = route.method.name().to_ascii_lowercase();
            let described_operation = &description["paths"][route.path][&method_name];
            let is_public = route.listener.includes(RouteListener::Public);
            match route.operation {
                Some(operation) if is_public => {
                    described += 1;
                    assert_eq!(described_operation["operationId"], operation.id);
                    for code in route.possible_refusals() {
                        assert!(
                            described_operation["responses"][code.status().to_string()].is_object(),
                            "{route:?}"
                        );
                    }
                }
                Some(_) | None => assert!(described_operation.is_null(), "{route:?}"),
            }
        }
        let all = description["paths"].as_object().unwrap().values();
        assert_eq!(all.map(|path| path.as_object().unwrap().len()).sum::<usize>(), described);
        assert_eq!(description["servers"][0]["url"], "https://id.example.org");
    }

    #[test]
    fn openapi_references_resolve() {
        let description = describe_api(ROUTES, &SCHEMA_REGISTRY, "https://id.example.org");
        let mut pending = vec![&description];
        let mut reference_count = 0;
        while let Some(value) = pending.pop() {
            match value {
                Value::Object(members) => {
                    if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
                        reference_count += 1;
                        let pointer = reference.strip_prefix('#').unwrap();
                        assert!(description.pointer(pointer).is_some(), "{reference}");
                    }
                    pending.extend(members.values());
                }
                Value::Array(elements) => pending.extend(elements),
                _ => {}
            }
        }
        assert!(reference_count > 50);
    }
}
