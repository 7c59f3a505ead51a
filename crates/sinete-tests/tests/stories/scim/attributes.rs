//! Attributes beside the known ones: extensions that the organization registered, unknown attributes in a patch, and
//! what a removed `active` means.

use crate::both_engines;
use crate::harness::api_caller::{ApiCaller, ApiResponse};
use crate::harness::organizations::TestOrganization;
use crate::harness::scim_client::USERS;
use crate::harness::world::World;
use serde_json::{Value, json};

const CRM: &str = "urn:acme:params:scim:schemas:extension:crm:2.0:User";

both_engines!(
    scim_patch_ignores_unknown_attributes_and_an_event_lists_them,
    scim_patch_with_unknown_attributes_is_refused_by_organization_setting,
    scim_registered_extension_is_stored_by_post_put_and_patch,
    scim_extension_that_is_not_registered_is_ignored,
    scim_removed_active_disables_the_user_and_is_not_returned,
    scim_sub_attribute_of_matching_values_is_removed,
    scim_request_without_content_type_is_read_as_scim,
    scim_member_never_provisioned_is_returned_with_the_organization_profile
);

async fn set_scim(owner: &ApiCaller<'_>, acme: &TestOrganization, scim: Value) -> ApiResponse {
    let version = owner.get(&acme.path("")).await.assert_status(200).version();
    owner.patch(&acme.path(""), version, json!({"settings": {"scim": scim}})).await
}

/// The attributes that events list as ignored.
async fn ignored(owner: &ApiCaller<'_>, acme: &TestOrganization) -> Vec<Value> {
    let log = owner.get(&acme.path("/audit")).await.assert_status(200);
    let events = log.body["items"].as_array().unwrap().iter();
    events
        .filter(|event| event["kind"] == "scim.attributes_ignored")
        .map(|event| event["detail"]["attributes"].clone())
        .collect()
}

async fn scim_patch_ignores_unknown_attributes_and_an_event_lists_them(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, directory) = (world.create_owner(&acme).await, world.create_scim_client(&acme).await);
    let path = format!("{USERS}/{}", directory.create_scim_user("ana").await.text_member("id"));
    let operations = json!([
        {"op": "Replace", "path": "title", "value": "Contadora"},
        {"op": "Add", "path": "shoeSize", "value": "42"},
        {"op": "Replace", "path": "faxes[value eq \"ana@home.example\"].value", "value": "secret-fax"},
        {"op": "Add", "path": "urn:other:1.0:User:tag", "value": "x"},
    ]);
    let changed = directory.scim_patch(&path, operations.clone()).await.assert_status(200);
    assert_eq!(changed.body["title"], "Contadora");
    assert!(!changed.text.contains("shoeSize") && !changed.text.contains("secret-fax"));
    let names = json!(["shoeSize", "faxes", "urn:other:1.0:User:tag"]);
    assert_eq!(ignored(&owner, &acme).await, std::slice::from_ref(&names));
    // A patch that changes nothing else is in the log as well, and the version stays.
    let repeated_response = directory.scim_patch(&path, operations.clone()).await.assert_status(200);
    assert_eq!(repeated_response.body["meta"]["version"], changed.body["meta"]["version"]);
    assert_eq!(ignored(&owner, &acme).await, [names.clone(), names]);
    set_scim(&owner, &acme, json!({"unknown_attributes": "ignore"})).await.assert_status(200);
    directory.scim_patch(&path, operations).await.assert_status(200);
    assert_eq!(ignored(&owner, &acme).await.len(), 2);
    // What is known stays validated, and nothing of a refused request is applied.
    for (operation, word) in [
        (json!({"op": "replace", "path": "id", "value": "7"}), "mutability"),
        (json!({"op": "replace", "path": "emails[type eq \"work\"", "value": "x"}), "invalidPath"),
        (json!({"op": "replace", "path": "shoe size", "value": "x"}), "invalidPath"),
        (json!({"op": "replace", "path": "emails[color eq \"red\"].value", "value": "x"}), "invalidFilter"),
        (json!({"op": "replace", "path": "active", "value": "perhaps"}), "invalidValue"),
    ] {
        let both = json!([{"op": "replace", "path": "title", "value": "CEO"}, operation]);
        directory.scim_patch(&path, both).await.assert_scim_error(400, word);
    }
    assert_eq!(directory.get(&path).await.assert_status(200).body["title"], "Contadora");
}

async fn scim_patch_with_unknown_attributes_is_refused_by_organization_setting(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, directory) = (world.create_owner(&acme).await, world.create_scim_client(&acme).await);
    set_scim(&owner, &acme, json!({"unknown_attributes": "refuse"})).await.assert_status(200);
    let path = format!("{USERS}/{}", directory.create_scim_user("ana").await.text_member("id"));
    let operations = json!([
        {"op": "Replace", "path": "title", "value": "Contadora"},
        {"op": "Add", "path": "password", "value": "kettle"},
    ]);
    directory.scim_patch(&path, operations).await.assert_scim_error(400, "invalidPath");
    assert!(directory.get(&path).await.assert_status(200).body["title"].is_null());
    set_scim(&owner, &acme, json!({"unknown_attributes": "store"}))
        .await
        .assert_problem(422, "unprocessable");
}

