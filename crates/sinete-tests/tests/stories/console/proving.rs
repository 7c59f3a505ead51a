//! Proofs that the console asks for: what waits for them is done there, once, and nowhere else.

use super::{page, ticks};
use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::person::PASSWORD;
use crate::harness::provider::person;
use crate::harness::world::World;
use crate::stories::single_sign_on::sign_in::signs_in;
use serde_json::json;
use sinete_core::time::Lifetime;

/// A page of the operator's own that may walk through flows by cookie.
const LISTED: &str = "https://app.sinete.example";

async fn listed(on: TestEngine) -> World {
    World::begin_with(on, &[("SINETE_FLOWS_ALLOWED_ORIGINS", LISTED)]).await
}

async fn listed_without_console(on: TestEngine) -> World {
    let off = ("SINETE_SCREENS_CONSOLE", "false");
    World::begin_with(on, &[("SINETE_FLOWS_ALLOWED_ORIGINS", LISTED), off]).await
}

/// What a page proves itself by.
fn csrf(page: &str) -> String {
    page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

/// Sends a form of one's own page that speaks of the console, from another origin, and proves what it asks for.
async fn by_the_side_door(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
    world.clock.pass(Lifetime::from_hours(2));
    let csrf = csrf(&ana.reader.reads("/my-account").await);
    let (member, here) = (ticks(world.role_of(&acme, "member").await), page(&acme, "/invitations"));
    let nothing = ana.membership.to_string();
    let fields = [
        ("csrf", csrf.as_str()),
        ("remove_credential", &nothing),
        ("console", &here),
        ("action", "invite"),
        ("email", "eve@example.com"),
        (&member, "on"),
    ];
    let (_, proving) = ana.reader.forges("/my-account", LISTED, &fields).await;
    assert!(proving.contains("name=\"password\""), "{proving}");
    let (_, after) = ana.reader.sends(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(after.contains("id=\"sessions\""), "it leads to one's own page: {after}");
    assert_eq!(owner.get(&acme.path("/invitations")).await.is(200).body["items"], json!([]));
}

mod from_elsewhere {
    use super::*;

    both_engines!(
        crate::stories::console::proving::listed,
        [
            a_form_of_another_page_does_nothing_on_the_console_whatever_it_says,
            an_origin_that_walks_through_flows_manages_nothing
        ]
    );

    async fn a_form_of_another_page_does_nothing_on_the_console_whatever_it_says(world: &World) {
        by_the_side_door(world).await;
    }

    async fn an_origin_that_walks_through_flows_manages_nothing(world: &World) {
        let acme = world.tenant("acme").await;
        let owner = world.owner(&acme).await;
        let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
        let bruno = world.member(&acme, &["member"]).await;
        let shown = page(&acme, &format!("/members/{bruno}"));
        let csrf = csrf(&ana.reader.reads(&shown).await);
        let remove = [("csrf", csrf.as_str()), ("action", "remove")];
        assert_eq!(ana.reader.forges(&shown, LISTED, &remove).await.0, 403);
        owner.get(&acme.path(&format!("/members/{bruno}"))).await.is(200);
        // On one's own page it is heard.
        let (status, own) =
            ana.reader.forges("/my-account", LISTED, &[("csrf", &csrf), ("action", "none")]).await;
        assert_eq!(status, 200, "{own}");
    }
}

mod left_out {
    use super::*;

    both_engines!(
        crate::stories::console::proving::listed_without_console,
        [where_the_console_is_left_out_no_proof_brings_it_back]
    );

    async fn where_the_console_is_left_out_no_proof_brings_it_back(world: &World) {
        by_the_side_door(world).await;
    }
}

both_engines!(
    what_hands_out_access_or_gives_up_ones_own_waits_for_a_proof,
    whoever_is_refused_after_a_proof_stays_signed_in,
    whoever_proves_it_at_a_provider_is_told_that_what_waited_was_not_done
);

async fn what_hands_out_access_or_gives_up_ones_own_waits_for_a_proof(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
    let bruno = world.member(&acme, &["member"]).await;
    let bruno_at = acme.path(&format!("/members/{bruno}"));
    owner.post(&format!("{bruno_at}/disable"), json!(null)).await.is(200);
    world.clock.pass(Lifetime::from_hours(2));
    let (theirs, own) =
        (page(&acme, &format!("/members/{bruno}")), page(&acme, &format!("/members/{}", ana.membership)));
    let csrf = csrf(&ana.reader.reads(&theirs).await);
    let (admin, ours) = (ticks(world.role_of(&acme, "admin").await), world.origin());
    for (at, action) in [(&theirs, "set_roles"), (&theirs, "enable"), (&own, "remove"), (&own, "disable")] {
        let fields = [("csrf", csrf.as_str()), ("action", action), ("version", "2"), (&admin, "on")];
        let (_, proving) = ana.reader.forges(at, &ours, &fields).await;
        assert!(proving.contains("name=\"password\""), "{action}: {proving}");
    }
    let member = owner.get(&bruno_at).await.is(200);
    assert_eq!(
        (&member.body["roles"][0]["name"], &member.body["condition"]),
        (&json!("member"), &json!("suspended"))
    );
    let mine = owner.get(&acme.path(&format!("/members/{}", ana.membership))).await.is(200);
    assert_eq!((mine.version(), &mine.body["condition"]), (1, &json!("enabled")));
    // With the proof it is done: of those that were asked for, the last.
    let fields = [("csrf", csrf.as_str()), ("action", "enable")];
    let (_, proving) = ana.reader.forges(&theirs, &ours, &fields).await;
    let (_, after) = ana.reader.sends(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(after.contains("switched on again."), "{after}");
    assert_eq!(owner.get(&bruno_at).await.is(200).body["condition"], "enabled");
}

async fn whoever_is_refused_after_a_proof_stays_signed_in(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let mut ada = world.worker(&acme, "ada@example.com", "admin").await;
    world.clock.pass(Lifetime::from_hours(2));
    let shown = ada.reader.reads(&page(&acme, "/invitations")).await;
    let member = world.role_of(&acme, "member").await;
    let fields = [("action", "invite"), ("email", "eve@example.com"), (&ticks(member), "on")];
    let (_, proving) = ada.reader.presses(&shown, "id=\"send-invitation\"", &fields).await;
    let path = acme.path(&format!("/members/{}/roles", ada.membership));
    owner.put(&path, 1, json!({"roles": [member.to_string()]})).await.is(200);
    let before = ada.reader.cookies["session"].clone();
    let (status, after) = ada.reader.sends(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert_eq!(status, 404, "{after}");
    assert_ne!(ada.reader.cookies["session"], before, "the proof renewed the session");
    assert!(!ada.reader.cookies.contains_key("waiting"), "and nothing waits any more");
    assert!(ada.reader.reads("/my-account").await.contains("id=\"sessions\""), "still signed in");
    assert_eq!(owner.get(&acme.path("/invitations")).await.is(200).body["items"], json!([]));
}

async fn whoever_proves_it_at_a_provider_is_told_that_what_waited_was_not_done(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let provider = world.provider().await;
    provider.connect(&owner, "acme.example").await;
    provider.knows(person("ana-7", "ana@acme.example"));
    let (_, reply) = signs_in(world, &provider, "ana@acme.example").await;
    let session = reply.is(200).text_of("session_token");
    let members = owner.get(&acme.path("/members")).await.is(200).body;
    let ana = members["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["id"] != owner.membership.to_string())
        .unwrap()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let roles = json!({"roles": [world.role_of(&acme, "owner").await.to_string()]});
    owner.put(&acme.path(&format!("/members/{ana}/roles")), 1, roles).await.is(200);
    let mut reader = world.reader("en").holding(&session);
    world.clock.pass(Lifetime::from_minutes(30));
    let keys =
        async || owner.get(&acme.path("/api-keys")).await.is(200).body["items"].as_array().unwrap().len();
    let fields = [("action", "make"), ("name", "Ledger"), ("scope.members:read", "on")];
    for (page, within, fields) in [
        (page(&acme, "/keys"), "id=\"make-key-now\"", &fields[..]),
        ("/my-account".to_owned(), "name=\"action\" value=\"add_totp\"", &[("action", "add_totp")][..]),
    ] {
        world.clock.pass(Lifetime::from_minutes(6));
        let before = keys().await;
        let form = reader.reads(&page).await;
        let (_, proving) = reader.presses(&form, within, fields).await;
        let (_, leaving) = reader.presses(&proving, "single_sign_on", &[("action", "single_sign_on")]).await;
        let go_to = leaving
            .split("id=\"onward\" href=\"")
            .nth(1)
            .unwrap_or_else(|| panic!("{leaving}"))
            .split('"')
            .next()
            .unwrap()
            .replace("&#38;", "&");
        let back = provider.visited(world, &go_to).await;
        // From another site a browser brings only what may arrive with it.
        assert!(reader.cookies.remove("waiting").is_some());
        let told = reader.reads(&back).await;
        assert!(told.contains("was not done. Do it again now"), "{told}");
        assert!(told.contains(within), "on the page where it was asked for: {told}");
        assert_eq!(keys().await, before, "nothing was done");
        let once_more = reader.reads(&page).await;
        assert!(!once_more.contains("was not done."), "it is told once: {once_more}");
        if page.starts_with("/console") {
            let (_, made) = reader.presses(&once_more, within, fields).await;
            assert!(
                made.contains("id=\"secret\"") && keys().await == before + 1,
                "the proof is fresh: {made}"
            );
        }
    }
}
