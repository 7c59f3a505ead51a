//! Linking a provider to an account and unlinking it, by whoever is signed in.

use super::sign_in::{fetched, oneself, signs_in};
use crate::both_engines;
use crate::harness::api::{ApiRequest, ApiResponse};
use crate::harness::person::PASSWORD;
use crate::harness::provider::person;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};

/// What an account is shown or does with a session of its own.
pub(super) async fn own(world: &World, session: &str, method: Method, path: &str) -> ApiResponse {
    let headers = vec![("authorization", format!("Session {session}"))];
    world.ask(method, path, ApiRequest { headers, ..ApiRequest::default() }).await
}

both_engines!(
    somebody_links_a_provider_of_their_organization_signs_in_with_it_and_unlinks_it,
    somebody_links_and_unlinks_a_provider_on_their_own_page,
    a_provider_does_not_decide_about_an_account_that_reads_mail_of_its_own,
    the_last_way_in_is_not_unlinked_and_an_address_never_links_anything
);

async fn somebody_links_a_provider_of_their_organization_signs_in_with_it_and_unlinks_it(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let provider = world.provider().await;
    let made = provider.connect(&owner, "acme.example").await;
    let ana = world.person("ana@home.example").await;
    let start = json!({"kind": "link_identity", "connection": made["id"], "return_to": "http://127.0.0.1:49152/back"});
    let asked = |session: Option<&str>| ApiRequest {
        body: Some({
            let mut body = start.clone();
            body["session"] = json!("token");
            body
        }),
        headers: session.map(|it| ("authorization", format!("Session {it}"))).into_iter().collect(),
        ..ApiRequest::default()
    };
    world.ask(Method::POST, "/flows", asked(None)).await.is(401);
    world.ask(Method::POST, "/flows", asked(Some(&ana.session))).await.is(409);
    world.joins(&acme, ana.account).await;
    assert_eq!(
        own(world, &ana.session, Method::GET, "/account/providers").await.is(200).body["items"][0]["connection"],
        made["id"]
    );
    // Somebody else's identity at that provider stays theirs.
    provider.knows(person("bia-1", "bia@acme.example"));
    signs_in(world, &provider, "b@acme.example").await.1.is(200);
    let mut walk = world.flow_as(start.clone(), Some(&ana.session)).await;
    let said = fetched(world, &provider, &walk).await;
    walk.says("provider_answer", said).await.is(409);
    provider.knows(json!({"sub": "ana-7", "email": "ana.souza@unproven.example"}));
    let said = fetched(world, &provider, &walk).await;
    walk.says("provider_answer", said).await.is(200);
    assert_eq!(walk.stage(), "identity_linked");
    assert!(world.newest_mail("ana@home.example").await.contains("127.0.0.1"), "they are told");
    let session = signs_in(world, &provider, "a@acme.example").await.1.is(200).text_of("session_token");
    let seen = oneself(world, &session).await;
    assert_eq!(seen["id"], oneself(world, &ana.session).await["id"]);
    let listed = own(world, &ana.session, Method::GET, "/account/identities").await.is(200).body;
    assert_eq!(
        (&listed["items"][0]["subject"], &listed["items"][0]["works"]),
        (&json!("ana-7"), &json!(true))
    );
    let path = format!("/account/identities/{}", listed["items"][0]["id"].as_str().unwrap());
    // A provider does not decide about an account whose owner has a password.
    own(world, &session, Method::DELETE, &path).await.is(401);
    own(world, &ana.session, Method::DELETE, &path).await.is(204);
    own(world, &ana.session, Method::DELETE, &path).await.is(404);
    assert_eq!(world.logged("identity.unlinked").await, 1);
    provider.knows(json!({"sub": "ana-7"}));
    signs_in(world, &provider, "a@acme.example").await.1.is(422);
}

