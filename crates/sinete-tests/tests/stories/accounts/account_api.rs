//! The account API: what account holders see and change, and what no other account may.

use crate::both_engines;
use crate::harness::api_caller::ApiRequest;
use crate::harness::grants::GrantRequest;
use crate::harness::signed_in_user::{SignedInUser, VERIFIED_PASSKEY};
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::time::Lifetime;
use sinete_store::sign_in::credentials::StoredCredentialKind;

/// A member of every item of a list.
fn each<'a>(list: &'a Value, member: &str) -> Vec<&'a Value> {
    list["items"].as_array().unwrap().iter().map(|item| &item[member]).collect()
}

async fn kinds_of_events(user: &SignedInUser<'_>) -> Vec<String> {
    let events = user.get("/account/events?limit=200").await.assert_status(200);
    each(&events.body, "kind").into_iter().map(|kind| kind.as_str().unwrap().to_owned()).collect()
}

both_engines!(
    account_profile_is_read_and_changed_by_its_user,
    account_api_accepts_sessions_only,
    account_change_by_cookie_needs_a_csrf_token,
    sessions_are_listed_and_ended_individually_or_together,
    sensitive_account_actions_need_recent_authentication_at_the_highest_level,
    contacts_are_added_made_primary_once_verified_and_removed,
    credentials_are_renamed_and_the_last_sign_in_method_cannot_be_removed,
    credentials_removed_concurrently_leave_the_last_one,
    memberships_are_listed_and_left_except_by_the_last_owner,
    account_is_exported_and_then_deleted_with_all_personal_data,
    account_events_are_returned_to_their_user_only,
    authorized_applications_are_listed_and_revoked
);

async fn account_profile_is_read_and_changed_by_its_user(world: &World) {
    let ana = world.create_signed_in_user("ana@example.com").await;
    let response = ana.get("/account").await.assert_status(200);
    assert_eq!(response.body["profile"], json!({}));
    assert_eq!(response.body["session"]["acr"], "urn:sinete:aal:1");
    assert_eq!(response.body["session"]["amr"], json!(["email"]));
    let profile = json!({
        "name": "Ana Souza", "birthdate": "1984-02-29", "zoneinfo": "America/Recife", "locale": "pt-BR",
        "website": "https://ana.example/", "address": {"locality": "Recife", "country": "BR"},
    });
    let patch = json!({"language": "pt", "profile": profile});
    let changed = ana.patch("/account", Some(response.version()), patch).await.assert_status(200);
    assert_eq!(changed.body["language"], "pt");
    assert_eq!(changed.body["profile"]["address"]["locality"], "Recife");
    assert!(changed.body["profile"]["updated_at"].is_i64());
    let forget = json!({"profile": {"birthdate": null, "address": {"country": null}}});
    let forgotten = ana.patch("/account", Some(changed.version()), forget.clone()).await.assert_status(200);
    assert_eq!(forgotten.body["profile"]["birthdate"], Value::Null);
    assert_eq!(forgotten.body["profile"]["address"], json!({"locality": "Recife"}));
    ana.patch("/account", Some(changed.version()), forget).await.assert_problem(412, "precondition_failed");
    let wrong = json!({"profile": {"birthdate": "1985-02-29", "website": "javascript:1", "updated_at": 1}});
    let refused =
        ana.patch("/account", Some(forgotten.version()), wrong).await.assert_problem(422, "unprocessable");
    assert!(
        refused.fault_pointers().contains(&"/profile/updated_at".to_owned()),
        "{:?}",
        refused.fault_pointers()
    );
    let wrong = json!({"profile": {"birthdate": "1985-02-29", "website": "javascript:1"}});
    let refused =
        ana.patch("/account", Some(forgotten.version()), wrong).await.assert_problem(422, "unprocessable");
    assert_eq!(refused.fault_pointers(), ["/profile/birthdate", "/profile/website"]);
}

async fn account_api_accepts_sessions_only(world: &World) {
    let operator = world.create_operator().await;
    for path in ["/account", "/account/credentials", "/account/sessions", "/account/export"] {
        let refused = operator.get(path).await.assert_problem(401, "unauthenticated");
        assert_eq!(refused.headers["www-authenticate"], "Session");
    }
    let ana = world.create_signed_in_user("ana@example.com").await;
    let user = SignedInUser { token: format!("{}x", ana.token), ..ana.clone() };
    user.get("/account").await.assert_problem(401, "unauthenticated");
    ana.get("/account").await.assert_status(200);
}

