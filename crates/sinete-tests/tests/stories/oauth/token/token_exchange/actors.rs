//! Who acts for whom: the actor token, and the chain of actors that an exchanged token names.

use super::ACCESS_TOKEN;
use crate::both_engines;
use crate::harness::oauth_application::CALLBACK;
use crate::harness::token_endpoint::TokenEndpointResponse;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_crypto::platform::jwt::JwtType;

both_engines!(
    token_exchange_chain_names_every_actor_and_is_bounded,
    token_exchange_actor_token_must_be_the_clients_own,
    agent_with_a_users_token_is_named_in_act_by_code_refresh_and_exchange
);

async fn token_exchange_chain_names_every_actor_and_is_bounded(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    let (_, tokens) = books.issue_tokens(&app, "invoices:read invoices:send").await;
    let (one, other) =
        (books.create_agent("invoices:*").await, books.create_service("clerk", "invoices:*").await);
    let (mut token, mut expected) = (tokens.access_token(), Value::Null);
    for turn in 0..5 {
        let (actor, profile) = if turn % 2 == 0 { (&one, "ai_agent") } else { (&other, "service") };
        token =
            actor.exchange_token(&token, &[("scope", "invoices:read")]).await.assert_granted().access_token();
        let mut actor_claim = json!({"sub": actor.id, "sub_profile": profile});
        if !expected.is_null() {
            actor_claim["act"] = expected;
        }
        expected = actor_claim;
        assert_eq!(world.token_claims(&token, JwtType::Access)["act"], expected);
        one.exchange_token(&token, &[("scope", "invoices:send")]).await.assert_oauth_error("invalid_scope");
    }
    other.exchange_token(&token, &[]).await.assert_oauth_error("invalid_request");
    assert!(one.is_token_active(&token).await);
    books
        .owner
        .post(&books.tenant.path(&format!("/clients/{}/disable", other.id)), Value::Null)
        .await
        .assert_status(200);
    assert!(!one.is_token_active(&token).await, "an actor of the chain is disabled");
}

async fn token_exchange_actor_token_must_be_the_clients_own(world: &World) {
    let books = world.create_token_fixture().await;
    let (app, agent) =
        (books.create_app_client(json!({})).await, books.create_agent("openid invoices:*").await);
    let (_, tokens) = books.issue_tokens(&app, "openid invoices:read").await;
    let (response, subject) = (
        agent.request_client_credentials(&[("scope", "invoices:read")]).await.assert_granted(),
        tokens.access_token(),
    );
    let with = |token: &str| {
        vec![
            ("actor_token".to_owned(), token.to_owned()),
            ("actor_token_type".to_owned(), ACCESS_TOKEN.to_owned()),
        ]
    };
    let mut responses = Vec::new();
    for token in [response.access_token(), subject.clone(), "x".to_owned()] {
        let parameters = with(&token);
        let parameters: Vec<(&str, &str)> =
            parameters.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        responses.push(agent.exchange_token(&subject, &parameters).await);
    }
    let [endpoint_response, wrong, none] = <[TokenEndpointResponse; 3]>::try_from(responses).unwrap();
    let actor_claim = world.token_claims(&endpoint_response.assert_granted().access_token(), JwtType::Access)
        ["act"]
        .clone();
    assert_eq!(actor_claim["sub"], json!(agent.id));
    wrong.assert_oauth_error("invalid_grant");
    none.assert_oauth_error("invalid_grant");
    agent.exchange_token(&subject, &[("actor_token", "x")]).await.assert_oauth_error("invalid_request");
}

async fn agent_with_a_users_token_is_named_in_act_by_code_refresh_and_exchange(world: &World) {
    let books = world.create_token_fixture().await;
    let metadata = json!({
        "client_name": "Agent", "redirect_uris": [CALLBACK], "scope": "openid offline_access invoices:*",
    });
    let agent = json!({
        "kind": "agent", "purpose": "Counts", "owner": books.owner.membership, "metadata": metadata,
    });
    let (agent, app) = (books.create_client(agent).await, books.create_app_client(json!({})).await);
    let read_actor = |tokens: &TokenEndpointResponse| {
        world.token_claims(&tokens.access_token(), JwtType::Access).get("act").cloned()
    };
    let expected = Some(json!({"sub": agent.id, "sub_profile": "ai_agent"}));
    let (granted, tokens) =
        books.issue_tokens(&agent, "openid offline_access invoices:read invoices:send").await;
    assert_eq!(read_actor(&tokens), expected);
    let claims = world.token_claims(&tokens.access_token(), JwtType::Access);
    assert_eq!((&claims["sub"], &claims["client_id"]), (&json!(granted.membership), &json!(agent.id)));
    let id_token = world.token_claims(&tokens.text_member("id_token"), JwtType::Id);
    assert!(id_token.get("act").is_none(), "the ID token names no actor: {id_token}");
    let renewed = agent.refresh_tokens(&tokens.text_member("refresh_token"), &[]).await.assert_granted();
    assert_eq!(read_actor(&renewed), expected);
    let exchanged = agent.exchange_token(&renewed.access_token(), &[("scope", "invoices:read")]).await;
    assert_eq!(read_actor(&exchanged.assert_granted()), expected, "the same agent is named once");
    // An application is named by `client_id` alone.
    let (_, tokens) = books.issue_tokens(&app, "openid invoices:read").await;
    assert_eq!(read_actor(&tokens), None);
}
