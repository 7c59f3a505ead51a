//! An organization, or an attacker who registers clients, names servers that never respond: every other organization
//! signs in, authenticates and logs out as before.

use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::grants::OAuthResponse;
use crate::harness::http_receiver::HttpReceiver;
use crate::harness::oauth_application::{BrowserSession, OAuthApplication};
use crate::harness::oidc_provider;
use crate::harness::oidc_provider::{TestOidcProvider, provider_user};
use crate::harness::organizations::TestOrganization;
use crate::harness::stalling_web::{STALLING_HOST, StallingWeb};
use crate::harness::token_endpoint::sign_jws;
use crate::harness::world::World;
use crate::stories::identity_providers::oidc_sign_in::signs_in;
use crate::stories::oauth::token_use::logout::eventually;
use serde_json::{Value, json};
use sinete_core::client_id::{ClientId, ClientKind};
use sinete_core::platform::outbound::OutboundPurpose;
use sinete_store::oauth::clients;
use sinete_store::oauth::clients::ClientOrigin;
use std::time::{Duration, Instant};

const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/// How many requests of one organization are in flight.
const STALLED: usize = 100;
/// How many of them go to identity providers, which is the maximum of an organization.
const STALLED_PROVIDERS: usize = 10;
/// How often users of another organization sign in.
const SIGN_INS: usize = 8;

/// A client with `private_key_jwt` and this `jwks_uri`.
async fn signing_client(world: &World, origin: ClientOrigin, jwks_uri: &str) -> ClientId {
    let metadata = json!({"token_endpoint_auth_method": "private_key_jwt", "jwks_uri": jwks_uri});
    world.create_client(ClientKind::Service, origin, metadata).await.id
}

/// A client assertion.
fn assertion(world: &World, client: &ClientId, jti: &str) -> String {
    let (key, now) = (oidc_provider::provider_key(), world.server.engine().now().seconds());
    let claims = json!({
        "iss": client, "sub": client, "aud": world.issuer(), "jti": jti, "iat": now, "exp": now + 60,
    });
    sign_jws(key, &json!({"alg": "ES256", "kid": key.kid()}), &claims)
}

/// The status of a token request with a client assertion.
async fn authenticates(world: &World, client: &ClientId, jti: &str) -> u16 {
    asks_at(world, "/connect/introspect", &assertion(world, client, jti)).await.status().as_u16()
}

/// The response of an endpoint to this assertion.
async fn asks_at(world: &World, path: &str, assertion: &str) -> reqwest::Response {
    let form = [("token", "x"), ("client_assertion", assertion), ("client_assertion_type", ASSERTION_TYPE)];
    world.http.post(world.public_url(path)).form(&form).send().await.unwrap()
}

/// An organization that uses everything that needs outbound requests.
struct Victim<'w> {
    world: &'w World,
    acme: TestOrganization,
    provider: TestOidcProvider,
    signer: ClientId,
    told: HttpReceiver,
    app: OAuthApplication<'w>,
}

impl<'w> Victim<'w> {
    async fn begun(world: &'w World) -> Self {
        let acme = world.create_organization("acme").await;
        let (owner, provider) = (world.create_owner(&acme).await, world.create_oidc_provider().await);
        provider.create_connection(&owner, "acme.example").await;
        let signer =
            signing_client(world, ClientOrigin::Organization(acme.id), &format!("{}/keys", provider.issuer))
                .await;
        let http_receiver = HttpReceiver::with_status(200).await;
        let metadata = json!({"consent": "implied", "backchannel_logout_uri": http_receiver.address});
        let app = world.create_application(ClientOrigin::Operator, metadata).await;
        Self { world, acme, provider, signer, told: http_receiver, app }
    }

    /// How long these sign-ins take, each of a new user.
    async fn signs_in(&self, round: &str) -> Duration {
        #[expect(clippy::disallowed_methods, reason = "how long signing in took is printed")]
        let started_at = Instant::now();
        for number in 0..SIGN_INS {
            let name = format!("{round}-{number}");
            let email = format!("{name}@acme.example");
            self.provider.set_user(provider_user(&name, &email));
            signs_in(self.world, &self.provider, &email).await.1.assert_status(200);
        }
        started_at.elapsed()
    }

