//! A place that a directory made waits for whoever it is meant for.

use crate::both_engines;
use crate::harness::api::ApiRequest;
use crate::harness::directory::{GROUPS, USERS};
use crate::harness::tenants::OWNERS_SCOPE;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_core::id::{AccountId, MembershipId};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::security::event::RequestOrigin;

/// Somebody accepts the newest invitation to this address.
async fn accepts(world: &World, address: &str, account: AccountId) -> Result<MembershipId, Refusal> {
    let token = world.mailed_invitation(address).await;
    let origin = RequestOrigin::new(None, None, None);
    sinete_engine::invitations::accept(world.server.engine(), &token, account, &origin).await.unwrap()
}

both_engines!(
    a_place_that_a_directory_made_is_claimed_by_invitation_and_stays_the_directorys,
    nobody_names_whoever_claims_a_place_that_carries_more_than_they_hold,
    invitation_to_a_provisioned_membership_does_not_give_roles_it_gained_afterwards,
    invitation_after_the_roles_were_given_offers_all_of_them,
    nobody_offers_a_place_that_carries_more_than_they_hold
);

async fn a_place_that_a_directory_made_is_claimed_by_invitation_and_stays_the_directorys(world: &World) {
    let acme = world.tenant("acme").await;
    let (owner, directory) = (world.owner(&acme).await, world.directory(&acme).await);
    let id = directory.provisions("ana").await.text_of("id");
    let invite = json!({"email": "ana@home.example", "member": id});
    let sent = owner.post(&acme.path("/invitations"), invite.clone()).await.is(201);
    assert_eq!(sent.text_of("membership"), id);
    // Taken back, the place stays: the directory knows it.
    owner.delete(&acme.path(&format!("/invitations/{}", sent.text_of("id"))), None).await.is(204);
    assert_eq!(directory.get(&format!("{USERS}/{id}")).await.is(200).body["active"], true);
    world.clock.pass(sinete_core::time::Lifetime::from_seconds(1));
    owner.post(&acme.path("/invitations"), invite.clone()).await.is(201);
    let token = world.mailed_invitation("ana@home.example").await;
    let account = world.somebody("ana@home.example").await.account;
    let origin = sinete_core::security::event::RequestOrigin::new(None, None, None);
    let engine = world.server.engine();
    let accepted =
        sinete_engine::invitations::accept(engine, &token, account, &origin).await.unwrap().unwrap();
    assert_eq!(accepted.to_string(), id);
    let seen = owner.get(&acme.path(&format!("/members/{id}"))).await.is(200);
    assert_eq!(seen.body["kind"], "person");
    assert_eq!(directory.get(&format!("{USERS}/{id}")).await.is(200).body["userName"], "ana");
    owner
        .post(&acme.path("/invitations"), json!({"email": "rui@home.example", "member": id}))
        .await
        .refused(404, "not_found");
    // Whoever left and was provisioned again is somebody new to the organization.
    directory.delete(&format!("{USERS}/{id}"), None).await.is(204);
    assert_ne!(directory.provisions("ana").await.text_of("id"), id);
}

async fn nobody_names_whoever_claims_a_place_that_carries_more_than_they_hold(world: &World) {
    let acme = world.tenant("acme").await;
    let (owner, directory) = (world.owner(&acme).await, world.directory(&acme).await);
    let roles = owner.get(&acme.path("/roles?limit=200")).await.is(200).body;
    let admin =
        roles["items"].as_array().unwrap().iter().find(|role| role["name"] == "admin").unwrap()["id"].clone();
    let invite = json!({"email": "rui@home.example", "roles": [admin]});
    let place = owner.post(&acme.path("/invitations"), invite).await.is(201).text_of("membership");
    let named = json!([{"op": "replace", "path": "externalId", "value": "accomplice-1"}]);
    assert_eq!(directory.changes(&format!("{USERS}/{place}"), named.clone()).await.status, 403);
    let own = directory.provisions("ana").await.text_of("id");
    directory.changes(&format!("{USERS}/{own}"), named).await.is(200);
}

