//! What operators read and change: accounts, grants, signing keys and settings.

use crate::both_engines;
use crate::harness::grants::GrantRequest;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::time::Lifetime;

both_engines!(
    account_is_found_disabled_enabled_and_signed_out_by_operators,
    operator_actions_on_members_are_in_their_organizations_audit_log,
    password_reset_is_started_by_operators_but_chosen_by_the_user,
    password_reset_started_by_operators_is_rate_limited_and_localized,
    sessions_of_all_accounts_are_ended_by_one_request,
    account_management_refuses_disabling_the_own_account_and_non_operators,
    grant_is_listed_and_revoked_with_all_its_tokens,
    signing_keys_and_settings_are_returned_and_a_rotation_is_announced_once
);

async fn account_is_found_disabled_enabled_and_signed_out_by_operators(world: &World) {
    let operator = world.create_operator().await;
    let ana = world.create_signed_in_user("ana@example.com").await;
    let response = operator.get("/manage/accounts?email=Ana@EXAMPLE.com").await.assert_status(200);
    let [account] = response.body["items"].as_array().unwrap().as_slice() else {
        panic!("{}", response.text)
    };
    let path = format!("/manage/accounts/{}", account["id"].as_str().unwrap());
    let response = operator.get(&path).await.assert_status(200);
    assert_eq!(response.body["contacts"][0]["address"], "ana@example.com");
    assert_eq!(response.body["sessions"], 1);
    response.version();
    assert_eq!(
        operator.get("/manage/accounts?email=nobody@example.com").await.assert_status(200).body["items"],
        json!([])
    );
    let all = operator.get("/manage/accounts?limit=200").await.assert_status(200);
    assert!(all.body["items"].as_array().unwrap().iter().any(|it| it["id"] == account["id"]));

    operator.post(&format!("{path}/disable"), json!(null)).await.assert_status(200);
    assert_eq!(ana.get("/account").await.status, 401);
    assert_eq!(operator.get(&path).await.assert_status(200).body["condition"], "disabled");
    operator.post(&format!("{path}/enable"), json!(null)).await.assert_status(200);
    assert_eq!(ana.get("/account").await.status, 200, "the session is active again");
    operator.delete(&format!("{path}/sessions"), None).await.assert_status(204);
    assert_eq!(ana.get("/account").await.status, 401);
    assert_eq!(operator.get(&path).await.assert_status(200).body["sessions"], 0);
    let audit_log = operator.get("/manage/organizations/operator/audit?limit=200").await.assert_status(200);
    for kind in ["account.disabled", "account.enabled", "account.sessions_ended"] {
        assert!(audit_log.body["items"].as_array().unwrap().iter().any(|it| it["kind"] == kind), "{kind}");
    }
}

async fn operator_actions_on_members_are_in_their_organizations_audit_log(world: &World) {
    let operator = world.create_operator().await;
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let (owner, api_caller) = (world.create_owner(&acme).await, world.create_owner(&other).await);
    let ana = world.create_signed_in_user("ana@example.com").await;
    let membership = ana.join_organization(&acme, "member").await;
    let audit_log = async |api_caller: &crate::harness::api_caller::ApiCaller<'_>, kind: &str| {
        let page =
            api_caller.get(&api_caller.tenant.path(&format!("/audit?kind={kind}"))).await.assert_status(200);
        page.body["items"].as_array().unwrap().clone()
    };
    let path = format!("/manage/accounts/{}", ana.account);
    operator.post(&format!("{path}/reset"), json!(null)).await.assert_status(204);
    operator.post(&format!("{path}/disable"), json!(null)).await.assert_status(200);
    operator.post(&format!("{path}/enable"), json!(null)).await.assert_status(200);
    operator.delete(&format!("{path}/sessions"), None).await.assert_status(204);
    for kind in ["account.reset_started", "account.disabled", "account.enabled", "account.sessions_ended"] {
        let entries = audit_log(&owner, kind).await;
        let [entry] = entries.as_slice() else { panic!("{kind}: {entries:?}") };
        // The organization's event is about the membership and does not name the account.
        assert_eq!(entry["subject"], json!({"kind": "membership", "id": membership}), "{kind}");
        assert!(!entry.to_string().contains(&ana.account.to_string()), "{entry}");
        assert_eq!(audit_log(&api_caller, kind).await, Vec::<Value>::new(), "{kind}");
    }
    // Reading an organization's events is recorded in its audit log before they are returned; reading those of the
    // instance is not.
    operator.get(&format!("/manage/events?organization={}", acme.id)).await.assert_status(200);
    let administered_entries = audit_log(&owner, "organization.administered").await;
    let [look] = administered_entries.as_slice() else { panic!("{administered_entries:?}") };
    assert_eq!(look["detail"]["looked_at"], "events");
    operator.get(&format!("/manage/events/{}", look["id"].as_str().unwrap())).await.assert_status(200);
    assert_eq!(audit_log(&owner, "organization.administered").await.len(), 2);
    assert_eq!(audit_log(&api_caller, "organization.administered").await, Vec::<Value>::new());
    let house = world.find_organization("operator").await;
    operator.get(&format!("/manage/events?organization={}", house.id)).await.assert_status(200);
    assert_eq!(audit_log(&operator, "organization.administered").await, Vec::<Value>::new());
}

