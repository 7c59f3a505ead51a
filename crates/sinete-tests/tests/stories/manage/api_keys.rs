//! API keys: shown once, below their holder, revoked at once.

use crate::both_engines;
use crate::harness::api::ApiCaller;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;

fn key(membership: &str, scope: &str) -> Value {
    json!({"membership": membership, "name": "k", "scope": scope})
}

/// The membership of a new service that carries the role.
async fn service(owner: &ApiCaller<'_>, role: &str) -> String {
    let listed = owner.get(&owner.tenant.path("/roles")).await.is(200);
    let roles = listed.body["items"].as_array().unwrap();
    let role = roles.iter().find(|it| it["name"] == role).unwrap()["id"].clone();
    let metadata = json!({"client_name": "Bot", "grant_types": ["client_credentials"]});
    let wanted = json!({"kind": "service", "roles": [role], "metadata": metadata});
    owner.post(&owner.tenant.path("/clients"), wanted).await.is(201).text_of("membership")
}

both_engines!(
    a_key_is_shown_once_works_and_is_revoked_at_once,
    a_key_holds_no_more_than_its_holder_and_no_more_than_its_maker,
    nobody_is_given_a_key_that_speaks_for_another_person,
    an_admin_does_not_pass_for_an_owner_by_a_key,
    a_key_has_a_holder_a_name_a_scope_and_an_end,
    a_key_is_never_a_session_and_its_last_use_is_shown,
    a_key_is_revoked_even_while_the_organization_is_suspended
);

async fn a_key_is_shown_once_works_and_is_revoked_at_once(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let wanted = json!({"membership": owner.membership, "name": "nightly", "scope": "members:read"});
    let issued = owner.post(&acme.path("/api-keys"), wanted).await.is(201);
    let (id, secret) = (issued.text_of("id"), issued.text_of("secret"));
    let key = ApiCaller { secret: secret.clone(), ..owner.clone() };
    key.get(&acme.path("/members")).await.is(200);
    key.get(&acme.path("/roles")).await.refused(403, "insufficient_scope");

    let path = acme.path(&format!("/api-keys/{id}"));
    for shown in [owner.get(&path).await.is(200), owner.get(&acme.path("/api-keys")).await.is(200)] {
        assert!(!shown.text.contains(&secret) && shown.text.contains(&id));
    }
    owner.delete(&path, None).await.is(204);
    key.get(&acme.path("/members")).await.refused(401, "invalid_token");
    owner.delete(&path, None).await.is(204);
    assert!(owner.get(&path).await.is(200).body["revoked_at"].is_string());
}

async fn a_key_holds_no_more_than_its_holder_and_no_more_than_its_maker(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let service = service(&owner, "member").await;
    let path = acme.path("/api-keys");
    owner.post(&path, key(&service, "organization:read")).await.is(201);
    owner.post(&path, key(&service, "organization:read members:read")).await.refused(400, "invalid_scope");
    let narrow = world.key(&acme, owner.membership, "api_keys:manage members:read").await;
    let own = owner.membership.to_string();
    narrow.post(&path, key(&own, "members:read")).await.is(201);
    narrow.post(&path, key(&own, "members:read roles:read")).await.refused(400, "invalid_scope");
    for scope in ["organizations:administer", "instance:read", "openid"] {
        let refused = owner.post(&path, key(&own, scope)).await;
        assert!([400, 422].contains(&refused.status), "{scope}: {}", refused.text);
    }
}

async fn nobody_is_given_a_key_that_speaks_for_another_person(world: &World) {
    let (acme, operator) = (world.tenant("acme").await, world.operator().await);
    let (owner, other) = (world.owner(&acme).await, world.owner(&acme).await);
    let path = acme.path("/api-keys");
    let theirs = key(&other.membership.to_string(), "members:read");
    owner.post(&path, theirs.clone()).await.refused(403, "insufficient_scope");
    world.assign(&operator, &acme, "a look").await;
    operator.post(&path, theirs.clone()).await.refused(403, "insufficient_scope");
    other.post(&path, theirs).await.is(201);
}

