//! The first owner of an organization: operators invite one until a user has joined, and nothing more.

use crate::both_engines;
use crate::harness::organizations::{OPERATOR_SCOPE, OWNER_SCOPE};
use crate::harness::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;

fn first_owner_path(slug: &str) -> String {
    format!("/manage/first-owners/{slug}")
}

both_engines!(
    first_owner_is_invited_again_until_a_user_joins,
    first_owner_is_not_invited_after_a_user_joined,
    first_owner_is_for_operators_only,
    first_owner_of_a_built_in_or_suspended_organization_is_refused
);

async fn first_owner_is_invited_again_until_a_user_joins(world: &World) {
    let (acme, operator) = (world.create_organization("acme").await, world.create_operator().await);
    let path = first_owner_path(&acme.slug);
    let none = operator.get(&path).await.assert_status(200);
    assert_eq!(none.body, json!({"state": "missing", "email": null, "expires_at": null}));
    let wrong = operator.post(&path, json!({"email": "nobody"})).await.assert_problem(422, "unprocessable");
    assert_eq!(wrong.fault_pointers(), ["/email"]);
    let first = operator.post(&path, json!({"email": "joao@example.com"})).await.assert_status(200);
    assert_eq!((&first.body["state"], &first.body["email"]), (&json!("invited"), &json!("joao@example.com")));
    assert!(!first.text.contains("sn_in_"), "the link is in the mail and nowhere else");
    // Another address replaces the first one: its link and its membership end.
    let second = operator.post(&path, json!({"email": "ana@example.com"})).await.assert_status(200);
    assert_eq!(operator.get(&path).await.assert_status(200).body, second.body);
    assert_eq!(world.count_emails_to("joao@example.com").await, 1);
    assert_eq!(world.count_emails_to("ana@example.com").await, 1);
    assert_eq!(world.count_events("invitation.sent").await, 2);
    world.create_assignment(&operator, &acme, "a look").await;
    let invitations = operator.get(&acme.path("/invitations")).await.assert_status(200);
    let revoked: Vec<bool> =
        invitations.body["items"].as_array().unwrap().iter().map(|it| it["revoked_at"].is_string()).collect();
    assert_eq!(revoked, [false, true], "the newest is first");
    let members = operator.get(&acme.path("/members")).await.assert_status(200);
    assert_eq!(members.body["items"].as_array().unwrap().len(), 1);
    world.clock.advance(Lifetime::from_hours(25));
    let later = world.create_operator().await;
    assert_eq!(later.get(&path).await.assert_status(200).body["state"], "expired");
}

async fn first_owner_is_not_invited_after_a_user_joined(world: &World) {
    let (acme, operator) = (world.create_organization("acme").await, world.create_operator().await);
    let path = first_owner_path(&acme.slug);
    operator.post(&path, json!({"email": "joao@example.com"})).await.assert_status(200);
    let owner = world.create_owner(&acme).await;
    let refused =
        operator.post(&path, json!({"email": "eva@example.com"})).await.assert_problem(409, "conflict");
    assert_eq!(refused.body["type"], "urn:sinete:problem:organization_has_users");
    let mail = world.newest_email_text("joao@example.com").await;
    assert!(mail.contains("owner"), "the message names the role: {mail}");
    // The operator no longer sees who is invited.
    let response = operator.get(&path).await.assert_status(200);
    assert_eq!(response.body, json!({"state": "joined", "email": null, "expires_at": null}));
    assert_eq!(world.count_emails_to("eva@example.com").await, 0);
    // The owner sees the invitation by the operator in the audit log.
    let entries = owner.get(&acme.path("/audit")).await.assert_status(200);
    let is_sent = |it: &&serde_json::Value| it["kind"] == "invitation.sent";
    assert_eq!(entries.body["items"].as_array().unwrap().iter().filter(is_sent).count(), 1);
}

async fn first_owner_is_for_operators_only(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let path = first_owner_path(&acme.slug);
    let invitation = json!({"email": "eva@example.com"});
    let owner = world.create_owner(&other).await;
    owner.get(&path).await.assert_problem(403, "insufficient_scope");
    owner.post(&path, invitation.clone()).await.assert_problem(403, "insufficient_scope");
    let operators = world.find_organization("operator").await;
    let member = world.create_member(&operators, &["owner"]).await;
    let plain =
        world.create_api_key_caller(&operators, member, &format!("{OWNER_SCOPE} {OPERATOR_SCOPE}")).await;
    plain.post(&path, invitation.clone()).await.assert_problem(403, "insufficient_scope");
    assert_eq!(world.count_emails_to("eva@example.com").await, 0);
}

async fn first_owner_of_a_built_in_or_suspended_organization_is_refused(world: &World) {
    let (acme, operator) = (world.create_organization("acme").await, world.create_operator().await);
    let invitation = json!({"email": "eva@example.com"});
    for slug in ["operator", "home", "no-such-thing"] {
        let path = first_owner_path(slug);
        operator.post(&path, invitation.clone()).await.assert_problem(404, "not_found");
        operator.get(&path).await.assert_problem(404, "not_found");
    }
    world.create_assignment(&operator, &acme, "unpaid").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "unpaid"})).await.assert_status(200);
    operator
        .post(&first_owner_path(&acme.slug), invitation)
        .await
        .assert_problem(409, "organization_suspended");
    assert_eq!(world.count_emails_to("eva@example.com").await, 0);
}
