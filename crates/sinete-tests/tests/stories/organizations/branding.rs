//! Branding: set by an organization, shown where a request is about it, and nowhere else.

use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::oauth_application::OAuthApplication;
use crate::harness::organizations::TestOrganization;
use crate::harness::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sinete_core::limits::{EMAIL_CODE_INTERVAL, LOGO_BYTES_MAX};
use sinete_store::oauth::clients::ClientOrigin;

const DRAWING: &str =
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'><path d='M0 0h8v8H0z'/></svg>";

fn logo(bytes: &[u8]) -> Value {
    json!({"data": STANDARD.encode(bytes)})
}

/// The page that the authorization endpoint shows for a request of this application.
async fn page(app: &OAuthApplication<'_>, changes: &[(&str, Option<&str>)]) -> String {
    let address = app.world.authorization_url(&app.authorization_params(changes));
    app.world.create_page_browser("en").open_page(&address).await
}

/// The URL on the page with this prefix.
fn linked(page: &str, beginning: &str) -> Option<String> {
    let begin = page.find(beginning)?;
    page[begin..].split('"').next().map(|address| address.replace("&amp;", "&"))
}

async fn fetched(world: &World, path: &str) -> (u16, String, String, String) {
    let answer = world.get(path).await;
    let header = |name: &str| answer.headers().get(name).map(|it| it.to_str().unwrap().to_owned());
    let (kind, policy) = (header("content-type"), header("content-security-policy"));
    let status = answer.status().as_u16();
    (status, kind.unwrap_or_default(), policy.unwrap_or_default(), answer.text().await.unwrap())
}

/// Sets every branding member of an organization and returns its owner.
async fn dressed<'w>(world: &'w World, tenant: &TestOrganization) -> ApiCaller<'w> {
    let owner = world.create_owner(tenant).await;
    let branding = json!({"name": "Acme & <Sons>", "accent": "#1a5fb4", "background": "#eef2ff"});
    owner.patch(&tenant.path(""), 1, json!({"settings": {"branding": branding}})).await.assert_status(200);
    let response = owner.put(&tenant.path("/logo"), 2, logo(DRAWING.as_bytes())).await.assert_status(200);
    assert_eq!(
        (&response.body["media_type"], response.headers["etag"].to_str().unwrap()),
        (&json!("image/svg+xml"), "\"3\"")
    );
    owner
}

both_engines!(
    branding_of_an_organization_is_displayed_on_its_requests,
    branding_of_an_organization_is_displayed_on_magic_links_and_failed_requests,
    branding_of_a_suspended_organization_is_not_displayed,
    branding_that_is_invalid_is_refused_with_the_reason_and_changes_nothing,
    branding_is_changed_only_by_its_organization_and_from_the_current_version
);

async fn branding_of_an_organization_is_displayed_on_its_requests(world: &World) {
    let (acme, globex) = (world.create_organization("acme").await, world.create_organization("globex").await);
    dressed(world, &acme).await;
    let auth_application = world.create_application(ClientOrigin::Organization(acme.id), json!({})).await;
    let general = world.create_application(ClientOrigin::Operator, json!({})).await;
    let id = acme.id.to_string();
    for page_html in [
        page(&auth_application, &[]).await,
        page(&general, &[("organization", Some("acme"))]).await,
        page(&general, &[("organization", Some(&id))]).await,
    ] {
        assert!(page_html.contains("Acme &#38; &#60;Sons&#62;</span></a>"), "{page_html}");
        assert!(page_html.contains("Sign-in by Sinete"), "the page names the instance");
        assert!(!page_html.contains("src=\"http") && !page_html.contains("href=\"http"));
    }
    let page_html = page(&auth_application, &[]).await;
    let picture = linked(&page_html, &format!("/assets/organizations/{id}/logo?v=")).unwrap();
    let (status, kind, policy, text) = fetched(world, &picture).await;
    assert_eq!((status, kind.as_str(), text.as_str()), (200, "image/svg+xml", DRAWING));
    assert!(policy.contains("default-src 'none'") && !policy.contains("script-src"), "{policy}");
    let colours = linked(&page_html, &format!("/assets/organizations/{id}/colours.css?v=")).unwrap();
    let (status, kind, _, text) = fetched(world, &colours).await;
    assert_eq!((status, kind.as_str()), (200, "text/css; charset=utf-8"));
    assert!(text.contains("--ground:#eef2ff;") && text.contains("--fill:#1a5fb4;"), "{text}");
    // A request without an organization, or with one that has no branding, is unknown or is not the client's, shows the
    // instance.
    let plain = page(&general, &[]).await.matches("Sinete").count();
    for name in ["globex", "nobody", "home", "../acme", &globex.id.to_string()] {
        let page_html = page(&general, &[("organization", Some(name))]).await;
        assert!(
            page_html.matches("Sinete").count() == plain && !page_html.contains("/assets/organizations/"),
            "{name}"
        );
    }
    for path in ["/assets/organizations/acme/logo", &format!("/assets/organizations/{}/logo", globex.id)] {
        assert_eq!(fetched(world, path).await.0, 404, "{path}");
    }
}

