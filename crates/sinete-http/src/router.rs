//! The table of all routes. Nothing else is served.

use crate::cross_origin::PreflightResponder;
use crate::door::Dispatcher;
use crate::guard::{RouteService, UnroutedService};
use crate::management_api::operations::show_operation;
use crate::openapi;
use crate::platform::health::handlers;
use crate::platform::metrics::handlers as metrics_page;
use crate::route::{
    ApiOperation, CallerKind, CorsPolicy, ErrorFormat, OperationOutcome, OperationTag, RequestBodyKind,
    RouteAvailability, RouteEntry, RouteHandler, RouteListener, RouteMethod, RouteRateLimits, RouteWeight,
};
use crate::schema::NamedSchema;
use crate::state::{HttpState, InstancePurpose};
use axum::Router;
use axum::routing::{MethodFilter, MethodRouter};
use sinete_core::oauth::discovery::KEYS_PATH;
use sinete_core::refusal::RefusalCode;

/// All routes.
pub const ROUTES: &[RouteEntry] = &join_routes::<{ count_routes(ROUTE_PARTS) }>(ROUTE_PARTS);

/// The routes of every resource.
const ROUTE_PARTS: &[&[RouteEntry]] = &[
    PLATFORM_ROUTES,
    crate::authzen::evaluation::routes::ROUTES,
    crate::accounts::routes::ROUTES,
    crate::oauth::authorize::routes::ROUTES,
    #[cfg(feature = "screens")]
    crate::console::routes::ROUTES,
    crate::sign_in::flows::routes::ROUTES,
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
    crate::organizations::assignments::routes::ROUTES,
    crate::platform::messages::routes::ROUTES,
    crate::events::webhooks::routes::ROUTES,
    crate::organizations::domains::routes::ROUTES,
    crate::identity_providers::connections::routes::ROUTES,
    crate::events::webhooks::instance_routes::ROUTES,
    crate::organizations::member_grants::routes::ROUTES,
    crate::accounts::management::routes::ROUTES,
    crate::administration::routes::ROUTES,
    crate::platform::dev_mailbox::routes::ROUTES,
    crate::oauth::dcr::routes::ROUTES,
    crate::scim::routes::ROUTES,
    #[cfg(feature = "screens")]
    crate::sign_in::flow_pages::routes::ROUTES,
    crate::oauth::token::routes::ROUTES,
    crate::oauth::introspection::routes::ROUTES,
    crate::oauth::discovery::routes::ROUTES,
];

/// The total number of routes.
pub(crate) const fn count_routes(parts: &[&[RouteEntry]]) -> usize {
    let (mut part, mut rows) = (0, 0);
    while part < parts.len() {
        rows += parts[part].len();
        part += 1;
    }
    rows
}

/// Joins the tables of all modules.
pub(crate) const fn join_routes<const COUNT: usize>(parts: &[&[RouteEntry]]) -> [RouteEntry; COUNT] {
    let mut all = [parts[0][0]; COUNT];
    let (mut part, mut next) = (0, 0);
    while part < parts.len() {
        let mut row = 0;
        while row < parts[part].len() {
            all[next] = parts[part][row];
            next += 1;
            row += 1;
        }
        part += 1;
    }
    all
}

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
        cors: CorsPolicy::Own,
        weight: RouteWeight::Light,
        rate_limits: RouteRateLimits::ReadOnly,
        description: "Reports that this node is alive.",
        operation: Some(show_operation("getHealth", OperationTag::Service, &STATUS_SCHEMA)),
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
        cors: CorsPolicy::Own,
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
        cors: CorsPolicy::Own,
        weight: RouteWeight::Light,
        rate_limits: RouteRateLimits::ReadOnly,
        description: "Metrics in the Prometheus text format.",
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
        description: "The public signing keys (JWK Set).",
        operation: Some(document_operation("getKeys", &JWKS_SCHEMA)),
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
        description: "Describes this API.",
        operation: Some(document_operation("getDescription", &openapi::DESCRIPTION)),
        handler: RouteHandler::Document(openapi::openapi_document),
    },
];

/// The schemas of these routes.
pub(crate) const SCHEMAS: &[&NamedSchema] = &[&STATUS_SCHEMA, &JWKS_SCHEMA];

