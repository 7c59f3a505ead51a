//! How organizations look on the screens: chosen by their own, shown where a request is about them, and nowhere else.

use crate::both_engines;
use crate::harness::api::ApiCaller;
use crate::harness::application::OAuthApplication;
use crate::harness::tenants::TestOrganization;
use crate::harness::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sinete_core::limits::{LOGO_BYTES_MAX, MAILED_CODE_PAUSE};
use sinete_store::clients::ClientOrigin;

const DRAWING: &str =
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'><path d='M0 0h8v8H0z'/></svg>";

fn logo(bytes: &[u8]) -> Value {
    json!({"data": STANDARD.encode(bytes)})
}

/// What a browser is shown that is sent to the authorization endpoint by this application.
async fn page(app: &OAuthApplication<'_>, changes: &[(&str, Option<&str>)]) -> String {
    let address = app.world.authorization_address(&app.request(changes));
    app.world.reader("en").reads(&address).await
}

/// The address on the page that begins so.
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

/// An organization that has chosen everything, and its owner.
async fn dressed<'w>(world: &'w World, tenant: &TestOrganization) -> ApiCaller<'w> {
    let owner = world.owner(tenant).await;
    let branding = json!({"name": "Acme & <Sons>", "accent": "#1a5fb4", "background": "#eef2ff"});
    owner.patch(&tenant.path(""), 1, json!({"settings": {"branding": branding}})).await.is(200);
    let chosen = owner.put(&tenant.path("/logo"), 2, logo(DRAWING.as_bytes())).await.is(200);
    assert_eq!(
        (&chosen.body["media_type"], chosen.headers["etag"].to_str().unwrap()),
        (&json!("image/svg+xml"), "\"3\"")
    );
    owner
}

both_engines!(
    a_request_about_an_organization_shows_its_name_its_logo_and_its_colours,
    a_mailed_link_and_a_request_that_fails_look_like_the_organization_they_are_about,
    an_organization_that_is_suspended_is_not_shown,
    what_cannot_be_a_look_is_refused_with_the_reason_and_nothing_changes,
    a_look_is_changed_by_its_own_organization_alone_and_by_nobody_who_saw_an_older_one
);

async fn a_request_about_an_organization_shows_its_name_its_logo_and_its_colours(world: &World) {
    let (acme, globex) = (world.tenant("acme").await, world.tenant("globex").await);
    dressed(world, &acme).await;
    let own = world.application(ClientOrigin::Organization(acme.id), json!({})).await;
    let general = world.application(ClientOrigin::Operator, json!({})).await;
    let id = acme.id.to_string();
    for shown in [
        page(&own, &[]).await,
        page(&general, &[("organization", Some("acme"))]).await,
        page(&general, &[("organization", Some(&id))]).await,
    ] {
        assert!(shown.contains("Acme &#38; &#60;Sons&#62;</span></a>"), "{shown}");
        assert!(shown.contains("Sign-in by Sinete"), "who shows the page is said");
        assert!(!shown.contains("src=\"http") && !shown.contains("href=\"http"));
    }
    let shown = page(&own, &[]).await;
    let picture = linked(&shown, &format!("/assets/organizations/{id}/logo?v=")).unwrap();
    let (status, kind, policy, text) = fetched(world, &picture).await;
    assert_eq!((status, kind.as_str(), text.as_str()), (200, "image/svg+xml", DRAWING));
    assert!(policy.contains("default-src 'none'") && !policy.contains("script-src"), "{policy}");
    let colours = linked(&shown, &format!("/assets/organizations/{id}/colours.css?v=")).unwrap();
    let (status, kind, _, text) = fetched(world, &colours).await;
    assert_eq!((status, kind.as_str()), (200, "text/css; charset=utf-8"));
    assert!(text.contains("--ground:#eef2ff;") && text.contains("--fill:#1a5fb4;"), "{text}");
    // Whoever names nobody, one without a look, one that is not there or somebody else's sees the instance.
    let plain = page(&general, &[]).await.matches("Sinete").count();
    for named in ["globex", "nobody", "home", "../acme", &globex.id.to_string()] {
        let shown = page(&general, &[("organization", Some(named))]).await;
        assert!(
            shown.matches("Sinete").count() == plain && !shown.contains("/assets/organizations/"),
            "{named}"
        );
    }
    for path in ["/assets/organizations/acme/logo", &format!("/assets/organizations/{}/logo", globex.id)] {
        assert_eq!(fetched(world, path).await.0, 404, "{path}");
    }
}

