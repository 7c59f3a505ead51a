//! The audit log as a file: the export of the management API, with the filter of the page.

use super::PageContext;
use axum::http::header::{CONTENT_DISPOSITION, HeaderValue};
use sinete_engine::events::audit_log::AuditLogFilter;
use sinete_server::reply::HandlerResult;

/// The formats of the file, which are also the endings of its name.
const FORMATS: [&str; 2] = ["csv", "jsonl"];

/// The requested format, if a file is requested.
pub(super) fn requested_format(context: &PageContext<'_>) -> Option<&'static str> {
    let format_name = context.query.get("format")?;
    FORMATS.into_iter().find(|format| *format == format_name)
}

/// Exports the entries that the page shows, all of them.
pub(super) async fn export_audit_log(
    context: &PageContext<'_>,
    filter: &AuditLogFilter,
    format: &'static str,
) -> HandlerResult {
    let time = |at: Option<sinete_core::time::Timestamp>| at.map(|at| at.to_string()).unwrap_or_default();
    let operation_call = context
        .operation("listAuditEntries")
        .query("format", format)
        .query("since", &time(filter.since))
        .query("until", &time(filter.until))
        .query("actor", filter.actor.as_deref().unwrap_or_default())
        .query("subject", filter.subject.as_deref().unwrap_or_default())
        .query("address", filter.address.as_deref().unwrap_or_default())
        .query("sign_ins", if filter.with_sign_ins { "include" } else { "" })
        .query("kind", filter.kind.map_or("", |kind| kind.name()));
    let mut response =
        operation_call.send_raw(context.state, context.request, context.access.caller()).await?;
    let slug = &context.access.organization_access().organization.slug;
    if let Ok(name) = HeaderValue::from_str(&format!("attachment; filename=\"audit-log-{slug}.{format}\"")) {
        response.headers_mut().insert(CONTENT_DISPOSITION, name);
    }
    Ok(response)
}
