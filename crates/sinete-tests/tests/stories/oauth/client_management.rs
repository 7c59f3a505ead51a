//! Clients: their owners, their authentication, and disabling them.

use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::world::World;
use serde_json::{Value, json};

fn portal() -> Value {
    json!({"kind": "application", "metadata": {"client_name": "Portal", "redirect_uris": ["https://portal.example/callback"]}})
}

async fn role(api_caller: &ApiCaller<'_>, name: &str) -> Value {
    let response = api_caller.get(&api_caller.tenant.path("/roles")).await.assert_status(200);
    let items = response.body["items"].as_array().unwrap();
    items.iter().find(|role| role["name"] == name).unwrap()["id"].clone()
}

both_engines!(
    client_is_created_with_a_secret_returned_once,
    client_secrets_are_rotated_with_an_overlap_and_revoked_by_id,
    client_is_patched_disabled_enabled_and_removed,
    client_faults_are_all_reported_with_their_location,
    service_client_roles_are_limited_to_its_creators_and_an_agent_has_an_owner,
    client_of_the_instance_is_created_and_any_client_verified_by_operators
);

async fn client_is_created_with_a_secret_returned_once(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let response = owner.post(&acme.path("/clients"), portal()).await.assert_status(201);
    let secret = response.text_member("client_secret");
    let path = acme.path(&format!("/clients/{}", response.text_member("id")));
    assert_eq!(
        (&response.body["origin"], &response.body["verified_at"], response.version()),
        (&json!("organization"), &json!(null), 1)
    );
    for response in [
        owner.get(&path).await.assert_status(200),
        owner.get(&acme.path("/clients")).await.assert_status(200),
        owner.get(&format!("{path}/secrets")).await.assert_status(200),
    ] {
        assert!(!response.text.contains(&secret));
    }
    let public = json!({"kind": "application", "metadata": {"client_name": "App", "redirect_uris": ["com.example.app:/callback"], "application_type": "native", "token_endpoint_auth_method": "none"}});
    let public = owner.post(&acme.path("/clients"), public).await.assert_status(201);
    assert!(public.body.get("client_secret").is_none());
    let reader = world.create_api_key_caller(&acme, owner.membership, "clients:read").await;
    reader.get(&path).await.assert_status(200);
    reader.post(&acme.path("/clients"), portal()).await.assert_problem(403, "insufficient_scope");
    reader.delete(&path, None).await.assert_problem(403, "insufficient_scope");
}

async fn client_secrets_are_rotated_with_an_overlap_and_revoked_by_id(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let response = owner.post(&acme.path("/clients"), portal()).await.assert_status(201);
    let path = acme.path(&format!("/clients/{}/secrets", response.text_member("id")));
    let first = owner.get(&path).await.assert_status(200).body["items"][0]["id"].as_str().unwrap().to_owned();
    owner.delete(&format!("{path}/{first}"), None).await.assert_problem(409, "conflict");
    let second = owner.post(&path, json!({"overlap_seconds": 3600})).await.assert_status(201);
    assert!(second.text_member("client_secret").starts_with("sn_cs_"));
    let response = owner.get(&path).await.assert_status(200);
    assert_eq!(response.body["items"].as_array().unwrap().len(), 2);
    owner.delete(&format!("{path}/{first}"), None).await.assert_status(204);
    owner.delete(&format!("{path}/{first}"), None).await.assert_problem(404, "not_found");
    owner.post(&path, json!({"overlap_seconds": 604801})).await.assert_problem(422, "unprocessable");
    let second_response = owner.post_with_idempotency_key(&path, "k", json!({})).await.assert_status(201);
    let repeated =
        owner.post_with_idempotency_key(&path, "k", json!({})).await.assert_problem(409, "already_created");
    assert_eq!(repeated.body["id"], second_response.body["id"]);
}

async fn client_is_patched_disabled_enabled_and_removed(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let response = owner.post(&acme.path("/clients"), portal()).await.assert_status(201);
    let path = acme.path(&format!("/clients/{}", response.text_member("id")));
    let changed = owner
        .patch(
            &path,
            1,
            json!({"purpose": "for customers", "metadata": {"client_uri": "https://portal.example"}}),
        )
        .await
        .assert_status(200);
    assert_eq!(
        (&changed.body["purpose"], &changed.body["metadata"]["client_name"]),
        (&json!("for customers"), &json!("Portal"))
    );
    assert!(changed.body.get("client_secret").is_none());
    let changed = owner
        .patch(&path, 2, json!({"metadata": {"client_uri": null, "token_endpoint_auth_method": "none"}}))
        .await
        .assert_status(200);
    assert!(changed.body["metadata"].get("client_uri").is_none());
    assert_eq!(owner.get(&format!("{path}/secrets")).await.assert_status(200).body["items"], json!([]));
    let changed = owner
        .patch(&path, 3, json!({"metadata": {"token_endpoint_auth_method": null}}))
        .await
        .assert_status(200);
    assert!(
        changed.text_member("client_secret").starts_with("sn_cs_"),
        "it needs a secret again and gets one"
    );
    owner.patch(&path, 1, json!({})).await.assert_problem(412, "precondition_failed");
    assert_eq!(
        owner.post(&format!("{path}/disable"), json!(null)).await.assert_status(200).body["condition"],
        "suspended"
    );
    assert_eq!(
        owner.post(&format!("{path}/enable"), json!(null)).await.assert_status(200).body["condition"],
        "enabled"
    );
    owner.delete(&path, None).await.assert_status(204);
    owner.get(&path).await.assert_problem(404, "not_found");
}

