//! Every row of the route table: it declares its callers, refuses all others, and sends the security headers with every
//! response.

use crate::both_engines;
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::world::World;
use serde_json::json;
use sinete_http::router::ROUTES;
use sinete_http::state::RouteEntry;
use sinete_server::route::{
    ApiConvention, CallerKind, RequestBodyKind, RequiredPermission, RouteAvailability, RouteListener,
    RouteMethod,
};

/// Every method that a route could have.
const VERBS: [RouteMethod; 5] =
    [RouteMethod::Get, RouteMethod::Post, RouteMethod::Put, RouteMethod::Patch, RouteMethod::Delete];

fn address(world: &World, route: &RouteEntry) -> String {
    // An id that does not exist.
    let mut path = route.path.to_owned();
    while let (Some(open), Some(close)) = (path.find('{'), path.find('}')) {
        path.replace_range(open..=close, "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071");
    }
    match route.listener {
        RouteListener::Public | RouteListener::Both => world.public_url(&path),
        RouteListener::Admin => world.admin_url(&path),
    }
}

async fn ask(world: &World, verb: RouteMethod, address: &str, bearer: Option<&str>) -> reqwest::Response {
    let method = reqwest::Method::from_bytes(verb.name().as_bytes()).unwrap();
    // The body is half a JSON document: it must not be read before the caller is authenticated.
    let mut request =
        world.http.request(method, address).header("content-type", "application/json").body("{");
    if let Some(bearer) = bearer {
        request = request.bearer_auth(bearer);
    }
    request.send().await.unwrap()
}

fn assert_guarded(answer: &reqwest::Response, context: &str) {
    let header = |name: &str| answer.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
    assert_eq!(header("x-frame-options").as_deref(), Some("DENY"), "{context}");
    let policy = header("content-security-policy").unwrap_or_default();
    assert!(policy.contains("frame-ancestors 'none'"), "{context}: {policy}");
    assert_eq!(header("x-content-type-options").as_deref(), Some("nosniff"), "{context}");
    assert_eq!(header("referrer-policy").as_deref(), Some("no-referrer"), "{context}");
    assert!(header("x-request-id").is_some(), "{context}");
    assert!(header("server").is_none(), "{context}");
}

async fn asks_for_a_secret(answer: reqwest::Response, context: &str) {
    assert_eq!(answer.status(), 401, "{context}");
    let challenge = answer.headers()["www-authenticate"].to_str().unwrap();
    assert!(challenge.starts_with("Basic "), "{context}: {challenge}");
    let body: serde_json::Value = answer.json().await.unwrap();
    assert_eq!(body["code"], "invalid_client", "{context}");
}

both_engines!(
    routes_answer_only_their_declared_callers,
    bearer_token_in_the_query_is_refused_on_every_route,
    unknown_organization_is_not_found_on_every_route,
    nul_characters_are_refused_on_every_route,
    undeclared_method_is_refused_with_the_allowed_ones_on_every_route
);

async fn routes_answer_only_their_declared_callers(world: &World) {
    for route in ROUTES {
        let address = address(world, route);
        for bearer in [None, Some("wrong"), Some("sn_ak_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")] {
            let context = format!("{} {} with {bearer:?}", route.method.name(), route.path);
            let mut answer = ask(world, route.method, &address, bearer).await;
            assert_guarded(&answer, &context);
            if route.request_body == RequestBodyKind::FormOrNothing {
                // The credentials may be in the form, so a body of another type is refused first.
                assert_eq!(answer.status(), 415, "{context}");
                let bare = world.http.post(&address);
                let bare = bearer.map_or(bare.try_clone().unwrap(), |bearer| bare.bearer_auth(bearer));
                answer = bare.send().await.unwrap();
                assert_guarded(&answer, &context);
            }
            match route.caller {
                CallerKind::Anyone => assert_open_route(route, &answer, &context),
                CallerKind::Browser => {
                    let expected = if route.method == RouteMethod::Get { 400 } else { 415 };
                    assert_eq!(answer.status(), expected, "{context}");
                    assert!(!answer.headers().contains_key("location"), "{context}");
                }
                CallerKind::Bearer(_) | CallerKind::Token(_) => {
                    assert_eq!(answer.status(), 401, "{context}");
                    let challenge = answer.headers()["www-authenticate"].to_str().unwrap();
                    let error = bearer.map_or("", |_| "error=\"invalid_token\", ");
                    let expected = format!("Bearer {error}{}", world.resource_metadata());
                    assert_eq!(challenge, expected, "{context}");
                }
                CallerKind::Registration => {
                    assert_eq!(answer.status(), 401, "{context}");
                    let challenge = answer.headers()["www-authenticate"].to_str().unwrap();
                    let expected = bearer.map_or("Bearer", |_| "Bearer error=\"invalid_token\"");
                    assert_eq!(challenge, expected, "{context}");
                    let body: serde_json::Value = answer.json().await.unwrap();
                    assert_eq!(body["error"], "invalid_token", "{context}");
                }
                // No credentials are needed, so the body is read; it is not JSON.
                CallerKind::Registrant => assert_eq!(answer.status(), 400, "{context}"),
                CallerKind::Session | CallerKind::Flow => assert_eq!(answer.status(), 401, "{context}"),
                // A user who is not signed in is redirected to the sign-in page; a body that is not a form is refused
                // first.
                CallerKind::SignedInUser if route.request_body == RequestBodyKind::Form => {
                    assert_eq!(answer.status(), 415, "{context}")
                }
                CallerKind::SignedInUser => {
                    assert_eq!(answer.status(), 303, "{context}");
                    assert_eq!(answer.headers()["location"], "/sign-in", "{context}");
                }
                // Without a form, the credentials are in the header and are checked before the body.
                CallerKind::Client if route.request_body == RequestBodyKind::Json => {
                    asks_for_a_secret(answer, &context).await
                }
                CallerKind::Client => {
                    assert_eq!(answer.status(), 415, "{context}");
                    assert_client_is_refused(world, &address, bearer, &context).await;
                }
            }
        }
    }
}