    /// A user logs out of a client that is notified meanwhile.
    async fn signs_out(&self) {
        let member = self.world.create_member(&self.acme, &["member"]).await;
        let browser: BrowserSession = self.world.create_member_browser(&self.acme, member).await;
        let code = self.app.obtain_code(&browser, &[("scope", Some("openid"))]).await;
        let (status, tokens) = self.app.redeem_code(&code).await;
        assert_eq!(status, 200, "{tokens}");
        let before = self.told.received_bodies().len();
        let mut address: url::Url = self.world.public_url("/connect/logout").parse().unwrap();
        address.query_pairs_mut().append_pair("id_token_hint", tokens["id_token"].as_str().unwrap());
        let request =
            self.world.http.get(address).header("cookie", format!("sinete_session={}", browser.token));
        OAuthResponse::of(request.header("accept", "text/html").send().await.unwrap()).await.is(200);
        assert_eq!(self.told.received_bodies().len(), before + 1);
    }
}

/// A user who starts single sign-on at a provider that never responds.
async fn departs_for_nowhere(world: &World, email: String) {
    let walk = world.start_flow(json!({"kind": "sign_in"})).await;
    let request_body = json!({"email": email, "return_to": "http://127.0.0.1:49152/back"});
    drop(walk.build_request("single_sign_on", &request_body).send().await);
}

/// Connects the organization to providers that never respond.
async fn connects_to_nowhere(world: &World, greedy: &TestOrganization) {
    let owner = world.create_owner(greedy).await;
    for number in 0..STALLED_PROVIDERS {
        let domain = format!("greedy-{number}.example");
        oidc_provider::verify_domain(&owner, &domain).await;
        let connection = json!({
            "name": "Nowhere", "issuer": format!("{STALLING_HOST}/{number}"), "client_id": "x", "client_secret": "x",
            "domains": [domain], "enabled": true,
        });
        owner.post(&greedy.path("/connections"), connection).await.assert_status(201);
    }
}

async fn outbound_concurrency_of_a_stalled_provider_does_not_delay_sign_ins_of_other_organizations(
    on: TestEngine,
) {
    let web = StallingWeb::create();
    let world = World::start_with_web(on, web.clone()).await;
    {
        let victim = Victim::begun(&world).await;
        victim.signs_in("before").await;
        let alone = victim.signs_in("alone").await;
        let greedy = world.create_organization("greedy").await;
        connects_to_nowhere(&world, &greedy).await;
        let mut clients = Vec::new();
        for number in STALLED_PROVIDERS..STALLED {
            let jwks_uri = format!("{STALLING_HOST}/{number}");
            clients.push(signing_client(&world, ClientOrigin::Organization(greedy.id), &jwks_uri).await);
        }
        let all = async {
            let mut requests = Vec::<std::pin::Pin<Box<dyn Future<Output = ()> + Send>>>::new();
            for number in 0..STALLED_PROVIDERS {
                let email = format!("ana@greedy-{number}.example");
                requests.push(Box::pin(departs_for_nowhere(&world, email)));
            }
            for client in &clients {
                requests.push(Box::pin(async {
                    let _ = authenticates(&world, client, "one").await;
                }));
            }
            all_of(requests).await;
            std::future::pending::<()>().await;
        };
        let others = async {
            eventually(async || web.attempted_count() >= STALLED).await;
            let slots_in_use = web.in_flight_count();
            let limit = STALLED_PROVIDERS + OutboundPurpose::ClientKeys.slot_count() / 4;
            assert!((STALLED_PROVIDERS..=limit).contains(&slots_in_use), "{slots_in_use} slots are in use");
            let timeout = victim.signs_in("beside").await;
            println!(
                "{SIGN_INS} sign-ins beside {STALLED} stalled requests of another organization: {timeout:?}, alone \
                 {alone:?}, {:.2} times as long",
                timeout.as_secs_f64() / alone.as_secs_f64()
            );
            assert_eq!(authenticates(&world, &victim.signer, "victim").await, 200);
            victim.signs_out().await;
            assert!(web.in_flight_count() >= slots_in_use, "the stalled requests are still in flight");
        };
        tokio::select! {
            () = all => {}
            () = others => {}
        }
    }
    world.stop().await;
}

