//! The picture of a user: set by its user only, public by its URL, and gone with the account.

use crate::both_engines;
use crate::harness::api_caller::{ApiRequest, ApiResponse};
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use reqwest::Method;
use serde_json::json;
use sinete_core::limits::PICTURE_BYTES_MAX;

/// The header of a PNG image of this size, with as many bytes.
pub(in crate::stories) fn png(width: u32, height: u32, bytes: usize) -> Vec<u8> {
    let mut image = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    image.extend(width.to_be_bytes());
    image.extend(height.to_be_bytes());
    image.resize(bytes.max(24), 7);
    image
}

pub(super) async fn sets(user: &SignedInUser<'_>, version: i64, image: &[u8]) -> ApiResponse {
    let body = Some(json!({"data": STANDARD.encode(image)}));
    let request = ApiRequest { body, if_match: Some(version), ..ApiRequest::default() };
    user.send_request(Method::PUT, "/account/picture", request).await
}

/// The path of the picture that the account has now.
fn path(world: &World, account: &ApiResponse) -> String {
    let url = account.body["profile"]["picture"].as_str().unwrap();
    url.strip_prefix(&world.origin()).unwrap().to_owned()
}

both_engines!(
    picture_is_set_by_its_user_and_public_by_its_url,
    picture_that_is_not_a_small_raster_image_is_refused,
    picture_that_the_profile_no_longer_refers_to_is_deleted,
    picture_is_exported_and_deleted_with_the_account,
    picture_is_set_and_removed_on_the_account_page
);

async fn picture_is_set_by_its_user_and_public_by_its_url(world: &World) {
    let ana = world.create_signed_in_user("ana@example.com").await;
    let first = png(256, 256, 4_000);
    let account = sets(&ana, 1, &first).await.assert_status(200);
    let response = world.get(&path(world, &account)).await;
    assert_eq!(
        (response.status().as_u16(), &response.headers()["content-type"]),
        (200, &"image/png".parse().unwrap())
    );
    let headers = response.headers();
    assert_eq!(headers["cross-origin-resource-policy"], "cross-origin");
    assert_eq!(headers["x-content-type-options"], "nosniff");
    assert!(headers["content-security-policy"].to_str().unwrap().contains("default-src 'none'"));
    assert_eq!(response.bytes().await.unwrap(), first);
    // Another picture has another URL, and the first one is gone.
    let changed = sets(&ana, account.version(), &png(64, 64, 100)).await.assert_status(200);
    assert_ne!(path(world, &changed), path(world, &account));
    assert_eq!(world.get(&path(world, &account)).await.status(), 404);
    sets(&ana, account.version(), &first).await.assert_problem(412, "precondition_failed");
    assert_eq!(world.get("/pictures/none").await.status(), 404);
    let api_request =
        ApiRequest { body: Some(json!({"data": STANDARD.encode(&first)})), ..ApiRequest::default() };
    world
        .send_request(Method::PUT, "/account/picture", api_request)
        .await
        .assert_problem(401, "unauthenticated");
    let request = ApiRequest { if_match: Some(changed.version()), ..ApiRequest::default() };
    let removed = ana.send_request(Method::DELETE, "/account/picture", request).await.assert_status(200);
    assert!(removed.body["profile"].get("picture").is_none(), "{}", removed.text);
    assert_eq!(world.get(&path(world, &changed)).await.status(), 404);
    let request = ApiRequest { if_match: Some(removed.version()), ..ApiRequest::default() };
    ana.send_request(Method::DELETE, "/account/picture", request).await.assert_problem(404, "not_found");
}

async fn picture_that_is_not_a_small_raster_image_is_refused(world: &World) {
    let ana = world.create_signed_in_user("ana@example.com").await;
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec();
    for image in [svg, b"GIF89a".to_vec(), png(1_025, 1, 100), png(1, 1, PICTURE_BYTES_MAX + 1)] {
        let refused = sets(&ana, 1, &image).await.assert_problem(422, "unprocessable");
        assert_eq!(refused.body["errors"][0]["pointer"], "/data", "{}", refused.text);
    }
    assert_eq!(ana.get("/account").await.assert_status(200).version(), 1);
    sets(&ana, 1, &png(1_024, 1_024, PICTURE_BYTES_MAX)).await.assert_status(200);
}

async fn picture_that_the_profile_no_longer_refers_to_is_deleted(world: &World) {
    let ana = world.create_signed_in_user("ana@example.com").await;
    let account = sets(&ana, 1, &png(8, 8, 100)).await.assert_status(200);
    let new_profile = json!({"profile": {"name": "Ana Souza"}});
    let response = ana.patch("/account", Some(account.version()), new_profile).await.assert_status(200);
    assert_eq!(world.get(&path(world, &response)).await.status(), 200);
    let elsewhere = json!({"profile": {"picture": "https://ana.example/p.png"}});
    ana.patch("/account", Some(response.version()), elsewhere).await.assert_status(200);
    assert_eq!(world.get(&path(world, &account)).await.status(), 404);
}

async fn picture_is_exported_and_deleted_with_the_account(world: &World) {
    let ana = world.create_signed_in_user("ana@example.com").await;
    let image = png(8, 8, 100);
    let account = sets(&ana, 1, &image).await.assert_status(200);
    let everything = ana.get("/account/export").await.assert_status(200);
    assert_eq!(everything.body["picture"]["data"], STANDARD.encode(&image));
    assert_eq!(everything.body["picture"]["media_type"], "image/png");
    ana.delete("/account").await.assert_status(204);
    assert_eq!(world.get(&path(world, &account)).await.status(), 404);
}

async fn picture_is_set_and_removed_on_the_account_page(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let mut reader = world.create_page_browser("en").with_session(&ana.session);
    let page = reader.open_page("/my-account").await;
    assert!(!page.contains("/pictures/"), "{page}");
    let csrf = page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let image = URL_SAFE_NO_PAD.encode(png(8, 8, 100));
    let form = |picture: &'static str| [("csrf", csrf), ("action", "set_picture"), ("picture", picture)];
    let origin = world.origin();
    let (_, refused) = reader.forge_post("/my-account", &origin, &form("R0lGODlh")).await;
    assert!(refused.contains("id=\"trouble\""), "{refused}");
    let fields = [("csrf", csrf), ("action", "set_picture"), ("picture", image.as_str())];
    let (_, page) = reader.forge_post("/my-account", &origin, &fields).await;
    assert!(page.contains("src=\"/pictures/"), "{page}");
    let (_, page) = reader.submit_form(&page, "picture-remove", &[("action", "remove_picture")]).await;
    assert!(!page.contains("/pictures/"), "{page}");
}
