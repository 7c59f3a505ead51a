//! One operation of the description.

use super::parts::path_parameter;
use crate::route::{
    ApiConvention, ApiOperation, CallerKind, ErrorFormat, OperationOutcome, RequiredPermission, RouteEntry,
};
use crate::schema::{NamedSchema, REFERENCE};
use serde_json::{Map, Value, json};
use sinete_core::refusal::RefusalCode;
use std::collections::BTreeMap;

/// What the description says of a row that is part of the API.
pub(super) fn described(route: &RouteEntry, operation: &ApiOperation) -> Value {
    let mut described = json!({
        "operationId": operation.id,
        "tags": [operation.tag.name()],
        "summary": route.description.trim_end_matches('.'),
        "security": security(route.caller),
        "responses": responses(route, operation),
    });
    let fresh = operation.follows(ApiConvention::Fresh).then(|| FRESH.to_owned());
    described["description"] = match needed(route.caller).or(fresh) {
        Some(needs) => format!("{}\n\n{needs}", route.description).into(),
        None => route.description.into(),
    };
    let parameters = parameters(route, operation);
    if !parameters.is_empty() {
        described["parameters"] = parameters.into();
    }
    if let Some(schema) = operation.request {
        let of_type = |media_type: &&str| ((*media_type).to_owned(), json!({"schema": reference(schema)}));
        let content: Map<String, Value> = route.takes.media_types().iter().map(of_type).collect();
        described["requestBody"] = json!({"required": true, "content": content});
    }
    described
}

const FRESH: &str = "Needs that the person proved who they are within the last five minutes, with as much as \
    they have set up. Otherwise the refusal says what is missing, and a flow of the kind `step_up` mends it.";

fn reference(schema: &NamedSchema) -> Value {
    json!({"$ref": format!("{REFERENCE}{}", schema.name)})
}

fn security(caller: CallerKind) -> Value {
    match caller {
        CallerKind::Anyone
        | CallerKind::Browser
        | CallerKind::Applicant
        | CallerKind::Registration
        | CallerKind::Client
        | CallerKind::Person => json!([]),
        CallerKind::Bearer(_) | CallerKind::Token(_) => json!([{"bearer": []}, {"dpop": []}]),
        CallerKind::Session => json!([{"session": []}, {"sessionCookie": []}]),
        CallerKind::Flow => json!([{"flow": []}, {"flowCookie": []}]),
    }
}

fn needed(caller: CallerKind) -> Option<String> {
    let CallerKind::Bearer(needs) = caller else { return None };
    match needs {
        RequiredPermission::Nothing => None,
        RequiredPermission::OverInstance(permission) => {
            Some(format!("Needs `{permission}` over the instance."))
        }
        RequiredPermission::InOrganization(permission) => {
            Some(format!("Needs `{permission}` in the organization."))
        }
        RequiredPermission::OneInOrganization(permissions) => {
            let one: Vec<_> = permissions.iter().map(|permission| format!("`{permission}`")).collect();
            Some(format!("Needs {} in the organization, depending on its kind.", one.join(" or ")))
        }
        RequiredPermission::InOwnOrganization(permission) => {
            Some(format!("Needs `{permission}` in the organization that the credential speaks for."))
        }
        RequiredPermission::InOrganizationOrOwn(permission) => Some(format!(
            "Needs `{permission}` in the organization, unless the thing is the caller's own and the credential \
             carries everything that the caller holds."
        )),
        RequiredPermission::Assignment => Some(
            "Needs an assignment of the caller to the organization: its own members cannot do this."
                .to_owned(),
        ),
    }
}

