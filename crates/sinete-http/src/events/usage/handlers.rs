//! Handlers of usage reports: as JSON, or as a CSV file.

use crate::management_api::request::ManagementRequest;
use crate::state::{HttpState, RoutedRequest};
use axum::http::StatusCode;
use axum::http::header::{ACCEPT, CONTENT_DISPOSITION, CONTENT_TYPE, HeaderValue, VARY};
use axum::response::{IntoResponse as _, Response};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use sinete_core::events::usage::UsageReport;
use sinete_core::events::usage::period::{UsagePeriod, format_date};
use sinete_core::id::OrganizationId;
use sinete_core::limits::USAGE_PERIODS_MAX;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_engine::events::usage;
use sinete_engine::events::usage::UsageRequest;
use sinete_server::extract::accept::preferred_media_type;
use sinete_server::reply::json::{json_response, serialize_json};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::route::QueryParameter;
use sinete_server::schema::NamedSchema;

pub(crate) async fn show_instance_usage(state: HttpState, routed_request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, routed_request).await?;
    let (request, format) = (parse_request(&management_request)?, requested_format(&management_request)?);
    let organization = management_request.parse_query_param::<OrganizationId>("organization")?;
    let instance_admin = management_request.instance_admin();
    let report =
        usage::report_instance_usage(management_request.engine(), &instance_admin, request, organization)
            .await?;
    usage_response(&management_request, &report, format)
}

pub(crate) async fn show_organization_usage(
    state: HttpState,
    routed_request: RoutedRequest,
) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, routed_request).await?;
    let access = management_request.enter_organization().await?;
    let (request, format) = (parse_request(&management_request)?, requested_format(&management_request)?);
    let report = usage::report_organization_usage(management_request.engine(), &access, request).await?;
    usage_response(&management_request, &report, format)
}

/// The format of a report.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UsageFormat {
    Json,
    Csv,
}

fn invalid_parameter(text: &'static str) -> HandlerError {
    Refusal::because(RequestRefusal::ParameterInvalid(text), "").into()
}

fn parse_request(management_request: &ManagementRequest) -> Result<UsageRequest, HandlerError> {
    let period = management_request.query_param("period").unwrap_or("day");
    let period = UsagePeriod::parse(period)
        .ok_or_else(|| invalid_parameter("`period` must be `day`, `week` or `month`"))?;
    let count = match management_request.query_param("count") {
        Some(text) => text.parse().ok().filter(|count| (1..=USAGE_PERIODS_MAX).contains(count)),
        None => Some(period.default_count()),
    };
    let count = count.ok_or_else(|| invalid_parameter("`count` must be an integer from 1 to 400"))?;
    Ok(UsageRequest { period, count })
}

/// The requested format, by `format` or else by `Accept`.
fn requested_format(management_request: &ManagementRequest) -> Result<UsageFormat, HandlerError> {
    match management_request.query_param("format") {
        Some("json") => Ok(UsageFormat::Json),
        Some("csv") => Ok(UsageFormat::Csv),
        Some(_) => Err(invalid_parameter("`format` must be `json` or `csv`")),
        None => {
            let accepted = management_request.header(&ACCEPT).unwrap_or_default();
            let is_csv = preferred_media_type(accepted, &["application/json", CSV]) == CSV;
            Ok(if is_csv { UsageFormat::Csv } else { UsageFormat::Json })
        }
    }
}

fn usage_response(
    management_request: &ManagementRequest,
    report: &UsageReport,
    format: UsageFormat,
) -> HandlerResult {
    if format == UsageFormat::Csv {
        return Ok(csv_response(report));
    }
    let retention = management_request.engine().settings().usage_retention;
    let view = UsageView {
        period: report.period.name(),
        retention_days: retention.seconds() / 86_400,
        starts: report.starts.iter().copied().map(format_date).collect(),
        metrics: report
            .metrics
            .iter()
            .map(|metric| UsageMetricView {
                name: metric.metric.name(),
                series: metric
                    .series
                    .iter()
                    .map(|series| UsageSeriesView {
                        name: series.name,
                        total: series.total(),
                        values: &series.values,
                    })
                    .collect(),
            })
            .collect(),
    };
    Ok(json_response(StatusCode::OK, serialize_json(&view)?))
}

/// One line for each period. No name or value needs quotes.
fn csv_response(report: &UsageReport) -> Response {
    let all = || report.metrics.iter().flat_map(|it| it.series.iter().map(move |series| (it.metric, series)));
    let names = all().map(|(metric, series)| format!("{}.{}", metric.name(), series.name));
    let mut text = std::iter::once("start".to_owned()).chain(names).collect::<Vec<_>>().join(",");
    for (index, start) in report.starts.iter().enumerate() {
        text.push_str("\r\n");
        text.push_str(&format_date(*start));
        for (_, series) in all() {
            text.push(',');
            text.push_str(&series.values.get(index).copied().unwrap_or_default().to_string());
        }
    }
    text.push_str("\r\n");
    let mut response = (StatusCode::OK, text).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8; header=present"));
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"usage.csv\""));
    headers.insert(VARY, HeaderValue::from_static("accept"));
    response
}

/// A report, as returned.
#[derive(Serialize, JsonSchema)]
struct UsageView<'a> {
    #[schemars(extend("enum" = ["day", "week", "month"]))]
    period: &'static str,
    /// How long counts are kept; older periods are empty.
    retention_days: i64,
    /// The first day of every period in UTC, the oldest first.
    #[schemars(extend("items" = {"type": "string", "format": "date"}))]
    starts: Vec<String>,
    metrics: Vec<UsageMetricView<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct UsageMetricView<'a> {
    #[schemars(extend("enum" = [
        "sign_ins", "sign_in_failures", "active_users", "tokens", "approvals", "failures"
    ]))]
    name: &'static str,
    series: Vec<UsageSeriesView<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct UsageSeriesView<'a> {
    /// Such as a method or a grant type.
    name: &'static str,
    /// The sum of the values.
    total: u64,
    /// The count of every period.
    values: &'a [u64],
}

const CSV: &str = "text/csv";

/// The media types of the files.
pub(crate) const EXPORTS: &[&str] = &[CSV];

/// The query.
pub(crate) const QUERY: &[QueryParameter] = &[PERIOD, COUNT, FORMAT];

/// The query for operators.
pub(crate) const INSTANCE_QUERY: &[QueryParameter] = &[
    PERIOD,
    COUNT,
    FORMAT,
    QueryParameter {
        name: "organization",
        description: "Only the usage of the organization with this id.",
        is_required: false,
        schema: || json!({"type": "string", "format": "uuid"}),
    },
];

const PERIOD: QueryParameter = QueryParameter {
    name: "period",
    description: "What is counted together: a day, a week from Monday or a calendar month, in UTC.",
    is_required: false,
    schema: || json!({"type": "string", "enum": ["day", "week", "month"], "default": "day"}),
};
const COUNT: QueryParameter = QueryParameter {
    name: "count",
    description: "How many periods, including the current one. By default 30 days, 12 weeks or 12 months.",
    is_required: false,
    schema: || json!({"type": "integer", "minimum": 1, "maximum": USAGE_PERIODS_MAX}),
};
const FORMAT: QueryParameter = QueryParameter {
    name: "format",
    description: "Whether the report is returned as JSON or as a CSV file. By default, `Accept` decides.",
    is_required: false,
    schema: || json!({"type": "string", "enum": ["json", "csv"]}),
};

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&USAGE];

/// The schema of a report.
pub(crate) const USAGE: NamedSchema = NamedSchema::response::<UsageView<'_>>("Usage");