async fn client_faults_are_all_reported_with_their_location(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let list_faults = async |body: Value| {
        owner.post(&acme.path("/clients"), body).await.assert_problem(422, "unprocessable").fault_pointers()
    };
    let metadata = json!({"client_name": "x", "redirect_uris": ["https://a.example/*", "http://evil.example/", "https://ok.example/"], "scope": "*:*"});
    assert_eq!(
        list_faults(json!({"kind": "application", "metadata": metadata, "roles": ["x"], "owner": "y"})).await,
        ["/owner", "/roles/0", "/metadata/redirect_uris/1", "/metadata/scope"].map(str::to_owned)
    );
    let metadata = json!({"client_name": "x", "grant_types": ["password"], "css": "x", "jwks_uri": 1});
    assert_eq!(
        list_faults(json!({"kind": "robot", "metadata": metadata})).await,
        ["/kind", "/metadata/css", "/metadata/grant_types/0", "/metadata/jwks_uri"]
    );
    let metadata =
        json!({"client_name": "x", "redirect_uris": ["https://x.example/"], "scope": "members:read"});
    assert_eq!(
        list_faults(json!({"kind": "application", "metadata": metadata, "id": "mine", "verified": true}))
            .await,
        ["/id", "/verified"]
    );
    let metadata =
        json!({"client_name": "x", "redirect_uris": ["https://x.example/"], "scope": "members:read"});
    assert_eq!(list_faults(json!({"kind": "application", "metadata": metadata})).await, ["/metadata/scope"]);
}

async fn service_client_roles_are_limited_to_its_creators_and_an_agent_has_an_owner(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let metadata = json!({"client_name": "Bot", "grant_types": ["client_credentials"]});
    let service = |role: &Value| json!({"kind": "service", "roles": [role], "metadata": metadata});
    let admin = role(&owner, "admin").await;
    let response = owner.post(&acme.path("/clients"), service(&admin)).await.assert_status(201);
    assert_eq!(response.body["roles"][0]["name"], "admin");
    let member = owner
        .get(&acme.path(&format!("/members/{}", response.text_member("membership"))))
        .await
        .assert_status(200);
    assert_eq!((&member.body["kind"], &member.body["client_id"]), (&json!("machine"), &response.body["id"]));
    let narrow =
        world.create_api_key_caller(&acme, owner.membership, "clients:create clients:read roles:read").await;
    narrow.post(&acme.path("/clients"), service(&admin)).await.assert_problem(403, "insufficient_scope");

    let metadata = json!({"client_name": "Helper", "redirect_uris": ["https://helper.example/callback"]});
    let agent =
        json!({"kind": "agent", "purpose": "answers mail", "owner": owner.membership, "metadata": metadata});
    owner.post(&acme.path("/clients"), agent.clone()).await.assert_status(201);
    narrow.post(&acme.path("/clients"), agent.clone()).await.assert_problem(403, "insufficient_scope");
    let agents = world.create_api_key_caller(&acme, owner.membership, "agents:manage").await;
    agents.post(&acme.path("/clients"), agent).await.assert_status(201);
    agents.post(&acme.path("/clients"), portal()).await.assert_problem(403, "insufficient_scope");
}

async fn client_of_the_instance_is_created_and_any_client_verified_by_operators(world: &World) {
    let (acme, operator) = (world.create_organization("acme").await, world.create_operator().await);
    let owner = world.create_owner(&acme).await;
    let mut client_body = portal();
    client_body["id"] = json!("billing-portal");
    let response = operator.post("/manage/clients", client_body.clone()).await.assert_status(201);
    assert_eq!(
        (&response.body["id"], &response.body["origin"]),
        (&json!("billing-portal"), &json!("operator"))
    );
    operator.post("/manage/clients", client_body).await.assert_problem(409, "conflict");
    owner.get(&acme.path("/clients/billing-portal")).await.assert_problem(404, "not_found");
    assert_eq!(
        operator.get("/manage/clients").await.assert_status(200).body["items"].as_array().unwrap().len(),
        1
    );
    assert_eq!(operator.get("/manage/clients?origin=self").await.assert_status(200).body["items"], json!([]));
    operator.get("/manage/clients?origin=mars").await.assert_problem(400, "invalid_request");

    let theirs = owner.post(&acme.path("/clients"), portal()).await.assert_status(201).text_member("id");
    let path = format!("/manage/clients/{theirs}");
    assert_eq!(operator.get(&path).await.assert_status(200).body["verified_at"], json!(null));
    let verified = operator.post(&format!("{path}/verification"), json!(null)).await.assert_status(200);
    assert!(verified.body["verified_at"].is_string());
    assert_eq!(
        operator.delete(&format!("{path}/verification"), None).await.assert_status(200).body["verified_at"],
        json!(null)
    );
    owner.post(&format!("{path}/verification"), json!(null)).await.assert_problem(403, "insufficient_scope");
    operator
        .patch(&path, verified.version() + 1, json!({"purpose": "mine now"}))
        .await
        .assert_problem(404, "not_found");
    let audit_log = owner.get(&acme.path("/audit?kind=client.verified")).await.assert_status(200);
    assert_eq!(audit_log.body["items"].as_array().unwrap().len(), 2);
}
