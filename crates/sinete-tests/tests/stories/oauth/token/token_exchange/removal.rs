//! The account holder sees which clients act for them with exchanged tokens, and ends that.

use super::api_keys::key_exchanged;
use crate::both_engines;
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::token_endpoint::{INVOICES, TokenFixture};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::id::MembershipId;

both_engines!(
    token_exchange_actor_is_listed_and_removed_by_its_user,
    token_exchange_actor_removed_by_one_user_still_acts_for_others,
    account_page_lists_agents_with_their_last_use_and_revokes_one
);

async fn sign_in<'w>(books: &TokenFixture<'w>, member: MembershipId) -> SignedInUser<'w> {
    let account = books.world.account_of_member(&books.tenant, member).await;
    SignedInUser { world: books.world, account, token: books.world.create_session(account).await.token }
}

/// The applications of the user, by client id.
async fn list_clients(user: &SignedInUser<'_>) -> Vec<(String, Value)> {
    let applications = user.get("/account/applications").await.assert_status(200).body;
    let all = applications["items"].as_array().unwrap().iter();
    all.map(|it| (it["client_id"].as_str().unwrap().to_owned(), it.clone())).collect()
}

async fn token_exchange_actor_is_listed_and_removed_by_its_user(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    let (agent, helper) =
        (books.create_agent("invoices:*").await, books.create_service("clerk", "invoices:*").await);
    let (granted, tokens) = books.issue_tokens(&app, "invoices:read invoices:send").await;
    let (subject, ana) = (tokens.access_token(), sign_in(&books, granted.membership).await);
    let exchanged = agent.exchange_token(&subject, &[("scope", "invoices:read")]).await.assert_granted();
    let response = helper.exchange_token(&exchanged.access_token(), &[]).await.assert_granted();
    let key = world.create_api_key_caller(&books.tenant, granted.membership, "invoices:read").await;
    let of_key = key_exchanged(&agent, &key.secret, &[("resource", INVOICES)]).await.assert_granted();

    let clients = list_clients(&ana).await;
    let find_client = |id: &str| clients.iter().find(|(client, _)| client == id).map(|(_, entry)| entry);
    let client_entry = find_client(&agent.id).unwrap();
    assert_eq!((&client_entry["grants"], &client_entry["agreements"]), (&json!([]), &json!([])));
    let delegations = &client_entry["delegations"];
    assert_eq!(delegations.as_array().unwrap().len(), 1, "one entry for each API and scope: {delegations}");
    assert_eq!(
        (&delegations[0]["audience"], &delegations[0]["scope"]),
        (&json!(INVOICES), &json!("invoices:read"))
    );
    assert_eq!(client_entry["allowed"][0]["name"], "invoices:read");
    assert!(find_client(&helper.id).is_some() && find_client(&app.id).is_some());

    let path = format!("/account/memberships/{}/applications/{}", granted.membership, agent.id);
    ana.delete(&path).await.assert_status(204);
    assert!(!agent.is_token_active(&exchanged.access_token()).await);
    assert!(!agent.is_token_active(&of_key.access_token()).await);
    assert!(!helper.is_token_active(&response.access_token()).await, "it was derived from the agent's");
    assert!(app.is_token_active(&subject).await, "the application keeps its own token");
    let remaining_clients: Vec<_> = list_clients(&ana).await.into_iter().map(|(client, _)| client).collect();
    assert_eq!(remaining_clients, std::slice::from_ref(&app.id));
    ana.delete(&path).await.assert_problem(404, "not_found");
    assert_eq!(world.count_events("application.removed").await, 1);
}

async fn token_exchange_actor_removed_by_one_user_still_acts_for_others(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    let (agent, other) = (books.create_agent("invoices:*").await, books.create_agent("invoices:*").await);
    let mut users = Vec::new();
    for _ in 0..2 {
        let (granted, tokens) = books.issue_tokens(&app, "invoices:read").await;
        let token = agent.exchange_token(&tokens.access_token(), &[]).await.assert_granted().access_token();
        users.push((sign_in(&books, granted.membership).await, granted.membership, tokens, token));
    }
    let [(ana, at, subject, token), (bob, _, _, token_of_bob)] = &users[..] else { unreachable!() };
    let other_token =
        other.exchange_token(&subject.access_token(), &[]).await.assert_granted().access_token();
    let path = format!("/account/memberships/{at}/applications/{}", agent.id);
    bob.delete(&path).await.assert_problem(404, "not_found");
    assert!(agent.is_token_active(token).await, "another user cannot revoke it");
    ana.delete(&path).await.assert_status(204);
    assert!(!agent.is_token_active(token).await);
    assert!(agent.is_token_active(token_of_bob).await, "the access of another user is not affected");
    assert!(other.is_token_active(&other_token).await, "another agent is not affected");
    assert!(list_clients(bob).await.iter().any(|(client, _)| *client == agent.id));
}

async fn account_page_lists_agents_with_their_last_use_and_revokes_one(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    let agent = books.create_agent("invoices:*").await;
    let (granted, tokens) = books.issue_tokens(&app, "invoices:read").await;
    let ana = sign_in(&books, granted.membership).await;
    let mut reader = world.create_page_browser("en").with_session(&ana.token);
    let page = reader.open_page("/my-account").await;
    assert!(!page.contains("id=\"agents\""), "without agents there is no section: {page}");
    let token = agent.exchange_token(&tokens.access_token(), &[]).await.assert_granted().access_token();
    let page = reader.open_page("/my-account").await;
    let section = page.split("id=\"agents\"").nth(1).unwrap().split("</section>").next().unwrap();
    assert!(section.contains("last used on") && section.contains(&agent.id), "{section}");
    assert!(!section.contains(&app.id), "an application is listed with the applications: {section}");
    let clients = list_clients(&ana).await;
    let (_, client_entry) = clients.iter().find(|(client, _)| *client == agent.id).unwrap();
    assert_eq!(client_entry["kind"], "agent");
    assert_eq!(client_entry["last_used_at"], client_entry["delegations"][0]["created_at"]);
    // Another user sees nothing of it and ends nothing.
    let bob = world.create_user("bob@example.com").await;
    let mut page_browser = world.create_page_browser("en").with_session(&bob.session);
    let other = page_browser.open_page("/my-account").await;
    assert!(!other.contains("id=\"agents\"") && !other.contains(&agent.id), "{other}");
    let value = format!("{}:{}", granted.membership, agent.id);
    page_browser.submit_form(&other, "export-account", &[("remove_application", &value)]).await;
    assert!(agent.is_token_active(&token).await, "another user cannot revoke it");
    let (_, after) =
        reader.submit_form(&page, "name=\"remove_application\"", &[("remove_application", &value)]).await;
    assert!(!after.contains("id=\"agents\""), "{after}");
    assert!(!agent.is_token_active(&token).await);
    assert!(app.is_token_active(&tokens.access_token()).await, "the application keeps its own token");
    assert_eq!(world.count_events("application.removed").await, 1);
}
