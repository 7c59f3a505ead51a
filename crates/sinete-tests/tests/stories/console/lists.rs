//! Lists on the console: page sizes, sorting, stable URLs and files.

use super::console_path;
use crate::both_engines;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::id::AccountId;
use sinete_core::limits::ACCOUNT_SEARCH_SCANNED_MAX;
use sinete_core::time::Lifetime;
use sinete_store::{JsonDocument, accounts};

both_engines!(
    console_lists_have_page_sizes_and_stable_urls,
    console_lists_are_downloaded_as_csv_with_the_filter_of_the_page,
    console_list_files_need_the_permission_of_the_list,
    instance_console_lists_are_sorted_by_their_columns,
    instance_console_user_search_continues_where_it_stopped
);

/// The texts of the cells of a column, in order.
fn column(page: &str, label: &str) -> Vec<String> {
    let cell = format!("data-label=\"{label}\">");
    let text = |rest: &str| {
        let cell = rest.split("</td>").next().unwrap_or_default();
        let mut text = String::new();
        let mut is_markup = false;
        for character in cell.chars() {
            match character {
                '<' => is_markup = true,
                '>' => is_markup = false,
                other if !is_markup => text.push(other),
                _ => {}
            }
        }
        text.trim().to_owned()
    };
    page.split(cell.as_str()).skip(1).map(text).collect()
}

async fn console_lists_have_page_sizes_and_stable_urls(world: &World) {
    let acme = world.create_organization("acme").await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    for _ in 0..60 {
        world.create_member(&acme, &["member"]).await;
    }
    let rows = |page: &str| page.matches("<li><a href=\"/console/acme/members/").count();
    let list_path = console_path(&acme, "/members");
    let page = ana.reader.open_page(&list_path).await;
    assert_eq!(rows(&page), 50, "{page}");
    assert!(page.contains("href=\"/console/acme/members?size=25\""), "{page}");
    let small = ana.reader.open_page(&format!("{list_path}?size=25")).await;
    assert_eq!(rows(&small), 25, "{small}");
    let next = small.split("id=\"next-page\"").next().unwrap().rsplit("href=\"").next().unwrap();
    let next = next.split('"').next().unwrap().replace("&#38;", "&");
    assert!(next.starts_with("/console/acme/members?size=25&after="), "{next}");
    let second = ana.reader.open_page(&next).await;
    assert_eq!(rows(&second), 25, "{second}");
    assert!(
        second.contains("id=\"first-page\"") && second.contains("aria-current=\"true\">25</a>"),
        "{second}"
    );
    let large = ana.reader.open_page(&format!("{list_path}?size=100")).await;
    assert_eq!(rows(&large), 61, "{large}");
    // Another size is the usual one.
    for size in ["10", "1000", "x"] {
        assert_eq!(rows(&ana.reader.open_page(&format!("{list_path}?size={size}")).await), 50, "{size}");
    }
}

async fn console_lists_are_downloaded_as_csv_with_the_filter_of_the_page(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    for (name, number) in [("Zoë Ångström", 1), ("李小龍", 2), ("=cmd()", 3)] {
        let member = world.create_member(&acme, &["member"]).await;
        let profile = json!({"profile": {"name": name, "title": format!("{number}")}});
        owner.patch(&acme.path(&format!("/members/{member}")), 1, profile).await.assert_status(200);
    }
    let csv = ana.reader.open_page(&console_path(&acme, "/members?format=csv")).await;
    assert!(csv.starts_with("\"id\",\"kind\",\"name\""), "{csv}");
    assert!(
        csv.contains("\"Zoë Ångström\"") && csv.contains("\"李小龍\"") && csv.contains("\"'=cmd()\""),
        "{csv}"
    );
    let results_page = ana.reader.open_page(&console_path(&acme, "/members?search=zoe")).await;
    assert!(
        results_page.contains("href=\"/console/acme/members?search=zoe&#38;format=csv\""),
        "{results_page}"
    );
    let csv = ana.reader.open_page(&console_path(&acme, "/members?search=zoe&format=csv")).await;
    assert_eq!(csv.matches("\r\n").count(), 2, "{csv}");
    let html = ana.reader.open_page(&console_path(&acme, "/members?search=%E6%9D%8E")).await;
    assert!(html.contains("李小龍"), "{html}");
    for (page, heading) in [
        ("invitations", "\"id\",\"email\""),
        ("roles", "\"id\",\"name\""),
        ("applications", "\"client_id\",\"kind\""),
        ("keys", "\"id\",\"name\""),
        ("domains", "\"domain\",\"name\""),
    ] {
        let html = ana.reader.open_page(&console_path(&acme, &format!("/{page}"))).await;
        assert!(html.contains(&format!("href=\"/console/acme/{page}?format=csv\"")), "{page}: {html}");
        let csv = ana.reader.open_page(&console_path(&acme, &format!("/{page}?format=csv"))).await;
        assert!(csv.starts_with(heading), "{page}: {csv}");
    }
}

