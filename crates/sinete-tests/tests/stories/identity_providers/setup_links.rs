//! Set-up links: an owner issues one, its holder prepares in one browser, and nothing is active until an owner confirms.

use super::oidc_sign_in::departs;
use crate::both_engines;
use crate::harness::api_caller::{ApiCaller, ApiRequest, ApiResponse};
use crate::harness::oidc_provider::{CLIENT_ID, CLIENT_SECRET, TestOidcProvider, provider_user};
use crate::harness::organizations::TestOrganization;
use crate::harness::page_browser::PageBrowser;
use crate::harness::world::World;
use crate::stories::platform::api_conventions::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;
use sinete_engine::identity_providers::setup_links::remove_expired_preparations;

const ENDED: &str = "id=\"ended\"";

both_engines!(
    setup_link_prepares_and_an_owner_confirms,
    setup_link_is_for_owners_only,
    setup_link_opens_in_one_browser_under_any_concurrency,
    setup_link_ends_when_revoked_expired_or_suspended,
    setup_link_preparation_is_removed_a_day_after_the_link_expired,
    setup_link_reaches_only_its_own_organization,
    setup_link_confirmation_needs_the_version_the_owner_read
);

/// Issues a link, and returns its id and the path and query of its URL.
pub(in crate::stories) async fn issue(owner: &ApiCaller<'_>, acme: &TestOrganization) -> (String, String) {
    let response = owner.post(&acme.path("/setup-links"), json!({})).await.assert_status(201);
    let url = response.text_member("url");
    let link_path = url.split("://").nth(1).unwrap().split_once('/').unwrap().1.to_owned();
    (response.text_member("id"), format!("/{link_path}"))
}

/// Confirms a link, with the version that was seen.
async fn confirm_link(caller: &ApiCaller<'_>, path: &str, version: i64) -> ApiResponse {
    let request = ApiRequest { if_match: Some(version), ..ApiRequest::default() };
    caller.send_request(Method::POST, path, request).await
}

#[track_caller]
fn assert_reason(reply: &ApiResponse, status: u16, reason: &str) {
    let reply = reply.clone().assert_status(status);
    assert_eq!(reply.body["type"], format!("urn:sinete:problem:{reason}"), "{}", reply.text);
}

async fn show(owner: &ApiCaller<'_>, acme: &TestOrganization, id: &str) -> Value {
    owner.get(&acme.path(&format!("/setup-links/{id}"))).await.assert_status(200).body
}

/// Opens a link in a new browser.
pub(in crate::stories) async fn opened<'w>(world: &'w World, link: &str) -> (PageBrowser<'w>, String) {
    let mut browser = world.create_page_browser("en");
    let start = browser.open_page(link).await;
    let (_, page) = browser.submit_form(&start, "id=\"start\"", &[("action", "open")]).await;
    (browser, page)
}

fn connection_fields(provider: &TestOidcProvider) -> [(&str, &str); 7] {
    [
        ("action", "open_id"),
        ("name", "Customer"),
        ("issuer", provider.issuer.as_str()),
        ("client_id", CLIENT_ID),
        ("client_secret", CLIENT_SECRET),
        ("authentication", "client_secret"),
        ("scopes", "openid email profile"),
    ]
}

/// Prepares a connection.
async fn prepare_connection(browser: &mut PageBrowser<'_>, provider: &TestOidcProvider) -> String {
    let page = browser.open_page("/setup-link?provider=oidc").await;
    let (status, after) =
        browser.submit_form(&page, "id=\"prepare-connection\"", &connection_fields(provider)).await;
    assert_eq!(status, 200, "{after}");
    after
}

fn between<'p>(page: &'p str, before: &str) -> &'p str {
    page.split(before).nth(1).unwrap_or_else(|| panic!("{before}: {page}")).split('<').next().unwrap()
}

async fn scim_status(world: &World, token: &str) -> u16 {
    let request = world.http.get(world.public_url("/scim/v2/Users")).bearer_auth(token);
    request.send().await.unwrap().status().as_u16()
}