async fn account_change_by_cookie_needs_a_csrf_token(world: &World) {
    let ana = world.create_signed_in_user("ana@example.com").await;
    let response = ana.get("/account").await.assert_status(200);
    let token = response.body["session"]["csrf_token"].as_str().unwrap().to_owned();
    let ends = |headers: Vec<(&'static str, String)>| {
        let mut headers = headers;
        headers.push(("cookie", format!("sinete_session={}", ana.token)));
        world.send_request(
            Method::POST,
            "/account/sessions/end-others",
            ApiRequest { headers, ..ApiRequest::default() },
        )
    };
    let site = ("sec-fetch-site", "same-origin".to_owned());
    ends(vec![]).await.assert_problem(403, "forbidden");
    ends(vec![("x-csrf-token", token.clone())]).await.assert_problem(403, "forbidden");
    ends(vec![site.clone()]).await.assert_problem(403, "forbidden");
    ends(vec![site.clone(), ("x-csrf-token", "AAAAAAAAAAAAAAAAAAAAAA".to_owned())])
        .await
        .assert_problem(403, "forbidden");
    let other = world
        .sign_in_account(ana.account, &AuthenticationEvidence::from_proof(AuthenticationProof::EmailCode))
        .await;
    let others = other.get("/account").await.body["session"]["csrf_token"].as_str().unwrap().to_owned();
    ends(vec![site.clone(), ("x-csrf-token", others)]).await.assert_problem(403, "forbidden");
    let cross = ("sec-fetch-site", "cross-site".to_owned());
    ends(vec![cross, ("x-csrf-token", token.clone())]).await.assert_problem(403, "forbidden");
    other.get("/account").await.assert_status(200);
    ends(vec![site, ("x-csrf-token", token)]).await.assert_status(204);
    other.get("/account").await.assert_problem(401, "unauthenticated");
}

async fn sessions_are_listed_and_ended_individually_or_together(world: &World) {
    let ana = world.create_signed_in_user("ana@example.com").await;
    let phone =
        world.sign_in_account(ana.account, &AuthenticationEvidence::from_proof(VERIFIED_PASSKEY)).await;
    let tablet = world
        .sign_in_account(ana.account, &AuthenticationEvidence::from_proof(AuthenticationProof::Password))
        .await;
    let bob = world.create_signed_in_user("bob@example.com").await;
    let response = ana.get("/account/sessions").await.assert_status(200);
    assert_eq!(each(&response.body, "is_current"), [true, false, false]);
    let ids: Vec<String> =
        each(&response.body, "id").iter().map(|id| id.as_str().unwrap().to_owned()).collect();
    bob.delete(&format!("/account/sessions/{}", ids[1])).await.assert_problem(404, "not_found");
    ana.delete(&format!("/account/sessions/{}", ids[1])).await.assert_status(204);
    phone.get("/account").await.assert_problem(401, "unauthenticated");
    ana.delete(&format!("/account/sessions/{}", ids[1])).await.assert_problem(404, "not_found");
    ana.post("/account/sessions/end-others", Value::Null).await.assert_status(204);
    tablet.get("/account").await.assert_problem(401, "unauthenticated");
    bob.get("/account").await.assert_status(200);
    ana.delete(&format!("/account/sessions/{}", ids[0])).await.assert_status(204);
    ana.get("/account").await.assert_problem(401, "unauthenticated");
}

