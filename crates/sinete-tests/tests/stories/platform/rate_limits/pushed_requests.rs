//! What `POST /connect/par` stores, and its limits.

use super::clean_up;
use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::oauth_application::OAuthApplication;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::limits::{
    ANONYMOUS_ROW_RETENTION, AUTHORIZATION_REQUEST_BYTES_MAX, CLEANUP_ROWS_MAX, FLOW_LIFETIME, PAR_LIFETIME,
};
use sinete_core::secret::{PushedRequest, Secret};
use sinete_core::time::Lifetime;
use sinete_store::JsonDocument;
use sinete_store::oauth::clients::ClientOrigin;
use sinete_store::oauth::par;
use sinete_store::oauth::par::NewPushedRequest;

async fn with_three_requests_a_minute(on: TestEngine) -> World {
    let limits = [
        ("SINETE_RATE_LIMITS_ENABLED", "true"),
        ("SINETE_RATE_LIMITS_STORED_REQUESTS", "3"),
        ("SINETE_RATE_LIMITS_FLOWS", "3"),
    ];
    World::start_with_config(on, &limits).await
}

async fn public_client(world: &World, origin: ClientOrigin) -> OAuthApplication<'_> {
    world.create_application(origin, json!({"token_endpoint_auth_method": "none"})).await
}

async fn pushed(world: &World) -> Vec<String> {
    world.dump_database().await.remove("pushed_requests").unwrap_or_default()
}

/// Stores this many requests of a client, as pushing them would.
async fn store_many(client: &OAuthApplication<'_>, many: usize) {
    let engine = client.world.server.engine();
    let (now, request) = (engine.now(), JsonDocument::from_value(&json!({})).unwrap());
    let stored = |_| {
        let digest = Secret::<PushedRequest>::mint(engine.entropy()).digest();
        let expires_at = now.plus(PAR_LIFETIME).plus(FLOW_LIFETIME);
        let new = NewPushedRequest {
            digest: &digest,
            client: &client.id,
            request: &request,
            created_at: now,
            expires_at,
        };
        par::store_pushed_request(&new)
    };
    let mut steps = (0..many).map(stored);
    loop {
        let some: Vec<_> = steps.by_ref().take(100).collect();
        if some.is_empty() {
            return;
        }
        client.world.apply_statements(some).await;
    }
}

mod limited {
    use super::*;

    both_engines!(
        super::with_three_requests_a_minute,
        [
            pushed_requests_of_a_public_client_are_limited_by_address,
            pushed_requests_from_another_site_do_not_consume_the_sign_in_rate_limit,
            pushed_requests_of_a_self_registered_client_are_limited_despite_its_secret
        ]
    );

    async fn pushed_requests_of_a_public_client_are_limited_by_address(world: &World) {
        let public = public_client(world, ClientOrigin::Operator).await;
        for _ in 0..3 {
            assert_eq!(public.push_request(&[]).await.0, 201);
        }
        for _ in 0..30 {
            let (status, body) = public.push_request(&[]).await;
            assert_eq!((status, &body["error"]), (429, &json!("temporarily_unavailable")));
        }
        assert_eq!(pushed(world).await.len(), 3, "a refused request is not stored");
        // An authenticated client of the operators is not limited by other clients at the same address.
        let secret = world.create_application(ClientOrigin::Operator, json!({})).await;
        for _ in 0..10 {
            assert_eq!(secret.push_request(&[]).await.0, 201);
        }
        world.clock.advance(Lifetime::from_seconds(20));
        assert_eq!(public.push_request(&[]).await.0, 201);
    }

