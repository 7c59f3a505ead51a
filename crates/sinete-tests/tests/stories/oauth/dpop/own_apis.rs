//! Bound tokens at the management API and userinfo.

use crate::both_engines;
use crate::harness::dpop_client::request_with_proof;
use crate::harness::grants::GrantRequest;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_core::oauth::dpop::compute_ath;
use sinete_core::oauth::jti::{Jti, TokenRevocationRoot};
use sinete_crypto::platform::jwt::JwtType;

both_engines!(
    dpop_proof_is_required_for_bound_tokens_at_the_management_api_and_userinfo,
    dpop_proof_is_checked_once_for_an_event_stream
);

async fn dpop_proof_is_required_for_bound_tokens_at_the_management_api_and_userinfo(world: &World) {
    let tenant = world.create_organization("acme").await;
    let owner = world.create_owner(&tenant).await;
    let (client, other) = (world.create_dpop_client(), world.create_dpop_client());
    let app = world.create_confidential_client().await;
    let scope = "openid organization:read members:read roles:manage scim:provision";
    let granted =
        world.create_grant(&tenant, owner.membership, &app.id, GrantRequest::for_scope(scope)).await;
    let jti = Jti::mint(TokenRevocationRoot::Grant(granted.grant), None, world.server.engine().entropy());
    let mut claims = serde_json::to_value(world.access_token_claims(&granted, jti).await).unwrap();
    let free = world.sign_jwt(JwtType::Access, &claims);
    claims["cnf"] = json!({"jkt": client.thumbprint()});
    let bound = world.sign_jwt(JwtType::Access, &claims);
    for path in [
        tenant.path(""),
        tenant.path("/members"),
        "/scim/v2/Users".to_owned(),
        "/connect/userinfo".to_owned(),
    ] {
        assert_eq!(client.call_with_token(&path, &bound).await.status, 200, "{path}");
        other.call_with_token(&path, &bound).await.assert_dpop_challenge("invalid_token");
        assert_eq!(world.call_with_bearer(&path, &bound, &[]).await.status, 401, "{path}");
        world.call_with_dpop(&path, &bound, &[]).await.assert_dpop_challenge("invalid_dpop_proof");
        // An unbound token is not accepted under the DPoP scheme, nor is an API key.
        client.call_with_token(&path, &free).await.assert_dpop_challenge("invalid_token");
        assert_eq!(world.call_with_bearer(&path, &free, &[]).await.status, 200, "{path}");
        client.call_with_token(&path, &owner.secret).await.assert_dpop_challenge("invalid_token");
    }
    // A proof for one path or method is not valid for another.
    let proof =
        client.proof_with_claims("GET", &tenant.path("/members"), &json!({"ath": compute_ath(&bound)}));
    world
        .call_with_dpop(&tenant.path(""), &bound, &[proof])
        .await
        .assert_dpop_challenge("invalid_dpop_proof");
    let roles = tenant.path("/roles");
    let make = async |method: &str| {
        let proof = client.proof_with_claims(method, &roles, &json!({"ath": compute_ath(&bound)}));
        let request = request_with_proof(world, Method::POST, &roles, &proof)
            .header("authorization", format!("DPoP {bound}"));
        request.json(&json!({"name": "clerk", "permissions": []})).send().await.unwrap().status().as_u16()
    };
    assert_eq!((make("GET").await, make("POST").await), (401, 201));
    // A request without a token gets both challenges.
    let nothing = world.http.get(world.public_url(&roles)).send().await.unwrap();
    let challenges: Vec<_> = nothing
        .headers()
        .get_all("www-authenticate")
        .iter()
        .map(|it| it.to_str().unwrap().to_owned())
        .collect();
    assert!(
        challenges[0].starts_with("Bearer resource_metadata=") && challenges[1].starts_with("DPoP algs="),
        "{challenges:?}"
    );
    // Another error is reported in the scheme that was used.
    let apis = client.call_with_token(&tenant.path("/apis"), &bound).await;
    assert_eq!(apis.status, 403);
    assert!(apis.challenges[0].starts_with("DPoP error=\"insufficient_scope\""), "{apis:?}");
}

async fn dpop_proof_is_checked_once_for_an_event_stream(world: &World) {
    let house = world.find_organization("operator").await;
    let ana = world.create_member(&house, &["operator"]).await;
    let client = world.create_dpop_client();
    let app = world.create_confidential_client().await;
    let granted = world.create_grant(&house, ana, &app.id, GrantRequest::for_scope("instance:read")).await;
    let jti = Jti::mint(TokenRevocationRoot::Grant(granted.grant), None, world.server.engine().entropy());
    let mut claims = serde_json::to_value(world.access_token_claims(&granted, jti).await).unwrap();
    claims["cnf"] = json!({"jkt": client.thumbprint()});
    let bound = world.sign_jwt(JwtType::Access, &claims);
    let path = "/manage/events/stream";
    let proof = client.proof_with_claims("GET", path, &json!({"ath": compute_ath(&bound)}));
    let request =
        request_with_proof(world, Method::GET, path, &proof).header("authorization", format!("DPoP {bound}"));
    let mut answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 200);
    // The stream continues after the permission is checked again.
    let mut received_events = String::new();
    for name in ["one", "two"] {
        world.create_organization(name).await;
        while received_events.matches("organization.created").count() < if name == "one" { 1 } else { 2 } {
            received_events.push_str(&String::from_utf8_lossy(
                &answer.chunk().await.unwrap().expect("the stream ended"),
            ));
        }
    }
    world.call_with_bearer(path, &bound, &[]).await;
    assert_eq!(world.call_with_bearer(path, &bound, &[]).await.status, 401);
}
