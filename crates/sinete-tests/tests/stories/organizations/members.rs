//! Members: their roles, their profile, and how a membership ends.

use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::organizations::OWNER_SCOPE;
use crate::harness::world::World;
use serde_json::{Value, json};

/// The id of a role, by its name.
async fn role(api_caller: &ApiCaller<'_>, name: &str) -> Value {
    let response = api_caller.get(&api_caller.tenant.path("/roles")).await.assert_status(200);
    let items = response.body["items"].as_array().unwrap();
    items.iter().find(|role| role["name"] == name).unwrap()["id"].clone()
}

both_engines!(
    member_is_returned_with_roles_and_without_its_account,
    role_removed_from_a_member_ends_at_the_next_request,
    role_with_permissions_the_changer_lacks_cannot_be_granted,
    member_profile_is_patched,
    disabled_member_has_no_authority_until_enabled,
    removed_member_is_gone_permanently,
    member_leaves_only_with_a_credential_of_full_authority,
    last_owner_cannot_leave_be_demoted_or_disabled,
    last_owner_remains_when_two_owners_leave_concurrently
);

async fn member_is_returned_with_roles_and_without_its_account(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let member = owner.get(&acme.path(&format!("/members/{}", owner.membership))).await.assert_status(200);
    assert_eq!((&member.body["kind"], &member.body["roles"][0]["name"]), (&json!("person"), &json!("owner")));
    assert_eq!(member.version(), 1);
    assert!(!member.text.contains("account"), "{}", member.text);
    let plain = world.create_member(&acme, &["member"]).await;
    let plain = world.create_api_key_caller(&acme, plain, "organization:read").await;
    plain.get(&acme.path("/members")).await.assert_problem(403, "insufficient_scope");
    let challenge = plain.get(&acme.path("/members")).await;
    let challenge = challenge.headers["www-authenticate"].to_str().unwrap().to_owned();
    let expected = "Bearer error=\"insufficient_scope\", scope=\"members:read\"";
    assert_eq!(challenge, format!("{expected}, {}", world.resource_metadata()));
}

async fn role_removed_from_a_member_ends_at_the_next_request(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let admin = world.create_member(&acme, &["admin"]).await;
    let admin = world.create_api_key_caller(&acme, admin, "organization:read members:read").await;
    let path = acme.path(&format!("/members/{}", admin.membership));
    admin.get(&acme.path("/members")).await.assert_status(200);
    let roles = json!({"roles": [role(&owner, "member").await]});
    owner.put(&format!("{path}/roles"), 1, roles).await.assert_status(200);
    admin.get(&acme.path("/members")).await.assert_problem(403, "insufficient_scope");
    admin.get(&acme.path("")).await.assert_status(200);
    let roles = json!({"roles": [role(&owner, "admin").await]});
    owner.put(&format!("{path}/roles"), 2, roles).await.assert_status(200);
    admin.get(&acme.path("/members")).await.assert_status(200);
}

async fn role_with_permissions_the_changer_lacks_cannot_be_granted(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let admin = world.create_member(&acme, &["admin"]).await;
    let narrow = world.create_api_key_caller(&acme, admin, "members:read members:manage roles:read").await;
    let other = world.create_member(&acme, &["member"]).await;
    let path = acme.path(&format!("/members/{other}/roles"));
    let [owners, admins, members] =
        [role(&owner, "owner").await, role(&owner, "admin").await, role(&owner, "member").await];
    narrow.put(&path, 1, json!({"roles": [owners]})).await.assert_problem(403, "insufficient_scope");
    narrow.put(&path, 1, json!({"roles": [admins, members]})).await.assert_problem(403, "insufficient_scope");
    let unknown = json!({"roles": ["01936f5e-7c2a-7def-8a1b-2c3d4e5f6071"]});
    owner.put(&path, 1, unknown).await.assert_problem(422, "unprocessable");
    let faulty =
        owner.put(&path, 1, json!({"roles": ["x", members]})).await.assert_problem(422, "unprocessable");
    assert_eq!(faulty.fault_pointers(), ["/roles/0"]);
    assert_eq!(
        owner.put(&path, 1, json!({"roles": []})).await.assert_status(422).fault_pointers(),
        ["/roles"]
    );
    assert_eq!(
        owner.put(&path, 1, json!({"roles": [members, members]})).await.assert_status(422).fault_pointers(),
        ["/roles/1"]
    );
    let response = owner.get(&acme.path(&format!("/members/{other}"))).await.assert_status(200);
    assert_eq!(
        (response.version(), &response.body["roles"][0]["name"]),
        (1, &json!("member")),
        "nothing changed"
    );
}

