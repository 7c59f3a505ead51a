//! Users: memberships that a directory creates, changes, deactivates and deletes.

use crate::both_engines;
use crate::harness::api_caller::ApiRequest;
use crate::harness::organizations::OWNER_SCOPE;
use crate::harness::scim_client::USERS;
use crate::harness::world::World;
use crate::stories::platform::api_conventions::join_all;
use reqwest::Method;
use serde_json::{Value, json};

/// The request of Okta for a new user.
fn by_okta(user_name: &str) -> Value {
    json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"],
        "userName": user_name, "externalId": "00ujl29u0le5T6Aj10h7",
        "name": {"givenName": "Ana", "familyName": "Souza"},
        "emails": [{"primary": true, "value": user_name, "type": "work"}],
        "displayName": "Ana Souza", "locale": "en-US", "groups": [], "password": "1mz050nq", "active": true,
    })
}

/// The request of Entra ID for a new user.
fn by_entra(user_name: &str) -> Value {
    json!({
        "schemas": [
            "urn:ietf:params:scim:schemas:core:2.0:User",
            "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
        ],
        "externalId": "58342554-38d6-4ec8-948c-50044d0a33fd", "userName": user_name, "active": true,
        "displayName": "Rui Lima", "emails": [{"primary": true, "type": "work", "value": user_name}],
        "meta": {"resourceType": "User"}, "name": {"formatted": "Rui Lima", "familyName": "Lima", "givenName": "Rui"},
        "roles": [], "title": "Contador",
        "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {"department": "Livros", "employeeNumber": "7"},
    })
}

both_engines!(
    scim_user_is_created_unclaimed_and_visible_to_the_organization,
    scim_users_of_okta_and_entra_id_are_found_changed_and_disabled,
    scim_user_disabled_or_removed_loses_access_at_once,
    scim_user_name_is_unique_and_free_after_removal,
    scim_user_created_concurrently_is_created_once,
    scim_user_with_invalid_attributes_is_refused_and_unknown_ones_are_ignored,
    scim_etag_mismatch_is_refused_and_if_none_match_is_not_modified,
    scim_cannot_disable_an_owner,
    scim_cannot_reenable_a_member_with_more_permissions,
    scim_never_reads_or_changes_account_data
);

async fn scim_user_is_created_unclaimed_and_visible_to_the_organization(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, okta) = (world.create_owner(&acme).await, world.create_scim_client(&acme).await);
    let response = okta.post(USERS, by_okta("ana@acme.example")).await.assert_status(201);
    let id = response.text_member("id");
    let location = format!("{}{USERS}/{id}", world.issuer());
    assert_eq!(response.headers["location"].to_str().unwrap(), location);
    assert_eq!(
        (&response.body["meta"]["location"], &response.body["meta"]["version"]),
        (&json!(location), &json!("W/\"1\""))
    );
    assert_eq!(response.headers["etag"], "W/\"1\"");
    assert_eq!(
        (&response.body["userName"], &response.body["active"]),
        (&json!("ana@acme.example"), &json!(true))
    );
    assert_eq!(response.body["groups"][0]["display"], "member");
    assert!(!response.text.contains("1mz050nq"), "a password in the request is ignored");
    assert_eq!(okta.get(&format!("{USERS}/{id}")).await.assert_status(200).body, response.body);
    let response = owner.get(&acme.path(&format!("/members/{id}"))).await.assert_status(200);
    assert_eq!(
        (&response.body["kind"], &response.body["external_id"]),
        (&json!("unclaimed"), &json!("00ujl29u0le5T6Aj10h7"))
    );
    let profile = json!({"name": "Ana Souza", "given_name": "Ana", "family_name": "Souza", "email": "ana@acme.example"});
    assert_eq!(response.body["profile"], profile);
    let rui = okta.post(USERS, by_entra("rui@acme.example")).await.assert_status(201);
    let response =
        owner.get(&acme.path(&format!("/members/{}", rui.text_member("id")))).await.assert_status(200);
    assert_eq!(
        (&response.body["profile"]["department"], &response.body["profile"]["title"]),
        (&json!("Livros"), &json!("Contador"))
    );
    let audit_log = owner.get(&acme.path("/audit")).await.assert_status(200);
    let entry = audit_log.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["subject"]["id"] == id.as_str())
        .unwrap();
    assert_eq!((&entry["kind"], &entry["actor"]["kind"]), (&json!("membership.created"), &json!("api_key")));
    assert!(!audit_log.text.contains("ana@acme.example"), "the audit log has no e-mail address");
}

