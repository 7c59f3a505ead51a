//! Proofs that the console asks for: what waits for them is done there, once, and nowhere else.

use super::{page, ticks};
use crate::harness::database::Engine;
use crate::harness::person::PASSWORD;
use crate::harness::world::World;
use crate::stories;
use serde_json::json;
use sinete_core::time::Lifetime;

/// A page of the operator's own that may walk through flows by cookie.
const LISTED: &str = "https://app.sinete.example";

async fn listed(on: Engine) -> World {
    World::begin_with(on, &[("SINETE_FLOWS_ALLOWED_ORIGINS", LISTED)]).await
}

async fn listed_without_console(on: Engine) -> World {
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

    stories! {
        where everything begins with crate::stories::console::proving::listed;

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
            let (status, own) = ana.reader.forges("/my-account", LISTED, &[("csrf", &csrf), ("action", "none")]).await;
            assert_eq!(status, 200, "{own}");
        }
    }
}

mod left_out {
    use super::*;

    stories! {
        where everything begins with crate::stories::console::proving::listed_without_console;

        async fn where_the_console_is_left_out_no_proof_brings_it_back(world: &World) {
            by_the_side_door(world).await;
        }
    }
}

stories! {
    async fn what_hands_out_access_or_gives_up_ones_own_waits_for_a_proof(world: &World) {
        let acme = world.tenant("acme").await;
        let owner = world.owner(&acme).await;
        let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
        let bruno = world.member(&acme, &["member"]).await;
        let bruno_at = acme.path(&format!("/members/{bruno}"));
        owner.post(&format!("{bruno_at}/disable"), json!(null)).await.is(200);
        world.clock.pass(Lifetime::from_hours(2));
        let (theirs, own) = (page(&acme, &format!("/members/{bruno}")), page(&acme, &format!("/members/{}", ana.membership)));
        let csrf = csrf(&ana.reader.reads(&theirs).await);
        let (admin, ours) = (ticks(world.role_of(&acme, "admin").await), world.origin());
        for (at, action) in [(&theirs, "set_roles"), (&theirs, "enable"), (&own, "remove"), (&own, "disable")] {
            let fields = [("csrf", csrf.as_str()), ("action", action), ("version", "2"), (&admin, "on")];
            let (_, proving) = ana.reader.forges(at, &ours, &fields).await;
            assert!(proving.contains("name=\"password\""), "{action}: {proving}");
        }
        let member = owner.get(&bruno_at).await.is(200);
        assert_eq!((&member.body["roles"][0]["name"], &member.body["condition"]), (&json!("member"), &json!("suspended")));
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
}
