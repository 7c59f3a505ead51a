//! API keys: shown once, limited by the owner's permissions, revoked at once.

use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;

fn key(membership: &str, scope: &str) -> Value {
    json!({"membership": membership, "name": "k", "scope": scope})
}

/// Creates a service with this role and returns its membership.
async fn service(owner: &ApiCaller<'_>, role: &str) -> String {
    let response = owner.get(&owner.tenant.path("/roles")).await.assert_status(200);
    let roles = response.body["items"].as_array().unwrap();
    let role = roles.iter().find(|it| it["name"] == role).unwrap()["id"].clone();
    let metadata = json!({"client_name": "Bot", "grant_types": ["client_credentials"]});
    let new_client = json!({"kind": "service", "roles": [role], "metadata": metadata});
    owner.post(&owner.tenant.path("/clients"), new_client).await.assert_status(201).text_member("membership")
}

both_engines!(
    api_key_is_returned_once_works_and_is_revoked_at_once,
    api_key_permissions_are_limited_to_holder_and_issuer,
    insufficient_scope_error_names_the_permission_and_whether_scope_or_roles_lack_it,
    api_key_for_another_user_is_refused,
    api_key_of_an_owner_service_is_issued_only_by_owners,
    api_key_needs_holder_name_scope_and_expiry,
    api_key_is_not_a_session_and_has_its_last_use,
    api_key_is_revoked_even_while_the_organization_is_suspended
);

async fn api_key_is_returned_once_works_and_is_revoked_at_once(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let key_request = json!({"membership": owner.membership, "name": "nightly", "scope": "members:read"});
    let issued = owner.post(&acme.path("/api-keys"), key_request).await.assert_status(201);
    let (id, secret) = (issued.text_member("id"), issued.text_member("secret"));
    let key = ApiCaller { secret: secret.clone(), ..owner.clone() };
    key.get(&acme.path("/members")).await.assert_status(200);
    key.get(&acme.path("/roles")).await.assert_problem(403, "insufficient_scope");

    let path = acme.path(&format!("/api-keys/{id}"));
    for response in [
        owner.get(&path).await.assert_status(200),
        owner.get(&acme.path("/api-keys")).await.assert_status(200),
    ] {
        assert!(!response.text.contains(&secret) && response.text.contains(&id));
    }
    owner.delete(&path, None).await.assert_status(204);
    key.get(&acme.path("/members")).await.assert_problem(401, "invalid_token");
    owner.delete(&path, None).await.assert_status(204);
    assert!(owner.get(&path).await.assert_status(200).body["revoked_at"].is_string());
}

async fn api_key_permissions_are_limited_to_holder_and_issuer(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let service = service(&owner, "member").await;
    let path = acme.path("/api-keys");
    owner.post(&path, key(&service, "organization:read")).await.assert_status(201);
    owner
        .post(&path, key(&service, "organization:read members:read"))
        .await
        .assert_problem(400, "invalid_scope");
    let narrow = world.create_api_key_caller(&acme, owner.membership, "api_keys:manage members:read").await;
    let owner_membership = owner.membership.to_string();
    narrow.post(&path, key(&owner_membership, "members:read")).await.assert_status(201);
    narrow
        .post(&path, key(&owner_membership, "members:read roles:read"))
        .await
        .assert_problem(400, "invalid_scope");
    for scope in ["organizations:administer", "instance:read", "openid"] {
        let refused = owner.post(&path, key(&owner_membership, scope)).await;
        assert!([400, 422].contains(&refused.status), "{scope}: {}", refused.text);
    }
}

async fn insufficient_scope_error_names_the_permission_and_whether_scope_or_roles_lack_it(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let narrow = world.create_api_key_caller(&acme, owner.membership, "members:read").await;
    let service = service(&owner, "member").await;
    let issued = owner.post(&acme.path("/api-keys"), key(&service, "organization:read")).await;
    let member = ApiCaller { secret: issued.assert_status(201).text_member("secret"), ..owner.clone() };
    for (caller, path, expected) in [
        (
            &narrow,
            acme.path("/roles"),
            ("api_key_scope_missing", "The scope of this API key does not contain roles:read."),
        ),
        (
            &member,
            acme.path("/roles"),
            ("permission_missing", "needs the permission roles:read, which none of your roles"),
        ),
        (
            &owner,
            "/manage/accounts".to_owned(),
            ("operator_permission_missing", "accounts:manage in the operators' organization"),
        ),
    ] {
        let refused = caller.get(&path).await.assert_problem(403, "insufficient_scope");
        assert_eq!(refused.body["type"], format!("urn:sinete:problem:{}", expected.0), "{}", refused.text);
        assert!(refused.text_member("detail").contains(expected.1), "{}", refused.text);
    }
    let wrong = json!({"membership": owner.membership, "name": "k", "scope": "openid"});
    let refused = owner.post(&acme.path("/api-keys"), wrong).await.assert_problem(422, "unprocessable");
    assert_eq!(refused.body["errors"][0]["pointer"], "/scope", "{}", refused.text);
    let misspelt = owner.get(&acme.path("/members?limt=5")).await.assert_problem(400, "invalid_request");
    assert!(misspelt.text.contains("the query parameter limt is not a parameter"), "{}", misspelt.text);
}

async fn api_key_for_another_user_is_refused(world: &World) {
    let (acme, operator) = (world.create_organization("acme").await, world.create_operator().await);
    let (owner, other) = (world.create_owner(&acme).await, world.create_owner(&acme).await);
    let path = acme.path("/api-keys");
    let theirs = key(&other.membership.to_string(), "members:read");
    owner.post(&path, theirs.clone()).await.assert_problem(403, "insufficient_scope");
    world.create_assignment(&operator, &acme, "a look").await;
    operator.post(&path, theirs.clone()).await.assert_problem(403, "insufficient_scope");
    other.post(&path, theirs).await.assert_status(201);
}

