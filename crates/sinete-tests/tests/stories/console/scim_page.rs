//! The SCIM page of the console: the endpoint, and the tokens of the directory with their last request.

use super::console_path;
use crate::both_engines;
use crate::harness::world::World;
use serde_json::json;

both_engines!(console_scim_page_shows_the_tokens_of_the_directory_and_their_last_request);

async fn console_scim_page_shows_the_tokens_of_the_directory_and_their_last_request(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let role = json!({"name": "settler", "permissions": ["organization:read", "organization:update"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let mut rita = world.create_console_user(&acme, "rita@example.com", "settler").await;
    let page_path = console_path(&acme, "/scim");
    let tokens = |page: &str| {
        let table = page.split("id=\"tokens\"").nth(1).map(|rest| rest.split("</section>").next().unwrap());
        table.map(str::to_owned)
    };
    let member = world.create_member(&acme, &["owner"]).await;
    let directory = world.create_api_key_caller(&acme, member, "scim:provision").await;
    let page = ana.reader.open_page(&page_path).await;
    let unused = tokens(&page).unwrap();
    let times = unused.matches("<time").count();
    directory.get("/scim/v2/Users").await.assert_status(200);
    let page = ana.reader.open_page(&page_path).await;
    let used = tokens(&page).unwrap();
    assert!(page.contains("/scim/v2") && used.contains("Last request"), "{page}");
    assert_eq!(used.matches("<time").count(), times + 1, "{used}");
    assert!(!page.contains(&directory.secret));
    // A user who may not see API keys sees none of it.
    let html = rita.reader.open_page(&page_path).await;
    assert!(tokens(&html).is_none() && html.contains("/scim/v2"), "{html}");
}
