//! Introspection: told to the client a token was issued to and to the API it is for, and to nobody else.

use crate::both_engines;
use crate::harness::api::ApiCaller;
use crate::harness::grants::{GrantRequest, TestClient, TestGrant};
use crate::harness::tenants::{OWNERS_SCOPE, TestOrganization};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::client::ClientKind;
use sinete_core::time::Lifetime;
use sinete_core::token::jti::{Jti, TokenRoot};
use sinete_crypto::jwt::JwtType;
use sinete_store::clients::ClientOrigin;
use sinete_store::grants;

/// An organization with an API of its own, and the service that asks for that API.
struct Books<'w> {
    tenant: TestOrganization,
    owner: ApiCaller<'w>,
    clerk: TestGrant<'w>,
    app: TestClient,
    api: TestClient,
}

async fn books(world: &World) -> Books<'_> {
    let tenant = world.tenant("acme").await;
    let owner = world.member(&tenant, &["owner"]).await;
    let owner = world.key(&tenant, owner, &format!("{OWNERS_SCOPE} invoices:*")).await;
    let permissions = json!([
        {"permission": "invoices:read", "english": "See invoices"},
        {"permission": "invoices:send", "english": "Send invoices"},
    ]);
    let api = json!({"identifier": "https://books.example", "name": "Books", "permissions": permissions});
    owner.adds_api(api).await.is(201);
    let role = json!({"name": "clerk", "permissions": ["invoices:*"]});
    owner.post(&tenant.path("/roles"), role).await.is(201);
    let member = world.member(&tenant, &["clerk", "member"]).await;
    let app = world.app().await;
    let wanted = GrantRequest {
        audience: Some("https://books.example"),
        ..GrantRequest::scope("openid invoices:read invoices:send")
    };
    let clerk = world.granted(&tenant, member, &app.id, wanted).await;
    let api = service(world, ClientOrigin::Organization(tenant.id)).await;
    Books { tenant, owner, clerk, app, api }
}

async fn service(world: &World, origin: ClientOrigin) -> TestClient {
    world.client(ClientKind::Service, origin, json!({"client_name": "An API"})).await
}

fn inactive() -> Value {
    json!({"active": false})
}

both_engines!(
    a_token_is_told_to_its_client_and_its_api_and_to_nobody_else,
    a_service_of_the_operators_asks_for_the_apis_of_the_instance,
    what_is_told_is_what_is_held_now,
    what_is_no_token_that_counts_is_answered_alike,
    a_refresh_token_is_told_to_its_client_alone_while_its_grant_lives,
    an_application_that_keeps_no_secret_asks_about_its_own_tokens
);

async fn a_token_is_told_to_its_client_and_its_api_and_to_nobody_else(world: &World) {
    let books = books(world).await;
    let token = books.clerk.access_token().await;
    for asker in [&books.app, &books.api] {
        let told = world.introspected(asker, &token).await;
        assert_eq!(told["active"], true);
        assert_eq!(told["token_type"], "Bearer");
        assert_eq!(told["scope"], "openid invoices:read invoices:send");
        assert_eq!(told["client_id"], books.app.id.as_str());
        assert_eq!(told["sub"], json!(books.clerk.membership));
        assert_eq!(told["org"], json!(books.tenant.id));
        assert_eq!(told["role"], "clerk member");
        assert_eq!((&told["aud"], &told["iss"]), (&json!("https://books.example"), &json!(world.issuer())));
        assert_eq!(told["sid"], json!(books.clerk.session.id));
        let now = world.server.engine().now().seconds();
        assert_eq!((told["iat"].as_i64(), told["exp"].as_i64()), (Some(now), Some(now + 600)));
    }
    let elsewhere = world.tenant("elsewhere").await;
    let member_app = world
        .client(
            ClientKind::Application,
            ClientOrigin::Organization(books.tenant.id),
            json!({"client_name": "Portal"}),
        )
        .await;
    let unproven = json!({"client_name": "Service", "token_endpoint_auth_method": "none"});
    for stranger in [
        world.app().await,
        service(world, ClientOrigin::Operator).await,
        service(world, ClientOrigin::Organization(elsewhere.id)).await,
        service(world, ClientOrigin::Itself).await,
        member_app,
        world.client(ClientKind::Service, ClientOrigin::Organization(books.tenant.id), unproven).await,
    ] {
        assert_eq!(world.introspected(&stranger, &token).await, inactive());
    }
}

async fn a_service_of_the_operators_asks_for_the_apis_of_the_instance(world: &World) {
    let operator = world.operator().await;
    let acme = world.tenant("acme").await;
    let permissions = json!([{"permission": "files:read", "english": "See files"}]);
    let api = json!({"identifier": "https://files.example", "name": "Files", "permissions": permissions, "offered_to_all": true});
    operator.post("/manage/apis", api).await.is(201);
    let owner = world.owner(&acme).await;
    let app = world.app().await;
    let wanted =
        GrantRequest { audience: Some("https://files.example"), ..GrantRequest::scope("files:read") };
    let token = world.granted(&acme, owner.membership, &app.id, wanted).await.access_token().await;
    assert_eq!(
        world.introspected(&service(world, ClientOrigin::Operator).await, &token).await["scope"],
        "files:read"
    );
    let organizations = service(world, ClientOrigin::Organization(acme.id)).await;
    assert_eq!(world.introspected(&organizations, &token).await, inactive());
}

