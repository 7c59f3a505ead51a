//! A SCIM request with an authorized caller.

use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::header::{CONTENT_TYPE, ETAG, HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH};
use axum::http::{Response, StatusCode};
use serde_json::{Map, Value};
use sinete_core::limits::SCIM_BULK_OPERATIONS_MAX;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::scim::ScimRefusal;
use sinete_core::scim::ScimResourceType;
use sinete_core::scim::projection::ScimAttributeProjection;
use sinete_core::scim::query::ScimQueryParams;
use sinete_engine::Engine;
use sinete_engine::access_control::caller::AuthenticatedCaller;
use sinete_engine::access_control::organization_access::OrganizationAccess;
use sinete_engine::oauth::caller_authentication;
use sinete_engine::scim;
use sinete_engine::scim::request_log;
use sinete_engine::scim::request_log::AnsweredScimRequest;
use sinete_engine::scim::{ScimPrecondition, ScimResource};
use sinete_server::extract::params::FormParams;
use sinete_server::extract::{bearer, json};
use sinete_server::reply::json::{json_response, serialize_json, with_location};
use sinete_server::reply::scim_error::SCIM_JSON;
use sinete_server::reply::{HandlerError, HandlerResult, ServerFailure};
use sinete_server::route::{CallerKind, ErrorFormat};
use std::future::ready;
use std::pin::Pin;

type ScimResponse = Response<axum::body::Body>;

/// A request whose caller may provision in one organization.
pub(super) struct ScimRequest {
    /// The caller and organization.
    pub(super) access: OrganizationAccess,
    state: HttpState,
    request: RoutedRequest,
    query: FormParams,
    path: Vec<(String, String)>,
}

/// The reply to a request.
pub(super) type ScimReply<'a> = Pin<Box<dyn Future<Output = HandlerResult> + Send + 'a>>;

impl ScimRequest {
    /// Answers a request: authenticates the caller, checks its permission and rate limit, and records for the
    /// administrators of its organization how the request went. Nothing else creates a [`ScimRequest`].
    pub(super) async fn answer(
        state: HttpState,
        request: RoutedRequest,
        handle: impl for<'a> FnOnce(&'a Self) -> ScimReply<'a> + Send,
    ) -> HandlerResult {
        let (caller, query) = authenticate_scim_caller(&state, &request).await?;
        Self::answer_caller(&caller, 1, state, request, query, handle).await
    }

    /// The same for a bulk request, with its body: all operations are counted before any waiting.
    pub(super) async fn answer_bulk(
        state: HttpState,
        request: RoutedRequest,
        handle: impl for<'a> FnOnce(&'a Self, Value) -> ScimReply<'a> + Send,
    ) -> HandlerResult {
        let (caller, query) = authenticate_scim_caller(&state, &request).await?;
        let result = json::parse_json_value(request.body());
        let operations = result.as_ref().ok().and_then(|body| body.get("Operations")?.as_array());
        // A bulk request that is refused as a whole counts as one.
        let operation_count = operations
            .map(Vec::len)
            .filter(|operation_count| *operation_count <= SCIM_BULK_OPERATIONS_MAX)
            .unwrap_or(1);
        Self::answer_caller(&caller, operation_count, state, request, query, |scim_request| match result {
            Ok(body) => handle(scim_request, body),
            Err(invalid) => Box::pin(ready(Err(invalid.into()))),
        })
        .await
    }

    async fn answer_caller(
        caller: &AuthenticatedCaller,
        requests: usize,
        state: HttpState,
        mut request: RoutedRequest,
        query: FormParams,
        handle: impl for<'a> FnOnce(&'a Self) -> ScimReply<'a> + Send,
    ) -> HandlerResult {
        let path = request.path_parameters().await;
        let (engine, body) = (state.engine().clone(), request.body().clone());
        let (method, caller_kind) = (request.route().method, request.route().caller);
        let described = describe_path(request.route().path, path.as_deref().unwrap_or_default());
        let reply = match authorize_request(&state, caller, requests).await {
            Ok(access) => match path {
                Ok(path) => handle(&Self { access, state, request, query, path }).await,
                Err(refusal) => Err(refusal.into()),
            },
            Err(error) => Err(error),
        };
        let scim_request = AnsweredScimRequest {
            organization: caller.organization,
            actor: &caller.cause.actor,
            method: method.name(),
            path: &described,
            external_id: None,
        };
        match &reply {
            Ok(response) => request_log::record_success(&engine, scim_request, response.status().as_u16()),
            Err(error) => {
                let parsed_body = json::parse_json_value(&body).ok();
                let external_id =
                    parsed_body.as_ref().and_then(|parsed_body| parsed_body.get("externalId")?.as_str());
                let scim_request = AnsweredScimRequest { external_id, ..scim_request };
                record_error(&engine, scim_request, error, caller_kind);
            }
        }
        reply
    }

    pub(super) fn engine(&self) -> &Engine {
        self.state.engine()
    }

    /// A path parameter.
    pub(super) fn path_param(&self, name: &str) -> &str {
        self.path.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// The body.
    pub(super) fn body(&self) -> Result<Value, HandlerError> {
        Ok(json::parse_json_value(self.request.body())?)
    }

    /// The list parameters.
    pub(super) fn query(&self) -> Result<ScimQueryParams, HandlerError> {
        Ok(ScimQueryParams::from_query(|name| self.query.get(name))?)
    }

    /// Rejects a filter: discovery endpoints do not support one (RFC 7644 §4).
    pub(super) fn reject_filter(&self) -> Result<(), HandlerError> {
        match self.query.get("filter") {
            None => Ok(()),
            Some(_) => Err(Refusal::because(ScimRefusal::FilterOnServiceConfiguration, "").into()),
        }
    }

    /// The version precondition.
    pub(super) fn if_match(&self) -> ScimPrecondition {
        self.header_etags(&IF_MATCH)
    }

    fn header_etags(&self, name: &HeaderName) -> ScimPrecondition {
        let lines: Vec<&str> =
            self.request.headers().get_all(name).iter().filter_map(|line| line.to_str().ok()).collect();
        ScimPrecondition::parse((!lines.is_empty()).then(|| lines.join(",")).as_deref())
    }

    /// The resource, or 304 if the client has it.
    pub(super) fn resource_response(
        &self,
        status: StatusCode,
        resource: ScimResource,
    ) -> Result<ScimResponse, HandlerError> {
        let location = resource.location(self.engine());
        let is_known = status == StatusCode::OK
            && self.request.route().method == sinete_server::route::RouteMethod::Get
            && self.header_etags(&IF_NONE_MATCH).matches_version(&resource.version);
        let mut response = if is_known {
            let mut response = sinete_server::reply::json::no_content_response();
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response
        } else {
            scim_response(status, &Value::Object(self.project_attributes(resource.kind, resource.resource)?))?
        };
        if let Ok(tag) = HeaderValue::try_from(resource.version) {
            response.headers_mut().insert(ETAG, tag);
        }
        Ok(if status == StatusCode::CREATED { with_location(response, &location) } else { response })
    }

    fn project_attributes(
        &self,
        kind: ScimResourceType,
        resource: Map<String, Value>,
    ) -> Result<Map<String, Value>, HandlerError> {
        let params = self.query()?;
        Ok(ScimAttributeProjection::from_params(params.attributes, params.excluded)
            .project_resource(kind, resource))
    }
}

