//! Lists of the console without columns are sorted as a whole, by links with stable URLs.

use super::{ConsoleUser, console_path};
use crate::both_engines;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;
use sinete_store::oauth::clients::ClientOrigin;

both_engines!(
    console_members_are_sorted_newest_first_over_all_pages,
    console_invitations_and_api_keys_are_sorted_newest_first,
    console_short_lists_are_sorted_by_name_and_by_time,
    console_applications_are_sorted_as_a_whole_with_pages,
    console_list_order_grants_no_access_and_ignores_unknown_values,
);

/// The path of the next page.
fn next_path(page: &str) -> Option<String> {
    let (before, _) = page.split_once("\" id=\"next-page\"")?;
    Some(before.rsplit("href=\"").next()?.replace("&#38;", "&"))
}

/// The ids of the items on all pages of a list.
async fn read_pages(reader: &mut ConsoleUser<'_>, list: &str, query: &str) -> Vec<String> {
    let item = format!("<li><a href=\"/console/acme/{list}/");
    let (mut path, mut ids) = (format!("/console/acme/{list}?{query}"), Vec::new());
    loop {
        let page = reader.reader.open_page(&path).await;
        ids.extend(page.split(item.as_str()).skip(1).map(|it| it.split('"').next().unwrap().to_owned()));
        let Some(next) = next_path(&page) else { return ids };
        path = next;
    }
}

/// Checks that a page contains these texts in this order, below its forms.
fn assert_order(page: &str, section: &str, expected_texts: &[&str]) {
    let list = page.split(section).last().unwrap();
    let places: Vec<_> = expected_texts.iter().map(|text| list.find(text)).collect();
    assert!(
        places.iter().all(Option::is_some) && places.is_sorted(),
        "{expected_texts:?} {places:?}: {list}"
    );
}

async fn console_members_are_sorted_newest_first_over_all_pages(world: &World) {
    let acme = world.create_organization("acme").await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    for _ in 0..60 {
        world.create_member(&acme, &["member"]).await;
    }
    let oldest = read_pages(&mut ana, "members", "size=25").await;
    let newest = read_pages(&mut ana, "members", "sort=-created&size=25").await;
    assert_eq!(oldest.len(), 61);
    assert!(newest.iter().eq(oldest.iter().rev()), "{newest:?} {oldest:?}");
    let page = ana.reader.open_page(&console_path(&acme, "/members?size=25")).await;
    assert!(page.contains("href=\"/console/acme/members?sort=-created&#38;size=25\""), "{page}");
    assert!(page.contains("aria-current=\"true\">oldest first</a>"), "{page}");
    let page = ana.reader.open_page(&console_path(&acme, "/members?sort=-created&size=25")).await;
    assert!(page.contains("aria-current=\"true\">newest first</a>"), "{page}");
    let next = next_path(&page).unwrap();
    assert!(next.starts_with("/console/acme/members?sort=-created&size=25&after="), "{next}");
    // A cursor counts only in its order.
    assert_eq!(ana.reader.open_url(&next.replace("sort=-created&", "")).await.0, 400);
    let csv = ana.reader.open_page(&console_path(&acme, "/members?sort=-created&format=csv")).await;
    assert!(csv.lines().nth(1).unwrap().contains(&newest[0]), "{csv}");
    // Results of a search are in the order of its index.
    let results_page = ana.reader.open_page(&console_path(&acme, "/members?search=ana&sort=-created")).await;
    assert!(!results_page.contains("class=\"orders\""), "{results_page}");
}

async fn console_invitations_and_api_keys_are_sorted_newest_first(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let member = world.find_role(&acme, "member").await;
    for name in ["one", "two", "three"] {
        world.clock.advance(Lifetime::from_seconds(1));
        let email = format!("{name}@example.com");
        let invitation = json!({"email": email, "roles": [member]});
        owner.post(&acme.path("/invitations"), invitation).await.assert_status(201);
        let key =
            json!({"membership": owner.membership, "name": format!("key {name}"), "scope": "members:read"});
        owner.post(&acme.path("/api-keys"), key).await.assert_status(201);
    }
    for (list, expected_texts) in [
        ("invitations", ["one@example.com", "two@example.com", "three@example.com"]),
        ("keys", ["key one", "key two", "key three"]),
    ] {
        let section = format!("id=\"{list}\"");
        let mut reversed = expected_texts;
        reversed.reverse();
        let page = ana.reader.open_page(&console_path(&acme, &format!("/{list}"))).await;
        assert_order(&page, &section, &expected_texts);
        assert!(page.contains(&format!("href=\"/console/acme/{list}?sort=-created\"")), "{page}");
        let page = ana.reader.open_page(&console_path(&acme, &format!("/{list}?sort=-created"))).await;
        assert_order(&page, &section, &reversed);
        let csv =
            ana.reader.open_page(&console_path(&acme, &format!("/{list}?sort=-created&format=csv"))).await;
        assert_order(&csv, "\"id\"", &reversed);
    }
}

