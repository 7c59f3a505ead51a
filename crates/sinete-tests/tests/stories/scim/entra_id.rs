//! The requests that Microsoft documents for the provisioning service of Entra ID, in their order: look for the user,
//! create, patch, assign a manager, disable, and change groups.

use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::scim_client::{GROUPS, USERS};
use crate::harness::world::World;
use serde_json::{Value, json};

const ENTERPRISE: &str = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
/// The object id of a user in the directory, which is the id of no user here.
const OBJECT_ID: &str = "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef";

both_engines!(
    scim_user_of_entra_id_is_created_patched_and_disabled,
    scim_user_of_entra_id_keeps_its_app_roles_and_they_grant_nothing,
    scim_manager_of_entra_id_is_a_user_or_a_text,
    scim_group_of_entra_id_is_created_filled_renamed_and_deleted
);

fn user(name: &str, external_id: &str) -> Value {
    json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User", ENTERPRISE],
        "externalId": external_id, "userName": format!("{name}@acme.example"), "active": true,
        "emails": [{"primary": true, "type": "work", "value": format!("{name}@acme.example")}],
        "meta": {"resourceType": "User"},
        "name": {"formatted": "givenName familyName", "familyName": "familyName", "givenName": "givenName"},
        "roles": [],
    })
}

async fn create(directory: &ApiCaller<'_>, name: &str, external_id: &str) -> String {
    directory.post(USERS, user(name, external_id)).await.assert_status(201).text_member("id")
}

async fn scim_user_of_entra_id_is_created_patched_and_disabled(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let probe = format!("userName eq \"{OBJECT_ID}\"");
    assert_eq!(directory.scim_filter(USERS, &probe).await.assert_status(200).body["totalResults"], 0);
    let id = create(&directory, "ana", OBJECT_ID).await;
    let path = format!("{USERS}/{id}");
    let response = directory.scim_filter(USERS, &format!("externalId eq \"{OBJECT_ID}\"")).await;
    assert_eq!(response.assert_status(200).listed_ids(), std::slice::from_ref(&id));
    let changed = directory
        .scim_patch(
            &path,
            json!([
                {"op": "Replace", "path": "emails[type eq \"work\"].value", "value": "updated@acme.example"},
                {"op": "Replace", "path": "name.familyName", "value": "updatedFamilyName"},
                {"op": "Add", "path": "phoneNumbers[type eq \"mobile\"].value", "value": "+1 425 555 0100"},
                {"op": "Add", "path": "addresses[type eq \"work\"].country", "value": "BR"},
                {"op": "Add", "path": format!("{ENTERPRISE}:department"), "value": "Livros"},
                {"op": "Replace", "path": "displayName", "value": "Ana Souza"},
                {"op": "Add", "path": "preferredLanguage", "value": "pt-BR"},
                {"op": "Replace", "path": "active", "value": "True"},
            ]),
        )
        .await
        .assert_status(200);
    assert_eq!(changed.body["emails"][0]["value"], "updated@acme.example");
    assert_eq!(changed.body["name"]["familyName"], "updatedFamilyName");
    assert_eq!(changed.body["phoneNumbers"], json!([{"type": "mobile", "value": "+1 425 555 0100"}]));
    assert_eq!(changed.body[ENTERPRISE], json!({"department": "Livros"}));
    assert_eq!(changed.body["active"], true);
    // A mapped attribute that is emptied in the directory is removed.
    let emptied = directory
        .scim_patch(
            &path,
            json!([
                {"op": "Remove", "path": "phoneNumbers[type eq \"mobile\"].value"},
                {"op": "Remove", "path": format!("{ENTERPRISE}:department")},
                {"op": "Remove", "path": "displayName"},
            ]),
        )
        .await
        .assert_status(200);
    for name in ["phoneNumbers", ENTERPRISE, "displayName"] {
        assert!(emptied.body[name].is_null(), "{}", emptied.text);
    }
    let disabled =
        directory.scim_patch(&path, json!([{"op": "Replace", "path": "active", "value": "False"}])).await;
    assert_eq!(disabled.assert_status(200).body["active"], false);
    let maybe = json!([{"op": "Replace", "path": "active", "value": "Maybe"}]);
    directory.scim_patch(&path, maybe).await.assert_scim_error(400, "invalidValue");
    directory.delete(&path, None).await.assert_status(204);
    directory.get(&path).await.assert_scim_error(404, "");
}

