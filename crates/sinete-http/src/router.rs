//! The one table of routes. Everything that is served is a row here, and nothing else is served.

use crate::door::Door;
use crate::guard::{Fallback, Guarded, Preflight};
use crate::route::{Caller, Listener, Origins, RefusalShape, Route, Schemas, Served, Takes, Verb, Weight};
use crate::state::State;
use crate::{health, metrics_page, screens, wellknown};
use axum::Router;
use axum::routing::{MethodFilter, MethodRouter};
use sinete_core::refusal::RefusalCode;
use sinete_screens::assets::{SEAL, STYLE};

/// Every route there is.
pub const ROUTES: &[Route] = &[
    Route {
        verb: Verb::Get,
        path: "/healthz",
        listener: Listener::Both,
        served: Served::Always,
        caller: Caller::Anyone,
        takes: Takes::Nothing,
        refuses: RefusalShape::Problem,
        origins: Origins::Own,
        weight: Weight::Light,
        description: "Says that this node is alive.",
        schemas: Schemas { request: None, response: Some(STATUS_SCHEMA) },
        handler: |_, _| Box::pin(health::alive()),
    },
    Route {
        verb: Verb::Get,
        path: "/readyz",
        listener: Listener::Admin,
        served: Served::Always,
        caller: Caller::Anyone,
        takes: Takes::Nothing,
        refuses: RefusalShape::Problem,
        origins: Origins::Own,
        weight: Weight::Light,
        description: "Says whether this node can answer requests: database, keys, clock, and not going away.",
        schemas: Schemas { request: None, response: Some(STATUS_SCHEMA) },
        handler: |state, _| Box::pin(health::ready(state)),
    },
    Route {
        verb: Verb::Get,
        path: "/metrics",
        listener: Listener::Admin,
        served: Served::Always,
        caller: Caller::Anyone,
        takes: Takes::Nothing,
        refuses: RefusalShape::Problem,
        origins: Origins::Own,
        weight: Weight::Light,
        description: "Shows what has been counted, in Prometheus text format.",
        schemas: Schemas { request: None, response: None },
        handler: |state, _| Box::pin(metrics_page::get(state)),
    },
    Route {
        verb: Verb::Get,
        path: "/.well-known/jwks.json",
        listener: Listener::Public,
        served: Served::Always,
        caller: Caller::Anyone,
        takes: Takes::Nothing,
        refuses: RefusalShape::Problem,
        origins: Origins::Any,
        weight: Weight::Light,
        description: "Publishes the keys that signatures of ours are checked with.",
        schemas: Schemas { request: None, response: Some(KEYS_SCHEMA) },
        handler: |state, call| Box::pin(wellknown::keys(state, call)),
    },
    screen("/", "Shows what this service is and where to go.", Weight::Full, |state, call| {
        Box::pin(screens::landing(state, call))
    }),
    screen(STYLE.path, "Gives the screens their look.", Weight::Light, |_, call| {
        Box::pin(screens::style(call))
    }),
    screen(SEAL.path, "Shows the mark of the house.", Weight::Light, |_, call| Box::pin(screens::seal(call))),
];

const STATUS_SCHEMA: &str = r#"{"type":"object","required":["status"],"additionalProperties":false,"properties":{"status":{"type":"string"}}}"#;
const KEYS_SCHEMA: &str = r#"{"type":"object","required":["keys"],"properties":{"keys":{"type":"array","items":{"type":"object"}}}}"#;

/// A row for something people look at.
const fn screen(
    path: &'static str,
    description: &'static str,
    weight: Weight,
    handler: crate::route::Handler,
) -> Route {
    Route {
        verb: Verb::Get,
        path,
        listener: Listener::Public,
        served: Served::WithScreens,
        caller: Caller::Anyone,
        takes: Takes::Nothing,
        refuses: RefusalShape::Problem,
        origins: Origins::Own,
        weight,
        description,
        schemas: Schemas { request: None, response: None },
        handler,
    }
}

/// The door of one listener: what the table says is served there, and refusals for everything else.
pub(crate) fn door(routes: &[Route], listener: Listener, state: &State) -> Door {
    let served: Vec<Route> = routes
        .iter()
        .filter(|route| route.listener.includes(listener))
        .filter(|route| route.served == Served::Always || state.serves_screens())
        .copied()
        .collect();
    let mut router = Router::new();
    for (index, route) in served.iter().enumerate() {
        if served[..index].iter().any(|earlier| earlier.path == route.path) {
            continue;
        }
        router = router.route(route.path, methods(&served, route.path, state));
    }
    let router =
        router.fallback_service(Fallback::new(RefusalCode::NotFound, state)).method_not_allowed_fallback({
            let refuse = Fallback::new(RefusalCode::MethodNotAllowed, state);
            move |request| refuse.clone().answer(request)
        });
    Door::new(router, served, listener, state.clone())
}

/// Everything the table says about one path.
fn methods(served: &[Route], path: &str, state: &State) -> MethodRouter {
    let rows = || served.iter().enumerate().filter(|(_, route)| route.path == path);
    let mut methods = MethodRouter::new();
    for (index, route) in rows() {
        methods = methods.on_service(route.verb.filter(), Guarded::new(index, *route, state));
    }
    let open = || rows().filter(|(_, route)| route.origins == Origins::Any);
    if let Some((index, _)) = open().next() {
        let verbs: Vec<Verb> = open().map(|(_, route)| route.verb).collect();
        methods = methods.on_service(MethodFilter::OPTIONS, Preflight::new(index, &verbs));
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
            for schema in [route.schemas.request, route.schemas.response].into_iter().flatten() {
                assert!(serde_json::from_str::<serde_json::Value>(schema).unwrap().is_object(), "{route:?}");
            }
        }
    }

    #[test]
    fn what_belongs_to_those_who_run_the_service_is_not_public() {
        for path in ["/readyz", "/metrics"] {
            let rows: Vec<_> = ROUTES.iter().filter(|route| route.path == path).collect();
            assert!(!rows.is_empty() && rows.iter().all(|route| route.listener == Listener::Admin));
        }
    }
}
