//! Introspection: for the client a token was issued to and the API it is for, and for no other client.

use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::grants::{GrantRequest, TestClient, TestGrant};
use crate::harness::organizations::{OWNER_SCOPE, TestOrganization};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::client_id::ClientKind;
use sinete_core::oauth::jti::{Jti, TokenRevocationRoot};
use sinete_core::time::Lifetime;
use sinete_crypto::platform::jwt::JwtType;
use sinete_store::oauth::clients::ClientOrigin;
use sinete_store::oauth::grants;

/// An organization with an API, and the service of that API.
struct Books<'w> {
    tenant: TestOrganization,
    owner: ApiCaller<'w>,
    clerk: TestGrant<'w>,
    app: TestClient,
    api: TestClient,
}

async fn books(world: &World) -> Books<'_> {
    let tenant = world.create_organization("acme").await;
    let owner = world.create_member(&tenant, &["owner"]).await;
    let owner = world.create_api_key_caller(&tenant, owner, &format!("{OWNER_SCOPE} invoices:*")).await;
    let permissions = json!([
        {"permission": "invoices:read", "english": "See invoices"},
        {"permission": "invoices:send", "english": "Send invoices"},
    ]);
    let api = json!({"identifier": "https://books.example", "name": "Books", "permissions": permissions});
    owner.create_api(api).await.assert_status(201);
    let role = json!({"name": "clerk", "permissions": ["invoices:*"]});
    owner.post(&tenant.path("/roles"), role).await.assert_status(201);
    let member = world.create_member(&tenant, &["clerk", "member"]).await;
    let app = world.create_confidential_client().await;
    let request = GrantRequest {
        audience: Some("https://books.example"),
        ..GrantRequest::for_scope("openid invoices:read invoices:send")
    };
    let clerk = world.create_grant(&tenant, member, &app.id, request).await;
    let api = service(world, ClientOrigin::Organization(tenant.id)).await;
    Books { tenant, owner, clerk, app, api }
}

async fn service(world: &World, origin: ClientOrigin) -> TestClient {
    world.create_client(ClientKind::Service, origin, json!({"client_name": "An API"})).await
}

fn inactive() -> Value {
    json!({"active": false})
}

both_engines!(
    introspection_is_limited_to_the_tokens_client_and_api,
    introspection_by_an_operator_service_covers_instance_apis,
    introspection_by_a_service_of_the_operators_organization_covers_instance_apis,
    introspection_of_an_api_key_is_limited_to_the_apis_of_the_resource_server,
    introspection_reports_permissions_held_now,
    introspection_of_an_invalid_token_is_inactive_uniformly,
    introspection_of_a_refresh_token_is_limited_to_its_client_while_active,
    introspection_by_a_public_client_covers_its_own_tokens
);

async fn introspection_is_limited_to_the_tokens_client_and_api(world: &World) {
    let books = books(world).await;
    let token = books.clerk.issue_access_token().await;
    for client in [&books.app, &books.api] {
        let body = world.introspect(client, &token).await;
        assert_eq!(body["active"], true);
        assert_eq!(body["token_type"], "Bearer");
        assert_eq!(body["scope"], "openid invoices:read invoices:send");
        assert_eq!(body["client_id"], books.app.id.as_str());
        assert_eq!(body["sub"], json!(books.clerk.membership));
        assert_eq!(body["org"], json!(books.tenant.id));
        assert_eq!(body["role"], "clerk member");
        assert_eq!((&body["aud"], &body["iss"]), (&json!("https://books.example"), &json!(world.issuer())));
        assert_eq!(body["sid"], json!(books.clerk.session.id));
        let now = world.server.engine().now().seconds();
        assert_eq!((body["iat"].as_i64(), body["exp"].as_i64()), (Some(now), Some(now + 600)));
    }
    let elsewhere = world.create_organization("elsewhere").await;
    let member_app = world
        .create_client(
            ClientKind::Application,
            ClientOrigin::Organization(books.tenant.id),
            json!({"client_name": "Portal"}),
        )
        .await;
    let unproven = json!({"client_name": "Service", "token_endpoint_auth_method": "none"});
    for client in [
        world.create_confidential_client().await,
        service(world, ClientOrigin::Operator).await,
        service(world, ClientOrigin::Organization(elsewhere.id)).await,
        service(world, ClientOrigin::DynamicRegistration).await,
        member_app,
        world.create_client(ClientKind::Service, ClientOrigin::Organization(books.tenant.id), unproven).await,
    ] {
        assert_eq!(world.introspect(&client, &token).await, inactive());
    }
}

