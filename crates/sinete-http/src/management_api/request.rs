//! A request to the management API with an authenticated caller.

use crate::management_api::merge_patch;
use crate::management_api::pagination::PageRequest;
use crate::state::HttpState;
use crate::state::RouteEntry;
use crate::state::RoutedRequest;
use axum::http::HeaderName;
use axum::http::header::IF_MATCH;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sinete_core::id::{Id, OrganizationId};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::validation::ValidationErrors;
use sinete_engine::Engine;
use sinete_engine::access_control::admin_scope::AdminScope;
use sinete_engine::access_control::caller::AuthenticatedCaller;
use sinete_engine::access_control::instance_admin::InstanceAdmin;
use sinete_engine::access_control::organization_access;
use sinete_engine::access_control::organization_access::OrganizationAccess;
use sinete_engine::oauth::caller_authentication;
use sinete_engine::platform::idempotency::IdempotencyClaim;
use sinete_server::extract::params::FormParams;
use sinete_server::extract::{bearer, json};
use sinete_server::rate_limits::RateLimitedRequest;
use sinete_server::reply::HandlerError;
use sinete_server::route::{ApiConvention, CallerKind, RequestBodyKind, RequiredPermission};
use sinete_server::schema::SchemaRegistry;
use std::str::FromStr;

/// The header of the idempotency key.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The managed scope: the instance or one organization.
pub(crate) enum ManagementScope {
    Instance(InstanceAdmin),
    Organization(OrganizationAccess),
}

impl ManagementScope {
    /// The scope for the engine.
    pub(crate) const fn admin_scope(&self) -> AdminScope<'_> {
        match self {
            Self::Instance(instance_admin) => AdminScope::Instance(instance_admin),
            Self::Organization(access) => AdminScope::Organization(access),
        }
    }

    /// Sets the idempotency key.
    pub(crate) fn with_idempotency_claim(
        &self,
        management_request: &ManagementRequest,
        claim: Option<IdempotencyClaim>,
    ) -> Self {
        match self {
            Self::Instance(_) => Self::Instance(InstanceAdmin::new(
                management_request.engine(),
                &management_request.caller.with_claim(claim),
            )),
            Self::Organization(access) => Self::Organization(access.with_claim(claim)),
        }
    }

    /// The organization that owns the managed resources.
    pub(crate) fn organization(&self) -> Option<OrganizationId> {
        self.admin_scope().owning_organization()
    }
}

/// The caller of a request that our own pages forward, already authenticated by their session.
#[derive(Clone, Debug)]
pub(crate) struct ForwardedCaller(pub(crate) AuthenticatedCaller);

/// A request with its caller, by default one with a credential.
pub(crate) struct ManagementRequest<Who = AuthenticatedCaller> {
    /// The caller.
    pub(crate) caller: Who,
    state: HttpState,
    request: RoutedRequest,
    query: FormParams,
    path: Vec<(String, String)>,
}

impl ManagementRequest {
    /// Authenticates the caller, checks the route's permission and the query parameters.
    pub(crate) async fn authenticate(state: HttpState, request: RoutedRequest) -> Result<Self, HandlerError> {
        let query = request.query_params()?;
        let caller = match request.extension::<ForwardedCaller>() {
            Some(ForwardedCaller(caller)) => caller.clone(),
            None => {
                let bearer_credential = bearer::extract_credential(request.headers(), &query)?;
                caller_authentication::authenticate_caller(
                    state.engine(),
                    request.bearer_credential(bearer_credential),
                    request.origin(),
                )
                .await?
            }
        };
        if let CallerKind::Bearer(RequiredPermission::OverInstance(permission)) = request.route().caller {
            caller.require_instance_permission(permission)?;
        }
        Self::with_caller(caller, state, request, query).await
    }

    /// Authorizes the caller in the organization of the path, with the route's permission.
    pub(crate) async fn enter_organization(&self) -> Result<OrganizationAccess, HandlerError> {
        let access = organization_access::authorize_in_organization(
            self.engine(),
            &self.caller,
            self.path_param("organization"),
        )
        .await?;
        match self.route().caller {
            CallerKind::Bearer(RequiredPermission::InOrganization(permission)) => {
                access.require_read_permission(permission)?
            }
            CallerKind::Bearer(RequiredPermission::OneInOrganization(permissions)) => {
                let mut results =
                    permissions.iter().map(|permission| access.require_read_permission(permission));
                results
                    .find(Result::is_ok)
                    .unwrap_or_else(|| access.require_read_permission(permissions[0]))?;
            }
            CallerKind::Anyone
            | CallerKind::Browser
            | CallerKind::Registrant
            | CallerKind::Registration
            | CallerKind::Bearer(_)
            | CallerKind::Token(_)
            | CallerKind::Client
            | CallerKind::Session
            | CallerKind::SignedInUser
            | CallerKind::Flow => {}
        }
        Ok(access)
    }

    /// The scope of the path: an organization, or the instance.
    pub(crate) async fn management_scope(&self) -> Result<ManagementScope, HandlerError> {
        if self.path_param("organization").is_empty() {
            return Ok(ManagementScope::Instance(self.instance_admin()));
        }
        self.enter_organization().await.map(ManagementScope::Organization)
    }