async fn branding_of_an_organization_is_displayed_on_magic_links_and_failed_requests(world: &World) {
    const OWN: &str = "Acme &#38; &#60;Sons&#62;</span></a>";
    let (acme, _) = (world.create_organization("acme").await, world.create_user("ana@example.com").await);
    dressed(world, &acme).await;
    let auth_application = world.create_application(ClientOrigin::Organization(acme.id), json!({})).await;
    let general = world.create_application(ClientOrigin::Operator, json!({})).await;
    // A link that continues a request has the language of that request; another link has none.
    let response = auth_application.authorize_as_json(None, &[("ui_locales", Some("pt"))]).await;
    let body: Value = serde_json::from_str(&response.text).unwrap();
    let text = |name: &str| body["flow"][name].as_str().unwrap().to_owned();
    let mut walk = world.continue_flow(&text("id"), &text("token")).await;
    walk.submit("email", json!({"email": "ana@example.com"})).await.assert_status(200);
    let link = world.emailed_link("ana@example.com").await;
    let page_html = world.create_page_browser("en").open_page(&format!("/link?token={link}")).await;
    assert!(
        page_html.contains(OWN)
            && page_html.contains("<html lang=\"pt-BR\"")
            && page_html.contains("confirm-submit"),
        "{page_html}"
    );
    world.clock.advance(EMAIL_CODE_INTERVAL);
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    walk.submit("email", json!({"email": "ana@example.com"})).await.assert_status(200);
    let link = world.emailed_link("ana@example.com").await;
    let page_html = world.create_page_browser("en").open_page(&format!("/link?token={link}")).await;
    assert!(
        !page_html.contains("/assets/organizations/") && page_html.contains("<html lang=\"en\""),
        "{page_html}"
    );
    // An invalid request shows the client's organization, or the one it names; for an unknown client, neither.
    let elsewhere = ("redirect_uri", Some("https://elsewhere.example/"));
    let organization_params = [elsewhere, ("organization", Some("acme")), ("ui_locales", Some("pt"))];
    for (app, changes, is_own) in [
        (&auth_application, &[elsewhere][..], true),
        (&general, &organization_params, true),
        (&general, &[elsewhere], false),
        (&general, &[("client_id", Some("nobody")), ("organization", Some("acme"))], false),
    ] {
        let address = world.authorization_url(&app.authorization_params(changes));
        let response = world.http.get(&address).header("accept", "text/html").send().await.unwrap();
        let (status, page) = (response.status(), response.text().await.unwrap());
        assert!(status == 400 && page.contains("id=\"error-page\""), "{changes:?}: {page}");
        assert_eq!(page.contains(OWN), is_own, "{changes:?}");
        let language = if changes.len() == 3 { "pt-BR" } else { "en" };
        assert!(page.contains(&format!("<html lang=\"{language}\"")), "{changes:?}");
    }
}