async fn somebody_links_and_unlinks_a_provider_on_their_own_page(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let provider = world.provider().await;
    let made = provider.connect(&owner, "acme.example").await;
    let connection = made["id"].as_str().unwrap();
    let ana = world.person("ana@home.example").await;
    let mut reader = world.reader("en").holding(&ana.session);
    let page = reader.reads("/my-account").await;
    assert!(!page.contains("Single sign-on"), "nothing is offered to who is no member: {page}");
    world.joins(&acme, ana.account).await;
    let page = reader.reads("/my-account").await;
    assert!(page.contains("Single sign-on") && page.contains("does not know you yet"), "{page}");
    provider.knows(json!({"sub": "ana-7"}));
    let (_, page) = reader.sends(&page, &[("link_identity", connection)]).await;
    let address =
        page.split("id=\"onward\" href=\"").nth(1).unwrap().split('"').next().unwrap().replace("&#38;", "&");
    let back = provider.visited(world, &address).await;
    let page = reader.reads(&back).await;
    let unlink =
        page.split("name=\"unlink_identity\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert!(page.contains("Knows you since") && !page.contains("name=\"link_identity\""), "{page}");
    // What could sign somebody in is not taken away without a fresh proof.
    world.clock.pass(sinete_core::time::Lifetime::from_minutes(6));
    let page = reader.reads("/my-account").await;
    let (_, page) = reader.sends(&page, &[("unlink_identity", &unlink)]).await;
    assert!(page.contains("name=\"password\"") && world.logged("identity.unlinked").await == 0, "{page}");
    let (_, page) = reader.sends(&page, &[("action", "password"), ("password", PASSWORD)]).await;
    assert!(page.contains("name=\"link_identity\"") && !page.contains("name=\"unlink_identity\""), "{page}");
    assert_eq!(world.logged("identity.unlinked").await, 1);
    let (_, page) = reader.sends(&page, &[("unlink_identity", &unlink)]).await;
    assert!(page.contains("id=\"trouble\""), "it is gone: {page}");
}

async fn a_provider_does_not_decide_about_an_account_that_reads_mail_of_its_own(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let provider = world.provider().await;
    let made = provider.connect(&owner, "acme.example").await;
    let ana = world.person("ana@home.example").await;
    world.joins(&acme, ana.account).await;
    let start = json!({"kind": "link_identity", "connection": made["id"], "return_to": "http://127.0.0.1:49152/back"});
    let mut walk = world.flow_as(start.clone(), Some(&ana.session)).await;
    let mut late = world.flow_as(start, Some(&ana.session)).await;
    provider.knows(json!({"sub": "ana-7"}));
    let said = fetched(world, &provider, &walk).await;
    walk.says("provider_answer", said).await.is(200);
    // Nothing but a proven address is left of her own.
    let kept = own(world, &ana.session, Method::GET, "/account/credentials").await.is(200).body;
    let password = format!("/account/credentials/{}", kept["items"][0]["id"].as_str().unwrap());
    own(world, &ana.session, Method::DELETE, &password).await.is(204);
    let session = signs_in(world, &provider, "a@acme.example").await.1.is(200).text_of("session_token");
    let listed = own(world, &session, Method::GET, "/account/identities").await.is(200).body;
    let path = format!("/account/identities/{}", listed["items"][0]["id"].as_str().unwrap());
    own(world, &session, Method::DELETE, &path).await.is(401);
    // What was begun in a session ends with it.
    let sessions = own(world, &ana.session, Method::GET, "/account/sessions").await.is(200).body;
    for one in sessions["items"].as_array().unwrap() {
        own(
            world,
            &ana.session,
            Method::DELETE,
            &format!("/account/sessions/{}", one["id"].as_str().unwrap()),
        )
        .await;
    }
    provider.knows(json!({"sub": "mallory-1"}));
    let said = fetched(world, &provider, &late).await;
    assert_ne!(late.says("provider_answer", said).await.status, 200);
}

async fn the_last_way_in_is_not_unlinked_and_an_address_never_links_anything(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let provider = world.provider().await;
    provider.connect(&owner, "acme.example").await;
    provider.knows(person("ana-7", "ana@acme.example"));
    let session = signs_in(world, &provider, "a@acme.example").await.1.is(200).text_of("session_token");
    let listed = own(world, &session, Method::GET, "/account/identities").await.is(200).body;
    let path = format!("/account/identities/{}", listed["items"][0]["id"].as_str().unwrap());
    let refused = own(world, &session, Method::DELETE, &path).await.is(409);
    assert!(refused.text.contains("the last thing you can sign in with"), "{}", refused.text);
    assert_eq!(
        own(world, &session, Method::GET, "/account/providers").await.is(200).body["items"],
        json!([])
    );
    // What was proven at the provider a while ago is proven there again.
    world.clock.pass(sinete_core::time::Lifetime::from_minutes(6));
    own(world, &session, Method::DELETE, &path).await.is(401);
    let mut walk = world.flow_as(json!({"kind": "step_up"}), Some(&session)).await;
    walk.says("single_sign_on", json!({"return_to": "http://127.0.0.1:49152/back"})).await.is(200);
    assert!(walk.last.body["go_to"].as_str().unwrap().contains("prompt=login&max_age=0"));
    let said = fetched(world, &provider, &walk).await;
    let renewed = walk.says("provider_answer", said).await.is(200).text_of("session_token");
    own(world, &renewed, Method::DELETE, &path).await.is(409);
    let _: Value = oneself(world, &renewed).await;
}