async fn invitation_to_a_provisioned_membership_does_not_give_roles_it_gained_afterwards(world: &World) {
    let acme = world.tenant("acme").await;
    let (owner, directory) = (world.owner(&acme).await, world.directory_with(&acme, OWNERS_SCOPE).await);
    let manager = world.member(&acme, &["admin"]).await;
    let manager = world.key(&acme, manager, OWNERS_SCOPE).await;
    let accomplice = world.somebody("rui@home.example").await.account;
    let id = directory.provisions("ana").await.text_of("id");
    let group = async |name: &str| format!("{GROUPS}/{}", world.role_of(&acme, name).await);
    let (admins, owners) = (group("admin").await, group("owner").await);
    let adds = json!([{"op": "add", "path": "members", "value": [{"value": id}]}]);
    let removes = json!([{"op": "remove", "path": format!("members[value eq \"{id}\"]")}]);
    // Offered while it carries what everybody does, by somebody who could not give more.
    let invite = json!({"email": "rui@home.example", "member": id});
    manager.post(&acme.path("/invitations"), invite).await.is(201);
    let token = world.mailed_invitation("rui@home.example").await;
    let wanted = json!({"kind": "accept_invitation", "token": token, "session": "token"});
    for group in [&owners, &admins] {
        directory.changes(group, adds.clone()).await.is(200);
        let refused = accepts(world, "rui@home.example", accomplice).await.unwrap_err();
        assert_eq!(refused.code(), RefusalCode::NotFound, "{refused:?}");
        let asked = ApiRequest { body: Some(wanted.clone()), ..ApiRequest::default() };
        world.ask(Method::POST, "/flows", asked).await.refused(404, "not_found");
        let seen = owner.get(&acme.path(&format!("/members/{id}"))).await.is(200);
        assert_eq!(seen.body["kind"], "unclaimed", "{}", seen.text);
        directory.changes(group, removes.clone()).await.is(200);
    }
    // Nothing was spent: what was offered is given, also where the directory changed something else meanwhile.
    let named = json!([{"op": "replace", "path": "displayName", "value": "Ana"}]);
    directory.changes(&format!("{USERS}/{id}"), named).await.is(200);
    assert_eq!(accepts(world, "rui@home.example", accomplice).await.unwrap().to_string(), id);
}

async fn invitation_after_the_roles_were_given_offers_all_of_them(world: &World) {
    let acme = world.tenant("acme").await;
    let (owner, directory) = (world.owner(&acme).await, world.directory_with(&acme, OWNERS_SCOPE).await);
    let account = world.somebody("ana@home.example").await.account;
    let id = directory.provisions("ana").await.text_of("id");
    let adds = json!([{"op": "add", "path": "members", "value": [{"value": id}]}]);
    let invite = json!({"email": "ana@home.example", "member": id});
    let first = owner.post(&acme.path("/invitations"), invite.clone()).await.is(201).text_of("id");
    let admins = format!("{GROUPS}/{}", world.role_of(&acme, "admin").await);
    directory.changes(&admins, adds).await.is(200);
    accepts(world, "ana@home.example", account).await.unwrap_err();
    // Whoever may give both roles takes the first invitation back and invites again.
    owner.delete(&acme.path(&format!("/invitations/{first}")), None).await.is(204);
    world.clock.pass(sinete_core::time::Lifetime::from_seconds(1));
    owner.post(&acme.path("/invitations"), invite).await.is(201);
    assert_eq!(accepts(world, "ana@home.example", account).await.unwrap().to_string(), id);
    let seen = owner.get(&acme.path(&format!("/members/{id}"))).await.is(200);
    assert_eq!(seen.body["roles"].as_array().unwrap().len(), 2, "{}", seen.text);
}

async fn nobody_offers_a_place_that_carries_more_than_they_hold(world: &World) {
    let (acme, other) = (world.tenant("acme").await, world.tenant("other").await);
    let owner = world.owner(&acme).await;
    let id = world.directory(&acme).await.provisions("ana").await.text_of("id");
    let admin = world.member(&acme, &["admin"]).await;
    let narrow = world.key(&acme, admin, "members:manage").await;
    let invite = json!({"email": "ana@home.example", "member": id});
    narrow.post(&acme.path("/invitations"), invite.clone()).await.refused(403, "insufficient_scope");
    let stranger = world.owner(&other).await;
    stranger.post(&other.path("/invitations"), invite.clone()).await.refused(404, "not_found");
    let both =
        json!({"email": "ana@home.example", "member": id, "roles": ["01936f5e-7c2a-7def-8a1b-2c3d4e5f6071"]});
    owner.post(&acme.path("/invitations"), both).await.refused(422, "unprocessable");
    owner
        .post(&acme.path("/invitations"), json!({"email": "ana@home.example"}))
        .await
        .refused(422, "unprocessable");
    world
        .directory(&acme)
        .await
        .changes(&format!("{USERS}/{id}"), json!([{"op": "replace", "path": "active", "value": false}]))
        .await
        .is(200);
    owner.post(&acme.path("/invitations"), invite).await.refused(409, "conflict");
}
