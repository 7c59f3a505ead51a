//! Users: memberships that a directory makes, changes, switches off and ends.

use crate::both_engines;
use crate::harness::api::ApiRequest;
use crate::harness::directory::USERS;
use crate::harness::tenants::OWNERS_SCOPE;
use crate::harness::world::World;
use crate::stories::manage::conventions::join_all;
use reqwest::Method;
use serde_json::{Value, json};

/// What Okta sends for a new user.
fn by_okta(user_name: &str) -> Value {
    json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"],
        "userName": user_name, "externalId": "00ujl29u0le5T6Aj10h7",
        "name": {"givenName": "Ana", "familyName": "Souza"},
        "emails": [{"primary": true, "value": user_name, "type": "work"}],
        "displayName": "Ana Souza", "locale": "en-US", "groups": [], "password": "1mz050nq", "active": true,
    })
}

/// What Entra ID sends for a new user.
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
    a_directory_makes_a_user_that_belongs_to_nobody_and_the_organization_sees_it,
    okta_and_entra_id_find_change_and_switch_off_in_their_own_ways,
    whoever_is_switched_off_or_removed_is_out_at_once,
    a_name_is_there_once_and_free_when_its_user_is_gone,
    of_many_who_make_the_same_user_at_once_one_does,
    what_a_directory_may_not_say_is_refused_or_passed_over,
    a_version_that_was_seen_is_held_and_one_that_is_known_is_not_told_again,
    whoever_owns_the_organization_is_not_switched_off_by_a_directory,
    whoever_held_more_than_the_directory_hands_out_is_not_brought_back_by_it,
    nothing_of_an_account_is_within_the_reach_of_a_directory
);

async fn a_directory_makes_a_user_that_belongs_to_nobody_and_the_organization_sees_it(world: &World) {
    let acme = world.tenant("acme").await;
    let (owner, okta) = (world.owner(&acme).await, world.directory(&acme).await);
    let made = okta.post(USERS, by_okta("ana@acme.example")).await.is(201);
    let id = made.text_of("id");
    let location = format!("{}{USERS}/{id}", world.issuer());
    assert_eq!(made.headers["location"].to_str().unwrap(), location);
    assert_eq!(
        (&made.body["meta"]["location"], &made.body["meta"]["version"]),
        (&json!(location), &json!("W/\"1\""))
    );
    assert_eq!(made.headers["etag"], "W/\"1\"");
    assert_eq!((&made.body["userName"], &made.body["active"]), (&json!("ana@acme.example"), &json!(true)));
    assert_eq!(made.body["groups"][0]["display"], "member");
    assert!(!made.text.contains("1mz050nq"), "what it sends as a password is nothing to us");
    assert_eq!(okta.get(&format!("{USERS}/{id}")).await.is(200).body, made.body);
    let seen = owner.get(&acme.path(&format!("/members/{id}"))).await.is(200);
    assert_eq!(
        (&seen.body["kind"], &seen.body["external_id"]),
        (&json!("unclaimed"), &json!("00ujl29u0le5T6Aj10h7"))
    );
    let profile = json!({"name": "Ana Souza", "given_name": "Ana", "family_name": "Souza", "email": "ana@acme.example"});
    assert_eq!(seen.body["profile"], profile);
    let rui = okta.post(USERS, by_entra("rui@acme.example")).await.is(201);
    let seen = owner.get(&acme.path(&format!("/members/{}", rui.text_of("id")))).await.is(200);
    assert_eq!(
        (&seen.body["profile"]["department"], &seen.body["profile"]["title"]),
        (&json!("Livros"), &json!("Contador"))
    );
    let trail = owner.get(&acme.path("/audit")).await.is(200);
    let entry =
        trail.body["items"].as_array().unwrap().iter().find(|it| it["subject"]["id"] == id.as_str()).unwrap();
    assert_eq!((&entry["kind"], &entry["actor"]["kind"]), (&json!("membership.created"), &json!("api_key")));
    assert!(!trail.text.contains("ana@acme.example"), "a trail names nobody's address");
}