    /// The caller as operator.
    pub(crate) fn instance_admin(&self) -> InstanceAdmin {
        InstanceAdmin::new(self.engine(), &self.caller)
    }

    /// The caller's claim on the idempotency key, if present.
    pub(super) fn idempotency_claim(&self) -> Result<Option<IdempotencyClaim>, HandlerError> {
        let mut keys = self.request.headers().get_all(&IDEMPOTENCY_KEY).iter();
        let key = match (keys.next(), keys.next()) {
            (None, _) => return Ok(None),
            (Some(key), None) => key.to_str().unwrap_or_default(),
            (Some(_), Some(_)) => "",
        };
        let route = self.route();
        let mut request = vec![route.method.name().as_bytes(), route.path.as_bytes()];
        request.extend(self.path.iter().map(|(_, value)| value.as_bytes()));
        request.push(self.request.body());
        Ok(Some(IdempotencyClaim::new(&self.caller.cause.actor, key, &request)?))
    }
}

impl<Who> ManagementRequest<Who> {
    /// Creates the request of an authenticated caller, after checking the query parameters.
    pub(crate) async fn with_caller(
        caller: Who,
        state: HttpState,
        mut request: RoutedRequest,
        query: FormParams,
    ) -> Result<Self, HandlerError> {
        let path = request.path_parameters().await?;
        let management_request = Self { caller, state, request, query, path };
        management_request.check_query_params()?;
        Ok(management_request)
    }

    pub(crate) fn engine(&self) -> &Engine {
        self.state.engine()
    }

    pub(crate) fn route(&self) -> &RouteEntry {
        self.request.route()
    }

    /// The rate limits of the request.
    pub(crate) fn rate_limit(&self) -> RateLimitedRequest<'_> {
        self.state.rate_limit(&self.request)
    }

    /// A query parameter.
    pub(crate) fn query_param(&self, name: &str) -> Option<&str> {
        self.query.get(name)
    }

    /// Parses a query parameter.
    pub(crate) fn parse_query_param<T: FromStr>(&self, name: &str) -> Result<Option<T>, HandlerError> {
        let read = |text: &str| {
            text.parse().map_err(|_| refuse_query_param(name, "has a value that is not allowed"))
        };
        Ok(self.query_param(name).map(read).transpose()?)
    }

    /// A header, if present.
    pub(crate) fn header(&self, name: &HeaderName) -> Option<&str> {
        self.request.header(name)
    }

    /// The URL of a resource below the path of this request.
    pub(crate) fn child_location(&self, id: impl std::fmt::Display) -> String {
        let mut path = self.route().path.to_owned();
        for (name, value) in &self.path {
            path = path.replace(&format!("{{{name}}}"), value);
        }
        format!("{}{path}/{id}", self.state.base_address().path())
    }

    /// Parses an id in the path; an invalid one is answered as not found.
    pub(crate) fn path_id<K>(&self, name: &str) -> Result<Id<K>, HandlerError> {
        self.parse_path_param(name)
    }

    /// Parses a path parameter.
    pub(crate) fn parse_path_param<T: FromStr>(&self, name: &str) -> Result<T, HandlerError> {
        Ok(self
            .path_param(name)
            .parse()
            .map_err(|_| Refusal::because(RequestRefusal::NotFound, format!("{name} is not valid")))?)
    }

    /// A path parameter.
    pub(crate) fn path_param(&self, name: &str) -> &str {
        self.path.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// Parses the body, validated against the route's schema.
    pub(crate) fn parse_body<T: DeserializeOwned>(&self) -> Result<T, HandlerError> {
        deserialize_checked(self.checked_body()?)
    }

    /// Applies the merge patch in the body (RFC 7396).
    pub(crate) fn apply_merge_patch<T: DeserializeOwned>(
        &self,
        resource: &impl Serialize,
    ) -> Result<T, HandlerError> {
        let patch = self.checked_body()?;
        let before = serde_json::to_value(resource).map_err(|_| sinete_engine::Failure::Interrupted)?;
        deserialize_checked(merge_patch::apply_merge_patch(before, patch))
    }

    /// Every JSON schema.
    pub(crate) fn schemas(&self) -> &'static SchemaRegistry {
        self.state.schemas()
    }

    fn checked_body(&self) -> Result<Value, HandlerError> {
        let value = json::parse_json_value(self.request.body())?;
        let schema = self.route().operation.as_ref().and_then(|operation| operation.request);
        let errors = schema.map(|schema| self.schemas().check(schema, &value)).unwrap_or_default();
        if errors.is_empty() { Ok(value) } else { Err(Refusal::from_validation_errors(errors).into()) }
    }

    /// The version in `If-Match`. The body is validated first: an invalid one does not become valid by
    /// reading the resource again.
    pub(crate) fn if_match_version(&self) -> Result<i64, HandlerError> {
        if self.route().request_body != RequestBodyKind::Nothing {
            self.checked_body()?;
        }
        let refuse = |reason: RequestRefusal, detail: &str| Err(Refusal::because(reason, detail).into());
        let mut lines = self.request.headers().get_all(IF_MATCH).iter();
        let (line, header_value) =
            (lines.next().map(|line| line.to_str().unwrap_or_default().trim()), lines.next());
        match (line, header_value) {
            (None, _) => refuse(RequestRefusal::IfMatchMissing, "no If-Match"),
            // `If-Match` must name exactly one version: neither a list nor `*` is accepted
            // (docs/contribute/decisions/0026-management-api-conventions.md).
            (Some(tag), None) if is_single_etag(tag) => match parse_etag_version(tag) {
                Some(version) => Ok(version),
                None => refuse(RequestRefusal::VersionChanged, "an entity tag that was never issued"),
            },
            (Some(_), _) => refuse(RequestRefusal::IfMatchInvalid, "a malformed If-Match, a list or a star"),
        }
    }

    /// The requested page of a list.
    pub(crate) fn page_request(&self, of: Option<OrganizationId>) -> Result<PageRequest, HandlerError> {
        PageRequest::from_request(self, of)
    }

    /// The filters of the list: all query parameters except those for pagination.
    pub(super) fn list_filters(&self) -> Vec<(&str, &str)> {
        let mut filters: Vec<_> =
            self.query.iter().filter(|(name, _)| !PAGING_PARAMS.contains(name)).collect();
        filters.sort_unstable();
        filters
    }

    /// Rejects unknown query parameters, which may be misspelt filters.
    fn check_query_params(&self) -> Result<(), Refusal> {
        let operation = self.route().operation.as_ref();
        let pages = operation.is_some_and(|operation| operation.has_convention(ApiConvention::Paged));
        let query_parameters = operation.map_or(&[][..], |operation| operation.query);
        let is_known = |name: &str| {
            query_parameters.iter().any(|parameter| parameter.name == name)
                || pages && PAGING_PARAMS.contains(&name)
        };
        let refuse = |name: &str, text| Err(refuse_query_param(name, text));
        if let Some((name, _)) = self.query.iter().find(|(name, _)| !is_known(name)) {
            return refuse(name, "is not a parameter of this operation");
        }
        if let Some((name, _)) = self.query.iter().find(|(_, value)| value.is_empty()) {
            return refuse(name, "has no value");
        }
        match query_parameters.iter().find(|it| it.is_required && self.query_param(it.name).is_none()) {
            Some(missing) => refuse(missing.name, "is required"),
            None => Ok(()),
        }
    }
}

