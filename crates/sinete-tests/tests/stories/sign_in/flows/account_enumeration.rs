//! Account enumeration: known, unknown, disabled and passwordless accounts get the same response after the same work.

use crate::both_engines;
use crate::harness::api_caller::ApiResponse;
use crate::harness::database::TestEngine;
use crate::harness::flow_client::{FlowClient, PASSWORD};
use crate::harness::query_recorder::RequestWork;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::id::{AccountId, ContactId, CredentialId};
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::{ContactKind, NewContact};
use sinete_store::sign_in::credentials;
use sinete_store::sign_in::credentials::{NewCredential, StoredCredentialKind};
use sinete_store::{GuardedStatement, JsonDocument, accounts};
use std::collections::{BTreeMap, BTreeSet};

/// An address of each kind of account; the last has none.
const ADDRESSES: [&str; 4] =
    ["known@example.com", "locked@example.com", "pwless@example.com", "nobody@example.com"];

const WRONG: &str = "wrong wrong wrong wrong";

async fn cast(world: &World) {
    let engine = world.server.engine();
    world.create_user(ADDRESSES[0]).await;
    let locked = world.create_user(ADDRESSES[1]).await;
    let account = accounts::find_account(engine.store(), locked.account).await.unwrap().unwrap();
    let suspended = accounts::change_account_condition(
        locked.account,
        account.version,
        LifecycleCondition::Suspended,
        engine.now(),
    );
    let passwordless = world.create_user(ADDRESSES[2]).await;
    let credentials =
        credentials::list_account_credentials(engine.store(), passwordless.account).await.unwrap();
    world.apply_statements([suspended, credentials::remove_credential(&credentials[0], engine.now())]).await;
}

/// What a caller can observe: the status, the headers except those with a time, the cookies without their values, and
/// the body without random values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Told {
    status: u16,
    headers: Vec<(String, String)>,
    text: String,
}

fn told(reply: &ApiResponse) -> Told {
    let mut text = reply.text.clone();
    let mut random_values = Vec::new();
    for member in ["id", "instance", "expires_at", "flow_token", "csrf_token"] {
        random_values.extend(reply.body[member].as_str().map(str::to_owned));
    }
    challenges(&reply.body, &mut random_values);
    for value in &random_values {
        text = text.replace(value.as_str(), &"·".repeat(value.len()));
    }
    let moment = ["date", "x-request-id"];
    let headers = reply.headers.iter().filter(|(name, _)| !moment.contains(&name.as_str()));
    let mut headers: Vec<_> = headers
        .map(|(name, value)| {
            let mut value = value.to_str().unwrap().to_owned();
            if name == "set-cookie" {
                let (pair, rest) = value.split_once(';').unwrap();
                let (cookie, content) = pair.split_once('=').unwrap();
                value = format!("{cookie}={};{rest}", "·".repeat(content.len()));
            }
            for random_value in &random_values {
                value = value.replace(random_value.as_str(), "·");
            }
            (name.to_string(), value)
        })
        .collect();
    headers.sort();
    Told { status: reply.status, headers, text }
}