async fn setup_link_prepares_and_an_owner_confirms(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let (id, link) = issue(&owner, &acme).await;
    let (mut browser, page) = opened(world, &link).await;
    assert!(page.contains("acme") && page.contains("Nothing is active until an owner"), "{page}");
    let guide = browser.open_page("/setup-link?provider=oidc").await;
    let callback = between(&guide, "id=\"callback\">").to_owned();
    let after = prepare_connection(&mut browser, &provider).await;
    assert!(after.contains("Customer") && !after.contains(CLIENT_SECRET), "{after}");
    let (_, after) = browser.submit_form(&after, "id=\"prepare-scim\"", &[("action", "scim")]).await;
    let token = between(&after, "id=\"scim-token\">").to_owned();
    let reopened_page = browser.open_page("/setup-link").await;
    assert!(!reopened_page.contains(&token), "the token is displayed once");
    let domain = [("action", "domain"), ("domain", "acme.example")];
    let (_, after) = browser.submit_form(&reopened_page, "id=\"prepare-domain\"", &domain).await;
    world.dns.publish(between(&after, "id=\"record-name\">"), between(&after, "id=\"record-value\">"));
    // Nothing of it is active: no user is sent there, the token is worth nothing, the domain is not verified.
    let setup_link = show(&owner, &acme, &id).await;
    let connection = acme.path(&format!("/connections/{}", setup_link["connection"]["id"].as_str().unwrap()));
    let stands = owner.get(&connection).await.assert_status(200).body;
    assert_eq!(
        (&stands["enabled"], &stands["confirmed"], &stands["callback"]),
        (&json!(false), &json!(false), &json!(callback))
    );
    assert_eq!(scim_status(world, &token).await, 401);
    assert_eq!(owner.get(&acme.path("/domains")).await.body["items"][0]["verified_at"], Value::Null);
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    walk.submit("single_sign_on", json!({"email": "bia@acme.example"})).await.assert_status(409);
    // An owner confirms what they saw.
    let path = acme.path(&format!("/setup-links/{id}/confirm"));
    let confirmed_link =
        confirm_link(&owner, &path, setup_link["version"].as_i64().unwrap()).await.assert_status(200).body;
    assert_eq!(
        (&confirmed_link["state"], &confirmed_link["connection"]["enabled"]),
        (&json!("confirmed"), &json!(true))
    );
    assert_eq!(scim_status(world, &token).await, 200);
    provider.set_user(provider_user("bia-7", "bia@acme.example"));
    let walk = departs(world, "bia@acme.example").await;
    assert!(walk.last.body["go_to"].as_str().unwrap().starts_with(&provider.issuer));
    // The link has ended.
    assert!(browser.open_page("/setup-link").await.contains(ENDED));
    assert_reason(
        &confirm_link(&owner, &path, confirmed_link["version"].as_i64().unwrap()).await,
        409,
        "setup_link_ended",
    );
    // Every step is in the audit log, those of the holder with the link as the actor, and no secret is.
    let log = owner.get(&acme.path("/audit?limit=200")).await.assert_status(200);
    let steps: Vec<&Value> = log.body["items"].as_array().unwrap().iter().collect();
    let by_link = |kind: &str| {
        steps
            .iter()
            .filter(|it| it["kind"] == kind && it["actor"] == json!({"kind": "setup_link", "id": id}))
            .count()
    };
    assert_eq!((by_link("setup_link.opened"), by_link("setup_link.prepared")), (1, 3), "{}", log.text);
    for kind in ["setup_link.issued", "setup_link.confirmed"] {
        assert!(steps.iter().any(|it| it["kind"] == kind), "{kind}: {}", log.text);
    }
    let secrets = [CLIENT_SECRET, token.as_str(), link.split("token=").nth(1).unwrap()];
    assert!(secrets.iter().all(|secret| !log.text.contains(secret)), "{}", log.text);
}

async fn setup_link_is_for_owners_only(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let (id, _) = issue(&owner, &acme).await;
    let member = world.create_member(&acme, &["admin"]).await;
    let admin = world.create_api_key_caller(&acme, member, "organization:read sso:manage").await;
    let (all, one) = (acme.path("/setup-links"), acme.path(&format!("/setup-links/{id}")));
    assert_reason(&admin.post(&all, json!({})).await, 403, "api_key_scope_missing");
    assert_reason(&admin.get(&all).await, 403, "api_key_scope_missing");
    assert_reason(&admin.get(&one).await, 403, "api_key_scope_missing");
    assert_reason(&admin.delete(&one, None).await, 403, "api_key_scope_missing");
    assert_reason(&confirm_link(&admin, &format!("{one}/confirm"), 1).await, 403, "api_key_scope_missing");
    // The URL is shown once, and a link that is too long-lived is not issued.
    assert!(!owner.get(&all).await.assert_status(200).text.contains("token="));
    let far = json!({"expires_at": "2099-01-01T00:00:00Z"});
    owner.post(&all, far).await.assert_problem(422, "unprocessable");
    for _ in 1..10 {
        issue(&owner, &acme).await;
    }
    assert_reason(&owner.post(&all, json!({})).await, 409, "setup_link_limit");
}