async fn password_reset_is_started_by_operators_but_chosen_by_the_user(world: &World) {
    let operator = world.create_operator().await;
    world.create_signed_in_user("ana@example.com").await;
    let response = operator.get("/manage/accounts?email=ana@example.com").await.assert_status(200);
    let path = format!("/manage/accounts/{}", response.body["items"][0]["id"].as_str().unwrap());
    operator.post(&format!("{path}/reset"), json!(null)).await.assert_status(204);
    let outgoing_email = world.newest_email_to("ana@example.com").await.unwrap();
    assert!(
        outgoing_email.text.contains("/reset-password") && !outgoing_email.text.contains("sn_"),
        "{}",
        outgoing_email.text
    );
    let response =
        operator.post(&format!("{path}/reset"), json!({"password": "chosen by somebody else"})).await;
    assert_ne!(response.status, 204);
    assert!(!response.text.contains("chosen"), "{}", response.text);
    // An account without an e-mail address.
    let acme = world.create_organization("acme").await;
    let member = world.create_member(&acme, &["member"]).await;
    let silent = world.account_of_member(&acme, member).await;
    operator
        .post(&format!("/manage/accounts/{silent}/reset"), json!(null))
        .await
        .assert_problem(409, "conflict");
}

async fn password_reset_started_by_operators_is_rate_limited_and_localized(world: &World) {
    let operator = world.create_operator().await;
    let ana = world.create_signed_in_user("ana@example.com").await;
    let response = ana.get("/account").await.assert_status(200);
    ana.patch("/account", Some(response.version()), json!({"language": "pt"})).await.assert_status(200);
    let path = format!("/manage/accounts/{}/reset", ana.account);
    operator.post(&path, json!(null)).await.assert_status(204);
    let outgoing_email = world.newest_email_to("ana@example.com").await.unwrap();
    assert!(outgoing_email.subject.starts_with("Defina uma nova senha"), "{}", outgoing_email.subject);
    let refused = operator.post(&path, json!(null)).await.assert_problem(429, "too_many_requests");
    assert_eq!(refused.headers["retry-after"], "60");
    // Messages that operators request do not use up the limit of the codes that the user needs.
    let mut walk = world.start_flow(json!({"kind": "reset_password"})).await;
    walk.submit("email", json!({"email": "ana@example.com"})).await.assert_status(200);
    let code = world.emailed_code("ana@example.com").await;
    walk.submit("code", json!({"code": code})).await.assert_status(200);
    let mut sent_count = 1;
    for _ in 0..20 {
        world.clock.advance(Lifetime::from_minutes(1));
        sent_count += i32::from(operator.post(&path, json!(null)).await.status == 204);
    }
    assert_eq!(sent_count, 5, "five messages an hour");
}

async fn sessions_of_all_accounts_are_ended_by_one_request(world: &World) {
    let operator = world.create_operator().await;
    let (ana, bob) = (
        world.create_signed_in_user("ana@example.com").await,
        world.create_signed_in_user("bob@example.com").await,
    );
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    owner.post("/manage/sessions/end-all", json!(null)).await.assert_problem(403, "insufficient_scope");
    let house = world.find_organization("operator").await;
    let narrow = world.create_api_key_caller(&house, operator.membership, "instance:read").await;
    narrow.post("/manage/sessions/end-all", json!(null)).await.assert_problem(403, "insufficient_scope");
    for user in [&ana, &bob] {
        user.get("/account").await.assert_status(200);
    }
    operator.post("/manage/sessions/end-all", json!(null)).await.assert_status(204);
    for user in [&ana, &bob] {
        user.get("/account").await.assert_problem(401, "unauthenticated");
    }
    let audit_log = operator
        .get("/manage/organizations/operator/audit?kind=instance.sessions_ended")
        .await
        .assert_status(200);
    let [ended] = audit_log.body["items"].as_array().unwrap().as_slice() else {
        panic!("{}", audit_log.text)
    };
    assert!(ended["detail"]["sessions"].as_i64().is_some_and(|sessions| sessions >= 2), "{ended}");
    // The account can sign in again.
    world
        .sign_in_account(ana.account, &AuthenticationEvidence::from_proof(AuthenticationProof::EmailCode))
        .await
        .get("/account")
        .await
        .assert_status(200);
    operator.post("/manage/sessions/end-all", json!(null)).await.assert_status(204);
}