    async fn pushed_requests_from_another_site_do_not_consume_the_sign_in_rate_limit(world: &World) {
        // A request that a page of another site can send without CORS: no cookie and no readable response.
        let public = public_client(world, ClientOrigin::DynamicRegistration).await;
        let fetch = async || {
            let request_builder =
                world.http.post(world.public_url("/connect/par")).form(&public.authorization_params(&[]));
            let request_builder = request_builder
                .header("origin", "https://evil.example")
                .header("sec-fetch-site", "cross-site");
            request_builder.header("sec-fetch-mode", "no-cors").send().await.unwrap().status().as_u16()
        };
        let mut statuses = Vec::new();
        for _ in 0..10 {
            statuses.push(fetch().await);
        }
        assert_eq!(statuses, [201, 201, 201, 429, 429, 429, 429, 429, 429, 429]);
        for _ in 0..3 {
            world.create_page_browser("en").open_page("/sign-in").await;
        }
        assert_eq!(world.get("/sign-in").await.status(), 429, "sign-ins have a limit of their own");
    }

    async fn pushed_requests_of_a_self_registered_client_are_limited_despite_its_secret(world: &World) {
        let itself = world.create_application(ClientOrigin::DynamicRegistration, json!({})).await;
        assert!(itself.secret.is_some());
        let statuses = [
            itself.push_request(&[]).await.0,
            itself.push_request(&[]).await.0,
            itself.push_request(&[]).await.0,
            itself.push_request(&[]).await.0,
        ];
        assert_eq!(statuses, [201, 201, 201, 429]);
        // Another self-registered client at the same address shares the limit: registering one more is easy.
        let another = world.create_application(ClientOrigin::DynamicRegistration, json!({})).await;
        assert_eq!(another.push_request(&[]).await.0, 429);
    }
}

mod unlimited {
    use super::*;

    both_engines!(
        pushed_requests_store_known_parameters_only_and_are_bounded,
        cleanup_deletes_every_expired_pushed_request_in_one_run
    );

    async fn pushed_requests_store_known_parameters_only_and_are_bounded(world: &World) {
        let public = public_client(world, ClientOrigin::Operator).await;
        let padding = "padding ".repeat(5_000);
        let nonce = "x".repeat(1_000);
        assert_eq!(public.push_request(&[("padding", Some(&padding)), ("nonce", Some(&nonce))]).await.0, 201);
        let stored = pushed(world).await;
        assert!(
            stored.len() == 1 && stored[0].contains(&nonce) && !stored[0].contains("padding"),
            "{stored:?}"
        );
        // Every parameter is limited by the size of the whole request.
        let long = "x".repeat(AUTHORIZATION_REQUEST_BYTES_MAX);
        for name in ["id_token_hint", "ui_locales", "acr_values", "login_hint"] {
            let (status, body) = public.push_request(&[(name, Some(&long))]).await;
            assert_eq!((status, &body["error"]), (400, &json!("invalid_request")), "{name}");
        }
        assert_eq!(pushed(world).await.len(), 1);
        // The same holds for a request that a flow stores.
        let url = public.authorization_params(&[("padding", Some("of no use")), ("nonce", Some("of-use"))]);
        assert_eq!(world.open_authorization_endpoint(None, &url).await.status, 303);
        let flows = world.dump_database().await.remove("flows").unwrap();
        assert!(
            flows.iter().any(|flow| flow.contains("of-use"))
                && !flows.iter().any(|flow| flow.contains("of no use"))
        );
    }

    async fn cleanup_deletes_every_expired_pushed_request_in_one_run(world: &World) {
        let public = public_client(world, ClientOrigin::Operator).await;
        assert_eq!(public.push_request(&[]).await.0, 201);
        let many = CLEANUP_ROWS_MAX as usize * 2 + 1;
        store_many(&public, many).await;
        assert_eq!(pushed(world).await.len(), many + 1);
        world.clock.advance(PAR_LIFETIME.plus(FLOW_LIFETIME));
        clean_up(world).await;
        assert_eq!(pushed(world).await.len(), many + 1, "the requests have just expired");
        assert_eq!(public.push_request(&[]).await.0, 201);
        world.clock.advance(ANONYMOUS_ROW_RETENTION.plus(Lifetime::from_seconds(1)));
        clean_up(world).await;
        assert_eq!(pushed(world).await.len(), 1, "a request that has not expired stays");
    }
}
