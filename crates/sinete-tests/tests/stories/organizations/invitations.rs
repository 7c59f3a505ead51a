//! Invitations: one pending membership, one e-mail, and no information about accounts.

use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::world::World;
use serde_json::{Value, json};

async fn role(api_caller: &ApiCaller<'_>, name: &str) -> Value {
    let response = api_caller.get(&api_caller.tenant.path("/roles")).await.assert_status(200);
    let items = response.body["items"].as_array().unwrap();
    items.iter().find(|role| role["name"] == name).unwrap()["id"].clone()
}

both_engines!(
    invitation_creates_a_pending_membership_that_is_removed_on_revocation,
    invitation_cannot_grant_more_than_the_inviter_holds,
    invitation_faults_are_all_reported_with_their_location,
    invitation_repeated_with_an_idempotency_key_is_sent_once
);

async fn invitation_creates_a_pending_membership_that_is_removed_on_revocation(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let invitation =
        json!({"email": "Ana@Example.com", "roles": [role(&owner, "admin").await], "language": "pt"});
    let response = owner.post(&acme.path("/invitations"), invitation.clone()).await.assert_status(201);
    assert_eq!(response.body["email"], "ana@example.com");
    assert!(!response.text.contains("sn_in_"), "the link is in the mail and nowhere else");
    let path = acme.path(&format!("/invitations/{}", response.text_member("id")));
    assert_eq!(owner.get(&path).await.assert_status(200).body, response.body);
    let member_path = acme.path(&format!("/members/{}", response.text_member("membership")));
    let response = owner.get(&member_path).await.assert_status(200);
    assert_eq!(
        (&response.body["kind"], &response.body["roles"][0]["name"]),
        (&json!("unclaimed"), &json!("admin"))
    );
    owner.post(&acme.path("/invitations"), invitation.clone()).await.assert_problem(409, "conflict");
    owner.delete(&path, None).await.assert_status(204);
    owner.delete(&path, None).await.assert_status(204);
    owner.get(&member_path).await.assert_problem(404, "not_found");
    assert!(owner.get(&path).await.assert_status(200).body["revoked_at"].is_string());
    owner.post(&acme.path("/invitations"), invitation).await.assert_status(201);
    assert_eq!(
        owner.get(&acme.path("/invitations")).await.assert_status(200).body["items"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

async fn invitation_cannot_grant_more_than_the_inviter_holds(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let admin = world.create_member(&acme, &["admin"]).await;
    let admin = world
        .create_api_key_caller(&acme, admin, "members:read members:manage roles:read organization:read")
        .await;
    let invite = |role: &Value| json!({"email": "ana@example.com", "roles": [role]});
    let [owners, admins, members] =
        [role(&owner, "owner").await, role(&owner, "admin").await, role(&owner, "member").await];
    admin.post(&acme.path("/invitations"), invite(&owners)).await.assert_problem(403, "insufficient_scope");
    admin.post(&acme.path("/invitations"), invite(&admins)).await.assert_problem(403, "insufficient_scope");
    admin.post(&acme.path("/invitations"), invite(&members)).await.assert_status(201);
    let member = world.create_member(&acme, &["member"]).await;
    let member = world.create_api_key_caller(&acme, member, "organization:read").await;
    member.post(&acme.path("/invitations"), invite(&members)).await.assert_problem(403, "insufficient_scope");
}

async fn invitation_faults_are_all_reported_with_their_location(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let list_faults = async |body: Value| {
        owner
            .post(&acme.path("/invitations"), body)
            .await
            .assert_problem(422, "unprocessable")
            .fault_pointers()
    };
    assert_eq!(list_faults(json!({"email": "no address", "roles": ["x"]})).await, ["/email", "/roles/0"]);
    assert_eq!(
        list_faults(
            json!({"email": "a@b.example", "roles": [], "lifetime_seconds": 604801, "language": "fr"})
        )
        .await,
        ["/language", "/lifetime_seconds", "/roles"]
    );
    assert_eq!(
        list_faults(json!({"email": "a@b.example, c@d.example", "roles": [role(&owner, "member").await]}))
            .await,
        ["/email"]
    );
}

async fn invitation_repeated_with_an_idempotency_key_is_sent_once(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let invitation = json!({"email": "ana@example.com", "roles": [role(&owner, "member").await]});
    let first = owner
        .post_with_idempotency_key(&acme.path("/invitations"), "k", invitation.clone())
        .await
        .assert_status(201);
    let second_response =
        owner.post_with_idempotency_key(&acme.path("/invitations"), "k", invitation).await.assert_status(201);
    assert_eq!(first.text, second_response.text);
    let messages = sinete_store::platform::outbox::list_pending_messages(
        world.server.engine().store(),
        world.server.engine().now(),
        10,
    )
    .await
    .unwrap();
    assert_eq!(messages.len(), 1);
}
