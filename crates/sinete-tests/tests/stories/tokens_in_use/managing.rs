//! Access tokens at the management API: below their holder, below their scope, and never taken for another kind.

use crate::both_engines;
use crate::harness::grants::GrantRequest;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::assurance::AssuranceLevel;
use sinete_core::time::Lifetime;
use sinete_core::token::jti::{Jti, TokenRoot};
use sinete_crypto::jwt::JwtType;
use sinete_store::{api_keys, delegations};

both_engines!(
    a_token_does_what_its_holder_may_below_its_scope,
    what_is_done_with_a_token_is_recorded_with_who_and_through_whom,
    nothing_but_an_access_token_for_us_is_taken_for_one,
    an_organization_that_demands_more_than_was_proven_says_so,
    a_token_that_was_exchanged_ends_with_what_it_came_from
);

async fn a_token_does_what_its_holder_may_below_its_scope(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let token = world.bearer(&acme, owner.membership, "openid members:read").await;
    token.get(&acme.path("/members")).await.is(200);
    token.get(&acme.path("/roles")).await.refused(403, "insufficient_scope");

    // The holder loses what the token was issued for, and the token with them.
    let member = world.member(&acme, &["admin"]).await;
    let token = world.bearer(&acme, member, "roles:read roles:manage").await;
    let made = token.post(&acme.path("/roles"), json!({"name": "clerk", "permissions": []})).await.is(201);
    let clerk = made.text_of("id");
    let version = owner.get(&acme.path(&format!("/members/{member}"))).await.is(200).version();
    let roles = acme.path(&format!("/members/{member}/roles"));
    owner.put(&roles, version, json!({"roles": [clerk]})).await.is(200);
    token.get(&acme.path("/roles")).await.refused(403, "insufficient_scope");
}

async fn what_is_done_with_a_token_is_recorded_with_who_and_through_whom(world: &World) {
    let acme = world.tenant("acme").await;
    let member = world.member(&acme, &["owner"]).await;
    let client = world.app().await;
    let wanted = GrantRequest::scope("roles:manage audit:read");
    let token = world.granted(&acme, member, &client.id, wanted).await.somebody().await;
    token.post(&acme.path("/roles"), json!({"name": "clerk", "permissions": []})).await.is(201);
    let trail = token.get(&acme.path("/audit")).await.is(200);
    let entry =
        trail.body["items"].as_array().unwrap().iter().find(|it| it["kind"] == "role.created").unwrap();
    assert_eq!(entry["actor"], json!({"kind": "membership", "id": member}));
    assert_eq!(entry["detail"]["through_client"], client.id.as_str());
}

async fn nothing_but_an_access_token_for_us_is_taken_for_one(world: &World) {
    let acme = world.tenant("acme").await;
    let member = world.member(&acme, &["owner"]).await;
    let client = world.app().await;
    let granted = world.granted(&acme, member, &client.id, GrantRequest::scope("members:read")).await;
    let good = granted.somebody().await;
    let path = acme.path("/members");
    let reply = good.get(&path).await.is(200);
    assert!(!reply.headers.contains_key("www-authenticate"));

    let entropy = world.server.engine().entropy();
    let claims = world.claims(&granted, Jti::mint(TokenRoot::Grant(granted.grant), None, entropy)).await;
    let changed = |member: &str, value: serde_json::Value| {
        let mut changed = serde_json::to_value(&claims).unwrap();
        changed[member] = value;
        world.sign(JwtType::Access, &changed)
    };
    let now = world.server.engine().now().seconds();
    let elsewhere = world.tenant("elsewhere").await;
    for (why, secret) in [
        ("an ID token", world.sign(JwtType::Id, &claims)),
        ("a logout token", world.sign(JwtType::Logout, &claims)),
        ("for another API", changed("aud", json!("https://api.example"))),
        ("for our base address with a slash", changed("aud", json!(format!("{}/", world.issuer())))),
        ("of another issuer", changed("iss", json!("https://other.example"))),
        ("expired", changed("exp", json!(now))),
        ("from the future", changed("iat", json!(now + 60))),
        ("without an expiry", changed("exp", json!(null))),
        ("of another organization", changed("org", json!(elsewhere.id))),
        ("of another holder", changed("sub", json!(world.member(&acme, &["owner"]).await))),
        ("of another grant", changed("jti", json!(format!("{}.{}", acme.id, "x".repeat(22))))),
        ("with an id that is none", changed("jti", json!("x"))),
        ("truncated", good.secret[..good.secret.len() - 1].to_owned()),
        ("padded", format!("{}=", good.secret)),
        ("in another case", good.secret.to_uppercase()),
        ("without a signature", format!("{}.", good.secret.rsplit_once('.').unwrap().0)),
    ] {
        let reply = crate::harness::api::ApiCaller { secret, ..good.clone() }.get(&path).await;
        assert_eq!((why, reply.status), (why, 401), "{}", reply.text);
        let refused = reply.refused(401, "invalid_token");
        let challenge = refused.headers["www-authenticate"].to_str().unwrap();
        assert_eq!(challenge, format!("Bearer error=\"invalid_token\", {}", world.resource_metadata()));
    }
    let in_query = world.get(&format!("{path}?access_token={}", good.secret)).await;
    assert_eq!(in_query.status(), 400);
    good.get(&path).await.is(200);
    world.clock.pass(Lifetime::from_minutes(10));
    good.get(&path).await.refused(401, "invalid_token");
}

