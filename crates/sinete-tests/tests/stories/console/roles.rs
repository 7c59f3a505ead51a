//! Roles on the console: created, changed and deleted; the permissions of built-in roles are shown.

use super::{console_path, list_event_kinds};
use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::page_browser::PageBrowser;
use crate::harness::world::World;
use serde_json::json;

both_engines!(
    console_role_is_created_changed_and_deleted_as_by_the_api,
    console_role_conflict_keeps_both_changes,
    console_role_errors_are_displayed_beside_their_field_and_built_in_roles_are_read_only,
    console_role_form_without_apis_read_lists_only_held_and_contained_permissions
);

async fn console_role_is_created_changed_and_deleted_as_by_the_api(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let list_path = console_path(&acme, "/roles");
    let form = ana.reader.open_page(&list_path).await;
    let fields = [
        ("action", "make"),
        ("name", "clerk"),
        ("description", "At the counter"),
        ("permission.members:read", "on"),
    ];
    let (_, created_page) = ana.reader.submit_form(&form, "id=\"make-now\"", &fields).await;
    assert!(
        created_page.contains("Role created.") && created_page.contains("<h1>clerk</h1>"),
        "{created_page}"
    );
    let id = world.find_role(&acme, "clerk").await;
    let path = acme.path(&format!("/roles/{id}"));
    let role = owner.get(&path).await.assert_status(200).body;
    assert_eq!(
        (&role["permissions"], &role["description"]),
        (&json!(["members:read"]), &json!("At the counter"))
    );
    let (_, repeated_page) = ana.reader.submit_form(&form, "id=\"make-now\"", &fields).await;
    assert!(repeated_page.contains("This form was already submitted"), "{repeated_page}");
    // A member has a permission from the next request after the change on.
    let mut carla = world.create_console_user(&acme, "carla@example.com", "clerk").await;
    assert_eq!(carla.reader.open_url(&console_path(&acme, "/audit-log")).await.0, 403);
    let fields = [
        ("action", "change"),
        ("name", "clerk"),
        ("permission.members:read", "on"),
        ("permission.audit:read", "on"),
    ];
    let (_, after) = ana.reader.submit_form(&created_page, "id=\"save\"", &fields).await;
    assert!(
        after.contains("Role saved.")
            && after.contains("name=\"permission.audit:read\" value=\"on\" checked"),
        "{after}"
    );
    assert_eq!(carla.reader.open_url(&console_path(&acme, "/audit-log")).await.0, 200);
    let slow = change_from_an_old_page_conflicts(&mut ana.reader, &owner, &path, &created_page).await;
    name_of_another_role_is_refused(&mut ana.reader, &owner, &path, &slow).await;
    let (_, slow) = ana.reader.submit_form(&created_page, "id=\"remove-now\"", &[("action", "remove")]).await;
    assert!(
        slow.contains("This was changed in the meantime") && load_name(&owner, &path).await == "clerk",
        "{slow}"
    );
    let (_, gone) = ana.reader.submit_form(&slow, "id=\"remove-now\"", &[("action", "remove")]).await;
    assert!(gone.contains("Role deleted.") && !gone.contains(&id.to_string()), "{gone}");
    assert_eq!(
        carla.reader.open_url(&console_path(&acme, "/members")).await.0,
        404,
        "no member still has the role"
    );
    let expected = ["role.changed", "role.created", "role.removed"];
    assert_eq!(list_event_kinds(&owner, ana.membership).await, expected);
}

async fn load_name(owner: &ApiCaller<'_>, path: &str) -> String {
    owner.get(path).await.assert_status(200).text_member("name")
}

/// The form shows the role as it is now together with the fields that were changed on the old page.
async fn change_from_an_old_page_conflicts(
    ana: &mut PageBrowser<'_>,
    owner: &ApiCaller<'_>,
    path: &str,
    created_page: &str,
) -> String {
    let teller = [("action", "change"), ("name", "teller"), ("permission.roles:read", "on")];
    let (_, slow) = ana.submit_form(created_page, "id=\"save\"", &teller).await;
    assert!(slow.contains("This was changed in the meantime") && slow.contains("value=\"teller\""), "{slow}");
    let checked_boxes = ["audit:read", "members:read", "roles:read"]
        .map(|it| slow.contains(&format!("name=\"permission.{it}\" value=\"on\" checked")));
    assert_eq!(checked_boxes, [true, false, true], "the saved role with the user's changes: {slow}");
    // A form of the old page that is shown again with an error still conflicts.
    let fields = [("action", "change"), ("name", "Teller!"), ("permission.roles:read", "on")];
    let (_, wrong) = ana.submit_form(created_page, "id=\"save\"", &fields).await;
    assert!(wrong.contains("name=\"permission.roles:read\" value=\"on\" checked"), "{wrong}");
    let (_, slow) = ana.submit_form(&wrong, "id=\"save\"", &teller).await;
    assert!(
        slow.contains("This was changed in the meantime") && load_name(owner, path).await == "clerk",
        "{slow}"
    );
    let role = owner.get(path).await.assert_status(200).body;
    assert_eq!(role["permissions"], json!(["audit:read", "members:read"]));
    slow
}

