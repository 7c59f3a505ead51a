//! Runs the checks of `sinete doctor` on the node that answers.

use crate::management_api::request::ManagementRequest;
use crate::state::{DiagnosticFinding, DiagnosticScope, DiagnosticVerdict, HttpState, RoutedRequest};
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_engine::InstanceMode;
use sinete_server::reply::HandlerResult;
use sinete_server::reply::json::{json_response, serialize_json};
use sinete_server::route::QueryParameter;
use sinete_server::schema::NamedSchema;

pub(crate) async fn run_checks(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state.clone(), request).await?;
    let scope = match management_request.query_param("connections") {
        None | Some("false") => DiagnosticScope::Node,
        Some("true") => DiagnosticScope::Connections,
        Some(_) => {
            let text = "`connections` must be `true` or `false`";
            return Err(Refusal::because(RequestRefusal::ParameterInvalid(text), "").into());
        }
    };
    let findings = state.backend().diagnose(scope).await;
    let view = DiagnosticsView {
        mode: match management_request.engine().settings().mode {
            InstanceMode::Development => "development",
            InstanceMode::Production => "production",
        },
        production_ready: findings.iter().all(|finding| finding.verdict != DiagnosticVerdict::Blocker),
        findings: findings.iter().map(FindingView::from).collect(),
    };
    Ok(json_response(StatusCode::OK, serialize_json(&view)?))
}

/// The report, as returned: the same as that of the command.
#[derive(Serialize, JsonSchema)]
struct DiagnosticsView<'a> {
    #[schemars(extend("enum" = ["development", "production"]))]
    mode: &'static str,
    /// Whether no finding prevents a start in production.
    production_ready: bool,
    findings: Vec<FindingView<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct FindingView<'a> {
    /// The name of the check.
    check: &'a str,
    #[schemars(extend("enum" = ["blocker", "warning", "passed"]))]
    verdict: &'static str,
    /// What was found, in English.
    what: &'a str,
    /// How to fix it, in English.
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<&'a str>,
}

impl<'a> From<&'a DiagnosticFinding> for FindingView<'a> {
    fn from(finding: &'a DiagnosticFinding) -> Self {
        Self {
            check: &finding.check,
            verdict: match finding.verdict {
                DiagnosticVerdict::Blocker => "blocker",
                DiagnosticVerdict::Warning => "warning",
                DiagnosticVerdict::Passed => "passed",
            },
            what: &finding.message,
            remedy: finding.remedy.as_deref(),
        }
    }
}

/// The query.
pub(crate) const QUERY: &[QueryParameter] = &[QueryParameter {
    name: "connections",
    description: "Whether mail servers, identity providers and DNS are contacted too, which takes longer.",
    is_required: false,
    schema: || json!({"type": "boolean", "default": false}),
}];

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&DIAGNOSTICS];

/// The schema of the report.
pub(crate) const DIAGNOSTICS: NamedSchema = NamedSchema::response::<DiagnosticsView<'_>>("Diagnostics");
