//! Invitations: one place that waits, one mail, and nothing given away.

use crate::both_engines;
use crate::harness::api::ApiCaller;
use crate::harness::world::World;
use serde_json::{Value, json};

async fn role(somebody: &ApiCaller<'_>, name: &str) -> Value {
    let listed = somebody.get(&somebody.tenant.path("/roles")).await.is(200);
    let items = listed.body["items"].as_array().unwrap();
    items.iter().find(|role| role["name"] == name).unwrap()["id"].clone()
}

both_engines!(
    an_invitation_makes_a_place_that_waits_and_goes_with_it_when_taken_back,
    nobody_is_invited_into_more_than_whoever_invites_holds,
    every_fault_of_an_invitation_is_told_with_its_place,
    an_invitation_is_sent_once_however_often_it_is_asked_for
);

async fn an_invitation_makes_a_place_that_waits_and_goes_with_it_when_taken_back(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let wanted =
        json!({"email": "Ana@Example.com", "roles": [role(&owner, "admin").await], "language": "pt"});
    let sent = owner.post(&acme.path("/invitations"), wanted.clone()).await.is(201);
    assert_eq!(sent.body["email"], "ana@example.com");
    assert!(!sent.text.contains("sn_in_"), "the link is in the mail and nowhere else");
    let path = acme.path(&format!("/invitations/{}", sent.text_of("id")));
    assert_eq!(owner.get(&path).await.is(200).body, sent.body);
    let place = acme.path(&format!("/members/{}", sent.text_of("membership")));
    let waiting = owner.get(&place).await.is(200);
    assert_eq!(
        (&waiting.body["kind"], &waiting.body["roles"][0]["name"]),
        (&json!("unclaimed"), &json!("admin"))
    );
    owner.post(&acme.path("/invitations"), wanted.clone()).await.refused(409, "conflict");
    owner.delete(&path, None).await.is(204);
    owner.delete(&path, None).await.is(204);
    owner.get(&place).await.refused(404, "not_found");
    assert!(owner.get(&path).await.is(200).body["revoked_at"].is_string());
    owner.post(&acme.path("/invitations"), wanted).await.is(201);
    assert_eq!(
        owner.get(&acme.path("/invitations")).await.is(200).body["items"].as_array().unwrap().len(),
        2
    );
}

async fn nobody_is_invited_into_more_than_whoever_invites_holds(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let admin = world.member(&acme, &["admin"]).await;
    let admin = world.key(&acme, admin, "members:read members:manage roles:read organization:read").await;
    let invite = |role: &Value| json!({"email": "ana@example.com", "roles": [role]});
    let [owners, admins, members] =
        [role(&owner, "owner").await, role(&owner, "admin").await, role(&owner, "member").await];
    admin.post(&acme.path("/invitations"), invite(&owners)).await.refused(403, "insufficient_scope");
    admin.post(&acme.path("/invitations"), invite(&admins)).await.refused(403, "insufficient_scope");
    admin.post(&acme.path("/invitations"), invite(&members)).await.is(201);
    let member = world.member(&acme, &["member"]).await;
    let member = world.key(&acme, member, "organization:read").await;
    member.post(&acme.path("/invitations"), invite(&members)).await.refused(403, "insufficient_scope");
}

async fn every_fault_of_an_invitation_is_told_with_its_place(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let faults = async |body: Value| {
        owner.post(&acme.path("/invitations"), body).await.refused(422, "unprocessable").faults()
    };
    assert_eq!(faults(json!({"email": "no address", "roles": ["x"]})).await, ["/email", "/roles/0"]);
    assert_eq!(
        faults(json!({"email": "a@b.example", "roles": [], "lifetime_seconds": 604801, "language": "fr"}))
            .await,
        ["/language", "/lifetime_seconds", "/roles"]
    );
    assert_eq!(
        faults(json!({"email": "a@b.example, c@d.example", "roles": [role(&owner, "member").await]})).await,
        ["/email"]
    );
}

async fn an_invitation_is_sent_once_however_often_it_is_asked_for(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let wanted = json!({"email": "ana@example.com", "roles": [role(&owner, "member").await]});
    let first = owner.post_once(&acme.path("/invitations"), "k", wanted.clone()).await.is(201);
    let again = owner.post_once(&acme.path("/invitations"), "k", wanted).await.is(201);
    assert_eq!(first.text, again.text);
    let sent = sinete_store::outbox::waiting(world.server.engine().store(), world.server.engine().now(), 10)
        .await
        .unwrap();
    assert_eq!(sent.len(), 1);
}
