//! Groups: roles that a directory makes and fills, and never with more than it may hand out.

use crate::both_engines;
use crate::harness::api::{ApiCaller, ApiRequest};
use crate::harness::directory::{GROUPS, USERS};
use crate::harness::tenants::OWNERS_SCOPE;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};

/// The id of the group that is called this.
async fn group(directory: &ApiCaller<'_>, called: &str) -> String {
    let found = directory.filters(GROUPS, &format!("displayName eq {}", json!(called))).await.is(200);
    found.listed().pop().unwrap_or_else(|| panic!("no group {called}"))
}

async fn roles_of(directory: &ApiCaller<'_>, user: &str) -> Vec<String> {
    let user = directory.get(&format!("{USERS}/{user}")).await.is(200);
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
    a_group_that_a_directory_makes_is_a_role_that_confers_nothing,
    nobody_gets_more_by_a_group_than_whoever_provisions_holds,
    roles_that_people_made_are_filled_and_neither_renamed_nor_removed,
    whoever_leaves_the_last_group_still_belongs,
    an_organization_keeps_an_owner_whatever_is_done_to_its_groups,
    a_version_of_a_group_says_who_is_in_it
);

async fn a_group_that_a_directory_makes_is_a_role_that_confers_nothing(world: &World) {
    let acme = world.tenant("acme").await;
    let (owner, directory) = (world.owner(&acme).await, world.directory(&acme).await);
    let ana = directory.provisions("ana").await.text_of("id");
    let rui = directory.provisions("rui").await.text_of("id");
    let wanted = json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group", "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
        "externalId": "8aa1a0c0", "displayName": "Engineering Team", "members": [{"value": ana}],
    });
    let made = directory.post(GROUPS, wanted.clone()).await.is(201);
    let path = format!("{GROUPS}/{}", made.text_of("id"));
    assert_eq!(
        (&made.body["displayName"], &made.body["members"][0]["value"]),
        (&json!("Engineering Team"), &json!(ana))
    );
    assert_eq!(made.headers["location"].to_str().unwrap(), format!("{}{path}", world.issuer()));
    let role = owner.get(&acme.path(&format!("/roles/{}", made.text_of("id")))).await.is(200);
    assert_eq!((&role.body["name"], &role.body["permissions"]), (&json!("engineering-team"), &json!([])));
    directory.post(GROUPS, wanted).await.turned_down(409, "uniqueness");
    directory.post(GROUPS, json!({"displayName": "MEMBER"})).await.turned_down(409, "uniqueness");
    // Entra ID adds and removes by value, Okta removes by filter.
    let both = directory.changes(&path, add(&rui)).await.is(200);
    assert_eq!(both.body["members"].as_array().unwrap().len(), 2);
    assert_eq!(roles_of(&directory, &rui).await, ["Engineering Team", "member"]);
    directory
        .changes(&path, json!([{"op": "Remove", "path": "members", "value": [{"value": rui}]}]))
        .await
        .is(200);
    directory
        .changes(&path, json!([{"op": "remove", "path": format!("members[value eq \"{ana}\"]")}]))
        .await
        .is(200);
    assert!(directory.get(&path).await.is(200).body["members"].is_null());
    assert_eq!(roles_of(&directory, &ana).await, ["member"]);
    // It is called something else, and its name in tokens stays.
    directory
        .changes(
            &path,
            json!([{"op": "replace", "value": {"id": made.text_of("id"), "displayName": "Platform"}}]),
        )
        .await
        .is(200);
    let role = owner.get(&acme.path(&format!("/roles/{}", made.text_of("id")))).await.is(200);
    assert_eq!(role.body["name"], "engineering-team");
    directory.delete(&path, None).await.is(204);
    directory.get(&path).await.turned_down(404, "");
    directory.post(GROUPS, json!({"displayName": "Platform", "externalId": "8aa1a0c0"})).await.is(201);
    assert_eq!((world.logged("role.created").await, world.logged("role.removed").await), (2, 1));
    assert_eq!(world.logged("membership.roles_changed").await, 4);
}

async fn nobody_gets_more_by_a_group_than_whoever_provisions_holds(world: &World) {
    let acme = world.tenant("acme").await;
    let (owner, directory) = (world.owner(&acme).await, world.directory(&acme).await);
    owner.post(&acme.path("/roles"), json!({"name": "clerk", "permissions": ["members:read"]})).await.is(201);
    let ana = directory.provisions("ana").await.text_of("id");
    for called in ["clerk", "admin", "owner"] {
        let path = format!("{GROUPS}/{}", group(&directory, called).await);
        directory.changes(&path, add(&ana)).await.turned_down(403, "");
        let whole = json!({"displayName": called, "members": [{"value": ana}]});
        directory.puts(&path, whole).await.turned_down(403, "");
    }
    assert_eq!(roles_of(&directory, &ana).await, ["member"]);
    let more = world.directory_with(&acme, "scim:provision members:read").await;
    let clerks = format!("{GROUPS}/{}", group(&more, "clerk").await);
    more.changes(&clerks, add(&ana)).await.is(200);
    assert_eq!(roles_of(&directory, &ana).await, ["clerk", "member"]);
    more.changes(&format!("{GROUPS}/{}", group(&more, "admin").await), add(&ana)).await.turned_down(403, "");
    // What somebody has may be taken by whoever could not give it.
    directory.changes(&clerks, json!([{"op": "remove", "path": "members"}])).await.is(200);
    assert_eq!(roles_of(&directory, &ana).await, ["member"]);
    // A role that a directory made and people filled with permissions is theirs from then on.
    let made = directory.post(GROUPS, json!({"displayName": "Auditors"})).await.is(201).text_of("id");
    let role = owner.get(&acme.path(&format!("/roles/{made}"))).await.is(200);
    owner
        .patch(&acme.path(&format!("/roles/{made}")), role.version(), json!({"permissions": ["audit:read"]}))
        .await
        .is(200);
    directory.changes(&format!("{GROUPS}/{made}"), add(&ana)).await.turned_down(403, "");
    directory.delete(&format!("{GROUPS}/{made}"), None).await.is(204);
}