async fn okta_and_entra_id_find_change_and_switch_off_in_their_own_ways(world: &World) {
    let acme = world.tenant("acme").await;
    let directory = world.directory(&acme).await;
    assert_eq!(
        directory.filters(USERS, r#"userName eq "ana@acme.example""#).await.is(200).body["totalResults"],
        0
    );
    let id = directory.post(USERS, by_okta("ana@acme.example")).await.is(201).text_of("id");
    let path = format!("{USERS}/{id}");
    let found = directory.filters(USERS, r#"userName eq "Ana@ACME.example""#).await.is(200);
    assert_eq!((found.listed(), &found.body["totalResults"]), (vec![id.clone()], &json!(1)));
    // Okta puts the whole user in its place, and deactivates without a path.
    let mut whole = by_okta("ana@acme.example");
    whole["name"]["familyName"] = json!("Lima");
    whole["id"] = json!(id);
    let changed = directory.puts(&path, whole).await.is(200);
    assert_eq!(
        (&changed.body["name"]["familyName"], &changed.body["meta"]["version"]),
        (&json!("Lima"), &json!("W/\"2\""))
    );
    let off = directory.changes(&path, json!([{"op": "replace", "value": {"active": false}}])).await.is(200);
    assert_eq!(off.body["active"], false);
    let on = directory.changes(&path, json!([{"op": "replace", "value": {"active": true}}])).await.is(200);
    assert_eq!(on.body["active"], true);
    // Entra ID writes truths as text, and names places that are not there yet.
    let department = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department";
    let changed = directory
        .changes(
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
        .is(200);
    assert_eq!(changed.body["active"], false);
    assert_eq!(changed.body["phoneNumbers"], json!([{"type": "mobile", "value": "+55 11 99999-0000"}]));
    assert_eq!(changed.body["emails"][0]["value"], "ana.lima@acme.example");
    assert!(changed.body["locale"].is_null());
    let again = directory
        .changes(&path, json!([{"op": "Replace", "path": "active", "value": "False"}]))
        .await
        .is(200);
    assert_eq!(
        again.body["meta"]["version"], changed.body["meta"]["version"],
        "what is so already changes nothing"
    );
    assert_eq!((world.logged("membership.disabled").await, world.logged("membership.enabled").await), (2, 1));
}

async fn whoever_is_switched_off_or_removed_is_out_at_once(world: &World) {
    let acme = world.tenant("acme").await;
    let directory = world.directory(&acme).await;
    let ana = world.member(&acme, &["member"]).await;
    let holds = [
        world.key(&acme, ana, "organization:read").await,
        world.bearer(&acme, ana, "organization:read").await,
    ];
    let is_in = async || {
        let [key, token] =
            [holds[0].get(&acme.path("")).await.status, holds[1].get(&acme.path("")).await.status];
        assert_eq!(key, token);
        key
    };
    let path = format!("{USERS}/{ana}");
    assert_eq!(is_in().await, 200);
    // Whom no directory ever named goes by the id.
    assert_eq!(directory.get(&path).await.is(200).body["userName"], ana.to_string());
    directory.changes(&path, json!([{"op": "Replace", "path": "active", "value": "False"}])).await.is(200);
    assert_eq!(is_in().await, 401);
    directory.changes(&path, json!([{"op": "Replace", "path": "active", "value": "True"}])).await.is(200);
    assert_eq!(is_in().await, 200);
    directory.delete(&path, None).await.is(204);
    assert_eq!(is_in().await, 401);
    directory.get(&path).await.turned_down(404, "");
    directory.delete(&path, None).await.turned_down(404, "");
    directory
        .changes(&path, json!([{"op": "Replace", "path": "active", "value": "True"}]))
        .await
        .turned_down(404, "");
    assert_eq!(is_in().await, 401);
}

async fn a_name_is_there_once_and_free_when_its_user_is_gone(world: &World) {
    let acme = world.tenant("acme").await;
    let directory = world.directory(&acme).await;
    let first = directory.post(USERS, by_okta("ana@acme.example")).await.is(201).text_of("id");
    directory.post(USERS, by_entra("ANA@acme.example")).await.turned_down(409, "uniqueness");
    directory.post(USERS, by_okta("other@acme.example")).await.turned_down(409, "uniqueness");
    let other = directory.post(USERS, by_entra("rui@acme.example")).await.is(201).text_of("id");
    let path = format!("{USERS}/{other}");
    let taken = json!([{"op": "replace", "path": "userName", "value": "Ana@acme.example"}]);
    directory.changes(&path, taken.clone()).await.turned_down(409, "uniqueness");
    let external = json!([{"op": "replace", "path": "externalId", "value": "00ujl29u0le5T6Aj10h7"}]);
    directory.changes(&path, external).await.turned_down(409, "uniqueness");
    directory.delete(&format!("{USERS}/{first}"), None).await.is(204);
    directory.changes(&path, taken).await.is(200);
    assert_ne!(directory.post(USERS, by_okta("ana2@acme.example")).await.is(201).text_of("id"), first);
    // Somebody else may have ended the membership; the name is free all the same.
    world.owner(&acme).await.delete(&acme.path(&format!("/members/{other}")), None).await.is(204);
    directory.post(USERS, by_entra("ana@acme.example")).await.is(201);
}

async fn of_many_who_make_the_same_user_at_once_one_does(world: &World) {
    let acme = world.tenant("acme").await;
    let directory = world.directory(&acme).await;
    let racers = (0..8).map(|_| directory.post(USERS, by_entra("ana@acme.example")));
    let mut statuses: Vec<u16> = join_all(racers.collect()).await.iter().map(|reply| reply.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409, 409, 409, 409, 409, 409, 409]);
    assert_eq!(world.logged("membership.created").await, 1);
}

async fn what_a_directory_may_not_say_is_refused_or_passed_over(world: &World) {
    let acme = world.tenant("acme").await;
    let directory = world.directory(&acme).await;
    for (sent, word) in [
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
            json!({"userName": "x", "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {"manager": {"value": "7"}}}),
            "invalidValue",
        ),
    ] {
        directory.post(USERS, sent).await.turned_down(400, word);
    }
    let id = directory.provisions("ana").await.text_of("id");
    let path = format!("{USERS}/{id}");
    for (operation, word) in [
        (json!({"op": "replace", "path": "id", "value": "7"}), "mutability"),
        (json!({"op": "add", "path": "groups", "value": [{"value": "7"}]}), "mutability"),
        (json!({"op": "replace", "path": "password", "value": "kettle"}), "invalidPath"),
        (
            json!({"op": "replace", "path": "emails[type like \"x\"].value", "value": "a@b.example"}),
            "invalidFilter",
        ),
        (json!({"op": "remove"}), "noTarget"),
        (json!({"op": "remove", "path": "userName"}), "invalidValue"),
        (json!({"op": "shuffle", "path": "title"}), "invalidSyntax"),
    ] {
        directory.changes(&path, json!([operation])).await.turned_down(400, word);
    }
    let passed_over =
        json!({"userName": "ana", "id": "7", "groups": [{"value": "7"}], "password": "kettle", "x": 1});
    let kept = directory.puts(&path, passed_over).await.is(200);
    assert_eq!((kept.text_of("id"), &kept.body["groups"][0]["display"]), (id.clone(), &json!("member")));
    directory.get(&format!("{USERS}/no-id")).await.turned_down(404, "");
}

async fn a_version_that_was_seen_is_held_and_one_that_is_known_is_not_told_again(world: &World) {
    let acme = world.tenant("acme").await;
    let directory = world.directory(&acme).await;
    let path = format!("{USERS}/{}", directory.provisions("ana").await.text_of("id"));
    let title = |title: &str| json!({"Operations": [{"op": "replace", "path": "title", "value": title}]});
    let with = async |method: Method, header: &'static str, tag: &str, body: Option<Value>| {
        directory
            .ask(
                method,
                &path,
                ApiRequest { body, headers: vec![(header, tag.to_owned())], ..ApiRequest::default() },
            )
            .await
    };
    with(Method::PATCH, "if-match", "W/\"1\"", Some(title("a"))).await.is(200);
    with(Method::PATCH, "if-match", "W/\"1\"", Some(title("b"))).await.turned_down(412, "");
    with(Method::PUT, "if-match", "\"9\"", Some(json!({"userName": "ana"}))).await.turned_down(412, "");
    with(Method::DELETE, "if-match", "\"1\"", None).await.turned_down(412, "");
    assert_eq!(directory.get(&path).await.is(200).body["title"], "a");
    assert_eq!(
        world
            .http
            .get(world.public(&path))
            .bearer_auth(&directory.secret)
            .header("if-none-match", "W/\"2\"")
            .send()
            .await
            .unwrap()
            .status(),
        304
    );
    with(Method::DELETE, "if-match", "\"2\"", None).await.is(204);
}

async fn whoever_owns_the_organization_is_not_switched_off_by_a_directory(world: &World) {
    let acme = world.tenant("acme").await;
    let directory = world.directory(&acme).await;
    let owner = directory.membership;
    let off = json!([{"op": "replace", "path": "active", "value": false}]);
    let path = format!("{USERS}/{owner}");
    directory.changes(&path, off.clone()).await.turned_down(403, "");
    directory.delete(&path, None).await.turned_down(403, "");
    // An owner's own key does, as long as another owner is left.
    let whole = world.key(&acme, owner, OWNERS_SCOPE).await;
    whole.changes(&path, off.clone()).await.turned_down(409, "");
    let other = world.member(&acme, &["owner"]).await;
    whole.changes(&format!("{USERS}/{other}"), off).await.is(200);
}

async fn whoever_held_more_than_the_directory_hands_out_is_not_brought_back_by_it(world: &World) {
    let acme = world.tenant("acme").await;
    let (owner, directory) = (world.owner(&acme).await, world.directory(&acme).await);
    let admin = world.member(&acme, &["admin"]).await;
    let path = format!("{USERS}/{admin}");
    let turn = |active: bool| json!([{"op": "replace", "path": "active", "value": active}]);
    directory.changes(&path, turn(false)).await.is(200);
    directory.changes(&path, turn(true)).await.turned_down(403, "");
    owner.changes(&path, turn(true)).await.is(200);
}

async fn nothing_of_an_account_is_within_the_reach_of_a_directory(world: &World) {
    let acme = world.tenant("acme").await;
    let ana = world.oneself("ana@home.example").await;
    let membership = ana.joins(&acme, "member").await;
    let directory = world.directory(&acme).await;
    directory.get(USERS).await.is(200);
    let before = world.dump().await;
    let mut whole = by_okta("ana@home.example");
    whole["emails"] = json!([{"value": "mallory@evil.example", "primary": true}]);
    whole["phoneNumbers"] = json!([{"value": "+55 11 99999-0000"}]);
    directory.puts(&format!("{USERS}/{membership}"), whole).await.is(200);
    // An address that somebody has proven links to nobody.
    let namesake = directory.provisions("namesake").await;
    let named = json!([{"op": "add", "path": "emails", "value": [{"value": "ana@home.example"}]}]);
    directory.changes(&format!("{USERS}/{}", namesake.text_of("id")), named).await.is(200);
    let after = world.dump().await;
    for table in
        ["accounts", "contacts", "credentials", "identities", "sessions", "grants", "invitations", "outbox"]
    {
        assert_eq!(before[table], after[table], "{table} has changed");
    }
    let seen = world
        .owner(&acme)
        .await
        .get(&acme.path(&format!("/members/{}", namesake.text_of("id"))))
        .await
        .is(200);
    assert_eq!(seen.body["kind"], "unclaimed");
}
