//! Members on the console: listed, assigned roles, disabled, enabled, removed.

use super::{console_path, role_field};
use crate::both_engines;
use crate::harness::flow_client::PASSWORD;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;

both_engines!(
    console_member_roles_disable_enable_and_removal_equal_the_api,
    console_member_search_equals_the_api,
    console_member_conflict_is_reported_and_keeps_both_changes,
    console_member_with_fifty_roles_is_saved_after_step_up_and_preserved_on_conflict,
    console_member_action_that_failed_keeps_the_selected_roles,
    console_actions_without_permission_are_hidden_and_refused,
    console_roles_beyond_own_permissions_cannot_be_granted_and_owners_are_changed_by_owners_only,
    console_member_list_is_paged_and_its_cursor_is_bound_to_the_list,
    console_member_shows_the_scim_user_name_and_the_external_id
);

async fn console_member_roles_disable_enable_and_removal_equal_the_api(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let bruno = world.create_member(&acme, &["member"]).await;
    let (page, path) =
        (console_path(&acme, &format!("/members/{bruno}")), acme.path(&format!("/members/{bruno}")));
    let list = ana.reader.open_page(&console_path(&acme, "/members")).await;
    assert!(list.contains(&format!("href=\"{page}\"")) && list.contains(">you<"), "{list}");
    let one = ana.reader.open_page(&page).await;
    let admin = role_field(world.find_role(&acme, "admin").await);
    let (_, after) =
        ana.reader.submit_form(&one, "id=\"save-roles\"", &[("action", "set_roles"), (&admin, "on")]).await;
    assert!(after.contains("Roles saved."), "{after}");
    assert_eq!(owner.get(&path).await.assert_status(200).body["roles"][0]["name"], "admin");
    world.clock.advance(Lifetime::from_micros(1_000));
    let (_, after) = ana.reader.submit_form(&after, "id=\"switch-off\"", &[("action", "disable")]).await;
    assert!(after.contains("Member disabled.") && after.contains("id=\"switch-on\""), "{after}");
    assert_eq!(owner.get(&path).await.assert_status(200).body["condition"], "suspended");
    world.clock.advance(Lifetime::from_micros(1_000));
    let (_, after) = ana.reader.submit_form(&after, "id=\"switch-on\"", &[("action", "enable")]).await;
    assert_eq!(owner.get(&path).await.assert_status(200).body["condition"], "enabled");
    // A notice is shown once.
    assert!(
        after.contains("Member enabled.") && !ana.reader.open_page(&page).await.contains("role=\"status\"")
    );
    world.clock.advance(Lifetime::from_micros(1_000));
    let (_, after) = ana.reader.submit_form(&after, "id=\"remove-now\"", &[("action", "remove")]).await;
    assert!(after.contains("Member removed.") && !after.contains(&page), "{after}");
    owner.get(&path).await.assert_problem(404, "not_found");
    // The audit log has the same events as for the management API.
    let audit_log = owner.get(&acme.path("/audit")).await.assert_status(200);
    let audit_entries: Vec<_> = audit_log.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["subject"]["id"] == bruno.to_string())
        .collect();
    let kinds: Vec<&str> = audit_entries.iter().map(|it| it["kind"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        ["membership.roles_changed", "membership.disabled", "membership.enabled", "membership.ended"]
    );
    for entry in audit_entries {
        assert_eq!(entry["actor"], json!({"kind": "membership", "id": ana.membership.to_string()}));
    }
}