/// Awaits all of them.
async fn all_of(mut all: Vec<std::pin::Pin<Box<dyn Future<Output = ()> + Send + '_>>>) {
    std::future::poll_fn(|context| {
        all.retain_mut(|one| one.as_mut().poll(context).is_pending());
        if all.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}

async fn outbound_concurrency_of_self_registered_clients_leaves_slots_to_others(on: TestEngine) {
    let web = StallingWeb::create();
    let world = World::start_with_web(on, web.clone()).await;
    {
        let victim = Victim::begun(&world).await;
        let mut clients = Vec::new();
        for number in 0..STALLED {
            let jwks_uri = format!("{STALLING_HOST}/{number}");
            clients.push(signing_client(&world, ClientOrigin::DynamicRegistration, &jwks_uri).await);
        }
        let all = async {
            let mut requests = Vec::<std::pin::Pin<Box<dyn Future<Output = ()> + Send>>>::new();
            for client in &clients {
                requests.push(Box::pin(async {
                    let _ = authenticates(&world, client, "one").await;
                }));
            }
            // Registrations have their own purpose, and share the limit of their owner.
            for number in 0..STALLED {
                let sector = json!({
                    "redirect_uris": [format!("https://{number}.example/cb")],
                    "sector_identifier_uri": format!("{STALLING_HOST}/sector/{number}"), "subject_type": "pairwise",
                });
                let world = &world;
                requests.push(Box::pin(async move {
                    let _ = registers(world, &sector).await;
                }));
            }
            all_of(requests).await;
            std::future::pending::<()>().await;
        };
        let others = async {
            eventually(async || web.attempted_count() >= STALLED).await;
            assert!(
                web.in_flight_count() < OutboundPurpose::ClientKeys.slot_count() / 2,
                "{}",
                web.in_flight_count()
            );
            assert_eq!(authenticates(&world, &victim.signer, "victim").await, 200);
            victim.signs_in("beside").await;
        };
        tokio::select! {
            () = all => {}
            () = others => {}
        }
    }
    world.stop().await;
}

/// Every endpoint that needs the client's keys responds that it is busy, and counts no failed attempt.
async fn is_told_to_come_back(world: &World, client: &ClientId) {
    for (number, path) in
        ["/connect/token", "/connect/par", "/connect/revoke", "/connect/introspect"].iter().enumerate()
    {
        let answer = asks_at(world, path, &assertion(world, client, &format!("busy-{number}"))).await;
        assert_eq!(answer.status(), 503, "{path}");
        assert!(answer.headers().contains_key("retry-after"), "{path}");
        let body: Value = answer.json().await.unwrap();
        assert_eq!(body["error"], "temporarily_unavailable", "{path}");
    }
    let mut address: url::Url = world.public_url("/connect/authorize").parse().unwrap();
    let object = assertion(world, client, "object");
    address.query_pairs_mut().append_pair("client_id", client.as_str()).append_pair("request", &object);
    assert_eq!(world.http.get(address).send().await.unwrap().status(), 503, "a request object");
    let events = world.create_operator().await.get("/manage/events?limit=200").await.assert_status(200);
    assert!(!events.text.contains("client.proof_failed"), "no client authentication failed: {}", events.text);
}

async fn outbound_concurrency_of_verified_clients_has_its_own_slots(on: TestEngine) {
    let web = StallingWeb::create();
    let world = World::start_with_web(on, web.clone()).await;
    {
        let provider = world.create_oidc_provider().await;
        let keys = format!("{}/keys", provider.issuer);
        let (verified, plain) = (
            signing_client(&world, ClientOrigin::DynamicRegistration, &keys).await,
            signing_client(&world, ClientOrigin::DynamicRegistration, &keys).await,
        );
        world
            .apply_statements([clients::set_client_verified(&verified, 1, Some(world.server.engine().now()))])
            .await;
        let mut hostile = Vec::new();
        for number in 0..STALLED {
            hostile.push(
                signing_client(
                    &world,
                    ClientOrigin::DynamicRegistration,
                    &format!("{STALLING_HOST}/{number}"),
                )
                .await,
            );
        }
        let all = async {
            let mut requests = Vec::<std::pin::Pin<Box<dyn Future<Output = ()> + Send>>>::new();
            for client in &hostile {
                requests.push(Box::pin(async {
                    let _ = authenticates(&world, client, "one").await;
                }));
            }
            all_of(requests).await;
            std::future::pending::<()>().await;
        };
        let others = async {
            eventually(async || web.attempted_count() >= STALLED).await;
            is_told_to_come_back(&world, &plain).await;
            assert_eq!(authenticates(&world, &verified, "verified").await, 200);
        };
        tokio::select! {
            () = all => {}
            () = others => {}
        }
    }
    world.stop().await;
}

async fn registers(world: &World, sector: &Value) -> u16 {
    world
        .http
        .post(world.public_url("/connect/register"))
        .json(sector)
        .send()
        .await
        .unwrap()
        .status()
        .as_u16()
}

both_engines!(
    engine,
    [
        outbound_concurrency_of_a_stalled_provider_does_not_delay_sign_ins_of_other_organizations,
        outbound_concurrency_of_self_registered_clients_leaves_slots_to_others,
        outbound_concurrency_of_verified_clients_has_its_own_slots
    ]
);
