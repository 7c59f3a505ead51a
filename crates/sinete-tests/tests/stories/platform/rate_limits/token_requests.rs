//! Limits on token requests of public clients for each grant, and events of replays that are always recorded.

use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::grants::GrantRequest;
use crate::harness::organizations::TestOrganization;
use crate::harness::token_endpoint::{TestClientAuth, TokenClient, TokenEndpointResponse};
use crate::harness::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;
use sinete_store::oauth::clients::ClientOrigin;
use sinete_store::oauth::grants::GrantLifespan;

const EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";

async fn with_three_tokens_of_a_grant(on: TestEngine) -> World {
    let limits = [
        ("SINETE_RATE_LIMITS_ENABLED", "true"),
        ("SINETE_RATE_LIMITS_GRANT_TOKENS", "3"),
        ("SINETE_RATE_LIMITS_TOKEN", "2"),
    ];
    World::start_with_config(on, &limits).await
}

/// A client of this origin with the refresh token and token exchange grants, with a secret or without.
async fn client<'w>(world: &'w World, origin: ClientOrigin, method: &str) -> TokenClient<'w> {
    let grant_types = json!(["authorization_code", "refresh_token", EXCHANGE]);
    let metadata = json!({"token_endpoint_auth_method": method, "grant_types": grant_types});
    let auth_application = world.create_application(origin, metadata).await;
    let proof = auth_application.secret.map_or(TestClientAuth::None, TestClientAuth::Basic);
    TokenClient { world, id: auth_application.id.to_string(), auth: proof }
}

/// A self-registered public client: any caller can use its id.
pub async fn client_anybody_can_be(world: &World) -> TokenClient<'_> {
    client(world, ClientOrigin::DynamicRegistration, "none").await
}

/// A code that a new member of the organization granted to the client.
async fn code(tenant: &TestOrganization, client: &TokenClient<'_>) -> String {
    let member = client.world.create_member(tenant, &["member"]).await;
    let request =
        GrantRequest { lifespan: GrantLifespan::Expiry, ..GrantRequest::for_scope("openid offline_access") };
    client.world.create_grant(tenant, member, &client.id.parse().unwrap(), request).await.code
}

/// The tokens for such a code.
pub async fn tokens(tenant: &TestOrganization, client: &TokenClient<'_>) -> TokenEndpointResponse {
    client.redeem_code(&code(tenant, client).await, &[]).await.assert_granted()
}

/// Refreshes this many times, each time with the newest token. Returns the last token and how many requests succeeded.
async fn refreshes(client: &TokenClient<'_>, mut token: String, times: usize) -> (String, usize) {
    let mut granted = 0;
    for _ in 0..times {
        let reply = client.refresh_tokens(&token, &[]).await;
        if reply.status == 200 {
            granted += 1;
            token = reply.refresh_token();
        } else {
            assert_eq!(reply.status, 429, "{}", reply.text);
            assert!(reply.headers.contains_key("retry-after"));
        }
    }
    (token, granted)
}

both_engines!(
    super::with_three_tokens_of_a_grant,
    [
        refresh_token_requests_of_a_public_self_registered_client_are_limited_by_grant,
        token_exchange_requests_of_a_public_self_registered_client_are_limited_by_grant,
        token_requests_of_a_confidential_operator_client_are_not_limited,
        token_replay_is_recorded_beyond_the_failure_log_limit_of_a_network
    ]
);

async fn refresh_token_requests_of_a_public_self_registered_client_are_limited_by_grant(world: &World) {
    let acme = world.create_organization("acme").await;
    let app = client_anybody_can_be(world).await;
    let first = tokens(&acme, &app).await.refresh_token();
    let before = world.count_events("refresh_token.rotated").await;
    let (last, granted) = refreshes(&app, first, 30).await;
    assert_eq!((granted, world.count_events("refresh_token.rotated").await - before), (3, 3));
    // Another user of the same client, from the same address, has a limit of their own.
    let other = tokens(&acme, &app).await.refresh_token();
    assert_eq!(refreshes(&app, other, 3).await.1, 3);
    // Refused requests consumed nothing.
    world.clock.advance(Lifetime::from_seconds(20));
    assert_eq!(refreshes(&app, last, 2).await.1, 1);
}

async fn token_exchange_requests_of_a_public_self_registered_client_are_limited_by_grant(world: &World) {
    let acme = world.create_organization("acme").await;
    let app = client_anybody_can_be(world).await;
    let token = tokens(&acme, &app).await.access_token();
    let mut statuses = Vec::new();
    for _ in 0..30 {
        statuses.push(app.exchange_token(&token, &[("scope", "openid")]).await.status);
    }
    assert_eq!(statuses[..3], [200; 3]);
    assert_eq!(statuses[3..], [429; 27]);
    assert_eq!(world.count_rows().await["delegations"], 3);
}

async fn token_requests_of_a_confidential_operator_client_are_not_limited(world: &World) {
    let acme = world.create_organization("acme").await;
    let app = client(world, ClientOrigin::Operator, "client_secret_basic").await;
    let first = tokens(&acme, &app).await;
    assert_eq!(refreshes(&app, first.refresh_token(), 20).await.1, 20);
    for _ in 0..10 {
        app.exchange_token(&first.access_token(), &[("scope", "openid")]).await.assert_granted();
    }
}

async fn token_replay_is_recorded_beyond_the_failure_log_limit_of_a_network(world: &World) {
    let acme = world.create_organization("acme").await;
    let app = client(world, ClientOrigin::Operator, "client_secret_basic").await;
    let spent_code = code(&acme, &app).await;
    app.redeem_code(&spent_code, &[]).await.assert_granted();
    let spent = tokens(&acme, &app).await.refresh_token();
    app.refresh_tokens(&spent, &[]).await.assert_granted();
    // An attacker causes failures until no more events of the network are recorded, and then replays.
    let wrong = TokenClient { auth: TestClientAuth::Basic("sn_cs_wrong".to_owned()), ..app.clone() };
    for _ in 0..10 {
        wrong.refresh_tokens(&spent, &[]).await;
    }
    let logged = async |kind| world.count_events(kind).await;
    let failures = world.count_rows().await["security_log"];
    app.refresh_tokens(&spent, &[]).await.assert_oauth_error("invalid_grant");
    app.redeem_code(&spent_code, &[]).await.assert_oauth_error("invalid_grant");
    assert_eq!((logged("refresh_token.reused").await, logged("code.replayed").await), (1, 1));
    // The grants have ended: repeating it is one more failure and fills no log.
    for _ in 0..20 {
        app.refresh_tokens(&spent, &[]).await.assert_oauth_error("invalid_grant");
        app.redeem_code(&spent_code, &[]).await.assert_oauth_error("invalid_grant");
    }
    assert_eq!(world.count_rows().await["security_log"], failures + 2);
}
