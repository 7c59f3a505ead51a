//! Bound tokens at our own APIs.

use crate::both_engines;
use crate::harness::grants::GrantRequest;
use crate::harness::key_holder::beside;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_core::token::jti::{Jti, TokenRoot};
use sinete_core::token::key_proof::hash_of;
use sinete_crypto::jwt::JwtType;

both_engines!(
    our_own_apis_ask_for_a_proof_beside_every_bound_token,
    whoever_follows_events_proves_their_key_once
);

async fn our_own_apis_ask_for_a_proof_beside_every_bound_token(world: &World) {
    let tenant = world.tenant("acme").await;
    let owner = world.owner(&tenant).await;
    let (own, other) = (world.key_holder(), world.key_holder());
    let app = world.app().await;
    let scope = "openid organization:read members:read roles:manage scim:provision";
    let granted = world.granted(&tenant, owner.membership, &app.id, GrantRequest::scope(scope)).await;
    let jti = Jti::mint(TokenRoot::Grant(granted.grant), None, world.server.engine().entropy());
    let mut claims = serde_json::to_value(world.claims(&granted, jti).await).unwrap();
    let free = world.sign(JwtType::Access, &claims);
    claims["cnf"] = json!({"jkt": own.thumbprint()});
    let bound = world.sign(JwtType::Access, &claims);
    for path in [
        tenant.path(""),
        tenant.path("/members"),
        "/scim/v2/Users".to_owned(),
        "/connect/userinfo".to_owned(),
    ] {
        assert_eq!(own.shows(&path, &bound).await.status, 200, "{path}");
        other.shows(&path, &bound).await.refused("invalid_token");
        assert_eq!(world.borne(&path, &bound, &[]).await.status, 401, "{path}");
        world.shown(&path, &bound, &[]).await.refused("invalid_dpop_proof");
        // A token that is bound to nothing is not shown as if it were, nor is a key.
        own.shows(&path, &free).await.refused("invalid_token");
        assert_eq!(world.borne(&path, &free, &[]).await.status, 200, "{path}");
        own.shows(&path, &owner.secret).await.refused("invalid_token");
    }
    // A proof for one path is none for another, and one for looking is none for changing.
    let proof = own.proof_saying("GET", &tenant.path("/members"), &json!({"ath": hash_of(&bound)}));
    world.shown(&tenant.path(""), &bound, &[proof]).await.refused("invalid_dpop_proof");
    let roles = tenant.path("/roles");
    let make = async |method: &str| {
        let proof = own.proof_saying(method, &roles, &json!({"ath": hash_of(&bound)}));
        let request =
            beside(world, Method::POST, &roles, &proof).header("authorization", format!("DPoP {bound}"));
        request.json(&json!({"name": "clerk", "permissions": []})).send().await.unwrap().status().as_u16()
    };
    assert_eq!((make("GET").await, make("POST").await), (401, 201));
    // Whoever shows nothing is told both ways.
    let nothing = world.http.get(world.public(&roles)).send().await.unwrap();
    let told: Vec<_> = nothing
        .headers()
        .get_all("www-authenticate")
        .iter()
        .map(|it| it.to_str().unwrap().to_owned())
        .collect();
    assert!(
        told[0].starts_with("Bearer resource_metadata=") && told[1].starts_with("DPoP algs="),
        "{told:?}"
    );
    // A refusal that is about something else says so in the scheme that was used.
    let apis = own.shows(&tenant.path("/apis"), &bound).await;
    assert_eq!(apis.status, 403);
    assert!(apis.challenges[0].starts_with("DPoP error=\"insufficient_scope\""), "{apis:?}");
}

async fn whoever_follows_events_proves_their_key_once(world: &World) {
    let house = world.tenant_of("operator").await;
    let ana = world.member(&house, &["operator"]).await;
    let own = world.key_holder();
    let app = world.app().await;
    let granted = world.granted(&house, ana, &app.id, GrantRequest::scope("instance:read")).await;
    let jti = Jti::mint(TokenRoot::Grant(granted.grant), None, world.server.engine().entropy());
    let mut claims = serde_json::to_value(world.claims(&granted, jti).await).unwrap();
    claims["cnf"] = json!({"jkt": own.thumbprint()});
    let bound = world.sign(JwtType::Access, &claims);
    let path = "/manage/events/stream";
    let proof = own.proof_saying("GET", path, &json!({"ath": hash_of(&bound)}));
    let request = beside(world, Method::GET, path, &proof).header("authorization", format!("DPoP {bound}"));
    let mut answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 200);
    // It goes on telling after it has looked again whether it may.
    let mut heard = String::new();
    for name in ["one", "two"] {
        world.tenant(name).await;
        while heard.matches("organization.created").count() < if name == "one" { 1 } else { 2 } {
            heard.push_str(&String::from_utf8_lossy(&answer.chunk().await.unwrap().expect("it goes on")));
        }
    }
    world.borne(path, &bound, &[]).await;
    assert_eq!(world.borne(path, &bound, &[]).await.status, 401);
}
