//! The API explorer at `/docs`: the OpenAPI description as pages, without a script (decision 0296).

mod fields;

use super::describe_api;
use crate::pages;
use crate::route_table::browser_page_route;
use crate::screens::serve_asset;
use crate::state::{HttpState, RouteEntry, RoutedRequest};
use axum::http::StatusCode;
use fields::{describe_body, describe_parameters, resolve};
use serde_json::Value;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_screens::assets::API_STYLE;
use sinete_screens::language::UiLanguage;
use sinete_screens::page::PageFrame;
use sinete_screens::platform::api_explorer::{
    ApiOperationView, ApiOverviewView, DescriptionText, OperationGroup, OperationLine, ResponseDescription,
};
use sinete_server::reply::{HandlerResult, page};
use sinete_server::route::{RouteAvailability, RouteWeight};
use std::sync::OnceLock;

/// The routes of the explorer, available only while the screens are enabled.
pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        availability: RouteAvailability::WithScreens,
        ..browser_page_route("/docs", "Lists the operations of the API.", |state, request| {
            Box::pin(show_operations(state, request))
        })
    },
    RouteEntry {
        availability: RouteAvailability::WithScreens,
        ..browser_page_route("/docs/{operation}", "Shows an operation of the API.", |state, request| {
            Box::pin(show_operation(state, request))
        })
    },
    RouteEntry {
        availability: RouteAvailability::WithScreens,
        weight: RouteWeight::Light,
        ..browser_page_route(API_STYLE.path, "Returns the style sheet of the API explorer.", |_, request| {
            Box::pin(serve_asset(API_STYLE, request))
        })
    },
];

/// The description, in which the explorer looks everything up.
static DOCUMENT: OnceLock<Value> = OnceLock::new();

/// The description without an issuer.
fn read_document(state: &HttpState) -> &'static Value {
    DOCUMENT.get_or_init(|| describe_api(state.routes(), state.schemas(), ""))
}

/// The list of operations, filtered by `q`.
async fn show_operations(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let query = request.query_params()?;
    let search = query.get("q").unwrap_or_default().trim();
    let view = ApiOverviewView {
        version: env!("CARGO_PKG_VERSION"),
        search,
        groups: group_operations(read_document(&state), search),
    };
    Ok(page::html_response(StatusCode::OK, view.render(&explorer_frame(&state, &request))))
}

/// One operation.
async fn show_operation(state: HttpState, mut request: RoutedRequest) -> HandlerResult {
    let parameters = request.path_parameters().await?;
    let id = parameters.first().map_or("", |(_, id)| id.as_str());
    let entry = list_operations(read_document(&state)).find(|(line, _)| line.id == id);
    let (line, operation) =
        entry.ok_or_else(|| Refusal::because(RequestRefusal::NotFound, "no such operation"))?;
    let view = describe_in_full(read_document(&state), line, operation, state.base_address().issuer());
    Ok(page::html_response(StatusCode::OK, view.render(&explorer_frame(&state, &request))))
}

/// The frame: in English, as the description is.
fn explorer_frame<'a>(state: &'a HttpState, request: &RoutedRequest) -> PageFrame<'a> {
    PageFrame { language: UiLanguage::English, ..pages::page_frame(request.context(), state) }
}

/// Every operation, sorted by path.
fn list_operations(document: &Value) -> impl Iterator<Item = (OperationLine<'_>, &Value)> {
    let paths = document["paths"].as_object().into_iter().flatten();
    paths.flat_map(|(path, methods)| {
        methods.as_object().into_iter().flatten().filter_map(move |(method, operation)| {
            let line = OperationLine {
                id: operation["operationId"].as_str()?,
                method: method.to_ascii_uppercase(),
                path,
                summary: operation["summary"].as_str()?.split(". ").next()?,
            };
            Some((line, operation))
        })
    })
}

/// The operations that contain every word, by subject, without subjects that have none.
fn group_operations<'a>(document: &'a Value, search: &str) -> Vec<OperationGroup<'a>> {
    let words: Vec<_> = search.split_whitespace().map(str::to_lowercase).collect();
    let tags = document["tags"].as_array().into_iter().flatten();
    let groups = tags.filter_map(|tag| {
        let name = tag["name"].as_str()?;
        let matching = list_operations(document).filter(|(line, operation)| {
            let text = format!("{name} {} {} {} {}", line.id, line.method, line.path, line.summary);
            let text = text.to_lowercase();
            operation["tags"][0] == name && words.iter().all(|word| text.contains(word))
        });
        let operations: Vec<_> = matching.map(|(line, _)| line).collect();
        let description = tag["description"].as_str().unwrap_or_default();
        (!operations.is_empty()).then_some(OperationGroup { name, description, operations })
    });
    groups.collect()
}

fn describe_in_full<'a>(
    document: &'a Value,
    line: OperationLine<'a>,
    operation: &'a Value,
    issuer: &str,
) -> ApiOperationView<'a> {
    let paragraphs = operation["description"].as_str().unwrap_or_default().split("\n\n");
    let request = operation["requestBody"]["content"].as_object();
    let request = request.and_then(|content| describe_body(document, content));
    let example = request.as_ref().and_then(|body| body.example.as_deref());
    ApiOperationView {
        description: paragraphs.map(|text| DescriptionText(text.to_owned())).collect(),
        credentials: describe_credentials(document, operation),
        parameters: describe_parameters(document, operation),
        command: curl_command(&line, operation, issuer, example),
        responses: describe_responses(document, operation),
        request,
        line,
    }
}

