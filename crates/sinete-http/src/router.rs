//! The one table of routes. Everything that is served is a row here, and nothing else is served.

pub(crate) mod access;
mod account;
mod authorize;
#[cfg(feature = "screens")]
mod console;
mod flows;
mod manage;
mod messages;
mod registration;
mod scim;
#[cfg(feature = "screens")]
mod screens;
mod token;
mod tokens_in_use;
mod wellknown;

use crate::cross_origin::PreflightResponder;
use crate::door::Dispatcher;
use crate::guard::{RouteService, UnroutedService};
use crate::route::{
    ApiOperation, CallerKind, CorsPolicy, ErrorFormat, HandlerFn, OperationOutcome, OperationTag,
    RequestBodyKind, RequiredPermission, RouteAvailability, RouteEntry, RouteHandler, RouteListener,
    RouteMethod, RouteRateLimits, RouteWeight,
};
use crate::schema::NamedSchema;
use crate::state::{HttpState, InstancePurpose};
use crate::{health, metrics_page, openapi};
use axum::Router;
use axum::routing::{MethodFilter, MethodRouter};
use sinete_core::metadata::discovery::KEYS_PATH;
use sinete_core::refusal::RefusalCode;

/// Every route there is.
pub const ROUTES: &[RouteEntry] = &joined::<{ count(PARTS) }>(PARTS);

const PARTS: &[&[RouteEntry]] = &[
    OWN,
    access::ROUTES,
    account::ROUTES,
    authorize::ROUTES,
    #[cfg(feature = "screens")]
    console::ROUTES,
    flows::ROUTES,
    manage::ROUTES,
    messages::ROUTES,
    registration::ROUTES,
    scim::ROUTES,
    #[cfg(feature = "screens")]
    screens::ROUTES,
    token::ROUTES,
    tokens_in_use::ROUTES,
    wellknown::ROUTES,
];

/// How many rows the parts have together.
const fn count(parts: &[&[RouteEntry]]) -> usize {
    let (mut part, mut rows) = (0, 0);
    while part < parts.len() {
        rows += parts[part].len();
        part += 1;
    }
    rows
}

