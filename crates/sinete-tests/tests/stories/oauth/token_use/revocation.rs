//! Revocation: a client revokes its own tokens at once, and no others.

use crate::both_engines;
use crate::harness::grants::{GrantRequest, TestClient};
use crate::harness::world::World;
use serde_json::json;

async fn revoke(world: &World, app: &TestClient, token: &str) -> crate::harness::grants::OAuthResponse {
    world.post_form(app, "/connect/revoke", &[("token", token), ("token_type_hint", "refresh_token")]).await
}

both_engines!(
    revocation_of_an_access_token_is_individual_and_of_a_refresh_token_ends_the_grant,
    revocation_of_another_clients_token_has_no_effect,
    revocation_of_another_credential_type_is_unsupported_token_type
);

async fn revocation_of_an_access_token_is_individual_and_of_a_refresh_token_ends_the_grant(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, app) = (world.create_owner(&acme).await, world.create_confidential_client().await);
    let granted =
        world.create_grant(&acme, owner.membership, &app.id, GrantRequest::for_scope("audit:read")).await;
    let [first, second] = [granted.create_caller().await, granted.create_caller().await];
    let refresh = granted.issue_refresh_token().await;
    let path = acme.path("/audit");
    first.get(&path).await.assert_status(200);
    let response = revoke(world, &app, &first.secret).await.is(200);
    assert_eq!(response.text, "");
    first.get(&path).await.assert_problem(401, "invalid_token");
    second.get(&path).await.assert_status(200);
    assert_eq!(world.introspect(&app, &first.secret).await, json!({"active": false}));
    assert_eq!(world.introspect(&app, &refresh).await["active"], true);
    // Repeated, and with invalid tokens: there is nothing to do, and the response is 200.
    for token in [&first.secret, "x", "sn_rt_AAAA", &refresh[..refresh.len() - 1]] {
        revoke(world, &app, token).await.is(200);
    }
    second.get(&path).await.assert_status(200);

    revoke(world, &app, &refresh).await.is(200);
    second.get(&path).await.assert_problem(401, "invalid_token");
    assert_eq!(world.introspect(&app, &refresh).await, json!({"active": false}));
    revoke(world, &app, &refresh).await.is(200);
    assert_eq!(world.count_events("access_token.revoked").await, 1);
    assert_eq!(world.count_events("grant.revoked").await, 1);
}

async fn revocation_of_another_clients_token_has_no_effect(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, app, other) = (
        world.create_owner(&acme).await,
        world.create_confidential_client().await,
        world.create_confidential_client().await,
    );
    let granted =
        world.create_grant(&acme, owner.membership, &app.id, GrantRequest::for_scope("audit:read")).await;
    let (token, refresh) = (granted.create_caller().await, granted.issue_refresh_token().await);
    for presented_token in [&token.secret, &refresh] {
        revoke(world, &other, presented_token).await.refused(400, "unauthorized_client");
        let wrong = TestClient { secret: Some("wrong".to_owned()), ..app.clone() };
        revoke(world, &wrong, presented_token).await.refused(401, "invalid_client");
    }
    token.get(&acme.path("/audit")).await.assert_status(200);
    assert_eq!(world.introspect(&app, &refresh).await["active"], true);
}

async fn revocation_of_another_credential_type_is_unsupported_token_type(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, app) = (world.create_owner(&acme).await, world.create_confidential_client().await);
    revoke(world, &app, &owner.secret).await.refused(400, "unsupported_token_type");
    revoke(world, &app, app.secret.as_ref().unwrap()).await.refused(400, "unsupported_token_type");
    world.post_form(&app, "/connect/revoke", &[]).await.refused(400, "invalid_request");
    owner.get(&acme.path("")).await.assert_status(200);
}