/// What a route without authentication answers to an id that does not exist or an invalid body.
fn assert_open_route(route: &RouteEntry, answer: &reqwest::Response, context: &str) {
    let status = answer.status();
    if route.path.contains('{') {
        assert_eq!(status, 404, "{context}");
    } else if route.request_body == RequestBodyKind::Json {
        // The body of the request is half a JSON document.
        assert_eq!(status, 400, "{context}");
    } else if route.request_body == RequestBodyKind::Form {
        assert_eq!(status, 415, "{context}");
    } else if route.path.starts_with("/links/") {
        assert_eq!(status, 404, "{context}");
    } else if route.availability == RouteAvailability::WithScreens {
        // A page redirects where it has nothing to show.
        assert!([200, 303].contains(&status.as_u16()), "{context}: {status}");
    } else {
        assert!(status.is_success(), "{context}: {status}");
    }
}

/// A form that names an unknown client gets `invalid_client`.
async fn assert_client_is_refused(world: &World, address: &str, bearer: Option<&str>, context: &str) {
    let form = world.http.post(address).form(&[("client_id", "nobody")]);
    let form = match bearer {
        Some(bearer) => form.bearer_auth(bearer),
        None => form,
    };
    let answer = form.send().await.unwrap();
    assert_guarded(&answer, context);
    assert_eq!(answer.status(), 401, "{context}");
    assert!(!answer.headers().contains_key("www-authenticate"), "{context}");
    let body: serde_json::Value = answer.json().await.unwrap();
    assert_eq!(body["error"], "invalid_client", "{context}");
}

async fn bearer_token_in_the_query_is_refused_on_every_route(world: &World) {
    let owner = world.create_operator().await;
    for route in
        ROUTES.iter().filter(|route| !matches!(route.caller, CallerKind::Anyone | CallerKind::Browser))
    {
        let address = format!("{}?access_token={}", address(world, route), owner.secret);
        for bearer in [None, Some(owner.secret.as_str())] {
            let answer = ask(world, route.method, &address, bearer).await;
            assert_eq!(answer.status(), 400, "{} {}", route.method.name(), route.path);
            assert_guarded(&answer, route.path);
        }
    }
}

async fn unknown_organization_is_not_found_on_every_route(world: &World) {
    let owner = world.create_owner(&world.create_organization("acme").await).await;
    let mut route_count = 0;
    for route in ROUTES {
        let CallerKind::Bearer(needs) = route.caller else { continue };
        let answer = ask(world, route.method, &address(world, route), Some(&owner.secret)).await;
        let context = format!("{} {}", route.method.name(), route.path);
        match needs {
            RequiredPermission::InOrganization(_)
            | RequiredPermission::OneInOrganization(_)
            | RequiredPermission::InOrganizationOrOwner(_)
            | RequiredPermission::Assignment => {
                route_count += 1;
                assert_eq!(answer.status(), 404, "{context}");
            }
            RequiredPermission::OverInstance(_) => assert_eq!(answer.status(), 403, "{context}"),
            // The credential names the organization. The body is half a JSON document, and the id in the path does not
            // exist.
            RequiredPermission::InCredentialOrganization(_) => {
                let expected = match route.request_body {
                    RequestBodyKind::Nothing if route.path.contains('{') => 404,
                    RequestBodyKind::Nothing => 200,
                    _ => 400,
                };
                assert_eq!(answer.status(), expected, "{context}");
                assert_eq!(answer.headers()["content-type"], "application/scim+json", "{context}");
            }
            RequiredPermission::Nothing => assert_eq!(answer.status(), 200, "{context}"),
        }
        assert_guarded(&answer, &context);
    }
    assert!(route_count > 15);
}