async fn scim_users_of_okta_and_entra_id_are_found_changed_and_disabled(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    assert_eq!(
        directory.scim_filter(USERS, r#"userName eq "ana@acme.example""#).await.assert_status(200).body["totalResults"],
        0
    );
    let id = directory.post(USERS, by_okta("ana@acme.example")).await.assert_status(201).text_member("id");
    let path = format!("{USERS}/{id}");
    let response = directory.scim_filter(USERS, r#"userName eq "Ana@ACME.example""#).await.assert_status(200);
    assert_eq!((response.listed_ids(), &response.body["totalResults"]), (vec![id.clone()], &json!(1)));
    // Okta replaces the whole user, and deactivates without a path.
    let mut full_user = by_okta("ana@acme.example");
    full_user["name"]["familyName"] = json!("Lima");
    full_user["id"] = json!(id);
    let changed = directory.scim_put(&path, full_user).await.assert_status(200);
    assert_eq!(
        (&changed.body["name"]["familyName"], &changed.body["meta"]["version"]),
        (&json!("Lima"), &json!("W/\"2\""))
    );
    let off = directory
        .scim_patch(&path, json!([{"op": "replace", "value": {"active": false}}]))
        .await
        .assert_status(200);
    assert_eq!(off.body["active"], false);
    let on = directory
        .scim_patch(&path, json!([{"op": "replace", "value": {"active": true}}]))
        .await
        .assert_status(200);
    assert_eq!(on.body["active"], true);
    // Entra ID sends booleans as strings, and paths that do not exist yet.
    let department = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department";
    let changed = directory
        .scim_patch(
            &path,
            json!([
                {"op": "Replace", "path": "active", "value": "False"},
                {"op": "Add", "path": "phoneNumbers[type eq \"mobile\"].value", "value": "+55 11 99999-0000"},
                {"op": "Replace", "path": "emails[type eq \"work\"].value", "value": "ana.lima@acme.example"},
                {"op": "Add", "path": department, "value": "Livros"},
                {"op": "Remove", "path": "locale"},
            ]),
        )
        .await
        .assert_status(200);
    assert_eq!(changed.body["active"], false);
    assert_eq!(changed.body["phoneNumbers"], json!([{"type": "mobile", "value": "+55 11 99999-0000"}]));
    assert_eq!(changed.body["emails"][0]["value"], "ana.lima@acme.example");
    assert!(changed.body["locale"].is_null());
    let repeated_response = directory
        .scim_patch(&path, json!([{"op": "Replace", "path": "active", "value": "False"}]))
        .await
        .assert_status(200);
    assert_eq!(
        repeated_response.body["meta"]["version"], changed.body["meta"]["version"],
        "setting the current value changes nothing"
    );
    assert_eq!(
        (world.count_events("membership.disabled").await, world.count_events("membership.enabled").await),
        (2, 1)
    );
}

async fn scim_user_disabled_or_removed_loses_access_at_once(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let ana = world.create_member(&acme, &["member"]).await;
    let holds = [
        world.create_api_key_caller(&acme, ana, "organization:read").await,
        world.create_token_caller(&acme, ana, "organization:read").await,
    ];
    let is_in = async || {
        let [key, token] =
            [holds[0].get(&acme.path("")).await.status, holds[1].get(&acme.path("")).await.status];
        assert_eq!(key, token);
        key
    };
    let path = format!("{USERS}/{ana}");
    assert_eq!(is_in().await, 200);
    // A user that no directory named has the id as `userName`.
    assert_eq!(directory.get(&path).await.assert_status(200).body["userName"], ana.to_string());
    directory
        .scim_patch(&path, json!([{"op": "Replace", "path": "active", "value": "False"}]))
        .await
        .assert_status(200);
    assert_eq!(is_in().await, 401);
    directory
        .scim_patch(&path, json!([{"op": "Replace", "path": "active", "value": "True"}]))
        .await
        .assert_status(200);
    assert_eq!(is_in().await, 200);
    directory.delete(&path, None).await.assert_status(204);
    assert_eq!(is_in().await, 401);
    directory.get(&path).await.assert_scim_error(404, "");
    directory.delete(&path, None).await.assert_scim_error(404, "");
    directory
        .scim_patch(&path, json!([{"op": "Replace", "path": "active", "value": "True"}]))
        .await
        .assert_scim_error(404, "");
    assert_eq!(is_in().await, 401);
}

async fn scim_user_name_is_unique_and_free_after_removal(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let first = directory.post(USERS, by_okta("ana@acme.example")).await.assert_status(201).text_member("id");
    directory.post(USERS, by_entra("ANA@acme.example")).await.assert_scim_error(409, "uniqueness");
    directory.post(USERS, by_okta("other@acme.example")).await.assert_scim_error(409, "uniqueness");
    let other =
        directory.post(USERS, by_entra("rui@acme.example")).await.assert_status(201).text_member("id");
    let path = format!("{USERS}/{other}");
    let rename = json!([{"op": "replace", "path": "userName", "value": "Ana@acme.example"}]);
    directory.scim_patch(&path, rename.clone()).await.assert_scim_error(409, "uniqueness");
    let external = json!([{"op": "replace", "path": "externalId", "value": "00ujl29u0le5T6Aj10h7"}]);
    directory.scim_patch(&path, external).await.assert_scim_error(409, "uniqueness");
    directory.delete(&format!("{USERS}/{first}"), None).await.assert_status(204);
    directory.scim_patch(&path, rename).await.assert_status(200);
    assert_ne!(
        directory.post(USERS, by_okta("ana2@acme.example")).await.assert_status(201).text_member("id"),
        first
    );
    // An administrator may have ended the membership; the name is available all the same.
    world
        .create_owner(&acme)
        .await
        .delete(&acme.path(&format!("/members/{other}")), None)
        .await
        .assert_status(204);
    directory.post(USERS, by_entra("ana@acme.example")).await.assert_status(201);
}

async fn scim_user_created_concurrently_is_created_once(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let racers = (0..8).map(|_| directory.post(USERS, by_entra("ana@acme.example")));
    let mut statuses: Vec<u16> = join_all(racers.collect()).await.iter().map(|reply| reply.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409, 409, 409, 409, 409, 409, 409]);
    assert_eq!(world.count_events("membership.created").await, 1);
}

async fn scim_user_with_invalid_attributes_is_refused_and_unknown_ones_are_ignored(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    for (new_user, word) in [
        (json!([]), "invalidSyntax"),
        (
            json!({"schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "userName": "x"}),
            "invalidSyntax",
        ),
        (json!({"displayName": "nobody"}), "invalidValue"),
        (json!({"userName": ""}), "invalidValue"),
        (json!({"userName": "x", "emails": [{"value": "no address"}]}), "invalidValue"),
        (json!({"userName": "x", "active": "perhaps"}), "invalidValue"),
        (
            json!({"userName": "x", "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {"manager": {"value": 7}}}),
            "invalidValue",
        ),
    ] {
        directory.post(USERS, new_user).await.assert_scim_error(400, word);
    }
    let id = directory.create_scim_user("ana").await.text_member("id");
    let path = format!("{USERS}/{id}");
    for (operation, word) in [
        (json!({"op": "replace", "path": "id", "value": "7"}), "mutability"),
        (json!({"op": "add", "path": "groups", "value": [{"value": "7"}]}), "mutability"),
        (json!({"op": "replace", "path": "pass word", "value": "kettle"}), "invalidPath"),
        (
            json!({"op": "replace", "path": "emails[type like \"x\"].value", "value": "a@b.example"}),
            "invalidFilter",
        ),
        (json!({"op": "remove"}), "noTarget"),
        (json!({"op": "remove", "path": "userName"}), "invalidValue"),
        (json!({"op": "shuffle", "path": "title"}), "invalidSyntax"),
    ] {
        directory.scim_patch(&path, json!([operation])).await.assert_scim_error(400, word);
    }
    let passed_over =
        json!({"userName": "ana", "id": "7", "groups": [{"value": "7"}], "password": "kettle", "x": 1});
    let response = directory.scim_put(&path, passed_over).await.assert_status(200);
    assert_eq!(
        (response.text_member("id"), &response.body["groups"][0]["display"]),
        (id.clone(), &json!("member"))
    );
    directory.get(&format!("{USERS}/no-id")).await.assert_scim_error(404, "");
}

async fn scim_etag_mismatch_is_refused_and_if_none_match_is_not_modified(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let path = format!("{USERS}/{}", directory.create_scim_user("ana").await.text_member("id"));
    let title = |title: &str| json!({"Operations": [{"op": "replace", "path": "title", "value": title}]});
    let with = async |method: Method, header: &'static str, tag: &str, body: Option<Value>| {
        directory
            .send_request(
                method,
                &path,
                ApiRequest { body, headers: vec![(header, tag.to_owned())], ..ApiRequest::default() },
            )
            .await
    };
    with(Method::PATCH, "if-match", "W/\"1\"", Some(title("a"))).await.assert_status(200);
    with(Method::PATCH, "if-match", "W/\"1\"", Some(title("b"))).await.assert_scim_error(412, "");
    with(Method::PUT, "if-match", "\"9\"", Some(json!({"userName": "ana"}))).await.assert_scim_error(412, "");
    with(Method::DELETE, "if-match", "\"1\"", None).await.assert_scim_error(412, "");
    assert_eq!(directory.get(&path).await.assert_status(200).body["title"], "a");
    assert_eq!(
        world
            .http
            .get(world.public_url(&path))
            .bearer_auth(&directory.secret)
            .header("if-none-match", "W/\"2\"")
            .send()
            .await
            .unwrap()
            .status(),
        304
    );
    with(Method::DELETE, "if-match", "\"2\"", None).await.assert_status(204);
}

async fn scim_cannot_disable_an_owner(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let owner = directory.membership;
    let off = json!([{"op": "replace", "path": "active", "value": false}]);
    let path = format!("{USERS}/{owner}");
    directory.scim_patch(&path, off.clone()).await.assert_scim_error(403, "");
    directory.delete(&path, None).await.assert_scim_error(403, "");
    // An owner's full key may, as long as another owner is left.
    let owner_key = world.create_api_key_caller(&acme, owner, OWNER_SCOPE).await;
    owner_key.scim_patch(&path, off.clone()).await.assert_scim_error(409, "");
    let other = world.create_member(&acme, &["owner"]).await;
    owner_key.scim_patch(&format!("{USERS}/{other}"), off).await.assert_status(200);
}

async fn scim_cannot_reenable_a_member_with_more_permissions(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, directory) = (world.create_owner(&acme).await, world.create_scim_client(&acme).await);
    let admin = world.create_member(&acme, &["admin"]).await;
    let path = format!("{USERS}/{admin}");
    let turn = |active: bool| json!([{"op": "replace", "path": "active", "value": active}]);
    directory.scim_patch(&path, turn(false)).await.assert_status(200);
    directory.scim_patch(&path, turn(true)).await.assert_scim_error(403, "");
    owner.scim_patch(&path, turn(true)).await.assert_status(200);
}

async fn scim_never_reads_or_changes_account_data(world: &World) {
    let acme = world.create_organization("acme").await;
    let ana = world.create_signed_in_user("ana@home.example").await;
    let membership = ana.join_organization(&acme, "member").await;
    let directory = world.create_scim_client(&acme).await;
    directory.get(USERS).await.assert_status(200);
    let before = world.dump_database().await;
    let mut full_user = by_okta("ana@home.example");
    full_user["emails"] = json!([{"value": "mallory@evil.example", "primary": true}]);
    full_user["phoneNumbers"] = json!([{"value": "+55 11 99999-0000"}]);
    directory.scim_put(&format!("{USERS}/{membership}"), full_user).await.assert_status(200);
    // A verified address of an account does not link it.
    let namesake = directory.create_scim_user("namesake").await;
    let patch = json!([{"op": "add", "path": "emails", "value": [{"value": "ana@home.example"}]}]);
    directory.scim_patch(&format!("{USERS}/{}", namesake.text_member("id")), patch).await.assert_status(200);
    let after = world.dump_database().await;
    for table in
        ["accounts", "contacts", "credentials", "identities", "sessions", "grants", "invitations", "outbox"]
    {
        assert_eq!(before[table], after[table], "{table} has changed");
    }
    let response = world
        .create_owner(&acme)
        .await
        .get(&acme.path(&format!("/members/{}", namesake.text_member("id"))))
        .await
        .assert_status(200);
    assert_eq!(response.body["kind"], "unclaimed");
}
