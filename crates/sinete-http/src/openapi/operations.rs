//! Descriptions of operations.

use super::parts::{describe_path_parameter, describe_response_header};
use crate::state::RouteEntry;
use serde_json::{Map, Value, json};
use sinete_core::refusal::RefusalCode;
use sinete_server::route::{
    ApiConvention, ApiOperation, CallerKind, ErrorFormat, OperationOutcome, RequestBodyKind,
    RequiredPermission,
};
use sinete_server::schema::{NamedSchema, SCHEMA_REFERENCE_PREFIX};
use std::collections::BTreeMap;

/// Describes the operation of a route.
pub(super) fn describe_operation(route: &RouteEntry, operation: &ApiOperation) -> Value {
    let mut described = json!({
        "operationId": operation.id,
        "tags": [operation.tag.name()],
        "summary": route.description.trim_end_matches('.'),
        "security": security_requirements(route.caller),
        "responses": operation_responses(route, operation),
    });
    let fresh = operation
        .has_convention(ApiConvention::FreshAuthentication)
        .then(|| FRESH_AUTHENTICATION_NOTE.to_owned());
    described["description"] = match required_permissions(route.caller).or(fresh) {
        Some(needs) => format!("{}\n\n{needs}", route.description).into(),
        None => route.description.into(),
    };
    let parameters = operation_parameters(route, operation);
    if !parameters.is_empty() {
        described["parameters"] = parameters.into();
    }
    if let Some(schema) = operation.request {
        let media_type = described_media_type(route.request_body);
        let content = json!({media_type: {"schema": schema_reference(schema)}});
        described["requestBody"] = json!({"required": true, "content": content});
    }
    described
}

const FRESH_AUTHENTICATION_NOTE: &str = "Requires that the user authenticated within the last five minutes, with \
    the strongest factors of the account. Otherwise the error contains what is missing, for a flow of the kind \
    `step_up`.";

/// The media type of a request body. A body of several is described by the one that every generator of clients
/// knows: decision 0295.
const fn described_media_type(body: RequestBodyKind) -> &'static str {
    match body {
        RequestBodyKind::Form | RequestBodyKind::FormOrNothing => "application/x-www-form-urlencoded",
        RequestBodyKind::Nothing
        | RequestBodyKind::Json
        | RequestBodyKind::MergePatch
        | RequestBodyKind::Scim
        | RequestBodyKind::ScimBulk => "application/json",
    }
}

fn schema_reference(schema: &NamedSchema) -> Value {
    json!({"$ref": format!("{SCHEMA_REFERENCE_PREFIX}{}", schema.name)})
}

fn security_requirements(caller: CallerKind) -> Value {
    match caller {
        CallerKind::Anyone
        | CallerKind::Browser
        | CallerKind::Registrant
        | CallerKind::Registration
        | CallerKind::Client
        | CallerKind::SignedInUser => json!([]),
        CallerKind::Bearer(_) | CallerKind::Token(_) => json!([{"bearer": []}, {"dpop": []}]),
        CallerKind::Session => json!([{"session": []}, {"sessionCookie": []}]),
        CallerKind::Flow => json!([{"flow": []}, {"flowCookie": []}]),
    }
}

fn required_permissions(caller: CallerKind) -> Option<String> {
    let CallerKind::Bearer(needs) = caller else { return None };
    match needs {
        RequiredPermission::Nothing => None,
        RequiredPermission::OverInstance(permission) => {
            Some(format!("Requires `{permission}` on the instance."))
        }
        RequiredPermission::InOrganization(permission) => {
            Some(format!("Requires `{permission}` in the organization."))
        }
        RequiredPermission::OneInOrganization(permissions) => {
            let one: Vec<_> = permissions.iter().map(|permission| format!("`{permission}`")).collect();
            Some(format!(
                "Requires {} in the organization, depending on the kind of the resource.",
                one.join(" or ")
            ))
        }
        RequiredPermission::InCredentialOrganization(permission) => {
            Some(format!("Requires `{permission}` in the organization of the credential."))
        }
        RequiredPermission::InOrganizationOrOwner(permission) => Some(format!(
            "Requires `{permission}` in the organization, unless the resource is the caller's own and the credential \
             has all permissions of the caller."
        )),
        RequiredPermission::Assignment => Some(
            "Requires an assignment of the caller to the organization. Its own members cannot do this."
                .to_owned(),
        ),
    }
}

fn operation_parameters(route: &RouteEntry, operation: &ApiOperation) -> Vec<Value> {
    let in_path = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let mut parameters: Vec<Value> = in_path.map(describe_path_parameter).collect();
    let parameter_ref = |name: &str| json!({"$ref": format!("#/components/parameters/{name}")});
    for convention in operation.conventions {
        match convention {
            ApiConvention::Paged => parameters.extend([parameter_ref("limit"), parameter_ref("after")]),
            ApiConvention::IdempotencyKey => parameters.push(parameter_ref("idempotencyKey")),
            ApiConvention::IfMatch => parameters.push(parameter_ref("ifMatch")),
            ApiConvention::Etag | ApiConvention::Mutation | ApiConvention::FreshAuthentication => {}
        }
    }
    parameters.extend(operation.query.iter().map(|parameter| {
        json!({
            "name": parameter.name, "in": "query", "description": parameter.description,
            "required": parameter.is_required, "schema": (parameter.schema)(),
        })
    }));
    parameters
}

