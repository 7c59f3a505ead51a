//! Access tokens at the management API: limited by the subject's permissions and their scope, and never accepted as
//! another kind of credential.

use crate::both_engines;
use crate::harness::grants::GrantRequest;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::assurance::AssuranceLevel;
use sinete_core::oauth::jti::{Jti, TokenRevocationRoot};
use sinete_core::time::Lifetime;
use sinete_crypto::platform::jwt::JwtType;
use sinete_store::oauth::delegations;
use sinete_store::organizations::api_keys;

both_engines!(
    access_token_at_the_management_api_is_limited_to_holder_and_scope,
    access_token_use_is_recorded_with_user_and_client,
    access_token_of_another_type_or_audience_is_refused,
    access_token_with_insufficient_assurance_is_refused_with_step_up,
    exchanged_token_ends_with_its_subject_token
);

async fn access_token_at_the_management_api_is_limited_to_holder_and_scope(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let token = world.create_token_caller(&acme, owner.membership, "openid members:read").await;
    token.get(&acme.path("/members")).await.assert_status(200);
    token.get(&acme.path("/roles")).await.assert_problem(403, "insufficient_scope");

    // The subject loses a permission, and so does the token.
    let member = world.create_member(&acme, &["admin"]).await;
    let token = world.create_token_caller(&acme, member, "roles:read roles:manage").await;
    let response = token
        .post(&acme.path("/roles"), json!({"name": "clerk", "permissions": []}))
        .await
        .assert_status(201);
    let clerk = response.text_member("id");
    let version = owner.get(&acme.path(&format!("/members/{member}"))).await.assert_status(200).version();
    let roles = acme.path(&format!("/members/{member}/roles"));
    owner.put(&roles, version, json!({"roles": [clerk]})).await.assert_status(200);
    token.get(&acme.path("/roles")).await.assert_problem(403, "insufficient_scope");
}

async fn access_token_use_is_recorded_with_user_and_client(world: &World) {
    let acme = world.create_organization("acme").await;
    let member = world.create_member(&acme, &["owner"]).await;
    let client = world.create_confidential_client().await;
    let request = GrantRequest::for_scope("roles:manage audit:read");
    let token = world.create_grant(&acme, member, &client.id, request).await.create_caller().await;
    token.post(&acme.path("/roles"), json!({"name": "clerk", "permissions": []})).await.assert_status(201);
    let audit_log = token.get(&acme.path("/audit")).await.assert_status(200);
    let entry =
        audit_log.body["items"].as_array().unwrap().iter().find(|it| it["kind"] == "role.created").unwrap();
    assert_eq!(entry["actor"], json!({"kind": "membership", "id": member}));
    assert_eq!(entry["detail"]["through_client"], client.id.as_str());
}

async fn access_token_of_another_type_or_audience_is_refused(world: &World) {
    let acme = world.create_organization("acme").await;
    let member = world.create_member(&acme, &["owner"]).await;
    let client = world.create_confidential_client().await;
    let granted =
        world.create_grant(&acme, member, &client.id, GrantRequest::for_scope("members:read")).await;
    let good = granted.create_caller().await;
    let path = acme.path("/members");
    let reply = good.get(&path).await.assert_status(200);
    assert!(!reply.headers.contains_key("www-authenticate"));

    let entropy = world.server.engine().entropy();
    let claims = world
        .access_token_claims(&granted, Jti::mint(TokenRevocationRoot::Grant(granted.grant), None, entropy))
        .await;
    let changed = |member: &str, value: serde_json::Value| {
        let mut changed = serde_json::to_value(&claims).unwrap();
        changed[member] = value;
        world.sign_jwt(JwtType::Access, &changed)
    };
    let now = world.server.engine().now().seconds();
    let elsewhere = world.create_organization("elsewhere").await;
    for (reason, secret) in [
        ("an ID token", world.sign_jwt(JwtType::Id, &claims)),
        ("a logout token", world.sign_jwt(JwtType::Logout, &claims)),
        ("for another API", changed("aud", json!("https://api.example"))),
        ("for our base address with a slash", changed("aud", json!(format!("{}/", world.issuer())))),
        ("of another issuer", changed("iss", json!("https://other.example"))),
        ("expired", changed("exp", json!(now))),
        ("from the future", changed("iat", json!(now + 60))),
        ("without an expiry", changed("exp", json!(null))),
        ("of another organization", changed("org", json!(elsewhere.id))),
        ("of another holder", changed("sub", json!(world.create_member(&acme, &["owner"]).await))),
        ("of another grant", changed("jti", json!(format!("{}.{}", acme.id, "x".repeat(22))))),
        ("with an id that is none", changed("jti", json!("x"))),
        ("truncated", good.secret[..good.secret.len() - 1].to_owned()),
        ("padded", format!("{}=", good.secret)),
        ("in another case", good.secret.to_uppercase()),
        ("without a signature", format!("{}.", good.secret.rsplit_once('.').unwrap().0)),
    ] {
        let reply = crate::harness::api_caller::ApiCaller { secret, ..good.clone() }.get(&path).await;
        assert_eq!((reason, reply.status), (reason, 401), "{}", reply.text);
        let refused = reply.assert_problem(401, "invalid_token");
        let challenge = refused.headers["www-authenticate"].to_str().unwrap();
        assert_eq!(challenge, format!("Bearer error=\"invalid_token\", {}", world.resource_metadata()));
    }
    let in_query = world.get(&format!("{path}?access_token={}", good.secret)).await;
    assert_eq!(in_query.status(), 400);
    good.get(&path).await.assert_status(200);
    world.clock.advance(Lifetime::from_minutes(10));
    good.get(&path).await.assert_problem(401, "invalid_token");
}

