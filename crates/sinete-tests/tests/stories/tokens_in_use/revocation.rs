//! Revocation: what a client gives up is gone at once, and only its own.

use crate::both_engines;
use crate::harness::grants::{GrantRequest, TestClient};
use crate::harness::world::World;
use serde_json::json;

async fn revoke(world: &World, app: &TestClient, token: &str) -> crate::harness::grants::OAuthResponse {
    world.form(app, "/connect/revoke", &[("token", token), ("token_type_hint", "refresh_token")]).await
}

both_engines!(
    an_access_token_is_revoked_by_itself_and_a_refresh_token_with_its_grant,
    nobody_revokes_what_was_issued_to_another,
    a_credential_of_another_kind_is_not_said_to_be_revoked
);

async fn an_access_token_is_revoked_by_itself_and_a_refresh_token_with_its_grant(world: &World) {
    let acme = world.tenant("acme").await;
    let (owner, app) = (world.owner(&acme).await, world.app().await);
    let granted = world.granted(&acme, owner.membership, &app.id, GrantRequest::scope("audit:read")).await;
    let [first, second] = [granted.somebody().await, granted.somebody().await];
    let refresh = granted.refresh_token().await;
    let path = acme.path("/audit");
    first.get(&path).await.is(200);
    let answered = revoke(world, &app, &first.secret).await.is(200);
    assert_eq!(answered.text, "");
    first.get(&path).await.refused(401, "invalid_token");
    second.get(&path).await.is(200);
    assert_eq!(world.introspected(&app, &first.secret).await, json!({"active": false}));
    assert_eq!(world.introspected(&app, &refresh).await["active"], true);
    // Again, and with what never was a token: there is nothing to do, and that is fine.
    for token in [&first.secret, "x", "sn_rt_AAAA", &refresh[..refresh.len() - 1]] {
        revoke(world, &app, token).await.is(200);
    }
    second.get(&path).await.is(200);

    revoke(world, &app, &refresh).await.is(200);
    second.get(&path).await.refused(401, "invalid_token");
    assert_eq!(world.introspected(&app, &refresh).await, json!({"active": false}));
    revoke(world, &app, &refresh).await.is(200);
    assert_eq!(world.logged("access_token.revoked").await, 1);
    assert_eq!(world.logged("grant.revoked").await, 1);
}

async fn nobody_revokes_what_was_issued_to_another(world: &World) {
    let acme = world.tenant("acme").await;
    let (owner, app, other) = (world.owner(&acme).await, world.app().await, world.app().await);
    let granted = world.granted(&acme, owner.membership, &app.id, GrantRequest::scope("audit:read")).await;
    let (token, refresh) = (granted.somebody().await, granted.refresh_token().await);
    for shown in [&token.secret, &refresh] {
        revoke(world, &other, shown).await.refused(400, "unauthorized_client");
        let wrong = TestClient { secret: Some("wrong".to_owned()), ..app.clone() };
        revoke(world, &wrong, shown).await.refused(401, "invalid_client");
    }
    token.get(&acme.path("/audit")).await.is(200);
    assert_eq!(world.introspected(&app, &refresh).await["active"], true);
}

async fn a_credential_of_another_kind_is_not_said_to_be_revoked(world: &World) {
    let acme = world.tenant("acme").await;
    let (owner, app) = (world.owner(&acme).await, world.app().await);
    revoke(world, &app, &owner.secret).await.refused(400, "unsupported_token_type");
    revoke(world, &app, app.secret.as_ref().unwrap()).await.refused(400, "unsupported_token_type");
    world.form(&app, "/connect/revoke", &[]).await.refused(400, "invalid_request");
    owner.get(&acme.path("")).await.is(200);
}
