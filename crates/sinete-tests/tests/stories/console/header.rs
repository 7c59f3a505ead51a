//! What every page of the console has: the way out, and what the list of members leads to.

use super::console_path;
use crate::both_engines;
use crate::harness::world::World;

both_engines!(
    console_header_links_to_sign_out_with_confirmation,
    console_member_list_links_to_invitations_only_with_permission
);

async fn console_header_links_to_sign_out_with_confirmation(world: &World) {
    let acme = world.create_organization("acme").await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page = ana.reader.open_page(&console_path(&acme, "")).await;
    assert!(page.contains("id=\"sign-out\" href=\"/connect/logout\""), "{page}");
    let logout_page = ana.reader.open_page("/connect/logout").await;
    assert!(logout_page.contains("Sign out?") && logout_page.contains("<form"), "{logout_page}");
    // Opening the page ends nothing.
    ana.reader.open_page(&console_path(&acme, "")).await;
}

async fn console_member_list_links_to_invitations_only_with_permission(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page = ana.reader.open_page(&console_path(&acme, "/members")).await;
    assert!(page.contains("id=\"to-invitations\" href=\"/console/acme/invitations\""), "{page}");
    // A user who may only see members is not offered to invite.
    let role = serde_json::json!({"name": "reader", "permissions": ["organization:read", "members:read"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let mut bia = world.create_console_user(&acme, "bia@example.com", "reader").await;
    let page = bia.reader.open_page(&console_path(&acme, "/members")).await;
    assert!(page.contains("id=\"members\"") && !page.contains("id=\"to-invitations\""), "{page}");
}
