//! How tokens are asked for and kept, from the vectors that the libraries share.

use crate::instance::{Instance, TokenAnswer};
use axum::http::HeaderMap;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sinete_client::{Algorithm, Client, Subject, Token, TokenRefused, TokenSettings, Tokens, Wanted};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

#[derive(Deserialize)]
struct Vectors {
    now: i64,
    issuer: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    client: AsClient,
    bound: bool,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct AsClient {
    id: String,
    secret: Option<String>,
    secret_in: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    answer: Option<TokenAnswer>,
    later: Option<i64>,
    asked: Option<Value>,
    forget: Option<AsWanted>,
    refresh: Option<String>,
    scope: Option<String>,
    get: Option<AsWanted>,
    times: Option<usize>,
    token: Option<Value>,
    refused: Option<Value>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct AsWanted {
    token: Option<String>,
    api_key: Option<String>,
    scope: Option<String>,
    resource: Option<String>,
}

impl AsWanted {
    fn wanted(&self) -> Wanted<'_> {
        let subject = match (&self.token, &self.api_key) {
            (Some(token), _) => Subject::Token(token),
            (None, Some(key)) => Subject::ApiKey(key),
            (None, None) => Subject::Itself,
        };
        Wanted { subject, scope: self.scope.as_deref(), resource: self.resource.as_deref() }
    }
}

struct Scene {
    instance: Instance,
    now: AtomicI64,
    tokens: Tokens,
}

const NOW: i64 = 1000;
const ISSUER: &str = "http://localhost:8080";

/// An instance whose token endpoint answers from a list, and a client of it.
async fn scene(client: Client, bound: bool) -> Arc<Scene> {
    let instance = Instance::start(ISSUER, &json!({"keys": []})).await;
    let web = instance.web();
    Arc::new_cyclic(|scene: &std::sync::Weak<Scene>| {
        let scene = scene.clone();
        let clock = move || scene.upgrade().map_or(NOW, |scene| scene.now.load(Ordering::SeqCst));
        let usual = TokenSettings::new(ISSUER, client);
        let settings = TokenSettings { bound, web: Some(web), clock: Arc::new(clock), ..usual };
        Scene { instance, now: AtomicI64::new(NOW), tokens: Tokens::new(settings).unwrap() }
    })
}

fn told(outcome: Result<Token, TokenRefused>) -> Value {
    match outcome {
        Ok(it) => json!({"token": {
            "accessToken": it.access_token, "type": if it.is_bound { "DPoP" } else { "Bearer" },
            "expiresAt": it.expires_at, "scope": it.scope, "refreshToken": it.refresh_token,
        }}),
        Err(it) => {
            let mut refused = json!({
                "status": it.status, "error": it.error, "description": it.description, "retryAfter": it.retry_after,
            });
            if it.may_be_spent {
                refused["mayBeSpent"] = json!(true);
            }
            json!({"refused": refused})
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

impl Scene {
    fn answers(&self, answer: TokenAnswer) {
        self.instance.script.lock().unwrap().tokens.push_back(answer);
    }

    fn grants(&self, type_: &str, seconds: i64) {
        let json = json!({"access_token": "t", "token_type": type_, "expires_in": seconds});
        self.answers(TokenAnswer { status: 200, json: Some(json), headers: [].into(), is_endless: false });
    }

    fn requests(&self) -> Vec<Value> {
        let requests = std::mem::take(&mut self.instance.script.lock().unwrap().token_requests);
        requests.into_iter().map(request).collect()
    }

    async fn take(self: &Arc<Self>, step: &Step, name: &str) {
        let expected = match (&step.token, &step.refused) {
            (Some(token), _) => json!({"token": token}),
            (None, refused) => json!({"refused": refused}),
        };
        if let Some(answer) = &step.answer {
            self.answers(answer.clone());
        } else if let Some(seconds) = step.later {
            self.now.fetch_add(seconds, Ordering::SeqCst);
        } else if let Some(asked) = &step.asked {
            assert_eq!(&json!(self.requests()), asked, "{name}");
        } else if let Some(wanted) = &step.forget {
            self.tokens.forget(&wanted.wanted());
        } else if let Some(token) = &step.refresh {
            let asking: Vec<_> = (0..step.times.unwrap_or(1))
                .map(|_| {
                    let (scene, token, scope) = (Arc::clone(self), token.clone(), step.scope.clone());
                    tokio::spawn(async move { scene.tokens.refresh(&token, scope.as_deref()).await })
                })
                .collect();
            for asked in asking {
                assert_eq!(told(asked.await.unwrap()), expected, "{name}");
            }
        } else if let Some(wanted) = &step.get {
            let asking: Vec<_> = (0..step.times.unwrap())
                .map(|_| {
                    let (scene, wanted) = (Arc::clone(self), wanted.clone());
                    tokio::spawn(async move { scene.tokens.get(&wanted.wanted()).await })
                })
                .collect();
            for asked in asking {
                assert_eq!(told(asked.await.unwrap()), expected, "{name}");
            }
        } else {
            panic!("{name}: a step that says nothing");
        }
    }
}

#[tokio::test]
async fn tokens_are_asked_for_and_kept_as_every_vector_says() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../vectors/tokens.json");
    let vectors: Vectors = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!((vectors.now, vectors.issuer.as_str()), (NOW, ISSUER));
    for case in &vectors.cases {
        let AsClient { id, secret, secret_in } = &case.client;
        let client = match (secret, secret_in.as_deref()) {
            (Some(secret), Some("form")) => Client::with_secret_in_form(id, secret),
            (Some(secret), None) => Client::with_secret(id, secret),
            (None, None) => Client::public(id),
            _ => panic!("{}: no such client", case.name),
        };
        let scene = scene(client, case.bound).await;
        for step in &case.steps {
            scene.take(step, &case.name).await;
        }
        let left = scene.instance.script.lock().unwrap().tokens.len();
        assert_eq!(left, 0, "{}: an answer was not asked for", case.name);
    }
    assert!(vectors.cases.len() >= 40);
}

/// Made with `openssl genpkey` for these tests.
const KEYS: [(Algorithm, &str); 2] = [
    (Algorithm::Es256, include_str!("keys/es256.pem")),
    (Algorithm::EdDsa, include_str!("keys/ed25519.pem")),
];

#[tokio::test]
async fn a_client_with_a_key_signs_an_assertion_for_the_instance_a_new_one_each_time() {
    for (algorithm, pem) in KEYS {
        let client = Client::with_key("robot", pem, algorithm, Some("k")).unwrap();
        let scene = scene(client, false).await;
        for _ in 0..2 {
            scene.grants("Bearer", 0);
            scene.tokens.get(&Wanted::default()).await.unwrap();
        }
        let ids: Vec<Value> = scene
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
        let other = if algorithm == Algorithm::Es256 { Algorithm::EdDsa } else { Algorithm::Es256 };
        assert!(Client::with_key("robot", pem, other, None).is_err());
        assert!(Client::with_key("robot", pem, Algorithm::Rs256, None).is_err());
        assert!(Client::with_key("robot", &pem[30..], algorithm, None).is_err());
    }
}

#[tokio::test]
async fn a_bound_token_is_shown_beside_a_proof_for_one_request_and_nobody_else_shows_it() {
    let (holder, other) = (scene(Client::public("a"), true).await, scene(Client::public("a"), false).await);
    holder.grants("DPoP", 600);
    let token = holder.tokens.get(&Wanted::default()).await.unwrap();
    let address = "https://books.example/invoices?page=1";
    let headers = holder.tokens.headers(&token, "POST", address).unwrap();
    let [("authorization", authorization), ("dpop", proof)] = &headers[..] else { panic!("{headers:?}") };
    assert_eq!(authorization, "DPoP t");
    let claims = part(proof, 1);
    assert_eq!((&claims["htm"], &claims["htu"]), (&json!("POST"), &json!("https://books.example/invoices")));
    assert_eq!((&claims["iat"], claims["ath"].as_str().unwrap().len()), (&json!(NOW), 43));
    // The nonce of one API is not shown to another.
    let nonce: HeaderMap = [("dpop-nonce".parse().unwrap(), "n".parse().unwrap())].into_iter().collect();
    assert!(holder.tokens.learn(address, &nonce) && !holder.tokens.learn(address, &HeaderMap::new()));
    let nonce_for = |address: &str| {
        part(&holder.tokens.headers(&token, "GET", address).unwrap()[1].1, 1)["nonce"].clone()
    };
    assert_eq!(nonce_for("https://books.example/x"), "n");
    assert_eq!(nonce_for("https://files.example/x"), Value::Null);
    assert_eq!(other.tokens.headers(&token, "GET", address), None);
}

#[tokio::test]
async fn an_instance_that_is_away_or_calls_itself_something_else_gives_nothing_and_may_be_asked_again() {
    let scene = scene(Client::public("a"), false).await;
    let metadata = "/.well-known/openid-configuration";
    let says = |status: u16, body: &Value| {
        let mut script = scene.instance.script.lock().unwrap();
        script.answers.insert(metadata.to_owned(), (status, body.clone())).unwrap().1
    };
    let away = TokenRefused {
        status: None,
        error: None,
        description: None,
        retry_after: Some(5),
        may_be_spent: false,
    };
    let right = says(500, &json!({}));
    assert_eq!(scene.tokens.get(&Wanted::default()).await, Err(away.clone()));
    let mut strange = right.clone();
    strange["issuer"] = json!("https://evil.example");
    says(200, &strange);
    scene.now.fetch_add(5, Ordering::SeqCst);
    assert_eq!(scene.tokens.get(&Wanted::default()).await, Err(away));
    says(200, &right);
    scene.now.fetch_add(5, Ordering::SeqCst);
    scene.grants("Bearer", 600);
    assert_eq!(scene.tokens.get(&Wanted::default()).await.unwrap().access_token, "t");
    let refused = TokenSettings::new("http://id.example.com", Client::public("a"));
    assert!(Tokens::new(refused).is_err());
}

#[tokio::test]
async fn however_many_wait_for_what_the_instance_says_of_itself_it_is_asked_once_and_all_are_told() {
    let scene = scene(Client::public("a"), false).await;
    let metadata = "/.well-known/openid-configuration";
    {
        let mut script = scene.instance.script.lock().unwrap();
        script.answers.insert(metadata.to_owned(), (500, json!({})));
        script.slowness = std::time::Duration::from_millis(200);
    }
    let asking: Vec<_> = (0..10)
        .map(|at| {
            let scene = Arc::clone(&scene);
            tokio::spawn(async move {
                let scope = format!("invoices:{at}");
                scene.tokens.get(&Wanted { scope: Some(&scope), ..Wanted::default() }).await
            })
        })
        .collect();
    for asked in asking {
        assert_eq!(asked.await.unwrap().unwrap_err().retry_after, Some(5));
    }
    assert_eq!(scene.instance.script.lock().unwrap().asked[metadata], 1);
}

#[tokio::test]
async fn a_renewal_goes_on_when_whoever_began_it_leaves_and_whoever_waits_is_given_what_comes_of_it() {
    let scene = scene(Client::public("a"), false).await;
    scene.grants("Bearer", 600);
    scene.instance.script.lock().unwrap().slowness = std::time::Duration::from_millis(200);
    let renew = || {
        let scene = Arc::clone(&scene);
        tokio::spawn(async move { scene.tokens.refresh("r1", None).await })
    };
    let leaving = renew();
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    let waiting = renew();
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    leaving.abort();
    assert_eq!(waiting.await.unwrap().unwrap().access_token, "t");
    assert_eq!(scene.requests().len(), 1);
}

#[tokio::test]
async fn a_token_endpoint_that_anybody_could_listen_to_is_not_asked() {
    for wrong in ["http://id.example.com/connect/token", "ftp://localhost/connect/token", "connect/token"] {
        let scene = scene(Client::with_secret("a", "s"), false).await;
        scene
            .instance
            .script
            .lock()
            .unwrap()
            .answers
            .get_mut("/.well-known/openid-configuration")
            .unwrap()
            .1["token_endpoint"] = json!(wrong);
        assert_eq!(scene.tokens.get(&Wanted::default()).await.unwrap_err().retry_after, Some(5), "{wrong}");
        assert!(scene.requests().is_empty(), "{wrong}");
    }
}

#[test]
fn what_is_exchanged_gets_into_no_log() {
    for (subject, expected) in
        [(Subject::Token("secret"), "Token(..)"), (Subject::ApiKey("secret"), "ApiKey(..)")]
    {
        let wanted = Wanted { subject, ..Wanted::default() };
        assert_eq!(
            format!("{wanted:?}"),
            format!("Wanted {{ subject: {expected}, scope: None, resource: None }}")
        );
    }
}
