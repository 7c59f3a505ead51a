//! What a guard asks of the instance and when, and what it does when nobody answers.

use crate::instance::Instance;
use crate::vectors::Vectors;
use serde_json::{Value, json};
use sinete_client::{Algorithm, Answer, Client, Guard, GuardSettings, MemoryReplays, Misconfigured};
use sinete_client::{Needs, Refused, Replays, Shown};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

const KEYS: &str = "/.well-known/jwks.json";
const METADATA: &str = "/.well-known/openid-configuration";

struct Scene {
    vectors: Vectors,
    instance: Instance,
    now: Arc<AtomicI64>,
    guard: Guard,
}

async fn scene_with(change: impl FnOnce(&mut GuardSettings)) -> Scene {
    let vectors = Vectors::read();
    let instance = Instance::start(&vectors.issuer, &vectors.keys).await;
    let now = Arc::new(AtomicI64::new(vectors.now));
    let mut settings = GuardSettings::new(&vectors.issuer, &vectors.audience);
    let clock = Arc::clone(&now);
    settings.clock = Arc::new(move || clock.load(Ordering::SeqCst));
    settings.web = Some(instance.web());
    change(&mut settings);
    Scene { vectors, instance, now, guard: Guard::new(settings).unwrap() }
}

async fn scene() -> Scene {
    scene_with(|_| {}).await
}

impl Scene {
    fn later(&self, seconds: i64) {
        self.now.fetch_add(seconds, Ordering::SeqCst);
    }

    fn answers(&self, path: &str, status: u16, body: &Value) {
        self.instance.script.lock().unwrap().answers.insert(path.to_owned(), (status, body.clone()));
    }

    fn asked(&self, path: &str) -> usize {
        self.instance.script.lock().unwrap().asked.get(path).copied().unwrap_or_default()
    }

    async fn bearer(&self, token: &str) -> Result<(), Refused> {
        let authorization = Some(format!("Bearer {token}").into());
        let shown = Shown { method: "GET", path: "/invoices", authorization, ..Shown::default() };
        let needs = Needs { scopes: &["invoices:read"], organization: None };
        self.guard.check(&shown, &needs).await.map(|_| ())
    }

    async fn old(&self) -> u16 {
        status(&self.bearer(&self.vectors.lasting.old).await)
    }

    async fn next(&self) -> u16 {
        status(&self.bearer(&self.vectors.lasting.next).await)
    }

    /// The status that a case's first request is answered with.
    async fn case(&self, name: &str) -> u16 {
        let shown = self.vectors.request(name).shown();
        status(&self.guard.check(&shown, &Needs::default()).await.map(|_| ()))
    }
}

fn status(outcome: &Result<(), Refused>) -> u16 {
    outcome.as_ref().map_or_else(|refused| refused.status, |()| 200)
}

#[tokio::test]
async fn however_many_ask_at_once_the_keys_are_read_once() {
    let scene = Arc::new(scene().await);
    let asking: Vec<_> = (0..20)
        .map(|_| {
            let scene = Arc::clone(&scene);
            tokio::spawn(async move { scene.old().await })
        })
        .collect();
    for asked in asking {
        assert_eq!(asked.await.unwrap(), 200);
    }
    assert_eq!((scene.asked(METADATA), scene.asked(KEYS)), (1, 1));
}

#[tokio::test]
async fn whoever_leaves_before_the_keys_are_read_does_not_keep_them_from_the_others() {
    let scene = Arc::new(scene().await);
    scene.instance.script.lock().unwrap().slowness = Duration::from_millis(200);
    let leaving = {
        let scene = Arc::clone(&scene);
        tokio::spawn(async move { scene.old().await })
    };
    tokio::time::sleep(Duration::from_millis(100)).await;
    leaving.abort();
    assert!(leaving.await.is_err());
    assert_eq!(scene.old().await, 200);
    assert_eq!((scene.asked(METADATA), scene.asked(KEYS)), (1, 1));
}

#[tokio::test]
async fn keys_are_old_when_the_clock_is_set_back_and_the_instance_may_be_asked() {
    let scene = scene().await;
    assert_eq!(scene.old().await, 200);
    scene.answers(KEYS, 200, &scene.vectors.changed);
    scene.later(-1);
    assert_eq!(scene.old().await, 401);
    assert_eq!(scene.asked(KEYS), 2);
    scene.later(-1);
    scene.answers(METADATA, 500, &json!({}));
    assert_eq!(scene.next().await, 503);
}

#[tokio::test]
async fn an_endpoint_that_anybody_could_listen_to_is_not_asked() {
    for name in ["jwks_uri", "introspection_endpoint"] {
        let service = Client::with_secret("books", "s");
        let scene = scene_with(|settings| settings.introspection = Some(service)).await;
        let (_, mut metadata) = scene.instance.script.lock().unwrap().answers[METADATA].clone();
        metadata[name] = json!("http://id.example.com/there");
        scene.answers(METADATA, 200, &metadata);
        assert_eq!(scene.old().await, 503, "{name}");
        assert_eq!(scene.asked("/there"), 0, "{name}");
    }
}