async fn introspection_by_an_operator_service_covers_instance_apis(world: &World) {
    let operator = world.create_operator().await;
    let acme = world.create_organization("acme").await;
    let permissions = json!([{"permission": "files:read", "english": "See files"}]);
    let api = json!({"identifier": "https://files.example", "name": "Files", "permissions": permissions, "offered_to_all": true});
    operator.post("/manage/apis", api).await.assert_status(201);
    let owner = world.create_owner(&acme).await;
    let app = world.create_confidential_client().await;
    let request =
        GrantRequest { audience: Some("https://files.example"), ..GrantRequest::for_scope("files:read") };
    let token =
        world.create_grant(&acme, owner.membership, &app.id, request).await.issue_access_token().await;
    assert_eq!(
        world.introspect(&service(world, ClientOrigin::Operator).await, &token).await["scope"],
        "files:read"
    );
    let organizations = service(world, ClientOrigin::Organization(acme.id)).await;
    assert_eq!(world.introspect(&organizations, &token).await, inactive());
}

async fn introspection_by_a_service_of_the_operators_organization_covers_instance_apis(world: &World) {
    let operator = world.create_operator().await;
    let books = books(world).await;
    let permissions = json!([{"permission": "files:read", "english": "See files"}]);
    let api = json!({"identifier": "https://files.example", "name": "Files", "permissions": permissions, "offered_to_all": true});
    operator.post("/manage/apis", api).await.assert_status(201);
    let request =
        GrantRequest { audience: Some("https://files.example"), ..GrantRequest::for_scope("files:read") };
    let owner = books.owner.membership;
    let token =
        world.create_grant(&books.tenant, owner, &books.app.id, request).await.issue_access_token().await;
    let operators = world.find_organization("operator").await;
    let client_origin = ClientOrigin::Organization(operators.id);
    let own_service = service(world, client_origin).await;
    assert_eq!(world.introspect(&own_service, &token).await["scope"], "files:read");
    // An application of the same organization, and tokens for the API of a customer, stay out of reach.
    let portal =
        world.create_client(ClientKind::Application, client_origin, json!({"client_name": "Portal"})).await;
    assert_eq!(world.introspect(&portal, &token).await, inactive());
    assert_eq!(world.introspect(&own_service, &books.clerk.issue_access_token().await).await, inactive());
    assert_eq!(world.introspect(&books.api, &token).await, inactive());
}

async fn introspection_of_an_api_key_is_limited_to_the_apis_of_the_resource_server(world: &World) {
    let operator = world.create_operator().await;
    let books = books(world).await;
    let permissions = json!([{"permission": "files:read", "english": "See files"}]);
    let api = json!({"identifier": "https://files.example", "name": "Files", "permissions": permissions, "offered_to_all": true});
    operator.post("/manage/apis", api).await.assert_status(201);
    let key = world
        .create_api_key_caller(&books.tenant, books.owner.membership, "invoices:read files:read members:read")
        .await;
    let body = world.introspect(&books.api, &key.secret).await;
    assert_eq!((&body["active"], &body["token_type"]), (&json!(true), &json!("api_key")));
    assert_eq!((&body["scope"], &body["role"]), (&json!("invoices:read"), &json!("owner")));
    assert_eq!((&body["sub"], &body["org"]), (&json!(books.owner.membership), &json!(books.tenant.id)));
    assert_eq!(body["iss"], json!(world.issuer()));
    let operators = service(world, ClientOrigin::Operator).await;
    assert_eq!(world.introspect(&operators, &key.secret).await["scope"], "files:read");
    // No other client learns anything, and neither does an API for which the key has no scope.
    let elsewhere = world.create_organization("elsewhere").await;
    let foreign = service(world, ClientOrigin::Organization(elsewhere.id)).await;
    for client in [&books.app, &foreign, &service(world, ClientOrigin::DynamicRegistration).await] {
        assert_eq!(world.introspect(client, &key.secret).await, inactive());
    }
    let narrow = world.create_api_key_caller(&books.tenant, books.owner.membership, "members:read").await;
    assert_eq!(world.introspect(&books.api, &narrow.secret).await, inactive());
    // The organization may refuse keys in place of tokens, and a revoked key ends at once.
    let path = books.tenant.path("");
    let refuse = async |grants: Value| {
        let version = books.owner.get(&path).await.assert_status(200).version();
        books
            .owner
            .patch(&path, version, json!({"settings": {"refused_grants": grants}}))
            .await
            .assert_status(200);
    };
    refuse(json!(["api_key"])).await;
    assert_eq!(world.introspect(&books.api, &key.secret).await, inactive());
    refuse(json!([])).await;
    assert_eq!(world.introspect(&books.api, &key.secret).await["active"], true);
    let api_keys = books.owner.get(&books.tenant.path("/api-keys")).await.assert_status(200).body;
    for item in api_keys["items"].as_array().unwrap() {
        if item["scope"].as_str().unwrap().contains("files:read") {
            let path = books.tenant.path(&format!("/api-keys/{}", item["id"].as_str().unwrap()));
            books.owner.delete(&path, None).await.assert_status(204);
        }
    }
    assert_eq!(world.introspect(&books.api, &key.secret).await, inactive());
}