fn parameters(route: &RouteEntry, operation: &ApiOperation) -> Vec<Value> {
    let in_path = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let mut parameters: Vec<Value> = in_path.map(path_parameter).collect();
    let named = |name: &str| json!({"$ref": format!("#/components/parameters/{name}")});
    for convention in operation.follows {
        match convention {
            ApiConvention::Paged => parameters.extend([named("limit"), named("after")]),
            ApiConvention::Repeatable => parameters.push(named("idempotencyKey")),
            ApiConvention::Guarded => parameters.push(named("ifMatch")),
            ApiConvention::Tagged | ApiConvention::Changes | ApiConvention::Fresh => {}
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

fn responses(route: &RouteEntry, operation: &ApiOperation) -> Value {
    let mut responses = Map::new();
    success(route, operation, &mut responses);
    for (status, codes) in by_status(route) {
        let reference = format!("#/components/responses/{}", refusal_name(route.refuses, status, &codes));
        responses.insert(status.to_string(), json!({"$ref": reference}));
    }
    Value::Object(responses)
}

/// What these rows can be refused with, each combination once.
pub(super) fn refusals(routes: &[RouteEntry]) -> Value {
    let mut refusals = Map::new();
    for route in routes.iter().filter(|route| route.operation.is_some()) {
        for (status, codes) in by_status(route) {
            let name = refusal_name(route.refuses, status, &codes);
            refusals.insert(name, refusal(route.refuses, status, &codes));
        }
    }
    Value::Object(refusals)
}

fn by_status(route: &RouteEntry) -> BTreeMap<u16, Vec<RefusalCode>> {
    let mut by_status: BTreeMap<u16, Vec<RefusalCode>> = BTreeMap::new();
    for code in route.refusals() {
        by_status.entry(code.status()).or_default().push(code);
    }
    by_status
}

fn refusal_name(shape: ErrorFormat, status: u16, codes: &[RefusalCode]) -> String {
    let names: Vec<_> = codes.iter().map(|code| code.name()).collect();
    match shape {
        ErrorFormat::Problem | ErrorFormat::OAuth => format!("{status}-{}", names.join("-")),
        ErrorFormat::Scim => format!("scim-{status}-{}", names.join("-")),
    }
}

fn header(name: &str) -> Value {
    json!({"$ref": format!("#/components/headers/{name}")})
}

fn success(route: &RouteEntry, operation: &ApiOperation, responses: &mut Map<String, Value>) {
    let mut headers = json!({"X-Request-Id": header("requestId")});
    if operation.follows(ApiConvention::Tagged) {
        headers["ETag"] = header("etag");
    }
    let mut insert = |status: &str, description: &str, content: Value| {
        let mut headers = headers.clone();
        if status == "201" {
            headers["Location"] = header("location");
        }
        let mut response = json!({"description": description, "headers": headers});
        if !content.is_null() {
            response["content"] = content;
        }
        responses.insert(status.to_owned(), response);
    };
    let kind = match route.refuses {
        ErrorFormat::Problem | ErrorFormat::OAuth => "application/json",
        ErrorFormat::Scim => "application/scim+json",
    };
    let json_of = |schema: Value| json!({kind: {"schema": schema}});
    match operation.outcome {
        OperationOutcome::Shown(schema) if operation.follows(ApiConvention::Paged) => {
            insert("200", "A page of them.", json_of(page_of(schema)));
        }
        OperationOutcome::Shown(schema) => insert("200", "It is shown.", json_of(reference(schema))),
        OperationOutcome::Made(schema) => insert("201", "It was made.", json_of(reference(schema))),
        OperationOutcome::Done => insert("204", "It is done.", Value::Null),
        OperationOutcome::Published(schema) => {
            insert("200", "The document.", json_of(reference(schema)));
            insert("304", "The document is the one already known.", Value::Null);
        }
        OperationOutcome::Streamed(media_type) => {
            insert("200", "As it happens.", json!({media_type: {"schema": {"type": "string"}}}));
        }
        OperationOutcome::ShownOrExported(schema, files) => {
            let mut content = json_of(page_of(schema));
            for file in files {
                content[*file] = json!({"schema": {"type": "string"}});
            }
            insert("200", "A page of them, or all of them as a file.", content);
        }
    }
}

fn page_of(schema: &NamedSchema) -> Value {
    json!({
        "type": "object", "additionalProperties": false, "required": ["items", "next"],
        "properties": {
            "items": {"type": "array", "items": reference(schema)},
            "next": {
                "type": ["string", "null"],
                "description": "`after` of the next page; null where there is none.",
            },
        },
    })
}

fn refusal(shape: ErrorFormat, status: u16, codes: &[RefusalCode]) -> Value {
    let kinds: Vec<_> = codes.iter().map(|code| format!("`{}`", code.name())).collect();
    let mut headers = json!({"X-Request-Id": header("requestId")});
    match status {
        401 | 403 => headers["WWW-Authenticate"] = header("wwwAuthenticate"),
        503 => headers["Retry-After"] = header("retryAfter"),
        _ => {}
    }
    let (kind, schema) = match shape {
        ErrorFormat::Problem | ErrorFormat::OAuth => ("application/problem+json", "Problem"),
        ErrorFormat::Scim => ("application/scim+json", "ScimError"),
    };
    json!({
        "description": format!("Refused: {}.", kinds.join(", ")),
        "headers": headers,
        "content": {kind: {"schema": {"$ref": format!("{REFERENCE}{schema}")}}},
    })
}