/// WebAuthn challenges are random.
fn challenges(body: &Value, into: &mut Vec<String>) {
    match body {
        Value::Object(members) => {
            into.extend(members.get("challenge").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|member| challenges(member, into));
        }
        Value::Array(items) => items.iter().for_each(|item| challenges(item, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The requests by which a caller could find out whether an address has an account.
#[derive(Clone, Copy, Debug)]
enum Asking {
    Password,
    Code,
    Reset,
    SignUp,
}

impl Asking {
    const ALL: [Self; 4] = [Self::Password, Self::Code, Self::Reset, Self::SignUp];

    const fn kind(self) -> &'static str {
        match self {
            Self::Password | Self::Code => "sign_in",
            Self::Reset => "reset_password",
            Self::SignUp => "sign_up",
        }
    }

    async fn begin(self, world: &World) -> FlowClient<'_> {
        world.start_browser_flow(json!({"kind": self.kind()}), &BTreeMap::new()).await
    }

    async fn ask(self, walk: &mut FlowClient<'_>, address: &str) -> ApiResponse {
        match self {
            Self::Password => walk.submit("password", json!({"email": address, "password": WRONG})).await,
            Self::Code | Self::Reset => walk.submit("email", json!({"email": address})).await,
            Self::SignUp => walk.submit("details", json!({"email": address, "password": PASSWORD})).await,
        }
    }
}

both_engines!(
    account_enumeration_is_prevented_in_responses_and_work,
    account_enumeration_is_prevented_at_the_start_of_a_sign_in_flow
);

async fn account_enumeration_is_prevented_in_responses_and_work(world: &World) {
    cast(world).await;
    let query_recorder = world.record_queries();
    for request_kind in Asking::ALL {
        let mut answers: Vec<(Told, RequestWork)> = Vec::new();
        let mut wrong = Vec::new();
        for address in ADDRESSES {
            let mut walk = request_kind.begin(world).await;
            let (reply, request_work) =
                query_recorder.measure(world, request_kind.ask(&mut walk, address)).await;
            answers.push((told(&reply), request_work));
            // A code is refused in the same way whether one was sent or not.
            let (reply, request_work) =
                query_recorder.measure(world, walk.submit("code", json!({"code": "00000000"}))).await;
            wrong.push((told(&reply), request_work));
        }
        for answer in answers.iter().chain(&wrong) {
            assert!(!answer.1.statements.is_empty(), "no statement was recorded");
        }
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{request_kind:?}: {answers:#?}");
        assert!(wrong.iter().all(|answer| *answer == wrong[0]), "{request_kind:?}: {wrong:#?}");
        let (status, hashes) = match request_kind {
            Asking::Password => (422, 1),
            Asking::Code | Asking::Reset => (200, 0),
            Asking::SignUp => (200, 1),
        };
        assert_eq!((answers[0].0.status, answers[0].1.hashes), (status, hashes), "{request_kind:?}");
        world.clock.advance(sinete_core::limits::EMAIL_CODE_INTERVAL);
    }
    // Nor does the right password make a difference if the account cannot sign in with it.
    let expected = told(&world.sign_in_with_password(ADDRESSES[3], PASSWORD).await);
    for address in &ADDRESSES[1..3] {
        assert_eq!(told(&world.sign_in_with_password(address, PASSWORD).await), expected, "{address}");
    }
    let mut received = Vec::new();
    for address in ADDRESSES {
        received.push(world.count_emails_to(address).await);
    }
    assert_eq!(
        received,
        [3, 1, 3, 1],
        "accounts: a code, a reset and a notice that the account exists; others: a sign-up code"
    );
}

async fn account_enumeration_is_prevented_at_the_start_of_a_sign_in_flow(world: &World) {
    let first = told(&Asking::Code.begin(world).await.last);
    cast(world).await;
    assert_eq!(told(&Asking::Code.begin(world).await.last), first);
    assert!(
        !first.text.contains("\"allowCredentials\":[{"),
        "the response has no passkeys of an account: {}",
        first.text
    );
}

/// Creates this many users with a verified address and a password.
async fn crowd(world: &World, many: usize) {
    let engine = world.server.engine();
    let (now, nothing) = (engine.now(), JsonDocument::from_value(&json!({})).unwrap());
    let parameters = engine.settings().passwords.parameters;
    let hash = sinete_crypto::sign_in::credentials::password::hash_password(
        PASSWORD.as_bytes(),
        &[7; 16],
        &parameters,
        None,
    )
    .unwrap();
    let build_account = |number: usize| -> [GuardedStatement; 4] {
        let (account, contact) =
            (AccountId::mint(now, engine.entropy()), ContactId::mint(now, engine.entropy()));
        let address = &address("known", number);
        let added = NewContact {
            id: contact,
            account,
            kind: ContactKind::Email,
            address,
            lookup: address,
            is_primary: true,
            created_at: now,
        };
        let password = NewCredential {
            id: CredentialId::mint(now, engine.entropy()),
            account,
            kind: StoredCredentialKind::Password,
            name: "",
            handle: None,
            material: hash.as_bytes(),
            counter: 0,
            created_at: now,
            confirmed_at: Some(now),
        };
        [
            accounts::create_account(account, None, &nothing, now),
            contacts::add_contact(&added),
            contacts::verify_contact(account, contact, now),
            credentials::add_credential(&password),
        ]
    };
    for some in (0..many).collect::<Vec<_>>().chunks(50) {
        world.apply_statements(some.iter().flat_map(|number| build_account(*number))).await;
    }
}

fn address(name: &str, number: usize) -> String {
    format!("{name}{number:04}@example.com")
}

/// This many samples of each kind of request, each kind on a server of its own and all at the same time.
async fn assert_no_account_enumeration(on: TestEngine, many: usize) {
    let checks = Asking::ALL.map(|request_kind| tokio::spawn(assert_one_response(on, many, request_kind)));
    for check in checks {
        check.await.unwrap();
    }
}

/// This many samples of known and unknown addresses: there is one response, and the total work is the same.
async fn assert_one_response(on: TestEngine, many: usize, request_kind: Asking) {
    let world = World::start(on).await;
    crowd(&world, many).await;
    let query_recorder = world.record_queries();
    let mut answers = BTreeSet::new();
    let mut costs = Vec::new();
    for name in ["known", "never"] {
        let requests = async {
            // A wrong password leaves the flow at its stage.
            let mut walk = request_kind.begin(&world).await;
            for number in 0..many {
                answers.insert(told(&request_kind.ask(&mut walk, &address(name, number)).await));
                if !matches!(request_kind, Asking::Password) {
                    walk = request_kind.begin(&world).await;
                }
            }
        };
        let ((), request_work) = query_recorder.measure(&world, requests).await;
        let mut statements = BTreeMap::new();
        for statement in request_work.statements {
            *statements.entry(statement).or_insert(0) += 1;
        }
        costs.push((request_work.hashes, statements));
    }
    assert_eq!(answers.len(), 1, "{request_kind:?}: {answers:#?}");
    assert_eq!(costs[0], costs[1], "{request_kind:?}");
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn account_enumeration_shows_no_difference_in_a_thousand_samples_on_sqlite() {
    assert_no_account_enumeration(TestEngine::Sqlite, 1_000).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn account_enumeration_shows_no_difference_in_a_hundred_samples_on_postgres() {
    assert_no_account_enumeration(TestEngine::Postgres, 100).await;
}