async fn branding_of_a_suspended_organization_is_not_displayed(world: &World) {
    let (acme, operator) = (world.create_organization("acme").await, world.create_operator().await);
    let owner = dressed(world, &acme).await;
    let general = world.create_application(ClientOrigin::Operator, json!({})).await;
    let organization_params = [("organization", Some("acme"))];
    let before = page(&general, &organization_params).await;
    let picture = linked(&before, "/assets/organizations/").unwrap();
    world.create_assignment(&operator, &acme, "unpaid").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "Unpaid"})).await.assert_status(200);
    assert!(!page(&general, &organization_params).await.contains("/assets/organizations/"));
    assert_eq!(fetched(world, &picture).await.0, 404);
    let version = owner.get(&acme.path("")).await.assert_status(200).version();
    owner
        .put(&acme.path("/logo"), version, logo(DRAWING.as_bytes()))
        .await
        .assert_problem(409, "organization_suspended");
    owner.delete(&acme.path("/logo"), Some(version)).await.assert_problem(409, "organization_suspended");
    operator.post(&acme.path("/restore"), json!({"reason": "Paid"})).await.assert_status(200);
    assert_eq!(fetched(world, &picture).await.0, 200);
}

async fn branding_that_is_invalid_is_refused_with_the_reason_and_changes_nothing(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    for (branding, fault, reason) in [
        (json!({"accent": "#ffff00"}), "/settings/branding/accent", "choose a darker color"),
        (json!({"background": "#202020"}), "/settings/branding/background", "choose a lighter color"),
        (json!({"name": "a\u{202e}b"}), "/settings/branding/name", "without control or direction marks"),
    ] {
        let refused = owner.patch(&acme.path(""), 1, json!({"settings": {"branding": branding}})).await;
        let refused = refused.assert_problem(422, "unprocessable");
        assert_eq!(refused.fault_pointers(), [fault]);
        assert!(refused.text.contains(reason), "{}", refused.text);
    }
    let mut large = b"\x89PNG\r\n\x1a\n".to_vec();
    large.resize(LOGO_BYTES_MAX + 1, 0);
    let active = DRAWING.replace("<path", "<script>alert(1)</script><path");
    let loading = DRAWING.replace("<path", "<image href='https://evil.example/x.png'/><path");
    for (body, reason) in [
        (logo(&large), "at most 40960 bytes"),
        (logo(b"GIF89a"), "PNG, JPEG, WebP or SVG"),
        (logo(active.as_bytes()), "must not contain scripts"),
        (logo(loading.as_bytes()), "references to other files"),
        (json!({"data": "%%%"}), "base64"),
    ] {
        let refused = owner.put(&acme.path("/logo"), 1, body).await.assert_problem(422, "unprocessable");
        assert_eq!(refused.fault_pointers(), ["/data"]);
        assert!(refused.text.contains(reason), "{}", refused.text);
    }
    owner.get(&acme.path("/logo")).await.assert_problem(404, "not_found");
    owner.delete(&acme.path("/logo"), Some(1)).await.assert_problem(404, "not_found");
    assert_eq!(owner.get(&acme.path("")).await.assert_status(200).version(), 1);
}

async fn branding_is_changed_only_by_its_organization_and_from_the_current_version(world: &World) {
    let (acme, globex) = (world.create_organization("acme").await, world.create_organization("globex").await);
    let owner = dressed(world, &acme).await;
    let api_caller = world.create_owner(&globex).await;
    api_caller.get(&acme.path("/logo")).await.assert_status(404);
    api_caller.put(&acme.path("/logo"), 3, logo(DRAWING.as_bytes())).await.assert_status(404);
    api_caller.delete(&acme.path("/logo"), Some(3)).await.assert_status(404);
    let member = world.create_member(&acme, &["member"]).await;
    let member = world.create_api_key_caller(&acme, member, "organization:read").await;
    member.get(&acme.path("/logo")).await.assert_status(200);
    member
        .put(&acme.path("/logo"), 3, logo(DRAWING.as_bytes()))
        .await
        .assert_problem(403, "insufficient_scope");
    owner.put(&acme.path("/logo"), 2, logo(DRAWING.as_bytes())).await.assert_status(412);
    let png = b"\x89PNG\r\n\x1a\n";
    let replaced = owner.put(&acme.path("/logo"), 3, logo(png)).await.assert_status(200);
    assert_eq!((&replaced.body["media_type"], &replaced.body["bytes"]), (&json!("image/png"), &json!(8)));
    owner.delete(&acme.path("/logo"), Some(4)).await.assert_status(204);
    owner.get(&acme.path("/logo")).await.assert_problem(404, "not_found");
    let audit_log = owner.get(&acme.path("/audit")).await.assert_status(200);
    assert!(audit_log.text.contains("\"logo\":true"), "{}", audit_log.text);
}
