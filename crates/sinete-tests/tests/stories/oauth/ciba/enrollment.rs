//! A user without a second factor, which every approval needs: they set one up on the way, within the request's time.

use super::{ANA, Scene, scene};
use crate::both_engines;
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::totp_app::TotpApp;
use crate::harness::world::World;
use crate::stories::sign_in::credentials::seconds;
use serde_json::json;
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::time::Lifetime;
use sinete_crypto::platform::jwt::JwtType;

both_engines!(
    ciba_request_lets_a_user_without_a_second_factor_set_one_up,
    ciba_request_expires_while_a_second_factor_is_being_set_up,
    ciba_request_is_denied_where_no_second_factor_is_accepted
);

/// A session of the user with a password alone, and no second factor in the account.
async fn weak_session<'w>(world: &'w World, scene: &Scene<'_>) -> SignedInUser<'w> {
    let password = AuthenticationEvidence::from_proof(AuthenticationProof::Password);
    world.sign_in_account(scene.ana.account, &password).await
}

async fn ciba_request_lets_a_user_without_a_second_factor_set_one_up(world: &World) {
    let scene = scene(world).await;
    let weak = weak_session(world, &scene).await;
    let request = scene.agent.start_ciba(ANA, &[]).await;
    let path = weak.newest_ciba_request().await;
    // It is no denial: the request waits while the second factor is set up.
    assert_eq!(weak.get(&path).await.assert_status(200).body["next"], "step_up");
    let refused = weak.post(&format!("{path}/approve"), json!({})).await;
    refused.assert_problem(401, "insufficient_user_authentication");
    let flow_body = json!({"kind": "approve_request", "request": path.rsplit('/').next()});
    let mut walk = world.start_flow_in_session(flow_body, Some(&weak.token)).await;
    assert_eq!((walk.stage(), &walk.last.body["may_enroll"]), ("choose_factor", &json!(["passkey", "totp"])));
    walk.try_submit("consent", json!({"allow": true})).await.assert_problem(409, "conflict");
    walk.submit("choose_factor", json!({"credential": "totp"})).await.assert_status(200);
    let app = TotpApp::from_uri(walk.last.body["totp"]["uri"].as_str().unwrap());
    let response = walk.submit("totp_confirmation", json!({"code": app.code_at(seconds(world))})).await;
    assert_eq!(response.assert_status(200).body["recovery_codes"].as_array().unwrap().len(), 10);
    // Setting it up proves nothing: it is asked for by itself, and then the request is shown.
    assert_eq!(walk.stage(), "reauthenticate");
    scene.agent.assert_ciba_poll_error(&request, "authorization_pending").await;
    world.clock.advance(Lifetime::from_seconds(30));
    walk.submit("totp", json!({"code": app.code_at(seconds(world))})).await.assert_status(200);
    assert_eq!(walk.stage(), "consent", "{}", walk.last.text);
    walk.submit("consent", json!({"allow": true})).await.assert_status(200);
    assert_eq!(walk.stage(), "request_approved");
    let tokens = scene.agent.redeem_ciba(&request).await;
    let id = world.token_claims(tokens["id_token"].as_str().unwrap(), JwtType::Id);
    assert_eq!(id["acr"], "urn:sinete:aal:2");
    assert_eq!(world.count_events("approval.denied").await, 0);
}

async fn ciba_request_expires_while_a_second_factor_is_being_set_up(world: &World) {
    let scene = scene(world).await;
    let weak = weak_session(world, &scene).await;
    let request = scene.agent.start_ciba(ANA, &[("requested_expiry", "30")]).await;
    let path = weak.newest_ciba_request().await;
    let flow_body = json!({"kind": "approve_request", "request": path.rsplit('/').next()});
    let mut walk = world.start_flow_in_session(flow_body, Some(&weak.token)).await;
    walk.submit("choose_factor", json!({"credential": "totp"})).await.assert_status(200);
    let app = TotpApp::from_uri(walk.last.body["totp"]["uri"].as_str().unwrap());
    world.clock.advance(Lifetime::from_seconds(31));
    walk.submit("totp_confirmation", json!({"code": app.code_at(seconds(world))})).await.assert_status(200);
    assert_eq!((walk.stage(), &walk.last.body["refused"]["error"]), ("refused", &json!("invalid_request")));
    scene.agent.assert_ciba_poll_error(&request, "expired_token").await;
    assert_eq!(world.count_events("approval.given").await, 0);
}

async fn ciba_request_is_denied_where_no_second_factor_is_accepted(world: &World) {
    let scene = scene(world).await;
    let weak = weak_session(world, &scene).await;
    let owner = world.create_owner(&scene.books.tenant).await;
    let version = owner.get(&scene.books.tenant.path("")).await.assert_status(200).version();
    let change = json!({"settings": {"allowed_credentials": ["password"]}});
    owner.patch(&scene.books.tenant.path(""), version, change).await.assert_status(200);
    let request = scene.agent.start_ciba(ANA, &[]).await;
    let path = weak.newest_ciba_request().await;
    assert_eq!(weak.get(&path).await.assert_status(200).body["next"], "deny");
    weak.post(&format!("{path}/approve"), json!({})).await.assert_problem(403, "forbidden");
    scene.agent.assert_ciba_poll_error(&request, "access_denied").await;
}
