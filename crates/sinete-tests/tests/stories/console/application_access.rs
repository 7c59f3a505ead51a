//! Which members register and see applications on the console, and which actions need a step-up.

use super::applications::{WEB, with, within};
use super::{console_path, role_field};
use crate::both_engines;
use crate::harness::flow_client::PASSWORD;
use crate::harness::organizations::TestOrganization;
use crate::harness::page_browser::PageBrowser;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;

both_engines!(
    console_application_changes_that_grant_access_need_step_up,
    console_applications_are_read_only_without_permission_and_hidden_from_other_organizations
);

async fn console_application_changes_that_grant_access_need_step_up(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let form = ana.reader.open_page(&console_path(&acme, "/applications")).await;
    let (_, created_page) = ana.reader.submit_form(&form, "id=\"register-now\"", &WEB).await;
    let (id, application_path) = (
        within(&created_page, "client-id").to_owned(),
        console_path(&acme, &format!("/applications/{}", within(&created_page, "client-id"))),
    );
    world.clock.advance(Lifetime::from_hours(2));
    let one = ana.reader.open_page(&application_path).await;
    let list = ana.reader.open_page(&console_path(&acme, "/applications")).await;
    let waits = [
        (&list, "register-now", with(&[("name", "Second")])),
        (&one, "save", with(&[("action", "change"), ("name", "Other")])),
        (&one, "add-secret", vec![("action", "add_secret")]),
    ];
    for (from, button, fields) in &waits {
        let (_, proving) = ana.reader.submit_form(from, &format!("id=\"{button}\""), fields).await;
        assert!(proving.contains("name=\"password\""), "{button}: {proving}");
    }
    let client = async || owner.get(&acme.path(&format!("/clients/{id}"))).await.assert_status(200).body;
    assert_eq!(client().await["metadata"]["client_name"], "Ledger", "nothing changes before the step-up");
    let (_, after) = ana.reader.submit_form(&one, "id=\"switch-off\"", &[("action", "disable")]).await;
    assert!(after.contains("Application disabled."), "disabling needs no step-up: {after}");
    let (_, proving) = ana.reader.submit_form(&after, "id=\"switch-on\"", &[("action", "enable")]).await;
    assert!(proving.contains("name=\"password\"") && client().await["condition"] == "suspended", "{proving}");
    let (_, proving) =
        ana.reader.submit_form(&list, "id=\"register-now\"", &with(&[("name", "Second")])).await;
    let (_, created_page) =
        ana.reader.submit_first_form(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(
        created_page.contains("id=\"secret\"") && created_page.contains("Second"),
        "done after the step-up: {created_page}"
    );
}

async fn console_applications_are_read_only_without_permission_and_hidden_from_other_organizations(
    world: &World,
) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let owner = world.create_owner(&acme).await;
    for (name, permissions) in [
        ("reader", json!(["organization:read", "clients:read"])),
        ("helper", json!(["organization:read", "clients:read", "agents:manage"])),
        ("lister", json!(["organization:read", "members:read"])),
    ] {
        let role = json!({"name": name, "permissions": permissions});
        owner.post(&acme.path("/roles"), role).await.assert_status(201);
    }
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let form = ana.reader.open_page(&console_path(&acme, "/applications")).await;
    let admin = role_field(world.find_role(&acme, "admin").await);
    let service = with(&[("kind", "service"), ("grant.own", "on"), (&admin, "on")]);
    let (_, created_page) = ana.reader.submit_form(&form, "id=\"register-now\"", &service).await;
    let (id, application_path) = (
        within(&created_page, "client-id").to_owned(),
        console_path(&acme, &format!("/applications/{}", within(&created_page, "client-id"))),
    );
    let application_page = ana.reader.open_page(&application_path).await;
    let version = owner.get(&acme.path(&format!("/clients/{id}"))).await.assert_status(200).version();
    reader_sees_the_application_and_changes_nothing(world, &acme, &application_path).await;
    agent_manager_registers_agents_without_foreign_roles(world, &acme, &admin).await;
    member_without_clients_read_sees_no_applications(world, &acme, &application_path).await;
    owner_of_another_organization_does_not_find_the_application(world, &other, &application_path, &id).await;
    assert_eq!(
        owner.get(&acme.path(&format!("/clients/{id}"))).await.assert_status(200).version(),
        version,
        "nothing changed"
    );
    let operator = world.create_operator().await;
    world.create_assignment(&operator, &acme, "unpaid").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "Unpaid"})).await.assert_status(200);
    let page = ana.reader.open_page(&application_path).await;
    assert!(page.contains("This organization is suspended") && !page.contains("id=\"save\""), "{page}");
    suspended_organization_accepts_no_change(&mut ana.reader, &form, &application_page).await;
}

