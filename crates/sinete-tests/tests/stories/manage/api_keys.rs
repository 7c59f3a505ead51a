//! API keys: shown once, below their holder, revoked at once.

use crate::harness::api::Somebody;
use crate::stories;
use serde_json::json;
use sinete_core::time::Lifetime;

stories! {
    async fn a_key_is_shown_once_works_and_is_revoked_at_once(world: &World) {
        let acme = world.tenant("acme").await;
        let owner = world.owner(&acme).await;
        let wanted = json!({"membership": owner.membership, "name": "nightly", "scope": "members:read"});
        let issued = owner.post(&acme.path("/api-keys"), wanted).await.is(201);
        let (id, secret) = (issued.text_of("id"), issued.text_of("secret"));
        let key = Somebody { secret: secret.clone(), ..owner.clone() };
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
        let member = world.member(&acme, &["member"]).await;
        let key = |membership, scope: &str| json!({"membership": membership, "name": "k", "scope": scope});
        let path = acme.path("/api-keys");
        owner.post(&path, key(member, "organization:read")).await.is(201);
        owner.post(&path, key(member, "organization:read members:read")).await.refused(400, "invalid_scope");
        let narrow = world.key(&acme, owner.membership, "api_keys:manage members:read").await;
        narrow.post(&path, key(owner.membership, "members:read")).await.is(201);
        narrow.post(&path, key(owner.membership, "members:read roles:read")).await.refused(400, "invalid_scope");
        for scope in ["organizations:administer", "instance:read", "openid"] {
            let refused = owner.post(&path, key(owner.membership, scope)).await;
            assert!([400, 422].contains(&refused.status), "{scope}: {}", refused.text);
        }
    }

    async fn a_key_has_a_holder_a_name_a_scope_and_an_end(world: &World) {
        let acme = world.tenant("acme").await;
        let owner = world.owner(&acme).await;
        let path = acme.path("/api-keys");
        let faulty = json!({"membership": "x", "name": "", "scope": "*:*", "lifetime_seconds": 31536001, "more": 1});
        let refused = owner.post(&path, faulty).await.refused(422, "unprocessable");
        assert_eq!(refused.faults(), ["/lifetime_seconds", "/more", "/name"]);
        let faulty = json!({"membership": "x", "name": "k", "scope": "*:*"});
        assert_eq!(owner.post(&path, faulty).await.is(422).faults(), ["/membership", "/scope"]);
        let nobody = json!({"membership": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071", "name": "k", "scope": "members:read"});
        owner.post(&path, nobody).await.refused(404, "not_found");

        let short = json!({"membership": owner.membership, "name": "k", "scope": "members:read", "lifetime_seconds": 60});
        let issued = owner.post(&path, short).await.is(201);
        let key = Somebody { secret: issued.text_of("secret"), ..owner.clone() };
        key.get(&acme.path("/members")).await.is(200);
        world.clock.pass(Lifetime::from_seconds(60));
        key.get(&acme.path("/members")).await.refused(401, "invalid_token");
    }

    async fn a_key_is_revoked_even_while_the_organization_is_suspended(world: &World) {
        let (acme, operator) = (world.tenant("acme").await, world.operator().await);
        let owner = world.owner(&acme).await;
        let wanted = json!({"membership": owner.membership, "name": "leaked", "scope": "members:read"});
        let issued = owner.post(&acme.path("/api-keys"), wanted).await.is(201);
        world.assign(&operator, &acme, "abuse").await;
        operator.post(&acme.path("/suspend"), json!({"reason": "abuse"})).await.is(200);
        let key = Somebody { secret: issued.text_of("secret"), ..owner.clone() };
        key.get(&acme.path("/members")).await.is(200);
        owner.delete(&acme.path(&format!("/api-keys/{}", issued.text_of("id"))), None).await.is(204);
        key.get(&acme.path("/members")).await.refused(401, "invalid_token");
    }
}
