//! What a handler is given: the request's parts, its whole body, and what is known of the visit.

use crate::extract::bearer::{self, DPOP, Shown};
use crate::extract::json::{self, BadJson};
use crate::extract::pairs::{self, BadPairs, Pair, Pairs};
use crate::route::Route;
use crate::visit::Visit;
use axum::extract::{FromRequestParts as _, RawPathParams};
use axum::http::header::{HOST, USER_AGENT};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::security::event::Origin;
use sinete_engine::credential::{Credential, Scheme};
use sinete_engine::key_proofs::ShownProof;
use std::sync::Arc;

/// A request whose limits have been checked and whose body has arrived.
#[derive(Debug)]
pub struct Call {
    route: Route,
    parts: Parts,
    body: Bytes,
    visit: Arc<Visit>,
}

impl Call {
    pub(crate) const fn new(route: Route, parts: Parts, body: Bytes, visit: Arc<Visit>) -> Self {
        Self { route, parts, body, visit }
    }

    /// The row of the table that it matched.
    pub const fn route(&self) -> &Route {
        &self.route
    }

    /// Where it came from, for what is recorded.
    pub fn origin(&self) -> Origin {
        let visit = &self.visit;
        Origin::new(Some(visit.id()), Some(visit.client()), self.header(&USER_AGENT))
    }

    /// Its id, address and preferences.
    pub fn visit(&self) -> &Visit {
        &self.visit
    }

    /// A credential that it shows, with the certificate of the connection it came over and the proof beside it.
    pub fn credential<'a>(&'a self, shown: Shown<'a>) -> Credential<'a> {
        let certificate = self.visit.certificate().map(|certificate| &**certificate);
        let scheme = match shown.scheme {
            bearer::Scheme::Bearer => Scheme::Bearer,
            bearer::Scheme::Dpop => Scheme::Proven(self.proof()),
        };
        Credential { text: shown.text, certificate, scheme }
    }

    /// The proof that whoever asks holds a key, where it is there at all.
    pub fn key_proof(&self) -> Option<ShownProof> {
        self.parts.headers.contains_key(DPOP).then(|| self.proof())
    }

    /// The same; one without a text where none or several are there.
    fn proof(&self) -> ShownProof {
        ShownProof {
            text: self.header(&DPOP).map(str::to_owned),
            method: self.parts.method.as_str().to_owned(),
            path: self.parts.uri.path().to_owned(),
        }
    }

    /// Its headers.
    pub const fn headers(&self) -> &HeaderMap {
        &self.parts.headers
    }

    /// The host that the client asked for, with its port: the `Host` header, or what HTTP/2 sends in its place (RFC 9113
    /// §8.3.1). None where both are there and differ.
    pub fn host(&self) -> Option<&str> {
        let authority = self.parts.uri.authority().map(Authority::as_str);
        match (authority, self.header(&HOST)) {
            (Some(authority), Some(host)) if !authority.eq_ignore_ascii_case(host) => None,
            (Some(authority), _) => Some(authority),
            (None, host) => host,
        }
    }

    /// A header as text, if it is there once.
    pub fn header(&self, name: &HeaderName) -> Option<&str> {
        let mut values = self.parts.headers.get_all(name).iter();
        let (Some(value), None) = (values.next(), values.next()) else { return None };
        value.to_str().ok()
    }

    /// What stands in the path where the row has a name in braces, decoded.
    pub async fn path_parameters(&mut self) -> Result<Vec<(String, String)>, Refusal> {
        if !self.route.path.contains('{') {
            return Ok(Vec::new());
        }
        let parameters = RawPathParams::from_request_parts(&mut self.parts, &()).await.map_err(|_| {
            Refusal::new(RefusalCode::NotFound, "there is nothing at this address", "a path that is no text")
        })?;
        Ok(parameters.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    /// The parameters of the query.
    pub fn query(&self) -> Result<Pairs, BadPairs> {
        Pairs::parse(self.parts.uri.query().unwrap_or_default().as_bytes())
    }

    /// The parameters of the form; the route takes one.
    pub fn form(&self) -> Result<Pairs, BadPairs> {
        Pairs::parse(&self.body)
    }

    /// The parameters of the query, those that came more than once included.
    pub fn query_with_repeated(&self) -> Result<Vec<Pair>, BadPairs> {
        pairs::parse_with_repeated(self.parts.uri.query().unwrap_or_default().as_bytes())
    }

    /// The parameters of the form, those that came more than once included.
    pub fn form_with_repeated(&self) -> Result<Vec<Pair>, BadPairs> {
        pairs::parse_with_repeated(&self.body)
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
