//! The table of all routes. Nothing else is served.

use crate::management_api::operations::show_operation;
use crate::openapi;
use crate::platform::health;
use crate::platform::health::handlers;
use crate::platform::metrics::handlers as metrics_page;
use crate::route_table::{count_routes, join_routes};
use crate::state::HttpState;
use crate::state::RouteEntry;
use sinete_core::oauth::discovery::KEYS_PATH;
use sinete_server::application::RouteHandler;
use sinete_server::route::{
    ApiOperation, CallerKind, CorsPolicy, ErrorFormat, OperationOutcome, OperationTag, RequestBodyKind,
    RouteAvailability, RouteListener, RouteMethod, RouteRateLimits, RouteWeight,
};
use sinete_server::schema::NamedSchema;
use sinete_server::serve::{DrainReport, ServerListeners, serve_routes};
use tokio_util::sync::CancellationToken;

/// Serves all routes until `stop` is cancelled and requests in progress are complete.
pub async fn serve(listeners: ServerListeners, state: HttpState, stop: CancellationToken) -> DrainReport {
    serve_routes(ROUTES, listeners, state, stop).await
}

/// All routes.
pub const ROUTES: &[RouteEntry] = &join_routes::<{ count_routes(ROUTE_PARTS) }>(ROUTE_PARTS);

/// The routes of every resource.
const ROUTE_PARTS: &[&[RouteEntry]] = &[
    PLATFORM_ROUTES,
    crate::authzen::evaluation::routes::ROUTES,
    crate::accounts::routes::ROUTES,
    crate::accounts::linked_identities::routes::ROUTES,
    crate::accounts::picture::routes::ROUTES,
    crate::oauth::authorize::routes::ROUTES,
    #[cfg(feature = "screens")]
    crate::openapi::explorer::ROUTES,
    #[cfg(feature = "screens")]
    crate::console::routes::ROUTES,
    #[cfg(feature = "screens")]
    crate::console::setup_link_pages::routes::ROUTES,
    crate::sign_in::flows::routes::ROUTES,
    crate::identity_providers::callback::routes::ROUTES,
    crate::organizations::organization::routes::ROUTES,
    crate::organizations::members::routes::ROUTES,
    crate::organizations::invitations::routes::ROUTES,
    crate::organizations::roles::routes::ROUTES,
    crate::organizations::api_keys::routes::ROUTES,
    crate::organizations::api_catalog::routes::ROUTES,
    crate::authzen::relationships::routes::ROUTES,
    crate::oauth::clients::routes::ROUTES,
    crate::oauth::clients::instance_routes::ROUTES,
    crate::events::audit_log::routes::ROUTES,
    crate::events::usage::routes::ROUTES,
    crate::organizations::assignments::routes::ROUTES,
    crate::platform::messages::routes::ROUTES,
    crate::events::webhooks::routes::ROUTES,
    crate::organizations::domains::routes::ROUTES,
    crate::identity_providers::connections::routes::ROUTES,
    crate::identity_providers::setup_links::routes::ROUTES,
    crate::events::webhooks::instance_routes::ROUTES,
    crate::organizations::member_grants::routes::ROUTES,
    crate::organizations::ciba_requests::routes::ROUTES,
    crate::accounts::management::routes::ROUTES,
    crate::administration::routes::ROUTES,
    crate::sign_in::report_sign_in::routes::ROUTES,
    crate::accounts::restore_email::routes::ROUTES,
    crate::platform::dev_mailbox::routes::ROUTES,
    crate::oauth::dcr::routes::ROUTES,
    crate::scim::routes::ROUTES,
    #[cfg(feature = "screens")]
    crate::sign_in::flow_pages::routes::ROUTES,
    #[cfg(feature = "screens")]
    crate::accounts::account_pages::routes::ROUTES,
    crate::oauth::token::routes::ROUTES,
    crate::oauth::introspection::routes::ROUTES,
    crate::oauth::discovery::routes::ROUTES,
];

/// Routes that belong to no module.
const PLATFORM_ROUTES: &[RouteEntry] = &[
    RouteEntry {
        method: RouteMethod::Get,
        path: "/healthz",
        listener: RouteListener::Both,
        availability: RouteAvailability::Always,
        caller: CallerKind::Anyone,
        request_body: RequestBodyKind::Nothing,
        error_format: ErrorFormat::Problem,
        cors: CorsPolicy::SameOrigin,
        weight: RouteWeight::Light,
        rate_limits: RouteRateLimits::ReadOnly,
        description: "Reports that this node is alive.",
        operation: Some(show_operation("getHealth", OperationTag::Service, &health::STATUS_SCHEMA)),
        handler: RouteHandler::Document(|_| Ok(handlers::liveness())),
    },
    RouteEntry {
        method: RouteMethod::Get,
        path: "/readyz",
        listener: RouteListener::Admin,
        availability: RouteAvailability::Always,
        caller: CallerKind::Anyone,
        request_body: RequestBodyKind::Nothing,
        error_format: ErrorFormat::Problem,
        cors: CorsPolicy::SameOrigin,
        weight: RouteWeight::Light,
        rate_limits: RouteRateLimits::ReadOnly,
        description: "Reports whether this node is ready: database, keys, clock, and not stopping.",
        operation: None,
        handler: RouteHandler::Handler(|state, _| Box::pin(handlers::readiness(state))),
    },
    RouteEntry {
        method: RouteMethod::Get,
        path: "/metrics",
        listener: RouteListener::Admin,
        availability: RouteAvailability::Always,
        caller: CallerKind::Anyone,
        request_body: RequestBodyKind::Nothing,
        error_format: ErrorFormat::Problem,
        cors: CorsPolicy::SameOrigin,
        weight: RouteWeight::Light,
        rate_limits: RouteRateLimits::ReadOnly,
        description: "Returns the metrics in the Prometheus text format.",
        operation: None,
        handler: RouteHandler::Handler(|state, _| Box::pin(metrics_page::get_metrics(state))),
    },
    RouteEntry {
        method: RouteMethod::Get,
        path: KEYS_PATH,
        listener: RouteListener::Public,
        availability: RouteAvailability::Always,
        caller: CallerKind::Anyone,
        request_body: RequestBodyKind::Nothing,
        error_format: ErrorFormat::Problem,
        cors: CorsPolicy::Any,
        weight: RouteWeight::Light,
        rate_limits: RouteRateLimits::ReadOnly,
        description: "Returns the public signing keys (JWK Set).",
        operation: Some(document_operation("getKeys", &health::JWKS_SCHEMA)),
        handler: RouteHandler::Document(|state| Ok(state.backend().jwks())),
    },
    RouteEntry {
        method: RouteMethod::Get,
        path: "/openapi.json",
        listener: RouteListener::Public,
        availability: RouteAvailability::Always,
        caller: CallerKind::Anyone,
        request_body: RequestBodyKind::Nothing,
        error_format: ErrorFormat::Problem,
        cors: CorsPolicy::Any,
        weight: RouteWeight::Light,
        rate_limits: RouteRateLimits::ReadOnly,
        description: "Returns the OpenAPI description of this API.",
        operation: Some(document_operation("getDescription", &openapi::DESCRIPTION)),
        handler: RouteHandler::Document(openapi::openapi_document),
    },
];