async fn sensitive_account_actions_need_recent_authentication_at_the_highest_level(world: &World) {
    let ana = world.create_signed_in_user("ana@example.com").await;
    let spare = ana.add_credential(StoredCredentialKind::Password, "", b"hash").await;
    let contact = json!({"kind": "email", "address": "ana@work.example"});
    ana.post("/account/contacts", contact.clone()).await.assert_status(201);
    world.clock.advance(Lifetime::from_seconds(301));
    let refused = ana.post("/account/contacts", json!({"kind": "phone", "address": "+5581999990000"})).await;
    let refused = refused.assert_problem(401, "insufficient_user_authentication");
    let challenge = "Session error=\"insufficient_user_authentication\", \
                     acr_values=\"urn:sinete:aal:1\", max_age=\"300\"";
    assert_eq!(refused.headers["www-authenticate"], challenge);
    let needs = json!({"flow": "step_up", "acr_values": "urn:sinete:aal:1", "max_age": 300});
    assert_eq!(refused.body["needs"], needs);
    for path in ["/account/export"] {
        ana.get(path).await.assert_problem(401, "insufficient_user_authentication");
    }
    let credential = format!("/account/credentials/{spare}");
    ana.delete(&credential).await.assert_problem(401, "insufficient_user_authentication");
    ana.delete("/account").await.assert_problem(401, "insufficient_user_authentication");
    // An account with a passkey must use it for a step-up, however recent another authentication is.
    ana.add_credential(StoredCredentialKind::Passkey, "phone", b"key").await;
    let mail = world
        .sign_in_account(ana.account, &AuthenticationEvidence::from_proof(AuthenticationProof::EmailCode))
        .await;
    let refused = mail.delete(&credential).await.assert_problem(401, "insufficient_user_authentication");
    assert_eq!(refused.body["needs"]["acr_values"], "urn:sinete:aal:2");
    let strong =
        world.sign_in_account(ana.account, &AuthenticationEvidence::from_proof(VERIFIED_PASSKEY)).await;
    strong.delete(&credential).await.assert_status(204);
    mail.get("/account").await.assert_problem(401, "unauthenticated");
    assert!(kinds_of_events(&strong).await.contains(&"credential.removed".to_owned()));
}

async fn contacts_are_added_made_primary_once_verified_and_removed(world: &World) {
    let ana = world.create_signed_in_user("ana@example.com").await;
    let bob = world.create_signed_in_user("bob@example.com").await;
    let added = ana
        .post("/account/contacts", json!({"kind": "email", "address": "Ana@Work.Example"}))
        .await
        .assert_status(201);
    assert_eq!((&added.body["verified_at"], &added.body["is_primary"]), (&Value::Null, &json!(false)));
    let path = format!("/account/contacts/{}", added.text_member("id"));
    assert_eq!(added.headers["location"].to_str().unwrap(), path);
    let duplicate_contact = json!({"kind": "email", "address": "ANA@work.example"});
    ana.post("/account/contacts", duplicate_contact).await.assert_problem(409, "conflict");
    // The response does not reveal that another account has verified the address.
    ana.post("/account/contacts", json!({"kind": "email", "address": "bob@example.com"}))
        .await
        .assert_status(201);
    for (kind, address) in [
        ("email", "ana@example.com, bob@example.com"),
        ("email", "ana@example.com\r\nBcc: x@y.z"),
        ("email", "a@b@c"),
        ("phone", "81 99999 0000"),
        ("phone", "ana@example.com"),
    ] {
        let refused = ana.post("/account/contacts", json!({"kind": kind, "address": address})).await;
        assert_eq!(refused.assert_problem(422, "unprocessable").fault_pointers(), ["/address"], "{address}");
    }
    ana.post(&format!("{path}/primary"), Value::Null).await.assert_problem(409, "conflict");
    bob.post(&format!("{path}/primary"), Value::Null).await.assert_problem(404, "not_found");
    bob.delete(&path).await.assert_problem(404, "not_found");
    let id = added.text_member("id").parse().unwrap();
    let now = world.server.engine().now();
    world.apply_statements([sinete_store::accounts::contacts::verify_contact(ana.account, id, now)]).await;
    let response = ana.post(&format!("{path}/primary"), Value::Null).await.assert_status(200);
    assert_eq!(response.body["is_primary"], true);
    ana.delete(&path).await.assert_problem(409, "conflict");
    let response = ana.get("/account/contacts").await.assert_status(200);
    let items = response.body["items"].as_array().unwrap();
    let primary: Vec<_> = items.iter().filter(|it| it["is_primary"] == true).collect();
    assert_eq!(primary.iter().map(|it| &it["address"]).collect::<Vec<_>>(), ["Ana@Work.Example"]);
    let first = items.iter().find(|it| it["address"] == "ana@example.com").unwrap()["id"].as_str().unwrap();
    ana.delete(&format!("/account/contacts/{first}")).await.assert_status(204);
    let page = ana.get("/account/contacts?limit=1").await.assert_status(200);
    let next = page.text_member("next");
    let rest = ana.get(&format!("/account/contacts?limit=1&after={next}")).await.assert_status(200);
    assert_ne!(rest.body["items"], page.body["items"]);
    assert_eq!((rest.body["items"].as_array().unwrap().len(), &rest.body["next"]), (1, &Value::Null));
}

