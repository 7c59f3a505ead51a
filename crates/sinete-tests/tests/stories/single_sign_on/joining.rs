//! Who becomes somebody here by the word of a provider: whoever was provisioned, or a proven domain vouches for.

use super::sign_in::{oneself, signs_in};
use crate::both_engines;
use crate::harness::provider::person;
use crate::harness::tenants::TestOrganization;
use crate::harness::world::World;
use crate::stories::flows::proven_addresses::{first_operator, signs_in_as};
use serde_json::{Value, json};
use sinete_core::id::MembershipId;
use sinete_core::time::Lifetime;
use sinete_store::memberships::{self, MembershipHolder, NewMembership};
use sinete_store::{JsonDocument, roles};

const TURNED_AWAY: &str =
    "your provider knows you, and nobody here does: ask whoever looks after your organization";

/// A place that was provisioned for somebody of this external id, who is to be an administrator.
pub(super) async fn provisioned(world: &World, acme: &TestOrganization, external_id: &str) -> MembershipId {
    let engine = world.server.engine();
    let (now, profile) = (engine.now(), JsonDocument::of(&json!({"title": "Contadora"})).unwrap());
    let id = MembershipId::mint(now, engine.entropy());
    let waiting = NewMembership {
        id,
        organization: acme.id,
        holder: &MembershipHolder::Nobody,
        profile: &profile,
        external_id: Some(external_id),
        created_at: now,
    };
    let all = roles::of_organization(engine.store(), acme.id).await.unwrap();
    let admin = all.iter().find(|role| role.role.name() == "admin").unwrap().id;
    world.happens([memberships::create(&waiting), memberships::give_role(id, admin, now)]).await;
    id
}

both_engines!(
    an_account_is_made_on_the_fly_only_where_a_proven_domain_vouches_for_a_verified_address,
    nobody_is_matched_by_the_address_that_a_provider_reports,
    account_made_by_a_provider_leaves_an_unproven_address_to_who_signs_in_with_it,
    a_membership_that_was_provisioned_is_claimed_by_its_subject_and_by_no_other
);

async fn an_account_is_made_on_the_fly_only_where_a_proven_domain_vouches_for_a_verified_address(
    world: &World,
) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let provider = world.provider().await;
    let made = provider.connect(&owner, "acme.example").await;
    let mut unverified = person("bia-1", "bia@acme.example");
    unverified["email_verified"] = json!(false);
    let mut unsaid = person("bia-2", "bia@acme.example");
    unsaid.as_object_mut().unwrap().remove("email_verified");
    let mut nameless = person("bia-3", "bia@acme.example");
    nameless.as_object_mut().unwrap().remove("email");
    for somebody in [
        unverified,
        unsaid,
        nameless,
        person("bia-4", "bia@elsewhere.example"),
        person("bia-5", "bia@mail.acme.example"),
        person("bia-6", "bia@acme.example.evil.example"),
    ] {
        provider.knows(somebody.clone());
        let refused = signs_in(world, &provider, "bia@acme.example").await.1.is(422);
        assert_eq!(refused.body["detail"], TURNED_AWAY, "{somebody}");
    }
    assert_eq!((world.logged("account.created").await, world.logged("session.started").await), (0, 0));
    provider.knows(person("bia-7", "bia@acme.example"));
    let joined = signs_in(world, &provider, "bia@acme.example").await.1.is(200);
    let seen = oneself(world, &joined.text_of("session_token")).await;
    let members = owner.get(&acme.path("/members?limit=200")).await.is(200).body;
    let is_bia = |it: &&Value| it["profile"]["email"] == "bia@acme.example";
    let bia: Vec<_> = members["items"].as_array().unwrap().iter().filter(is_bia).collect();
    assert_eq!(bia.len(), 1, "{members}");
    assert_eq!(bia[0]["roles"].as_array().unwrap().len(), 1, "an ordinary member");
    assert_eq!(seen["profile"]["name"], "Ana Souza", "{seen}");
    // Somebody else, once the domain is lost.
    owner.delete(&acme.path("/domains/acme.example"), None).await.is(204);
    provider.knows(person("cau-8", "cau@acme.example"));
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    let by_id = json!({"connection": made["id"], "return_to": "http://127.0.0.1:49152/back"});
    walk.says("single_sign_on", by_id).await.is(200);
    let said = super::sign_in::fetched(world, &provider, &walk).await;
    assert_eq!(walk.says("provider_answer", said).await.is(422).body["detail"], TURNED_AWAY);
    assert_eq!(world.logged("account.created").await, 1);
}

