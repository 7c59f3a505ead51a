//! Pages, for those who read them, while the screens are switched on.

use super::problem::status;
use crate::security_headers::SCREEN_POLICY;
use crate::state::State;
use crate::visit::Visit;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, VARY};
use axum::response::Response;
use sinete_core::refusal::RefusalCode;
use sinete_screens::not_found::NotFound;
use sinete_screens::page::Frame;
use sinete_screens::server_error::ServerError;
use sinete_screens::unavailable::Unavailable;

/// A page as an answer.
pub fn answer(status: StatusCode, page: String) -> Response {
    let mut response = Response::new(Body::from(page));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CONTENT_SECURITY_POLICY, SCREEN_POLICY);
    headers.insert(VARY, HeaderValue::from_static("accept, accept-language"));
    response
}

/// What stands around a page for whoever asks.
pub(crate) fn frame<'a>(visit: &Visit, state: &'a State) -> Frame<'a> {
    Frame::plain(visit.language(), state.base_address().path(), state.branding().brand())
}

/// The page for a refusal, where there is one and whoever asked reads pages.
pub(crate) fn of_refusal(code: RefusalCode, visit: &Visit, state: &State) -> Option<Response> {
    if !visit.prefers_page() {
        return None;
    }
    let frame = frame(visit, state);
    let page = match code.status() {
        404 => NotFound.page(&frame),
        500 => ServerError { reference: &visit.id().to_string() }.page(&frame),
        503 => Unavailable.page(&frame),
        _ => return None,
    };
    Some(answer(status(code), page))
}