async fn a_mailed_link_and_a_request_that_fails_look_like_the_organization_they_are_about(world: &World) {
    const OWN: &str = "Acme &#38; &#60;Sons&#62;</span></a>";
    let (acme, _) = (world.tenant("acme").await, world.somebody("ana@example.com").await);
    dressed(world, &acme).await;
    let own = world.application(ClientOrigin::Organization(acme.id), json!({})).await;
    let general = world.application(ClientOrigin::Operator, json!({})).await;
    // A link that goes on with a request, read in the language of that request; one that is about nobody.
    let asked = own.asks_in_json(None, &[("ui_locales", Some("pt"))]).await;
    let told: Value = serde_json::from_str(&asked.text).unwrap();
    let text = |name: &str| told["flow"][name].as_str().unwrap().to_owned();
    let mut walk = world.walking(&text("id"), &text("token")).await;
    walk.says("email", json!({"email": "ana@example.com"})).await.is(200);
    let link = world.mailed_link("ana@example.com").await;
    let shown = world.reader("en").reads(&format!("/link?token={link}")).await;
    assert!(
        shown.contains(OWN) && shown.contains("<html lang=\"pt-BR\"") && shown.contains("confirm-submit"),
        "{shown}"
    );
    world.clock.pass(MAILED_CODE_PAUSE);
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    walk.says("email", json!({"email": "ana@example.com"})).await.is(200);
    let link = world.mailed_link("ana@example.com").await;
    let shown = world.reader("en").reads(&format!("/link?token={link}")).await;
    assert!(!shown.contains("/assets/organizations/") && shown.contains("<html lang=\"en\""), "{shown}");
    // A request that cannot be completed: the application's organization, or the one it names; not for an
    // application that is not known.
    let elsewhere = ("redirect_uri", Some("https://elsewhere.example/"));
    let named = [elsewhere, ("organization", Some("acme")), ("ui_locales", Some("pt"))];
    for (app, changes, is_own) in [
        (&own, &[elsewhere][..], true),
        (&general, &named, true),
        (&general, &[elsewhere], false),
        (&general, &[("client_id", Some("nobody")), ("organization", Some("acme"))], false),
    ] {
        let address = world.authorization_address(&app.request(changes));
        let asked = world.http.get(&address).header("accept", "text/html").send().await.unwrap();
        let (status, page) = (asked.status(), asked.text().await.unwrap());
        assert!(status == 400 && page.contains("id=\"error-page\""), "{changes:?}: {page}");
        assert_eq!(page.contains(OWN), is_own, "{changes:?}");
        let language = if changes.len() == 3 { "pt-BR" } else { "en" };
        assert!(page.contains(&format!("<html lang=\"{language}\"")), "{changes:?}");
    }
}

async fn an_organization_that_is_suspended_is_not_shown(world: &World) {
    let (acme, operator) = (world.tenant("acme").await, world.operator().await);
    let owner = dressed(world, &acme).await;
    let general = world.application(ClientOrigin::Operator, json!({})).await;
    let named = [("organization", Some("acme"))];
    let before = page(&general, &named).await;
    let picture = linked(&before, "/assets/organizations/").unwrap();
    world.assign(&operator, &acme, "unpaid").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "Unpaid"})).await.is(200);
    assert!(!page(&general, &named).await.contains("/assets/organizations/"));
    assert_eq!(fetched(world, &picture).await.0, 404);
    let version = owner.get(&acme.path("")).await.is(200).version();
    owner
        .put(&acme.path("/logo"), version, logo(DRAWING.as_bytes()))
        .await
        .refused(409, "organization_suspended");
    owner.delete(&acme.path("/logo"), Some(version)).await.refused(409, "organization_suspended");
    operator.post(&acme.path("/restore"), json!({"reason": "Paid"})).await.is(200);
    assert_eq!(fetched(world, &picture).await.0, 200);
}

