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
use sinete_engine::scim::{ScimPrecondition, ScimResource};
use sinete_server::extract::params::FormParams;
use sinete_server::extract::{bearer, json};
use sinete_server::reply::HandlerError;
use sinete_server::reply::json::{json_response, serialize_json, with_location};
use sinete_server::reply::scim_error::SCIM_JSON;

type ScimResponse = Response<axum::body::Body>;

/// A request whose caller may provision in one organization.
pub(super) struct ScimRequest {
    /// The caller and organization.
    pub(super) acting: OrganizationAccess,
    state: HttpState,
    call: RoutedRequest,
    query: FormParams,
    path: Vec<(String, String)>,
}

impl ScimRequest {
    /// Authenticates the caller, and checks its permission and rate limit.
    pub(super) async fn authenticate(state: HttpState, call: RoutedRequest) -> Result<Self, HandlerError> {
        let (caller, query) = authenticate_scim_caller(&state, &call).await?;
        Self::with_caller(&caller, 1, (state, call, query)).await
    }

    /// The same for a bulk request, with its body: all operations are counted before any waiting.
    pub(super) async fn authenticate_bulk(
        state: HttpState,
        call: RoutedRequest,
    ) -> Result<(Self, Value), HandlerError> {
        let (caller, query) = authenticate_scim_caller(&state, &call).await?;
        let sent = json::parse_json_value(call.body());
        let operations = sent.as_ref().ok().and_then(|sent| sent.get("Operations")?.as_array());
        // A bulk request that is refused as a whole counts as one.
        let held = operations.map(Vec::len).filter(|held| *held <= SCIM_BULK_OPERATIONS_MAX).unwrap_or(1);
        let errand = Self::with_caller(&caller, held, (state, call, query)).await?;
        Ok((errand, sent?))
    }

    async fn with_caller(
        caller: &AuthenticatedCaller,
        requests: usize,
        (state, mut call, query): (HttpState, RoutedRequest, FormParams),
    ) -> Result<Self, HandlerError> {
        let actor = &caller.cause.actor;
        let who = format!("{} {}", actor.kind(), actor.id().unwrap_or_default());
        state.scim_rate_limits().check_and_count(who, requests, state.engine().now())?;
        let acting = scim::authorize_scim_caller(state.engine(), caller).await?;
        let path = call.path_parameters().await?;
        Ok(Self { acting, state, call, query, path })
    }

    pub(super) fn engine(&self) -> &Engine {
        self.state.engine()
    }

    /// A path parameter.
    pub(super) fn path_param(&self, name: &str) -> &str {
        self.path.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// The body.
    pub(super) fn body(&self) -> Result<Value, HandlerError> {
        Ok(json::parse_json_value(self.call.body())?)
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
            self.call.headers().get_all(name).iter().filter_map(|line| line.to_str().ok()).collect();
        ScimPrecondition::parse((!lines.is_empty()).then(|| lines.join(",")).as_deref())
    }

    /// The resource, or 304 if the client has it.
    pub(super) fn resource_response(
        &self,
        status: StatusCode,
        shown: ScimResource,
    ) -> Result<ScimResponse, HandlerError> {
        let location = shown.location(self.engine());
        let is_known = status == StatusCode::OK
            && self.call.route().method == sinete_server::route::RouteMethod::Get
            && self.header_etags(&IF_NONE_MATCH).matches_version(&shown.version);
        let mut response = if is_known {
            let mut response = sinete_server::reply::json::no_content_response();
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response
        } else {
            scim_response(status, &Value::Object(self.project_attributes(shown.kind, shown.resource)?))?
        };
        if let Ok(tag) = HeaderValue::try_from(shown.version) {
            response.headers_mut().insert(ETAG, tag);
        }
        Ok(if status == StatusCode::CREATED { with_location(response, &location) } else { response })
    }

    fn project_attributes(
        &self,
        kind: ScimResourceType,
        resource: Map<String, Value>,
    ) -> Result<Map<String, Value>, HandlerError> {
        let asked = self.query()?;
        Ok(ScimAttributeProjection::from_params(asked.attributes, asked.excluded)
            .project_resource(kind, resource))
    }
}

async fn authenticate_scim_caller(
    state: &HttpState,
    call: &RoutedRequest,
) -> Result<(AuthenticatedCaller, FormParams), HandlerError> {
    let query = call.query_params()?;
    let shown = bearer::extract_credential(call.headers(), &query)?;
    Ok((
        caller_authentication::authenticate_caller(
            state.engine(),
            call.bearer_credential(shown),
            call.origin(),
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
