//! Token requests and the token cache: the vectors that every client library passes.

use crate::mock_issuer::{MockIssuer, MockResponse};
use axum::http::HeaderMap;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sinete_client::{
    ClientAuthentication, SigningAlgorithm, TokenClient, TokenClientSettings, TokenRequest,
    TokenRequestError, TokenResponse, TokenSubject,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

#[derive(Deserialize)]
struct TokenVectors {
    now: i64,
    issuer: String,
    cases: Vec<TokenCase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct TokenCase {
    name: String,
    client: VectorClient,
    use_dpop: bool,
    steps: Vec<TokenDerivation>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct VectorClient {
    client_id: String,
    client_secret: Option<String>,
    method: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct TokenDerivation {
    response: Option<MockResponse>,
    advance_clock: Option<i64>,
    requests: Option<Value>,
    invalidate_token: Option<VectorTokenRequest>,
    refresh: Option<String>,
    scope: Option<String>,
    get_token: Option<VectorTokenRequest>,
    times: Option<usize>,
    token: Option<Value>,
    error: Option<Value>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct VectorTokenRequest {
    subject_token: Option<String>,
    api_key: Option<String>,
    scope: Option<String>,
    resource: Option<String>,
}

impl VectorTokenRequest {
    fn as_request(&self) -> TokenRequest<'_> {
        let subject = match (&self.subject_token, &self.api_key) {
            (Some(token), _) => TokenSubject::AccessToken(token),
            (None, Some(key)) => TokenSubject::ApiKey(key),
            (None, None) => TokenSubject::Client,
        };
        TokenRequest { subject, scope: self.scope.as_deref(), resource: self.resource.as_deref() }
    }
}

struct Fixture {
    mock: MockIssuer,
    now: AtomicI64,
    token_client: TokenClient,
}

const NOW: i64 = 1000;
const ISSUER: &str = "http://localhost:8080";

/// A mock issuer whose token endpoint answers from a list, and a client of it.
async fn set_up(client: ClientAuthentication, use_dpop: bool) -> Arc<Fixture> {
    let mock = MockIssuer::start(ISSUER, &json!({"keys": []})).await;
    let http_client = mock.http_client();
    Arc::new_cyclic(|fixture: &std::sync::Weak<Fixture>| {
        let fixture = fixture.clone();
        let clock = move || fixture.upgrade().map_or(NOW, |fixture| fixture.now.load(Ordering::SeqCst));
        let default_settings = TokenClientSettings::new(ISSUER, client);
        let settings = TokenClientSettings {
            use_dpop,
            http_client: Some(http_client),
            clock: Arc::new(clock),
            ..default_settings
        };
        Fixture { mock, now: AtomicI64::new(NOW), token_client: TokenClient::new(settings).unwrap() }
    })
}

fn outcome(result: Result<TokenResponse, TokenRequestError>) -> Value {
    match result {
        Ok(it) => json!({"token": {
            "accessToken": it.access_token, "tokenType": if it.is_dpop_bound { "DPoP" } else { "Bearer" },
            "expiresAt": it.expires_at, "scope": it.scope, "refreshToken": it.refresh_token,
        }}),
        Err(it) => {
            let mut error = json!({
                "status": it.status, "error": it.error, "description": it.description, "retryAfter": it.retry_after,
            });
            if it.refresh_token_may_be_used {
                error["refreshTokenMayBeUsed"] = json!(true);
            }
            json!({"error": error})
        }
    }
}

fn part(text: &str, which: usize) -> Value {
    let part = URL_SAFE_NO_PAD.decode(text.split('.').nth(which).unwrap()).unwrap();
    serde_json::from_slice(&part).unwrap()
}

/// A request as the vectors write it.
fn request((headers, body): (HeaderMap, String)) -> Value {
    let fields = reqwest::Url::parse(&format!("x:?{body}")).unwrap();
    let form: Map<_, _> = fields.query_pairs().map(|(name, value)| (name.into(), json!(value))).collect();
    let authorization = headers.get("authorization").map(|value| value.to_str().unwrap());
    let mut request = json!({"form": form, "authorization": authorization});
    if let Some(proof) = headers.get("dpop") {
        let claims = part(proof.to_str().unwrap(), 1);
        request["dpop"] = json!({"htm": claims["htm"], "htu": claims["htu"], "nonce": claims["nonce"]});
    }
    request
}

impl Fixture {
    fn respond(&self, response: MockResponse) {
        self.mock.script.lock().unwrap().tokens.push_back(response);
    }

    fn respond_with_token(&self, type_: &str, seconds: i64) {
        let json = json!({"access_token": "t", "token_type": type_, "expires_in": seconds});
        self.respond(MockResponse { status: 200, json: Some(json), headers: [].into(), is_too_long: false });
    }

    fn requests(&self) -> Vec<Value> {
        let requests = std::mem::take(&mut self.mock.script.lock().unwrap().token_requests);
        requests.into_iter().map(request).collect()
    }

    async fn run(self: &Arc<Self>, step: &TokenDerivation, name: &str) {
        let expected = match (&step.token, &step.error) {
            (Some(token), _) => json!({"token": token}),
            (None, error) => json!({"error": error}),
        };
        if let Some(response) = &step.response {
            self.respond(response.clone());
        } else if let Some(seconds) = step.advance_clock {
            self.now.fetch_add(seconds, Ordering::SeqCst);
        } else if let Some(requests) = &step.requests {
            assert_eq!(&json!(self.requests()), requests, "{name}");
        } else if let Some(request) = &step.invalidate_token {
            self.token_client.invalidate_token(&request.as_request());
        } else if let Some(token) = &step.refresh {
            let requests: Vec<_> = (0..step.times.unwrap_or(1))
                .map(|_| {
                    let (fixture, token, scope) = (Arc::clone(self), token.clone(), step.scope.clone());
                    tokio::spawn(async move { fixture.token_client.refresh(&token, scope.as_deref()).await })
                })
                .collect();
            for request in requests {
                assert_eq!(outcome(request.await.unwrap()), expected, "{name}");
            }
        } else if let Some(request) = &step.get_token {
            let requests: Vec<_> = (0..step.times.unwrap())
                .map(|_| {
                    let (fixture, request) = (Arc::clone(self), request.clone());
                    tokio::spawn(async move { fixture.token_client.get_token(&request.as_request()).await })
                })
                .collect();
            for request in requests {
                assert_eq!(outcome(request.await.unwrap()), expected, "{name}");
            }
        } else {
            panic!("{name}: an empty step");
        }
    }
}

#[tokio::test]
async fn token_client_passes_every_vector() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../vectors/token_requests.json");
    let vectors: TokenVectors = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!((vectors.now, vectors.issuer.as_str()), (NOW, ISSUER));
    for case in &vectors.cases {
        let VectorClient { client_id, client_secret, method } = &case.client;
        let client = match (client_secret, method.as_deref()) {
            (Some(secret), Some("client_secret_post")) => {
                ClientAuthentication::client_secret_post(client_id, secret)
            }
            (Some(secret), None) => ClientAuthentication::client_secret_basic(client_id, secret),
            (None, None) => ClientAuthentication::none(client_id),
            _ => panic!("{}: no such client", case.name),
        };
        let fixture = set_up(client, case.use_dpop).await;
        for step in &case.steps {
            fixture.run(step, &case.name).await;
        }
        let remaining_count = fixture.mock.script.lock().unwrap().tokens.len();
        assert_eq!(remaining_count, 0, "{}: a response was not requested", case.name);
    }
    assert!(vectors.cases.len() >= 40);
}

/// Made with `openssl genpkey` for these tests.
const KEYS: [(SigningAlgorithm, &str); 2] = [
    (SigningAlgorithm::Es256, include_str!("keys/es256.pem")),
    (SigningAlgorithm::EdDsa, include_str!("keys/ed25519.pem")),
];

#[tokio::test]
async fn private_key_jwt_signs_a_new_assertion_for_every_request() {
    for (algorithm, pem) in KEYS {
        let client = ClientAuthentication::private_key_jwt("robot", pem, algorithm, Some("k")).unwrap();
        let fixture = set_up(client, false).await;
        for _ in 0..2 {
            fixture.respond_with_token("Bearer", 0);
            fixture.token_client.get_token(&TokenRequest::default()).await.unwrap();
        }
        let ids: Vec<Value> = fixture
            .requests()
            .iter()
            .map(|request| {
                let form = &request["form"];
                assert_eq!((&form["client_id"], &request["authorization"]), (&json!("robot"), &Value::Null));
                let of_type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
                assert_eq!(form["client_assertion_type"], of_type);
                let assertion = form["client_assertion"].as_str().unwrap();
                let expected =
                    json!({"alg": algorithm.as_str(), "kid": "k", "typ": "client-authentication+jwt"});
                assert_eq!(part(assertion, 0), expected);
                let mut claims = part(assertion, 1);
                let id = claims["jti"].take();
                let expected = json!({
                    "iss": "robot", "sub": "robot", "aud": ISSUER, "iat": NOW, "exp": NOW + 60, "jti": null,
                });
                assert_eq!(claims, expected);
                id
            })
            .collect();
        assert!(ids[0].is_string() && ids[0] != ids[1]);
    }
    for (algorithm, pem) in KEYS {
        let other = if algorithm == SigningAlgorithm::Es256 {
            SigningAlgorithm::EdDsa
        } else {
            SigningAlgorithm::Es256
        };
        assert!(ClientAuthentication::private_key_jwt("robot", pem, other, None).is_err());
        assert!(ClientAuthentication::private_key_jwt("robot", pem, SigningAlgorithm::Rs256, None).is_err());
        assert!(ClientAuthentication::private_key_jwt("robot", &pem[30..], algorithm, None).is_err());
    }
}

#[tokio::test]
async fn dpop_token_is_sent_with_a_proof_for_one_request_and_only_by_the_client_that_holds_the_key() {
    let (holder, other) = (
        set_up(ClientAuthentication::none("a"), true).await,
        set_up(ClientAuthentication::none("a"), false).await,
    );
    holder.respond_with_token("DPoP", 600);
    let token = holder.token_client.get_token(&TokenRequest::default()).await.unwrap();
    let address = "https://books.example/invoices?page=1";
    let headers = holder.token_client.authorization_headers(&token, "POST", address).unwrap();
    let [("authorization", authorization), ("dpop", proof)] = &headers[..] else { panic!("{headers:?}") };
    assert_eq!(authorization, "DPoP t");
    let claims = part(proof, 1);
    assert_eq!((&claims["htm"], &claims["htu"]), (&json!("POST"), &json!("https://books.example/invoices")));
    assert_eq!((&claims["iat"], claims["ath"].as_str().unwrap().len()), (&json!(NOW), 43));
    // A nonce is used for its own server only.
    let nonce: HeaderMap = [("dpop-nonce".parse().unwrap(), "n".parse().unwrap())].into_iter().collect();
    assert!(
        holder.token_client.update_dpop_nonce(address, &nonce)
            && !holder.token_client.update_dpop_nonce(address, &HeaderMap::new())
    );
    let nonce_for = |address: &str| {
        part(&holder.token_client.authorization_headers(&token, "GET", address).unwrap()[1].1, 1)["nonce"]
            .clone()
    };
    assert_eq!(nonce_for("https://books.example/x"), "n");
    assert_eq!(nonce_for("https://files.example/x"), Value::Null);
    assert_eq!(other.token_client.authorization_headers(&token, "GET", address), None);
}

#[tokio::test]
async fn issuer_that_is_unavailable_or_names_another_issuer_is_retried() {
    let fixture = set_up(ClientAuthentication::none("a"), false).await;
    let metadata = "/.well-known/openid-configuration";
    let says = |status: u16, body: &Value| {
        let mut script = fixture.mock.script.lock().unwrap();
        script.answers.insert(metadata.to_owned(), (status, body.clone())).unwrap().1
    };
    let away = TokenRequestError {
        status: None,
        error: None,
        description: None,
        retry_after: Some(5),
        refresh_token_may_be_used: false,
    };
    let valid_metadata = says(500, &json!({}));
    assert_eq!(fixture.token_client.get_token(&TokenRequest::default()).await, Err(away.clone()));
    let mut strange = valid_metadata.clone();
    strange["issuer"] = json!("https://evil.example");
    says(200, &strange);
    fixture.now.fetch_add(5, Ordering::SeqCst);
    assert_eq!(fixture.token_client.get_token(&TokenRequest::default()).await, Err(away));
    says(200, &valid_metadata);
    fixture.now.fetch_add(5, Ordering::SeqCst);
    fixture.respond_with_token("Bearer", 600);
    assert_eq!(fixture.token_client.get_token(&TokenRequest::default()).await.unwrap().access_token, "t");
    let refused = TokenClientSettings::new("http://id.example.com", ClientAuthentication::none("a"));
    assert!(TokenClient::new(refused).is_err());
}

#[tokio::test]
async fn metadata_is_fetched_once_for_concurrent_requests_that_all_get_the_outcome() {
    let fixture = set_up(ClientAuthentication::none("a"), false).await;
    let metadata = "/.well-known/openid-configuration";
    {
        let mut script = fixture.mock.script.lock().unwrap();
        script.answers.insert(metadata.to_owned(), (500, json!({})));
        script.slowness = std::time::Duration::from_millis(200);
    }
    let requests: Vec<_> = (0..10)
        .map(|at| {
            let fixture = Arc::clone(&fixture);
            tokio::spawn(async move {
                let scope = format!("invoices:{at}");
                fixture
                    .token_client
                    .get_token(&TokenRequest { scope: Some(&scope), ..TokenRequest::default() })
                    .await
            })
        })
        .collect();
    for request in requests {
        assert_eq!(request.await.unwrap().unwrap_err().retry_after, Some(5));
    }
    assert_eq!(fixture.mock.script.lock().unwrap().request_counts[metadata], 1);
}

#[tokio::test]
async fn refresh_token_request_continues_when_its_caller_is_dropped_and_others_get_its_outcome() {
    let fixture = set_up(ClientAuthentication::none("a"), false).await;
    fixture.respond_with_token("Bearer", 600);
    fixture.mock.script.lock().unwrap().slowness = std::time::Duration::from_millis(200);
    let renew = || {
        let fixture = Arc::clone(&fixture);
        tokio::spawn(async move { fixture.token_client.refresh("r1", None).await })
    };
    let leaving = renew();
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    let join_handle = renew();
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    leaving.abort();
    assert_eq!(join_handle.await.unwrap().unwrap().access_token, "t");
    assert_eq!(fixture.requests().len(), 1);
}

#[tokio::test]
async fn token_endpoint_without_https_is_not_used() {
    for wrong in ["http://id.example.com/connect/token", "ftp://localhost/connect/token", "connect/token"] {
        let fixture = set_up(ClientAuthentication::client_secret_basic("a", "s"), false).await;
        fixture.mock.script.lock().unwrap().answers.get_mut("/.well-known/openid-configuration").unwrap().1
            ["token_endpoint"] = json!(wrong);
        assert_eq!(
            fixture.token_client.get_token(&TokenRequest::default()).await.unwrap_err().retry_after,
            Some(5),
            "{wrong}"
        );
        assert!(fixture.requests().is_empty(), "{wrong}");
    }
}

#[test]
fn debug_output_of_a_token_request_contains_no_secret() {
    for (subject, expected) in [
        (TokenSubject::AccessToken("secret"), "AccessToken(..)"),
        (TokenSubject::ApiKey("secret"), "ApiKey(..)"),
    ] {
        let request = TokenRequest { subject, ..TokenRequest::default() };
        assert_eq!(
            format!("{request:?}"),
            format!("TokenRequest {{ subject: {expected}, scope: None, resource: None }}")
        );
    }
}
