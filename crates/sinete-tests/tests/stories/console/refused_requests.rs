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
    console_application_lists_refused_pushed_requests,
    instance_console_application_lists_its_refused_requests,
    console_search_finds_a_refused_request_by_its_reference,
);

/// Sends a request that is refused, and returns its reference.
async fn get_refused(app: &OAuthApplication<'_>, changes: &[(&str, Option<&str>)]) -> String {
    let response = app.authorize(None, changes).await;
    response.headers["x-request-id"].to_str().unwrap().to_owned()
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
    let page_path = console_path(&acme, &format!("/applications/{}", app.id));
    let page = ana.reader.open_page(&page_path).await;
    assert!(refused_section(&page).contains("None since this server started"), "{page}");
    let redirect = get_refused(&app, &[("redirect_uri", Some("https://app.example/other"))]).await;
    let scope = get_refused(&app, &[("scope", Some("openid no-such-scope"))]).await;
    let pkce = get_refused(&app, &[("code_challenge", None), ("code_challenge_method", None)]).await;
    let page = ana.reader.open_page(&page_path).await;
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
    assert!(!ana.reader.open_page(&page_path).await.contains(&silent));
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

async fn console_application_lists_refused_pushed_requests(world: &World) {
    let acme = world.create_organization("acme").await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let app = world.create_application(ClientOrigin::Organization(acme.id), json!({})).await;
    let page_path = console_path(&acme, &format!("/applications/{}", app.id));
    assert_eq!(app.push_request(&[]).await.0, 201);
    let page = ana.reader.open_page(&page_path).await;
    assert!(refused_section(&page).contains("None since this server started"), "{page}");
    for (changes, reason, value) in [
        (
            [("redirect_uri", Some("https://app.example/other"))],
            "invalid_request",
            "https://app.example/other",
        ),
        ([("scope", Some("openid no-such-scope"))], "invalid_scope", "openid no-such-scope"),
    ] {
        let (status, refused) = app.push_request(&changes).await;
        assert_eq!((status, &refused["error"]), (400, &json!(reason)), "{refused}");
        let page = ana.reader.open_page(&page_path).await;
        let section = refused_section(&page);
        let entry = section.split("<li").find(|it| it.contains(value));
        assert!(entry.is_some_and(|it| it.contains(reason)), "{reason}: {section}");
    }
}

async fn instance_console_application_lists_its_refused_requests(world: &World) {
    let operators = world.find_organization("operator").await;
    let mut ana = world.create_console_user(&operators, "ana@example.com", "operator").await;
    let app = world.create_application(ClientOrigin::Operator, json!({})).await;
    let other = world.create_application(ClientOrigin::Operator, json!({})).await;
    let reference = get_refused(&app, &[("redirect_uri", Some("https://app.example/other"))]).await;
    let page = ana.reader.open_page(&format!("/instance/applications/{}", app.id)).await;
    let refused = refused_section(&page);
    for text in ["redirect_uri_not_registered", "https://app.example/other", reference.as_str()] {
        assert!(refused.contains(text), "{text}: {refused}");
    }
    let page = ana.reader.open_page(&format!("/instance/applications/{}", other.id)).await;
    assert!(refused_section(&page).contains("None since this server started"), "{page}");
}

async fn console_search_finds_a_refused_request_by_its_reference(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let owner = world.create_owner(&acme).await;
    let operators = world.find_organization("operator").await;
    let app = world.create_application(ClientOrigin::Organization(acme.id), json!({})).await;
    let instance_app = world.create_application(ClientOrigin::Operator, json!({})).await;
    let wrong = [("redirect_uri", Some("https://app.example/other"))];
    let reference = get_refused(&app, &wrong).await;
    let instance_reference = get_refused(&instance_app, &wrong).await;
    let search = |slug: &str, text: &str| format!("/console/{slug}/search?q={text}");
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let results_page = ana.reader.open_page(&search("acme", &reference)).await;
    let link = format!("href=\"/console/acme/applications/{}#refused\"", app.id);
    assert!(
        results_page.contains(&link) && results_page.contains("redirect_uri_not_registered"),
        "{results_page}"
    );
    // Requests of other applications are not found, nor by a part of a reference, nor without the permission.
    for text in [instance_reference.as_str(), &reference[..8]] {
        let results_page = ana.reader.open_page(&search("acme", text)).await;
        assert!(!results_page.contains("redirect_uri_not_registered"), "{text}: {results_page}");
    }
    let mut zoe = world.create_console_user(&other, "zoe@example.com", "owner").await;
    let results_page = zoe.reader.open_page(&search("other", &reference)).await;
    assert!(!results_page.contains("redirect_uri_not_registered"), "{results_page}");
    let role = json!({"name": "reader", "permissions": ["organization:read", "members:read"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let mut rita = world.create_console_user(&acme, "rita@example.com", "reader").await;
    let results_page = rita.reader.open_page(&search("acme", &reference)).await;
    assert!(!results_page.contains("redirect_uri_not_registered"), "{results_page}");
    // An operator finds all: an application of an organization by the organization.
    let mut olga = world.create_console_user(&operators, "olga@example.com", "operator").await;
    for (reference, link) in [
        (&reference, format!("href=\"/instance/organizations/{}\"", acme.id)),
        (&instance_reference, format!("href=\"/instance/applications/{}\"", instance_app.id)),
    ] {
        let results_page = olga.reader.open_page(&format!("/instance/search?q={reference}")).await;
        assert!(
            results_page.contains(&link) && results_page.contains("redirect_uri_not_registered"),
            "{results_page}"
        );
    }
}