async fn scim_registered_extension_is_stored_by_post_put_and_patch(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, directory) = (world.create_owner(&acme).await, world.create_scim_client(&acme).await);
    set_scim(&owner, &acme, json!({"extension_schemas": [CRM]})).await.assert_status(200);
    let schema = "urn:ietf:params:scim:schemas:core:2.0:User";
    let user = |extension: Value| json!({"schemas": [schema, CRM], "userName": "ana", CRM: extension});
    let response = directory.post(USERS, user(json!({"tag": "gold", "level": 3}))).await.assert_status(201);
    assert_eq!(response.body[CRM], json!({"tag": "gold", "level": 3}));
    assert_eq!(response.body["schemas"], json!([schema, CRM]));
    let path = format!("{USERS}/{}", response.text_member("id"));
    let changed = directory
        .scim_patch(
            &path,
            json!([
                {"op": "Replace", "path": format!("{CRM}:tag"), "value": "silver"},
                {"op": "Add", "path": format!("{CRM}:sites"), "value": ["Recife"]},
                {"op": "Remove", "path": format!("{CRM}:level")},
            ]),
        )
        .await
        .assert_status(200);
    assert_eq!(changed.body[CRM], json!({"tag": "silver", "sites": ["Recife"]}));
    assert_eq!(directory.get(&path).await.assert_status(200).body, changed.body);
    let only = directory.get(&format!("{path}?attributes={CRM}:tag")).await.assert_status(200);
    assert_eq!((&only.body[CRM], &only.body["userName"]), (&json!({"tag": "silver"}), &Value::Null));
    let replaced = directory.scim_put(&path, user(json!({"vip": true}))).await.assert_status(200);
    assert_eq!(replaced.body[CRM], json!({"vip": true}));
    let schemas = directory.get("/scim/v2/Schemas").await.assert_status(200);
    assert!(schemas.body["Resources"].as_array().unwrap().iter().any(|it| it["id"] == CRM));
    let kind = directory.get("/scim/v2/ResourceTypes/User").await.assert_status(200);
    assert_eq!(kind.body["schemaExtensions"][1]["schema"], CRM);
    for invalid in [json!("gold"), json!({"tag": "x".repeat(501)}), json!({"a b": 1})] {
        directory.scim_put(&path, user(invalid)).await.assert_scim_error(400, "invalidValue");
    }
    for invalid in [json!(["crm"]), json!(["urn:ietf:params:scim:schemas:core:2.0:User"])] {
        set_scim(&owner, &acme, json!({"extension_schemas": invalid}))
            .await
            .assert_problem(422, "unprocessable");
    }
}

async fn scim_extension_that_is_not_registered_is_ignored(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let owner = world.create_owner(&other).await;
    // What one organization registers is of no effect in another.
    set_scim(&owner, &other, json!({"extension_schemas": [CRM]})).await.assert_status(200);
    let directory = world.create_scim_client(&acme).await;
    let response =
        directory.post(USERS, json!({"userName": "ana", CRM: {"tag": "gold"}})).await.assert_status(201);
    let path = format!("{USERS}/{}", response.text_member("id"));
    let add = json!([{"op": "Add", "path": format!("{CRM}:tag"), "value": "gold"}]);
    let patched = directory.scim_patch(&path, add).await.assert_status(200);
    assert!(response.body[CRM].is_null() && patched.body[CRM].is_null(), "{}", patched.text);
    assert!(!directory.get("/scim/v2/Schemas").await.assert_status(200).text.contains(CRM));
}

async fn scim_removed_active_disables_the_user_and_is_not_returned(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, directory) = (world.create_owner(&acme).await, world.create_scim_client(&acme).await);
    let ana = world.create_member(&acme, &["member"]).await;
    let key = world.create_api_key_caller(&acme, ana, "organization:read").await;
    let path = format!("{USERS}/{ana}");
    key.get(&acme.path("")).await.assert_status(200);
    let remove = json!([{"op": "remove", "path": "active"}]);
    let removed = directory.scim_patch(&path, remove.clone()).await.assert_status(200);
    assert!(removed.body["active"].is_null(), "{}", removed.text);
    key.get(&acme.path("")).await.assert_status(401);
    assert_eq!(world.count_events("membership.disabled").await, 1);
    // Nothing else that the directory sends enables the user again.
    let titled = json!([{"op": "replace", "path": "title", "value": "Contadora"}]);
    let changed = directory.scim_patch(&path, titled).await.assert_status(200);
    assert!(changed.body["active"].is_null(), "{}", changed.text);
    directory.scim_put(&path, json!({"userName": "ana"})).await.assert_status(200);
    assert_eq!(key.get(&acme.path("")).await.status, 401);
    let on = json!([{"op": "replace", "path": "active", "value": true}]);
    assert_eq!(directory.scim_patch(&path, on).await.assert_status(200).body["active"], true);
    key.get(&acme.path("")).await.assert_status(200);
    // What may not disable a member may not do so by removing the attribute either.
    let owners_path = format!("{USERS}/{}", owner.membership);
    directory.scim_patch(&owners_path, remove).await.assert_scim_error(403, "");
    assert_eq!(directory.get(&owners_path).await.assert_status(200).body["active"], true);
}

