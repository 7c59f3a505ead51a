//! The console in a real browser: signing in on the way, members, invitations, roles, applications and the audit log.

use super::accessibility;
use super::chromium::{Browser, Scheme};
use crate::harness::database::TestEngine;
use crate::harness::flow_client::PASSWORD;
use crate::harness::organizations::TestOrganization;
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::id::MembershipId;
use sinete_core::time::Lifetime;

const ANA: &str = "ana@example.org";

/// Ana, who owns an organization with a second member.
async fn ana_and_bruno(world: &World) -> (TestOrganization, MembershipId) {
    let acme = world.create_organization("acme").await;
    let ana = world.create_user(ANA).await;
    SignedInUser { world, account: ana.account, token: ana.session }.join_organization(&acme, "owner").await;
    world.clock.advance(Lifetime::from_micros(1_000));
    let bruno = world.create_user("bruno@example.org").await;
    let bruno = SignedInUser { world, account: bruno.account, token: bruno.session }
        .join_organization(&acme, "member")
        .await;
    (acme, bruno)
}

/// The whole story, with scripts or without.
async fn runs_an_organization(world: &World, browser: &Browser, scripts: bool) {
    let (acme, bruno) = ana_and_bruno(world).await;
    // The accessibility checker is a script itself.
    let check = async |context: &str| {
        if scripts {
            accessibility::check(browser, context).await;
        }
    };
    let owner = world.create_owner(&acme).await;
    // A user who is not signed in signs in first and then arrives at the requested page.
    browser.open(&format!("{}/console/acme/invitations", world.origin())).await;
    browser.fill("#identifier", ANA).await;
    browser.fill("#password", PASSWORD).await;
    browser.press("#sign-in-submit").await;
    if browser.shows("#passkey-skip").await {
        browser.press("#passkey-skip").await;
    }
    browser.find("#send-invitation").await;
    check("invitations").await;
    // The error is shown, and what was typed stays.
    browser.fill("#email", "carla").await;
    browser.press("#send-invitation").await;
    browser.find("#trouble").await;
    check("an invalid address").await;
    browser.fill("#email", "carla@example.org").await;
    world.clock.advance(Lifetime::from_hours(2));
    browser.press("#send-invitation").await;
    // Two hours later the action needs a step-up, and is done after it.
    browser.fill("#password", PASSWORD).await;
    browser.press("#sign-in-submit").await;
    assert!(browser.element_text("[role='status']").await.contains("Invitation sent"));
    assert!(browser.element_text("#invitations").await.contains("carla@example.org"));
    browser.press(".sections a[href*='/members']").await;
    browser.find("#members").await;
    check("members").await;
    for width in [320, 1280] {
        browser.look(width, Scheme::Dark).await;
        assert!(browser.content_width().await <= u64::from(width));
    }
    browser.press(&format!("#members a[href$='{bruno}']")).await;
    browser.find("#save-roles").await;
    check("one member").await;
    browser.press(".check:nth-of-type(1) input").await;
    browser.press("#save-roles").await;
    assert!(browser.element_text("[role='status']").await.contains("Roles saved"));
    browser.press("#switch-off").await;
    browser.find("#switch-on").await;
    browser.press("#remove summary").await;
    browser.press("#remove-now").await;
    assert!(browser.element_text("[role='status']").await.contains("Member removed"));
    registers_an_application(browser, &check).await;
    reads_the_audit_log(browser, &check).await;
    let audit_log = owner.get(&acme.path("/audit")).await.assert_status(200);
    let kinds: Vec<&str> =
        audit_log.body["items"].as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap()).collect();
    for kind in ["invitation.sent", "membership.roles_changed", "membership.disabled", "membership.ended"] {
        assert!(kinds.contains(&kind), "{kind}: {kinds:?}");
    }
    browser.press(".sections a[href*='/members']").await;
    // Reloading the page does not repeat the action.
    browser.reload().await;
    assert!(!browser.shows("[role='status']").await);
    browser.expect_quiet_console("the console of an organization").await;
}

/// Registers an application, reads its secret, and changes it.
async fn registers_an_application(browser: &Browser, check: &impl AsyncFn(&str)) {
    browser.press(".sections a[href*='/applications']").await;
    browser.press("#register summary").await;
    browser.fill("#name", "Ledger").await;
    // The form shows what a web application needs; the rest follows from the type.
    let is_shown = "return document.querySelector(arguments[0]).checkVisibility()";
    for (field, is_visible) in [("#redirects", true), ("#claims", true), ("#proof", false), ("#scope", false)]
    {
        assert_eq!(browser.run(is_shown, json!([field])).await, is_visible, "{field}");
    }
    // A service has no users: neither redirect URIs nor ID tokens.
    browser.press("input[name='type'][value='service']").await;
    for (field, is_visible) in
        [("#purpose", true), ("#redirects", false), ("#claims", false), ("#proof", false)]
    {
        assert_eq!(browser.run(is_shown, json!([field])).await, is_visible, "{field}");
    }
    browser.press("input[name='type'][value='web']").await;
    check("registering an application").await;
    browser.press("#register-now").await;
    // The redirect URI is missing. The other fields keep what was typed.
    assert!(browser.element_text("#trouble").await.contains("needs 1 to 20 redirect URIs"));
    check("an application without a redirect URI").await;
    browser.fill("#redirects", "https://ledger.example/callback").await;
    browser.press("#register-now").await;
    let secret = browser.element_text("#secret").await;
    assert!(secret.starts_with("sn_"), "{secret}");
    check("a secret, displayed once").await;
    browser.press("#kept").await;
    browser.find("#save").await;
    check("one application").await;
    for width in [320, 1280] {
        browser.look(width, Scheme::Dark).await;
        assert!(browser.content_width().await <= u64::from(width));
    }
    browser.fill("#purpose", "Keeps the books").await;
    browser.press("#save").await;
    assert!(browser.element_text("[role='status']").await.contains("Application saved"));
    browser.press("#switch-off").await;
    browser.find("#switch-on").await;
    browser.press("#remove summary").await;
    browser.press("#remove-now").await;
    assert!(browser.element_text("[role='status']").await.contains("Application deleted"));
}

/// Opens the audit log, filters it, and opens one event.
async fn reads_the_audit_log(browser: &Browser, check: &impl AsyncFn(&str)) {
    browser.press(".sections a[href*='/audit-log']").await;
    assert!(browser.element_text("#entries").await.contains("Member left or was removed"));
    check("the audit log").await;
    for width in [320, 1280] {
        browser.look(width, Scheme::Light).await;
        assert!(browser.content_width().await <= u64::from(width));
    }
    browser.press("#kind option[value='invitation.sent']").await;
    browser.press("#show").await;
    browser.find("#everything").await;
    let page = browser.element_text("#entries").await;
    assert!(page.contains("Invitation sent") && !page.contains("removed"), "{page}");
    browser.press("#entries a").await;
    browser.find("#event").await;
    check("one event").await;
    for width in [320, 1280] {
        browser.look(width, Scheme::Dark).await;
        assert!(browser.content_width().await <= u64::from(width));
    }
    browser.press("#of-actor").await;
    assert!(browser.element_text("#only").await.contains("you"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn console_manages_an_organization_as_its_owner() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    runs_an_organization(&world, &browser, true).await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn console_manages_an_organization_without_scripts() {
    let (world, browser) =
        (World::start(TestEngine::Postgres).await, Browser::start_without_scripts("en").await);
    runs_an_organization(&world, &browser, false).await;
    world.stop().await;
}
