//! Which members may change roles on the console, and which permissions they may put into one.

use super::console_path;
use super::webhooks::csrf_of;
use crate::both_engines;
use crate::harness::flow_client::PASSWORD;
use crate::harness::organizations::TestOrganization;
use crate::harness::page_browser::PageBrowser;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;

both_engines!(console_role_cannot_contain_permissions_its_author_lacks);

async fn console_role_cannot_contain_permissions_its_author_lacks(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let owner = world.create_owner(&acme).await;
    let create_role = async |name: &str, permissions: &[&str]| {
        let role = json!({"name": name, "permissions": permissions});
        owner.post(&acme.path("/roles"), role).await.assert_status(201).text_member("id")
    };
    create_role("reader", &["organization:read", "roles:read"]).await;
    create_role("shaper", &["organization:read", "roles:read", "roles:manage", "members:read"]).await;
    let strong = create_role("strong", &["audit:read"]).await;
    let list_path = console_path(&acme, "/roles");
    let mut sam = world.create_console_user(&acme, "sam@example.com", "shaper").await;
    let form = sam.reader.open_page(&list_path).await;
    assert!(
        form.contains("name=\"permission.audit:read\" value=\"on\" disabled")
            && !form.contains("name=\"permission.members:read\" value=\"on\" disabled"),
        "{form}"
    );
    let fields = [("action", "make"), ("name", "spy"), ("permission.audit:read", "on")];
    let (_, after) = sam.reader.submit_form(&form, "id=\"make-now\"", &fields).await;
    assert!(after.contains("You can grant only permissions that you hold yourself"), "{after}");
    // A permission that the role contains already stays when a member who lacks it changes the rest.
    let one = sam.reader.open_page(&format!("{list_path}/{strong}")).await;
    let fields = [
        ("action", "change"),
        ("name", "strong"),
        ("permission.audit:read", "on"),
        ("permission.members:read", "on"),
    ];
    let (_, after) = sam.reader.submit_form(&one, "id=\"save\"", &fields).await;
    assert!(after.contains("Role saved."), "{after}");
    // Two hours later, changing the permissions of a role needs a step-up.
    world.clock.advance(Lifetime::from_hours(2));
    let (_, proving) =
        sam.reader.submit_form(&after, "id=\"save\"", &[("action", "change"), ("name", "strong")]).await;
    assert!(proving.contains("name=\"password\""), "{proving}");
    let permissions = async || {
        owner.get(&acme.path(&format!("/roles/{strong}"))).await.assert_status(200).body["permissions"]
            .clone()
    };
    assert_eq!(
        permissions().await,
        json!(["audit:read", "members:read"]),
        "nothing changes before the step-up"
    );
    let (_, after) =
        sam.reader.submit_first_form(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(after.contains("Role saved.") && permissions().await == json!([]), "{after}");
    role_is_read_only_or_hidden_without_roles_manage(world, &acme, &strong).await;
    owner_of_another_organization_does_not_find_the_role(world, &other, &list_path, &strong).await;
    let operator = world.create_operator().await;
    world.create_assignment(&operator, &acme, "unpaid").await;
    let one = sam.reader.open_page(&format!("{list_path}/{strong}")).await;
    operator.post(&acme.path("/suspend"), json!({"reason": "Unpaid"})).await.assert_status(200);
    suspended_organization_accepts_no_role_form(&mut sam.reader, &one).await;
    assert_eq!(
        owner.get(&acme.path(&format!("/roles/{strong}"))).await.assert_status(200).body["name"],
        "strong"
    );
}

async fn role_is_read_only_or_hidden_without_roles_manage(
    world: &World,
    acme: &TestOrganization,
    strong: &str,
) {
    let list_path = console_path(acme, "/roles");
    let mut rita = world.create_console_user(acme, "rita@example.com", "reader").await;
    let page = rita.reader.open_page(&format!("{list_path}/{strong}")).await;
    assert!(
        !page.contains("<form") && !rita.reader.open_page(&list_path).await.contains("id=\"make\""),
        "{page}"
    );
    let front = rita.reader.open_page(&console_path(acme, "")).await;
    assert!(!front.contains("/console/acme/members"), "{front}");
    let mut rival = world.create_console_user(acme, "rival@example.com", "member").await;
    assert_eq!(
        rival.reader.open_url(&list_path).await.0,
        404,
        "a member who may manage nothing has no console"
    );
}

/// Neither in the organization it belongs to nor in the owner's own.
async fn owner_of_another_organization_does_not_find_the_role(
    world: &World,
    other: &TestOrganization,
    list_path: &str,
    strong: &str,
) {
    let mut bia = world.create_console_user(other, "bia@example.com", "owner").await;
    let home = bia.reader.open_page(&console_path(other, "/roles")).await;
    let csrf = csrf_of(&home);
    let through = console_path(other, &format!("/roles/{strong}"));
    assert_eq!(bia.reader.open_url(&through).await.0, 404);
    for action in ["change", "remove"] {
        let fields = [("csrf", csrf.as_str()), ("action", action), ("version", "3"), ("name", "mine")];
        let (status, after) = bia.reader.forge_post(&through, &world.origin(), &fields).await;
        assert!(status == 404 || after.contains("This no longer exists"), "{action}: {status} {after}");
        assert_eq!(
            bia.reader.forge_post(&format!("{list_path}/{strong}"), &world.origin(), &fields).await.0,
            404
        );
    }
}

/// The page was opened before the suspension.
async fn suspended_organization_accepts_no_role_form(sam: &mut PageBrowser<'_>, one: &str) {
    for (button, action) in [("save", "change"), ("remove-now", "remove")] {
        let fields = [("action", action), ("name", "strong")];
        let (_, after) = sam.submit_form(one, &format!("id=\"{button}\""), &fields).await;
        assert!(
            after.contains("The organization is suspended and cannot be changed")
                && !after.contains("id=\"save\""),
            "{action}: {after}"
        );
    }
}