const STATUS_SCHEMA: NamedSchema = NamedSchema {
    name: "Status",
    json: r#"{"type":"object","required":["status"],"additionalProperties":false,"properties":{"status":{"type":"string"}},"examples":[{"status":"ok"}]}"#,
};
const JWKS_SCHEMA: NamedSchema = NamedSchema {
    name: "Keys",
    json: r#"{"type":"object","required":["keys"],"properties":{"keys":{"type":"array","items":{"type":"object"}}}}"#,
};

/// An operation that returns a document.
const fn document_operation(id: &'static str, schema: &'static NamedSchema) -> ApiOperation {
    ApiOperation {
        outcome: OperationOutcome::CacheableDocument(schema),
        ..show_operation(id, OperationTag::Service, schema)
    }
}

/// Builds the dispatcher of one listener: its routes, and refusals for everything else.
pub(crate) fn build_dispatcher(
    routes: &[RouteEntry],
    listener: RouteListener,
    state: &HttpState,
) -> Dispatcher {
    let served: Vec<RouteEntry> = routes
        .iter()
        .filter(|route| route.listener.includes(listener))
        .filter(|route| match route.availability {
            RouteAvailability::Always => true,
            RouteAvailability::WithInteraction => state.has_interaction(),
            RouteAvailability::WithScreens => state.serves_screens(),
            RouteAvailability::WithConsole => state.serves_console(),
            RouteAvailability::InDevelopment => state.settings().purpose == InstancePurpose::Development,
        })
        .copied()
        .collect();
    let mut router = Router::new();
    for (index, route) in served.iter().enumerate() {
        if served[..index].iter().any(|earlier| earlier.path == route.path) {
            continue;
        }
        router = router.route(route.path, method_router(&served, route.path, state));
    }
    let router = router
        .fallback_service(UnroutedService::new(RefusalCode::NotFound, state))
        .method_not_allowed_fallback({
            let refuse = UnroutedService::new(RefusalCode::MethodNotAllowed, state);
            move |request| refuse.clone().handle(request)
        });
    Dispatcher::new(router, served, listener, state.clone())
}

/// All methods of one path.
fn method_router(served: &[RouteEntry], path: &str, state: &HttpState) -> MethodRouter {
    let rows = || served.iter().enumerate().filter(|(_, route)| route.path == path);
    let mut methods = MethodRouter::new();
    for (index, route) in rows() {
        methods = methods.on_service(route.method.method_filter(), RouteService::new(index, *route, state));
    }
    let open = || rows().filter(|(_, route)| route.cors != CorsPolicy::Own);
    if let Some((index, first)) = open().next() {
        let verbs: Vec<RouteMethod> = open().map(|(_, route)| route.method).collect();
        methods = methods
            .on_service(MethodFilter::OPTIONS, PreflightResponder::new(index, first.cors, &verbs, state));
    }
    methods
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::RequiredPermission;
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
            let shown = match operation.outcome {
                OperationOutcome::Resource(schema)
                | OperationOutcome::Created(schema)
                | OperationOutcome::CacheableDocument(schema)
                | OperationOutcome::ResourceOrExport(schema, _) => Some(schema),
                OperationOutcome::NoContent | OperationOutcome::Stream(_) => None,
            };
            for schema in [operation.request, shown].into_iter().flatten() {
                assert_eq!(crate::schema::find_schema(schema.name), Some(schema), "{}", operation.id);
            }
        }
    }

    #[test]
    fn management_routes_need_a_bearer_credential_and_a_permission() {
        for route in ROUTES.iter().filter(|route| route.path.starts_with("/manage")) {
            let CallerKind::Bearer(needs) = route.caller else { panic!("{route:?} asks for nothing") };
            let is_inside = route.path.starts_with("/manage/organizations/{organization}");
            let fits = match needs {
                RequiredPermission::Nothing | RequiredPermission::OverInstance(_) => !is_inside,
                RequiredPermission::InOrganization(_)
                | RequiredPermission::OneInOrganization(_)
                | RequiredPermission::InOrganizationOrOwn(_)
                | RequiredPermission::Assignment => is_inside,
                RequiredPermission::InOwnOrganization(_) => false,
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
}
