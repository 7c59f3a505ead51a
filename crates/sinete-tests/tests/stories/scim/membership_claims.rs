//! A membership that a directory provisioned waits until its user claims it.

use crate::both_engines;
use crate::harness::api_caller::ApiRequest;
use crate::harness::organizations::OWNER_SCOPE;
use crate::harness::scim_client::{GROUPS, USERS};
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_core::events::security_event::RequestOrigin;
use sinete_core::id::{AccountId, MembershipId};
use sinete_core::refusal::{Refusal, RefusalCode};

/// Accepts the newest invitation to this address.
async fn accepts(world: &World, address: &str, account: AccountId) -> Result<MembershipId, Refusal> {
    let token = world.emailed_invitation(address).await;
    let origin = RequestOrigin::new(None, None, None);
    sinete_engine::organizations::invitations::accept(world.server.engine(), &token, account, &origin)
        .await
        .map_err(|error| error.into_refusal().unwrap())
}

both_engines!(
    scim_user_is_claimed_by_invitation_and_stays_provisioned,
    scim_pending_member_with_more_permissions_than_the_client_cannot_get_an_external_id,
    invitation_to_a_provisioned_membership_excludes_roles_gained_afterwards,
    invitation_sent_after_roles_were_granted_offers_all_of_them,
    scim_user_with_more_permissions_than_the_inviter_cannot_be_invited
);

async fn scim_user_is_claimed_by_invitation_and_stays_provisioned(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, directory) = (world.create_owner(&acme).await, world.create_scim_client(&acme).await);
    let id = directory.create_scim_user("ana").await.text_member("id");
    let invite = json!({"email": "ana@home.example", "member": id});
    let response = owner.post(&acme.path("/invitations"), invite.clone()).await.assert_status(201);
    assert_eq!(response.text_member("membership"), id);
    // A withdrawn invitation leaves the membership: the directory provisioned it.
    owner
        .delete(&acme.path(&format!("/invitations/{}", response.text_member("id"))), None)
        .await
        .assert_status(204);
    assert_eq!(directory.get(&format!("{USERS}/{id}")).await.assert_status(200).body["active"], true);
    world.clock.advance(sinete_core::time::Lifetime::from_seconds(1));
    owner.post(&acme.path("/invitations"), invite.clone()).await.assert_status(201);
    let token = world.emailed_invitation("ana@home.example").await;
    let account = world.create_user("ana@home.example").await.account;
    let origin = sinete_core::events::security_event::RequestOrigin::new(None, None, None);
    let engine = world.server.engine();
    let accepted =
        sinete_engine::organizations::invitations::accept(engine, &token, account, &origin).await.unwrap();
    assert_eq!(accepted.to_string(), id);
    let response = owner.get(&acme.path(&format!("/members/{id}"))).await.assert_status(200);
    assert_eq!(response.body["kind"], "person");
    assert_eq!(directory.get(&format!("{USERS}/{id}")).await.assert_status(200).body["userName"], "ana");
    owner
        .post(&acme.path("/invitations"), json!({"email": "rui@home.example", "member": id}))
        .await
        .assert_problem(404, "not_found");
    // A user who is deleted and provisioned again gets a new membership.
    directory.delete(&format!("{USERS}/{id}"), None).await.assert_status(204);
    assert_ne!(directory.create_scim_user("ana").await.text_member("id"), id);
}

async fn scim_pending_member_with_more_permissions_than_the_client_cannot_get_an_external_id(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, directory) = (world.create_owner(&acme).await, world.create_scim_client(&acme).await);
    let roles = owner.get(&acme.path("/roles?limit=200")).await.assert_status(200).body;
    let admin =
        roles["items"].as_array().unwrap().iter().find(|role| role["name"] == "admin").unwrap()["id"].clone();
    let invite = json!({"email": "rui@home.example", "roles": [admin]});
    let member_id =
        owner.post(&acme.path("/invitations"), invite).await.assert_status(201).text_member("membership");
    let patch = json!([{"op": "replace", "path": "externalId", "value": "accomplice-1"}]);
    assert_eq!(directory.scim_patch(&format!("{USERS}/{member_id}"), patch.clone()).await.status, 403);
    let own_user = directory.create_scim_user("ana").await.text_member("id");
    directory.scim_patch(&format!("{USERS}/{own_user}"), patch).await.assert_status(200);
}

