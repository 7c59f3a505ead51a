//! CORS: what scripts of other origins may read and send.

use crate::context::ServerContext;
use crate::extract::bearer::DPOP_NONCE;
use crate::request_context::RequestContext;
use crate::route::{CorsPolicy, RouteMethod};
use crate::security_headers::CROSS_ORIGIN_RESOURCE_POLICY;
use axum::body::Body;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, HeaderMap,
    HeaderValue, ORIGIN, VARY, WWW_AUTHENTICATE,
};
use axum::response::Response;
use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};
use tower::Service;

/// Responds to preflight requests for a path.
#[derive(Clone)]
pub(crate) struct PreflightResponder {
    /// The route under which it is counted.
    route_index: usize,
    origins: CorsPolicy,
    methods: HeaderValue,
    server: Arc<ServerContext>,
}

impl PreflightResponder {
    pub(crate) fn new(
        index: usize,
        origins: CorsPolicy,
        open: &[RouteMethod],
        server: &Arc<ServerContext>,
    ) -> Self {
        let names: Vec<_> = open.iter().map(|method| method.name()).collect();
        let methods = HeaderValue::from_str(&names.join(", ")).unwrap_or(HeaderValue::from_static("GET"));
        Self { route_index: index, origins, methods, server: Arc::clone(server) }
    }
}

impl Service<Request> for PreflightResponder {
    type Response = Response;
    type Error = Infallible;
    type Future = std::future::Ready<Result<Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        if let Some(context) = request.extensions().get::<Arc<RequestContext>>() {
            context.set_route(self.route_index);
        }
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NO_CONTENT;
        match self.origins {
            CorsPolicy::SameOrigin => {}
            CorsPolicy::Any => allow_any_origin(response.headers_mut()),
            CorsPolicy::Listed => {
                allow_listed_origins(response.headers_mut(), request.headers().get(ORIGIN), &self.server);
            }
        }
        let headers = response.headers_mut();
        if headers.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN) {
            headers.insert(ACCESS_CONTROL_ALLOW_METHODS, self.methods.clone());
            let allowed_headers = match self.origins {
                CorsPolicy::SameOrigin | CorsPolicy::Any => "authorization, content-type, dpop",
                CorsPolicy::Listed => "authorization, content-type, if-match, x-csrf-token",
            };
            headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(allowed_headers));
            headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("7200"));
        }
        std::future::ready(Ok(response))
    }
}

/// Allows scripts of any origin, without credentials.
pub(crate) fn allow_any_origin(headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
    // DPoP clients must be able to read the nonce and the error.
    let read = match (headers.contains_key(DPOP_NONCE), headers.contains_key(WWW_AUTHENTICATE)) {
        (true, _) => "dpop-nonce, www-authenticate",
        (false, true) => "www-authenticate",
        (false, false) => return,
    };
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(read));
}

/// Allows scripts of the configured origins, with cookies.
pub(crate) fn allow_listed_origins(
    headers: &mut HeaderMap,
    origin: Option<&HeaderValue>,
    server: &ServerContext,
) {
    headers.append(VARY, HeaderValue::from_static("origin"));
    let is_listed = |origin: &&HeaderValue| {
        server
            .settings()
            .allowed_origins
            .iter()
            .any(|allowed_origin| allowed_origin.as_bytes() == origin.as_bytes())
    };
    if let Some(origin) = origin.filter(is_listed) {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
        headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, HeaderValue::from_static("same-site"));
    }
}
