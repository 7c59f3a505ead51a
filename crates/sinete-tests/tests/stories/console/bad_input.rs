//! What can go wrong while a page is open: someone else saves, the session ends, the organization is suspended. Each has a
//! sentence and a way on.

use super::{console_path, role_field};
use crate::both_engines;
use crate::harness::flow_client::PASSWORD;
use crate::harness::world::World;
use serde_json::json;

both_engines!(
    console_conflict_displays_the_values_saved_by_another_user,
    console_form_input_survives_a_lost_session,
    console_form_of_another_site_leaves_no_input_behind,
    console_page_of_a_suspended_organization_has_a_notice,
    console_member_page_shows_the_last_sign_in_and_granted_access,
    console_api_key_is_created_for_a_service
);

async fn console_conflict_displays_the_values_saved_by_another_user(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page = ana.reader.open_page(&console_path(&acme, "/settings")).await;
    let version = owner.get(&acme.path("")).await.assert_status(200).version();
    let theirs = json!({"name": "Acme by Bruno", "settings": {"unverified_clients": "refuse"}});
    owner.patch(&acme.path(""), version, theirs).await.assert_status(200);
    let fields = [
        ("action", "change"),
        ("name", "Acme by Ana"),
        ("settings/language", "en"),
        ("settings/least_assurance", "aal1"),
        ("settings/single_sign_on", "optional"),
        ("settings/unverified_clients", "allow"),
        ("settings/delegation/own_agents", "on"),
    ];
    let (_, after) = ana.reader.submit_form(&page, "id=\"change-now\"", &fields).await;
    assert!(after.contains("This was changed in the meantime."), "{after}");
    assert!(after.contains("Someone else saved “Acme by Bruno” here in the meantime."), "{after}");
    assert!(after.contains("value=\"Acme by Ana\""), "the input is kept: {after}");
    // What only the other one changed is the current value.
    assert!(after.contains("Someone else changed this in the meantime."), "{after}");
    assert_eq!(owner.get(&acme.path("")).await.body["name"], "Acme by Bruno");
    // Saving again is a decision with both in view.
    let fields = [fields[0], fields[1]];
    let (_, saved) = ana.reader.submit_form(&after, "id=\"change-now\"", &fields).await;
    assert!(saved.contains("Your changes are saved.") && !saved.contains("Someone else"), "{saved}");
    assert_eq!(owner.get(&acme.path("")).await.body["name"], "Acme by Ana");
}

async fn console_form_input_survives_a_lost_session(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page_path = console_path(&acme, "/invitations");
    let page = ana.reader.open_page(&page_path).await;
    let sessions = format!("/manage/accounts/{}/sessions", ana.account);
    world.create_operator().await.delete(&sessions, None).await.assert_status(204);
    let admin = role_field(world.find_role(&acme, "admin").await);
    let fields = [("action", "invite"), ("email", "çelik@example.com"), (&admin, "on"), ("days", "7")];
    let (_, sign_in) = ana.reader.submit_form(&page, "id=\"send-invitation\"", &fields).await;
    assert!(sign_in.contains("name=\"password\""), "{sign_in}");
    let proof = [("action", "password"), ("identifier", "ana@example.com"), ("password", PASSWORD)];
    let (_, offer) = ana.reader.submit_first_form(&sign_in, &proof).await;
    let onward = offer.split("id=\"passkey-skip\" href=\"").nth(1).and_then(|rest| rest.split('"').next());
    let onward = onward.unwrap_or_else(|| panic!("{offer}")).replace("&#38;", "&").replace("&amp;", "&");
    let after = ana.reader.open_page(&onward).await;
    assert!(after.contains("Your session had ended, so nothing was saved."), "{after}");
    assert!(
        after.contains("value=\"çelik@example.com\"") && after.contains("value=\"7\" selected"),
        "{after}"
    );
    assert!(after.contains(&format!("name=\"{admin}\" value=\"on\" checked")), "{after}");
    assert_eq!(owner.get(&acme.path("/invitations")).await.body["items"], json!([]));
    // It is there once.
    let reopened_page = ana.reader.open_page(&page_path).await;
    assert!(!reopened_page.contains("çelik@example.com"), "{reopened_page}");
}

