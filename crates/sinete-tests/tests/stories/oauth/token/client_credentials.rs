//! The client credentials grant.

use crate::both_engines;
use crate::harness::token_endpoint::{FILES, INVOICES};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;
use sinete_crypto::platform::jwt::JwtType;

both_engines!(
    client_credentials_token_has_the_expected_claims,
    client_credentials_scope_is_granted_or_refused_as_a_whole,
    client_credentials_scope_defaults_to_the_registered_one_for_the_resource,
    client_credentials_of_a_suspended_disabled_or_roleless_client_are_refused,
    client_credentials_reflect_a_removed_role_at_the_next_request,
    api_sets_token_lifetime_and_visibility,
    client_credentials_without_the_registered_grant_type_are_unauthorized_client
);

async fn client_credentials_token_has_the_expected_claims(world: &World) {
    let books = world.create_token_fixture().await;
    let robot = books.create_service("clerk", "invoices:read invoices:send").await;
    let reply = robot.request_client_credentials(&[("scope", "invoices:read")]).await.assert_granted();
    assert_eq!((&reply.body["scope"], &reply.body["expires_in"]), (&json!("invoices:read"), &json!(600)));
    assert_eq!(reply.body.as_object().unwrap().len(), 4, "{}", reply.text);

    let claims = world.token_claims(&reply.access_token(), JwtType::Access);
    let now = world.server.engine().now().seconds();
    let jti = claims["jti"].as_str().unwrap();
    assert!(jti.starts_with("own-0.") && jti.len() == "own-0.".len() + 22, "{jti}");
    let expected = json!({
        "iss": world.server.engine().settings().issuer, "sub": robot.id, "client_id": robot.id,
        "aud": INVOICES, "scope": "invoices:read", "org": books.tenant.id.to_string(), "role": "clerk",
        "iat": now, "exp": now + 600, "jti": jti,
    });
    assert_eq!(claims, expected);
    let header: Value = {
        use base64::Engine as _;
        let token = reply.access_token();
        let header =
            base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(token.split('.').next().unwrap());
        serde_json::from_slice(&header.unwrap()).unwrap()
    };
    assert_eq!((&header["alg"], &header["typ"]), (&json!("ES256"), &json!("at+jwt")));

    let other = robot.request_client_credentials(&[("scope", "invoices:read")]).await.assert_granted();
    let other = world.token_claims(&other.access_token(), JwtType::Access);
    assert_ne!(other["jti"], claims["jti"]);
}

