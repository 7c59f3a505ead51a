//! Exchanging an API key for an access token.

use super::{API_KEY, LONG_NAME};
use crate::both_engines;
use crate::harness::token_endpoint::{FILES, INVOICES, TokenClient, TokenEndpointResponse};
use crate::harness::world::World;
use serde_json::json;
use sinete_crypto::platform::jwt::JwtType;

pub(super) async fn key_exchanged(
    client: &TokenClient<'_>,
    key: &str,
    parameters: &[(&str, &str)],
) -> TokenEndpointResponse {
    let exchange = [("grant_type", LONG_NAME), ("subject_token", key), ("subject_token_type", API_KEY)];
    client.request_token(&[&exchange, parameters].concat()).await
}

both_engines!(token_exchange_of_an_api_key_ends_with_the_key);

async fn token_exchange_of_an_api_key_ends_with_the_key(world: &World) {
    let books = world.create_token_fixture().await;
    let member = books.create_member("clerk").await;
    let key = world.create_api_key_caller(&books.tenant, member, "invoices:read invoices:send").await;
    let client = books.create_service("manager", "invoices:*").await;
    let reply = key_exchanged(&client, &key.secret, &[("scope", "invoices:read")]).await.assert_granted();
    let claims = world.token_claims(&reply.access_token(), JwtType::Access);
    assert_eq!(
        (&claims["sub"], &claims["aud"], &claims["role"]),
        (&json!(member), &json!(INVOICES), &json!("clerk"))
    );
    assert_eq!(claims["act"], json!({"sub": client.id, "sub_profile": "service"}));
    assert!(claims["jti"].as_str().unwrap().starts_with("key-") && claims.get("sid").is_none());
    let full_response = key_exchanged(&client, &key.secret, &[("resource", INVOICES)]).await.assert_granted();
    assert_eq!(full_response.body["scope"], "invoices:read invoices:send");
    for scope in ["invoices:void", "invoices:*", "files:read", "openid"] {
        key_exchanged(&client, &key.secret, &[("scope", scope)]).await.assert_oauth_error("invalid_scope");
    }
    key_exchanged(&client, &key.secret, &[("resource", FILES)]).await.assert_oauth_error("invalid_scope");
    for text in
        [&key.secret[..key.secret.len() - 1], "x", "sn_ak_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]
    {
        key_exchanged(&client, text, &[]).await.assert_oauth_error("invalid_grant");
    }
    assert!(client.is_token_active(&reply.access_token()).await);
    let response = books.owner.get(&books.tenant.path("/api-keys")).await.assert_status(200);
    let id = response.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["membership"] == json!(member))
        .unwrap()["id"]
        .clone();
    books
        .owner
        .delete(&books.tenant.path(&format!("/api-keys/{}", id.as_str().unwrap())), None)
        .await
        .assert_status(204);
    key_exchanged(&client, &key.secret, &[]).await.assert_oauth_error("invalid_grant");
    assert!(!client.is_token_active(&reply.access_token()).await);
}
