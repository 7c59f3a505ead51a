//! The page of a role: who holds it, page by page, and what each permission means.

use super::console_path;
use crate::both_engines;
use crate::harness::world::World;
use serde_json::json;

both_engines!(
    console_role_page_lists_holders_page_by_page_and_explains_permissions,
    console_role_holders_are_hidden_without_permission_and_from_other_organizations
);

/// The members on the page of a role.
fn holders(page: &str) -> Option<String> {
    let rest = page.split("<section class=\"panel\" id=\"holders\"").nth(1)?;
    Some(rest.split("</section>").next().unwrap().to_owned())
}

async fn console_role_page_lists_holders_page_by_page_and_explains_permissions(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let role = json!({"name": "auditor", "permissions": ["audit:read", "members:read"]});
    let id = owner.post(&acme.path("/roles"), role).await.assert_status(201).text_member("id");
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page_path = console_path(&acme, &format!("/roles/{id}"));
    let page = ana.reader.open_page(&page_path).await;
    assert!(holders(&page).unwrap().contains("No member holds this role."), "{page}");
    assert!(page.contains("Read the audit log") && page.contains("audit:read"), "{page}");
    let mut members = Vec::new();
    for _ in 0..27 {
        members.push(world.create_member(&acme, &["auditor"]).await.to_string());
    }
    let first = holders(&ana.reader.open_page(&format!("{page_path}?size=25")).await).unwrap();
    assert_eq!(first.matches("<tr").count(), 26, "the heading and 25 members: {first}");
    let next = first.split("id=\"holders-next\"").next().unwrap().rsplit("href=\"").next().unwrap();
    let next = next.split('"').next().unwrap().replace("&#38;", "&");
    assert!(next.contains("size=25"), "the next page has the same size: {next}");
    let second = holders(&ana.reader.open_page(&next).await).unwrap();
    assert_eq!(second.matches("<tr").count(), 3, "{second}");
    assert!(second.contains("id=\"holders-first\"") && !second.contains("id=\"holders-next\""), "{second}");
    for member in &members {
        let is_in = |page: &str| page.contains(&format!("/members/{member}"));
        assert!(is_in(&first) != is_in(&second), "{member} is on one of the pages");
    }
    // Sorted by name over all pages; an order that does not exist changes nothing.
    for (member, name) in members.iter().zip(["Zoe Alves", "Ana Braga", "Mia Costa"]) {
        let profile = json!({"profile": {"name": name}});
        owner.patch(&acme.path(&format!("/members/{member}")), 1, profile).await.assert_status(200);
    }
    let sorted = holders(&ana.reader.open_page(&format!("{page_path}?size=25&sort=-1")).await).unwrap();
    assert!(sorted.contains("aria-sort=\"descending\""), "{sorted}");
    let names = ["Zoe Alves", "Mia Costa", "Ana Braga"].map(|name| sorted.find(name));
    assert!(names.iter().all(Option::is_some) && names.is_sorted(), "{names:?}: {sorted}");
    assert!(sorted.contains("sort=-1&#38;size=25&#38;page=2"), "{sorted}");
    let default_list = holders(&ana.reader.open_page(&format!("{page_path}?size=25&sort=9")).await).unwrap();
    assert_eq!(default_list.matches("<tr").count(), 26, "{default_list}");
    // A member who is disabled is marked, and one who was removed is not there.
    let [disabled, removed] = [&members[0], &members[1]];
    owner.post(&acme.path(&format!("/members/{disabled}/disable")), json!(null)).await.assert_status(200);
    owner.delete(&acme.path(&format!("/members/{removed}")), None).await.assert_status(204);
    let page = holders(&ana.reader.open_page(&page_path).await).unwrap();
    assert_eq!(page.matches("tag warn").count(), 1, "{page}");
    assert!(page.contains(disabled.as_str()) && !page.contains(removed.as_str()), "{page}");
    // A cursor of this list is good for no other.
    let other = next.replace(&id, &world.find_role(&acme, "admin").await.to_string());
    assert_ne!(ana.reader.open_url(&other).await.0, 200);
}

async fn console_role_holders_are_hidden_without_permission_and_from_other_organizations(world: &World) {
    let [acme, globex] = [world.create_organization("acme").await, world.create_organization("globex").await];
    let owner = world.create_owner(&acme).await;
    let role = json!({"name": "librarian", "permissions": ["organization:read", "roles:read"]});
    let id = owner.post(&acme.path("/roles"), role).await.assert_status(201).text_member("id");
    let mut rita = world.create_console_user(&acme, "rita@example.com", "librarian").await;
    let page = rita.reader.open_page(&console_path(&acme, &format!("/roles/{id}"))).await;
    assert!(holders(&page).is_none() && page.contains("See the roles"), "{page}");
    let mut gil = world.create_console_user(&globex, "gil@example.com", "owner").await;
    assert_eq!(gil.reader.open_url(&console_path(&globex, &format!("/roles/{id}"))).await.0, 404);
    // A built-in role is one of each organization, with its own members.
    let admin = world.find_role(&globex, "owner").await;
    let page = gil.reader.open_page(&console_path(&globex, &format!("/roles/{admin}"))).await;
    let holder_list = holders(&page).unwrap();
    assert!(holder_list.contains(&gil.membership.to_string()), "{holder_list}");
    assert!(!holder_list.contains(&rita.membership.to_string()), "{holder_list}");
}