async fn access_token_with_insufficient_assurance_is_refused_with_step_up(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let client = world.create_confidential_client().await;
    let weak = GrantRequest { assurance: AssuranceLevel::One, ..GrantRequest::for_scope("members:read") };
    let weak = world.create_grant(&acme, owner.membership, &client.id, weak).await.create_caller().await;
    let strong = world.create_token_caller(&acme, owner.membership, "members:read").await;
    weak.get(&acme.path("/members")).await.assert_status(200);
    let version = owner.get(&acme.path("")).await.assert_status(200).version();
    let settings = json!({"settings": {"least_assurance": "aal2"}});
    owner.patch(&acme.path(""), version, settings).await.assert_status(200);

    let refused =
        weak.get(&acme.path("/members")).await.assert_problem(401, "insufficient_user_authentication");
    let challenge = refused.headers["www-authenticate"].to_str().unwrap();
    let expected = "Bearer error=\"insufficient_user_authentication\", acr_values=\"urn:sinete:aal:2\"";
    assert_eq!(challenge, format!("{expected}, {}", world.resource_metadata()));
    strong.get(&acme.path("/members")).await.assert_status(200);
    owner.get(&acme.path("/members")).await.assert_status(200);
}

async fn exchanged_token_ends_with_its_subject_token(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let (app, agent) = (world.create_confidential_client().await, world.create_confidential_client().await);
    let granted =
        world.create_grant(&acme, owner.membership, &app.id, GrantRequest::for_scope("members:read")).await;
    let (engine, path) = (world.server.engine(), acme.path("/members"));
    let first = Jti::mint(TokenRevocationRoot::Grant(granted.grant), None, engine.entropy());
    let key = owner
        .post(
            &acme.path("/api-keys"),
            json!({"membership": owner.membership, "name": "k", "scope": "members:read"}),
        )
        .await
        .assert_status(201);
    let key: sinete_core::id::ApiKeyId = key.text_member("id").parse().unwrap();
    for of in
        [delegations::ExchangedSubjectToken::Token(&first), delegations::ExchangedSubjectToken::ApiKey(key)]
    {
        let id = sinete_core::id::DelegationId::mint(engine.now(), engine.entropy());
        let statement = delegations::create_delegation(&delegations::NewDelegation {
            id,
            subject_token: of,
            actor: &agent.id,
            audience: world.issuer(),
            scope: &granted.scope,
            created_at: engine.now(),
            expires_at: engine.now().plus(Lifetime::from_minutes(10)),
        });
        world.apply_statements([statement]).await;
        let exchanged = crate::harness::grants::TestGrant { client: agent.id.clone(), ..granted.clone() };
        let claims =
            world.access_token_claims(&exchanged, Jti::mint(of.root(), Some(id), engine.entropy())).await;
        let secret = world.sign_jwt(JwtType::Access, &claims);
        let token = crate::harness::api_caller::ApiCaller { secret, ..owner.clone() };
        token.get(&path).await.assert_status(200);
        let end = match of {
            delegations::ExchangedSubjectToken::Token(jti) => {
                sinete_store::oauth::revocation::revoke_access_token(
                    &jti.to_string(),
                    claims.expires_at(),
                    engine.now(),
                )
            }
            delegations::ExchangedSubjectToken::ApiKey(key) => {
                api_keys::revoke_api_key(acme.id, key, engine.now())
            }
        };
        world.apply_statements([end]).await;
        token.get(&path).await.assert_problem(401, "invalid_token");
    }
}
