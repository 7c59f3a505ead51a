//! The page of a member: where its roles come from, its sessions and sign-in methods, and the access that it granted, as
//! far as they concern the organization.

use super::console_path;
use super::webhooks::csrf_of;
use crate::both_engines;
use crate::harness::scim_client::GROUPS;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;
use sinete_store::sign_in::credentials::StoredCredentialKind;

both_engines!(
    console_member_page_shows_role_sources_sessions_factors_and_grants,
    console_member_access_is_hidden_and_refused_without_permission,
    console_member_access_does_not_cross_organizations
);

/// A section of the page, by its id.
fn section(page: &str, id: &str) -> Option<String> {
    let rest = page.split(&format!("<section class=\"panel\" id=\"{id}\"")).nth(1)?;
    Some(rest.split("</section>").next().unwrap().to_owned())
}

async fn console_member_page_shows_role_sources_sessions_factors_and_grants(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    let bruno = world.create_signed_in_user("bruno@example.com").await;
    let member = bruno.join_organization(&books.tenant, "clerk").await;
    bruno.add_credential(StoredCredentialKind::Passkey, "My hidden key", b"one").await;
    bruno.add_credential(StoredCredentialKind::Passkey, "My other key", b"two").await;
    let directory = world.create_scim_client(&books.tenant).await;
    let choir = json!({"displayName": "Choir", "members": [{"value": member.to_string()}]});
    directory.post(GROUPS, choir).await.assert_status(201);
    let mut ana = world.create_console_user(&books.tenant, "ana@example.com", "owner").await;
    let page_path = console_path(&books.tenant, &format!("/members/{member}"));
    // A session in which no application got access to the organization does not concern it.
    let page = ana.reader.open_page(&page_path).await;
    assert!(section(&page, "sessions").unwrap().contains("No session gives"), "{page}");
    assert!(section(&page, "granted").unwrap().contains("No application has access."), "{page}");
    let granted = books.create_grant(member, &app, "invoices:read").await;
    let page = ana.reader.open_page(&page_path).await;
    let sources = section(&page, "role-sources").unwrap();
    for text in ["clerk", "Role of the organization", "choir", "Group of the directory (SCIM)"] {
        assert!(sources.contains(text), "{text}: {sources}");
    }
    let sessions = section(&page, "sessions").unwrap();
    assert_eq!(sessions.matches("<tr").count(), 2, "the heading and one session: {sessions}");
    let factors = section(&page, "factors").unwrap();
    assert!(factors.contains("Passkey") && factors.contains("<span class=\"word\">2</span>"), "{factors}");
    assert!(!factors.contains("Authenticator app"), "{factors}");
    assert!(!page.contains("My hidden key") && !page.contains("My other key"), "{page}");
    let grants = section(&page, "granted").unwrap();
    assert!(grants.contains(&app.id) && grants.contains("invoices:read"), "{grants}");
    assert!(page.len() <= 60_000, "{}", page.len());
    let within = format!("name=\"item\" value=\"{}\"", granted.grant);
    let (_, after) = ana.reader.submit_form(&page, &within, &[("action", "revoke_grant")]).await;
    assert!(section(&after, "granted").unwrap().contains("No application has access."), "{after}");
    assert!(section(&after, "sessions").unwrap().contains("No session gives"), "{after}");
    let grant = books.owner.get(&books.tenant.path(&format!("/grants/{}", granted.grant))).await;
    assert!(!grant.assert_status(200).body["revoked_at"].is_null());
    // A session that expired is none, and a role that comes with every organization is built in.
    books.create_grant(member, &app, "invoices:read").await;
    world.clock.advance(Lifetime::from_days(8));
    let mut bia = world.create_console_user(&books.tenant, "bia@example.com", "owner").await;
    let page = bia.reader.open_page(&page_path).await;
    assert!(section(&page, "sessions").unwrap().contains("No session gives"), "{page}");
    let own_path = console_path(&books.tenant, &format!("/members/{}", bia.membership));
    let page = bia.reader.open_page(&own_path).await;
    assert!(section(&page, "role-sources").unwrap().contains("Built-in role"), "{page}");
}

async fn console_member_access_is_hidden_and_refused_without_permission(world: &World) {
    let books = world.create_token_fixture().await;
    let role = json!({"name": "reader", "permissions": ["organization:read", "members:read"]});
    books.owner.post(&books.tenant.path("/roles"), role).await.assert_status(201);
    let app = books.create_app_client(json!({})).await;
    let bruno = world.create_signed_in_user("bruno@example.com").await;
    let member = bruno.join_organization(&books.tenant, "clerk").await;
    bruno.add_credential(StoredCredentialKind::Passkey, "key", b"one").await;
    let granted = books.create_grant(member, &app, "invoices:read").await;
    let mut rita = world.create_console_user(&books.tenant, "rita@example.com", "reader").await;
    let page_path = console_path(&books.tenant, &format!("/members/{member}"));
    let page = rita.reader.open_page(&page_path).await;
    assert!(section(&page, "sessions").is_none() && section(&page, "factors").is_none(), "{page}");
    let grants = section(&page, "granted").unwrap();
    assert!(grants.contains(&app.id) && !grants.contains("revoke_grant"), "{grants}");
    // A role that she may not open is no link.
    assert!(!section(&page, "role-sources").unwrap().contains("<a "), "{page}");
    let own_path = console_path(&books.tenant, &format!("/members/{}", rita.membership));
    let csrf = csrf_of(&rita.reader.open_page(&own_path).await);
    let id = granted.grant.to_string();
    let fields = [("csrf", csrf.as_str()), ("action", "revoke_grant"), ("item", id.as_str())];
    rita.reader.forge_post(&page_path, &world.origin(), &fields).await;
    let grant = books.owner.get(&books.tenant.path(&format!("/grants/{id}"))).await.assert_status(200);
    assert!(grant.body["revoked_at"].is_null(), "{}", grant.text);
}

async fn console_member_access_does_not_cross_organizations(world: &World) {
    let books = world.create_token_fixture().await;
    let globex = world.create_organization("globex").await;
    let app = books.create_app_client(json!({})).await;
    let bruno = world.create_signed_in_user("bruno@example.com").await;
    let [books_member, globex_member] = [
        bruno.join_organization(&books.tenant, "clerk").await,
        bruno.join_organization(&globex, "member").await,
    ];
    let granted = books.create_grant(books_member, &app, "invoices:read").await;
    let mut gil = world.create_console_user(&globex, "gil@example.com", "owner").await;
    // The same account, seen by another organization: nothing of the grant, its session or its application.
    let page = gil.reader.open_page(&console_path(&globex, &format!("/members/{globex_member}"))).await;
    assert!(section(&page, "sessions").unwrap().contains("No session gives"), "{page}");
    assert!(section(&page, "granted").unwrap().contains("No application has access."), "{page}");
    assert!(!page.contains(&app.id) && !page.contains("clerk"), "{page}");
    let foreign = console_path(&globex, &format!("/members/{books_member}"));
    assert_eq!(gil.reader.open_url(&foreign).await.0, 404);
    let csrf = csrf_of(&page);
    let id = granted.grant.to_string();
    let fields = [("csrf", csrf.as_str()), ("action", "revoke_grant"), ("item", id.as_str())];
    let path = console_path(&globex, &format!("/members/{globex_member}"));
    gil.reader.forge_post(&path, &world.origin(), &fields).await;
    let grant = books.owner.get(&books.tenant.path(&format!("/grants/{id}"))).await.assert_status(200);
    assert!(grant.body["revoked_at"].is_null(), "{}", grant.text);
}