async fn scim_sub_attribute_of_matching_values_is_removed(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let emails = json!([
        {"value": "ana@acme.example", "type": "work", "display": "Ana", "primary": true},
        {"value": "ana@home.example", "type": "home", "display": "Ana at home"},
    ]);
    let response =
        directory.post(USERS, json!({"userName": "ana", "emails": emails})).await.assert_status(201);
    let path = format!("{USERS}/{}", response.text_member("id"));
    let remove = |path: &str| json!([{"op": "remove", "path": path}]);
    let patched_user =
        directory.scim_patch(&path, remove(r#"emails[type eq "work"].display"#)).await.assert_status(200);
    let expected = json!([{"value": "ana@acme.example", "type": "work", "primary": true}, emails[1]]);
    assert_eq!(patched_user.body["emails"], expected);
    let patched_user =
        directory.scim_patch(&path, remove(r#"emails[type eq "work"].value"#)).await.assert_status(200);
    assert_eq!(patched_user.body["emails"], json!([emails[1]]));
    directory
        .scim_patch(&path, remove(r#"emails[type like "x"].display"#))
        .await
        .assert_scim_error(400, "invalidFilter");
    directory.scim_patch(&path, remove("userName")).await.assert_scim_error(400, "invalidValue");
}

async fn scim_request_without_content_type_is_read_as_scim(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let send = async |path: &str, kind: Option<&str>, bearer: &str, body: Value| {
        let request = world.http.post(world.public_url(path)).bearer_auth(bearer).body(body.to_string());
        let request = kind.map_or(request.try_clone().unwrap(), |kind| request.header("content-type", kind));
        request.send().await.unwrap().status().as_u16()
    };
    let (key, user) = (directory.secret.as_str(), |name: &str| json!({"userName": name}));
    assert_eq!(send(USERS, None, key, user("ana")).await, 201);
    let bulk =
        json!({"Operations": [{"method": "POST", "path": "/Users", "bulkId": "1", "data": user("rui")}]});
    assert_eq!(send("/scim/v2/Bulk", None, key, bulk).await, 200);
    for kind in
        ["text/plain", "application/x-www-form-urlencoded", "application/scim+json; charset=utf-16", ""]
    {
        assert_eq!(send(USERS, Some(kind), key, user("eva")).await, 415, "{kind}");
    }
    assert_eq!(send(USERS, None, "wrong", user("eva")).await, 401);
    assert_eq!(send(USERS, None, key, json!("no object")).await, 400);
    // Other APIs need the type.
    let owner = world.create_owner(&acme).await;
    assert_eq!(
        send(&acme.path("/roles"), None, &owner.secret, json!({"name": "x", "permissions": []})).await,
        415
    );
}

async fn scim_member_never_provisioned_is_returned_with_the_organization_profile(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, directory) = (world.create_owner(&acme).await, world.create_scim_client(&acme).await);
    let member = world.find_role(&acme, "member").await;
    let invite = json!({"email": "ana@acme.example", "roles": [member]});
    let invited =
        owner.post(&acme.path("/invitations"), invite).await.assert_status(201).text_member("membership");
    let path = format!("{USERS}/{invited}");
    let response = directory.get(&path).await.assert_status(200);
    let address = json!([{"value": "ana@acme.example", "type": "work", "primary": true}]);
    assert_eq!((&response.body["userName"], &response.body["emails"]), (&json!(invited), &address));
    let filter_response =
        directory.scim_filter(USERS, r#"emails.value eq "ana@acme.example""#).await.assert_status(200);
    assert_eq!(
        (filter_response.listed_ids(), &filter_response.body["Resources"][0]["emails"]),
        (vec![invited.clone()], &address)
    );
    let version = owner.get(&acme.path(&format!("/members/{invited}"))).await.assert_status(200).version();
    let profile = json!({"profile": {"given_name": "Ana", "family_name": "Souza"}});
    owner.patch(&acme.path(&format!("/members/{invited}")), version, profile).await.assert_status(200);
    assert_eq!(directory.get(&path).await.assert_status(200).body["displayName"], "Ana Souza");
    // Once the directory describes the member, only its own description is shown.
    let put_response = directory
        .scim_put(&path, json!({"userName": "ana", "displayName": "Ana S."}))
        .await
        .assert_status(200);
    assert_eq!(
        (&put_response.body["displayName"], &put_response.body["emails"]),
        (&json!("Ana S."), &Value::Null)
    );
    // The account of a member stays out of reach.
    let rui = world.create_signed_in_user("rui@home.example").await.join_organization(&acme, "member").await;
    let response = directory.get(&format!("{USERS}/{rui}")).await.assert_status(200);
    assert!(!response.text.contains("rui@home.example"), "{}", response.text);
}
