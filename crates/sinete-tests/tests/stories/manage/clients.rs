//! Clients: whose they are, how they prove who they are, how they are stopped.

use crate::both_engines;
use crate::harness::api::ApiCaller;
use crate::harness::world::World;
use serde_json::{Value, json};

fn portal() -> Value {
    json!({"kind": "application", "metadata": {"client_name": "Portal", "redirect_uris": ["https://portal.example/callback"]}})
}

async fn role(somebody: &ApiCaller<'_>, name: &str) -> Value {
    let listed = somebody.get(&somebody.tenant.path("/roles")).await.is(200);
    let items = listed.body["items"].as_array().unwrap();
    items.iter().find(|role| role["name"] == name).unwrap()["id"].clone()
}

both_engines!(
    a_client_is_added_with_a_secret_that_is_shown_once,
    secrets_are_replaced_with_an_overlap_and_revoked_by_name,
    a_client_is_changed_in_parts_stopped_enabled_and_removed,
    every_fault_of_a_client_is_told_with_its_place,
    a_service_carries_roles_its_maker_could_give_and_an_agent_has_an_owner,
    an_operator_adds_clients_for_all_and_vouches_for_any
);

async fn a_client_is_added_with_a_secret_that_is_shown_once(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let made = owner.post(&acme.path("/clients"), portal()).await.is(201);
    let secret = made.text_of("client_secret");
    let path = acme.path(&format!("/clients/{}", made.text_of("id")));
    assert_eq!(
        (&made.body["origin"], &made.body["verified_at"], made.version()),
        (&json!("organization"), &json!(null), 1)
    );
    for shown in [
        owner.get(&path).await.is(200),
        owner.get(&acme.path("/clients")).await.is(200),
        owner.get(&format!("{path}/secrets")).await.is(200),
    ] {
        assert!(!shown.text.contains(&secret));
    }
    let public = json!({"kind": "application", "metadata": {"client_name": "App", "redirect_uris": ["com.example.app:/callback"], "application_type": "native", "token_endpoint_auth_method": "none"}});
    let public = owner.post(&acme.path("/clients"), public).await.is(201);
    assert!(public.body.get("client_secret").is_none());
    let reader = world.key(&acme, owner.membership, "clients:read").await;
    reader.get(&path).await.is(200);
    reader.post(&acme.path("/clients"), portal()).await.refused(403, "insufficient_scope");
    reader.delete(&path, None).await.refused(403, "insufficient_scope");
}

async fn secrets_are_replaced_with_an_overlap_and_revoked_by_name(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let made = owner.post(&acme.path("/clients"), portal()).await.is(201);
    let path = acme.path(&format!("/clients/{}/secrets", made.text_of("id")));
    let first = owner.get(&path).await.is(200).body["items"][0]["id"].as_str().unwrap().to_owned();
    owner.delete(&format!("{path}/{first}"), None).await.refused(409, "conflict");
    let second = owner.post(&path, json!({"overlap_seconds": 3600})).await.is(201);
    assert!(second.text_of("client_secret").starts_with("sn_cs_"));
    let listed = owner.get(&path).await.is(200);
    assert_eq!(listed.body["items"].as_array().unwrap().len(), 2);
    owner.delete(&format!("{path}/{first}"), None).await.is(204);
    owner.delete(&format!("{path}/{first}"), None).await.refused(404, "not_found");
    owner.post(&path, json!({"overlap_seconds": 604801})).await.refused(422, "unprocessable");
    let again = owner.post_once(&path, "k", json!({})).await.is(201);
    let repeated = owner.post_once(&path, "k", json!({})).await.refused(409, "already_created");
    assert_eq!(repeated.body["id"], again.body["id"]);
}

async fn a_client_is_changed_in_parts_stopped_enabled_and_removed(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let made = owner.post(&acme.path("/clients"), portal()).await.is(201);
    let path = acme.path(&format!("/clients/{}", made.text_of("id")));
    let changed = owner
        .patch(
            &path,
            1,
            json!({"purpose": "for customers", "metadata": {"client_uri": "https://portal.example"}}),
        )
        .await
        .is(200);
    assert_eq!(
        (&changed.body["purpose"], &changed.body["metadata"]["client_name"]),
        (&json!("for customers"), &json!("Portal"))
    );
    assert!(changed.body.get("client_secret").is_none());
    let changed = owner
        .patch(&path, 2, json!({"metadata": {"client_uri": null, "token_endpoint_auth_method": "none"}}))
        .await
        .is(200);
    assert!(changed.body["metadata"].get("client_uri").is_none());
    assert_eq!(owner.get(&format!("{path}/secrets")).await.is(200).body["items"], json!([]));
    let changed =
        owner.patch(&path, 3, json!({"metadata": {"token_endpoint_auth_method": null}})).await.is(200);
    assert!(changed.text_of("client_secret").starts_with("sn_cs_"), "it needs one again, and is given one");
    owner.patch(&path, 1, json!({})).await.refused(412, "precondition_failed");
    assert_eq!(
        owner.post(&format!("{path}/disable"), json!(null)).await.is(200).body["condition"],
        "suspended"
    );
    assert_eq!(owner.post(&format!("{path}/enable"), json!(null)).await.is(200).body["condition"], "enabled");
    owner.delete(&path, None).await.is(204);
    owner.get(&path).await.refused(404, "not_found");
}

