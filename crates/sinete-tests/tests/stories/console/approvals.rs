//! The requests for approval (CIBA) on the console: an administrator sees those to members, and denies one.

use super::webhooks::csrf_of;
use super::{console_path, list_event_kinds};
use crate::both_engines;
use crate::harness::oauth_application::OAuthApplication;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_store::oauth::clients::ClientOrigin;

const ANA: &str = "ana@example.com";
const MESSAGE: &str = "Pay 12.00 EUR to Moinho";
const CONSEQUENCE: &str = "The application gets no access and is notified of the denial.";
const DENY: &str = "value=\"deny_request\"";

both_engines!(
    console_approvals_are_listed_and_denied_after_their_consequence,
    console_approvals_are_hidden_and_refused_without_permission,
    console_approvals_do_not_cross_organizations
);

/// The table of the page.
fn table(page: &str) -> &str {
    let rest = page.split("id=\"approvals\"").nth(1).unwrap_or_else(|| panic!("no table: {page}"));
    rest.split("</section>").next().unwrap()
}

async fn create_agent(world: &World) -> OAuthApplication<'_> {
    world.create_ciba_client(ClientOrigin::Operator, json!({"scope": "openid"})).await
}

async fn console_approvals_are_listed_and_denied_after_their_consequence(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let agent = create_agent(world).await;
    let ana = world.create_signed_in_user(ANA).await;
    let member = ana.join_organization(&acme, "member").await;
    let mut olga = world.create_console_user(&acme, "olga@example.com", "owner").await;
    let approvals_path = console_path(&acme, "/approvals");
    let page = olga.reader.open_page(&approvals_path).await;
    assert!(page.contains(&format!("href=\"{approvals_path}\"")), "the navigation links to the page: {page}");
    assert!(table(&page).contains("No application asks a member for approval"), "{page}");
    let request = agent.start_ciba(ANA, &[]).await;
    let page = olga.reader.open_page(&approvals_path).await;
    let table_html = table(&page);
    for text in ["Ledger agent", MESSAGE, "openid", "waiting", &format!("/members/{member}\""), CONSEQUENCE] {
        assert!(table_html.contains(text), "{text}: {table_html}");
    }
    assert!(page.len() <= 60_000, "{}", page.len());
    // The button that denies is behind its consequence. There is none that approves.
    let (before, after) = table_html.split_once(" form=\"approvals-act\"").unwrap();
    assert!(before.contains("<details") && before.contains(CONSEQUENCE), "{table_html}");
    assert!(after.contains("Deny this request") && !table_html.contains("Approve"), "{table_html}");
    let portuguese = olga.reader.open_page(&format!("{approvals_path}?ui_locales=pt-BR")).await;
    assert!(
        portuguese.contains("Pedidos de aprovação") && portuguese.contains("Negar este pedido"),
        "{portuguese}"
    );
    // The page of the member leads to the requests to them.
    let theirs = olga.reader.open_page(&console_path(&acme, &format!("/members/{member}"))).await;
    let link = format!("{approvals_path}?member={member}");
    assert!(theirs.contains("id=\"their-approvals\"") && theirs.contains(&link), "{theirs}");
    assert!(table(&olga.reader.open_page(&link).await).contains(MESSAGE));
    let other = format!("{approvals_path}?member={}", olga.membership);
    assert!(table(&olga.reader.open_page(&other).await).contains("Nothing matches."));
    let (_, denied) = olga.reader.submit_form(&page, DENY, &[("action", "deny_request")]).await;
    assert!(denied.contains("Done. The change is in effect."), "{denied}");
    let table_html = table(&denied);
    assert!(
        table_html.contains(">denied<") && !table_html.contains(MESSAGE) && !table_html.contains(DENY),
        "{table_html}"
    );
    agent.assert_ciba_poll_error(&request, "access_denied").await;
    // The same form again changes nothing and says why.
    let (_, repeated_page) = olga.reader.submit_form(&page, DENY, &[("action", "deny_request")]).await;
    assert!(
        repeated_page.contains("This is not possible right now.")
            && repeated_page.contains("was answered or has expired"),
        "{repeated_page}"
    );
    assert_eq!(list_event_kinds(&owner, olga.membership).await, ["approval.denied"]);
    let log = olga.reader.open_page(&console_path(&acme, "/audit-log")).await;
    assert!(log.contains("Request denied"), "{log}");
}