async fn roles_that_people_made_are_filled_and_neither_renamed_nor_removed(world: &World) {
    let acme = world.tenant("acme").await;
    let (owner, directory) = (world.owner(&acme).await, world.directory(&acme).await);
    owner.post(&acme.path("/roles"), json!({"name": "choir", "permissions": []})).await.is(201);
    let path = format!("{GROUPS}/{}", group(&directory, "choir").await);
    let ana = directory.provisions("ana").await.text_of("id");
    directory.changes(&path, add(&ana)).await.is(200);
    let rename = json!([{"op": "replace", "path": "displayName", "value": "Band"}]);
    directory.changes(&path, rename).await.turned_down(400, "mutability");
    directory.delete(&path, None).await.turned_down(400, "mutability");
    directory
        .delete(&format!("{GROUPS}/{}", group(&directory, "member").await), None)
        .await
        .turned_down(400, "mutability");
    let known =
        directory.changes(&path, json!([{"op": "add", "value": {"externalId": "choir-7"}}])).await.is(200);
    assert_eq!((&known.body["externalId"], &known.body["displayName"]), (&json!("choir-7"), &json!("choir")));
    assert_eq!(directory.filters(GROUPS, r#"externalId eq "choir-7""#).await.is(200).listed().len(), 1);
}

async fn whoever_leaves_the_last_group_still_belongs(world: &World) {
    let acme = world.tenant("acme").await;
    let directory = world.directory(&acme).await;
    let ana = directory.provisions("ana").await.text_of("id");
    let members = format!("{GROUPS}/{}", group(&directory, "member").await);
    let out = json!([{"op": "remove", "path": format!("members[value eq \"{ana}\"]")}]);
    directory.changes(&members, out.clone()).await.turned_down(400, "invalidValue");
    let choir =
        directory.post(GROUPS, json!({"displayName": "Choir", "members": [{"value": ana}]})).await.is(201);
    let choir = format!("{GROUPS}/{}", choir.text_of("id"));
    directory.changes(&members, out.clone()).await.is(200);
    assert_eq!(roles_of(&directory, &ana).await, ["Choir"]);
    directory.changes(&choir, out).await.is(200);
    assert_eq!(roles_of(&directory, &ana).await, ["member"]);
}

async fn an_organization_keeps_an_owner_whatever_is_done_to_its_groups(world: &World) {
    let acme = world.tenant("acme").await;
    let first = world.directory_with(&acme, OWNERS_SCOPE).await;
    let second = world.member(&acme, &["owner"]).await;
    let owners = format!("{GROUPS}/{}", group(&first, "owner").await);
    first.changes(&owners, json!([{"op": "remove", "path": "members"}])).await.turned_down(409, "");
    first.puts(&owners, json!({"displayName": "owner"})).await.turned_down(409, "");
    let out = |id: String| json!([{"op": "remove", "path": format!("members[value eq \"{id}\"]")}]);
    first.changes(&owners, out(second.to_string())).await.is(200);
    first.changes(&owners, out(first.membership.to_string())).await.turned_down(409, "");
    first.changes(&owners, add(&second.to_string())).await.is(200);
}

async fn a_version_of_a_group_says_who_is_in_it(world: &World) {
    let acme = world.tenant("acme").await;
    let (owner, directory) = (world.owner(&acme).await, world.directory(&acme).await);
    let ana = directory.provisions("ana").await.text_of("id");
    let made = directory.post(GROUPS, json!({"displayName": "Choir"})).await.is(201);
    let (id, path) = (made.text_of("id"), format!("{GROUPS}/{}", made.text_of("id")));
    let seen = made.headers["etag"].to_str().unwrap().to_owned();
    // Somebody lets Ana in without the directory.
    let member = owner.get(&acme.path(&format!("/members/{ana}"))).await.is(200);
    let member_role = member.body["roles"][0]["id"].clone();
    let roles = json!({"roles": [member_role, id]});
    owner.put(&acme.path(&format!("/members/{ana}/roles")), member.version(), roles).await.is(200);
    let body = json!({"Operations": [{"op": "remove", "path": "members"}]});
    let asked = |tag: &str| ApiRequest {
        body: Some(body.clone()),
        headers: vec![("if-match", tag.to_owned())],
        ..ApiRequest::default()
    };
    directory.ask(Method::PATCH, &path, asked(&seen)).await.turned_down(412, "");
    let seen = directory.get(&path).await.is(200).headers["etag"].to_str().unwrap().to_owned();
    directory.ask(Method::PATCH, &path, asked(&seen)).await.is(200);
    assert_eq!(roles_of(&directory, &ana).await, ["member"]);
}
