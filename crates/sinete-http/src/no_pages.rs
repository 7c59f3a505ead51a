//! What people are shown by a build without the screens: nothing, ever. Each function stands for the one of the same
//! name in `pages.rs`.

use crate::call::Call;
use crate::state::State;
use crate::visit::Visit;
use axum::response::Response;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::dev_mailbox::Arrived;
use sinete_engine::looks::Look;
use std::future::{Ready, ready};
use std::sync::Arc;

/// What is wrong with a request for authorization.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wrong<'a> {
    /// The request itself, which is about an organization that looks like this.
    Request(#[expect(dead_code, reason = "only pages show it")] Option<&'a Look>),
    /// Its application is not registered, or not any more.
    UnknownApplication,
    /// The answer would go to this host, at this address, which nobody has vouched for.
    Leaving(
        #[expect(dead_code, reason = "only pages name it")] &'a str,
        #[expect(dead_code, reason = "only pages name it")] &'a str,
    ),
}

pub(crate) const fn refusal(_: RefusalCode, _: &Visit, _: &State) -> Option<Response> {
    None
}

pub(crate) fn too_long(_: &State, _: Call, refusal: Refusal) -> Ready<Result<Response, Refusal>> {
    ready(Err(refusal))
}

pub(crate) const fn authorization_error(
    _: &State,
    _: &Call,
    _: &Refusal,
    _: Wrong<'_>,
    _: &str,
) -> Option<Response> {
    None
}

pub(crate) const fn signed_out(_: &State, _: &Call) -> Option<Response> {
    None
}

pub(crate) const fn sign_out_question(
    _: &State,
    _: &Call,
    _: (&str, &str),
    _: &str,
    _: &[(&str, &str)],
) -> Option<Response> {
    None
}

pub(crate) const fn disavowed<T>(_: &State, _: &Call, _: &Result<T, Refusal>) -> Option<Response> {
    None
}

pub(crate) const fn restored(_: &State, _: &Call, _: &Result<(), Refusal>) -> Option<Response> {
    None
}

pub(crate) const fn dev_mail(_: &State, _: &Call, _: &[Arc<Arrived>]) -> Option<Response> {
    None
}