async fn console_form_of_another_site_leaves_no_input_behind(world: &World) {
    let acme = world.create_organization("acme").await;
    let mut page_browser = world.create_page_browser("en");
    let fields = [("action", "invite"), ("email", "eve@example.com")];
    page_browser.forge_post(&console_path(&acme, "/invitations"), "https://evil.example", &fields).await;
    assert!(
        !page_browser.cookies.keys().any(|name| name.ends_with("came_of_it")),
        "{:?}",
        page_browser.cookies
    );
}

async fn console_page_of_a_suspended_organization_has_a_notice(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page_path = console_path(&acme, "/invitations");
    let page = ana.reader.open_page(&page_path).await;
    let operator = world.create_operator().await;
    world.create_assignment(&operator, &acme, "an unpaid bill").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "Unpaid"})).await.assert_status(200);
    let fields = [("action", "invite_list"), ("list", "eve@example.com")];
    let (_, after) = ana.reader.submit_form(&page, "id=\"send-list\"", &fields).await;
    assert!(after.contains("This organization is suspended"), "{after}");
    assert!(!after.contains("id=\"send-list\"") && !after.contains("invitation sent"), "{after}");
    let list = ana.reader.open_page(&console_path(&acme, "/members")).await;
    assert!(list.contains("You can view everything"), "{list}");
    assert_eq!(owner.get(&acme.path("/invitations")).await.body["items"], json!([]));
}

async fn console_member_page_shows_the_last_sign_in_and_granted_access(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let bruno = world.create_member(&acme, &["member"]).await;
    let page_path = console_path(&acme, &format!("/members/{bruno}"));
    let page = ana.reader.open_page(&page_path).await;
    assert!(page.contains("none since the log begins"), "{page}");
    for link in [
        format!("/grants?member={bruno}"),
        format!("/audit-log?actor={bruno}&#38;kind=grant.given"),
        format!("/audit-log?subject={bruno}&#38;kind=credential.failed"),
    ] {
        assert!(page.contains(&link), "{link}: {page}");
    }
    let grants = ana.reader.open_page(&console_path(&acme, &format!("/grants?member={bruno}"))).await;
    assert!(
        grants.contains("Nothing matches.") && grants.contains(&format!("value=\"{bruno}\"")),
        "{grants}"
    );
    // Without `audit:read` and the list of grants there is nothing of it.
    let role = json!({"name": "reader", "permissions": ["organization:read", "members:read"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let mut rita = world.create_console_user(&acme, "rita@example.com", "reader").await;
    let page = rita.reader.open_page(&page_path).await;
    assert!(!page.contains("Last sign-in") && !page.contains("kind=grant.given"), "{page}");
}

async fn console_api_key_is_created_for_a_service(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let role = world.find_role(&acme, "admin").await.to_string();
    let metadata = json!({"client_name": "Robot", "grant_types": ["client_credentials"]});
    let service = json!({"kind": "service", "roles": [role], "metadata": metadata});
    let robot =
        owner.post(&acme.path("/clients"), service).await.assert_status(201).text_member("membership");
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page = ana.reader.open_page(&console_path(&acme, &format!("/members/{robot}"))).await;
    assert!(page.contains(&format!("/console/acme/keys?for={robot}")), "{page}");
    let page = ana.reader.open_page(&console_path(&acme, &format!("/keys?for={robot}"))).await;
    assert!(page.contains("id=\"key-holder\""), "{page}");
    let fields = [("action", "make"), ("name", "night run"), ("scope.members:read", "on"), ("days", "30")];
    let (_, created_page) = ana.reader.submit_form(&page, "id=\"make-key-now\"", &fields).await;
    assert!(created_page.contains("sn_ak_"), "{created_page}");
    let keys = owner.get(&acme.path("/api-keys")).await.assert_status(200).body;
    let key = keys["items"].as_array().unwrap().iter().find(|it| it["name"] == "night run").unwrap();
    assert_eq!(key["membership"], robot.as_str());
    assert!(key["expires_at"].is_string());
    // A key for another member is refused, whatever the form contains.
    let bruno = world.create_member(&acme, &["member"]).await.to_string();
    let page = ana.reader.open_page(&console_path(&acme, &format!("/keys?for={bruno}"))).await;
    assert!(!page.contains("id=\"key-holder\""), "{page}");
    let fields =
        [("action", "make"), ("name", "stolen"), ("scope.members:read", "on"), ("membership", &bruno)];
    ana.reader.submit_form(&page, "id=\"make-key-now\"", &fields).await;
    let keys = owner.get(&acme.path("/api-keys")).await.assert_status(200).body.to_string();
    assert!(!keys.contains("stolen"), "{keys}");
}