async fn setup_link_opens_in_one_browser_under_any_concurrency(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let (id, link) = issue(&owner, &acme).await;
    // Following the link opens nothing: programs that read messages do.
    for _ in 0..3 {
        assert!(world.create_page_browser("en").open_page(&link).await.contains("id=\"start\""));
    }
    assert_eq!(show(&owner, &acme, &id).await["state"], "issued");
    let token = link.split("token=").nth(1).unwrap();
    let tries = (0..8).map(|_| {
        let request = world.http.post(world.public_url("/setup-link"));
        request.header("origin", world.origin()).form(&[("action", "open"), ("token", token)]).send()
    });
    let answers = join_all(tries.collect()).await;
    let won = answers.iter().flatten().filter(|it| it.headers().contains_key("set-cookie")).count();
    assert_eq!(won, 1);
    let (status, page) = world.create_page_browser("en").open_url(&link).await;
    assert!(status == 404 && page.contains(ENDED), "{page}");
    // A form of another site, or a token that was invented, opens nothing.
    let (_, other) = issue(&owner, &acme).await;
    let mut browser = world.create_page_browser("en");
    let token = other.split("token=").nth(1).unwrap();
    let forged_fields = [("action", "open"), ("token", token)];
    assert_eq!(browser.forge_post("/setup-link", "https://evil.example", &forged_fields).await.0, 403);
    let forged_fields = [("action", "open"), ("token", "sn_sl_invented")];
    assert_eq!(browser.forge_post("/setup-link", &world.origin(), &forged_fields).await.0, 404);
    assert!(browser.cookies.is_empty());
}

async fn setup_link_ends_when_revoked_expired_or_suspended(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    // Revoked: the session ends, and what was prepared is gone.
    let (id, link) = issue(&owner, &acme).await;
    let (mut browser, _) = opened(world, &link).await;
    let page = prepare_connection(&mut browser, &provider).await;
    owner.delete(&acme.path(&format!("/setup-links/{id}")), None).await.assert_status(204);
    let (status, late) = browser.submit_form(&page, "id=\"prepare-scim\"", &[("action", "scim")]).await;
    assert!(status == 404 && late.contains(ENDED), "{late}");
    assert_eq!(owner.get(&acme.path("/connections")).await.body["items"], json!([]));
    let version = show(&owner, &acme, &id).await["version"].as_i64().unwrap();
    let confirm = acme.path(&format!("/setup-links/{id}/confirm"));
    assert_reason(&confirm_link(&owner, &confirm, version).await, 409, "setup_link_ended");
    // Expired.
    let (_, link) = issue(&owner, &acme).await;
    let (_, unopened) = issue(&owner, &acme).await;
    let (mut browser, _) = opened(world, &link).await;
    world.clock.advance(Lifetime::from_days(8));
    assert!(browser.open_page("/setup-link").await.contains(ENDED));
    assert_eq!(world.create_page_browser("en").open_url(&unopened).await.0, 404);
    // Suspended.
    let owner = world.create_owner(&acme).await;
    let (_, link) = issue(&owner, &acme).await;
    let (_, unopened) = issue(&owner, &acme).await;
    let (mut browser, page) = opened(world, &link).await;
    let operator = world.create_operator().await;
    world.create_assignment(&operator, &acme, "unpaid").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "Unpaid"})).await.assert_status(200);
    let (status, late) = browser.submit_form(&page, "id=\"prepare-scim\"", &[("action", "scim")]).await;
    assert!(status == 404 && late.contains(ENDED), "{late}");
    assert_eq!(world.create_page_browser("en").open_url(&unopened).await.0, 404);
}

