//! Failed sign-in attempts: which organization's audit log contains them, and what it reveals.

use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::flow_client::FlowClient;
use crate::harness::oauth_application::OAuthApplication;
use crate::harness::organizations::TestOrganization;
use crate::harness::world::World;
use crate::stories::oauth::authorize::add_member;
use serde_json::{Value, json};
use sinete_store::oauth::clients::ClientOrigin;

both_engines!(
    audit_log_contains_failed_sign_ins_at_an_application_of_the_organization,
    audit_log_contains_failed_sign_ins_of_requests_that_name_the_organization,
    audit_log_does_not_contain_failed_sign_ins_of_members_outside_the_organization,
    audit_log_does_not_reveal_whether_an_address_has_an_account,
);

/// Opens the sign-in flow of an authorization request.
async fn open_sign_in<'w>(app: &OAuthApplication<'w>, changes: &[(&str, Option<&str>)]) -> FlowClient<'w> {
    let response = app.authorize_as_json(None, changes).await;
    assert_eq!(response.status, 401, "{}", response.text);
    let body: Value = serde_json::from_str(&response.text).unwrap();
    let text = |name: &str| body["flow"][name].as_str().unwrap().to_owned();
    app.world.continue_flow(&text("id"), &text("token")).await
}

/// Enters a wrong password for the address.
async fn fail_sign_in(app: &OAuthApplication<'_>, changes: &[(&str, Option<&str>)], email: &str) {
    let walk = open_sign_in(app, changes).await;
    walk.try_submit("password", json!({"email": email, "password": "not the password"}))
        .await
        .assert_status(422);
}

/// The failed attempts in the audit log.
async fn list_failures(owner: &ApiCaller<'_>, tenant: &TestOrganization) -> Vec<Value> {
    let page = owner.get(&tenant.path("/audit?kind=credential.failed")).await.assert_status(200).body;
    page["items"].as_array().unwrap().clone()
}

/// The failed attempts with a password that were counted for the organization.
async fn count_failures(owner: &ApiCaller<'_>, tenant: &TestOrganization) -> u64 {
    owner.world.seal_events().await;
    let report = owner.get(&tenant.path("/usage")).await.assert_status(200).body;
    let find = |list: &Value, name: &str| -> Value {
        list.as_array().unwrap().iter().find(|it| it["name"] == name).cloned().unwrap_or_default()
    };
    let failures = find(&report["metrics"], "sign_in_failures");
    find(&failures["series"], "password")["total"].as_u64().unwrap()
}

async fn audit_log_contains_failed_sign_ins_at_an_application_of_the_organization(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let ana = world.create_user("ana@example.com").await;
    let member = add_member(world, ana.account, &acme, "member").await;
    let app = world.create_application(ClientOrigin::Organization(acme.id), json!({})).await;
    fail_sign_in(&app, &[], "ana@example.com").await;
    let failures = list_failures(&owner, &acme).await;
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert_eq!(failures[0]["actor"]["kind"], "anonymous");
    assert_eq!(failures[0]["subject"], json!({"kind": "membership", "id": member.to_string()}));
    assert_eq!(failures[0]["detail"]["factor"], "password");
    assert_eq!(failures[0]["detail"]["through_client"], app.id.as_str());
    assert_eq!(count_failures(&owner, &acme).await, 1);
}

async fn audit_log_contains_failed_sign_ins_of_requests_that_name_the_organization(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let (owner, api_caller) = (world.create_owner(&acme).await, world.create_owner(&other).await);
    let ana = world.create_user("ana@example.com").await;
    add_member(world, ana.account, &acme, "member").await;
    add_member(world, ana.account, &other, "member").await;
    let app = world.create_application(ClientOrigin::Operator, json!({})).await;
    fail_sign_in(&app, &[("organization", Some("acme"))], "ana@example.com").await;
    assert_eq!(list_failures(&owner, &acme).await.len(), 1);
    assert_eq!(list_failures(&api_caller, &other).await, Vec::<Value>::new());
    assert_eq!((count_failures(&owner, &acme).await, count_failures(&api_caller, &other).await), (1, 0));
}

async fn audit_log_does_not_contain_failed_sign_ins_of_members_outside_the_organization(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let owner = world.create_owner(&acme).await;
    let ana = world.create_user("ana@example.com").await;
    add_member(world, ana.account, &acme, "member").await;
    // At an application of another organization, at one of the operator's, and at the instance itself.
    for origin in [ClientOrigin::Organization(other.id), ClientOrigin::Operator] {
        let app = world.create_application(origin, json!({})).await;
        fail_sign_in(&app, &[], "ana@example.com").await;
    }
    world.sign_in_with_password("ana@example.com", "not the password").await.assert_status(422);
    assert_eq!(list_failures(&owner, &acme).await, Vec::<Value>::new());
    assert_eq!(count_failures(&owner, &acme).await, 0);
}

async fn audit_log_does_not_reveal_whether_an_address_has_an_account(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    world.create_user("bruno@example.com").await;
    let app = world.create_application(ClientOrigin::Organization(acme.id), json!({})).await;
    fail_sign_in(&app, &[], "bruno@example.com").await;
    fail_sign_in(&app, &[], "nobody@example.com").await;
    let mut failures = list_failures(&owner, &acme).await;
    for entry in &mut failures {
        for member in ["id", "at"] {
            assert!(entry.as_object_mut().unwrap().remove(member).is_some(), "{entry}");
        }
    }
    assert_eq!(failures.len(), 2);
    assert_eq!(failures[0], failures[1]);
    assert!(failures[0]["subject"].is_null(), "{}", failures[0]);
}