async fn member_profile_is_patched(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let path = acme.path(&format!("/members/{}", owner.membership));
    let first = json!({"profile": {"name": " Ana Souza ", "title": "Contadora"}});
    let first = owner.patch(&path, 1, first).await.assert_status(200);
    assert_eq!(first.body["profile"], json!({"name": "Ana Souza", "title": "Contadora"}));
    let second = owner
        .patch(&path, 2, json!({"profile": {"title": null, "department": "Fiscal"}}))
        .await
        .assert_status(200);
    assert_eq!(second.body["profile"], json!({"name": "Ana Souza", "department": "Fiscal"}));
    let faulty = json!({"profile": {"name": "a\u{0}b", "phone": "1"}});
    assert_eq!(owner.patch(&path, 3, faulty).await.assert_status(422).fault_pointers(), ["/profile/phone"]);
    assert_eq!(
        owner
            .patch(&path, 3, json!({"profile": {"name": "a\u{0}b"}}))
            .await
            .assert_status(422)
            .fault_pointers(),
        ["/profile/name"]
    );
    owner.patch(&path, 2, json!({"profile": null})).await.assert_problem(412, "precondition_failed");
    assert_eq!(
        owner.patch(&path, 3, json!({"profile": null})).await.assert_status(200).body["profile"],
        json!({})
    );
}

async fn disabled_member_has_no_authority_until_enabled(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let admin = world.create_member(&acme, &["admin"]).await;
    let admin = world.create_api_key_caller(&acme, admin, "members:read members:manage").await;
    let path = acme.path(&format!("/members/{}", admin.membership));
    assert_eq!(
        owner.post(&format!("{path}/disable"), json!(null)).await.assert_status(200).body["condition"],
        "suspended"
    );
    admin.get(&acme.path("/members")).await.assert_problem(401, "invalid_token");
    owner.post(&format!("{path}/disable"), json!(null)).await.assert_status(200);
    assert_eq!(
        owner.post(&format!("{path}/enable"), json!(null)).await.assert_status(200).body["condition"],
        "enabled"
    );
    admin.get(&acme.path("/members")).await.assert_status(200);
    let other = world.create_owner(&acme).await;
    let others = acme.path(&format!("/members/{}", other.membership));
    admin.post(&format!("{others}/disable"), json!(null)).await.assert_problem(403, "insufficient_scope");
    owner.post(&format!("{others}/disable"), json!(null)).await.assert_status(200);
    admin.post(&format!("{others}/enable"), json!(null)).await.assert_problem(403, "insufficient_scope");
    owner.post(&format!("{others}/enable"), json!(null)).await.assert_status(200);
}

async fn removed_member_is_gone_permanently(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let other = world.create_member(&acme, &["member"]).await;
    let other = world.create_api_key_caller(&acme, other, "organization:read").await;
    let path = acme.path(&format!("/members/{}", other.membership));
    other
        .delete(&acme.path(&format!("/members/{}", owner.membership)), None)
        .await
        .assert_problem(403, "insufficient_scope");
    assert!(owner.delete(&path, None).await.assert_status(204).text.is_empty());
    other.get(&acme.path("")).await.assert_problem(401, "invalid_token");
    owner.get(&path).await.assert_problem(404, "not_found");
    owner.delete(&path, None).await.assert_problem(404, "not_found");
    owner.post(&format!("{path}/enable"), json!(null)).await.assert_problem(404, "not_found");
}

async fn member_leaves_only_with_a_credential_of_full_authority(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let admin = world.create_member(&acme, &["admin"]).await;
    let lesser = world.create_api_key_caller(&acme, admin, "organization:read audit:read").await;
    let path = acme.path(&format!("/members/{admin}"));
    lesser.delete(&path, None).await.assert_problem(403, "insufficient_scope");
    let plain = world.create_member(&acme, &["member"]).await;
    let plain = world.create_api_key_caller(&acme, plain, "organization:read").await;
    plain.delete(&acme.path(&format!("/members/{}", plain.membership)), None).await.assert_status(204);
    plain.get(&acme.path("")).await.assert_problem(401, "invalid_token");
    owner.delete(&path, None).await.assert_status(204);
}

async fn last_owner_cannot_leave_be_demoted_or_disabled(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let path = acme.path(&format!("/members/{}", owner.membership));
    owner.delete(&path, None).await.assert_problem(409, "conflict");
    owner.post(&format!("{path}/disable"), json!(null)).await.assert_problem(409, "conflict");
    let demoted = json!({"roles": [role(&owner, "admin").await]});
    owner.put(&format!("{path}/roles"), 1, demoted.clone()).await.assert_problem(409, "conflict");
    let second = world.create_owner(&acme).await;
    owner.put(&format!("{path}/roles"), 1, demoted).await.assert_status(200);
    second
        .delete(&acme.path(&format!("/members/{}", second.membership)), None)
        .await
        .assert_problem(409, "conflict");
}

async fn last_owner_remains_when_two_owners_leave_concurrently(world: &World) {
    let acme = world.create_organization("acme").await;
    let mut remaining = world.create_owner(&acme).await;
    for round in 0..200 {
        let joined = world.create_owner(&acme).await;
        let leave = async |api_caller: &ApiCaller<'_>| {
            api_caller.delete(&acme.path(&format!("/members/{}", api_caller.membership)), None).await
        };
        let (first, second) = tokio::join!(leave(&remaining), leave(&joined));
        let mut statuses = [first.status, second.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [204, 409], "round {round}: {} {}", first.text, second.text);
        remaining = if first.status == 204 { joined } else { remaining };
        let members = remaining.get(&acme.path("/members")).await.assert_status(200);
        assert_eq!(members.body["items"].as_array().unwrap().len(), 1, "round {round}");
    }
    world
        .create_api_key_caller(&acme, remaining.membership, OWNER_SCOPE)
        .await
        .get(&acme.path(""))
        .await
        .assert_status(200);
}