async fn what_is_told_is_what_is_held_now(world: &World) {
    let books = books(world).await;
    let path = books.tenant.path("/roles");
    let token = books.clerk.access_token().await;
    let wanted = GrantRequest {
        audience: Some("https://books.example"),
        ..GrantRequest::scope("invoices:read invoices:send")
    };
    let plain = world
        .granted(&books.tenant, books.clerk.membership, &books.app.id, wanted)
        .await
        .access_token()
        .await;
    let listed = books.owner.get(&path).await.is(200);
    let clerk =
        listed.body["items"].as_array().unwrap().iter().find(|it| it["name"] == "clerk").unwrap().clone();
    let clerk = format!("{path}/{}", clerk["id"].as_str().unwrap());
    let change = async |permissions: Value| {
        let version = books.owner.get(&clerk).await.is(200).version();
        books.owner.patch(&clerk, version, json!({"permissions": permissions})).await.is(200);
    };
    change(json!(["invoices:read"])).await;
    assert_eq!(world.introspected(&books.api, &token).await["scope"], "openid invoices:read");
    assert_eq!(world.introspected(&books.api, &plain).await["scope"], "invoices:read");
    change(json!([])).await;
    assert_eq!(world.introspected(&books.api, &token).await["scope"], "openid");
    assert_eq!(world.introspected(&books.api, &plain).await, inactive());
    change(json!(["invoices:*"])).await;
    assert_eq!(world.introspected(&books.api, &plain).await["scope"], "invoices:read invoices:send");
}

async fn what_is_no_token_that_counts_is_answered_alike(world: &World) {
    let books = books(world).await;
    let good = books.clerk.access_token().await;
    let entropy = world.server.engine().entropy();
    let claims =
        world.claims(&books.clerk, Jti::mint(TokenRoot::Grant(books.clerk.grant), None, entropy)).await;
    for token in [
        "x".to_owned(),
        String::from("sn_rt_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
        books.owner.secret.clone(),
        books.clerk.session.token.clone(),
        world.sign(JwtType::Id, &claims),
        world.sign(JwtType::Logout, &claims),
        good[..good.len() - 1].to_owned(),
        format!("{good}="),
        format!("{good}.x"),
    ] {
        assert_eq!(world.introspected(&books.app, &token).await, inactive(), "{token}");
    }
    let form = |form| world.form(&books.app, "/connect/introspect", form);
    form(&[]).await.refused(400, "invalid_request");
    form(&[("token", "")]).await.refused(400, "invalid_request");
    form(&[("token", "x"), ("token", "y")]).await.refused(400, "invalid_request");
    let wrong = TestClient { secret: Some("wrong".to_owned()), ..books.app.clone() };
    let refused =
        world.form(&wrong, "/connect/introspect", &[("token", &good)]).await.refused(401, "invalid_client");
    assert!(refused.headers["www-authenticate"].to_str().unwrap().starts_with("Basic"));
    assert_eq!(world.introspected(&books.app, &good).await["active"], true);
    world.clock.pass(Lifetime::from_minutes(10));
    assert_eq!(world.introspected(&books.app, &good).await, inactive());
}

async fn a_refresh_token_is_told_to_its_client_alone_while_its_grant_lives(world: &World) {
    let books = books(world).await;
    let token = books.clerk.refresh_token().await;
    let told = world.introspected(&books.app, &token).await;
    assert_eq!(
        (&told["active"], &told["scope"]),
        (&json!(true), &json!("openid invoices:read invoices:send"))
    );
    assert_eq!((&told["sub"], &told["org"]), (&json!(books.clerk.membership), &json!(books.tenant.id)));
    let in_a_week = world.server.engine().now().plus(Lifetime::from_days(7)).seconds();
    assert_eq!((told["exp"].as_i64(), told.get("token_type")), (Some(in_a_week), None));
    for stranger in [&books.api, &world.app().await] {
        assert_eq!(world.introspected(stranger, &token).await, inactive());
    }
    world.happens([grants::revoke(books.clerk.grant, "replay", world.server.engine().now())]).await;
    assert_eq!(world.introspected(&books.app, &token).await, inactive());
}

async fn an_application_that_keeps_no_secret_asks_about_its_own_tokens(world: &World) {
    let books = books(world).await;
    let metadata = json!({"client_name": "Phone", "token_endpoint_auth_method": "none"});
    let phone = world.client(ClientKind::Application, ClientOrigin::Itself, metadata).await;
    let wanted =
        GrantRequest { audience: Some("https://books.example"), ..GrantRequest::scope("invoices:read") };
    let own =
        world.granted(&books.tenant, books.clerk.membership, &phone.id, wanted).await.access_token().await;
    assert_eq!(world.introspected(&phone, &own).await["active"], true);
    assert_eq!(world.introspected(&phone, &books.clerk.access_token().await).await, inactive());
}