async fn name_of_another_role_is_refused(
    ana: &mut PageBrowser<'_>,
    owner: &ApiCaller<'_>,
    path: &str,
    page: &str,
) {
    let other = json!({"name": "other", "permissions": []});
    owner.post(&owner.tenant.path("/roles"), other).await.assert_status(201);
    let (_, conflict_page) =
        ana.submit_form(page, "id=\"save\"", &[("action", "change"), ("name", "other")]).await;
    assert!(
        conflict_page.contains("There is already a role with this name.")
            && load_name(owner, path).await == "clerk",
        "{conflict_page}"
    );
    owner.patch(path, 2, json!({"name": "other"})).await.assert_problem(409, "conflict");
}

async fn console_role_conflict_keeps_both_changes(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let role_body = json!({"name": "clerk", "description": "At the counter", "permissions": ["audit:read", "members:read"]});
    let id = owner.post(&acme.path("/roles"), role_body).await.assert_status(201).text_member("id");
    let (one, path) = (console_path(&acme, &format!("/roles/{id}")), acme.path(&format!("/roles/{id}")));
    let role = async || owner.get(&path).await.assert_status(200).body;
    let before = ana.reader.open_page(&one).await;
    owner
        .patch(&path, 1, json!({"name": "teller", "permissions": ["members:read"]}))
        .await
        .assert_status(200);
    let mine = [
        ("action", "change"),
        ("name", "clerk"),
        ("description", "At the desk"),
        ("permission.audit:read", "on"),
        ("permission.members:read", "on"),
        ("permission.roles:read", "on"),
    ];
    let (_, slow) = ana.reader.submit_form(&before, "id=\"save\"", &mine).await;
    assert!(slow.contains("This was changed in the meantime") && role().await["version"] == 2, "{slow}");
    // The name was not typed, so it is the saved one; a permission that was removed meanwhile is not ticked.
    assert!(
        slow.contains("value=\"teller\"")
            && !slow.contains("value=\"clerk\"")
            && slow.contains("value=\"At the desk\""),
        "{slow}"
    );
    let checked_boxes = ["audit:read", "members:read", "roles:read"]
        .map(|it| slow.contains(&format!("name=\"permission.{it}\" value=\"on\" checked")));
    assert_eq!(checked_boxes, [false, true, true], "{slow}");
    let (_, after) = ana
        .reader
        .submit_form(
            &slow,
            "id=\"save\"",
            &[
                ("action", "change"),
                ("name", "teller"),
                ("description", "At the desk"),
                ("permission.members:read", "on"),
                ("permission.roles:read", "on"),
            ],
        )
        .await;
    assert!(after.contains("Role saved."), "{after}");
    assert_eq!(
        (&role().await["name"], &role().await["permissions"]),
        (&json!("teller"), &json!(["members:read", "roles:read"]))
    );
    // A form of a deleted role leads to the list, which says that the role no longer exists.
    let (_, gone) = ana.reader.submit_form(&after, "id=\"remove-now\"", &[("action", "remove")]).await;
    assert!(gone.contains("Role deleted."), "{gone}");
    for (button, action) in [("save", "change"), ("remove-now", "remove")] {
        let (status, late) = ana
            .reader
            .submit_form(&after, &format!("id=\"{button}\""), &[("action", action), ("name", "teller")])
            .await;
        assert!(
            status == 200 && late.contains("This no longer exists") && late.contains("<h1>Roles</h1>"),
            "{action}: {late}"
        );
    }
}

