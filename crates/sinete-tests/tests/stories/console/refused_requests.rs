//! The refused authorization requests of an application on its page of the console.

use super::console_path;
use crate::both_engines;
use crate::harness::oauth_application::OAuthApplication;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;
use sinete_store::oauth::clients::ClientOrigin;

both_engines!(
    console_application_lists_its_refused_requests_with_their_reference,
    console_application_lists_no_refused_requests_of_others_and_few_of_a_flood,
);

/// Sends a request that is refused, and returns its reference.
async fn get_refused(app: &OAuthApplication<'_>, changes: &[(&str, Option<&str>)]) -> String {
    let answered = app.authorize(None, changes).await;
    answered.headers["x-request-id"].to_str().unwrap().to_owned()
}

/// The section of refused requests.
fn refused_section(page: &str) -> &str {
    page.split("id=\"refused\"")
        .nth(1)
        .unwrap_or_else(|| panic!("{page}"))
        .split("</section>")
        .next()
        .unwrap()
}

async fn console_application_lists_its_refused_requests_with_their_reference(world: &World) {
    let acme = world.create_organization("acme").await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let app = world.create_application(ClientOrigin::Organization(acme.id), json!({})).await;
    let here = console_path(&acme, &format!("/applications/{}", app.id));
    let page = ana.reader.open_page(&here).await;
    assert!(refused_section(&page).contains("None since this server started"), "{page}");
    let redirect = get_refused(&app, &[("redirect_uri", Some("https://app.example/other"))]).await;
    let scope = get_refused(&app, &[("scope", Some("openid no-such-scope"))]).await;
    let pkce = get_refused(&app, &[("code_challenge", None), ("code_challenge_method", None)]).await;
    let page = ana.reader.open_page(&here).await;
    let refused = refused_section(&page);
    for (reference, reason, value) in [
        (&redirect, "redirect_uri_not_registered", "https://app.example/other"),
        (&scope, "invalid_scope", "openid no-such-scope"),
        (&pkce, "invalid_request", "code_challenge"),
    ] {
        let entry = refused.split("<li").find(|it| it.contains(reference.as_str()));
        let entry = entry.unwrap_or_else(|| panic!("{reference} {reason}: {refused}"));
        assert!(entry.contains(reason) && entry.contains(value), "{entry}");
    }
    // That the user has to sign in is no error of the application.
    let silent = get_refused(&app, &[("prompt", Some("none"))]).await;
    assert!(!ana.reader.open_page(&here).await.contains(&silent));
}

async fn console_application_lists_no_refused_requests_of_others_and_few_of_a_flood(world: &World) {
    let acme = world.create_organization("acme").await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let app = world.create_application(ClientOrigin::Organization(acme.id), json!({})).await;
    let other = world.create_application(ClientOrigin::Organization(acme.id), json!({})).await;
    let wrong = [("redirect_uri", Some("https://evil.example/<b>"))];
    let mut references = Vec::new();
    for _ in 0..3 {
        references.push(get_refused(&app, &wrong).await);
    }
    let page = ana.reader.open_page(&console_path(&acme, &format!("/applications/{}", app.id))).await;
    let refused = refused_section(&page);
    assert_eq!(refused.matches("<li").count(), 1, "{refused}");
    assert!(refused.contains(&references[2]) && !refused.contains(&references[0]), "{refused}");
    assert!(refused.contains("3 times within a minute") && !refused.contains("<b>"), "{refused}");
    world.clock.advance(Lifetime::from_minutes(1));
    references.push(get_refused(&app, &wrong).await);
    let page = ana.reader.open_page(&console_path(&acme, &format!("/applications/{}", app.id))).await;
    assert_eq!(refused_section(&page).matches("<li").count(), 2, "{page}");
    let page = ana.reader.open_page(&console_path(&acme, &format!("/applications/{}", other.id))).await;
    assert!(refused_section(&page).contains("None since this server started"), "{page}");
}