async fn account_management_refuses_disabling_the_own_account_and_non_operators(world: &World) {
    let operator = world.create_operator().await;
    let own_account = world.account_of_member(&operator.tenant, operator.membership).await;
    operator
        .post(&format!("/manage/accounts/{own_account}/disable"), json!(null))
        .await
        .assert_problem(409, "conflict");
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    for path in
        ["/manage/accounts", "/manage/keys", "/manage/settings", "/manage/events", "/manage/events/stream"]
    {
        owner.get(path).await.assert_problem(403, "insufficient_scope");
    }
    let house = world.find_organization("operator").await;
    let narrow = world.create_api_key_caller(&house, operator.membership, "instance:read").await;
    narrow.get(&format!("/manage/accounts/{own_account}")).await.assert_problem(403, "insufficient_scope");
    narrow
        .post("/manage/keys/rotate", json!({"algorithm": "ES256"}))
        .await
        .assert_problem(403, "insufficient_scope");
}

async fn grant_is_listed_and_revoked_with_all_its_tokens(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, member, app) = (
        world.create_owner(&acme).await,
        world.create_member(&acme, &["admin"]).await,
        world.create_confidential_client().await,
    );
    let granted =
        world.create_grant(&acme, member, &app.id, GrantRequest::for_scope("openid members:read")).await;
    let token = granted.create_caller().await;
    token.get(&acme.path("/members")).await.assert_status(200);
    let response = owner.get(&acme.path(&format!("/grants?member={member}"))).await.assert_status(200);
    let [grant] = response.body["items"].as_array().unwrap().as_slice() else { panic!("{}", response.text) };
    assert_eq!((&grant["client"], &grant["membership"]), (&json!(app.id), &json!(member)));
    let path = acme.path(&format!("/grants/{}", grant["id"].as_str().unwrap()));
    let clerk = world.create_api_key_caller(&acme, owner.membership, "members:read").await;
    clerk.get(&path).await.assert_status(200);
    clerk.delete(&path, None).await.assert_problem(403, "insufficient_scope");
    owner.delete(&path, None).await.assert_status(204);
    owner.delete(&path, None).await.assert_status(204);
    token.get(&acme.path("/members")).await.assert_problem(401, "invalid_token");
    assert!(owner.get(&path).await.assert_status(200).body["revoked_at"].is_string());
    assert_eq!(
        owner.get(&acme.path("/audit?kind=grant.revoked")).await.assert_status(200).body["items"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

async fn signing_keys_and_settings_are_returned_and_a_rotation_is_announced_once(world: &World) {
    let operator = world.create_operator().await;
    let response = operator.get("/manage/keys").await.assert_status(200);
    let signing = |body: &Value| {
        let keys = body["items"].as_array().unwrap().clone();
        keys.into_iter()
            .filter(|it| it["algorithm"] == "ES256" && it["purpose"] == "tokens")
            .collect::<Vec<_>>()
    };
    assert_eq!(signing(&response.body).len(), 1);
    assert!(!response.text.contains("PRIVATE") && !response.text.contains("\"d\""));
    let rotated =
        operator.post("/manage/keys/rotate", json!({"algorithm": "ES256"})).await.assert_status(200);
    let keys = signing(&operator.get("/manage/keys").await.assert_status(200).body);
    let phases: Vec<_> =
        keys.iter().map(|it| (it["kid"] == rotated.body["kid"], it["phase"].as_str().unwrap())).collect();
    assert!(phases.contains(&(true, "announced")) && phases.contains(&(false, "signing")), "{phases:?}");
    operator.post("/manage/keys/rotate", json!({"algorithm": "ES256"})).await.assert_problem(409, "conflict");
    operator
        .post("/manage/keys/rotate", json!({"algorithm": "none"}))
        .await
        .assert_problem(422, "unprocessable");
    let settings = operator.get("/manage/settings").await.assert_status(200);
    assert_eq!(
        (&settings.body["mode"], &settings.body["issuer"]),
        (&json!("development"), &json!(world.issuer()))
    );
}
