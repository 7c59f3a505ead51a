//! Step-up on the console: an action that waits for it is done there, once, and in no other way.

use super::{console_path, role_field};
use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::flow_client::PASSWORD;
use crate::harness::oidc_provider::provider_user;
use crate::harness::world::World;
use crate::stories::identity_providers::oidc_sign_in::signs_in;
use serde_json::json;
use sinete_core::time::Lifetime;

/// An allowed origin that may use flows with cookies.
const LISTED: &str = "https://app.sinete.example";

async fn listed(on: TestEngine) -> World {
    World::start_with_config(on, &[("SINETE_FLOWS_ALLOWED_ORIGINS", LISTED)]).await
}

async fn listed_without_console(on: TestEngine) -> World {
    let off = ("SINETE_SCREENS_CONSOLE", "false");
    World::start_with_config(on, &[("SINETE_FLOWS_ALLOWED_ORIGINS", LISTED), off]).await
}

/// The CSRF token of a page.
fn csrf(page: &str) -> String {
    page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

/// Sends a form of the account page that names a console action, from another origin, and completes the step-up.
async fn by_the_side_door(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    world.clock.advance(Lifetime::from_hours(2));
    let csrf = csrf(&ana.reader.open_page("/my-account").await);
    let (member, page_path) =
        (role_field(world.find_role(&acme, "member").await), console_path(&acme, "/invitations"));
    let nothing = ana.membership.to_string();
    let fields = [
        ("csrf", csrf.as_str()),
        ("remove_credential", &nothing),
        ("console", &page_path),
        ("action", "invite"),
        ("email", "eve@example.com"),
        (&member, "on"),
    ];
    let (_, proving) = ana.reader.forge_post("/my-account", LISTED, &fields).await;
    assert!(proving.contains("name=\"password\""), "{proving}");
    let (_, after) =
        ana.reader.submit_first_form(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(after.contains("id=\"sessions\""), "the user returns to the account page: {after}");
    assert_eq!(owner.get(&acme.path("/invitations")).await.assert_status(200).body["items"], json!([]));
}

mod from_elsewhere {
    use super::*;

    both_engines!(
        crate::stories::console::step_up::listed,
        [console_form_of_another_page_has_no_effect, console_is_not_usable_from_an_origin_allowed_for_flows]
    );

    async fn console_form_of_another_page_has_no_effect(world: &World) {
        by_the_side_door(world).await;
    }

    async fn console_is_not_usable_from_an_origin_allowed_for_flows(world: &World) {
        let acme = world.create_organization("acme").await;
        let owner = world.create_owner(&acme).await;
        let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
        let bruno = world.create_member(&acme, &["member"]).await;
        let page = console_path(&acme, &format!("/members/{bruno}"));
        let csrf = csrf(&ana.reader.open_page(&page).await);
        let remove = [("csrf", csrf.as_str()), ("action", "remove")];
        assert_eq!(ana.reader.forge_post(&page, LISTED, &remove).await.0, 403);
        owner.get(&acme.path(&format!("/members/{bruno}"))).await.assert_status(200);
        // On the account page, it is accepted.
        let (status, account_page) =
            ana.reader.forge_post("/my-account", LISTED, &[("csrf", &csrf), ("action", "none")]).await;
        assert_eq!(status, 200, "{account_page}");
    }
}

mod left_out {
    use super::*;

    both_engines!(
        crate::stories::console::step_up::listed_without_console,
        [console_disabled_is_not_reachable_through_step_up]
    );

    async fn console_disabled_is_not_reachable_through_step_up(world: &World) {
        by_the_side_door(world).await;
    }
}

both_engines!(
    console_actions_that_grant_access_or_end_own_access_need_step_up,
    console_action_refused_after_step_up_keeps_the_session,
    console_step_up_at_an_identity_provider_reports_that_the_action_was_not_done
);

async fn console_actions_that_grant_access_or_end_own_access_need_step_up(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let bruno = world.create_member(&acme, &["member"]).await;
    let bruno_at = acme.path(&format!("/members/{bruno}"));
    owner.post(&format!("{bruno_at}/disable"), json!(null)).await.assert_status(200);
    world.clock.advance(Lifetime::from_hours(2));
    let (theirs, own_path) = (
        console_path(&acme, &format!("/members/{bruno}")),
        console_path(&acme, &format!("/members/{}", ana.membership)),
    );
    let csrf = csrf(&ana.reader.open_page(&theirs).await);
    let (admin, ours) = (role_field(world.find_role(&acme, "admin").await), world.origin());
    for (at, action) in
        [(&theirs, "set_roles"), (&theirs, "enable"), (&own_path, "remove"), (&own_path, "disable")]
    {
        let fields = [("csrf", csrf.as_str()), ("action", action), ("version", "2"), (&admin, "on")];
        let (_, proving) = ana.reader.forge_post(at, &ours, &fields).await;
        assert!(proving.contains("name=\"password\""), "{action}: {proving}");
    }
    let member = owner.get(&bruno_at).await.assert_status(200);
    assert_eq!(
        (&member.body["roles"][0]["name"], &member.body["condition"]),
        (&json!("member"), &json!("suspended"))
    );
    let mine = owner.get(&acme.path(&format!("/members/{}", ana.membership))).await.assert_status(200);
    assert_eq!((mine.version(), &mine.body["condition"]), (1, &json!("enabled")));
    // After the step-up, the last of the requested actions is done.
    let fields = [("csrf", csrf.as_str()), ("action", "enable")];
    let (_, proving) = ana.reader.forge_post(&theirs, &ours, &fields).await;
    let (_, after) =
        ana.reader.submit_first_form(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(after.contains("Member enabled."), "{after}");
    assert_eq!(owner.get(&bruno_at).await.assert_status(200).body["condition"], "enabled");
}

async fn console_action_refused_after_step_up_keeps_the_session(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ada = world.create_console_user(&acme, "ada@example.com", "admin").await;
    world.clock.advance(Lifetime::from_hours(2));
    let page = ada.reader.open_page(&console_path(&acme, "/invitations")).await;
    let member = world.find_role(&acme, "member").await;
    let fields = [("action", "invite"), ("email", "eve@example.com"), (&role_field(member), "on")];
    let (_, proving) = ada.reader.submit_form(&page, "id=\"send-invitation\"", &fields).await;
    let path = acme.path(&format!("/members/{}/roles", ada.membership));
    owner.put(&path, 1, json!({"roles": [member.to_string()]})).await.assert_status(200);
    let before = ada.reader.cookies["sinete_session"].clone();
    let (status, after) =
        ada.reader.submit_first_form(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert_eq!(status, 404, "{after}");
    assert_ne!(ada.reader.cookies["sinete_session"], before, "the step-up renewed the session");
    assert!(!ada.reader.cookies.contains_key("sinete_waiting"), "no action is waiting");
    assert!(ada.reader.open_page("/my-account").await.contains("id=\"sessions\""), "still signed in");
    assert_eq!(owner.get(&acme.path("/invitations")).await.assert_status(200).body["items"], json!([]));
}

async fn console_step_up_at_an_identity_provider_reports_that_the_action_was_not_done(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    provider.create_connection(&owner, "acme.example").await;
    provider.set_user(provider_user("ana-7", "ana@acme.example"));
    let (_, reply) = signs_in(world, &provider, "ana@acme.example").await;
    let session = reply.assert_status(200).text_member("session_token");
    let members = owner.get(&acme.path("/members")).await.assert_status(200).body;
    let ana = members["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["id"] != owner.membership.to_string())
        .unwrap()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let roles = json!({"roles": [world.find_role(&acme, "owner").await.to_string()]});
    owner.put(&acme.path(&format!("/members/{ana}/roles")), 1, roles).await.assert_status(200);
    let mut reader = world.create_page_browser("en").with_session(&session);
    world.clock.advance(Lifetime::from_minutes(30));
    let keys = async || {
        owner.get(&acme.path("/api-keys")).await.assert_status(200).body["items"].as_array().unwrap().len()
    };
    let fields = [("action", "make"), ("name", "Ledger"), ("scope.members:read", "on")];
    for (page, within, fields) in [
        (console_path(&acme, "/keys"), "id=\"make-key-now\"", &fields[..]),
        ("/my-account".to_owned(), "name=\"action\" value=\"add_totp\"", &[("action", "add_totp")][..]),
    ] {
        world.clock.advance(Lifetime::from_minutes(6));
        let before = keys().await;
        let form = reader.open_page(&page).await;
        let (_, proving) = reader.submit_form(&form, within, fields).await;
        let (_, leaving) =
            reader.submit_form(&proving, "single_sign_on", &[("action", "single_sign_on")]).await;
        let go_to = leaving
            .split("id=\"onward\" href=\"")
            .nth(1)
            .unwrap_or_else(|| panic!("{leaving}"))
            .split('"')
            .next()
            .unwrap()
            .replace("&#38;", "&");
        let back = provider.follow_authorization(world, &go_to).await;
        // From another site, a browser sends only cookies that are not `SameSite=Strict`.
        assert!(reader.cookies.remove("sinete_waiting").is_some());
        let result_page = reader.open_page(&back).await;
        assert!(
            result_page.contains("You are verified, but your change was lost and not made"),
            "{result_page}"
        );
        assert!(result_page.contains(within), "on the page of the requested action: {result_page}");
        assert_eq!(keys().await, before, "no API key was created");
        let once_more = reader.open_page(&page).await;
        assert!(
            !once_more.contains("You are verified, but your change was lost and not made."),
            "the notice is displayed once: {once_more}"
        );
        if page.starts_with("/console") {
            let (_, created_page) = reader.submit_form(&once_more, within, fields).await;
            assert!(
                created_page.contains("id=\"secret\"") && keys().await == before + 1,
                "the step-up is recent: {created_page}"
            );
        }
    }
}
