//! Groups: roles that a directory creates and assigns, never with more permissions than its key may grant.

use crate::both_engines;
use crate::harness::api_caller::{ApiCaller, ApiRequest};
use crate::harness::organizations::OWNER_SCOPE;
use crate::harness::scim_client::{GROUPS, USERS};
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};

/// The id of the group with this display name.
async fn group(directory: &ApiCaller<'_>, called: &str) -> String {
    let response =
        directory.scim_filter(GROUPS, &format!("displayName eq {}", json!(called))).await.assert_status(200);
    response.listed_ids().pop().unwrap_or_else(|| panic!("no group {called}"))
}

async fn roles_of(directory: &ApiCaller<'_>, user: &str) -> Vec<String> {
    let user = directory.get(&format!("{USERS}/{user}")).await.assert_status(200);
    let groups = user.body["groups"].as_array().cloned().unwrap_or_default();
    let mut names: Vec<_> =
        groups.iter().map(|group| group["display"].as_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

fn add(id: &str) -> Value {
    json!([{"op": "Add", "path": "members", "value": [{"value": id}]}])
}

both_engines!(
    scim_group_creates_a_role_without_permissions,
    scim_group_membership_cannot_grant_more_than_the_client_holds,
    scim_group_of_an_existing_role_is_filled_but_not_renamed_or_removed,
    scim_user_without_any_group_stays_a_member,
    scim_group_change_cannot_remove_the_last_owner,
    scim_group_etag_covers_its_members
);

async fn scim_group_creates_a_role_without_permissions(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, directory) = (world.create_owner(&acme).await, world.create_scim_client(&acme).await);
    let ana = directory.create_scim_user("ana").await.text_member("id");
    let rui = directory.create_scim_user("rui").await.text_member("id");
    let new_group = json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group", "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
        "externalId": "8aa1a0c0", "displayName": "Engineering Team", "members": [{"value": ana}],
    });
    let response = directory.post(GROUPS, new_group.clone()).await.assert_status(201);
    let path = format!("{GROUPS}/{}", response.text_member("id"));
    assert_eq!(
        (&response.body["displayName"], &response.body["members"][0]["value"]),
        (&json!("Engineering Team"), &json!(ana))
    );
    assert_eq!(response.headers["location"].to_str().unwrap(), format!("{}{path}", world.issuer()));
    let role =
        owner.get(&acme.path(&format!("/roles/{}", response.text_member("id")))).await.assert_status(200);
    assert_eq!((&role.body["name"], &role.body["permissions"]), (&json!("engineering-team"), &json!([])));
    directory.post(GROUPS, new_group).await.assert_scim_error(409, "uniqueness");
    directory.post(GROUPS, json!({"displayName": "MEMBER"})).await.assert_scim_error(409, "uniqueness");
    // Entra ID adds and removes by value, Okta removes by filter.
    let both = directory.scim_patch(&path, add(&rui)).await.assert_status(200);
    assert_eq!(both.body["members"].as_array().unwrap().len(), 2);
    assert_eq!(roles_of(&directory, &rui).await, ["Engineering Team", "member"]);
    directory
        .scim_patch(&path, json!([{"op": "Remove", "path": "members", "value": [{"value": rui}]}]))
        .await
        .assert_status(200);
    directory
        .scim_patch(&path, json!([{"op": "remove", "path": format!("members[value eq \"{ana}\"]")}]))
        .await
        .assert_status(200);
    assert!(directory.get(&path).await.assert_status(200).body["members"].is_null());
    assert_eq!(roles_of(&directory, &ana).await, ["member"]);
    // The display name changes, and its name in tokens stays.
    directory
        .scim_patch(
            &path,
            json!([{"op": "replace", "value": {"id": response.text_member("id"), "displayName": "Platform"}}]),
        )
        .await
        .assert_status(200);
    let role =
        owner.get(&acme.path(&format!("/roles/{}", response.text_member("id")))).await.assert_status(200);
    assert_eq!(role.body["name"], "engineering-team");
    directory.delete(&path, None).await.assert_status(204);
    directory.get(&path).await.assert_scim_error(404, "");
    directory
        .post(GROUPS, json!({"displayName": "Platform", "externalId": "8aa1a0c0"}))
        .await
        .assert_status(201);
    assert_eq!((world.count_events("role.created").await, world.count_events("role.removed").await), (2, 1));
    assert_eq!(world.count_events("membership.roles_changed").await, 4);
}

async fn scim_group_membership_cannot_grant_more_than_the_client_holds(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, directory) = (world.create_owner(&acme).await, world.create_scim_client(&acme).await);
    owner
        .post(&acme.path("/roles"), json!({"name": "clerk", "permissions": ["members:read"]}))
        .await
        .assert_status(201);
    let ana = directory.create_scim_user("ana").await.text_member("id");
    for called in ["clerk", "admin", "owner"] {
        let path = format!("{GROUPS}/{}", group(&directory, called).await);
        directory.scim_patch(&path, add(&ana)).await.assert_scim_error(403, "");
        let full_group = json!({"displayName": called, "members": [{"value": ana}]});
        directory.scim_put(&path, full_group).await.assert_scim_error(403, "");
    }
    assert_eq!(roles_of(&directory, &ana).await, ["member"]);
    let api_caller = world.create_scim_client_with_scope(&acme, "scim:provision members:read").await;
    let clerks = format!("{GROUPS}/{}", group(&api_caller, "clerk").await);
    api_caller.scim_patch(&clerks, add(&ana)).await.assert_status(200);
    assert_eq!(roles_of(&directory, &ana).await, ["clerk", "member"]);
    api_caller
        .scim_patch(&format!("{GROUPS}/{}", group(&api_caller, "admin").await), add(&ana))
        .await
        .assert_scim_error(403, "");
    // A role may be removed from a member by a key that could not assign it.
    directory.scim_patch(&clerks, json!([{"op": "remove", "path": "members"}])).await.assert_status(200);
    assert_eq!(roles_of(&directory, &ana).await, ["member"]);
    // A role that a directory created and an administrator gave permissions belongs to the administrators from then on.
    let role_id =
        directory.post(GROUPS, json!({"displayName": "Auditors"})).await.assert_status(201).text_member("id");
    let role = owner.get(&acme.path(&format!("/roles/{role_id}"))).await.assert_status(200);
    owner
        .patch(
            &acme.path(&format!("/roles/{role_id}")),
            role.version(),
            json!({"permissions": ["audit:read"]}),
        )
        .await
        .assert_status(200);
    directory.scim_patch(&format!("{GROUPS}/{role_id}"), add(&ana)).await.assert_scim_error(403, "");
    directory.delete(&format!("{GROUPS}/{role_id}"), None).await.assert_status(204);
}