/// Checks the rate limit and the permission of the caller.
async fn authorize_request(
    state: &HttpState,
    caller: &AuthenticatedCaller,
    requests: usize,
) -> Result<OrganizationAccess, HandlerError> {
    let actor = &caller.cause.actor;
    let credential_key = format!("{} {}", actor.kind(), actor.id().unwrap_or_default());
    state.scim_rate_limits().check_and_count(credential_key, requests, state.engine().now())?;
    Ok(scim::authorize_scim_caller(state.engine(), caller).await?)
}

/// The path of a request below the base URL, with its parameters and without its query.
fn describe_path(route: &str, parameters: &[(String, String)]) -> String {
    let below = route.strip_prefix(scim::SCIM_PATH).unwrap_or(route);
    let fill = |path: String, (name, value): &(String, String)| path.replace(&format!("{{{name}}}"), value);
    parameters.iter().fold(below.to_owned(), fill)
}

/// Records the error that the client sees. What failed on our side does not reveal its cause.
fn record_error(engine: &Engine, request: AnsweredScimRequest<'_>, error: &HandlerError, caller: CallerKind) {
    match error {
        HandlerError::Refused(refusal) => request_log::record_failure(engine, request, refusal),
        HandlerError::Failed(failure) => {
            let unnamed = ServerFailure { retry: failure.retry, reason: String::new() };
            let refusal = HandlerError::Failed(unnamed).into_refusal(ErrorFormat::Scim, caller);
            request_log::record_failure(engine, request, &refusal);
        }
    }
}

async fn authenticate_scim_caller(
    state: &HttpState,
    request: &RoutedRequest,
) -> Result<(AuthenticatedCaller, FormParams), HandlerError> {
    let query = request.query_params()?;
    let bearer_credential = bearer::extract_credential(request.headers(), &query)?;
    Ok((
        caller_authentication::authenticate_caller(
            state.engine(),
            request.bearer_credential(bearer_credential),
            request.origin(),
        )
        .await?,
        query,
    ))
}

/// A SCIM response.
pub(super) fn scim_response(status: StatusCode, body: &Value) -> Result<ScimResponse, HandlerError> {
    let mut response = json_response(status, serialize_json(body)?);
    response.headers_mut().insert(CONTENT_TYPE, SCIM_JSON);
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scim_request_path_has_its_parameters_and_no_base() {
        let parameters = [("group".to_owned(), "0190".to_owned())];
        assert_eq!(describe_path("/scim/v2/Groups/{group}", &parameters), "/Groups/0190");
        assert_eq!(describe_path("/scim/v2/Groups/{group}", &[]), "/Groups/{group}");
        assert_eq!(describe_path("/scim/v2/.search", &[]), "/.search");
    }
}
