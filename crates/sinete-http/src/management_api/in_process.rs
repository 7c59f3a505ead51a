//! Calls of management operations by our own pages: the handler of the operation's route, with the caller whom the
//! session of the page authenticated. Permissions, validation, versions and events are those of the API
//! (docs/contribute/decisions/0287-console-pages-call-management-operations.md).

use crate::management_api::request::{ForwardedCaller, IDEMPOTENCY_KEY};
use crate::state::{HttpState, RouteEntry, RoutedRequest};
use axum::body;
use axum::http::header::{ACCEPT, HeaderMap, HeaderValue, IF_MATCH};
use axum::response::Response;
use bytes::Bytes;
use serde_json::Value;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_engine::Failure;
use sinete_engine::access_control::caller::AuthenticatedCaller;
use sinete_server::application::ForwardedRequest;
use sinete_server::reply::HandlerError;

/// Maximum size of a response that a page reads.
const RESPONSE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// A call of an operation.
#[derive(Clone, Debug)]
pub(crate) struct OperationCall {
    operation: &'static str,
    path: Vec<(String, String)>,
    query: Vec<(String, String)>,
    version: Option<i64>,
    idempotency_key: Option<String>,
    body: Option<Value>,
}

/// The response of an operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct OperationReply {
    /// The body; null if there is none.
    pub(crate) body: Value,
}

impl OperationCall {
    pub(crate) const fn new(operation: &'static str) -> Self {
        Self {
            operation,
            path: Vec::new(),
            query: Vec::new(),
            version: None,
            idempotency_key: None,
            body: None,
        }
    }

    /// Sets a path parameter.
    pub(crate) fn path(mut self, name: &str, value: &str) -> Self {
        self.path.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds a query parameter, unless it is empty.
    pub(crate) fn query(mut self, name: &str, value: &str) -> Self {
        if !value.is_empty() {
            self.query.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// Whether it has a query parameter of this name.
    pub(crate) fn has_query(&self, name: &str) -> bool {
        self.query.iter().any(|(key, _)| key == name)
    }

    /// Sets the version that the caller saw.
    pub(crate) const fn version(mut self, version: Option<i64>) -> Self {
        self.version = version;
        self
    }

    /// Sets the idempotency key.
    pub(crate) fn idempotency_key(mut self, key: Option<&str>) -> Self {
        self.idempotency_key = key.map(str::to_owned);
        self
    }

    /// Sets the JSON body.
    pub(crate) fn body(mut self, body: Option<Value>) -> Self {
        self.body = body;
        self
    }

    /// Calls the operation.
    pub(crate) async fn send(
        self,
        state: &HttpState,
        request: &RoutedRequest,
        caller: &AuthenticatedCaller,
    ) -> Result<OperationReply, HandlerError> {
        let response = self.send_raw(state, request, caller).await?;
        let read = body::to_bytes(response.into_body(), RESPONSE_BYTES_MAX).await;
        let read = read.map_err(|_| Failure::Interrupted)?;
        let body = match read.is_empty() {
            true => Value::Null,
            false => serde_json::from_slice(&read).map_err(|_| Failure::Interrupted)?,
        };
        Ok(OperationReply { body })
    }

    /// Calls the operation and returns its response as it is.
    pub(crate) async fn send_raw(
        self,
        state: &HttpState,
        routed_request: &RoutedRequest,
        caller: &AuthenticatedCaller,
    ) -> Result<Response, HandlerError> {
        let unknown = || Refusal::because(RequestRefusal::NotFound, "no such operation");
        let route = find_operation(state.routes(), self.operation).ok_or_else(unknown)?;
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        if let Some(version) = self.version {
            let tag = HeaderValue::from_str(&format!("\"{version}\""));
            headers.insert(IF_MATCH, tag.map_err(|_| unknown())?);
        }
        if let Some(key) = &self.idempotency_key {
            headers.insert(IDEMPOTENCY_KEY, HeaderValue::from_str(key).map_err(|_| unknown())?);
        }
        let body = match &self.body {
            Some(body) => Bytes::from(serde_json::to_vec(body).map_err(|_| Failure::Interrupted)?),
            None => Bytes::new(),
        };
        let query = sinete_screens::console::build_query(
            self.query.iter().map(|(name, value)| (name.as_str(), value.as_str())),
        );
        let request = ForwardedRequest { path: self.path, query, headers, body };
        let forwarded = routed_request.forward(*route, request, ForwardedCaller(caller.clone()))?;
        route.handler.call(state.clone(), forwarded).await
    }
}

/// Finds the route of an operation of the management API.
pub(crate) fn find_operation(routes: &'static [RouteEntry], id: &str) -> Option<&'static RouteEntry> {
    routes
        .iter()
        .filter(|route| route.path.starts_with("/manage"))
        .find(|route| route.operation.as_ref().is_some_and(|operation| operation.id == id))
}