async fn console_approvals_are_hidden_and_refused_without_permission(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    for (name, permissions) in [
        ("reader", json!(["organization:read", "members:read"])),
        ("auditor", json!(["organization:read", "audit:read"])),
    ] {
        let role = json!({"name": name, "permissions": permissions});
        owner.post(&acme.path("/roles"), role).await.assert_status(201);
    }
    let agent = create_agent(world).await;
    let ana = world.create_signed_in_user(ANA).await;
    ana.join_organization(&acme, "member").await;
    let request = agent.start_ciba(ANA, &[]).await;
    let response = owner.get(&acme.path("/ciba-requests")).await.assert_status(200);
    let id = response.body["items"][0]["id"].as_str().unwrap().to_owned();
    let approvals_path = console_path(&acme, "/approvals");
    // A user who may not deny sees that a request is pending, without a button and without its message.
    let mut rita = world.create_console_user(&acme, "rita@example.com", "reader").await;
    let page = rita.reader.open_page(&approvals_path).await;
    let approvals_table = table(&page);
    assert!(
        approvals_table.contains("Ledger agent") && approvals_table.contains("waiting"),
        "{approvals_table}"
    );
    assert!(
        !approvals_table.contains(DENY)
            && !approvals_table.contains(MESSAGE)
            && !approvals_table.contains("<details"),
        "{approvals_table}"
    );
    let own_path = console_path(&acme, &format!("/members/{}", rita.membership));
    let csrf = csrf_of(&rita.reader.open_page(&own_path).await);
    let fields = [("csrf", csrf.as_str()), ("action", "deny_request"), ("item", id.as_str())];
    rita.reader.forge_post(&approvals_path, &world.origin(), &fields).await;
    // A user who may not see members sees neither the page nor a link to it.
    let mut paul = world.create_console_user(&acme, "paul@example.com", "auditor").await;
    assert!(!paul.reader.open_page(&console_path(&acme, "")).await.contains("/approvals\""));
    let (status, refused) = paul.reader.open_url(&approvals_path).await;
    assert!(matches!(status, 403 | 404) && !refused.contains("Ledger agent"), "{status}: {refused}");
    agent.assert_ciba_poll_error(&request, "authorization_pending").await;
    assert_eq!(world.count_events("approval.denied").await, 0);
}

async fn console_approvals_do_not_cross_organizations(world: &World) {
    let (acme, globex) = (world.create_organization("acme").await, world.create_organization("globex").await);
    let owner = world.create_owner(&acme).await;
    let agent = create_agent(world).await;
    let ana = world.create_signed_in_user(ANA).await;
    ana.join_organization(&acme, "member").await;
    let request = agent.start_ciba(ANA, &[]).await;
    let listed_requests: Value = owner.get(&acme.path("/ciba-requests")).await.assert_status(200).body;
    let id = listed_requests["items"][0]["id"].as_str().unwrap().to_owned();
    let mut gil = world.create_console_user(&globex, "gil@example.com", "owner").await;
    assert_eq!(gil.reader.open_url(&console_path(&acme, "/approvals")).await.0, 404);
    let approvals_path = console_path(&globex, "/approvals");
    let page = gil.reader.open_page(&approvals_path).await;
    assert!(table(&page).contains("No application asks a member for approval"), "{page}");
    let own_path = console_path(&globex, &format!("/members/{}", gil.membership));
    let csrf = csrf_of(&gil.reader.open_page(&own_path).await);
    let fields = [("csrf", csrf.as_str()), ("action", "deny_request"), ("item", id.as_str())];
    gil.reader.forge_post(&approvals_path, &world.origin(), &fields).await;
    agent.assert_ciba_poll_error(&request, "authorization_pending").await;
}
