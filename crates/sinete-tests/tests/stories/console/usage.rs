//! Usage on the console: figures on the overviews, charts with tables, and files.

use super::ConsoleUser;
use crate::both_engines;
use crate::harness::flow_client::PASSWORD;
use crate::harness::token_endpoint::INVOICES;
use crate::harness::world::World;
use serde_json::json;

both_engines!(
    console_usage_charts_have_names_descriptions_and_tables_with_the_same_numbers,
    console_usage_is_on_the_overviews_and_downloaded_as_csv,
    console_usage_needs_the_permission
);

async fn create_operator_user<'w>(world: &'w World, email: &str, role: &str) -> ConsoleUser<'w> {
    let operators = world.find_organization("operator").await;
    world.create_console_user(&operators, email, role).await
}

/// The text between two others.
fn between<'p>(page: &'p str, before: &str, after: &str) -> &'p str {
    page.split(before).nth(1).and_then(|rest| rest.split(after).next()).unwrap_or_default()
}

/// Two sign-ins with a password, one failure and three tokens of a service.
async fn use_instance(world: &World) -> crate::harness::token_endpoint::TokenFixture<'_> {
    let books = world.create_token_fixture().await;
    let robot = books.create_service("clerk", "invoices:read").await;
    for _ in 0..3 {
        robot.request_client_credentials(&[("resource", INVOICES)]).await.assert_granted();
    }
    world.create_user("bruno@example.com").await;
    for _ in 0..2 {
        world.sign_in_with_password("bruno@example.com", PASSWORD).await.assert_status(200);
    }
    world.sign_in_with_password("bruno@example.com", "not the password").await.assert_status(422);
    world.seal_events().await;
    books
}

async fn console_usage_charts_have_names_descriptions_and_tables_with_the_same_numbers(world: &World) {
    use_instance(world).await;
    let mut ana = create_operator_user(world, "ana@example.com", "operator").await;
    for (query, periods) in [("", 30), ("?period=week", 12), ("?period=month", 12), ("?period=year", 30)] {
        let page = ana.reader.open_page(&format!("/instance/usage{query}")).await;
        for (id, total) in [("sign-ins", 2), ("sign-in-failures", 1), ("active-users", 1), ("tokens", 3)] {
            let section = between(&page, &format!("<section class=\"panel\" id=\"{id}\""), "</section>");
            let svg = between(section, "<svg role=\"img\"", "</svg>");
            assert!(svg.contains(&format!("aria-labelledby=\"{id}-name {id}-text\"")), "{section}");
            assert!(!between(svg, &format!("<title id=\"{id}-name\">"), "</title>").is_empty(), "{svg}");
            assert!(!between(svg, &format!("<desc id=\"{id}-text\">"), "</desc>").is_empty(), "{svg}");
            assert!(!svg.contains("style=") && !svg.contains("script"), "{svg}");
            // Every period of the table with a number other than zero can be pointed at, with the same number.
            let pointed: Vec<&str> =
                svg.split("v1000h-10z").skip(1).map(|slot| between(slot, "<title>", "</title>")).collect();
            let rows: Vec<String> = section
                .split("<tr><th>2")
                .skip(1)
                .map(|row| {
                    let value = row.rsplit("<td>").next().unwrap();
                    let period = row.split("</th>").next().unwrap();
                    format!("2{period}: {}", value.split("</td>").next().unwrap())
                })
                .collect();
            let nonzero_rows: Vec<&str> =
                rows.iter().map(String::as_str).filter(|row| !row.ends_with(": 0")).collect();
            assert_eq!(pointed, nonzero_rows, "{id}");
            assert_eq!(rows.len(), periods, "{id}");
            assert!(rows.last().unwrap().ends_with(&format!(": {total}")), "{id}: {rows:?}");
        }
        let approvals = between(&page, "<section class=\"panel\" id=\"approvals\"", "</section>");
        assert!(!approvals.contains("<svg") && approvals.contains("Nothing was counted"), "{approvals}");
    }
}

async fn console_usage_is_on_the_overviews_and_downloaded_as_csv(world: &World) {
    let books = use_instance(world).await;
    let mut ana = create_operator_user(world, "ana@example.com", "operator").await;
    let overview = ana.reader.open_page("/instance").await;
    let figures = between(&overview, "<dl class=\"figures\">", "</dl>");
    let values: Vec<&str> = figures.split("<b>").skip(1).map(|it| it.split("</b>").next().unwrap()).collect();
    assert_eq!(values, ["1", "1", "2", "1", "3"], "{figures}");
    assert!(overview.contains("href=\"/instance/usage\""), "{overview}");
    let page = format!("/instance/organizations/{}", books.tenant.id);
    let organization = ana.reader.open_page(&page).await;
    let path = format!("/instance/usage?organization={}", books.tenant.id);
    assert!(organization.contains(&path), "{organization}");
    let page = ana.reader.open_page(&path).await;
    assert!(page.contains("id=\"tokens-name\"") && !page.contains("id=\"sign-ins-name\""), "{page}");
    let csv = ana.reader.open_page("/instance/usage?period=month&format=csv").await;
    assert_eq!(csv.lines().count(), 13, "{csv}");
    assert!(csv.starts_with("\"start\",\"sign_ins.passkey\",\"sign_ins.password\""), "{csv}");
    assert!(csv.lines().last().unwrap().contains("\"0\",\"2\","), "{csv}");
    // The organization's own pages.
    let mut owner = world.create_console_user(&books.tenant, "rita@example.com", "owner").await;
    let overview = owner.reader.open_page("/console/books").await;
    let figures = between(&overview, "<dl class=\"figures\">", "</dl>");
    let values: Vec<&str> = figures.split("<b>").skip(1).map(|it| it.split("</b>").next().unwrap()).collect();
    assert_eq!(values, ["0", "0", "0", "0", "3"], "{figures}");
    let usage = owner.reader.open_page("/console/books/usage?period=week").await;
    assert!(usage.contains("id=\"tokens-name\"") && usage.contains("aria-current=\"page\">Weeks"), "{usage}");
}

async fn console_usage_needs_the_permission(world: &World) {
    let acme = world.create_organization("acme").await;
    let reader = json!({"name": "reader", "permissions": ["organization:read", "members:read"]});
    world.create_owner(&acme).await.post(&acme.path("/roles"), reader).await.assert_status(201);
    let mut member = world.create_console_user(&acme, "ana@example.com", "reader").await;
    let overview = member.reader.open_page("/console/acme").await;
    assert!(!overview.contains("/usage") && !overview.contains("class=\"figures\""), "{overview}");
    assert_eq!(member.reader.open_url("/console/acme/usage").await.0, 403);
    let other = world.create_organization("other").await;
    let mut owner = world.create_console_user(&other, "rita@example.com", "owner").await;
    assert_eq!(owner.reader.open_url("/console/acme/usage").await.0, 404);
    assert_eq!(owner.reader.open_url("/instance/usage").await.0, 404);
}
