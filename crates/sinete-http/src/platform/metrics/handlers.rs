//! The metrics, in Prometheus format.

use crate::state::HttpState;
use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::response::Response;
use sinete_server::reply::HandlerResult;

pub(crate) async fn get_metrics(state: HttpState) -> HandlerResult {
    let mut response = Response::new(Body::from(state.server().metrics().render()));
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    Ok(response)
}