async fn scim_user_of_entra_id_keeps_its_app_roles_and_they_grant_nothing(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let path = format!("{USERS}/{}", create(&directory, "ana", OBJECT_ID).await);
    let app_role = r#"{"id":"06b07648-ecfe-589f-9d2f-6325724a46ee","value":"owner","displayName":"Owner of everything"}"#;
    // SingleAppRoleAssignment and AppRoleAssignmentsComplex.
    let single = json!([{"op": "Add", "path": "roles[primary eq \"True\"].value", "value": app_role}]);
    let response = directory.scim_patch(&path, single).await.assert_status(200);
    assert_eq!(response.body["roles"], json!([{"primary": true, "value": app_role}]));
    let multiple_roles = json!([{"op": "Add", "path": "roles", "value": [
        {"value": "owner", "display": "Owner", "type": "WindowsAzureActiveDirectoryRole", "primary": false}]}]);
    let response = directory.scim_patch(&path, multiple_roles).await.assert_status(200);
    assert_eq!(response.body["roles"].as_array().unwrap().len(), 2);
    let groups = response.body["groups"].as_array().unwrap();
    assert_eq!((groups.len(), &groups[0]["display"]), (1, &json!("member")), "{}", response.text);
    // An assigned role is a group, which this client must not fill.
    let owners = directory.scim_filter(GROUPS, r#"displayName eq "owner""#).await.listed_ids().remove(0);
    let id = response.text_member("id");
    let add = json!([{"op": "Add", "path": "members", "value": [{"value": id}]}]);
    directory.scim_patch(&format!("{GROUPS}/{owners}"), add).await.assert_scim_error(403, "");
}

async fn scim_manager_of_entra_id_is_a_user_or_a_text(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let ana = create(&directory, "ana", OBJECT_ID).await;
    let rui = create(&directory, "rui", "2819c223-7f76-453a-919d-413861904646").await;
    let path = format!("{USERS}/{ana}");
    let manager = format!("{ENTERPRISE}:manager");
    let assign = |value: Value| json!([{"op": "Add", "path": manager, "value": value}]);
    let assigned = directory.scim_patch(&path, assign(json!(rui))).await.assert_status(200);
    let location = format!("{}{USERS}/{rui}", world.issuer());
    assert_eq!(assigned.body[ENTERPRISE]["manager"], json!({"value": rui, "$ref": location}));
    assert_eq!(directory.get(&path).await.assert_status(200).body, assigned.body);
    let response = directory.scim_filter(USERS, r#"userName eq "ana@acme.example""#).await.assert_status(200);
    assert_eq!(response.body["Resources"][0][ENTERPRISE]["manager"]["$ref"], location);
    // A manager whom the directory does not provision is named by its own id, or by anything else.
    for text in
        ["58342554-38d6-4ec8-948c-50044d0a33fd", "CN=Boss,OU=People", "01936f5e-7c2a-7def-8a1b-2c3d4e5f6073"]
    {
        let response = directory.scim_patch(&path, assign(json!([{"$ref": null, "value": text}]))).await;
        assert_eq!(response.assert_status(200).body[ENTERPRISE]["manager"], json!({"value": text}));
    }
    let replaced = json!([{"op": "Replace", "path": manager, "value": {"value": "boss"}}]);
    let response = directory.scim_patch(&path, replaced).await.assert_status(200);
    assert_eq!(response.body[ENTERPRISE]["manager"], json!({"value": "boss"}));
    let long = directory.scim_patch(&path, assign(json!("x".repeat(201)))).await;
    long.assert_scim_error(400, "invalidValue");
    let gone =
        directory.scim_patch(&path, json!([{"op": "Remove", "path": manager}])).await.assert_status(200);
    assert!(gone.body[ENTERPRISE].is_null(), "{}", gone.text);
}

async fn scim_group_of_entra_id_is_created_filled_renamed_and_deleted(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let (ana, rui) =
        (create(&directory, "ana", OBJECT_ID).await, create(&directory, "rui", "another-object-id").await);
    assert_eq!(
        directory.scim_filter(GROUPS, r#"displayName eq "Books""#).await.assert_status(200).body["totalResults"],
        0
    );
    let group = json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group",
            "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
        "externalId": "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159", "displayName": "Books", "meta": {"resourceType": "Group"},
    });
    let response = directory.post(GROUPS, group).await.assert_status(201);
    let path = format!("{GROUPS}/{}", response.text_member("id"));
    let without_members =
        directory.get(&format!("{path}?excludedAttributes=members")).await.assert_status(200);
    assert!(without_members.body["members"].is_null());
    for member in [&ana, &rui] {
        let add = json!([{"op": "Add", "path": "members", "value": [{"$ref": null, "value": member}]}]);
        directory.scim_patch(&path, add).await.assert_status(200);
    }
    let filter = format!("id eq \"{}\" and members eq \"{ana}\"", response.text_member("id"));
    assert_eq!(directory.scim_filter(GROUPS, &filter).await.assert_status(200).body["totalResults"], 1);
    let remove = json!([{"op": "Remove", "path": "members", "value": [{"$ref": null, "value": ana}]}]);
    let patched_group = directory.scim_patch(&path, remove).await.assert_status(200);
    assert_eq!(patched_group.body["members"].as_array().unwrap().len(), 1);
    assert_eq!(patched_group.body["members"][0]["value"], rui);
    let rename = json!([
        {"op": "Replace", "path": "displayName", "value": "Bookkeeping"},
        {"op": "Replace", "path": "description", "value": "not stored"},
    ]);
    assert_eq!(
        directory.scim_patch(&path, rename).await.assert_status(200).body["displayName"],
        "Bookkeeping"
    );
    assert_eq!(world.count_events("scim.attributes_ignored").await, 1);
    let unknown_member = json!([{"op": "Add", "path": "members", "value": [{"value": OBJECT_ID}]}]);
    directory.scim_patch(&path, unknown_member).await.assert_scim_error(404, "");
    directory.delete(&path, None).await.assert_status(204);
}
