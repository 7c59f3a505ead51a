//! The requests that Okta documents for its SCIM 2.0 applications: look for the user, create, update with `PUT`,
//! deactivate with `PUT` or `PATCH`, and push groups.

use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::scim_client::{GROUPS, USERS};
use crate::harness::world::World;
use serde_json::{Value, json};

both_engines!(
    scim_user_of_okta_is_created_updated_and_deactivated,
    scim_user_of_okta_is_deactivated_by_put_and_reactivated,
    scim_password_of_okta_is_ignored_and_not_stored,
    scim_group_of_okta_is_pushed
);

fn user(name: &str) -> Value {
    json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"],
        "userName": format!("{name}@acme.example"),
        "name": {"givenName": "Test", "familyName": "User"},
        "emails": [{"primary": true, "value": format!("{name}@acme.example"), "type": "work"}],
        "displayName": "Test User", "locale": "en-US", "externalId": format!("00u-{name}"),
        "groups": [], "password": "1mz050nq", "active": true,
    })
}

async fn create(directory: &ApiCaller<'_>, name: &str) -> String {
    directory.post(USERS, user(name)).await.assert_status(201).text_member("id")
}

async fn scim_user_of_okta_is_created_updated_and_deactivated(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    directory.get(&format!("{USERS}?startIndex=1&count=2")).await.assert_status(200);
    let probe = r#"userName eq "ana@acme.example""#;
    assert_eq!(directory.scim_filter(USERS, probe).await.assert_status(200).body["totalResults"], 0);
    let id = create(&directory, "ana").await;
    let path = format!("{USERS}/{id}");
    directory.post(USERS, user("ana")).await.assert_scim_error(409, "uniqueness");
    // Okta reads the user, changes it and sends it back whole.
    let mut full_user = directory.get(&path).await.assert_status(200).body;
    full_user["name"]["givenName"] = json!("Another");
    full_user["photos"] = json!([{"type": "photo", "value": "https://acme.example/ana.png"}]);
    full_user["entitlements"] = json!([{"value": "seat", "display": "Seat", "primary": true}]);
    full_user["ims"] = json!([{"type": "xmpp", "value": "ana@chat.acme.example"}]);
    let changed = directory.scim_put(&path, full_user.clone()).await.assert_status(200);
    for name in ["name", "photos", "entitlements", "ims", "emails"] {
        assert_eq!(changed.body[name], full_user[name], "{name}");
    }
    let off = directory
        .scim_patch(&path, json!([{"op": "replace", "value": {"active": false}}]))
        .await
        .assert_status(200);
    assert_eq!(off.body["active"], false);
    let response = directory.scim_filter(USERS, probe).await.assert_status(200);
    assert_eq!(response.body["Resources"][0]["active"], false);
    let missing = format!("{USERS}/01936f5e-7c2a-7def-8a1b-2c3d4e5f6073");
    directory.get(&missing).await.assert_scim_error(404, "");
}

async fn scim_user_of_okta_is_deactivated_by_put_and_reactivated(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let path = format!("{USERS}/{}", create(&directory, "ana").await);
    for active in [false, true] {
        let mut full_user = user("ana");
        full_user["active"] = json!(active);
        let changed = directory.scim_put(&path, full_user).await.assert_status(200);
        assert_eq!(changed.body["active"], active);
    }
    // An update that does not mention `active` neither disables nor enables.
    directory
        .scim_patch(&path, json!([{"op": "replace", "value": {"active": false}}]))
        .await
        .assert_status(200);
    let mut full_user = user("ana");
    full_user.as_object_mut().unwrap().remove("active");
    assert_eq!(directory.scim_put(&path, full_user).await.assert_status(200).body["active"], false);
}

async fn scim_password_of_okta_is_ignored_and_not_stored(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let path = format!("{USERS}/{}", create(&directory, "ana").await);
    let sync = json!([{"op": "replace", "value": {"password": "kettle-4711"}}]);
    directory.scim_patch(&path, sync).await.assert_status(200);
    let by_path = json!([{"op": "replace", "path": "password", "value": "kettle-4711"}]);
    directory.scim_patch(&path, by_path).await.assert_status(200);
    let mut full_user = user("ana");
    full_user["password"] = json!("kettle-4711");
    directory.scim_put(&path, full_user).await.assert_status(200);
    let stored = format!("{:?}", world.dump_database().await);
    assert!(!stored.contains("kettle-4711") && !stored.contains("1mz050nq"));
    assert!(!directory.get(&path).await.text.contains("password"));
}

async fn scim_group_of_okta_is_pushed(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let (ana, rui) = (create(&directory, "ana").await, create(&directory, "rui").await);
    let group = json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "displayName": "Test SCIMv2",
        "members": [{"value": ana, "display": "ana@acme.example"}],
    });
    let response = directory.post(GROUPS, group).await.assert_status(201);
    let id = response.text_member("id");
    let path = format!("{GROUPS}/{id}");
    let members = async || {
        let response = directory.get(&path).await.assert_status(200);
        let members = response.body["members"].as_array().cloned().unwrap_or_default();
        members.iter().map(|it| it["value"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let rename = json!([{"op": "replace", "value": {"id": id, "displayName": "Test SCIMv2 renamed"}}]);
    let renamed = directory.scim_patch(&path, rename).await.assert_status(200);
    assert_eq!(renamed.body["displayName"], "Test SCIMv2 renamed");
    let change = json!([
        {"op": "remove", "path": format!("members[value eq \"{ana}\"]")},
        {"op": "add", "path": "members", "value": [{"value": rui, "display": "rui@acme.example"}]},
    ]);
    directory.scim_patch(&path, change).await.assert_status(200);
    assert_eq!(members().await, std::slice::from_ref(&rui));
    let replace = json!([{"op": "replace", "path": "members", "value": [{"value": ana, "display": "ana"}]}]);
    directory.scim_patch(&path, replace).await.assert_status(200);
    assert_eq!(members().await, [ana]);
    directory.delete(&path, None).await.assert_status(204);
    directory.get(&path).await.assert_scim_error(404, "");
}