async fn invitation_to_a_provisioned_membership_excludes_roles_gained_afterwards(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, directory) =
        (world.create_owner(&acme).await, world.create_scim_client_with_scope(&acme, OWNER_SCOPE).await);
    let manager = world.create_member(&acme, &["admin"]).await;
    let manager = world.create_api_key_caller(&acme, manager, OWNER_SCOPE).await;
    let accomplice = world.create_user("rui@home.example").await.account;
    let id = directory.create_scim_user("ana").await.text_member("id");
    let group = async |name: &str| format!("{GROUPS}/{}", world.find_role(&acme, name).await);
    let (admins, owners) = (group("admin").await, group("owner").await);
    let adds = json!([{"op": "add", "path": "members", "value": [{"value": id}]}]);
    let removes = json!([{"op": "remove", "path": format!("members[value eq \"{id}\"]")}]);
    // Invited while it has the basic role only, by a member who could not grant more.
    let invite = json!({"email": "rui@home.example", "member": id});
    manager.post(&acme.path("/invitations"), invite).await.assert_status(201);
    let token = world.emailed_invitation("rui@home.example").await;
    let acceptance = json!({"kind": "accept_invitation", "token": token, "session": "token"});
    for group in [&owners, &admins] {
        directory.scim_patch(group, adds.clone()).await.assert_status(200);
        let refused = accepts(world, "rui@home.example", accomplice).await.unwrap_err();
        assert_eq!(refused.code(), RefusalCode::NotFound, "{refused:?}");
        let request = ApiRequest { body: Some(acceptance.clone()), ..ApiRequest::default() };
        world.send_request(Method::POST, "/flows", request).await.assert_problem(404, "not_found");
        let response = owner.get(&acme.path(&format!("/members/{id}"))).await.assert_status(200);
        assert_eq!(response.body["kind"], "unclaimed", "{}", response.text);
        directory.scim_patch(group, removes.clone()).await.assert_status(200);
    }
    // The invitation stays valid: it is accepted with the offered roles, even if the directory changed something else
    // meanwhile.
    let patch = json!([{"op": "replace", "path": "displayName", "value": "Ana"}]);
    directory.scim_patch(&format!("{USERS}/{id}"), patch).await.assert_status(200);
    assert_eq!(accepts(world, "rui@home.example", accomplice).await.unwrap().to_string(), id);
}

async fn invitation_sent_after_roles_were_granted_offers_all_of_them(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, directory) =
        (world.create_owner(&acme).await, world.create_scim_client_with_scope(&acme, OWNER_SCOPE).await);
    let account = world.create_user("ana@home.example").await.account;
    let id = directory.create_scim_user("ana").await.text_member("id");
    let adds = json!([{"op": "add", "path": "members", "value": [{"value": id}]}]);
    let invite = json!({"email": "ana@home.example", "member": id});
    let first =
        owner.post(&acme.path("/invitations"), invite.clone()).await.assert_status(201).text_member("id");
    let admins = format!("{GROUPS}/{}", world.find_role(&acme, "admin").await);
    directory.scim_patch(&admins, adds).await.assert_status(200);
    accepts(world, "ana@home.example", account).await.unwrap_err();
    // A member who may grant both roles withdraws the first invitation and invites again.
    owner.delete(&acme.path(&format!("/invitations/{first}")), None).await.assert_status(204);
    world.clock.advance(sinete_core::time::Lifetime::from_seconds(1));
    owner.post(&acme.path("/invitations"), invite).await.assert_status(201);
    assert_eq!(accepts(world, "ana@home.example", account).await.unwrap().to_string(), id);
    let response = owner.get(&acme.path(&format!("/members/{id}"))).await.assert_status(200);
    assert_eq!(response.body["roles"].as_array().unwrap().len(), 2, "{}", response.text);
}

async fn scim_user_with_more_permissions_than_the_inviter_cannot_be_invited(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let owner = world.create_owner(&acme).await;
    let id = world.create_scim_client(&acme).await.create_scim_user("ana").await.text_member("id");
    let admin = world.create_member(&acme, &["admin"]).await;
    let narrow = world.create_api_key_caller(&acme, admin, "members:manage").await;
    let invite = json!({"email": "ana@home.example", "member": id});
    narrow.post(&acme.path("/invitations"), invite.clone()).await.assert_problem(403, "insufficient_scope");
    let api_caller = world.create_owner(&other).await;
    api_caller.post(&other.path("/invitations"), invite.clone()).await.assert_problem(404, "not_found");
    let both =
        json!({"email": "ana@home.example", "member": id, "roles": ["01936f5e-7c2a-7def-8a1b-2c3d4e5f6071"]});
    owner.post(&acme.path("/invitations"), both).await.assert_problem(422, "unprocessable");
    owner
        .post(&acme.path("/invitations"), json!({"email": "ana@home.example"}))
        .await
        .assert_problem(422, "unprocessable");
    world
        .create_scim_client(&acme)
        .await
        .scim_patch(&format!("{USERS}/{id}"), json!([{"op": "replace", "path": "active", "value": false}]))
        .await
        .assert_status(200);
    owner.post(&acme.path("/invitations"), invite).await.assert_problem(409, "conflict");
}
