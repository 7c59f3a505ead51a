//! Routes that exist only here, added to ours through the same table type.

use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_http::call::Call;
use sinete_http::reply::{Answer, Failure, Outlook};
use sinete_http::route::{
    Answers, Caller, Handler, Listener, Origins, RateLimits, RefusalShape, Route, Served, Shelf, Takes, Verb,
    Weight,
};
use sinete_http::router::ROUTES;
use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::time::Duration;
use tokio::sync::watch;

/// The gates that are open. Whoever asks for `/test/gate?name=x` waits at a gate of that name until a test opens it.
static OPEN: LazyLock<watch::Sender<BTreeSet<String>>> = LazyLock::new(watch::Sender::default);

/// Lets everybody go who waits at this gate.
pub fn open_gate(name: &str) {
    OPEN.send_modify(|open| {
        open.insert(name.to_owned());
    });
}

pub fn with_test_routes() -> Vec<Route> {
    let get = |path, handler| route(Verb::Get, path, Takes::Nothing, handler);
    let mut routes = ROUTES.to_vec();
    routes.extend([
        get("/test/panic", |_, _| Box::pin(async { panic!("on purpose") })),
        get("/test/panic-first", |_, _| panic!("before there is anything to wait for")),
        get("/test/panic-later", |_, _| {
            Box::pin(async {
                tokio::task::yield_now().await;
                panic!("on purpose, later")
            })
        }),
        shows("/test/shown-panic", |_| panic!("before there is a document")),
        shows("/test/shown-broken", |_| Err(failure(Outlook::Permanent).into())),
        get("/test/sleep", |_, call| Box::pin(sleep(call))),
        get("/test/gate", |_, call| Box::pin(gate(call))),
        get("/test/client", |_, call| Box::pin(async move { say(call.visit().client().to_string()) })),
        get("/test/log", |_, call| {
            Box::pin(async move {
                tracing::info!(secret_looking = "no", "inside the handler");
                say(call.visit().id().to_string())
            })
        }),
        get("/test/away", |_, _| Box::pin(async { Err(failure(Outlook::Temporary).into()) })),
        get("/test/broken", |_, _| Box::pin(async { Err(failure(Outlook::Permanent).into()) })),
        get("/test/contended", |_, _| Box::pin(async { Err(failure(Outlook::Contended).into()) })),
        Route {
            refuses: RefusalShape::OAuth,
            ..route(Verb::Post, "/test/oauth-contended", Takes::Form, |_, _| {
                Box::pin(async { Err(failure(Outlook::Contended).into()) })
            })
        },
        get("/test/refused", |_, _| {
            let refusal = Refusal::new(RefusalCode::Conflict, "it is taken", "the private reason");
            Box::pin(async { Err(refusal.into()) })
        }),
        route(Verb::Post, "/test/json", Takes::Json, |_, call| {
            Box::pin(async move { say(call.json::<serde_json::Value>()?.to_string()) })
        }),
        route(Verb::Post, "/test/form", Takes::Form, |_, call| {
            Box::pin(async move { say(call.form()?.get("name").unwrap_or("none").to_owned()) })
        }),
        Route {
            refuses: RefusalShape::OAuth,
            ..route(Verb::Post, "/test/oauth", Takes::Form, |_, _| {
                let refusal = Refusal::new(RefusalCode::InvalidGrant, "the grant is not valid", "spent");
                Box::pin(async { Err(refusal.into()) })
            })
        },
        Route {
            refuses: RefusalShape::OAuth,
            ..route(Verb::Post, "/test/oauth-panic", Takes::Form, |_, _| {
                Box::pin(async { panic!("on purpose") })
            })
        },
    ]);
    routes
}

fn route(verb: Verb, path: &'static str, takes: Takes, handler: Handler) -> Route {
    Route {
        verb,
        path,
        listener: Listener::Public,
        served: Served::Always,
        caller: Caller::Anyone,
        takes,
        refuses: RefusalShape::Problem,
        origins: Origins::Own,
        weight: Weight::Full,
        rate_limits: RateLimits::ReadOnly,
        description: "Exists only in tests.",
        operation: None,
        answers: Answers::Works(handler),
    }
}

/// A row whose document is taken from this shelf.
fn shows(path: &'static str, shelf: Shelf) -> Route {
    let row = route(Verb::Get, path, Takes::Nothing, |_, _| Box::pin(async { say(String::new()) }));
    Route { weight: Weight::Light, answers: Answers::Shows(shelf), ..row }
}

fn say(text: String) -> Answer {
    Ok(axum::response::Response::new(text.into()))
}

fn failure(outlook: Outlook) -> Failure {
    Failure { outlook, reason: "the disk said something private".to_owned() }
}

async fn sleep(call: Call) -> Answer {
    let millis = call.query()?.get("ms").and_then(|millis| millis.parse().ok()).unwrap_or(0);
    tokio::time::sleep(Duration::from_millis(millis)).await;
    say("slept".to_owned())
}

async fn gate(call: Call) -> Answer {
    let name = call.query()?.get("name").unwrap_or_default().to_owned();
    let _ = OPEN.subscribe().wait_for(|open| open.contains(&name)).await;
    say("let go".to_owned())
}