#[tokio::test]
async fn a_key_that_is_not_known_is_looked_for_and_not_more_often_than_twice_a_minute() {
    let scene = scene().await;
    assert_eq!(scene.old().await, 200);
    for asked in [1, 2] {
        for _ in 0..10 {
            assert_eq!(scene.next().await, 401);
        }
        assert_eq!(scene.asked(KEYS), asked);
        scene.later(30);
    }
    scene.later(-1);
    scene.answers(KEYS, 200, &scene.vectors.changed);
    assert_eq!(scene.next().await, 401);
    scene.later(1);
    assert_eq!(scene.next().await, 200);
    assert_eq!(scene.asked(KEYS), 3);
}

#[tokio::test]
async fn a_key_that_was_withdrawn_counts_for_five_minutes_at_most() {
    let scene = scene().await;
    assert_eq!(scene.old().await, 200);
    scene.answers(KEYS, 200, &scene.vectors.changed);
    scene.later(299);
    assert_eq!(scene.old().await, 200);
    scene.later(1);
    assert_eq!(scene.old().await, 401);
}

#[tokio::test]
async fn while_the_instance_is_away_its_keys_count_for_an_hour_and_then_nothing_can_be_judged() {
    let scene = scene().await;
    assert_eq!(scene.old().await, 200);
    scene.answers(KEYS, 503, &json!({}));
    scene.later(3599);
    assert_eq!(scene.old().await, 200);
    scene.later(1);
    let refused = scene.bearer(&scene.vectors.lasting.old).await.unwrap_err();
    assert_eq!((refused.status, refused.headers()), (503, vec![("retry-after", "5".to_owned())]));
    scene.answers(KEYS, 200, &scene.vectors.keys);
    scene.later(30);
    assert_eq!(scene.old().await, 200);
}

#[tokio::test]
async fn an_instance_that_is_away_from_the_start_or_calls_itself_something_else_is_nobodys_word() {
    let scene = scene().await;
    let (_, metadata) = scene.instance.script.lock().unwrap().answers[METADATA].clone();
    scene.answers(METADATA, 500, &json!({}));
    assert_eq!((scene.old().await, scene.old().await), (503, 503));
    assert_eq!(scene.asked(METADATA), 1);
    let mut strange = metadata.clone();
    strange["issuer"] = json!("https://evil.example");
    scene.answers(METADATA, 200, &strange);
    scene.later(1);
    assert_eq!(scene.old().await, 503);
    scene.answers(METADATA, 200, &metadata);
    scene.later(1);
    assert_eq!(scene.old().await, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_sixteen_who_show_one_proof_at_once_one_is_let_in() {
    let scene = Arc::new(scene().await);
    assert_eq!(scene.old().await, 200);
    let asking: Vec<_> = (0..16)
        .map(|_| {
            let scene = Arc::clone(&scene);
            tokio::spawn(async move { scene.case("a proof counts once").await })
        })
        .collect();
    let mut outcomes = Vec::new();
    for asked in asking {
        outcomes.push(asked.await.unwrap());
    }
    outcomes.sort_unstable();
    assert_eq!(outcomes[0], 200);
    assert!(outcomes[1..].iter().all(|status| *status == 401), "{outcomes:?}");
}

struct Full;

impl Replays for Full {
    fn first_use<'a>(&'a self, _: &'a str, _: i64, _: i64, _: &'a str) -> Answer<'a> {
        Box::pin(async { Err("full".to_owned()) })
    }
}

#[tokio::test]
async fn a_proof_that_cannot_be_remembered_is_not_taken_and_room_comes_back_with_time() {
    let replays = MemoryReplays::of(1);
    assert_eq!(replays.first_use("a", 60, 0, "k").await, Ok(true));
    assert!(replays.first_use("b", 60, 60, "k").await.is_err());
    assert_eq!(replays.first_use("a", 60, 60, "k").await, Ok(false));
    assert_eq!(replays.first_use("b", 121, 61, "k").await, Ok(true));
    let scene = scene_with(|settings| settings.replays = Arc::new(Full)).await;
    assert_eq!(scene.case("a proof counts once").await, 503);
}

#[tokio::test]
async fn one_key_does_not_take_the_room_of_all_and_what_ends_late_does_not_keep_what_ended() {
    let replays = MemoryReplays::of(20);
    assert_eq!(replays.first_use("a1", 60, 0, "a").await, Ok(true));
    assert_eq!(replays.first_use("a2", 60, 0, "a").await, Ok(true));
    assert!(replays.first_use("a3", 60, 0, "a").await.is_err());
    assert_eq!(replays.first_use("b1", 1000, 0, "b").await, Ok(true));
    assert_eq!(replays.first_use("b2", 50, 0, "b").await, Ok(true));
    assert_eq!(replays.first_use("b3", 111, 51, "b").await, Ok(true));
    assert_eq!(replays.first_use("a3", 121, 61, "a").await, Ok(true));
    for at in 0..17 {
        let other = format!("c{at}");
        assert_eq!(replays.first_use(&other, 121, 61, &other).await, Ok(true));
    }
    assert!(replays.first_use("d", 121, 61, "d").await.is_err());
}