async fn console_member_search_equals_the_api(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "admin").await;
    let mut all = Vec::new();
    for number in 0..52 {
        let member = world.create_member(&acme, &["member"]).await;
        let profile = json!({"profile": {"name": format!("João N{number:02} <b>")}});
        owner.patch(&acme.path(&format!("/members/{member}")), 1, profile).await.assert_status(200);
        all.push(console_path(&acme, &format!("/members/{member}")));
    }
    let list = console_path(&acme, "/members");
    let one = ana.reader.open_page(&format!("{list}?search=joao+n07")).await;
    assert!(one.contains(&all[7]) && !one.contains(&all[8]) && one.contains("1 member found.<"), "{one}");
    assert!(
        one.contains("value=\"joao n07\"") && one.contains("id=\"everybody\""),
        "the field keeps the words: {one}"
    );
    // The next page keeps the search.
    let first = ana.reader.open_page(&format!("{list}?search=JO%C3%83O")).await;
    let on = |text: &str| all.iter().filter(|link| text.contains(link.as_str())).cloned().collect::<Vec<_>>();
    assert!(first.contains("More than 50 members found.") && on(&first).len() == 50, "{first}");
    let next = first.split("id=\"next-page\"").next().unwrap().rsplit("href=\"").next().unwrap();
    let next = next.split('"').next().unwrap().replace("&#38;", "&").replace("&amp;", "&");
    assert!(next.contains("search=JO%C3%83O"), "{next}");
    let last = ana.reader.open_page(&next).await;
    assert!(on(&last).len() == 2 && on(&last).iter().all(|link| !first.contains(link)), "{last}");
    // No match, and a search that is not allowed.
    let empty_page = ana.reader.open_page(&format!("{list}?search=%25%22%3E%3Cscript%3E")).await;
    assert!(
        empty_page.contains("No members found.")
            && !empty_page.contains("<script>")
            && !empty_page.contains("class=\"lines\""),
        "{empty_page}"
    );
    let error_page = ana.reader.open_page(&format!("{list}?search=a+b+c+d+e+f+g+h+i")).await;
    assert!(
        error_page.contains("Search for at most eight words")
            && error_page.contains("value=\"a b c d e f g h i\""),
        "{error_page}"
    );
    for empty in ["?search=", "?search=+"] {
        assert!(
            ana.reader.open_page(&format!("{list}{empty}")).await.contains(&all[0]),
            "{empty} lists every member"
        );
    }
    let portuguese = ana.reader.open_page(&format!("{list}?search=zz&ui_locales=pt")).await;
    assert!(
        portuguese.contains("Nenhum membro encontrado.")
            && portuguese.contains("name=\"ui_locales\" value=\"pt"),
        "{portuguese}"
    );
}

async fn console_member_conflict_is_reported_and_keeps_both_changes(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let bruno = world.create_member(&acme, &["member"]).await;
    let one = ana.reader.open_page(&console_path(&acme, &format!("/members/{bruno}"))).await;
    let path = acme.path(&format!("/members/{bruno}"));
    owner.patch(&path, 1, json!({"profile": {"name": "Bruno"}})).await.assert_status(200);
    let admin = role_field(world.find_role(&acme, "admin").await);
    let (_, after) =
        ana.reader.submit_form(&one, "id=\"save-roles\"", &[("action", "set_roles"), (&admin, "on")]).await;
    assert!(
        after.contains("This was changed in the meantime.") && after.contains("<h1>Bruno</h1>"),
        "{after}"
    );
    assert!(
        after.contains(&format!("name=\"{admin}\" value=\"on\" checked")),
        "the selected role stays selected: {after}"
    );
    assert_eq!(
        owner.get(&path).await.assert_status(200).body["roles"][0]["name"],
        "member",
        "no role was changed"
    );
    let (_, after) =
        ana.reader.submit_form(&after, "id=\"save-roles\"", &[("action", "set_roles"), (&admin, "on")]).await;
    assert!(after.contains("Roles saved."), "{after}");
    assert_eq!(owner.get(&path).await.assert_status(200).body["roles"][0]["name"], "admin");
}