fn csrf_of(page: &str) -> String {
    page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

/// The page of the application offers no form, and forms that are sent anyway are refused.
async fn reader_sees_the_application_and_changes_nothing(
    world: &World,
    acme: &TestOrganization,
    application_path: &str,
) {
    let mut rita = world.create_console_user(acme, "rita@example.com", "reader").await;
    let page = rita.reader.open_page(application_path).await;
    assert!(
        page.contains("https://ledger.example/cb")
            && !page.contains("id=\"save\"")
            && !page.contains("id=\"add-secret\"")
            && !page.contains("id=\"switch-off\""),
        "{page}"
    );
    assert!(!rita.reader.open_page(&console_path(acme, "/applications")).await.contains("id=\"register\""));
    let csrf = csrf_of(&rita.reader.open_page(application_path).await);
    let actions = [
        ("action", "change"),
        ("action", "add_secret"),
        ("action", "disable"),
        ("action", "enable"),
        ("action", "remove"),
        ("revoke", "0011223344556677"),
    ];
    for (name, value) in actions {
        let fields = [("csrf", csrf.as_str()), ("once", "abcdefghijklmnop"), ("version", "1"), (name, value)];
        let (_, after) = rita.reader.forge_post(application_path, &world.origin(), &fields).await;
        assert!(after.contains("You do not have the permission to do this."), "{value}: {after}");
    }
    let fields: Vec<_> =
        WEB.into_iter().chain([("csrf", csrf.as_str()), ("once", "abcdefghijklmnop")]).collect();
    let (_, after) =
        rita.reader.forge_post(&console_path(acme, "/applications"), &world.origin(), &fields).await;
    assert!(after.contains("You do not have the permission to do this."), "{after}");
}

/// A member who may manage agents registers agents only, and assigns no role with permissions that they lack.
async fn agent_manager_registers_agents_without_foreign_roles(
    world: &World,
    acme: &TestOrganization,
    admin: &str,
) {
    let mut hugo = world.create_console_user(acme, "hugo@example.com", "helper").await;
    let list = hugo.reader.open_page(&console_path(acme, "/applications")).await;
    assert!(list.contains("value=\"agent\"") && !list.contains("value=\"service\""), "{list}");
    let (_, after) = hugo.reader.submit_form(&list, "id=\"register-now\"", &WEB).await;
    assert!(
        after.contains("You can grant only permissions that you hold yourself")
            || after.contains("You do not have the permission to do this."),
        "{after}"
    );
    let agent = with(&[("kind", "agent"), ("purpose", "Sorts"), ("grant.own", "on"), (admin, "on")]);
    let (_, after) = hugo.reader.submit_form(&list, "id=\"register-now\"", &agent).await;
    assert!(after.contains("You can grant only permissions that you hold yourself"), "{after}");
}

async fn member_without_clients_read_sees_no_applications(
    world: &World,
    acme: &TestOrganization,
    application_path: &str,
) {
    let mut lia = world.create_console_user(acme, "lia@example.com", "lister").await;
    assert!(!lia.reader.open_page(&console_path(acme, "")).await.contains("/console/acme/applications"));
    assert_eq!(lia.reader.open_url(application_path).await.0, 403);
}

/// Neither in the organization it belongs to nor in the owner's own.
async fn owner_of_another_organization_does_not_find_the_application(
    world: &World,
    other: &TestOrganization,
    application_path: &str,
    id: &str,
) {
    let mut bia = world.create_console_user(other, "bia@example.com", "owner").await;
    let home = bia.reader.open_page(&console_path(other, "/applications")).await;
    assert!(!home.contains(id), "{home}");
    let through = console_path(other, &format!("/applications/{id}"));
    assert_eq!(bia.reader.open_url(application_path).await.0, 404);
    assert_eq!(bia.reader.open_url(&through).await.0, 404);
    let csrf = csrf_of(&home);
    for action in ["change", "add_secret", "disable", "enable", "remove"] {
        let fields =
            [("csrf", csrf.as_str()), ("once", "abcdefghijklmnop"), ("version", "1"), ("action", action)];
        let (status, after) = bia.reader.forge_post(&through, &world.origin(), &fields).await;
        assert!(status == 404 || after.contains("This no longer exists"), "{action}: {status} {after}");
    }
}

/// Forms of pages that were opened before the suspension are refused.
async fn suspended_organization_accepts_no_change(
    owner: &mut PageBrowser<'_>,
    list: &str,
    application_page: &str,
) {
    for (button, fields) in [
        ("save", with(&[("action", "change")])),
        ("add-secret", vec![("action", "add_secret")]),
        ("switch-off", vec![("action", "disable")]),
        ("remove-now", vec![("action", "remove")]),
    ] {
        let (_, after) = owner.submit_form(application_page, &format!("id=\"{button}\""), &fields).await;
        assert!(after.contains("The organization is suspended and cannot be changed"), "{button}: {after}");
    }
    let (_, after) = owner.submit_form(list, "id=\"register-now\"", &with(&[("name", "Late")])).await;
    assert!(
        after.contains("The organization is suspended and cannot be changed")
            || after.contains("This form was already submitted"),
        "{after}"
    );
}
