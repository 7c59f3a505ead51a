//! Requests that are repeated: made once, answered again, and a secret shown once all the same.

use crate::both_engines;
use crate::harness::tenants::OWNERS_SCOPE;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::limits::IDEMPOTENCY_LIFETIME;

both_engines!(
    the_same_request_under_the_same_key_makes_one_thing_and_is_answered_alike,
    a_key_belongs_to_its_caller_and_to_one_day,
    a_refused_request_uses_its_key_not_up,
    a_secret_is_not_shown_again_and_its_id_is,
    an_organization_too_is_made_once,
    of_sixteen_who_send_the_same_at_once_one_makes_it_in_each_of_twenty_rounds,
    whoever_lost_the_permission_is_not_answered_again
);

async fn the_same_request_under_the_same_key_makes_one_thing_and_is_answered_alike(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let wanted = json!({"name": "clerk"});
    let first = owner.post_once(&acme.path("/roles"), "k1", wanted.clone()).await.is(201);
    let again = owner.post_once(&acme.path("/roles"), "k1", wanted.clone()).await.is(201);
    assert_eq!(
        (&first.text, &first.headers["location"], &first.headers["etag"]),
        (&again.text, &again.headers["location"], &again.headers["etag"])
    );
    owner.post_once(&acme.path("/roles"), "k1", json!({"name": "other"})).await.refused(422, "unprocessable");
    owner.post_once(&acme.path("/roles"), "k2", wanted.clone()).await.refused(409, "conflict");
    let path = acme.path(&format!("/roles/{}", first.text_of("id")));
    owner.patch(&path, 1, json!({"description": "changed since"})).await.is(200);
    assert_eq!(owner.post_once(&acme.path("/roles"), "k1", wanted).await.is(201).text, first.text);
    assert_eq!(owner.get(&acme.path("/roles")).await.is(200).body["items"].as_array().unwrap().len(), 4);
}

async fn a_key_belongs_to_its_caller_and_to_one_day(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let twin = world.key(&acme, owner.membership, OWNERS_SCOPE).await;
    let clerk = json!({"name": "clerk"});
    owner.post_once(&acme.path("/roles"), "k", clerk.clone()).await.is(201);
    twin.post_once(&acme.path("/roles"), "k", clerk.clone()).await.refused(409, "conflict");
    twin.post_once(&acme.path("/roles"), "k", json!({"name": "porter"})).await.is(201);
    world.clock.pass(IDEMPOTENCY_LIFETIME);
    owner.post_once(&acme.path("/roles"), "k", json!({"name": "guard"})).await.is(201);
    for key in ["", " ", "a b", "é", &"k".repeat(256)] {
        let refused = owner.post_once(&acme.path("/roles"), key, clerk.clone()).await;
        refused.refused(400, "invalid_request");
    }
    owner.post_once(&acme.path("/roles"), &"k".repeat(255), json!({"name": "last"})).await.is(201);
}

async fn a_refused_request_uses_its_key_not_up(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    owner.post_once(&acme.path("/roles"), "k", json!({"name": "owner"})).await.refused(409, "conflict");
    owner.post_once(&acme.path("/roles"), "k", json!({"name": "Bad"})).await.refused(422, "unprocessable");
    owner.post_once(&acme.path("/roles"), "k", json!({"name": "good"})).await.is(201);
}

async fn a_secret_is_not_shown_again_and_its_id_is(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let wanted = json!({"membership": owner.membership, "name": "k", "scope": "members:read"});
    let issued = owner.post_once(&acme.path("/api-keys"), "once", wanted.clone()).await.is(201);
    let again =
        owner.post_once(&acme.path("/api-keys"), "once", wanted).await.refused(409, "already_created");
    assert_eq!(again.body["id"], issued.body["id"]);
    assert!(!again.text.contains(&issued.text_of("secret")));
    let listed = owner.get(&acme.path("/api-keys")).await.is(200);
    assert_eq!(listed.body["items"].as_array().unwrap().len(), 2, "the story's own and this one");
}

async fn an_organization_too_is_made_once(world: &World) {
    let operator = world.operator().await;
    let wanted = json!({"slug": "acme"});
    let first = operator.post_once("/manage/organizations", "k", wanted.clone()).await.is(201);
    let again = operator.post_once("/manage/organizations", "k", wanted).await.is(201);
    assert_eq!(first.text, again.text);
}

async fn of_sixteen_who_send_the_same_at_once_one_makes_it_in_each_of_twenty_rounds(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    for round in 0..20 {
        let wanted = json!({"membership": owner.membership, "name": "k", "scope": "members:read"});
        let (path, key) = (acme.path("/api-keys"), format!("round {round}").replace(' ', "-"));
        let ask = || owner.post_once(&path, &key, wanted.clone());
        let replies = tokio::join!(
            ask(),
            ask(),
            ask(),
            ask(),
            ask(),
            ask(),
            ask(),
            ask(),
            ask(),
            ask(),
            ask(),
            ask(),
            ask(),
            ask(),
            ask(),
            ask(),
        );
        let (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) = replies;
        let replies = [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p];
        let made: Vec<_> = replies.iter().filter(|reply| reply.status == 201).collect();
        assert_eq!(made.len(), 1, "round {round}");
        for other in replies.iter().filter(|reply| reply.status != 201) {
            assert_eq!((other.status, &other.body["id"]), (409, &made[0].body["id"]), "{}", other.text);
        }
        let listed = owner.get(&acme.path("/api-keys")).await.is(200);
        assert_eq!(listed.body["items"].as_array().unwrap().len(), round + 2, "round {round}");
    }
}

async fn whoever_lost_the_permission_is_not_answered_again(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let admin = world.member(&acme, &["admin"]).await;
    let admin = world.key(&acme, admin, "roles:manage").await;
    admin.post_once(&acme.path("/roles"), "k", json!({"name": "clerk"})).await.is(201);
    let members = owner.get(&acme.path("/roles")).await.is(200);
    let member = members.body["items"].as_array().unwrap().iter().find(|it| it["name"] == "member").unwrap()
        ["id"]
        .clone();
    owner
        .put(&acme.path(&format!("/members/{}/roles", admin.membership)), 1, json!({"roles": [member]}))
        .await
        .is(200);
    admin
        .post_once(&acme.path("/roles"), "k", json!({"name": "clerk"}))
        .await
        .refused(403, "insufficient_scope");
}