async fn nobody_is_matched_by_the_address_that_a_provider_reports(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let provider = world.provider().await;
    provider.connect(&owner, "acme.example").await;
    // Somebody has that very address here, proven, and is even a member.
    let ana = world.somebody("ana@acme.example").await;
    provider.knows(person("evil-1", "ana@acme.example"));
    let joined = signs_in(world, &provider, "ana@acme.example").await.1.is(200);
    let seen = oneself(world, &joined.text_of("session_token")).await;
    let own = oneself(world, &ana.session).await;
    assert_ne!(seen["id"], own["id"], "another person, who has that address at the provider");
    assert_eq!(seen["memberships"].as_array().map(Vec::len), own["memberships"].as_array().map(Vec::len));
    // The address stays the one of whoever proved it: a code that is mailed to it signs in them.
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    walk.says("email", json!({"email": "ana@acme.example"})).await.is(200);
    let code = world.mailed_code("ana@acme.example").await;
    let in_again = walk.says("code", json!({"code": code})).await.is(200);
    assert_eq!(oneself(world, &in_again.text_of("session_token")).await["id"], own["id"]);
    // And two subjects are two people, whatever address they share.
    provider.knows(person("evil-2", "ana@acme.example"));
    let second = signs_in(world, &provider, "ana@acme.example").await.1.is(200);
    assert_ne!(oneself(world, &second.text_of("session_token")).await["id"], seen["id"]);
}

async fn account_made_by_a_provider_leaves_an_unproven_address_to_who_signs_in_with_it(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let provider = world.provider().await;
    provider.connect(&owner, "acme.example").await;
    let ana = first_operator(world, "ana@acme.example").await;
    world.clock.pass(Lifetime::from_seconds(1));
    provider.knows(person("ana-1", "ana@acme.example"));
    let joined = signs_in(world, &provider, "ana@acme.example").await.1.is(200);
    assert_ne!(oneself(world, &joined.text_of("session_token")).await["id"], ana.account.to_string());
    assert_eq!(signs_in_as(world, "ana@acme.example").await, ana.account);
}

async fn a_membership_that_was_provisioned_is_claimed_by_its_subject_and_by_no_other(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let provider = world.provider().await;
    let made = provider.connect(&owner, "acme.example").await;
    let path = acme.path(&format!("/connections/{}", made["id"].as_str().unwrap()));
    owner.patch(&path, 1, json!({"external_id_claim": "oid"})).await.is(200);
    let (engine, id) = (world.server.engine(), provisioned(world, &acme, "object-7").await);
    // Without a verified address, because nothing depends on it; and not for another subject.
    let somebody = |subject: &str, oid: &str| json!({"sub": subject, "oid": oid, "name": "Ana"});
    provider.knows(somebody("x", "object-8"));
    assert_eq!(signs_in(world, &provider, "a@acme.example").await.1.is(422).body["detail"], TURNED_AWAY);
    provider.knows(somebody("ana", "object-7"));
    signs_in(world, &provider, "a@acme.example").await.1.is(200);
    let member = owner.get(&acme.path(&format!("/members/{id}"))).await.is(200).body;
    assert_eq!(member["profile"]["title"], "Contadora");
    let holder = memberships::find(engine.store(), acme.id, id).await.unwrap().unwrap().holder;
    assert!(matches!(holder, MembershipHolder::Person(_)));
    assert_eq!((world.logged("membership.claimed").await, world.logged("identity.linked").await), (1, 1));
    // It is claimed once: another subject with the same name there finds nothing that waits.
    provider.knows(somebody("eve", "object-7"));
    signs_in(world, &provider, "a@acme.example").await.1.is(422);
    // Removed, they do not come back by signing in.
    provider.knows(person("ana", "ana@acme.example"));
    signs_in(world, &provider, "a@acme.example").await.1.is(200);
    owner
        .delete(
            &acme.path(&format!("/members/{id}")),
            Some(owner.get(&acme.path(&format!("/members/{id}"))).await.body["version"].as_i64().unwrap()),
        )
        .await
        .is(204);
    assert_eq!(signs_in(world, &provider, "a@acme.example").await.1.is(422).body["detail"], TURNED_AWAY);
}
