//! The set-up checklist on the overview of an organization: ticked by facts, gone when everything is done.

use super::console_path;
use crate::both_engines;
use crate::harness::world::World;
use serde_json::json;

both_engines!(
    console_setup_steps_follow_the_state_of_the_organization,
    console_setup_steps_are_hidden_without_their_permissions
);

async fn console_setup_steps_follow_the_state_of_the_organization(world: &World) {
    let acme = world.create_organization("acme").await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let path = console_path(&acme, "");
    let before = ana.reader.open_page(&path).await;
    for step in ["application", "domain", "sso", "members"] {
        assert!(before.contains(&format!("id=\"step-{step}\">")), "{step}: {before}");
    }
    assert!(before.contains("0 / 4") && before.contains("Not done yet"), "{before}");
    // What is not done does not look like a button.
    assert!(!before.contains("<span class=\"tag\">Not done yet"), "{before}");
    world.verify_domain(&acme, "acme.example").await;
    let owner = world.create_owner(&acme).await;
    let after = ana.reader.open_page(&path).await;
    assert!(after.contains("2 / 4") && after.contains("id=\"step-domain\" class=\"done\""), "{after}");
    assert!(after.contains("id=\"step-members\" class=\"done\""), "{after}");
    let metadata = json!({"client_name": "Ledger", "redirect_uris": ["https://ledger.example/callback"]});
    let client = json!({"kind": "application", "metadata": metadata});
    owner.post(&acme.path("/clients"), client).await.assert_status(201);
    let after = ana.reader.open_page(&path).await;
    assert!(after.contains("3 / 4") && after.contains("id=\"step-application\" class=\"done\""), "{after}");
}

async fn console_setup_steps_are_hidden_without_their_permissions(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let role = json!({"name": "reader", "permissions": ["organization:read", "members:read"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let mut bia = world.create_console_user(&acme, "bia@example.com", "reader").await;
    let page = bia.reader.open_page(&console_path(&acme, "")).await;
    assert!(!page.contains("id=\"steps\"") && !page.contains("step-application"), "{page}");
}
