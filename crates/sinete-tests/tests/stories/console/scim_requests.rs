//! The SCIM page of the console: tokens are created and revoked there, and it shows how the requests of the directory
//! went.

use super::console_path;
use crate::both_engines;
use crate::harness::scim_client::{GROUPS, USER, USERS};
use crate::harness::world::World;
use serde_json::json;
use sinete_core::limits::{SCIM_FAILURES_RETAINED_MAX, SCIM_REQUEST_RETENTION};
use sinete_core::time::Lifetime;
use sinete_engine::administration::cleanup;
use sinete_engine::scim::request_log;

both_engines!(
    console_scim_token_is_created_displayed_once_and_revoked,
    console_scim_token_form_is_hidden_without_its_permissions,
    console_scim_page_shows_the_last_success_the_counts_and_the_failed_requests,
    console_scim_failed_requests_are_hidden_without_permission_and_from_other_organizations,
    scim_failed_requests_are_bounded_for_each_organization_and_expire
);

/// A section of the page, by its id.
fn section(page: &str, id: &str) -> Option<String> {
    let rest = page.split(&format!("<section class=\"panel\" id=\"{id}\"")).nth(1)?;
    Some(rest.split("</section>").next().unwrap().to_owned())
}

async fn console_scim_token_is_created_displayed_once_and_revoked(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page_path = console_path(&acme, "/scim");
    let page = ana.reader.open_page(&page_path).await;
    let fields = [("action", "make_token"), ("name", "Entra"), ("lifetime_seconds", "30")];
    let (status, created_page) = ana.reader.submit_form(&page, "id=\"make_token-now\"", &fields).await;
    let secret =
        created_page.split("data-copy-text=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert!(status == 200 && secret.starts_with("sn_ak_"), "{created_page}");
    let list_page = ana.reader.open_page(&page_path).await;
    assert!(
        !list_page.contains(&secret) && section(&list_page, "tokens").unwrap().contains("Entra"),
        "{list_page}"
    );
    let keys = owner.get(&acme.path("/api-keys")).await.assert_status(200);
    let key = keys.body["items"].as_array().unwrap().iter().find(|it| it["name"] == "Entra").unwrap().clone();
    assert_eq!(
        (&key["scope"], &key["membership"]),
        (&json!("scim:provision"), &json!(ana.membership.to_string()))
    );
    let list_users = async || {
        world.http.get(world.public_url(USERS)).bearer_auth(&secret).send().await.unwrap().status().as_u16()
    };
    assert_eq!(list_users().await, 200);
    // A form that is sent again creates no second token, and does not show the first one.
    let (_, repeated_page) = ana.reader.submit_form(&page, "id=\"make_token-now\"", &fields).await;
    assert!(!repeated_page.contains("sn_ak_"), "{repeated_page}");
    // A lifetime that is too long, or is no number, is an error of its field.
    for days in ["366", "soon", ""] {
        let fields = [("action", "make_token"), ("name", "Okta"), ("lifetime_seconds", days)];
        let (_, refused) = ana.reader.submit_form(&list_page, "id=\"make_token-now\"", &fields).await;
        assert!(refused.contains("aria-invalid=\"true\"") && !refused.contains("sn_ak_"), "{refused}");
    }
    let id = key["id"].as_str().unwrap();
    let within = format!("name=\"item\" value=\"{id}\"");
    let (_, after) = ana.reader.submit_form(&list_page, &within, &[("action", "revoke_token")]).await;
    assert!(!section(&after, "tokens").unwrap().contains("Entra"), "{after}");
    assert_eq!(list_users().await, 401);
}

async fn console_scim_token_form_is_hidden_without_its_permissions(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    for (name, permissions) in [
        ("keeper", ["organization:read", "members:read", "api_keys:manage"]),
        ("provisioner", ["organization:read", "members:read", "scim:provision"]),
    ] {
        let role = json!({"name": name, "permissions": permissions});
        owner.post(&acme.path("/roles"), role).await.assert_status(201);
    }
    let member = world.create_member(&acme, &["owner"]).await;
    world.create_api_key_caller(&acme, member, "scim:provision").await;
    let mut rita = world.create_console_user(&acme, "rita@example.com", "keeper").await;
    let mut rui = world.create_console_user(&acme, "rui@example.com", "provisioner").await;
    let page_path = console_path(&acme, "/scim");
    let page = rita.reader.open_page(&page_path).await;
    assert!(!page.contains("make_token") && page.contains("revoke_token"), "{page}");
    let page = rui.reader.open_page(&page_path).await;
    assert!(!page.contains("make_token") && !page.contains("revoke_token"), "{page}");
    assert!(section(&page, "failures").is_some() && section(&page, "tokens").is_none(), "{page}");
}

async fn console_scim_page_shows_the_last_success_the_counts_and_the_failed_requests(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page_path = console_path(&acme, "/scim");
    let page = ana.reader.open_page(&page_path).await;
    assert!(section(&page, "state").unwrap().contains("None in the last 30 days"), "{page}");
    assert!(section(&page, "failures").unwrap().contains("No request failed."), "{page}");
    directory.create_scim_user("bia").await;
    directory.create_scim_user("caio").await;
    directory.post(GROUPS, json!({"displayName": "Choir"})).await.assert_status(201);
    let twice = json!({"userName": "bia", "externalId": "00u7"});
    directory.post(USERS, twice).await.assert_scim_error(409, "uniqueness");
    directory.get(&format!("{USERS}/nobody?filter=userName%20eq%20%22secret%22")).await.assert_status(404);
    let bulk = json!({"Operations": [{"method": "DELETE", "path": format!("{USER}/unknown-user")}]});
    directory.post("/scim/v2/Bulk", bulk).await.assert_status(200);
    request_log::write_waiting(world.server.engine()).await;
    let page = ana.reader.open_page(&page_path).await;
    let state = section(&page, "state").unwrap();
    // The bulk request itself was answered, and its operation failed.
    assert!(state.contains("POST /Bulk") && state.contains("a story"), "{state}");
    assert!(
        state.contains("<span class=\"word\">2</span>") && state.contains("<span class=\"word\">1</span>"),
        "{state}"
    );
    let failures = section(&page, "failures").unwrap();
    for text in [
        "POST /Users",
        "uniqueness",
        "Another user has this userName.",
        "00u7",
        "Users/nobody",
        "Users/unknown-user",
        "DELETE",
        "409",
        "404",
    ] {
        assert!(failures.contains(text), "{text}: {failures}");
    }
    assert_eq!(failures.matches("<tr").count(), 4, "the heading and three requests: {failures}");
    assert!(!page.contains("secret%22") && !page.contains(&directory.secret), "{page}");
    assert!(page.len() <= 60_000, "{}", page.len());
}

async fn console_scim_failed_requests_are_hidden_without_permission_and_from_other_organizations(
    world: &World,
) {
    let [acme, globex] = [world.create_organization("acme").await, world.create_organization("globex").await];
    let owner = world.create_owner(&acme).await;
    let role = json!({"name": "reader", "permissions": ["organization:read", "members:read"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let directory = world.create_scim_client(&acme).await;
    directory.get(&format!("{USERS}/nobody")).await.assert_status(404);
    // A caller without the permission is of the organization too, and one with an unknown token is of none.
    let member = world.create_member(&acme, &["owner"]).await;
    let other = world.create_api_key_caller(&acme, member, "members:read").await;
    other.get(&format!("{USERS}/forbidden")).await.assert_status(403);
    let unknown = world.http.get(world.public_url(&format!("{USERS}/anonymous"))).bearer_auth("sn_ak_x");
    assert_eq!(unknown.send().await.unwrap().status(), 401);
    request_log::write_waiting(world.server.engine()).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let mut rita = world.create_console_user(&acme, "rita@example.com", "reader").await;
    let mut gil = world.create_console_user(&globex, "gil@example.com", "owner").await;
    let page = ana.reader.open_page(&console_path(&acme, "/scim")).await;
    let failures = section(&page, "failures").unwrap();
    assert!(failures.contains("Users/nobody") && failures.contains("Users/forbidden"), "{failures}");
    assert!(!failures.contains("Users/anonymous"), "{failures}");
    let page = rita.reader.open_page(&console_path(&acme, "/scim")).await;
    assert!(section(&page, "failures").is_none() && section(&page, "state").is_none(), "{page}");
    assert!(!page.contains("Users/nobody"), "{page}");
    let page = gil.reader.open_page(&console_path(&globex, "/scim")).await;
    assert!(section(&page, "failures").unwrap().contains("No request failed."), "{page}");
}

async fn scim_failed_requests_are_bounded_for_each_organization_and_expire(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let engine = world.server.engine();
    let limit = usize::try_from(SCIM_FAILURES_RETAINED_MAX).unwrap();
    for round in 0..2 {
        for number in 0..limit + 20 {
            directory.get(&format!("{USERS}/missing-{round}-{number}")).await.assert_status(404);
        }
        directory.get(USERS).await.assert_status(200);
        world.clock.advance(Lifetime::from_seconds(90));
        request_log::write_waiting(engine).await;
        // The last success is one row, however many there were.
        assert_eq!(world.count_rows().await["scim_requests"], limit + 1, "round {round}");
    }
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page_path = console_path(&acme, "/scim");
    let page = ana.reader.open_page(&page_path).await;
    let failures = section(&page, "failures").unwrap();
    assert!(failures.contains("missing-1-") && !failures.contains("missing-0-"), "{failures}");
    assert!(failures.contains("id=\"failures-next\"") && page.len() <= 60_000, "{}", page.len());
    let last = ana.reader.open_page(&format!("{page_path}?page=4")).await;
    assert!(last.contains("id=\"failures-first\"") && !last.contains("id=\"failures-next\""), "{last}");
    world.clock.advance(SCIM_REQUEST_RETENTION.plus(Lifetime::from_days(1)));
    cleanup::delete_expired(engine).await.unwrap();
    assert_eq!(world.count_rows().await["scim_requests"], 0);
}
