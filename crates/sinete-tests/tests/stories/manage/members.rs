//! Members: what they carry, what is known of them, how they come to an end.

use crate::both_engines;
use crate::harness::api::ApiCaller;
use crate::harness::tenants::OWNERS_SCOPE;
use crate::harness::world::World;
use serde_json::{Value, json};

/// The id of a role, by its name.
async fn role(somebody: &ApiCaller<'_>, name: &str) -> Value {
    let listed = somebody.get(&somebody.tenant.path("/roles")).await.is(200);
    let items = listed.body["items"].as_array().unwrap();
    items.iter().find(|role| role["name"] == name).unwrap()["id"].clone()
}

both_engines!(
    a_member_is_shown_with_its_roles_and_never_with_its_account,
    a_role_that_is_taken_away_is_missed_at_the_next_call,
    nobody_gives_a_role_whose_contents_they_do_not_hold,
    what_is_known_of_a_member_is_changed_in_parts,
    a_disabled_member_counts_for_nothing_until_enabled_again,
    a_member_that_was_removed_is_gone_for_good,
    a_member_leaves_with_a_key_that_carries_everything_and_with_no_lesser_one,
    the_last_owner_can_neither_leave_nor_be_demoted_or_disabled,
    of_two_owners_who_leave_at_the_same_moment_one_remains_in_each_of_two_hundred_rounds
);

async fn a_member_is_shown_with_its_roles_and_never_with_its_account(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let member = owner.get(&acme.path(&format!("/members/{}", owner.membership))).await.is(200);
    assert_eq!((&member.body["kind"], &member.body["roles"][0]["name"]), (&json!("person"), &json!("owner")));
    assert_eq!(member.version(), 1);
    assert!(!member.text.contains("account"), "{}", member.text);
    let plain = world.member(&acme, &["member"]).await;
    let plain = world.key(&acme, plain, "organization:read").await;
    plain.get(&acme.path("/members")).await.refused(403, "insufficient_scope");
    let challenge = plain.get(&acme.path("/members")).await;
    let challenge = challenge.headers["www-authenticate"].to_str().unwrap().to_owned();
    let expected = "Bearer error=\"insufficient_scope\", scope=\"members:read\"";
    assert_eq!(challenge, format!("{expected}, {}", world.resource_metadata()));
}

async fn a_role_that_is_taken_away_is_missed_at_the_next_call(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let admin = world.member(&acme, &["admin"]).await;
    let admin = world.key(&acme, admin, "organization:read members:read").await;
    let path = acme.path(&format!("/members/{}", admin.membership));
    admin.get(&acme.path("/members")).await.is(200);
    let roles = json!({"roles": [role(&owner, "member").await]});
    owner.put(&format!("{path}/roles"), 1, roles).await.is(200);
    admin.get(&acme.path("/members")).await.refused(403, "insufficient_scope");
    admin.get(&acme.path("")).await.is(200);
    let roles = json!({"roles": [role(&owner, "admin").await]});
    owner.put(&format!("{path}/roles"), 2, roles).await.is(200);
    admin.get(&acme.path("/members")).await.is(200);
}

async fn nobody_gives_a_role_whose_contents_they_do_not_hold(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let admin = world.member(&acme, &["admin"]).await;
    let narrow = world.key(&acme, admin, "members:read members:manage roles:read").await;
    let other = world.member(&acme, &["member"]).await;
    let path = acme.path(&format!("/members/{other}/roles"));
    let [owners, admins, members] =
        [role(&owner, "owner").await, role(&owner, "admin").await, role(&owner, "member").await];
    narrow.put(&path, 1, json!({"roles": [owners]})).await.refused(403, "insufficient_scope");
    narrow.put(&path, 1, json!({"roles": [admins, members]})).await.refused(403, "insufficient_scope");
    let unknown = json!({"roles": ["01936f5e-7c2a-7def-8a1b-2c3d4e5f6071"]});
    owner.put(&path, 1, unknown).await.refused(422, "unprocessable");
    let faulty = owner.put(&path, 1, json!({"roles": ["x", members]})).await.refused(422, "unprocessable");
    assert_eq!(faulty.faults(), ["/roles/0"]);
    assert_eq!(owner.put(&path, 1, json!({"roles": []})).await.is(422).faults(), ["/roles"]);
    assert_eq!(
        owner.put(&path, 1, json!({"roles": [members, members]})).await.is(422).faults(),
        ["/roles/1"]
    );
    let shown = owner.get(&acme.path(&format!("/members/{other}"))).await.is(200);
    assert_eq!((shown.version(), &shown.body["roles"][0]["name"]), (1, &json!("member")), "nothing changed");
}

