//! The protected API with a mocked issuer: which tokens it accepts and how it rejects the others.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use axum::routing::get;
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sinete_examples::protected_api::{ApiSettings, build_router};

const NOW: i64 = 1_794_700_323;

struct ApiFixture {
    issuer: String,
    api: String,
    key: EcdsaKeyPair,
}

/// Starts a mock of the issuer's metadata and keys.
async fn mock_issuer(keys: Value) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let issuer = format!("http://{}", listener.local_addr().unwrap());
    let metadata = json!({"issuer": issuer, "jwks_uri": format!("{issuer}/.well-known/jwks.json")});
    let router = Router::new()
        .route("/.well-known/openid-configuration", get(async move || Json(metadata)))
        .route("/.well-known/jwks.json", get(async move || Json(keys)));
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    issuer
}

async fn serve(router: Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    address
}

async fn set_up() -> ApiFixture {
    let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new()).unwrap();
    let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8.as_ref()).unwrap();
    let point = key.public_key().as_ref();
    let (x, y) = (URL_SAFE_NO_PAD.encode(&point[1..33]), URL_SAFE_NO_PAD.encode(&point[33..]));
    let keys = json!({"keys": [{"kty": "EC", "crv": "P-256", "alg": "ES256", "kid": "1", "x": x, "y": y}]});
    let issuer = mock_issuer(keys).await;
    let identifier = "http://api.example".to_owned();
    let api =
        serve(build_router(ApiSettings { issuer: issuer.clone(), identifier, now: || NOW }).unwrap()).await;
    ApiFixture { issuer, api, key }
}

impl ApiFixture {
    fn claims(&self, scope: &str) -> Value {
        json!({
            "iss": self.issuer, "aud": "http://api.example", "sub": "ana", "org": "acme", "role": "clerk",
            "client_id": "app", "jti": "1", "scope": scope, "iat": NOW, "exp": NOW + 60,
        })
    }

    fn token(&self, header: &Value, claims: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(header), part(claims));
        let signature = self.key.sign(&SystemRandom::new(), signed.as_bytes()).unwrap();
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()))
    }

    async fn get(&self, path: &str, token: Option<&str>) -> (u16, String, Value) {
        let mut request = reqwest::Client::new().get(format!("{}{path}", self.api));
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let answer = request.send().await.unwrap();
        let challenge = answer.headers().get("www-authenticate").map(|it| it.to_str().unwrap().to_owned());
        (answer.status().as_u16(), challenge.unwrap_or_default(), answer.json().await.unwrap_or_default())
    }
}

fn header() -> Value {
    json!({"alg": "ES256", "typ": "at+jwt", "kid": "1"})
}

#[tokio::test]
async fn access_token_for_this_api_is_accepted_for_its_organization() {
    let fixture = set_up().await;
    let token = fixture.token(&header(), &fixture.claims("openid"));
    let (status, _, body) = fixture.get("/whoami", Some(&token)).await;
    assert_eq!((status, body), (200, json!({"sub": "ana", "org": "acme"})));
    for scope in ["invoices:read", "openid invoices:*"] {
        let token = fixture.token(&header(), &fixture.claims(scope));
        let (status, _, body) = fixture.get("/invoices", Some(&token)).await;
        assert_eq!((status, &body["organization"]), (200, &json!("acme")), "{scope}");
    }
}

#[tokio::test]
async fn request_without_token_or_permission_gets_a_challenge() {
    let fixture = set_up().await;
    let document = "http://api.example/.well-known/oauth-protected-resource";
    let (status, challenge, _) = fixture.get("/invoices", None).await;
    let expected = format!("Bearer resource_metadata=\"{document}\", scope=\"invoices:read\"");
    assert_eq!((status, challenge), (401, expected));
    let token = fixture.token(&header(), &fixture.claims("openid invoices:send"));
    let (status, challenge, _) = fixture.get("/invoices", Some(&token)).await;
    let expected = format!(
        "Bearer error=\"insufficient_scope\", resource_metadata=\"{document}\", scope=\"invoices:read\""
    );
    assert_eq!((status, challenge), (403, expected));
}

#[tokio::test]
async fn invalid_access_token_is_rejected() {
    let (fixture, api_fixture) = (set_up().await, set_up().await);
    let with = |name: &str, value: Value| {
        let mut claims = fixture.claims("invoices:read");
        claims[name] = value;
        fixture.token(&header(), &claims)
    };
    let good = fixture.token(&header(), &fixture.claims("invoices:read"));
    let wrong = [
        with("iss", json!("https://evil.example")),
        with("aud", json!("http://other.example")),
        with("cnf", json!({"x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2"})),
        with("exp", json!(NOW)),
        with("org", Value::Null),
        fixture.token(&json!({"alg": "none", "typ": "at+jwt", "kid": "1"}), &fixture.claims("invoices:read")),
        fixture.token(&json!({"alg": "ES256", "typ": "JWT", "kid": "1"}), &fixture.claims("invoices:read")),
        fixture
            .token(&json!({"alg": "ES256", "typ": "at+jwt", "kid": "2"}), &fixture.claims("invoices:read")),
        api_fixture.token(&header(), &fixture.claims("invoices:read")),
        good[..good.len() - 4].to_owned(),
        "x.y.z".to_owned(),
        String::new(),
    ];
    for token in wrong {
        let (status, challenge, _) = fixture.get("/invoices", Some(&token)).await;
        assert_eq!(status, 401, "{token}");
        assert!(challenge.contains("invalid_token") || token.is_empty(), "{challenge}");
    }
    assert_eq!(fixture.get("/invoices", Some(&good)).await.0, 200);
}