async fn an_admin_does_not_pass_for_an_owner_by_a_key(world: &World) {
    let acme = world.tenant("acme").await;
    let (owner, other) = (world.owner(&acme).await, world.owner(&acme).await);
    let machine = service(&owner, "owner").await;
    let admin = world.member(&acme, &["admin"]).await;
    let admin = world.key(&acme, admin, "api_keys:manage members:read members:manage").await;
    let path = acme.path("/api-keys");
    admin.post(&path, key(&machine, "members:manage")).await.refused(403, "insufficient_scope");
    let remove = acme.path(&format!("/members/{}", other.membership));
    admin.delete(&remove, None).await.refused(403, "insufficient_scope");
    // An owner's key that does not carry what only owners hold is no owner's key.
    let issued = owner.post(&path, key(&machine, "members:manage")).await.is(201);
    let narrow = ApiCaller { secret: issued.text_of("secret"), ..owner.clone() };
    narrow.delete(&remove, None).await.refused(403, "insufficient_scope");
    narrow.post(&format!("{remove}/disable"), json!(null)).await.refused(403, "insufficient_scope");
    let issued = owner.post(&path, key(&machine, "members:manage organization:delete")).await.is(201);
    let whole = ApiCaller { secret: issued.text_of("secret"), ..owner.clone() };
    whole.delete(&remove, None).await.is(204);
}

async fn a_key_has_a_holder_a_name_a_scope_and_an_end(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let path = acme.path("/api-keys");
    let faulty =
        json!({"membership": "x", "name": "", "scope": "*:*", "lifetime_seconds": 31536001, "more": 1});
    let refused = owner.post(&path, faulty).await.refused(422, "unprocessable");
    assert_eq!(refused.faults(), ["/lifetime_seconds", "/more", "/name"]);
    let faulty = json!({"membership": "x", "name": "k", "scope": "*:*"});
    assert_eq!(owner.post(&path, faulty).await.is(422).faults(), ["/membership", "/scope"]);
    let nobody =
        json!({"membership": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071", "name": "k", "scope": "members:read"});
    owner.post(&path, nobody).await.refused(404, "not_found");

    let short =
        json!({"membership": owner.membership, "name": "k", "scope": "members:read", "lifetime_seconds": 60});
    let issued = owner.post(&path, short).await.is(201);
    let key = ApiCaller { secret: issued.text_of("secret"), ..owner.clone() };
    key.get(&acme.path("/members")).await.is(200);
    world.clock.pass(Lifetime::from_seconds(60));
    key.get(&acme.path("/members")).await.refused(401, "invalid_token");
}

async fn a_key_is_never_a_session_and_its_last_use_is_shown(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let wanted = json!({"membership": owner.membership, "name": "k", "scope": "members:read"});
    let issued = owner.post(&acme.path("/api-keys"), wanted).await.is(201);
    let (id, secret) = (issued.text_of("id"), issued.text_of("secret"));
    let path = acme.path(&format!("/api-keys/{id}"));
    assert!(owner.get(&path).await.is(200).body["used_at"].is_null());
    for (name, value) in [
        ("authorization", format!("Bearer {secret}")),
        ("authorization", format!("Session {secret}")),
        ("cookie", format!("session={secret}; __Host-session={secret}")),
    ] {
        for address in ["/account", "/account/sessions", "/account/credentials"] {
            let asked = world.http.get(world.public(address)).header(name, &value).send().await.unwrap();
            assert_eq!(asked.status(), 401, "{address} with {name}");
        }
    }
    let userinfo =
        world.http.get(world.public("/connect/userinfo")).bearer_auth(&secret).send().await.unwrap();
    assert_eq!(userinfo.status(), 401, "a key says what may be done, not who somebody is");
    assert!(owner.get(&path).await.is(200).body["used_at"].is_null(), "none of that was a use");
    let key = ApiCaller { secret: secret.clone(), ..owner.clone() };
    key.get(&acme.path("/members")).await.is(200);
    assert_eq!(owner.get(&path).await.is(200).body["used_at"], world.server.engine().now().to_string());
    // One letter wrong is noticed by the key itself.
    let mut wrong = secret.into_bytes();
    wrong[20] = if wrong[20] == b'A' { b'B' } else { b'A' };
    let wrong = ApiCaller { secret: String::from_utf8(wrong).unwrap(), ..owner.clone() };
    wrong.get(&acme.path("/members")).await.refused(401, "invalid_token");
}

async fn a_key_is_revoked_even_while_the_organization_is_suspended(world: &World) {
    let (acme, operator) = (world.tenant("acme").await, world.operator().await);
    let owner = world.owner(&acme).await;
    let wanted = json!({"membership": owner.membership, "name": "leaked", "scope": "members:read"});
    let issued = owner.post(&acme.path("/api-keys"), wanted).await.is(201);
    world.assign(&operator, &acme, "abuse").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "abuse"})).await.is(200);
    let key = ApiCaller { secret: issued.text_of("secret"), ..owner.clone() };
    key.get(&acme.path("/members")).await.is(200);
    owner.delete(&acme.path(&format!("/api-keys/{}", issued.text_of("id"))), None).await.is(204);
    key.get(&acme.path("/members")).await.refused(401, "invalid_token");
}