async fn client_credentials_scope_is_granted_or_refused_as_a_whole(world: &World) {
    let books = world.create_token_fixture().await;
    let robot = books.create_service("clerk", "invoices:* files:read").await;
    for (scope, error) in [
        ("invoices:void", "invalid_scope"),
        ("invoices:read invoices:void", "invalid_scope"),
        ("invoices:*", "invalid_scope"),
        ("files:read", "invalid_scope"),
        ("invoices:fly", "invalid_scope"),
        ("planets:read", "invalid_scope"),
        ("openid", "invalid_scope"),
        ("openid invoices:read", "invalid_scope"),
        ("*:*", "invalid_scope"),
        ("invoices", "invalid_scope"),
        ("organizations:administer", "invalid_scope"),
    ] {
        robot
            .request_client_credentials(&[("scope", scope), ("resource", INVOICES)])
            .await
            .assert_oauth_error(error);
    }
    robot
        .request_client_credentials(&[("scope", "invoices:read files:read")])
        .await
        .assert_oauth_error("invalid_target");
    let details = [("scope", "invoices:read"), ("authorization_details", r#"[{"type":"payment"}]"#)];
    robot.request_client_credentials(&details).await.assert_oauth_error("invalid_authorization_details");
    let narrow = books.create_service("manager", "invoices:read").await;
    narrow
        .request_client_credentials(&[("scope", "invoices:send")])
        .await
        .assert_oauth_error("invalid_scope");
    narrow.request_client_credentials(&[("scope", "invoices:read")]).await.assert_granted();
}

async fn client_credentials_scope_defaults_to_the_registered_one_for_the_resource(world: &World) {
    let books = world.create_token_fixture().await;
    let robot = books.create_service("manager", "invoices:read invoices:void files:read").await;
    let reply = robot.request_client_credentials(&[("resource", INVOICES)]).await.assert_granted();
    assert_eq!(reply.body["scope"], "invoices:read invoices:void");
    let reply = robot
        .request_client_credentials(&[("resource", "HTTPS://Files.Example"), ("scope", "")])
        .await
        .assert_granted();
    assert_eq!(reply.body["scope"], "files:read");
    assert_eq!(world.token_claims(&reply.access_token(), JwtType::Access)["aud"], FILES);
    robot.request_client_credentials(&[]).await.assert_oauth_error("invalid_target");
    for resource in
        ["https://unknown.example", "not a uri", "https://invoices.example/", "https://invoices.example#x"]
    {
        robot
            .request_client_credentials(&[("resource", resource)])
            .await
            .assert_oauth_error("invalid_target");
    }
    let silent = books.create_service("clerk", "openid").await;
    silent.request_client_credentials(&[]).await.assert_oauth_error("invalid_scope");
}

async fn client_credentials_of_a_suspended_disabled_or_roleless_client_are_refused(world: &World) {
    let (books, operator) = (world.create_token_fixture().await, world.create_operator().await);
    let robot = books.create_service("clerk", "invoices:read").await;
    let path = |below: &str| books.tenant.path(below);
    robot.request_client_credentials(&[]).await.assert_granted();

    books.owner.post(&path(&format!("/clients/{}/disable", robot.id)), json!(null)).await.assert_status(200);
    robot.request_client_credentials(&[]).await.assert_oauth_error("unauthorized_client");
    books.owner.post(&path(&format!("/clients/{}/enable", robot.id)), json!(null)).await.assert_status(200);
    robot.request_client_credentials(&[]).await.assert_granted();

    world.create_assignment(&operator, &books.tenant, "abuse").await;
    operator.post(&path("/suspend"), json!({"reason": "abuse"})).await.assert_status(200);
    robot.request_client_credentials(&[]).await.assert_oauth_error("unauthorized_client");
    operator.post(&path("/restore"), json!({"reason": "settled"})).await.assert_status(200);
    robot.request_client_credentials(&[]).await.assert_granted();

    let organization = books.owner.get(&path("")).await.assert_status(200);
    let settings = json!({"settings": {"refused_grants": ["client_credentials"]}});
    books.owner.patch(&path(""), organization.version(), settings).await.assert_status(200);
    robot.request_client_credentials(&[]).await.assert_oauth_error("unauthorized_client");
}

async fn client_credentials_reflect_a_removed_role_at_the_next_request(world: &World) {
    let books = world.create_token_fixture().await;
    let robot = books.create_service("clerk", "invoices:read invoices:send").await;
    robot.request_client_credentials(&[("scope", "invoices:send")]).await.assert_granted();
    let response = books.owner.get(&books.tenant.path("/roles")).await.assert_status(200);
    let clerk =
        response.body["items"].as_array().unwrap().iter().find(|it| it["name"] == "clerk").unwrap().clone();
    let path = books.tenant.path(&format!("/roles/{}", clerk["id"].as_str().unwrap()));
    books
        .owner
        .patch(&path, clerk["version"].as_i64().unwrap(), json!({"permissions": ["invoices:read"]}))
        .await
        .assert_status(200);
    robot.request_client_credentials(&[("scope", "invoices:send")]).await.assert_oauth_error("invalid_scope");
    robot.request_client_credentials(&[]).await.assert_oauth_error("invalid_scope");
    robot.request_client_credentials(&[("scope", "invoices:read")]).await.assert_granted();
}

async fn api_sets_token_lifetime_and_visibility(world: &World) {
    let books = world.create_token_fixture().await;
    let robot = books.create_service("clerk", "invoices:read").await;
    let response = books.owner.get(&books.tenant.path("/apis")).await.assert_status(200);
    let api = response.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["identifier"] == INVOICES)
        .unwrap()
        .clone();
    let path = books.tenant.path(&format!("/apis/{}", api["id"].as_str().unwrap()));
    let change = json!({"token_lifetime_seconds": 60, "algorithm": "RS256"});
    books.owner.patch(&path, 1, change).await.assert_status(200);
    let reply = robot.request_client_credentials(&[]).await.assert_granted();
    assert_eq!(reply.body["expires_in"], 60);
    world.token_claims(&reply.access_token(), JwtType::Access);
    world.clock.advance(Lifetime::from_seconds(1));
    books.owner.delete(&path, Some(2)).await.assert_status(204);
    robot.request_client_credentials(&[("resource", INVOICES)]).await.assert_oauth_error("invalid_target");
    robot.request_client_credentials(&[("scope", "invoices:read")]).await.assert_oauth_error("invalid_scope");
}

async fn client_credentials_without_the_registered_grant_type_are_unauthorized_client(world: &World) {
    let books = world.create_token_fixture().await;
    let metadata =
        json!({"client_name": "App", "redirect_uris": ["https://app.example/cb"], "scope": "invoices:read"});
    let app = books.create_machine_client("application", "clerk", metadata).await;
    app.request_client_credentials(&[("scope", "invoices:read")])
        .await
        .assert_oauth_error("unauthorized_client");
    app.request_token(&[("grant_type", "password"), ("username", "a"), ("password", "b")])
        .await
        .assert_oauth_error("unsupported_grant_type");
    app.request_token(&[]).await.assert_oauth_error("invalid_request");
}