/// Maximum bytes of a parameter's name that an error repeats.
const NAME_BYTES_MAX: usize = 64;

/// The refusal of a query parameter, which `errors` names. A name that is not a plain word is not repeated.
fn refuse_query_param(name: &str, text: &str) -> Refusal {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let is_shown = name.len() <= NAME_BYTES_MAX && name.bytes().all(is_plain);
    let mut errors = ValidationErrors::default();
    errors.add("", format!("the query parameter {} {text}", if is_shown { name } else { "…" }));
    Refusal::because(RequestRefusal::QueryParameterInvalid, text).with_validation_errors(errors)
}

/// The pagination parameters.
pub(crate) const PAGING_PARAMS: [&str; 2] = ["limit", "after"];

/// Deserializes a value that was validated against its schema.
fn deserialize_checked<T: DeserializeOwned>(value: Value) -> Result<T, HandlerError> {
    T::deserialize(value).map_err(|_| {
        let mut errors = ValidationErrors::default();
        errors.add("", "has a value that is not allowed; compare it with the schema in /openapi.json");
        Refusal::from_validation_errors(errors).into()
    })
}

/// Whether the text is one entity tag (RFC 9110 §8.8.3).
fn is_single_etag(text: &str) -> bool {
    let opaque = text.strip_prefix("W/").unwrap_or(text);
    let inside = opaque.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inside.is_some_and(|inside| !inside.contains('"') && inside.bytes().all(|byte| byte.is_ascii_graphic()))
}

/// The version of a strong entity tag. A weak one never matches (RFC 9110 §13.1.1).
fn parse_etag_version(tag: &str) -> Option<i64> {
    let digits = tag.strip_prefix('"')?.strip_suffix('"')?;
    let is_plain = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn etag_version_has_one_spelling() {
        assert_eq!(parse_etag_version("\"7\""), Some(7));
        for tag in ["W/\"7\"", "\"07\"", "\"+7\"", "\"\"", "\"x\"", "7", "\"99999999999999999999\"", "\"0\""]
        {
            assert_eq!(parse_etag_version(tag), None, "{tag}");
        }
    }

    #[test]
    fn if_match_with_a_list_or_star_is_not_one_etag() {
        for text in ["\"7\"", "W/\"7\"", "\"x-y\"", "\"\""] {
            assert!(is_single_etag(text), "{text}");
        }
        for text in ["*", "", "7", "\"7", "\"7\", \"8\"", "\"7\" \"8\"", "w/\"7\""] {
            assert!(!is_single_etag(text), "{text}");
        }
    }
}