async fn every_fault_of_a_client_is_told_with_its_place(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let faults = async |body: Value| {
        owner.post(&acme.path("/clients"), body).await.refused(422, "unprocessable").faults()
    };
    let metadata = json!({"client_name": "x", "redirect_uris": ["https://a.example/*", "http://evil.example/", "https://ok.example/"], "scope": "*:*"});
    assert_eq!(
        faults(json!({"kind": "application", "metadata": metadata, "roles": ["x"], "owner": "y"})).await,
        ["/owner", "/roles/0", "/metadata/redirect_uris/1", "/metadata/scope"].map(str::to_owned)
    );
    let metadata = json!({"client_name": "x", "grant_types": ["password"], "css": "x", "jwks_uri": 1});
    assert_eq!(
        faults(json!({"kind": "robot", "metadata": metadata})).await,
        ["/kind", "/metadata/css", "/metadata/grant_types/0", "/metadata/jwks_uri"]
    );
    let metadata =
        json!({"client_name": "x", "redirect_uris": ["https://x.example/"], "scope": "members:read"});
    assert_eq!(
        faults(json!({"kind": "application", "metadata": metadata, "id": "mine", "verified": true})).await,
        ["/id", "/verified"]
    );
    let metadata =
        json!({"client_name": "x", "redirect_uris": ["https://x.example/"], "scope": "members:read"});
    assert_eq!(faults(json!({"kind": "application", "metadata": metadata})).await, ["/metadata/scope"]);
}

async fn a_service_carries_roles_its_maker_could_give_and_an_agent_has_an_owner(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let metadata = json!({"client_name": "Bot", "grant_types": ["client_credentials"]});
    let service = |role: &Value| json!({"kind": "service", "roles": [role], "metadata": metadata});
    let admin = role(&owner, "admin").await;
    let made = owner.post(&acme.path("/clients"), service(&admin)).await.is(201);
    assert_eq!(made.body["roles"][0]["name"], "admin");
    let member = owner.get(&acme.path(&format!("/members/{}", made.text_of("membership")))).await.is(200);
    assert_eq!((&member.body["kind"], &member.body["client_id"]), (&json!("machine"), &made.body["id"]));
    let narrow = world.key(&acme, owner.membership, "clients:create clients:read roles:read").await;
    narrow.post(&acme.path("/clients"), service(&admin)).await.refused(403, "insufficient_scope");

    let metadata = json!({"client_name": "Helper", "redirect_uris": ["https://helper.example/callback"]});
    let agent =
        json!({"kind": "agent", "purpose": "answers mail", "owner": owner.membership, "metadata": metadata});
    owner.post(&acme.path("/clients"), agent.clone()).await.is(201);
    narrow.post(&acme.path("/clients"), agent.clone()).await.refused(403, "insufficient_scope");
    let agents = world.key(&acme, owner.membership, "agents:manage").await;
    agents.post(&acme.path("/clients"), agent).await.is(201);
    agents.post(&acme.path("/clients"), portal()).await.refused(403, "insufficient_scope");
}

async fn an_operator_adds_clients_for_all_and_vouches_for_any(world: &World) {
    let (acme, operator) = (world.tenant("acme").await, world.operator().await);
    let owner = world.owner(&acme).await;
    let mut chosen = portal();
    chosen["id"] = json!("billing-portal");
    let made = operator.post("/manage/clients", chosen.clone()).await.is(201);
    assert_eq!((&made.body["id"], &made.body["origin"]), (&json!("billing-portal"), &json!("operator")));
    operator.post("/manage/clients", chosen).await.refused(409, "conflict");
    owner.get(&acme.path("/clients/billing-portal")).await.refused(404, "not_found");
    assert_eq!(operator.get("/manage/clients").await.is(200).body["items"].as_array().unwrap().len(), 1);
    assert_eq!(operator.get("/manage/clients?origin=self").await.is(200).body["items"], json!([]));
    operator.get("/manage/clients?origin=mars").await.refused(400, "invalid_request");

    let theirs = owner.post(&acme.path("/clients"), portal()).await.is(201).text_of("id");
    let path = format!("/manage/clients/{theirs}");
    assert_eq!(operator.get(&path).await.is(200).body["verified_at"], json!(null));
    let verified = operator.post(&format!("{path}/verification"), json!(null)).await.is(200);
    assert!(verified.body["verified_at"].is_string());
    assert_eq!(
        operator.delete(&format!("{path}/verification"), None).await.is(200).body["verified_at"],
        json!(null)
    );
    owner.post(&format!("{path}/verification"), json!(null)).await.refused(403, "insufficient_scope");
    operator
        .patch(&path, verified.version() + 1, json!({"purpose": "mine now"}))
        .await
        .refused(404, "not_found");
    let trail = owner.get(&acme.path("/audit?kind=client.verified")).await.is(200);
    assert_eq!(trail.body["items"].as_array().unwrap().len(), 2);
}