async fn scim_group_of_an_existing_role_is_filled_but_not_renamed_or_removed(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, directory) = (world.create_owner(&acme).await, world.create_scim_client(&acme).await);
    owner.post(&acme.path("/roles"), json!({"name": "choir", "permissions": []})).await.assert_status(201);
    let path = format!("{GROUPS}/{}", group(&directory, "choir").await);
    let ana = directory.create_scim_user("ana").await.text_member("id");
    directory.scim_patch(&path, add(&ana)).await.assert_status(200);
    let rename = json!([{"op": "replace", "path": "displayName", "value": "Band"}]);
    directory.scim_patch(&path, rename).await.assert_scim_error(400, "mutability");
    directory.delete(&path, None).await.assert_scim_error(400, "mutability");
    directory
        .delete(&format!("{GROUPS}/{}", group(&directory, "member").await), None)
        .await
        .assert_scim_error(400, "mutability");
    let response = directory
        .scim_patch(&path, json!([{"op": "add", "value": {"externalId": "choir-7"}}]))
        .await
        .assert_status(200);
    assert_eq!(
        (&response.body["externalId"], &response.body["displayName"]),
        (&json!("choir-7"), &json!("choir"))
    );
    assert_eq!(
        directory
            .scim_filter(GROUPS, r#"externalId eq "choir-7""#)
            .await
            .assert_status(200)
            .listed_ids()
            .len(),
        1
    );
}

async fn scim_user_without_any_group_stays_a_member(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let ana = directory.create_scim_user("ana").await.text_member("id");
    let members = format!("{GROUPS}/{}", group(&directory, "member").await);
    let out = json!([{"op": "remove", "path": format!("members[value eq \"{ana}\"]")}]);
    directory.scim_patch(&members, out.clone()).await.assert_scim_error(400, "invalidValue");
    let choir = directory
        .post(GROUPS, json!({"displayName": "Choir", "members": [{"value": ana}]}))
        .await
        .assert_status(201);
    let choir = format!("{GROUPS}/{}", choir.text_member("id"));
    directory.scim_patch(&members, out.clone()).await.assert_status(200);
    assert_eq!(roles_of(&directory, &ana).await, ["Choir"]);
    directory.scim_patch(&choir, out).await.assert_status(200);
    assert_eq!(roles_of(&directory, &ana).await, ["member"]);
}

async fn scim_group_change_cannot_remove_the_last_owner(world: &World) {
    let acme = world.create_organization("acme").await;
    let first = world.create_scim_client_with_scope(&acme, OWNER_SCOPE).await;
    let second = world.create_member(&acme, &["owner"]).await;
    let owners = format!("{GROUPS}/{}", group(&first, "owner").await);
    first.scim_patch(&owners, json!([{"op": "remove", "path": "members"}])).await.assert_scim_error(409, "");
    first.scim_put(&owners, json!({"displayName": "owner"})).await.assert_scim_error(409, "");
    let out = |id: String| json!([{"op": "remove", "path": format!("members[value eq \"{id}\"]")}]);
    first.scim_patch(&owners, out(second.to_string())).await.assert_status(200);
    first.scim_patch(&owners, out(first.membership.to_string())).await.assert_scim_error(409, "");
    first.scim_patch(&owners, add(&second.to_string())).await.assert_status(200);
}

async fn scim_group_etag_covers_its_members(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, directory) = (world.create_owner(&acme).await, world.create_scim_client(&acme).await);
    let ana = directory.create_scim_user("ana").await.text_member("id");
    let response = directory.post(GROUPS, json!({"displayName": "Choir"})).await.assert_status(201);
    let (id, path) = (response.text_member("id"), format!("{GROUPS}/{}", response.text_member("id")));
    let etag = response.headers["etag"].to_str().unwrap().to_owned();
    // An administrator assigns a role to Ana without the directory.
    let member = owner.get(&acme.path(&format!("/members/{ana}"))).await.assert_status(200);
    let member_role = member.body["roles"][0]["id"].clone();
    let roles = json!({"roles": [member_role, id]});
    owner.put(&acme.path(&format!("/members/{ana}/roles")), member.version(), roles).await.assert_status(200);
    let body = json!({"Operations": [{"op": "remove", "path": "members"}]});
    let build_request = |tag: &str| ApiRequest {
        body: Some(body.clone()),
        headers: vec![("if-match", tag.to_owned())],
        ..ApiRequest::default()
    };
    directory.send_request(Method::PATCH, &path, build_request(&etag)).await.assert_scim_error(412, "");
    let etag = directory.get(&path).await.assert_status(200).headers["etag"].to_str().unwrap().to_owned();
    directory.send_request(Method::PATCH, &path, build_request(&etag)).await.assert_status(200);
    assert_eq!(roles_of(&directory, &ana).await, ["member"]);
}
