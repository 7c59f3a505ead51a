//! JWKS cache, replay cache, introspection and settings of the access token verifier.

use crate::mock_issuer::MockIssuer;
use crate::vectors::Vectors;
use serde_json::{Value, json};
use sinete_client::{AccessRequirements, ReplayCache, RequestCredentials, RequestRejectedError};
use sinete_client::{
    AccessTokenVerifier, AccessTokenVerifierSettings, ClientAuthentication, ConfigurationError,
    MemoryReplayCache, ReplayFuture, SigningAlgorithm,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

const KEYS: &str = "/.well-known/jwks.json";
const METADATA: &str = "/.well-known/openid-configuration";

struct Fixture {
    vectors: Vectors,
    mock: MockIssuer,
    now: Arc<AtomicI64>,
    verifier: AccessTokenVerifier,
}

async fn set_up_with(change: impl FnOnce(&mut AccessTokenVerifierSettings)) -> Fixture {
    let vectors = Vectors::read();
    let mock = MockIssuer::start(&vectors.issuer, &vectors.keys).await;
    let now = Arc::new(AtomicI64::new(vectors.now));
    let mut settings = AccessTokenVerifierSettings::new(&vectors.issuer, &vectors.audience);
    let clock = Arc::clone(&now);
    settings.clock = Arc::new(move || clock.load(Ordering::SeqCst));
    settings.http_client = Some(mock.http_client());
    change(&mut settings);
    Fixture { vectors, mock, now, verifier: AccessTokenVerifier::new(settings).unwrap() }
}

async fn set_up() -> Fixture {
    set_up_with(|_| {}).await
}

impl Fixture {
    fn advance_clock(&self, seconds: i64) {
        self.now.fetch_add(seconds, Ordering::SeqCst);
    }

    fn respond(&self, path: &str, status: u16, body: &Value) {
        self.mock.script.lock().unwrap().answers.insert(path.to_owned(), (status, body.clone()));
    }

    fn request_count(&self, path: &str) -> usize {
        self.mock.script.lock().unwrap().request_counts.get(path).copied().unwrap_or_default()
    }

    async fn bearer(&self, token: &str) -> Result<(), RequestRejectedError> {
        let authorization = Some(format!("Bearer {token}").into());
        let credentials = RequestCredentials {
            method: "GET",
            path: "/invoices",
            authorization,
            ..RequestCredentials::default()
        };
        let requirements = AccessRequirements { scopes: &["invoices:read"], organization: None };
        self.verifier.verify(&credentials, &requirements).await.map(|_| ())
    }

    async fn current(&self) -> u16 {
        status(&self.bearer(&self.vectors.long_lived_tokens.current).await)
    }

    async fn next(&self) -> u16 {
        status(&self.bearer(&self.vectors.long_lived_tokens.next).await)
    }

    /// The response status of a case's first request.
    async fn case(&self, name: &str) -> u16 {
        let credentials = self.vectors.first_credentials(name).as_request();
        status(&self.verifier.verify(&credentials, &AccessRequirements::default()).await.map(|_| ()))
    }
}

fn status(outcome: &Result<(), RequestRejectedError>) -> u16 {
    outcome.as_ref().map_or_else(|rejected| rejected.status, |()| 200)
}

#[tokio::test]
async fn jwks_is_fetched_once_for_concurrent_requests() {
    let fixture = Arc::new(set_up().await);
    let requests: Vec<_> = (0..20)
        .map(|_| {
            let fixture = Arc::clone(&fixture);
            tokio::spawn(async move { fixture.current().await })
        })
        .collect();
    for request in requests {
        assert_eq!(request.await.unwrap(), 200);
    }
    assert_eq!((fixture.request_count(METADATA), fixture.request_count(KEYS)), (1, 1));
}

#[tokio::test]
async fn jwks_fetch_continues_when_the_request_that_started_it_is_dropped() {
    let fixture = Arc::new(set_up().await);
    fixture.mock.script.lock().unwrap().slowness = Duration::from_millis(200);
    let leaving = {
        let fixture = Arc::clone(&fixture);
        tokio::spawn(async move { fixture.current().await })
    };
    tokio::time::sleep(Duration::from_millis(100)).await;
    leaving.abort();
    assert!(leaving.await.is_err());
    assert_eq!(fixture.current().await, 200);
    assert_eq!((fixture.request_count(METADATA), fixture.request_count(KEYS)), (1, 1));
}

#[tokio::test]
async fn jwks_cache_is_stale_after_the_clock_was_set_back() {
    let fixture = set_up().await;
    assert_eq!(fixture.current().await, 200);
    fixture.respond(KEYS, 200, &fixture.vectors.rotated_keys);
    fixture.advance_clock(-1);
    assert_eq!(fixture.current().await, 401);
    assert_eq!(fixture.request_count(KEYS), 2);
    fixture.advance_clock(-1);
    fixture.respond(METADATA, 500, &json!({}));
    assert_eq!(fixture.next().await, 503);
}

#[tokio::test]
async fn issuer_endpoint_without_https_is_not_used() {
    for name in ["jwks_uri", "introspection_endpoint"] {
        let client = ClientAuthentication::client_secret_basic("books", "s");
        let fixture = set_up_with(|settings| settings.introspection = Some(client)).await;
        let (_, mut metadata) = fixture.mock.script.lock().unwrap().answers[METADATA].clone();
        metadata[name] = json!("http://id.example.com/there");
        fixture.respond(METADATA, 200, &metadata);
        assert_eq!(fixture.current().await, 503, "{name}");
        assert_eq!(fixture.request_count("/there"), 0, "{name}");
    }
}

#[tokio::test]
async fn jwks_is_refetched_for_an_unknown_kid_at_most_twice_a_minute() {
    let fixture = set_up().await;
    assert_eq!(fixture.current().await, 200);
    for expected_count in [1, 2] {
        for _ in 0..10 {
            assert_eq!(fixture.next().await, 401);
        }
        assert_eq!(fixture.request_count(KEYS), expected_count);
        fixture.advance_clock(30);
    }
    fixture.advance_clock(-1);
    fixture.respond(KEYS, 200, &fixture.vectors.rotated_keys);
    assert_eq!(fixture.next().await, 401);
    fixture.advance_clock(1);
    assert_eq!(fixture.next().await, 200);
    assert_eq!(fixture.request_count(KEYS), 3);
}

#[tokio::test]
async fn jwks_cache_accepts_a_revoked_key_for_at_most_five_minutes() {
    let fixture = set_up().await;
    assert_eq!(fixture.current().await, 200);
    fixture.respond(KEYS, 200, &fixture.vectors.rotated_keys);
    fixture.advance_clock(299);
    assert_eq!(fixture.current().await, 200);
    fixture.advance_clock(1);
    assert_eq!(fixture.current().await, 401);
}

#[tokio::test]
async fn jwks_cache_is_used_for_an_hour_while_the_issuer_is_unavailable_then_requests_get_503() {
    let fixture = set_up().await;
    assert_eq!(fixture.current().await, 200);
    fixture.respond(KEYS, 503, &json!({}));
    fixture.advance_clock(3599);
    assert_eq!(fixture.current().await, 200);
    fixture.advance_clock(1);
    let rejected = fixture.bearer(&fixture.vectors.long_lived_tokens.current).await.unwrap_err();
    assert_eq!((rejected.status, rejected.headers()), (503, vec![("retry-after", "5".to_owned())]));
    fixture.respond(KEYS, 200, &fixture.vectors.keys);
    fixture.advance_clock(30);
    assert_eq!(fixture.current().await, 200);
}

#[tokio::test]
async fn issuer_that_is_unavailable_or_names_another_issuer_is_not_trusted() {
    let fixture = set_up().await;
    let (_, metadata) = fixture.mock.script.lock().unwrap().answers[METADATA].clone();
    fixture.respond(METADATA, 500, &json!({}));
    assert_eq!((fixture.current().await, fixture.current().await), (503, 503));
    assert_eq!(fixture.request_count(METADATA), 1);
    let mut strange = metadata.clone();
    strange["issuer"] = json!("https://evil.example");
    fixture.respond(METADATA, 200, &strange);
    fixture.advance_clock(1);
    assert_eq!(fixture.current().await, 503);
    fixture.respond(METADATA, 200, &metadata);
    fixture.advance_clock(1);
    assert_eq!(fixture.current().await, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn dpop_proof_is_accepted_once_of_sixteen_concurrent_requests() {
    let fixture = Arc::new(set_up().await);
    assert_eq!(fixture.current().await, 200);
    let requests: Vec<_> = (0..16)
        .map(|_| {
            let fixture = Arc::clone(&fixture);
            tokio::spawn(async move { fixture.case("DPoP proof is accepted once").await })
        })
        .collect();
    let mut outcomes = Vec::new();
    for request in requests {
        outcomes.push(request.await.unwrap());
    }
    outcomes.sort_unstable();
    assert_eq!(outcomes[0], 200);
    assert!(outcomes[1..].iter().all(|status| *status == 401), "{outcomes:?}");
}

struct FullReplayCache;

impl ReplayCache for FullReplayCache {
    fn record_first_use<'a>(&'a self, _: &'a str, _: i64, _: i64, _: &'a str) -> ReplayFuture<'a> {
        Box::pin(async { Err("full".to_owned()) })
    }
}

#[tokio::test]
async fn dpop_replay_cache_that_is_full_rejects_with_503_until_proofs_expire() {
    let cache = MemoryReplayCache::with_capacity(1);
    assert_eq!(cache.record_first_use("a", 60, 0, "k").await, Ok(true));
    assert!(cache.record_first_use("b", 60, 60, "k").await.is_err());
    assert_eq!(cache.record_first_use("a", 60, 60, "k").await, Ok(false));
    assert_eq!(cache.record_first_use("b", 121, 61, "k").await, Ok(true));
    let fixture = set_up_with(|settings| settings.replay_cache = Arc::new(FullReplayCache)).await;
    assert_eq!(fixture.case("DPoP proof is accepted once").await, 503);
}

#[tokio::test]
async fn dpop_replay_cache_cannot_be_filled_by_one_key_and_evicts_expired_proofs() {
    let cache = MemoryReplayCache::with_capacity(20);
    assert_eq!(cache.record_first_use("a1", 60, 0, "a").await, Ok(true));
    assert_eq!(cache.record_first_use("a2", 60, 0, "a").await, Ok(true));
    assert!(cache.record_first_use("a3", 60, 0, "a").await.is_err());
    assert_eq!(cache.record_first_use("b1", 1000, 0, "b").await, Ok(true));
    assert_eq!(cache.record_first_use("b2", 50, 0, "b").await, Ok(true));
    assert_eq!(cache.record_first_use("b3", 111, 51, "b").await, Ok(true));
    assert_eq!(cache.record_first_use("a3", 121, 61, "a").await, Ok(true));
    for at in 0..17 {
        let other = format!("c{at}");
        assert_eq!(cache.record_first_use(&other, 121, 61, &other).await, Ok(true));
    }
    assert!(cache.record_first_use("d", 121, 61, "d").await.is_err());
}

#[tokio::test]
async fn introspection_overrides_the_token_its_scope_included() {
    let client = ClientAuthentication::client_secret_basic("books api", "a:b+c");
    let fixture = set_up_with(|settings| settings.introspection = Some(client)).await;
    let (issuer, audience) = (&fixture.vectors.issuer, &fixture.vectors.audience);
    let active = json!({
        "active": true, "iss": issuer, "sub": "ana", "aud": audience, "org": "acme", "scope": "invoices:read",
        "role": "clerk",
    });
    let with = |name: &str, value: Value| {
        let mut changed = active.clone();
        changed[name] = value;
        changed
    };
    let address = "/connect/introspect";
    let answers = [
        (200, active.clone(), 200),
        (200, json!({"active": false}), 401),
        (200, with("active", json!("true")), 401),
        (200, with("sub", json!("eve")), 401),
        (200, with("org", json!("globex")), 401),
        (200, with("aud", json!("https://files.example")), 401),
        (200, with("scope", json!("openid")), 403),
        (500, active.clone(), 503),
    ];
    for (status, body, expected) in answers {
        fixture.respond(address, status, &body);
        assert_eq!(fixture.current().await, expected, "{status} {body}");
    }
    // A token that is not for this API is not introspected.
    assert_eq!(status(&fixture.bearer("x.y.z").await), 401);
    assert_eq!(fixture.request_count(address), 8);
    let (authorization, body) = fixture.mock.script.lock().unwrap().last.clone();
    assert_eq!(authorization, "Basic Ym9va3MrYXBpOmElM0FiJTJCYw==");
    assert!(body.contains(&format!("token={}", fixture.vectors.long_lived_tokens.current)), "{body}");
}

#[test]
fn verifier_settings_that_cannot_be_enforced_are_rejected() {
    let create_verifier = |issuer: &str, audience: &str, change: fn(&mut AccessTokenVerifierSettings)| {
        let mut settings = AccessTokenVerifierSettings::new(issuer, audience);
        change(&mut settings);
        AccessTokenVerifier::new(settings).map(|_| ()).map_err(|error| error.to_string())
    };
    let (issuer, audience) = ("https://id.example.com", "https://books.example");
    assert_eq!(create_verifier(issuer, audience, |_| {}), Ok(()));
    for wrong in [
        "http://id.example.com",
        "https://id.example.com/",
        "id",
        "https://id.example.com?a",
        "https://id.example.com?",
    ] {
        let expected = ConfigurationError::Issuer(wrong.to_owned()).to_string();
        assert_eq!(create_verifier(wrong, audience, |_| {}), Err(expected));
    }
    assert_eq!(create_verifier(issuer, "books", |_| {}), Err(ConfigurationError::Audience.to_string()));
    assert_eq!(create_verifier(issuer, "urn:books", |_| {}), Err(ConfigurationError::BaseUrl.to_string()));
    let with_base_url =
        |it: &mut AccessTokenVerifierSettings| it.base_url = Some("https://books.example".to_owned());
    assert_eq!(create_verifier(issuer, "urn:books", with_base_url), Ok(()));
    for wrong in ["https://books.example?", "https://books.example/?a=b", "https://books.example/#"] {
        let mut settings = AccessTokenVerifierSettings::new(issuer, audience);
        settings.base_url = Some(wrong.to_owned());
        assert_eq!(
            AccessTokenVerifier::new(settings).map(|_| ()).unwrap_err(),
            ConfigurationError::BaseUrl,
            "{wrong}"
        );
    }
    let none = |it: &mut AccessTokenVerifierSettings| it.algorithms = Vec::new();
    assert_eq!(create_verifier(issuer, audience, none), Err(ConfigurationError::Algorithms.to_string()));
    let long = |it: &mut AccessTokenVerifierSettings| it.clock_leeway = Duration::from_secs(61);
    assert_eq!(create_verifier(issuer, audience, long), Err(ConfigurationError::Leeway.to_string()));
    assert!("none".parse::<SigningAlgorithm>().is_err() && "HS256".parse::<SigningAlgorithm>().is_err());
}

#[test]
fn authorization_header_duplicate_is_not_hidden() {
    let mut headers = reqwest::header::HeaderMap::new();
    headers.append("authorization", "Bearer a".parse().unwrap());
    assert_eq!(
        RequestCredentials::from_request("GET", "/", &headers).authorization.as_deref(),
        Some("Bearer a")
    );
    headers.append("authorization", "Bearer b".parse().unwrap());
    assert_eq!(
        RequestCredentials::from_request("GET", "/", &headers).authorization.as_deref(),
        Some("Bearer a, Bearer b")
    );
    assert!(RequestCredentials::from_request("GET", "/", &headers).dpop.is_none());
}

#[test]
fn debug_output_of_credentials_contains_no_secret() {
    let mut headers = reqwest::header::HeaderMap::new();
    headers.append("authorization", "DPoP secret-token".parse().unwrap());
    headers.append("dpop", "secret-proof".parse().unwrap());
    let credentials =
        RequestCredentials::from_request("GET", "/invoices?access_token=secret-token", &headers);
    assert_eq!(format!("{credentials:?}"), r#"RequestCredentials { method: "GET", path: "/invoices", .. }"#);
}
