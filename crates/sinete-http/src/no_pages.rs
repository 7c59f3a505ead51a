//! Pages in a build without screens: none. Each function replaces the one of the same name in `pages.rs`.

use crate::state::{HttpState, RoutedRequest};
use axum::response::Response;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::platform::dev_mailbox::DevMessage;
use sinete_server::request_context::RequestContext;
use std::sync::Arc;

pub(crate) use crate::authorization_fault::AuthorizationFault;

pub(crate) const fn render_refusal_page(
    _: RefusalCode,
    _: &RequestContext,
    _: &HttpState,
) -> Option<Response> {
    None
}

pub(crate) const fn render_authorization_error(
    _: &HttpState,
    _: &RoutedRequest,
    _: &Refusal,
    _: AuthorizationFault<'_>,
    _: &str,
) -> Option<Response> {
    None
}

pub(crate) const fn render_signed_out_page(_: &HttpState, _: &RoutedRequest) -> Option<Response> {
    None
}

pub(crate) const fn render_sign_out_confirmation(
    _: &HttpState,
    _: &RoutedRequest,
    _: &str,
    _: &str,
    _: &str,
    _: &[(&str, &str)],
) -> Option<Response> {
    None
}

pub(crate) const fn render_report_sign_in_result<T>(
    _: &HttpState,
    _: &RoutedRequest,
    _: &Result<T, Refusal>,
) -> Option<Response> {
    None
}

pub(crate) const fn render_email_undo_result(
    _: &HttpState,
    _: &RoutedRequest,
    _: &Result<(), Refusal>,
) -> Option<Response> {
    None
}

pub(crate) const fn render_dev_mailbox(
    _: &HttpState,
    _: &RoutedRequest,
    _: &[Arc<DevMessage>],
) -> Option<Response> {
    None
}