async fn console_short_lists_are_sorted_by_name_and_by_time(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    for name in ["bravo", "charlie", "alfa"] {
        world.clock.advance(Lifetime::from_seconds(1));
        let domain = json!({"domain": format!("{name}.example")});
        owner.post(&acme.path("/domains"), domain).await.assert_status(201);
        owner.post(&acme.path("/roles"), json!({"name": name})).await.assert_status(201);
    }
    let (by_name, by_time) = (["alfa", "bravo", "charlie"], ["bravo", "charlie", "alfa"]);
    for (list, default_order, section) in
        [("domains", by_name, "id=\"claim-now\""), ("roles", by_time, "id=\"all-roles\"")]
    {
        let page = ana.reader.open_page(&console_path(&acme, &format!("/{list}"))).await;
        assert_order(&page, section, &default_order);
        for (sort, order) in [("created", by_time), ("name", by_name)] {
            for (value, is_reversed) in [(sort.to_owned(), false), (format!("-{sort}"), true)] {
                let mut order = order;
                if is_reversed {
                    order.reverse();
                }
                let path = console_path(&acme, &format!("/{list}?sort={value}"));
                assert_order(&ana.reader.open_page(&path).await, section, &order);
                let csv = ana.reader.open_page(&format!("{path}&format=csv")).await;
                let first = csv.lines().find(|line| order.iter().any(|name| line.contains(name)));
                assert!(first.is_some_and(|line| line.contains(order[0])), "{value}: {csv}");
            }
        }
    }
}

async fn console_applications_are_sorted_as_a_whole_with_pages(world: &World) {
    let acme = world.create_organization("acme").await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let mut ids = Vec::new();
    for number in 0..30 {
        world.clock.advance(Lifetime::from_seconds(1));
        // Names in another order than their creation.
        let name = format!("App {:02}", (number * 7) % 30);
        let app =
            world.create_application(ClientOrigin::Organization(acme.id), json!({"client_name": name})).await;
        ids.push((name, app.id.to_string()));
    }
    let created: Vec<String> = ids.iter().map(|(_, id)| id.clone()).collect();
    ids.sort();
    let expected_ids: Vec<String> = ids.into_iter().map(|(_, id)| id).collect();
    let by_name = read_pages(&mut ana, "applications", "sort=name&size=25").await;
    assert_eq!(by_name, expected_ids);
    let reversed = read_pages(&mut ana, "applications", "sort=-name&size=25").await;
    assert!(reversed.iter().eq(expected_ids.iter().rev()), "{reversed:?}");
    let newest = read_pages(&mut ana, "applications", "sort=-created&size=25").await;
    assert!(newest.iter().eq(created.iter().rev()), "{newest:?}");
    assert_eq!(read_pages(&mut ana, "applications", "size=25").await.len(), 30);
}

async fn console_list_order_grants_no_access_and_ignores_unknown_values(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let default_order = read_pages(&mut ana, "members", "").await;
    for unknown in ["name", "-1", "created,-created", "--created"] {
        let actual_order = read_pages(&mut ana, "members", &format!("sort={unknown}")).await;
        assert_eq!(actual_order, default_order, "{unknown}");
    }
    let role = json!({"name": "reader", "permissions": ["audit:read"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let mut rita = world.create_console_user(&acme, "rita@example.com", "reader").await;
    for list in ["members", "invitations", "roles", "applications", "keys", "domains"] {
        let path = console_path(&acme, &format!("/{list}?sort=-created"));
        assert_eq!(rita.reader.open_url(&path).await.0, 403, "{list}");
    }
    let (newest, oldest) =
        (console_path(&acme, "/audit-log"), console_path(&acme, "/audit-log?sort=created"));
    let page = rita.reader.open_page(&oldest).await;
    let first = |page: &str| page.split("id=\"entries\"").nth(1).unwrap().find("Organization created");
    assert!(first(&page) < first(&rita.reader.open_page(&newest).await), "{page}");
}