fn describe_credentials(document: &Value, operation: &Value) -> Vec<DescriptionText> {
    let accepted = operation["security"].as_array().into_iter().flatten();
    let names = accepted.filter_map(|one| one.as_object()?.keys().next());
    let schemes = names.map(|name| &document["components"]["securitySchemes"][name]["description"]);
    schemes.filter_map(|text| Some(DescriptionText(text.as_str()?.to_owned()))).collect()
}

fn describe_responses<'a>(document: &'a Value, operation: &'a Value) -> Vec<ResponseDescription<'a>> {
    let responses = operation["responses"].as_object().into_iter().flatten();
    // Refusals share one body, which is described with the first of them.
    let mut is_refusal_described = false;
    let described = responses.map(|(status, response)| {
        let response = resolve(document, response);
        let is_refusal = status.starts_with(['4', '5']);
        let content = response["content"].as_object().filter(|_| !(is_refusal && is_refusal_described));
        is_refusal_described |= is_refusal;
        ResponseDescription {
            status,
            description: DescriptionText(response["description"].as_str().unwrap_or_default().to_owned()),
            body: content.and_then(|content| describe_body(document, content)),
        }
    });
    described.collect()
}

/// A command that performs the operation. `TOKEN` is a variable of the shell; names in braces are to be replaced.
fn curl_command(line: &OperationLine<'_>, operation: &Value, issuer: &str, example: Option<&str>) -> String {
    let mut parts = vec![format!("curl -X {} '{issuer}{}'", line.method, line.path)];
    let accepted = operation["security"].as_array().and_then(|all| all.first()?.as_object()?.keys().next());
    match accepted.map(String::as_str) {
        Some("bearer") => parts.push("-H \"Authorization: Bearer $TOKEN\"".to_owned()),
        Some("session") => parts.push("-H \"Authorization: Session $TOKEN\"".to_owned()),
        Some("flow") => parts.push("-H \"Authorization: Flow $TOKEN\"".to_owned()),
        Some(_) | None => {}
    }
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    if parameters.into_iter().any(|it| it["$ref"] == "#/components/parameters/ifMatch") {
        parts.push("-H 'If-Match: \"1\"'".to_owned());
    }
    if let Some(example) = example {
        parts.push("-H 'Content-Type: application/json'".to_owned());
        parts.push(format!("-d '{}'", example.replace('\'', r"'\''")));
    }
    parts.join(" \\\n  ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::router::ROUTES as ALL_ROUTES;
    use crate::schema::SCHEMA_REGISTRY;
    use std::sync::LazyLock;

    static DESCRIPTION: LazyLock<Value> = LazyLock::new(|| describe_api(ALL_ROUTES, &SCHEMA_REGISTRY, ""));

    fn find<'a>(id: &str) -> ApiOperationView<'a> {
        let (line, operation) = list_operations(&DESCRIPTION).find(|(line, _)| line.id == id).unwrap();
        describe_in_full(&DESCRIPTION, line, operation, "https://id.example.org")
    }

    #[test]
    fn api_explorer_lists_every_operation_once() {
        let all = group_operations(&DESCRIPTION, "");
        let operation_count: usize = all.iter().map(|group| group.operations.len()).sum();
        assert_eq!(operation_count, list_operations(&DESCRIPTION).count());
        assert!(operation_count > 150, "{operation_count}");
    }

    #[test]
    fn api_explorer_search_needs_every_word() {
        let ids = |search: &str| -> Vec<_> {
            let groups = group_operations(&DESCRIPTION, search);
            groups.iter().flat_map(|group| &group.operations).map(|line| line.id).collect()
        };
        assert!(ids("POST /roles").contains(&"createRole"));
        assert!(!ids("POST /roles").contains(&"listRoles"));
        assert!(ids("no such words").is_empty());
    }

    #[test]
    fn api_explorer_shows_fields_example_and_command() {
        let view = find("createRole");
        let body = view.request.as_ref().unwrap();
        let name = body.fields.iter().find(|field| field.name == "name").unwrap();
        assert!(name.is_required && name.kind.starts_with("string"), "{name:?}");
        assert!(
            view.command.contains("/roles' \\\n  -H \"Authorization: Bearer $TOKEN\""),
            "{}",
            view.command
        );
        assert!(view.command.contains("-d '{"), "{}", view.command);
        assert!(view.parameters.iter().any(|field| field.name == "organization" && field.is_required));
        assert!(view.responses.iter().any(|response| response.status == "201" && response.body.is_some()));
        assert!(!find("listRoles").command.contains("-d "));
    }

    #[test]
    fn api_explorer_describes_every_operation() {
        for (line, operation) in list_operations(&DESCRIPTION) {
            let id = line.id;
            let view = describe_in_full(&DESCRIPTION, line, operation, "https://id.example.org");
            assert!(!view.responses.is_empty() && !view.description.is_empty(), "{id}");
            assert_eq!(view.request.is_some(), operation.get("requestBody").is_some(), "{id}");
        }
    }
}