/// An operation that returns a document.
const fn document_operation(id: &'static str, schema: &'static NamedSchema) -> ApiOperation {
    ApiOperation {
        outcome: OperationOutcome::CacheableDocument(schema),
        ..show_operation(id, OperationTag::Service, schema)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::limits;
    use sinete_core::refusal::RefusalCode;
    use sinete_engine::Failure;
    use sinete_server::reply::HandlerError;
    use sinete_server::route::RequiredPermission;
    use std::collections::BTreeSet;

    #[test]
    fn routes_are_unique_and_described() {
        let rows: BTreeSet<_> = ROUTES.iter().map(|route| (route.path, route.method.name())).collect();
        assert_eq!(rows.len(), ROUTES.len());
        for route in ROUTES {
            assert!(route.path.starts_with('/') && route.description.ends_with('.'), "{route:?}");
        }
    }

    #[test]
    fn routes_have_unique_operation_ids_and_known_schemas() {
        let operations: Vec<_> = ROUTES.iter().filter_map(|route| route.operation).collect();
        let names: BTreeSet<_> = operations.iter().map(|operation| operation.id).collect();
        assert_eq!(names.len(), operations.len());
        for operation in operations {
            let named_schema = match operation.outcome {
                OperationOutcome::Resource(schema)
                | OperationOutcome::Created(schema)
                | OperationOutcome::CacheableDocument(schema)
                | OperationOutcome::ResourceOrExport(schema, _) => Some(schema),
                OperationOutcome::NoContent | OperationOutcome::Stream(_) => None,
            };
            for schema in [operation.request, named_schema].into_iter().flatten() {
                assert_eq!(
                    crate::schema::find_schema(schema.name).map(|found| found.name),
                    Some(schema.name),
                    "{}",
                    operation.id
                );
            }
        }
    }

    #[test]
    fn management_routes_need_a_bearer_credential_and_a_permission() {
        for route in ROUTES.iter().filter(|route| route.path.starts_with("/manage")) {
            let CallerKind::Bearer(needs) = route.caller else { panic!("{route:?} requires no credential") };
            let is_inside = route.path.starts_with("/manage/organizations/{organization}");
            let fits = match needs {
                RequiredPermission::Nothing | RequiredPermission::OverInstance(_) => !is_inside,
                RequiredPermission::InOrganization(_)
                | RequiredPermission::OneInOrganization(_)
                | RequiredPermission::InOrganizationOrOwner(_)
                | RequiredPermission::Assignment => is_inside,
                RequiredPermission::InCredentialOrganization(_) => false,
            };
            assert!(fits, "{route:?}");
            for permission in needs.permissions() {
                let permission = permission.parse().unwrap();
                assert!(
                    sinete_core::access_control::permission_catalog::find_permission(&permission).is_some(),
                    "{route:?}"
                );
            }
        }
    }

    #[test]
    fn readyz_and_metrics_are_served_on_the_admin_listener_only() {
        for path in ["/readyz", "/metrics"] {
            let rows: Vec<_> = ROUTES.iter().filter(|route| route.path == path).collect();
            assert!(!rows.is_empty() && rows.iter().all(|route| route.listener == RouteListener::Admin));
        }
    }

    #[test]
    fn contention_failure_is_a_conflict_if_the_caller_can_reread_and_otherwise_unavailable() {
        for route in ROUTES {
            let refusal =
                HandlerError::from(Failure::Contended).into_refusal(route.error_format, route.caller);
            let expected = match (route.error_format, route.path) {
                (ErrorFormat::OAuth, _) | (_, "/connect/authorize" | "/sign-in/provider/{connection}") => {
                    (RefusalCode::TemporarilyUnavailable, Some(limits::RETRY_AFTER))
                }
                (ErrorFormat::Problem | ErrorFormat::Scim, _) => (RefusalCode::Conflict, None),
            };
            assert_eq!((refusal.code(), refusal.retry_after()), expected, "{}", route.path);
        }
    }
}
