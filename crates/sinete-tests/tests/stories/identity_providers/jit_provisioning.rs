//! Just-in-time provisioning: only a provisioned membership or a verified domain makes an account.

use super::oidc_sign_in::{oneself, signs_in};
use crate::both_engines;
use crate::harness::oidc_provider::provider_user;
use crate::harness::organizations::TestOrganization;
use crate::harness::world::World;
use crate::stories::sign_in::flows::proven_addresses::{first_operator, signs_in_as};
use serde_json::{Value, json};
use sinete_core::id::MembershipId;
use sinete_core::time::Lifetime;
use sinete_store::JsonDocument;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::{MembershipHolder, NewMembership};
use sinete_store::organizations::roles;

const TURNED_AWAY: &str = "Your identity provider confirmed your identity, but there is no account for it here. Ask the administrator of your organization.";

/// A pending administrator membership with this external id.
pub(in crate::stories) async fn provisioned(
    world: &World,
    acme: &TestOrganization,
    external_id: &str,
) -> MembershipId {
    let engine = world.server.engine();
    let (now, profile) = (engine.now(), JsonDocument::from_value(&json!({"title": "Contadora"})).unwrap());
    let id = MembershipId::mint(now, engine.entropy());
    let membership = NewMembership {
        id,
        organization: acme.id,
        holder: &MembershipHolder::Unclaimed,
        profile: &profile,
        external_id: Some(external_id),
        created_at: now,
    };
    let all = roles::list_roles(engine.store(), acme.id).await.unwrap();
    let admin = all.iter().find(|role| role.role.name() == "admin").unwrap().id;
    world
        .apply_statements([
            memberships::create_membership(&membership),
            memberships::add_role(id, admin, now),
        ])
        .await;
    id
}

both_engines!(
    jit_provisioning_needs_a_verified_address_in_a_verified_domain,
    identity_is_never_matched_by_email_address,
    jit_provisioning_leaves_an_unverified_address_with_its_account,
    provisioned_membership_is_claimed_by_its_subject_only
);

async fn jit_provisioning_needs_a_verified_address_in_a_verified_domain(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let created = provider.create_connection(&owner, "acme.example").await;
    let mut unverified = provider_user("bia-1", "bia@acme.example");
    unverified["email_verified"] = json!(false);
    let mut unsaid = provider_user("bia-2", "bia@acme.example");
    unsaid.as_object_mut().unwrap().remove("email_verified");
    let mut nameless = provider_user("bia-3", "bia@acme.example");
    nameless.as_object_mut().unwrap().remove("email");
    for user_claims in [
        unverified,
        unsaid,
        nameless,
        provider_user("bia-4", "bia@elsewhere.example"),
        provider_user("bia-5", "bia@mail.acme.example"),
        provider_user("bia-6", "bia@acme.example.evil.example"),
    ] {
        provider.set_user(user_claims.clone());
        let refused = signs_in(world, &provider, "bia@acme.example").await.1.assert_status(422);
        assert_eq!(refused.body["detail"], TURNED_AWAY, "{user_claims}");
    }
    assert_eq!(
        (world.count_events("account.created").await, world.count_events("session.started").await),
        (0, 0)
    );
    // The organization's audit log says why, with the domain and without the address.
    let failed = owner.get(&acme.path("/audit?kind=credential.failed&limit=200")).await.assert_status(200);
    for reason in [
        "the provider reported no verified e-mail address",
        "the domain of the address, elsewhere.example, is not a domain of the organization",
    ] {
        assert!(failed.text.contains(reason), "{reason}: {}", failed.text);
    }
    assert!(!failed.text.contains("bia@"), "{}", failed.text);
    provider.set_user(provider_user("bia-7", "bia@acme.example"));
    let joined = signs_in(world, &provider, "bia@acme.example").await.1.assert_status(200);
    let account = oneself(world, &joined.text_member("session_token")).await;
    let members = owner.get(&acme.path("/members?limit=200")).await.assert_status(200).body;
    let is_bia = |it: &&Value| it["profile"]["email"] == "bia@acme.example";
    let bia: Vec<_> = members["items"].as_array().unwrap().iter().filter(is_bia).collect();
    assert_eq!(bia.len(), 1, "{members}");
    assert_eq!(bia[0]["roles"].as_array().unwrap().len(), 1, "an ordinary member");
    assert_eq!(account["profile"]["name"], "Ana Souza", "{account}");
    // Another user, after the domain is released.
    owner.delete(&acme.path("/domains/acme.example"), None).await.assert_status(204);
    provider.set_user(provider_user("cau-8", "cau@acme.example"));
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    let by_id = json!({"connection": created["id"], "return_to": "http://127.0.0.1:49152/back"});
    walk.submit("single_sign_on", by_id).await.assert_status(200);
    let body = super::oidc_sign_in::fetched(world, &provider, &walk).await;
    assert_eq!(walk.submit("provider_answer", body).await.assert_status(422).body["detail"], TURNED_AWAY);
    assert_eq!(world.count_events("account.created").await, 1);
}

