//! Previews of the e-mail about an organization, with its branding and templates.

use super::page_context::PageContext;
use crate::platform::dev_mailbox::handlers::MESSAGE_CSP;
use axum::http::StatusCode;
use axum::http::header::CONTENT_SECURITY_POLICY;
use sinete_engine::organizations::branding;
use sinete_server::reply::{HandlerResult, page};

/// Shows a sample of a message as a mail program would, in the language of the page.
pub(super) async fn preview_email(context: &PageContext<'_>, message: &str) -> HandlerResult {
    let (engine, access) = (context.engine(), context.access.organization_access());
    let sample = branding::preview_email(engine, access, message, context.reader.language, None).await?;
    let mut response = page::html_response(StatusCode::OK, sample.html);
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, MESSAGE_CSP);
    Ok(response)
}