fn operation_responses(route: &RouteEntry, operation: &ApiOperation) -> Value {
    let mut responses = Map::new();
    success_response(route, operation, &mut responses);
    for (status, codes) in group_by_status(route) {
        let reference =
            format!("#/components/responses/{}", refusal_component_name(route.error_format, status, &codes));
        responses.insert(status.to_string(), json!({"$ref": reference}));
    }
    Value::Object(responses)
}

/// The possible refusals of these routes, each combination once.
pub(super) fn refusal_components(routes: &[RouteEntry]) -> Value {
    let mut refusals = Map::new();
    for route in routes.iter().filter(|route| route.operation.is_some()) {
        for (status, codes) in group_by_status(route) {
            let name = refusal_component_name(route.error_format, status, &codes);
            refusals.insert(name, refusal_response(route.error_format, status, &codes));
        }
    }
    Value::Object(refusals)
}

fn group_by_status(route: &RouteEntry) -> BTreeMap<u16, Vec<RefusalCode>> {
    let mut by_status: BTreeMap<u16, Vec<RefusalCode>> = BTreeMap::new();
    for code in route.possible_refusals() {
        by_status.entry(code.status()).or_default().push(code);
    }
    by_status
}

fn refusal_component_name(shape: ErrorFormat, status: u16, codes: &[RefusalCode]) -> String {
    let names: Vec<_> = codes.iter().map(|code| code.name()).collect();
    match shape {
        ErrorFormat::Problem | ErrorFormat::OAuth => format!("{status}-{}", names.join("-")),
        ErrorFormat::Scim => format!("scim-{status}-{}", names.join("-")),
    }
}

fn success_response(route: &RouteEntry, operation: &ApiOperation, responses: &mut Map<String, Value>) {
    let mut headers = json!({"X-Request-Id": describe_response_header("X-Request-Id")});
    if operation.has_convention(ApiConvention::Etag) {
        headers["ETag"] = describe_response_header("ETag");
    }
    let mut insert = |status: &str, description: &str, content: Value| {
        let mut headers = headers.clone();
        if status == "201" {
            headers["Location"] = describe_response_header("Location");
        }
        let mut response = json!({"description": description, "headers": headers});
        if !content.is_null() {
            response["content"] = content;
        }
        responses.insert(status.to_owned(), response);
    };
    let kind = match route.error_format {
        ErrorFormat::Problem | ErrorFormat::OAuth => "application/json",
        ErrorFormat::Scim => "application/scim+json",
    };
    let json_of = |schema: Value| json!({kind: {"schema": schema}});
    match operation.outcome {
        OperationOutcome::Resource(schema) if operation.has_convention(ApiConvention::Paged) => {
            insert("200", "A page of the list.", json_of(page_schema(schema)));
        }
        OperationOutcome::Resource(schema) => {
            insert("200", "The resource.", json_of(schema_reference(schema)))
        }
        OperationOutcome::Created(schema) => {
            insert("201", "The created resource.", json_of(schema_reference(schema)))
        }
        OperationOutcome::NoContent => insert("204", "Done. The response has no content.", Value::Null),
        OperationOutcome::CacheableDocument(schema) => {
            insert("200", "The document.", json_of(schema_reference(schema)));
            insert("304", "The client has the current document.", Value::Null);
        }
        OperationOutcome::Stream(media_type) => {
            insert("200", "A stream of events.", json!({media_type: {"schema": {"type": "string"}}}));
        }
        OperationOutcome::ResourceOrExport(schema, files) => {
            let is_paged = operation.has_convention(ApiConvention::Paged);
            let mut content = json_of(if is_paged { page_schema(schema) } else { schema_reference(schema) });
            for file in files {
                content[*file] = json!({"schema": {"type": "string"}});
            }
            let description = match is_paged {
                true => "A page of the list, or the whole list as a file.",
                false => "The resource, also as a file.",
            };
            insert("200", description, content);
        }
    }
}

fn page_schema(schema: &NamedSchema) -> Value {
    json!({
        "type": "object", "additionalProperties": false, "required": ["items", "next"],
        "properties": {
            "items": {"type": "array", "items": schema_reference(schema)},
            "next": {
                "type": ["string", "null"],
                "description": "`after` of the next page; null on the last page.",
            },
        },
    })
}

fn refusal_response(shape: ErrorFormat, status: u16, codes: &[RefusalCode]) -> Value {
    let kinds: Vec<_> = codes.iter().map(|code| format!("`{}`", code.name())).collect();
    let mut headers = json!({"X-Request-Id": describe_response_header("X-Request-Id")});
    match status {
        401 | 403 => headers["WWW-Authenticate"] = describe_response_header("WWW-Authenticate"),
        503 => headers["Retry-After"] = describe_response_header("Retry-After"),
        _ => {}
    }
    let (kind, schema) = match shape {
        ErrorFormat::Problem | ErrorFormat::OAuth => ("application/problem+json", "Problem"),
        ErrorFormat::Scim => ("application/scim+json", "ScimError"),
    };
    json!({
        "description": format!("Refused: {}.", kinds.join(", ")),
        "headers": headers,
        "content": {kind: {"schema": {"$ref": format!("{SCHEMA_REFERENCE_PREFIX}{schema}")}}},
    })
}
