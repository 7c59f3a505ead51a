//! Invalid responses of a provider sign no user in, and the audit log says why.

use super::oidc_sign_in::{departs, fetched};
use crate::both_engines;
use crate::harness::oidc_provider::{OidcProviderBehavior, ProviderSigning, TestOidcProvider, provider_user};
use crate::harness::world::World;
use serde_json::{Value, json};

both_engines!(upstream_oidc_response_that_is_invalid_signs_no_user_in);

async fn upstream_oidc_response_that_is_invalid_signs_no_user_in(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    provider.create_connection(&owner, "acme.example").await;
    provider.set_user(provider_user("ana-7", "ana@acme.example"));
    let now = world.server.engine().now().seconds();
    let manners = invalid_responses(now);
    let count = manners.len();
    for (name, manner) in manners {
        provider.set_behavior(manner);
        let walk = departs(world, "ana@acme.example").await;
        let body = fetched(world, &provider, &walk).await;
        let refused = walk.try_submit("provider_answer", body).await.assert_status(422);
        let detail = refused.body["detail"].as_str().unwrap();
        assert!(
            detail.starts_with("The response of the identity provider was not accepted"),
            "{name}: {detail}"
        );
        assert_eq!(walk.read_flow().await.assert_status(200).body["stage"], "at_provider", "{name}");
    }
    assert_eq!(
        (world.count_events("account.created").await, world.count_events("session.started").await),
        (0, 0)
    );
    let audit_log =
        owner.get(&acme.path("/audit?kind=credential.failed&limit=200")).await.assert_status(200).body;
    assert_eq!(audit_log["items"].as_array().unwrap().len(), count, "each refusal is in the audit log");
    provider.set_behavior(OidcProviderBehavior::default());
    response_at_another_connection_is_refused(world, &provider).await;
    let mut walk = departs(world, "ana@acme.example").await;
    let body = fetched(world, &provider, &walk).await;
    walk.submit("provider_answer", body).await.assert_status(200);
}

/// Every way in which the provider misbehaves, with a name for messages.
fn invalid_responses(now: i64) -> Vec<(&'static str, OidcProviderBehavior)> {
    let claim = |name: &'static str, value: Value| OidcProviderBehavior {
        claims: vec![(name, value)],
        ..OidcProviderBehavior::default()
    };
    let answers = |status: u16, text: &str| OidcProviderBehavior {
        token_response: Some((status, text.to_owned())),
        ..OidcProviderBehavior::default()
    };
    vec![
        (
            "mixed up",
            OidcProviderBehavior {
                iss: Some(Some("https://evil.example".into())),
                ..OidcProviderBehavior::default()
            },
        ),
        ("nameless", OidcProviderBehavior { iss: Some(None), ..OidcProviderBehavior::default() }),
        (
            "refused",
            OidcProviderBehavior { error: Some("access_denied".into()), ..OidcProviderBehavior::default() },
        ),
        ("another issuer", claim("iss", json!("https://evil.example"))),
        ("another audience", claim("aud", json!("somebody-else"))),
        ("several audiences", claim("aud", json!(["sinete", "somebody-else"]))),
        ("another party", claim("azp", json!("somebody-else"))),
        ("no nonce", claim("nonce", Value::Null)),
        ("a foreign nonce", claim("nonce", json!("of another request"))),
        ("expired", claim("exp", json!(now - 60))),
        ("without an end", claim("exp", Value::Null)),
        ("of long ago", claim("iat", json!(now - 3_600))),
        ("of tomorrow", claim("iat", json!(now + 86_400))),
        ("another access token", claim("at_hash", json!("AAAAAAAAAAAAAAAAAAAAAA"))),
        ("without a subject", claim("sub", Value::Null)),
        (
            "unsigned",
            OidcProviderBehavior { signing: ProviderSigning::Unsigned, ..OidcProviderBehavior::default() },
        ),
        (
            "signed with another key",
            OidcProviderBehavior { signing: ProviderSigning::ForeignKey, ..OidcProviderBehavior::default() },
        ),
        ("a code refused", answers(400, r#"{"error":"invalid_grant"}"#)),
        ("no token", answers(200, r#"{"access_token":"x"}"#)),
        ("no JSON", answers(200, "<html>")),
        ("leading elsewhere", answers(302, "")),
        ("failing", answers(500, "")),
        ("too much", answers(200, &"x".repeat(300_000))),
    ]
}

/// The redirect URI of another organization's connection does not accept the response, and redirects nowhere.
async fn response_at_another_connection_is_refused(world: &World, provider: &TestOidcProvider) {
    let other = world.create_organization("other").await;
    let theirs = world.create_owner(&other).await;
    let elsewhere = provider.create_connection(&theirs, "other.example").await;
    let walk = departs(world, "ana@acme.example").await;
    let back = provider.follow_authorization(world, walk.last.body["go_to"].as_str().unwrap()).await;
    let connection_id = back.split(['/', '?']).find(|part| part.len() == 36).unwrap().to_owned();
    let astray = back.replace(&connection_id, elsewhere["id"].as_str().unwrap());
    assert_ne!(astray, back);
    let answer = world.get(&astray).await;
    assert!(
        answer.status().is_client_error() && !answer.headers().contains_key("location"),
        "{}",
        answer.status()
    );
}