async fn credentials_are_renamed_and_the_last_sign_in_method_cannot_be_removed(world: &World) {
    let ana = world.create_signed_in_user("ana@example.com").await;
    let (one, two) = (
        ana.add_credential(StoredCredentialKind::Password, "", b"hash").await,
        ana.add_credential(StoredCredentialKind::Totp, "app", b"seed").await,
    );
    let ana = world
        .sign_in_account(
            ana.account,
            &AuthenticationEvidence::from_proof(AuthenticationProof::Password)
                .with_proof(AuthenticationProof::Totp),
        )
        .await;
    let path = |id: &dyn std::fmt::Display| format!("/account/credentials/{id}");
    let response = ana.patch(&path(&two), None, json!({"name": " my phone "})).await.assert_status(200);
    assert_eq!((&response.body["name"], &response.body["kind"]), (&json!("my phone"), &json!("totp")));
    ana.patch(&path(&two), None, json!({"name": "a\u{202e}b"})).await.assert_problem(422, "unprocessable");
    let response = ana.get("/account/credentials").await.assert_status(200);
    assert!(!response.text.contains("hash") && !response.text.contains("seed"), "{}", response.text);
    let bob = world.create_signed_in_user("bob@example.com").await;
    bob.patch(&path(&one), None, json!({"name": "x"})).await.assert_problem(404, "not_found");
    bob.delete(&path(&one)).await.assert_problem(404, "not_found");
    // Without a verified address, the password is the last credential to sign in with.
    world.apply_statements([sinete_store::accounts::contacts::delete_account_contacts(ana.account)]).await;
    ana.delete(&path(&one)).await.assert_problem(409, "conflict");
    ana.delete(&path(&two)).await.assert_status(204);
    let credentials = ana.get("/account/credentials").await.assert_status(200);
    assert_eq!(each(&credentials.body, "kind"), ["password"]);
}

async fn credentials_removed_concurrently_leave_the_last_one(world: &World) {
    let ana = world.create_signed_in_user("ana@example.com").await;
    let (one, two) = (
        ana.add_credential(StoredCredentialKind::Passkey, "a", b"x").await,
        ana.add_credential(StoredCredentialKind::Passkey, "b", b"x").await,
    );
    world.apply_statements([sinete_store::accounts::contacts::delete_account_contacts(ana.account)]).await;
    let ana = world.sign_in_account(ana.account, &AuthenticationEvidence::from_proof(VERIFIED_PASSKEY)).await;
    let (first, second) = (format!("/account/credentials/{one}"), format!("/account/credentials/{two}"));
    let (first, second) = tokio::join!(ana.delete(&first), ana.delete(&second));
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 409]);
    assert_eq!(ana.get("/account/credentials").await.body["items"].as_array().unwrap().len(), 1);
}

async fn memberships_are_listed_and_left_except_by_the_last_owner(world: &World) {
    let acme = world.create_organization("acme").await;
    let ana = world.create_signed_in_user("ana@example.com").await;
    let membership = ana.join_organization(&acme, "owner").await;
    let response = ana.get("/account/memberships").await.assert_status(200);
    assert_eq!(response.body["items"][0]["organization"]["slug"], "acme");
    assert_eq!(response.body["items"][0]["roles"], json!(["owner"]));
    let path = format!("/account/memberships/{membership}");
    let bob = world.create_signed_in_user("bob@example.com").await;
    bob.delete(&path).await.assert_problem(404, "not_found");
    ana.delete(&path).await.assert_problem(409, "conflict");
    ana.delete("/account").await.assert_problem(409, "conflict");
    bob.join_organization(&acme, "owner").await;
    ana.delete(&path).await.assert_status(204);
    assert_eq!(ana.get("/account/memberships").await.body["items"], json!([]));
    let owner = world.create_owner(&acme).await;
    let audit_log = owner.get(&acme.path("/audit?limit=200")).await.assert_status(200);
    assert!(each(&audit_log.body, "kind").contains(&&json!("membership.ended")));
}

