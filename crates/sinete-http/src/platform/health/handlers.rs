//! Liveness and readiness.

use crate::state::{HttpState, ReadinessError};
use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::response::Response;
use sinete_core::limits;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_server::reply::HandlerResult;
use sinete_server::reply::document::StaticDocument;
use std::sync::{Arc, LazyLock};

/// Liveness: the process responds.
pub(crate) fn liveness() -> Arc<StaticDocument> {
    static LIVENESS_DOCUMENT: LazyLock<Arc<StaticDocument>> =
        LazyLock::new(|| Arc::new(StaticDocument::uncached(r#"{"status":"ok"}"#, "application/json")));
    Arc::clone(&LIVENESS_DOCUMENT)
}

/// Readiness: everything needed to respond is available, and this node is not stopping.
pub(crate) async fn readiness(state: HttpState) -> HandlerResult {
    if state.is_draining() {
        return Err(not_ready_response(ReadinessError("this node is shutting down")).into());
    }
    match state.backend().check_readiness().await {
        Ok(()) => Ok(status_body(r#"{"status":"ready"}"#)),
        Err(error) => Err(not_ready_response(error).into()),
    }
}

/// The response says what is missing, because only operators can reach this listener.
fn not_ready_response(ReadinessError(reason): ReadinessError) -> Refusal {
    Refusal::because(RequestRefusal::NotReady(reason), "").with_retry_after(limits::RETRY_AFTER)
}

fn status_body(body: &'static str) -> Response {
    let mut response = Response::new(Body::from(body));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
