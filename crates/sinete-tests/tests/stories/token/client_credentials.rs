//! A machine asks for itself.

use crate::both_engines;
use crate::harness::token_endpoint::{FILES, INVOICES};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;
use sinete_crypto::jwt::JwtType;

both_engines!(
    a_machine_gets_a_token_with_exactly_the_claims_it_should_have,
    what_is_asked_for_is_granted_whole_or_refused_whole,
    what_is_left_out_is_what_was_registered_for_the_resource,
    who_is_suspended_disabled_or_without_roles_gets_nothing,
    a_role_that_is_taken_away_is_gone_at_the_next_request,
    an_api_decides_how_long_its_tokens_live_and_who_may_know_it,
    a_client_that_did_not_register_the_grant_does_not_use_it
);

async fn a_machine_gets_a_token_with_exactly_the_claims_it_should_have(world: &World) {
    let books = world.books().await;
    let robot = books.service("clerk", "invoices:read invoices:send").await;
    let reply = robot.for_itself(&[("scope", "invoices:read")]).await.granted();
    assert_eq!((&reply.body["scope"], &reply.body["expires_in"]), (&json!("invoices:read"), &json!(600)));
    assert_eq!(reply.body.as_object().unwrap().len(), 4, "{}", reply.text);

    let claims = world.said(&reply.access_token(), JwtType::Access);
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

    let other = robot.for_itself(&[("scope", "invoices:read")]).await.granted();
    let other = world.said(&other.access_token(), JwtType::Access);
    assert_ne!(other["jti"], claims["jti"]);
}

async fn what_is_asked_for_is_granted_whole_or_refused_whole(world: &World) {
    let books = world.books().await;
    let robot = books.service("clerk", "invoices:* files:read").await;
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
        robot.for_itself(&[("scope", scope), ("resource", INVOICES)]).await.refused(error);
    }
    robot.for_itself(&[("scope", "invoices:read files:read")]).await.refused("invalid_target");
    let details = [("scope", "invoices:read"), ("authorization_details", r#"[{"type":"payment"}]"#)];
    robot.for_itself(&details).await.refused("invalid_authorization_details");
    let narrow = books.service("manager", "invoices:read").await;
    narrow.for_itself(&[("scope", "invoices:send")]).await.refused("invalid_scope");
    narrow.for_itself(&[("scope", "invoices:read")]).await.granted();
}

async fn what_is_left_out_is_what_was_registered_for_the_resource(world: &World) {
    let books = world.books().await;
    let robot = books.service("manager", "invoices:read invoices:void files:read").await;
    let reply = robot.for_itself(&[("resource", INVOICES)]).await.granted();
    assert_eq!(reply.body["scope"], "invoices:read invoices:void");
    let reply = robot.for_itself(&[("resource", "HTTPS://Files.Example"), ("scope", "")]).await.granted();
    assert_eq!(reply.body["scope"], "files:read");
    assert_eq!(world.said(&reply.access_token(), JwtType::Access)["aud"], FILES);
    robot.for_itself(&[]).await.refused("invalid_target");
    for resource in
        ["https://unknown.example", "not a uri", "https://invoices.example/", "https://invoices.example#x"]
    {
        robot.for_itself(&[("resource", resource)]).await.refused("invalid_target");
    }
    let silent = books.service("clerk", "openid").await;
    silent.for_itself(&[]).await.refused("invalid_scope");
}

async fn who_is_suspended_disabled_or_without_roles_gets_nothing(world: &World) {
    let (books, operator) = (world.books().await, world.operator().await);
    let robot = books.service("clerk", "invoices:read").await;
    let path = |below: &str| books.tenant.path(below);
    robot.for_itself(&[]).await.granted();

    books.owner.post(&path(&format!("/clients/{}/disable", robot.id)), json!(null)).await.is(200);
    robot.for_itself(&[]).await.refused("unauthorized_client");
    books.owner.post(&path(&format!("/clients/{}/enable", robot.id)), json!(null)).await.is(200);
    robot.for_itself(&[]).await.granted();

    world.assign(&operator, &books.tenant, "abuse").await;
    operator.post(&path("/suspend"), json!({"reason": "abuse"})).await.is(200);
    robot.for_itself(&[]).await.refused("unauthorized_client");
    operator.post(&path("/restore"), json!({"reason": "settled"})).await.is(200);
    robot.for_itself(&[]).await.granted();

    let organization = books.owner.get(&path("")).await.is(200);
    let settings = json!({"settings": {"refused_grants": ["client_credentials"]}});
    books.owner.patch(&path(""), organization.version(), settings).await.is(200);
    robot.for_itself(&[]).await.refused("unauthorized_client");
}

async fn a_role_that_is_taken_away_is_gone_at_the_next_request(world: &World) {
    let books = world.books().await;
    let robot = books.service("clerk", "invoices:read invoices:send").await;
    robot.for_itself(&[("scope", "invoices:send")]).await.granted();
    let listed = books.owner.get(&books.tenant.path("/roles")).await.is(200);
    let clerk =
        listed.body["items"].as_array().unwrap().iter().find(|it| it["name"] == "clerk").unwrap().clone();
    let path = books.tenant.path(&format!("/roles/{}", clerk["id"].as_str().unwrap()));
    books
        .owner
        .patch(&path, clerk["version"].as_i64().unwrap(), json!({"permissions": ["invoices:read"]}))
        .await
        .is(200);
    robot.for_itself(&[("scope", "invoices:send")]).await.refused("invalid_scope");
    robot.for_itself(&[]).await.refused("invalid_scope");
    robot.for_itself(&[("scope", "invoices:read")]).await.granted();
}

async fn an_api_decides_how_long_its_tokens_live_and_who_may_know_it(world: &World) {
    let books = world.books().await;
    let robot = books.service("clerk", "invoices:read").await;
    let listed = books.owner.get(&books.tenant.path("/apis")).await.is(200);
    let api = listed.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["identifier"] == INVOICES)
        .unwrap()
        .clone();
    let path = books.tenant.path(&format!("/apis/{}", api["id"].as_str().unwrap()));
    let change = json!({"token_lifetime_seconds": 60, "algorithm": "RS256"});
    books.owner.patch(&path, 1, change).await.is(200);
    let reply = robot.for_itself(&[]).await.granted();
    assert_eq!(reply.body["expires_in"], 60);
    world.said(&reply.access_token(), JwtType::Access);
    world.clock.pass(Lifetime::from_seconds(1));
    books.owner.delete(&path, Some(2)).await.is(204);
    robot.for_itself(&[("resource", INVOICES)]).await.refused("invalid_target");
    robot.for_itself(&[("scope", "invoices:read")]).await.refused("invalid_scope");
}

async fn a_client_that_did_not_register_the_grant_does_not_use_it(world: &World) {
    let books = world.books().await;
    let metadata =
        json!({"client_name": "App", "redirect_uris": ["https://app.example/cb"], "scope": "invoices:read"});
    let app = books.machine("application", "clerk", metadata).await;
    app.for_itself(&[("scope", "invoices:read")]).await.refused("unauthorized_client");
    app.ask(&[("grant_type", "password"), ("username", "a"), ("password", "b")])
        .await
        .refused("unsupported_grant_type");
    app.ask(&[]).await.refused("invalid_request");
}