async fn console_role_errors_are_displayed_beside_their_field_and_built_in_roles_are_read_only(
    world: &World,
) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    owner.post(&acme.path("/roles"), json!({"name": "clerk", "permissions": []})).await.assert_status(201);
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let list_path = console_path(&acme, "/roles");
    let mut form = ana.reader.open_page(&list_path).await;
    let marked = format!("{}\u{202e}", "x");
    for (name, description, permission, expected_error) in [
        ("", "", "members:read", "Use 1 to 64 lower-case letters"),
        ("Big Boss", "", "members:read", "Use 1 to 64 lower-case letters"),
        ("teller", marked.as_str(), "members:read", "Use at most 200 visible characters."),
        ("clerk", "", "members:read", "There is already a role with this name"),
        ("owner", "", "members:read", "There is already a role with this name"),
        ("teller", "", "invoices:read", "A selected permission does not exist"),
        ("teller", "", "instance:operate", "A selected permission does not exist"),
        ("teller", "", "no permission", "A selected permission does not exist"),
    ] {
        let checkbox_name = format!("permission.{permission}");
        let fields =
            [("action", "make"), ("name", name), ("description", description), (&checkbox_name, "on")];
        let (_, after) = ana.reader.submit_form(&form, "id=\"make-now\"", &fields).await;
        assert!(
            after.contains(expected_error)
                && after.contains("id=\"make\" open")
                && after.contains(&format!("value=\"{name}\"")),
            "{name} {permission}: {after}"
        );
        form = after;
    }
    assert_eq!(
        owner.get(&acme.path("/roles")).await.assert_status(200).body["items"].as_array().unwrap().len(),
        4,
        "no role was created"
    );
    // A built-in role is shown with all its permissions and cannot be changed.
    let admin = world.find_role(&acme, "admin").await;
    let page = ana.reader.open_page(&format!("{list_path}/{admin}")).await;
    assert!(
        page.contains("Invite, change and remove members")
            && !page.contains("Delete the organization")
            && !page.contains("<form"),
        "{page}"
    );
    let page = ana
        .reader
        .open_page(&format!("{list_path}/{}?ui_locales=pt-BR", world.find_role(&acme, "owner").await))
        .await;
    assert!(page.contains("<h1>proprietário</h1>") && page.contains("Excluir a organização"), "{page}");
    let csrf = form.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    for action in ["change", "remove"] {
        let fields = [
            ("csrf", csrf),
            ("action", action),
            ("version", "1"),
            ("name", "chief"),
            ("permission.members:read", "on"),
        ];
        let (_, after) =
            ana.reader.forge_post(&format!("{list_path}/{admin}"), &world.origin(), &fields).await;
        assert!(after.contains("This is not possible right now."), "{action}: {after}");
    }
    assert_eq!(owner.get(&acme.path(&format!("/roles/{admin}"))).await.assert_status(200).version(), 1);
}

async fn console_role_form_without_apis_read_lists_only_held_and_contained_permissions(world: &World) {
    let books = world.create_token_fixture().await;
    let (acme, owner) = (&books.tenant, &books.owner);
    for (name, extra_permission) in [("shaper", None), ("seer", Some("apis:read"))] {
        let permissions: Vec<&str> = ["organization:read", "roles:read", "roles:manage", "invoices:read"]
            .into_iter()
            .chain(extra_permission)
            .collect();
        owner
            .post(&acme.path("/roles"), json!({"name": name, "permissions": permissions}))
            .await
            .assert_status(201);
    }
    let mut sam = world.create_console_user(acme, "sam@example.com", "shaper").await;
    let mut rita = world.create_console_user(acme, "rita@example.com", "seer").await;
    let list_path = console_path(acme, "/roles");
    let manager = world.find_role(acme, "manager").await;
    let one = format!("{list_path}/{manager}");
    let lists = |page: &str| {
        ["invoices:read", "invoices:send", "invoices:void", "files:read"]
            .map(|it| page.contains(&format!("name=\"permission.{it}\"")))
    };
    for (path, conferred) in [(&list_path, false), (&one, true)] {
        let (of_sam, of_rita) = (sam.reader.open_page(path).await, rita.reader.open_page(path).await);
        assert_eq!(lists(&of_sam), [true, false, false, conferred], "{path}: {of_sam}");
        assert!(of_sam.contains("Some permissions of APIs are not listed"), "{path}: {of_sam}");
        assert_eq!(lists(&of_rita), [true; 4], "{path}: {of_rita}");
        assert!(!of_rita.contains("Some permissions of APIs are not listed, because you do not have the permission to see the APIs"), "{path}: {of_rita}");
    }
    // Permissions that the member could not have added stay as they are.
    let form = sam.reader.open_page(&one).await;
    let fields = [
        ("action", "change"),
        ("name", "manager"),
        ("description", "All"),
        ("permission.invoices:*", "on"),
        ("permission.files:read", "on"),
    ];
    let (_, after) = sam.reader.submit_form(&form, "id=\"save\"", &fields).await;
    assert!(after.contains("Role saved."), "{after}");
    let role = owner.get(&acme.path(&format!("/roles/{manager}"))).await.assert_status(200).body;
    assert_eq!(
        (&role["permissions"], &role["description"]),
        (&json!(["files:read", "invoices:*"]), &json!("All"))
    );
    let portuguese = sam.reader.open_page(&format!("{one}?ui_locales=pt-BR")).await;
    assert!(portuguese.contains("Algumas permissões de APIs não são listadas"), "{portuguese}");
}
