//! The input of a handler: the parts of the request, its whole body, and its context.

use super::route_entry::RouteEntry;
use crate::extract::bearer::{self, BearerCredential, DPOP};
use crate::extract::client_authentication;
use crate::extract::json::{self, JsonBodyFault};
use crate::extract::params::{self, FormParam, FormParams, FormParamsError};
use crate::request_context::RequestContext;
use axum::extract::{FromRequestParts as _, RawPathParams};
use axum::http::header::{HOST, USER_AGENT};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, Request};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use sinete_core::events::security_event::RequestOrigin;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_engine::oauth::client_authentication::ClientAuthRequest;
use sinete_engine::oauth::dpop::DpopHeader;
use sinete_engine::oauth::presented_credential::{CredentialScheme, PresentedCredential};
use std::sync::Arc;

/// A request whose limits have been checked and whose body has arrived.
#[derive(Debug)]
pub struct RoutedRequest<A> {
    route: RouteEntry<A>,
    parts: Parts,
    body: Bytes,
    context: Arc<RequestContext>,
    /// The path parameters of a forwarded request; those of other requests are in `parts`.
    forwarded_path: Option<Vec<(String, String)>>,
}

/// A request that a handler forwards to the handler of another route.
#[derive(Clone, Debug, Default)]
pub struct ForwardedRequest {
    /// The decoded path parameters.
    pub path: Vec<(String, String)>,
    /// The encoded query, without `?`.
    pub query: String,
    /// The headers. No header of the original request is forwarded, except `User-Agent`.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl<A> RoutedRequest<A> {
    pub(crate) const fn new(
        route: RouteEntry<A>,
        parts: Parts,
        body: Bytes,
        context: Arc<RequestContext>,
    ) -> Self {
        Self { route, parts, body, context, forwarded_path: None }
    }

    /// A request to another route within this one, with its id and client address. The caller, whom this route
    /// authenticated, is an extension: nothing that a client sends can become one.
    pub fn forward<C: Clone + Send + Sync + 'static>(
        &self,
        route: RouteEntry<A>,
        request: ForwardedRequest,
        caller: C,
    ) -> Result<Self, Refusal> {
        let invalid = |_| Refusal::because(RequestRefusal::PathNotFound, "not the URL of a route");
        let ForwardedRequest { path, query, mut headers, body } = request;
        if let Some(user_agent) = self.parts.headers.get(USER_AGENT) {
            headers.insert(USER_AGENT, user_agent.clone());
        }
        // The parameters are passed decoded, so the URL contains only the query.
        let (mut parts, ()) = Request::new(()).into_parts();
        parts.method = route.method.to_method();
        parts.uri = format!("/?{query}").parse().map_err(invalid)?;
        parts.headers = headers;
        parts.extensions.insert(caller);
        Ok(Self { route, parts, body, context: Arc::clone(&self.context), forwarded_path: Some(path) })
    }

    /// What a forwarding handler passed on.
    pub fn extension<E: Send + Sync + 'static>(&self) -> Option<&E> {
        self.parts.extensions.get()
    }

    /// The matched route.
    pub const fn route(&self) -> &RouteEntry<A> {
        &self.route
    }

    /// The origin of the request, for events.
    pub fn origin(&self) -> RequestOrigin {
        let context = &self.context;
        RequestOrigin::new(Some(context.id()), Some(context.client_address()), self.header(&USER_AGENT))
    }

    /// The id, client address and preferences of the request.
    pub fn context(&self) -> &RequestContext {
        &self.context
    }

    /// A credential of the request, with the client certificate and DPoP proof.
    pub fn bearer_credential<'a>(
        &'a self,
        bearer_credential: BearerCredential<'a>,
    ) -> PresentedCredential<'a> {
        let certificate = self.context.certificate().map(|certificate| &**certificate);
        let scheme = match bearer_credential.scheme {
            bearer::BearerScheme::Bearer => CredentialScheme::Bearer,
            bearer::BearerScheme::Dpop => CredentialScheme::Dpop(self.read_dpop_header()),
        };
        PresentedCredential { text: bearer_credential.text, certificate, scheme }
    }

    /// The DPoP header, if present.
    pub fn dpop_header(&self) -> Option<DpopHeader> {
        self.parts.headers.contains_key(DPOP).then(|| self.read_dpop_header())
    }

    /// The DPoP header; without a proof if there is none or there are several.
    fn read_dpop_header(&self) -> DpopHeader {
        DpopHeader {
            text: self.header(&DPOP).map(str::to_owned),
            method: self.parts.method.as_str().to_owned(),
            path: self.parts.uri.path().to_owned(),
        }
    }

    /// The headers.
    pub const fn headers(&self) -> &HeaderMap {
        &self.parts.headers
    }

    /// The requested host with its port: the `Host` header, or `:authority` in HTTP/2 (RFC 9113 §8.3.1).
    /// `None` if both are present and differ.
    pub fn host(&self) -> Option<&str> {
        let authority = self.parts.uri.authority().map(Authority::as_str);
        match (authority, self.header(&HOST)) {
            (Some(authority), Some(host)) if !authority.eq_ignore_ascii_case(host) => None,
            (Some(authority), _) => Some(authority),
            (None, host) => host,
        }
    }

    /// A header as text, if it occurs once.
    pub fn header(&self, name: &HeaderName) -> Option<&str> {
        let mut values = self.parts.headers.get_all(name).iter();
        let (Some(value), None) = (values.next(), values.next()) else { return None };
        value.to_str().ok()
    }

    /// The decoded path parameters.
    pub async fn path_parameters(&mut self) -> Result<Vec<(String, String)>, Refusal> {
        if let Some(path) = &self.forwarded_path {
            return Ok(path.clone());
        }
        if !self.route.path.contains('{') {
            return Ok(Vec::new());
        }
        let parameters = RawPathParams::from_request_parts(&mut self.parts, &())
            .await
            .map_err(|_| Refusal::because(RequestRefusal::PathNotFound, "a path that is not UTF-8"))?;
        Ok(parameters.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    /// The query parameters.
    pub fn query_params(&self) -> Result<FormParams, FormParamsError> {
        FormParams::parse(self.parts.uri.query().unwrap_or_default().as_bytes())
    }

    /// The form parameters, if the route accepts a form.
    pub fn form_params(&self) -> Result<FormParams, FormParamsError> {
        FormParams::parse(&self.body)
    }

    /// The query parameters, including repeated ones.
    pub fn query_params_with_repeats(&self) -> Result<Vec<FormParam>, FormParamsError> {
        params::parse_form_with_repeats(self.parts.uri.query().unwrap_or_default().as_bytes())
    }

    /// The form parameters, including repeated ones.
    pub fn form_params_with_repeats(&self) -> Result<Vec<FormParam>, FormParamsError> {
        params::parse_form_with_repeats(&self.body)
    }

    /// The body as JSON, if the route accepts it.
    pub fn parse_json<T: DeserializeOwned>(&self) -> Result<T, JsonBodyFault> {
        json::parse_json(&self.body)
    }

    /// The raw body.
    pub const fn body(&self) -> &Bytes {
        &self.body
    }

    /// The client authentication of the request. The engine verifies it.
    pub fn client_auth(&self, form: &FormParams) -> Result<ClientAuthRequest, Refusal> {
        let (client, credential) = client_authentication::parse_client_credential(self.headers(), form)?;
        Ok(ClientAuthRequest {
            client,
            credential,
            endpoint: self.route.path,
            certificate: self.context.certificate().cloned(),
            dpop: self.dpop_header(),
        })
    }
}
