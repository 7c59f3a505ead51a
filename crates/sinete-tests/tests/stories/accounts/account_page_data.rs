//! The export and the deletion of an account on its own page.

use crate::both_engines;
use crate::harness::flow_client::PASSWORD;
use crate::harness::world::World;
use sinete_core::time::Lifetime;

const ANA: &str = "ana@example.com";

both_engines!(
    account_page_exports_the_account_after_recent_authentication,
    account_page_deletes_the_account_only_when_confirmed
);

async fn account_page_exports_the_account_after_recent_authentication(world: &World) {
    let ana = world.create_user(ANA).await;
    let mut reader = world.create_page_browser("en").with_session(&ana.session);
    let page = reader.open_page("/my-account").await;
    let (status, file) = reader.submit_form(&page, "export-account", &[("action", "export")]).await;
    let exported: serde_json::Value = serde_json::from_str(&file).unwrap();
    assert_eq!((status, exported["contacts"][0]["address"].as_str()), (200, Some(ANA)));
    world.clock.advance(Lifetime::from_minutes(6));
    let page = reader.open_page("/my-account").await;
    let (_, sign_in_page) = reader.submit_form(&page, "export-account", &[("action", "export")]).await;
    assert!(
        !sign_in_page.contains("former_addresses") && sign_in_page.contains("id=\"password\""),
        "{sign_in_page}"
    );
    let fields = [("password", PASSWORD), ("action", "password")];
    let (status, file) = reader.submit_form(&sign_in_page, "sign-in-submit", &fields).await;
    assert!(status == 200 && file.contains("former_addresses"), "{file}");
}

async fn account_page_deletes_the_account_only_when_confirmed(world: &World) {
    let ana = world.create_user(ANA).await;
    let mut reader = world.create_page_browser("en").with_session(&ana.session);
    let page = reader.open_page("/my-account").await;
    let (_, page) = reader.submit_form(&page, "delete-account", &[("action", "delete_account")]).await;
    assert!(page.contains("id=\"trouble\"") && ana.is_signed_in().await, "{page}");
    let confirmed = [("action", "delete_account"), ("confirm_deletion", "yes")];
    let (_, page) = reader.submit_form(&page, "delete-account", &confirmed).await;
    assert!(page.contains("signed out") && !ana.is_signed_in().await, "{page}");
    world.sign_in_with_password(ANA, PASSWORD).await.assert_problem(422, "unprocessable");
}