async fn nul_characters_are_refused_on_every_route(world: &World) {
    let owner = world.create_owner(&world.create_organization("acme").await).await;
    let operator = world.create_operator().await;
    let ana = world.create_user("ana@example.com").await;
    let credentials = [
        format!("Bearer {}", operator.secret),
        format!("Bearer {}", owner.secret),
        format!("Session {}", ana.session),
    ];
    for route in ROUTES {
        let context = format!("{} {}", route.method.name(), route.path);
        let method = reqwest::Method::from_bytes(route.method.name().as_bytes()).unwrap();
        // The last parameter of the path, which is looked up only if those before it are valid.
        if let Some((before, _)) = route.path.rsplit_once('{') {
            let own_path = before.replace("{organization}", &owner.tenant.slug);
            let path = address(world, &RouteEntry { path: own_path.leak(), ..*route });
            for credential in &credentials {
                let request = world.http.request(method.clone(), format!("{path}%00"));
                let answer = request.header("authorization", credential).send().await.unwrap();
                assert_eq!(answer.status(), 404, "{context}");
                assert_guarded(&answer, &context);
            }
        }
        let path = address(
            world,
            &RouteEntry { path: route.path.replace("{organization}", &owner.tenant.slug).leak(), ..*route },
        );
        let forms = ["x=%00", "client_id=%00&redirect_uri=%00&token=%00&flow=%00&code=%00&email=%00"];
        let literal = json!({"name": "\0", "slug": "\0", "email": "\0", "filter": "userName eq \"\0\"", "schemas": ["\0"], "subject": {"type": "\0", "id": "\0"}});
        for credential in &credentials {
            let asks = |address: String| {
                world.http.request(method.clone(), address).header("authorization", credential)
            };
            let escaped = format!("{path}?filter=userName%20eq%20%22%5Cu0000%22&q=%5Cu0000");
            let form = |form: &'static str| {
                asks(path.clone()).header("content-type", "application/x-www-form-urlencoded").body(form)
            };
            for request in [
                asks(format!("{path}?x=%00&filter=%00&cursor=%00&client_id=%00")),
                asks(escaped),
                form(forms[0]),
                form(forms[1]),
                asks(path.clone()).json(&literal),
            ] {
                let answer = request.send().await.unwrap();
                assert!(answer.status().as_u16() < 500, "{context}: {}", answer.status());
            }
        }
    }
    let filter = format!("{}?filter=userName%20eq%20%22%5Cu0000%22", world.public_url("/scim/v2/Users"));
    let answer = world.http.get(filter).bearer_auth(&owner.secret).send().await.unwrap();
    assert_eq!(answer.status(), 400);
    let filter = format!("{}?filter=userName%20eq%20%22x%22", world.public_url("/scim/v2/Users"));
    assert_eq!(world.http.get(filter).bearer_auth(&owner.secret).send().await.unwrap().status(), 200);
}