async fn what_is_known_of_a_member_is_changed_in_parts(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let path = acme.path(&format!("/members/{}", owner.membership));
    let first = json!({"profile": {"name": " Ana Souza ", "title": "Contadora"}});
    let first = owner.patch(&path, 1, first).await.is(200);
    assert_eq!(first.body["profile"], json!({"name": "Ana Souza", "title": "Contadora"}));
    let second =
        owner.patch(&path, 2, json!({"profile": {"title": null, "department": "Fiscal"}})).await.is(200);
    assert_eq!(second.body["profile"], json!({"name": "Ana Souza", "department": "Fiscal"}));
    let faulty = json!({"profile": {"name": "a\u{0}b", "phone": "1"}});
    assert_eq!(owner.patch(&path, 3, faulty).await.is(422).faults(), ["/profile/phone"]);
    assert_eq!(
        owner.patch(&path, 3, json!({"profile": {"name": "a\u{0}b"}})).await.is(422).faults(),
        ["/profile/name"]
    );
    owner.patch(&path, 2, json!({"profile": null})).await.refused(412, "precondition_failed");
    assert_eq!(owner.patch(&path, 3, json!({"profile": null})).await.is(200).body["profile"], json!({}));
}

async fn a_disabled_member_counts_for_nothing_until_enabled_again(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let admin = world.member(&acme, &["admin"]).await;
    let admin = world.key(&acme, admin, "members:read members:manage").await;
    let path = acme.path(&format!("/members/{}", admin.membership));
    assert_eq!(
        owner.post(&format!("{path}/disable"), json!(null)).await.is(200).body["condition"],
        "suspended"
    );
    admin.get(&acme.path("/members")).await.refused(401, "invalid_token");
    owner.post(&format!("{path}/disable"), json!(null)).await.is(200);
    assert_eq!(owner.post(&format!("{path}/enable"), json!(null)).await.is(200).body["condition"], "enabled");
    admin.get(&acme.path("/members")).await.is(200);
    let other = world.owner(&acme).await;
    let others = acme.path(&format!("/members/{}", other.membership));
    admin.post(&format!("{others}/disable"), json!(null)).await.refused(403, "insufficient_scope");
    owner.post(&format!("{others}/disable"), json!(null)).await.is(200);
    admin.post(&format!("{others}/enable"), json!(null)).await.refused(403, "insufficient_scope");
    owner.post(&format!("{others}/enable"), json!(null)).await.is(200);
}

async fn a_member_that_was_removed_is_gone_for_good(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let other = world.member(&acme, &["member"]).await;
    let other = world.key(&acme, other, "organization:read").await;
    let path = acme.path(&format!("/members/{}", other.membership));
    other
        .delete(&acme.path(&format!("/members/{}", owner.membership)), None)
        .await
        .refused(403, "insufficient_scope");
    assert!(owner.delete(&path, None).await.is(204).text.is_empty());
    other.get(&acme.path("")).await.refused(401, "invalid_token");
    owner.get(&path).await.refused(404, "not_found");
    owner.delete(&path, None).await.refused(404, "not_found");
    owner.post(&format!("{path}/enable"), json!(null)).await.refused(404, "not_found");
}

async fn a_member_leaves_with_a_key_that_carries_everything_and_with_no_lesser_one(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let admin = world.member(&acme, &["admin"]).await;
    let lesser = world.key(&acme, admin, "organization:read audit:read").await;
    let path = acme.path(&format!("/members/{admin}"));
    lesser.delete(&path, None).await.refused(403, "insufficient_scope");
    let plain = world.member(&acme, &["member"]).await;
    let plain = world.key(&acme, plain, "organization:read").await;
    plain.delete(&acme.path(&format!("/members/{}", plain.membership)), None).await.is(204);
    plain.get(&acme.path("")).await.refused(401, "invalid_token");
    owner.delete(&path, None).await.is(204);
}

async fn the_last_owner_can_neither_leave_nor_be_demoted_or_disabled(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let path = acme.path(&format!("/members/{}", owner.membership));
    owner.delete(&path, None).await.refused(409, "conflict");
    owner.post(&format!("{path}/disable"), json!(null)).await.refused(409, "conflict");
    let demoted = json!({"roles": [role(&owner, "admin").await]});
    owner.put(&format!("{path}/roles"), 1, demoted.clone()).await.refused(409, "conflict");
    let second = world.owner(&acme).await;
    owner.put(&format!("{path}/roles"), 1, demoted).await.is(200);
    second
        .delete(&acme.path(&format!("/members/{}", second.membership)), None)
        .await
        .refused(409, "conflict");
}

async fn of_two_owners_who_leave_at_the_same_moment_one_remains_in_each_of_two_hundred_rounds(world: &World) {
    let acme = world.tenant("acme").await;
    let mut remaining = world.owner(&acme).await;
    for round in 0..200 {
        let joined = world.owner(&acme).await;
        let leave = async |who: &ApiCaller<'_>| {
            who.delete(&acme.path(&format!("/members/{}", who.membership)), None).await
        };
        let (first, second) = tokio::join!(leave(&remaining), leave(&joined));
        let mut statuses = [first.status, second.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [204, 409], "round {round}: {} {}", first.text, second.text);
        remaining = if first.status == 204 { joined } else { remaining };
        let members = remaining.get(&acme.path("/members")).await.is(200);
        assert_eq!(members.body["items"].as_array().unwrap().len(), 1, "round {round}");
    }
    world.key(&acme, remaining.membership, OWNERS_SCOPE).await.get(&acme.path("")).await.is(200);
}
