//! Idempotency keys: done once, the response repeated, and a secret still shown once.

use crate::both_engines;
use crate::harness::organizations::OWNER_SCOPE;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::limits::IDEMPOTENCY_LIFETIME;

both_engines!(
    idempotency_key_repeated_returns_the_same_response_and_creates_once,
    idempotency_key_belongs_to_its_caller_and_one_day,
    idempotency_key_is_not_used_up_by_a_refused_request,
    idempotency_key_repeated_does_not_return_the_secret_again,
    idempotency_key_creates_one_organization,
    idempotency_key_raced_by_sixteen_creates_once,
    idempotency_key_is_not_answered_after_losing_permission
);

async fn idempotency_key_repeated_returns_the_same_response_and_creates_once(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let new_role = json!({"name": "clerk"});
    let first = owner
        .post_with_idempotency_key(&acme.path("/roles"), "k1", new_role.clone())
        .await
        .assert_status(201);
    let second_response = owner
        .post_with_idempotency_key(&acme.path("/roles"), "k1", new_role.clone())
        .await
        .assert_status(201);
    assert_eq!(
        (&first.text, &first.headers["location"], &first.headers["etag"]),
        (&second_response.text, &second_response.headers["location"], &second_response.headers["etag"])
    );
    owner
        .post_with_idempotency_key(&acme.path("/roles"), "k1", json!({"name": "other"}))
        .await
        .assert_problem(422, "unprocessable");
    owner
        .post_with_idempotency_key(&acme.path("/roles"), "k2", new_role.clone())
        .await
        .assert_problem(409, "conflict");
    let path = acme.path(&format!("/roles/{}", first.text_member("id")));
    owner.patch(&path, 1, json!({"description": "changed since"})).await.assert_status(200);
    assert_eq!(
        owner.post_with_idempotency_key(&acme.path("/roles"), "k1", new_role).await.assert_status(201).text,
        first.text
    );
    assert_eq!(
        owner.get(&acme.path("/roles")).await.assert_status(200).body["items"].as_array().unwrap().len(),
        4
    );
}

async fn idempotency_key_belongs_to_its_caller_and_one_day(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let twin = world.create_api_key_caller(&acme, owner.membership, OWNER_SCOPE).await;
    let clerk = json!({"name": "clerk"});
    owner.post_with_idempotency_key(&acme.path("/roles"), "k", clerk.clone()).await.assert_status(201);
    twin.post_with_idempotency_key(&acme.path("/roles"), "k", clerk.clone())
        .await
        .assert_problem(409, "conflict");
    twin.post_with_idempotency_key(&acme.path("/roles"), "k", json!({"name": "porter"}))
        .await
        .assert_status(201);
    world.clock.advance(IDEMPOTENCY_LIFETIME);
    owner
        .post_with_idempotency_key(&acme.path("/roles"), "k", json!({"name": "guard"}))
        .await
        .assert_status(201);
    for key in ["", " ", "a b", "é", &"k".repeat(256)] {
        let refused = owner.post_with_idempotency_key(&acme.path("/roles"), key, clerk.clone()).await;
        refused.assert_problem(400, "invalid_request");
    }
    owner
        .post_with_idempotency_key(&acme.path("/roles"), &"k".repeat(255), json!({"name": "last"}))
        .await
        .assert_status(201);
}

async fn idempotency_key_is_not_used_up_by_a_refused_request(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    owner
        .post_with_idempotency_key(&acme.path("/roles"), "k", json!({"name": "owner"}))
        .await
        .assert_problem(409, "conflict");
    owner
        .post_with_idempotency_key(&acme.path("/roles"), "k", json!({"name": "Bad"}))
        .await
        .assert_problem(422, "unprocessable");
    owner
        .post_with_idempotency_key(&acme.path("/roles"), "k", json!({"name": "good"}))
        .await
        .assert_status(201);
}

async fn idempotency_key_repeated_does_not_return_the_secret_again(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let key_request = json!({"membership": owner.membership, "name": "k", "scope": "members:read"});
    let issued = owner
        .post_with_idempotency_key(&acme.path("/api-keys"), "once", key_request.clone())
        .await
        .assert_status(201);
    let repeated_response = owner
        .post_with_idempotency_key(&acme.path("/api-keys"), "once", key_request)
        .await
        .assert_problem(409, "already_created");
    assert_eq!(repeated_response.body["id"], issued.body["id"]);
    assert!(!repeated_response.text.contains(&issued.text_member("secret")));
    let response = owner.get(&acme.path("/api-keys")).await.assert_status(200);
    assert_eq!(response.body["items"].as_array().unwrap().len(), 2, "the key of the fixture and this one");
}

async fn idempotency_key_creates_one_organization(world: &World) {
    let operator = world.create_operator().await;
    let new_organization = json!({"slug": "acme"});
    let first = operator
        .post_with_idempotency_key("/manage/organizations", "k", new_organization.clone())
        .await
        .assert_status(201);
    let second_response = operator
        .post_with_idempotency_key("/manage/organizations", "k", new_organization)
        .await
        .assert_status(201);
    assert_eq!(first.text, second_response.text);
}

async fn idempotency_key_raced_by_sixteen_creates_once(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    for round in 0..20 {
        let key_request = json!({"membership": owner.membership, "name": "k", "scope": "members:read"});
        let (path, key) = (acme.path("/api-keys"), format!("round {round}").replace(' ', "-"));
        let ask = || owner.post_with_idempotency_key(&path, &key, key_request.clone());
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
        let created_replies: Vec<_> = replies.iter().filter(|reply| reply.status == 201).collect();
        assert_eq!(created_replies.len(), 1, "round {round}");
        for other in replies.iter().filter(|reply| reply.status != 201) {
            assert_eq!(
                (other.status, &other.body["id"]),
                (409, &created_replies[0].body["id"]),
                "{}",
                other.text
            );
        }
        let response = owner.get(&acme.path("/api-keys")).await.assert_status(200);
        assert_eq!(response.body["items"].as_array().unwrap().len(), round + 2, "round {round}");
    }
}

async fn idempotency_key_is_not_answered_after_losing_permission(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let admin = world.create_member(&acme, &["admin"]).await;
    let admin = world.create_api_key_caller(&acme, admin, "roles:manage").await;
    admin
        .post_with_idempotency_key(&acme.path("/roles"), "k", json!({"name": "clerk"}))
        .await
        .assert_status(201);
    let members = owner.get(&acme.path("/roles")).await.assert_status(200);
    let member = members.body["items"].as_array().unwrap().iter().find(|it| it["name"] == "member").unwrap()
        ["id"]
        .clone();
    owner
        .put(&acme.path(&format!("/members/{}/roles", admin.membership)), 1, json!({"roles": [member]}))
        .await
        .assert_status(200);
    admin
        .post_with_idempotency_key(&acme.path("/roles"), "k", json!({"name": "clerk"}))
        .await
        .assert_problem(403, "insufficient_scope");
}