async fn undeclared_method_is_refused_with_the_allowed_ones_on_every_route(world: &World) {
    for route in ROUTES {
        let address = address(world, route);
        for method in VERBS {
            let is_there = ROUTES.iter().any(|other| other.path == route.path && other.method == method);
            if is_there {
                continue;
            }
            let context = format!("{} {}", method.name(), route.path);
            let answer = ask(world, method, &address, None).await;
            assert_eq!(answer.status(), 405, "{context}");
            assert!(answer.headers().contains_key("allow"), "{context}");
            assert_guarded(&answer, &context);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn screen_routes_do_not_exist_when_screens_are_disabled() {
    let off = [("SINETE_SCREENS_ENABLED", "false")];
    let world = World::start_with_config(crate::harness::database::TestEngine::Sqlite, &off).await;
    let missing = world.get("/no/such/page").await;
    let of_screens = |route: &&RouteEntry| {
        matches!(route.availability, RouteAvailability::WithScreens | RouteAvailability::WithConsole)
    };
    for route in ROUTES.iter().filter(of_screens) {
        let answer = ask(&world, route.method, &address(&world, route), None).await;
        assert_eq!(answer.status(), 404, "{}", route.path);
        assert_eq!(answer.headers()["content-type"], missing.headers()["content-type"], "{}", route.path);
    }
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn console_routes_do_not_exist_when_the_console_is_disabled() {
    let off = [("SINETE_SCREENS_CONSOLE", "false")];
    let world = World::start_with_config(crate::harness::database::TestEngine::Sqlite, &off).await;
    let mut rows = 0;
    for route in ROUTES.iter().filter(|route| route.availability == RouteAvailability::WithConsole) {
        rows += 1;
        let answer = ask(&world, route.method, &address(&world, route), None).await;
        assert_eq!(answer.status(), 404, "{}", route.path);
    }
    assert!(rows > 5 && world.get("/sign-in").await.status() == 303);
    let owner = world.create_organization("acme").await;
    let ana = world.create_user("ana@example.com").await;
    let user = SignedInUser { world: &world, account: ana.account, token: ana.session.clone() };
    user.join_organization(&owner, "owner").await;
    let page = world.create_page_browser("en").with_session(&ana.session).open_page("/my-account").await;
    assert!(!page.contains("/console"), "the account page has no link to the console");
    world.stop().await;
}

/// The row of the management API reference that a route must have.
fn guided(route: &RouteEntry) -> Option<String> {
    let CallerKind::Bearer(needs) = route.caller else { return None };
    let needs = match needs {
        RequiredPermission::Nothing => "any key".to_owned(),
        RequiredPermission::OverInstance(permission) => format!("`{permission}`, as an operator"),
        RequiredPermission::InOrganization(permission) => format!("`{permission}`"),
        RequiredPermission::OneInOrganization(permissions) => format!("`{}`", permissions.join("` or `")),
        RequiredPermission::InOrganizationOrOwner(permission) => {
            format!("`{permission}`, or that it is one's own")
        }
        RequiredPermission::Assignment => "an assignment".to_owned(),
        // SCIM has a reference of its own.
        RequiredPermission::InCredentialOrganization(_) => return None,
    };
    let path = route.path.strip_prefix("/manage").unwrap_or(route.path);
    Some(format!("| `{} {path}` | {needs} | {} |", route.method.name(), route.description))
}

#[test]
fn management_api_guide_lists_every_route_and_its_permission() {
    let guide =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/management-api.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let table_rows: Vec<&str> = guide.lines().filter(|line| line.starts_with("| `")).collect();
    let expected: Vec<String> = ROUTES.iter().filter_map(guided).collect();
    assert!(expected.len() > 60);
    assert!(
        table_rows == expected,
        "the table in docs/reference/management-api.md must be:\n{}",
        expected.join("\n")
    );
}

/// The row of the account API reference that a route must have.
fn guided_oneself(route: &RouteEntry) -> Option<String> {
    let operation = route.operation.filter(|_| route.path.starts_with("/account"))?;
    let fresh = if operation.has_convention(ApiConvention::FreshAuthentication) { "yes" } else { "no" };
    Some(format!("| `{} {}` | {fresh} | {} |", route.method.name(), route.path, route.description))
}

#[test]
fn account_api_guide_lists_every_route_and_its_sensitivity() {
    let guide = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/account-api.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let table_rows: Vec<&str> = guide.lines().filter(|line| line.starts_with("| `")).collect();
    let expected: Vec<String> = ROUTES.iter().filter_map(guided_oneself).collect();
    assert!(expected.len() > 15);
    assert!(
        table_rows == expected,
        "the table in docs/reference/account-api.md must be:\n{}",
        expected.join("\n")
    );
    assert!(
        ROUTES.iter().filter(|it| it.path.starts_with("/account")).all(|it| it.caller == CallerKind::Session)
    );
}

/// The row of the SCIM reference that a route must have.
fn guided_directory(route: &RouteEntry) -> Option<String> {
    let CallerKind::Bearer(RequiredPermission::InCredentialOrganization(_)) = route.caller else {
        return None;
    };
    Some(format!("| `{} {}` | {} |", route.method.name(), route.path, route.description))
}

#[test]
fn scim_guide_lists_every_route() {
    let guide = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/protocols/scim.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let table_rows: Vec<&str> = guide.lines().filter(|line| line.contains(" /scim/v2/")).collect();
    let expected: Vec<String> = ROUTES.iter().filter_map(guided_directory).collect();
    assert!(expected.len() > 20);
    assert!(table_rows == expected, "the table in docs/protocols/scim.md must be:\n{}", expected.join("\n"));
    let elsewhere =
        |route: &&RouteEntry| route.path.starts_with("/scim") && guided_directory(route).is_none();
    assert!(!ROUTES.iter().any(|route| elsewhere(&route)));
}