async fn introspection_reports_permissions_held_now(world: &World) {
    let books = books(world).await;
    let path = books.tenant.path("/roles");
    let token = books.clerk.issue_access_token().await;
    let request = GrantRequest {
        audience: Some("https://books.example"),
        ..GrantRequest::for_scope("invoices:read invoices:send")
    };
    let plain = world
        .create_grant(&books.tenant, books.clerk.membership, &books.app.id, request)
        .await
        .issue_access_token()
        .await;
    let response = books.owner.get(&path).await.assert_status(200);
    let clerk =
        response.body["items"].as_array().unwrap().iter().find(|it| it["name"] == "clerk").unwrap().clone();
    let clerk = format!("{path}/{}", clerk["id"].as_str().unwrap());
    let change = async |permissions: Value| {
        let version = books.owner.get(&clerk).await.assert_status(200).version();
        books.owner.patch(&clerk, version, json!({"permissions": permissions})).await.assert_status(200);
    };
    change(json!(["invoices:read"])).await;
    assert_eq!(world.introspect(&books.api, &token).await["scope"], "openid invoices:read");
    assert_eq!(world.introspect(&books.api, &plain).await["scope"], "invoices:read");
    change(json!([])).await;
    assert_eq!(world.introspect(&books.api, &token).await["scope"], "openid");
    assert_eq!(world.introspect(&books.api, &plain).await, inactive());
    change(json!(["invoices:*"])).await;
    assert_eq!(world.introspect(&books.api, &plain).await["scope"], "invoices:read invoices:send");
}

async fn introspection_of_an_invalid_token_is_inactive_uniformly(world: &World) {
    let books = books(world).await;
    let good = books.clerk.issue_access_token().await;
    let entropy = world.server.engine().entropy();
    let claims = world
        .access_token_claims(
            &books.clerk,
            Jti::mint(TokenRevocationRoot::Grant(books.clerk.grant), None, entropy),
        )
        .await;
    for token in [
        "x".to_owned(),
        String::from("sn_rt_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
        books.owner.secret.clone(),
        books.clerk.session.token.clone(),
        world.sign_jwt(JwtType::Id, &claims),
        world.sign_jwt(JwtType::Logout, &claims),
        good[..good.len() - 1].to_owned(),
        format!("{good}="),
        format!("{good}.x"),
    ] {
        assert_eq!(world.introspect(&books.app, &token).await, inactive(), "{token}");
    }
    let form = |form| world.post_form(&books.app, "/connect/introspect", form);
    form(&[]).await.refused(400, "invalid_request");
    form(&[("token", "")]).await.refused(400, "invalid_request");
    form(&[("token", "x"), ("token", "y")]).await.refused(400, "invalid_request");
    let wrong = TestClient { secret: Some("wrong".to_owned()), ..books.app.clone() };
    let refused = world
        .post_form(&wrong, "/connect/introspect", &[("token", &good)])
        .await
        .refused(401, "invalid_client");
    assert!(refused.headers["www-authenticate"].to_str().unwrap().starts_with("Basic"));
    assert_eq!(world.introspect(&books.app, &good).await["active"], true);
    world.clock.advance(Lifetime::from_minutes(10));
    assert_eq!(world.introspect(&books.app, &good).await, inactive());
}

async fn introspection_of_a_refresh_token_is_limited_to_its_client_while_active(world: &World) {
    let books = books(world).await;
    let token = books.clerk.issue_refresh_token().await;
    let body = world.introspect(&books.app, &token).await;
    assert_eq!(
        (&body["active"], &body["scope"]),
        (&json!(true), &json!("openid invoices:read invoices:send"))
    );
    assert_eq!((&body["sub"], &body["org"]), (&json!(books.clerk.membership), &json!(books.tenant.id)));
    let in_a_week = world.server.engine().now().plus(Lifetime::from_days(7)).seconds();
    assert_eq!((body["exp"].as_i64(), body.get("token_type")), (Some(in_a_week), None));
    for client in [&books.api, &world.create_confidential_client().await] {
        assert_eq!(world.introspect(client, &token).await, inactive());
    }
    world
        .apply_statements([grants::revoke_grant(books.clerk.grant, "replay", world.server.engine().now())])
        .await;
    assert_eq!(world.introspect(&books.app, &token).await, inactive());
}

async fn introspection_by_a_public_client_covers_its_own_tokens(world: &World) {
    let books = books(world).await;
    let metadata = json!({"client_name": "Phone", "token_endpoint_auth_method": "none"});
    let phone =
        world.create_client(ClientKind::Application, ClientOrigin::DynamicRegistration, metadata).await;
    let request =
        GrantRequest { audience: Some("https://books.example"), ..GrantRequest::for_scope("invoices:read") };
    let own_token = world
        .create_grant(&books.tenant, books.clerk.membership, &phone.id, request)
        .await
        .issue_access_token()
        .await;
    assert_eq!(world.introspect(&phone, &own_token).await["active"], true);
    assert_eq!(world.introspect(&phone, &books.clerk.issue_access_token().await).await, inactive());
}
