//! Providers that release claims at their userinfo endpoint only.

use super::oidc_sign_in::{departs, fetched, oneself, signs_in};
use crate::both_engines;
use crate::harness::oidc_provider::{OidcProviderBehavior, TestOidcProvider, provider_user};
use crate::harness::world::World;
use serde_json::{Value, json};

both_engines!(
    upstream_userinfo_supplies_the_address_that_the_id_token_lacks,
    upstream_userinfo_that_is_invalid_creates_no_user
);

fn answers(status: u16, body: impl ToString) -> OidcProviderBehavior {
    OidcProviderBehavior { userinfo: Some((status, body.to_string())), ..OidcProviderBehavior::default() }
}

async fn refuses(world: &World, provider: &TestOidcProvider, case: &str) {
    let walk = departs(world, "ana@acme.example").await;
    let body = fetched(world, provider, &walk).await;
    let refused = walk.try_submit("provider_answer", body).await;
    assert_eq!(refused.status, 422, "{case}: {}", refused.text);
}

async fn upstream_userinfo_supplies_the_address_that_the_id_token_lacks(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    provider.set_behavior(answers(200, provider_user("ana-7", "ana@acme.example")));
    provider.create_connection(&owner, "acme.example").await;
    provider.set_user(json!({"sub": "ana-7"}));
    let (walk, reply) = signs_in(world, &provider, "ana@acme.example").await;
    assert_eq!(walk.stage(), "signed_in");
    let account = oneself(world, &reply.assert_status(200).text_member("session_token")).await;
    assert_eq!(provider.userinfo_count(), 1);
    // It is not requested for claims that the ID token has.
    provider.set_user(provider_user("ana-7", "ana@acme.example"));
    let (_, second_response) = signs_in(world, &provider, "ana@acme.example").await;
    let second_account =
        oneself(world, &second_response.assert_status(200).text_member("session_token")).await;
    assert_eq!((&second_account["id"], provider.userinfo_count()), (&account["id"], 1));
    // A user whom the ID token identifies signs in although the endpoint fails.
    provider.set_user(json!({"sub": "ana-7"}));
    provider.set_behavior(answers(500, ""));
    let (_, response) = signs_in(world, &provider, "ana@acme.example").await;
    let third_account = oneself(world, &response.assert_status(200).text_member("session_token")).await;
    assert_eq!((&third_account["id"], provider.userinfo_count()), (&account["id"], 2));
    assert_eq!(world.count_events("account.created").await, 1);
}

async fn upstream_userinfo_that_is_invalid_creates_no_user(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let valid_claims = provider_user("ana-7", "ana@acme.example");
    provider.set_behavior(answers(200, valid_claims.clone()));
    provider.create_connection(&owner, "acme.example").await;
    provider.set_user(json!({"sub": "ana-7"}));
    let changed = |member: &str, value: Value| {
        let mut changed = valid_claims.clone();
        changed[member] = value;
        changed.to_string()
    };
    for (case, answer) in [
        ("another subject", answers(200, changed("sub", json!("bia-8")))),
        ("no subject", answers(200, changed("sub", Value::Null))),
        ("an unverified address", answers(200, changed("email_verified", json!(false)))),
        ("an address without a statement", answers(200, changed("email_verified", Value::Null))),
        ("an address of another domain", answers(200, changed("email", json!("ana@other.example")))),
        ("a refusal", answers(401, valid_claims.clone())),
        ("no JSON", answers(200, "<html>")),
        ("too much", answers(200, changed("note", json!("x".repeat(300_000))))),
    ] {
        provider.set_behavior(answer);
        refuses(world, &provider, case).await;
    }
    // An unverified address of the ID token is not verified by the userinfo endpoint.
    provider.set_behavior(answers(200, valid_claims));
    provider.set_user(json!({"sub": "ana-7", "email": "ana@acme.example"}));
    refuses(world, &provider, "an unverified address in the ID token").await;
    // A user who is known is refused too if the response is about another one.
    provider.set_user(provider_user("ana-7", "ana@acme.example"));
    signs_in(world, &provider, "ana@acme.example").await.1.assert_status(200);
    provider.set_user(json!({"sub": "ana-7"}));
    provider.set_behavior(answers(200, provider_user("bia-8", "ana@acme.example")));
    refuses(world, &provider, "a known user").await;
    assert_eq!(world.count_events("account.created").await, 1);
}