async fn what_cannot_be_a_look_is_refused_with_the_reason_and_nothing_changes(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    for (branding, fault, why) in [
        (json!({"accent": "#ffff00"}), "/settings/branding/accent", "choose a darker one"),
        (json!({"background": "#202020"}), "/settings/branding/background", "choose a lighter one"),
        (json!({"name": "a\u{202e}b"}), "/settings/branding/name", "without control or direction marks"),
    ] {
        let refused = owner.patch(&acme.path(""), 1, json!({"settings": {"branding": branding}})).await;
        let refused = refused.refused(422, "unprocessable");
        assert_eq!(refused.faults(), [fault]);
        assert!(refused.text.contains(why), "{}", refused.text);
    }
    let mut large = b"\x89PNG\r\n\x1a\n".to_vec();
    large.resize(LOGO_BYTES_MAX + 1, 0);
    let active = DRAWING.replace("<path", "<script>alert(1)</script><path");
    let loading = DRAWING.replace("<path", "<image href='https://evil.example/x.png'/><path");
    for (sent, why) in [
        (logo(&large), "at most 40960 bytes"),
        (logo(b"GIF89a"), "PNG, JPEG, WebP or SVG"),
        (logo(active.as_bytes()), "no script"),
        (logo(loading.as_bytes()), "nothing that is loaded from elsewhere"),
        (json!({"data": "%%%"}), "base64"),
    ] {
        let refused = owner.put(&acme.path("/logo"), 1, sent).await.refused(422, "unprocessable");
        assert_eq!(refused.faults(), ["/data"]);
        assert!(refused.text.contains(why), "{}", refused.text);
    }
    owner.get(&acme.path("/logo")).await.refused(404, "not_found");
    owner.delete(&acme.path("/logo"), Some(1)).await.refused(404, "not_found");
    assert_eq!(owner.get(&acme.path("")).await.is(200).version(), 1);
}

async fn a_look_is_changed_by_its_own_organization_alone_and_by_nobody_who_saw_an_older_one(world: &World) {
    let (acme, globex) = (world.tenant("acme").await, world.tenant("globex").await);
    let owner = dressed(world, &acme).await;
    let stranger = world.owner(&globex).await;
    stranger.get(&acme.path("/logo")).await.is(404);
    stranger.put(&acme.path("/logo"), 3, logo(DRAWING.as_bytes())).await.is(404);
    stranger.delete(&acme.path("/logo"), Some(3)).await.is(404);
    let member = world.member(&acme, &["member"]).await;
    let member = world.key(&acme, member, "organization:read").await;
    member.get(&acme.path("/logo")).await.is(200);
    member.put(&acme.path("/logo"), 3, logo(DRAWING.as_bytes())).await.refused(403, "insufficient_scope");
    owner.put(&acme.path("/logo"), 2, logo(DRAWING.as_bytes())).await.is(412);
    let png = b"\x89PNG\r\n\x1a\n";
    let replaced = owner.put(&acme.path("/logo"), 3, logo(png)).await.is(200);
    assert_eq!((&replaced.body["media_type"], &replaced.body["bytes"]), (&json!("image/png"), &json!(8)));
    owner.delete(&acme.path("/logo"), Some(4)).await.is(204);
    owner.get(&acme.path("/logo")).await.refused(404, "not_found");
    let trail = owner.get(&acme.path("/audit")).await.is(200);
    assert!(trail.text.contains("\"logo\":true"), "{}", trail.text);
}