async fn setup_link_preparation_is_removed_a_day_after_the_link_expired(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let (provider, saved) = (world.create_oidc_provider().await, world.create_oidc_provider().await);
    for (tenant, provider) in [(&acme, &provider), (&other, &saved)] {
        let (_, link) = issue(&world.create_owner(tenant).await, tenant).await;
        let (mut browser, _) = opened(world, &link).await;
        prepare_connection(&mut browser, provider).await;
    }
    let engine = world.server.engine();
    let removed = async || remove_expired_preparations(engine).await.unwrap();
    world.clock.advance(Lifetime::from_hours(7 * 24 + 12));
    assert_eq!(removed().await, 0, "an owner has a day to confirm it");
    // The owner of one organization does.
    let owner = world.create_owner(&other).await;
    let connections = owner.get(&other.path("/connections")).await.assert_status(200).body;
    let id = connections["items"][0]["id"].as_str().unwrap();
    let version = connections["items"][0]["version"].as_i64().unwrap();
    let path = other.path(&format!("/connections/{id}"));
    owner.patch(&path, version, json!({"enabled": true})).await.assert_status(200);
    world.clock.advance(Lifetime::from_hours(24));
    assert_eq!(removed().await, 1);
    let owner = world.create_owner(&acme).await;
    assert_eq!(owner.get(&acme.path("/connections")).await.body["items"], json!([]));
    let logged = owner.get(&acme.path("/audit?kind=connection.removed")).await.assert_status(200).body;
    assert_eq!(logged["items"].as_array().unwrap().len(), 1, "{logged}");
    let owner = world.create_owner(&other).await;
    let kept = owner.get(&other.path("/connections")).await.body;
    assert_eq!(kept["items"][0]["id"], json!(id), "{kept}");
    assert_eq!(removed().await, 0);
}

async fn setup_link_reaches_only_its_own_organization(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let (owner, api_caller) = (world.create_owner(&acme).await, world.create_owner(&other).await);
    let provider = world.create_oidc_provider().await;
    provider.create_connection(&owner, "private.example").await;
    let (id, link) = issue(&owner, &acme).await;
    let (mut browser, page) = opened(world, &link).await;
    // It shows nothing of what the organization has already.
    assert!(!page.contains("private.example") && !page.contains(&provider.issuer), "{page}");
    let domain_fields = [("action", "domain"), ("domain", "private.example")];
    let (status, refused) = browser.submit_form(&page, "id=\"prepare-domain\"", &domain_fields).await;
    assert!(status == 422 && !refused.contains("record-value"), "{refused}");
    // Its cookie is no credential of the console, the account or the API.
    for path in ["/console/acme", "/console/acme/members", "/my-account"] {
        let (_, opened_page) = browser.open_url(path).await;
        assert!(
            !opened_page.contains("private.example") && !opened_page.contains("id=\"members\""),
            "{path}: {opened_page}"
        );
    }
    prepare_connection(&mut browser, &provider).await;
    assert_eq!(api_caller.get(&other.path("/connections")).await.body["items"], json!([]));
    // Nor does the owner of another organization reach it.
    let setup_link = show(&owner, &acme, &id).await;
    let one = format!("/setup-links/{id}");
    api_caller.get(&other.path(&one)).await.assert_problem(404, "not_found");
    api_caller.delete(&other.path(&one), None).await.assert_problem(404, "not_found");
    let version = setup_link["version"].as_i64().unwrap();
    confirm_link(&api_caller, &other.path(&format!("{one}/confirm")), version)
        .await
        .assert_problem(404, "not_found");
    assert_eq!(show(&owner, &acme, &id).await, setup_link);
}

async fn setup_link_confirmation_needs_the_version_the_owner_read(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let (provider, other) = (world.create_oidc_provider().await, world.create_oidc_provider().await);
    let (id, link) = issue(&owner, &acme).await;
    let confirm = acme.path(&format!("/setup-links/{id}/confirm"));
    assert_reason(&confirm_link(&owner, &confirm, 1).await, 409, "setup_link_empty");
    let (mut browser, _) = opened(world, &link).await;
    prepare_connection(&mut browser, &provider).await;
    let setup_link = show(&owner, &acme, &id).await;
    // The holder chooses another provider after the owner read the preparation.
    prepare_connection(&mut browser, &other).await;
    let version = setup_link["version"].as_i64().unwrap();
    confirm_link(&owner, &confirm, version).await.assert_problem(412, "precondition_failed");
    let now = show(&owner, &acme, &id).await;
    assert_eq!(
        (&now["connection"]["issuer"], &now["connection"]["enabled"]),
        (&json!(other.issuer), &json!(false))
    );
    confirm_link(&owner, &confirm, now["version"].as_i64().unwrap()).await.assert_status(200);
    // After that the holder changes nothing.
    assert!(browser.open_page("/setup-link").await.contains(ENDED));
}