#[tokio::test]
async fn with_introspection_the_instance_has_the_last_word_and_its_scope_is_the_one_that_counts() {
    let service = Client::with_secret("books api", "a:b+c");
    let scene = scene_with(|settings| settings.introspection = Some(service)).await;
    let (issuer, audience) = (&scene.vectors.issuer, &scene.vectors.audience);
    let said = json!({
        "active": true, "iss": issuer, "sub": "ana", "aud": audience, "org": "acme", "scope": "invoices:read",
        "role": "clerk",
    });
    let with = |name: &str, value: Value| {
        let mut said = said.clone();
        said[name] = value;
        said
    };
    let address = "/connect/introspect";
    let answers = [
        (200, said.clone(), 200),
        (200, json!({"active": false}), 401),
        (200, with("active", json!("true")), 401),
        (200, with("sub", json!("eve")), 401),
        (200, with("org", json!("globex")), 401),
        (200, with("aud", json!("https://files.example")), 401),
        (200, with("scope", json!("openid")), 403),
        (500, said.clone(), 503),
    ];
    for (status, said, expected) in answers {
        scene.answers(address, status, &said);
        assert_eq!(scene.old().await, expected, "{status} {said}");
    }
    // What is no token of this API's is not asked about.
    assert_eq!(status(&scene.bearer("x.y.z").await), 401);
    assert_eq!(scene.asked(address), 8);
    let (authorization, body) = scene.instance.script.lock().unwrap().last.clone();
    assert_eq!(authorization, "Basic Ym9va3MrYXBpOmElM0FiJTJCYw==");
    assert!(body.contains(&format!("token={}", scene.vectors.lasting.old)), "{body}");
}

#[test]
fn a_guard_is_not_set_up_with_what_it_could_not_guard_with() {
    let made = |issuer: &str, audience: &str, change: fn(&mut GuardSettings)| {
        let mut settings = GuardSettings::new(issuer, audience);
        change(&mut settings);
        Guard::new(settings).map(|_| ()).map_err(|why| why.to_string())
    };
    let (issuer, audience) = ("https://id.example.com", "https://books.example");
    assert_eq!(made(issuer, audience, |_| {}), Ok(()));
    for wrong in [
        "http://id.example.com",
        "https://id.example.com/",
        "id",
        "https://id.example.com?a",
        "https://id.example.com?",
    ] {
        let expected = Misconfigured::Issuer(wrong.to_owned()).to_string();
        assert_eq!(made(wrong, audience, |_| {}), Err(expected));
    }
    assert_eq!(made(issuer, "books", |_| {}), Err(Misconfigured::Audience.to_string()));
    assert_eq!(made(issuer, "urn:books", |_| {}), Err(Misconfigured::Address.to_string()));
    let elsewhere = |it: &mut GuardSettings| it.address = Some("https://books.example".to_owned());
    assert_eq!(made(issuer, "urn:books", elsewhere), Ok(()));
    for wrong in ["https://books.example?", "https://books.example/?a=b", "https://books.example/#"] {
        let mut settings = GuardSettings::new(issuer, audience);
        settings.address = Some(wrong.to_owned());
        assert_eq!(Guard::new(settings).map(|_| ()).unwrap_err(), Misconfigured::Address, "{wrong}");
    }
    let none = |it: &mut GuardSettings| it.algorithms = Vec::new();
    assert_eq!(made(issuer, audience, none), Err(Misconfigured::Algorithms.to_string()));
    let long = |it: &mut GuardSettings| it.leeway = Duration::from_secs(61);
    assert_eq!(made(issuer, audience, long), Err(Misconfigured::Leeway.to_string()));
    assert!("none".parse::<Algorithm>().is_err() && "HS256".parse::<Algorithm>().is_err());
}

#[test]
fn a_second_header_is_not_hidden() {
    let mut headers = reqwest::header::HeaderMap::new();
    headers.append("authorization", "Bearer a".parse().unwrap());
    assert_eq!(Shown::by("GET", "/", &headers).authorization.as_deref(), Some("Bearer a"));
    headers.append("authorization", "Bearer b".parse().unwrap());
    assert_eq!(Shown::by("GET", "/", &headers).authorization.as_deref(), Some("Bearer a, Bearer b"));
    assert!(Shown::by("GET", "/", &headers).dpop.is_none());
}

#[test]
fn what_is_shown_gets_into_no_log() {
    let mut headers = reqwest::header::HeaderMap::new();
    headers.append("authorization", "DPoP secret-token".parse().unwrap());
    headers.append("dpop", "secret-proof".parse().unwrap());
    let shown = Shown::by("GET", "/invoices?access_token=secret-token", &headers);
    assert_eq!(format!("{shown:?}"), r#"Shown { method: "GET", path: "/invoices", .. }"#);
}