async fn api_key_of_an_owner_service_is_issued_only_by_owners(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, other) = (world.create_owner(&acme).await, world.create_owner(&acme).await);
    let machine = service(&owner, "owner").await;
    let admin = world.create_member(&acme, &["admin"]).await;
    let admin =
        world.create_api_key_caller(&acme, admin, "api_keys:manage members:read members:manage").await;
    let path = acme.path("/api-keys");
    admin.post(&path, key(&machine, "members:manage")).await.assert_problem(403, "insufficient_scope");
    let remove = acme.path(&format!("/members/{}", other.membership));
    admin.delete(&remove, None).await.assert_problem(403, "insufficient_scope");
    // A key of an owner without the owner permissions may not do what needs them.
    let issued = owner.post(&path, key(&machine, "members:manage")).await.assert_status(201);
    let narrow = ApiCaller { secret: issued.text_member("secret"), ..owner.clone() };
    narrow.delete(&remove, None).await.assert_problem(403, "insufficient_scope");
    narrow.post(&format!("{remove}/disable"), json!(null)).await.assert_problem(403, "insufficient_scope");
    let issued =
        owner.post(&path, key(&machine, "members:manage organization:delete")).await.assert_status(201);
    let owner_key = ApiCaller { secret: issued.text_member("secret"), ..owner.clone() };
    owner_key.delete(&remove, None).await.assert_status(204);
}

async fn api_key_needs_holder_name_scope_and_expiry(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let path = acme.path("/api-keys");
    let faulty =
        json!({"membership": "x", "name": "", "scope": "*:*", "lifetime_seconds": 31536001, "more": 1});
    let refused = owner.post(&path, faulty).await.assert_problem(422, "unprocessable");
    assert_eq!(refused.fault_pointers(), ["/lifetime_seconds", "/more", "/name"]);
    let faulty = json!({"membership": "x", "name": "k", "scope": "*:*"});
    assert_eq!(
        owner.post(&path, faulty).await.assert_status(422).fault_pointers(),
        ["/membership", "/scope"]
    );
    let unknown_holder =
        json!({"membership": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071", "name": "k", "scope": "members:read"});
    owner.post(&path, unknown_holder).await.assert_problem(404, "not_found");

    let short =
        json!({"membership": owner.membership, "name": "k", "scope": "members:read", "lifetime_seconds": 60});
    let issued = owner.post(&path, short).await.assert_status(201);
    let key = ApiCaller { secret: issued.text_member("secret"), ..owner.clone() };
    key.get(&acme.path("/members")).await.assert_status(200);
    world.clock.advance(Lifetime::from_seconds(60));
    key.get(&acme.path("/members")).await.assert_problem(401, "invalid_token");
}

async fn api_key_is_not_a_session_and_has_its_last_use(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let key_request = json!({"membership": owner.membership, "name": "k", "scope": "members:read"});
    let issued = owner.post(&acme.path("/api-keys"), key_request).await.assert_status(201);
    let (id, secret) = (issued.text_member("id"), issued.text_member("secret"));
    let path = acme.path(&format!("/api-keys/{id}"));
    assert!(owner.get(&path).await.assert_status(200).body["used_at"].is_null());
    for (name, value) in [
        ("authorization", format!("Bearer {secret}")),
        ("authorization", format!("Session {secret}")),
        ("cookie", format!("sinete_session={secret}; __Host-session={secret}")),
    ] {
        for address in ["/account", "/account/sessions", "/account/credentials"] {
            let response =
                world.http.get(world.public_url(address)).header(name, &value).send().await.unwrap();
            assert_eq!(response.status(), 401, "{address} with {name}");
        }
    }
    let userinfo =
        world.http.get(world.public_url("/connect/userinfo")).bearer_auth(&secret).send().await.unwrap();
    assert_eq!(userinfo.status(), 401, "an API key does not identify a user");
    assert!(
        owner.get(&path).await.assert_status(200).body["used_at"].is_null(),
        "refused requests do not count as use"
    );
    let key = ApiCaller { secret: secret.clone(), ..owner.clone() };
    key.get(&acme.path("/members")).await.assert_status(200);
    assert_eq!(
        owner.get(&path).await.assert_status(200).body["used_at"],
        world.server.engine().now().to_string()
    );
    // The checksum of a key detects one wrong character.
    let mut wrong = secret.into_bytes();
    wrong[20] = if wrong[20] == b'A' { b'B' } else { b'A' };
    let wrong = ApiCaller { secret: String::from_utf8(wrong).unwrap(), ..owner.clone() };
    wrong.get(&acme.path("/members")).await.assert_problem(401, "invalid_token");
}

async fn api_key_is_revoked_even_while_the_organization_is_suspended(world: &World) {
    let (acme, operator) = (world.create_organization("acme").await, world.create_operator().await);
    let owner = world.create_owner(&acme).await;
    let key_request = json!({"membership": owner.membership, "name": "leaked", "scope": "members:read"});
    let issued = owner.post(&acme.path("/api-keys"), key_request).await.assert_status(201);
    world.create_assignment(&operator, &acme, "abuse").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "abuse"})).await.assert_status(200);
    let key = ApiCaller { secret: issued.text_member("secret"), ..owner.clone() };
    key.get(&acme.path("/members")).await.assert_status(200);
    owner
        .delete(&acme.path(&format!("/api-keys/{}", issued.text_member("id"))), None)
        .await
        .assert_status(204);
    key.get(&acme.path("/members")).await.assert_problem(401, "invalid_token");
}
