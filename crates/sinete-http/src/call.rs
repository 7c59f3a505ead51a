//! What a handler is given: the request's parts, its whole body, and what is known of the visit.

use crate::extract::json::{self, BadJson};
use crate::extract::pairs::{BadPairs, Pairs};
use crate::visit::Visit;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// A request whose limits have been checked and whose body has arrived.
#[derive(Debug)]
pub struct Call {
    parts: Parts,
    body: Bytes,
    visit: Arc<Visit>,
}

impl Call {
    pub(crate) const fn new(parts: Parts, body: Bytes, visit: Arc<Visit>) -> Self {
        Self { parts, body, visit }
    }

    /// Its id, address and preferences.
    pub fn visit(&self) -> &Visit {
        &self.visit
    }

    /// Its headers.
    pub const fn headers(&self) -> &HeaderMap {
        &self.parts.headers
    }

    /// A header as text, if it is there once.
    pub fn header(&self, name: &HeaderName) -> Option<&str> {
        let mut values = self.parts.headers.get_all(name).iter();
        let (Some(value), None) = (values.next(), values.next()) else { return None };
        value.to_str().ok()
    }

    /// The request's parts, for what only the router's extractors know, such as path parameters.
    pub const fn parts_mut(&mut self) -> &mut Parts {
        &mut self.parts
    }

    /// The parameters of the query.
    pub fn query(&self) -> Result<Pairs, BadPairs> {
        Pairs::parse(self.parts.uri.query().unwrap_or_default().as_bytes())
    }

    /// The parameters of the form; the route takes one.
    pub fn form(&self) -> Result<Pairs, BadPairs> {
        Pairs::parse(&self.body)
    }

    /// The body as JSON; the route takes it.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, BadJson> {
        json::parse(&self.body)
    }

    /// The body as it came.
    pub const fn body(&self) -> &Bytes {
        &self.body
    }
}
