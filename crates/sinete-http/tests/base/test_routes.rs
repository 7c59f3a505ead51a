//! Routes that exist only in tests, in the same kind of table.

use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_http::router::ROUTES;
use sinete_http::state::RoutedRequest;
use sinete_http::state::{HandlerFn, HttpState, RouteEntry};
use sinete_server::application::{RouteHandler, StaticDocumentFn};
use sinete_server::reply::{HandlerResult, RetryOutlook, ServerFailure};
use sinete_server::route::{
    CallerKind, CorsPolicy, ErrorFormat, RequestBodyKind, RouteAvailability, RouteListener, RouteMethod,
    RouteRateLimits, RouteWeight,
};
use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::time::Duration;
use tokio::sync::watch;

/// The open gates. A request to `/test/gate?name=x` waits until a test opens the gate of that name.
static OPEN: LazyLock<watch::Sender<BTreeSet<String>>> = LazyLock::new(watch::Sender::default);

/// Opens a gate.
pub fn open_gate(name: &str) {
    OPEN.send_modify(|open| {
        open.insert(name.to_owned());
    });
}

pub fn with_test_routes() -> Vec<RouteEntry> {
    let get = |path, handler| route(RouteMethod::Get, path, RequestBodyKind::Nothing, handler);
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
        shows("/test/shown-broken", |_| Err(failure(RetryOutlook::Permanent).into())),
        get("/test/sleep", |_, request| Box::pin(sleep(request))),
        get("/test/gate", |_, request| Box::pin(gate(request))),
        get("/test/client", |_, request| {
            Box::pin(async move { say(request.context().client_address().to_string()) })
        }),
        get("/test/log", |_, request| {
            Box::pin(async move {
                tracing::info!(secret_looking = "no", "inside the handler");
                say(request.context().id().to_string())
            })
        }),
        get("/test/away", |_, _| Box::pin(async { Err(failure(RetryOutlook::Temporary).into()) })),
        get("/test/broken", |_, _| Box::pin(async { Err(failure(RetryOutlook::Permanent).into()) })),
        get("/test/contended", |_, _| Box::pin(async { Err(failure(RetryOutlook::Contended).into()) })),
        RouteEntry {
            error_format: ErrorFormat::OAuth,
            ..route(RouteMethod::Post, "/test/oauth-contended", RequestBodyKind::Form, |_, _| {
                Box::pin(async { Err(failure(RetryOutlook::Contended).into()) })
            })
        },
        get("/test/refused", |_, _| {
            let refusal = Refusal::because(RequestRefusal::ConcurrentChange, "the private reason");
            Box::pin(async { Err(refusal.into()) })
        }),
        route(RouteMethod::Post, "/test/json", RequestBodyKind::Json, |_, request| {
            Box::pin(async move { say(request.parse_json::<serde_json::Value>()?.to_string()) })
        }),
        route(RouteMethod::Post, "/test/form", RequestBodyKind::Form, |_, request| {
            Box::pin(async move { say(request.form_params()?.get("name").unwrap_or("none").to_owned()) })
        }),
        RouteEntry {
            error_format: ErrorFormat::OAuth,
            ..route(RouteMethod::Post, "/test/oauth", RequestBodyKind::Form, |_, _| {
                let refusal = Refusal::because(OAuthRefusal::GrantInvalid, "spent");
                Box::pin(async { Err(refusal.into()) })
            })
        },
        RouteEntry {
            error_format: ErrorFormat::OAuth,
            ..route(RouteMethod::Post, "/test/oauth-panic", RequestBodyKind::Form, |_, _| {
                Box::pin(async { panic!("on purpose") })
            })
        },
    ]);
    routes
}

fn route(method: RouteMethod, path: &'static str, takes: RequestBodyKind, handler: HandlerFn) -> RouteEntry {
    RouteEntry {
        method,
        path,
        listener: RouteListener::Public,
        availability: RouteAvailability::Always,
        caller: CallerKind::Anyone,
        request_body: takes,
        error_format: ErrorFormat::Problem,
        cors: CorsPolicy::SameOrigin,
        weight: RouteWeight::Full,
        rate_limits: RouteRateLimits::ReadOnly,
        description: "Exists only in tests.",
        operation: None,
        handler: RouteHandler::Handler(handler),
    }
}

/// A route with this document.
fn shows(path: &'static str, shelf: StaticDocumentFn<HttpState>) -> RouteEntry {
    let row = route(RouteMethod::Get, path, RequestBodyKind::Nothing, |_, _| {
        Box::pin(async { say(String::new()) })
    });
    RouteEntry { weight: RouteWeight::Light, handler: RouteHandler::Document(shelf), ..row }
}

fn say(text: String) -> HandlerResult {
    Ok(axum::response::Response::new(text.into()))
}

fn failure(outlook: RetryOutlook) -> ServerFailure {
    ServerFailure { retry: outlook, reason: "the disk said something private".to_owned() }
}

async fn sleep(request: RoutedRequest) -> HandlerResult {
    let millis = request.query_params()?.get("ms").and_then(|millis| millis.parse().ok()).unwrap_or(0);
    tokio::time::sleep(Duration::from_millis(millis)).await;
    say("slept".to_owned())
}

async fn gate(request: RoutedRequest) -> HandlerResult {
    let name = request.query_params()?.get("name").unwrap_or_default().to_owned();
    let _ = OPEN.subscribe().wait_for(|open| open.contains(&name)).await;
    say("let go".to_owned())
}