async fn console_list_files_need_the_permission_of_the_list(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let role = json!({"name": "reader", "permissions": ["audit:read"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let mut rita = world.create_console_user(&acme, "rita@example.com", "reader").await;
    for page in ["members", "invitations", "roles", "applications", "keys", "domains"] {
        let (status, text) = rita.reader.open_url(&console_path(&acme, &format!("/{page}?format=csv"))).await;
        assert_eq!(status, 403, "{page}: {text}");
    }
    let globex = world.create_organization("globex").await;
    assert_eq!(rita.reader.open_url(&console_path(&globex, "/members?format=csv")).await.0, 404);
}

async fn instance_console_lists_are_sorted_by_their_columns(world: &World) {
    let operators = world.find_organization("operator").await;
    let mut ana = world.create_console_user(&operators, "ana@example.com", "operator").await;
    for slug in ["tenant-b", "tenant-c", "tenant-a"] {
        world.create_organization(slug).await;
    }
    let list = ana.reader.open_page("/instance/organizations?search=tenant").await;
    assert!(list.contains("href=\"/instance/organizations?search=tenant&#38;sort=2\""), "{list}");
    let list = ana.reader.open_page("/instance/organizations?search=tenant&sort=2").await;
    assert_eq!(column(&list, "Slug"), ["tenant-a", "tenant-b", "tenant-c"], "{list}");
    assert!(list.contains("aria-sort=\"ascending\""), "{list}");
    let list = ana.reader.open_page("/instance/organizations?search=tenant&sort=-2").await;
    assert_eq!(column(&list, "Slug"), ["tenant-c", "tenant-b", "tenant-a"], "{list}");
    let csv = ana.reader.open_page("/instance/organizations?search=tenant&sort=-2&format=csv").await;
    assert!(csv.find("tenant-c").unwrap() < csv.find("tenant-a").unwrap(), "{csv}");
    let lines = ana.reader.open_page("/instance/organizations?search=tenant&format=jsonl").await;
    assert_eq!(lines.lines().filter(|line| line.starts_with('{')).count(), 3, "{lines}");
    // A column that does not exist changes nothing, and events keep their order.
    for sort in ["0", "9", "name"] {
        let list = ana.reader.open_page(&format!("/instance/organizations?search=tenant&sort={sort}")).await;
        assert_eq!(column(&list, "Slug").len(), 3, "{sort}");
    }
    let events = ana.reader.open_page("/instance/events?sort=2").await;
    assert!(!events.contains("aria-sort"), "{events}");
}

async fn instance_console_user_search_continues_where_it_stopped(world: &World) {
    let operators = world.find_organization("operator").await;
    let mut ana = world.create_console_user(&operators, "ana@example.com", "operator").await;
    let (engine, nothing) = (world.server.engine(), JsonDocument::from_value(&json!({})).unwrap());
    let (now, entropy) = (engine.now(), engine.entropy());
    for _ in 0..ACCOUNT_SEARCH_SCANNED_MAX / 500 {
        let some = (0..500)
            .map(|_| accounts::create_account(AccountId::mint(now, entropy), None, &nothing, now))
            .collect::<Vec<_>>();
        world.apply_statements(some).await;
    }
    world.clock.advance(Lifetime::from_seconds(1));
    world.create_user("bruno@example.com").await;
    // The account is further away than one search looks: the page offers to continue.
    let first = ana.reader.open_page("/instance/users?search=bruno").await;
    assert!(first.contains("Continue searching") && !first.contains("bruno@example.com"), "{first}");
    let before = first.split("\" id=\"users-next\"").next().unwrap();
    let next = before.rsplit("href=\"").next().unwrap().replace("&#38;", "&");
    let second = ana.reader.open_page(&next).await;
    assert!(second.contains("bruno@example.com") && !second.contains("Continue searching"), "{second}");
    // The search of everything leads on to the list. A whole address is found at once.
    let all = ana.reader.open_page("/instance/search?q=bruno").await;
    assert!(all.contains("/instance/users?search=bruno"), "{all}");
    let results_page = ana.reader.open_page("/instance/users?search=bruno%40example.com").await;
    assert!(
        results_page.contains(">bruno@example.com<") && !results_page.contains("Continue searching"),
        "{results_page}"
    );
}