async fn an_organization_that_demands_more_than_was_proven_says_so(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let client = world.app().await;
    let weak = GrantRequest { assurance: AssuranceLevel::One, ..GrantRequest::scope("members:read") };
    let weak = world.granted(&acme, owner.membership, &client.id, weak).await.somebody().await;
    let strong = world.bearer(&acme, owner.membership, "members:read").await;
    weak.get(&acme.path("/members")).await.is(200);
    let version = owner.get(&acme.path("")).await.is(200).version();
    let settings = json!({"settings": {"least_assurance": "aal2"}});
    owner.patch(&acme.path(""), version, settings).await.is(200);

    let refused = weak.get(&acme.path("/members")).await.refused(401, "insufficient_user_authentication");
    let challenge = refused.headers["www-authenticate"].to_str().unwrap();
    let expected = "Bearer error=\"insufficient_user_authentication\", acr_values=\"urn:sinete:aal:2\"";
    assert_eq!(challenge, format!("{expected}, {}", world.resource_metadata()));
    strong.get(&acme.path("/members")).await.is(200);
    owner.get(&acme.path("/members")).await.is(200);
}

async fn a_token_that_was_exchanged_ends_with_what_it_came_from(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let (app, agent) = (world.app().await, world.app().await);
    let granted = world.granted(&acme, owner.membership, &app.id, GrantRequest::scope("members:read")).await;
    let (engine, path) = (world.server.engine(), acme.path("/members"));
    let first = Jti::mint(TokenRoot::Grant(granted.grant), None, engine.entropy());
    let key = owner
        .post(
            &acme.path("/api-keys"),
            json!({"membership": owner.membership, "name": "k", "scope": "members:read"}),
        )
        .await
        .is(201);
    let key: sinete_core::id::ApiKeyId = key.text_of("id").parse().unwrap();
    for of in
        [delegations::ExchangedSubjectToken::Token(&first), delegations::ExchangedSubjectToken::ApiKey(key)]
    {
        let id = sinete_core::id::DelegationId::mint(engine.now(), engine.entropy());
        let begun = delegations::begin(&delegations::NewDelegation {
            id,
            of,
            actor: &agent.id,
            audience: world.issuer(),
            scope: &granted.scope,
            created_at: engine.now(),
            expires_at: engine.now().plus(Lifetime::from_minutes(10)),
        });
        world.happens([begun]).await;
        let exchanged = crate::harness::grants::TestGrant { client: agent.id.clone(), ..granted.clone() };
        let claims = world.claims(&exchanged, Jti::mint(of.root(), Some(id), engine.entropy())).await;
        let secret = world.sign(JwtType::Access, &claims);
        let token = crate::harness::api::ApiCaller { secret, ..owner.clone() };
        token.get(&path).await.is(200);
        let end = match of {
            delegations::ExchangedSubjectToken::Token(jti) => {
                sinete_store::revoked_jtis::revoke(&jti.to_string(), claims.expires_at(), engine.now())
            }
            delegations::ExchangedSubjectToken::ApiKey(key) => api_keys::revoke(acme.id, key, engine.now()),
        };
        world.happens([end]).await;
        token.get(&path).await.refused(401, "invalid_token");
    }
}