async fn console_member_with_fifty_roles_is_saved_after_step_up_and_preserved_on_conflict(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let bruno = world.create_member(&acme, &["member"]).await;
    let (page, path) =
        (console_path(&acme, &format!("/members/{bruno}")), acme.path(&format!("/members/{bruno}")));
    let mut boxes = Vec::new();
    for number in 0..50 {
        let role = json!({"name": format!("role-{number}"), "permissions": ["members:read"]});
        boxes.push(format!(
            "role.{}",
            owner.post(&acme.path("/roles"), role).await.assert_status(201).text_member("id")
        ));
    }
    let fields: Vec<(&str, &str)> =
        [("action", "set_roles")].into_iter().chain(boxes.iter().map(|it| (it.as_str(), "on"))).collect();
    let before = ana.reader.open_page(&page).await;
    owner.patch(&path, 1, json!({"profile": {"name": "Bruno"}})).await.assert_status(200);
    let (_, after) = ana.reader.submit_form(&before, "id=\"save-roles\"", &fields).await;
    assert!(after.contains("This was changed in the meantime."), "{after}");
    for role in &boxes {
        assert!(after.contains(&format!("name=\"{role}\" value=\"on\" checked")), "{role}: {after}");
    }
    world.clock.advance(Lifetime::from_hours(2));
    let (_, proving) = ana.reader.submit_form(&after, "id=\"save-roles\"", &fields).await;
    let (_, after) =
        ana.reader.submit_first_form(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(after.contains("Roles saved."), "{after}");
    assert_eq!(owner.get(&path).await.assert_status(200).body["roles"].as_array().unwrap().len(), 50);
    // A form with fields that no page has is refused, and nothing is changed.
    let extra_fields: Vec<String> = (0..110).map(|it| format!("role.{it}")).collect();
    let extra_fields: Vec<(&str, &str)> = [("action", "set_roles")]
        .into_iter()
        .chain(extra_fields.iter().map(|it| (it.as_str(), "on")))
        .collect();
    let (status, after) = ana.reader.submit_form(&after, "id=\"save-roles\"", &extra_fields).await;
    assert!(status == 200 && after.contains("This is too much for one form"), "{after}");
    assert_eq!(ana.reader.forge_post(&page, "https://evil.example", &extra_fields).await.0, 400);
    assert_eq!(owner.get(&path).await.assert_status(200).body["roles"].as_array().unwrap().len(), 50);
}

async fn console_member_action_that_failed_keeps_the_selected_roles(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ada = world.create_console_user(&acme, "ada@example.com", "admin").await;
    let owners = owner.membership;
    let page = console_path(&acme, &format!("/members/{owners}"));
    let one = ada.reader.open_page(&page).await;
    let role = role_field(world.find_role(&acme, "owner").await);
    let admin = role_field(world.find_role(&acme, "admin").await);
    owner
        .put(
            &acme.path(&format!("/members/{owners}/roles")),
            1,
            json!({"roles": [
                world.find_role(&acme, "owner").await.to_string(),
                world.find_role(&acme, "admin").await.to_string(),
            ]}),
        )
        .await
        .assert_status(200);
    for (within, action) in [("id=\"switch-off\"", "disable"), ("id=\"remove-now\"", "remove")] {
        let (_, after) = ada.reader.submit_form(&one, within, &[("action", action)]).await;
        assert!(
            after.contains(
                "You can grant only permissions that you hold yourself, and only owners can manage owners"
            ),
            "{after}"
        );
        for role in [&role, &admin] {
            let checkbox =
                after.split(&format!("name=\"{role}\"")).nth(1).unwrap().split('>').next().unwrap();
            assert!(checkbox.contains("checked"), "{action} {role}: {after}");
        }
    }
}

async fn console_actions_without_permission_are_hidden_and_refused(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let role = json!({"name": "reader", "permissions": ["organization:read", "members:read"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let bruno = world.create_member(&acme, &["member"]).await;
    let (page, path) =
        (console_path(&acme, &format!("/members/{bruno}")), acme.path(&format!("/members/{bruno}")));
    let mut rita = world.create_console_user(&acme, "rita@example.com", "reader").await;
    let one = rita.reader.open_page(&page).await;
    assert!(!one.contains("<form"), "{one}");
    let invitations = rita.reader.open_page(&console_path(&acme, "/invitations")).await;
    assert!(!invitations.contains("id=\"send-invitation\""), "{invitations}");
    // Her own page has a form: leaving needs no permission.
    let own_page =
        rita.reader.open_page(&console_path(&acme, &format!("/members/{}", rita.membership))).await;
    let csrf = own_page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let (admin, origin) = (role_field(world.find_role(&acme, "admin").await), world.origin());
    for action in ["set_roles", "disable", "enable", "remove"] {
        let fields = [("csrf", csrf.as_str()), ("action", action), ("version", "1"), (&admin, "on")];
        let (_, after) = rita.reader.forge_post(&page, &origin, &fields).await;
        assert!(after.contains("You do not have the permission to do this."), "{action}: {after}");
    }
    let invite =
        [("csrf", csrf.as_str()), ("action", "invite"), ("email", "eve@example.com"), (&admin, "on")];
    let (_, after) = rita.reader.forge_post(&console_path(&acme, "/invitations"), &origin, &invite).await;
    assert!(after.contains("You do not have the permission to do this."), "{after}");
    let member = owner.get(&path).await.assert_status(200);
    assert_eq!((member.version(), &member.body["roles"][0]["name"]), (1, &json!("member")));
    assert_eq!(owner.get(&acme.path("/invitations")).await.assert_status(200).body["items"], json!([]));
    // A member who may manage nothing has no console, not even its front page.
    let mut plain = world.create_console_user(&acme, "plain@example.com", "member").await;
    for below in ["", "/members", "/invitations"] {
        assert_eq!(plain.reader.open_url(&console_path(&acme, below)).await.0, 404, "{below}");
    }
    assert!(!plain.reader.open_page("/my-account").await.contains("id=\"open-console\""));
    assert!(rita.reader.open_page("/my-account").await.contains("id=\"open-console\""));
}

async fn console_roles_beyond_own_permissions_cannot_be_granted_and_owners_are_changed_by_owners_only(
    world: &World,
) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ada = world.create_console_user(&acme, "ada@example.com", "admin").await;
    let bruno = world.create_member(&acme, &["member"]).await;
    let page = console_path(&acme, &format!("/members/{bruno}"));
    let one = ada.reader.open_page(&page).await;
    let owners = role_field(world.find_role(&acme, "owner").await);
    assert!(one.contains(&format!("name=\"{owners}\" value=\"on\" disabled")), "{one}");
    let (_, after) =
        ada.reader.submit_form(&one, "id=\"save-roles\"", &[("action", "set_roles"), (&owners, "on")]).await;
    assert!(
        after.contains(
            "You can grant only permissions that you hold yourself, and only owners can manage owners"
        ),
        "{after}"
    );
    // She cannot remove the role of an owner either: the form keeps it, and the page says so.
    let owner_path = console_path(&acme, &format!("/members/{}", owner.membership));
    let one = ada.reader.open_page(&owner_path).await;
    let (_, after) = ada.reader.submit_form(&one, "id=\"switch-off\"", &[("action", "disable")]).await;
    assert!(
        after.contains(
            "You can grant only permissions that you hold yourself, and only owners can manage owners"
        ),
        "{after}"
    );
    // The last owner cannot be removed.
    let path = acme.path(&format!("/members/{}", owner.membership));
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let one = ana.reader.open_page(&owner_path).await;
    ana.reader.submit_form(&one, "id=\"remove-now\"", &[("action", "remove")]).await;
    let mine = ana.reader.open_page(&console_path(&acme, &format!("/members/{}", ana.membership))).await;
    let (_, after) = ana.reader.submit_form(&mine, "id=\"remove-now\"", &[("action", "remove")]).await;
    assert!(after.contains("An organization needs at least one owner."), "{after}");
    owner.get(&path).await.assert_status(401);
}

async fn console_member_list_is_paged_and_its_cursor_is_bound_to_the_list(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let mut all = vec![ana.membership.to_string()];
    for _ in 0..60 {
        world.clock.advance(Lifetime::from_micros(1_000));
        all.push(world.create_member(&acme, &["member"]).await.to_string());
    }
    let first = ana.reader.open_page(&console_path(&acme, "/members")).await;
    let next = first.split("id=\"next-page\"").next().unwrap().rsplit("href=\"").next().unwrap();
    let next = next.split('"').next().unwrap().to_owned();
    let second = ana.reader.open_page(&next).await;
    for (index, id) in all.iter().enumerate() {
        let member_link = format!("{}\"", console_path(&acme, &format!("/members/{id}")));
        assert_eq!(
            (first.contains(&member_link), second.contains(&member_link)),
            (index < 50, index >= 50),
            "{index}"
        );
    }
    assert!(!first.contains("id=\"first-page\"") && second.contains("id=\"first-page\""));
    assert!(!second.contains("id=\"next-page\""));
    // With its id in the path, the organization has the same list.
    let by_id = ana.reader.open_page(&format!("/console/{}/members", acme.id)).await;
    let on = by_id.split("id=\"next-page\"").next().unwrap().rsplit("href=\"").next().unwrap();
    let on = ana.reader.open_page(on.split('"').next().unwrap()).await;
    assert!(on.contains("id=\"first-page\"") && on.contains(&all[50]), "{on}");
    // A cursor of one list is not valid for another.
    let mut bia = world.create_console_user(&other, "bia@example.com", "owner").await;
    let cursor = next.split("after=").nth(1).unwrap();
    assert_eq!(bia.reader.open_url(&console_path(&other, &format!("/members?after={cursor}"))).await.0, 400);
    assert_eq!(
        ana.reader.open_url(&console_path(&acme, &format!("/invitations?after={cursor}"))).await.0,
        400
    );
}

async fn console_member_shows_the_scim_user_name_and_the_external_id(world: &World) {
    let acme = world.create_organization("acme").await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let directory = world.create_scim_client(&acme).await;
    let dora = directory.create_scim_user("dora@acme.example").await.text_member("id");
    let set = json!([{"op": "add", "path": "externalId", "value": "ext-1"}]);
    directory.scim_patch(&format!("/scim/v2/Users/{dora}"), set).await.assert_status(200);
    let page = ana.reader.open_page(&console_path(&acme, &format!("/members/{dora}"))).await;
    assert!(page.contains("<dt>User name (SCIM)</dt><dd>dora@acme.example</dd>"), "{page}");
    assert!(page.contains("<dt>External ID (SCIM)</dt><dd>ext-1</dd>"), "{page}");
    // A member that no directory provisioned has neither.
    let own_page = ana.reader.open_page(&console_path(&acme, &format!("/members/{}", ana.membership))).await;
    assert!(!own_page.contains("(SCIM)</dt>"), "{own_page}");
}