async fn account_is_exported_and_then_deleted_with_all_personal_data(world: &World) {
    let acme = world.create_organization("acme").await;
    let ana = world.create_signed_in_user("ana@example.com").await;
    let membership = ana.join_organization(&acme, "member").await;
    ana.patch("/account", Some(1), json!({"profile": {"name": "Ana Souza"}})).await.assert_status(200);
    ana.add_credential(StoredCredentialKind::Password, "", b"hash").await;
    let everything = ana.get("/account/export").await.assert_status(200);
    assert_eq!(everything.body["account"]["profile"]["name"], "Ana Souza");
    assert_eq!(everything.body["contacts"][0]["address"], "ana@example.com");
    assert_eq!(everything.body["memberships"][0]["id"], membership.to_string());
    assert!(everything.body["events"].as_array().unwrap().len() >= 2);
    let elsewhere = world
        .sign_in_account(ana.account, &AuthenticationEvidence::from_proof(AuthenticationProof::EmailCode))
        .await;
    ana.delete("/account").await.assert_status(204);
    for gone in [&ana, &elsewhere] {
        gone.get("/account").await.assert_problem(401, "unauthenticated");
    }
    let engine = world.server.engine();
    let erased_account =
        sinete_store::accounts::find_account(engine.store(), ana.account).await.unwrap().unwrap();
    assert_eq!(erased_account.condition, sinete_core::access_control::subject::LifecycleCondition::Ended);
    let dump = format!("{:?}", world.dump_database().await);
    for personal in ["Ana Souza", "ana@example.com"] {
        assert!(!dump.contains(personal), "{personal} is still there");
    }
    let owner = world.create_owner(&acme).await;
    owner.get(&acme.path(&format!("/members/{membership}"))).await.assert_problem(404, "not_found");
}

async fn account_events_are_returned_to_their_user_only(world: &World) {
    let ana = world.create_signed_in_user("ana@example.com").await;
    let bob = world.create_signed_in_user("bob@example.com").await;
    ana.patch("/account", Some(1), json!({"language": "en"})).await.assert_status(200);
    assert_eq!(kinds_of_events(&ana).await, ["session.started", "account.changed"]);
    assert_eq!(kinds_of_events(&bob).await, ["session.started"]);
}

async fn authorized_applications_are_listed_and_revoked(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, app, client) = (
        world.create_owner(&acme).await,
        world.create_confidential_client().await,
        world.create_confidential_client().await,
    );
    let granted =
        world.create_grant(&acme, owner.membership, &app.id, GrantRequest::for_scope("audit:read")).await;
    let other =
        world.create_grant(&acme, owner.membership, &client.id, GrantRequest::for_scope("audit:read")).await;
    let (token, refresh) = (granted.create_caller().await, granted.issue_refresh_token().await);
    let account = world.account_of_member(&acme, owner.membership).await;
    let user = SignedInUser { world, account, token: world.create_session(account).await.token };
    let response = user.get("/account/applications").await.assert_status(200);
    assert_eq!(each(&response.body, "client_id").len(), 2);
    let path = format!("/account/memberships/{}/applications/{}", owner.membership, app.id);
    world.create_signed_in_user("bob@example.com").await.delete(&path).await.assert_problem(404, "not_found");
    token.get(&acme.path("/audit")).await.assert_status(200);
    user.delete(&path).await.assert_status(204);
    token.get(&acme.path("/audit")).await.assert_problem(401, "invalid_token");
    assert_eq!(world.introspect(&app, &refresh).await, json!({"active": false}));
    other.create_caller().await.get(&acme.path("/audit")).await.assert_status(200);
    let response = user.get("/account/applications").await.assert_status(200);
    assert_eq!(each(&response.body, "client_id"), [&json!(client.id)]);
}