async fn identity_is_never_matched_by_email_address(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    provider.create_connection(&owner, "acme.example").await;
    // An account with the same verified address exists and is a member.
    let ana = world.create_user("ana@acme.example").await;
    provider.set_user(provider_user("evil-1", "ana@acme.example"));
    let joined = signs_in(world, &provider, "ana@acme.example").await.1.assert_status(200);
    let new_account = oneself(world, &joined.text_member("session_token")).await;
    let own_account = oneself(world, &ana.session).await;
    assert_ne!(new_account["id"], own_account["id"], "another user with that address at the provider");
    assert_eq!(
        new_account["memberships"].as_array().map(Vec::len),
        own_account["memberships"].as_array().map(Vec::len)
    );
    // The address stays with the account that verified it: a code sent to it signs that account in.
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    walk.submit("email", json!({"email": "ana@acme.example"})).await.assert_status(200);
    let code = world.emailed_code("ana@acme.example").await;
    let in_again = walk.submit("code", json!({"code": code})).await.assert_status(200);
    assert_eq!(oneself(world, &in_again.text_member("session_token")).await["id"], own_account["id"]);
    // Two subjects are two accounts, even with the same address.
    provider.set_user(provider_user("evil-2", "ana@acme.example"));
    let second = signs_in(world, &provider, "ana@acme.example").await.1.assert_status(200);
    assert_ne!(oneself(world, &second.text_member("session_token")).await["id"], new_account["id"]);
}

async fn jit_provisioning_leaves_an_unverified_address_with_its_account(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    provider.create_connection(&owner, "acme.example").await;
    let ana = first_operator(world, "ana@acme.example").await;
    world.clock.advance(Lifetime::from_seconds(1));
    provider.set_user(provider_user("ana-1", "ana@acme.example"));
    let joined = signs_in(world, &provider, "ana@acme.example").await.1.assert_status(200);
    assert_ne!(oneself(world, &joined.text_member("session_token")).await["id"], ana.account.to_string());
    assert_eq!(signs_in_as(world, "ana@acme.example").await, ana.account);
}

async fn provisioned_membership_is_claimed_by_its_subject_only(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let created = provider.create_connection(&owner, "acme.example").await;
    let path = acme.path(&format!("/connections/{}", created["id"].as_str().unwrap()));
    owner.patch(&path, 1, json!({"external_id_claim": "oid"})).await.assert_status(200);
    let (engine, id) = (world.server.engine(), provisioned(world, &acme, "object-7").await);
    // No verified address is needed, and another subject does not match.
    let build_claims = |subject: &str, oid: &str| json!({"sub": subject, "oid": oid, "name": "Ana"});
    provider.set_user(build_claims("x", "object-8"));
    assert_eq!(
        signs_in(world, &provider, "a@acme.example").await.1.assert_status(422).body["detail"],
        TURNED_AWAY
    );
    provider.set_user(build_claims("ana", "object-7"));
    signs_in(world, &provider, "a@acme.example").await.1.assert_status(200);
    let member = owner.get(&acme.path(&format!("/members/{id}"))).await.assert_status(200).body;
    assert_eq!(member["profile"]["title"], "Contadora");
    let holder = memberships::find_membership(engine.store(), acme.id, id).await.unwrap().unwrap().holder;
    assert!(matches!(holder, MembershipHolder::User(_)));
    assert_eq!(
        (world.count_events("membership.claimed").await, world.count_events("identity.linked").await),
        (1, 1)
    );
    // The membership is claimed once: another subject with the same external id finds none.
    provider.set_user(build_claims("eve", "object-7"));
    signs_in(world, &provider, "a@acme.example").await.1.assert_status(422);
    // A removed member does not return by signing in.
    provider.set_user(provider_user("ana", "ana@acme.example"));
    signs_in(world, &provider, "a@acme.example").await.1.assert_status(200);
    owner
        .delete(
            &acme.path(&format!("/members/{id}")),
            Some(owner.get(&acme.path(&format!("/members/{id}"))).await.body["version"].as_i64().unwrap()),
        )
        .await
        .assert_status(204);
    assert_eq!(
        signs_in(world, &provider, "a@acme.example").await.1.assert_status(422).body["detail"],
        TURNED_AWAY
    );
}