/// The tables of the parts as one.
const fn joined<const COUNT: usize>(parts: &[&[RouteEntry]]) -> [RouteEntry; COUNT] {
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

/// What belongs to no part.
const OWN: &[RouteEntry] = &[
    RouteEntry {
        verb: RouteMethod::Get,
        path: "/healthz",
        listener: RouteListener::Both,
        served: RouteAvailability::Always,
        caller: CallerKind::Anyone,
        takes: RequestBodyKind::Nothing,
        refuses: ErrorFormat::Problem,
        origins: CorsPolicy::Own,
        weight: RouteWeight::Light,
        rate_limits: RouteRateLimits::ReadOnly,
        description: "Says that this node is alive.",
        operation: Some(manage::shows("getHealth", OperationTag::Service, &STATUS)),
        answers: RouteHandler::Shows(|_| Ok(health::alive())),
    },
    RouteEntry {
        verb: RouteMethod::Get,
        path: "/readyz",
        listener: RouteListener::Admin,
        served: RouteAvailability::Always,
        caller: CallerKind::Anyone,
        takes: RequestBodyKind::Nothing,
        refuses: ErrorFormat::Problem,
        origins: CorsPolicy::Own,
        weight: RouteWeight::Light,
        rate_limits: RouteRateLimits::ReadOnly,
        description: "Says whether this node can answer requests: database, keys, clock, and not going away.",
        operation: None,
        answers: RouteHandler::Works(|state, _| Box::pin(health::ready(state))),
    },
    RouteEntry {
        verb: RouteMethod::Get,
        path: "/metrics",
        listener: RouteListener::Admin,
        served: RouteAvailability::Always,
        caller: CallerKind::Anyone,
        takes: RequestBodyKind::Nothing,
        refuses: ErrorFormat::Problem,
        origins: CorsPolicy::Own,
        weight: RouteWeight::Light,
        rate_limits: RouteRateLimits::ReadOnly,
        description: "Shows what has been counted, in Prometheus text format.",
        operation: None,
        answers: RouteHandler::Works(|state, _| Box::pin(metrics_page::get(state))),
    },
    RouteEntry {
        verb: RouteMethod::Get,
        path: KEYS_PATH,
        listener: RouteListener::Public,
        served: RouteAvailability::Always,
        caller: CallerKind::Anyone,
        takes: RequestBodyKind::Nothing,
        refuses: ErrorFormat::Problem,
        origins: CorsPolicy::Any,
        weight: RouteWeight::Light,
        rate_limits: RouteRateLimits::ReadOnly,
        description: "Publishes the keys that signatures of ours are checked with.",
        operation: Some(publishes("getKeys", &KEYS)),
        answers: RouteHandler::Shows(|state| Ok(state.house().keys())),
    },
    RouteEntry {
        verb: RouteMethod::Get,
        path: "/openapi.json",
        listener: RouteListener::Public,
        served: RouteAvailability::Always,
        caller: CallerKind::Anyone,
        takes: RequestBodyKind::Nothing,
        refuses: ErrorFormat::Problem,
        origins: CorsPolicy::Any,
        weight: RouteWeight::Light,
        rate_limits: RouteRateLimits::ReadOnly,
        description: "Describes this API.",
        operation: Some(publishes("getDescription", &openapi::DESCRIPTION)),
        answers: RouteHandler::Shows(openapi::get),
    },
];

/// What goes in and out of these.
pub(crate) const SCHEMAS: &[&NamedSchema] = &[&STATUS, &KEYS];

const STATUS: NamedSchema = NamedSchema {
    name: "Status",
    json: r#"{"type":"object","required":["status"],"additionalProperties":false,"properties":{"status":{"type":"string"}},"examples":[{"status":"ok"}]}"#,
};
const KEYS: NamedSchema = NamedSchema {
    name: "Keys",
    json: r#"{"type":"object","required":["keys"],"properties":{"keys":{"type":"array","items":{"type":"object"}}}}"#,
};

/// A row of the management API; what it takes follows from how it is asked. The description is the row's own.
const fn managed(
    verb: RouteMethod,
    path: &'static str,
    needs: RequiredPermission,
    operation: ApiOperation,
    handler: HandlerFn,
) -> RouteEntry {
    RouteEntry {
        verb,
        path,
        listener: RouteListener::Public,
        served: RouteAvailability::Always,
        caller: CallerKind::Bearer(needs),
        takes: match (verb, operation.request) {
            (_, None) => RequestBodyKind::Nothing,
            (RouteMethod::Patch, Some(_)) => RequestBodyKind::MergePatch,
            (RouteMethod::Get | RouteMethod::Post | RouteMethod::Put | RouteMethod::Delete, Some(_)) => {
                RequestBodyKind::Json
            }
        },
        refuses: ErrorFormat::Problem,
        origins: CorsPolicy::Own,
        weight: RouteWeight::Full,
        rate_limits: MANAGED,
        description: "",
        operation: Some(operation),
        answers: RouteHandler::Works(handler),
    }
}

/// Whoever manages something shows a credential and holds a permission for it, and each change is in the audit log of the
/// organization it belongs to. What operators only look at by assignment is recorded there as well.
const MANAGED: RouteRateLimits =
    RouteRateLimits::Unlimited("a member or operator with a permission, whose every act is in the audit log");

/// An operation that publishes a document.
const fn publishes(id: &'static str, schema: &'static NamedSchema) -> ApiOperation {
    ApiOperation {
        outcome: OperationOutcome::Published(schema),
        ..manage::shows(id, OperationTag::Service, schema)
    }
}

/// The door of one listener: what the table says is served there, and refusals for everything else.
pub(crate) fn door(routes: &[RouteEntry], listener: RouteListener, state: &HttpState) -> Dispatcher {
    let served: Vec<RouteEntry> = routes
        .iter()
        .filter(|route| route.listener.includes(listener))
        .filter(|route| match route.served {
            RouteAvailability::Always => true,
            RouteAvailability::WithInteraction => state.leads_people(),
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
        router = router.route(route.path, methods(&served, route.path, state));
    }
    let router = router
        .fallback_service(UnroutedService::new(RefusalCode::NotFound, state))
        .method_not_allowed_fallback({
            let refuse = UnroutedService::new(RefusalCode::MethodNotAllowed, state);
            move |request| refuse.clone().answer(request)
        });
    Dispatcher::new(router, served, listener, state.clone())
}

/// Everything the table says about one path.
fn methods(served: &[RouteEntry], path: &str, state: &HttpState) -> MethodRouter {
    let rows = || served.iter().enumerate().filter(|(_, route)| route.path == path);
    let mut methods = MethodRouter::new();
    for (index, route) in rows() {
        methods = methods.on_service(route.verb.filter(), RouteService::new(index, *route, state));
    }
    let open = || rows().filter(|(_, route)| route.origins != CorsPolicy::Own);
    if let Some((index, first)) = open().next() {
        let verbs: Vec<RouteMethod> = open().map(|(_, route)| route.verb).collect();
        methods = methods
            .on_service(MethodFilter::OPTIONS, PreflightResponder::new(index, first.origins, &verbs, state));
    }
    methods
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_row_is_there_twice_and_each_says_what_it_does() {
        let rows: BTreeSet<_> = ROUTES.iter().map(|route| (route.path, route.verb.name())).collect();
        assert_eq!(rows.len(), ROUTES.len());
        for route in ROUTES {
            assert!(route.path.starts_with('/') && route.description.ends_with('.'), "{route:?}");
        }
    }

    #[test]
    fn every_operation_has_a_name_of_its_own_and_schemas_that_are_known() {
        let operations: Vec<_> = ROUTES.iter().filter_map(|route| route.operation).collect();
        let names: BTreeSet<_> = operations.iter().map(|operation| operation.id).collect();
        assert_eq!(names.len(), operations.len());
        for operation in operations {
            let shown = match operation.outcome {
                OperationOutcome::Shown(schema)
                | OperationOutcome::Made(schema)
                | OperationOutcome::Published(schema)
                | OperationOutcome::ShownOrExported(schema, _) => Some(schema),
                OperationOutcome::Done | OperationOutcome::Streamed(_) => None,
            };
            for schema in [operation.request, shown].into_iter().flatten() {
                assert_eq!(crate::schema::find(schema.name), Some(schema), "{}", operation.id);
            }
        }
    }

    #[test]
    fn whoever_manages_shows_a_credential_and_names_what_it_takes() {
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
                assert!(sinete_core::authority::catalogue::find(&permission).is_some(), "{route:?}");
            }
        }
    }

    #[test]
    fn what_belongs_to_those_who_run_the_service_is_not_public() {
        for path in ["/readyz", "/metrics"] {
            let rows: Vec<_> = ROUTES.iter().filter(|route| route.path == path).collect();
            assert!(!rows.is_empty() && rows.iter().all(|route| route.listener == RouteListener::Admin));
        }
    }
}
