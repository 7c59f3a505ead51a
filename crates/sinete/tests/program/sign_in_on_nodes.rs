//! Tests of sign-in while nodes are killed, and on two nodes at once.

use crate::machine::{Machine, PATIENCE, Server, eventually, patient, postgres_database};
use crate::totp_app::TotpApp;
use serde_json::{Value, json};
use sinete::os::SystemClock;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_store::{Store, StoreAccess, WriteBatch, accounts};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

pub const PASSWORD: &str = "a kettle sings at dawn";

/// Sends a request to a node, and returns the status and body.
pub fn ask(node: &Server, request_line: &str, authorization: &str, body: &Value) -> (u16, Value) {
    ask_with(node, request_line, "", authorization, body)
}

/// The same, with additional headers.
pub fn ask_with(
    node: &Server,
    request_line: &str,
    headers: &str,
    authorization: &str,
    body: &Value,
) -> (u16, Value) {
    let mut stream = TcpStream::connect(node.public).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let authorization = match authorization {
        "" => String::new(),
        credentials => format!("Authorization: {credentials}\r\n"),
    };
    write!(
        stream,
        "{request_line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}{authorization}\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    (status, serde_json::from_str(body).unwrap_or_default())
}

/// A flow that can continue at any node.
pub struct FlowOnNode {
    id: String,
    token: String,
}

impl FlowOnNode {
    pub fn begin(node: &Server, session: &str, mut flow_request: Value) -> (Self, Value) {
        flow_request["session"] = "token".into();
        let (status, started_flow) = ask(node, "POST /flows", session, &flow_request);
        assert_eq!(status, 201, "{started_flow}");
        let text = |name: &str| started_flow[name].as_str().unwrap().to_owned();
        (Self { id: text("id"), token: text("flow_token") }, started_flow)
    }

    /// Submits an action; a successful proof returns a new token.
    pub fn says(&mut self, node: &Server, action: &str, body: Value) -> (u16, Value) {
        let (status, response_body) = self.tries(node, action, body);
        if let Some(token) = response_body["flow_token"].as_str() {
            token.clone_into(&mut self.token);
        }
        (status, response_body)
    }

    fn tries(&self, node: &Server, action: &str, body: Value) -> (u16, Value) {
        ask(node, &format!("POST /flows/{}/{action}", self.id), &format!("Flow {}", self.token), &body)
    }

    fn stage(&self, node: &Server) -> Value {
        ask(node, &format!("GET /flows/{}", self.id), &format!("Flow {}", self.token), &Value::Null).1
            ["stage"]
            .clone()
    }
}

/// The code in the newest e-mail to this address.
pub fn mailed_code(node: &Server, email: &str) -> String {
    let mut code = None;
    eventually("the mail arrives", || {
        code = code_in(&ask(node, "GET /dev/mail", "", &Value::Null).1, email);
        code.is_some()
    });
    code.unwrap()
}

/// The code in the newest e-mail to this address, if it has arrived.
pub fn code_in(mailbox: &Value, email: &str) -> Option<String> {
    let newest = mailbox["items"].as_array()?.iter().find(|message| message["to"] == email)?;
    let is_code = |word: &&str| word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_digit());
    newest["text"].as_str()?.split_whitespace().find(is_code).map(str::to_owned)
}

/// A machine with cheap password hashing, whose cost is not tested here.
pub fn thrifty() -> Machine {
    Machine::new().with("SINETE_PASSWORDS_MEMORY_KIB", "64").with("SINETE_PASSWORDS_PASSES", "1")
}

/// Kills the node and starts it again.
fn killed(machine: &Machine, mut node: Server) -> Server {
    node.signal("KILL");
    assert_eq!(node.ended().code, None, "it was killed");
    machine.serve()
}

pub fn held(body: &Value) -> String {
    format!("Session {}", body["session_token"].as_str().unwrap_or_else(|| panic!("no session: {body}")))
}

fn enrol(node: &Server, session: &str, credential_kind: &str) -> (FlowOnNode, Value) {
    FlowOnNode::begin(node, session, json!({"kind": "enroll", "credential": credential_kind}))
}

/// Submits the password, so that the second factor is next.
fn after_password(node: &Server) -> FlowOnNode {
    let (mut walk, _) = FlowOnNode::begin(node, "", json!({"kind": "sign_in"}));
    let body = json!({"email": "ana@example.com", "password": PASSWORD});
    let (status, response_body) = walk.says(node, "password", body);
    assert_eq!((status, &response_body["stage"]), (200, &json!("second_factor")), "{response_body}");
    walk
}

#[test]
fn flow_survives_a_killed_node_and_used_codes_stay_used() {
    let machine = thrifty();
    let node = machine.serve();
    let (mut walk, _) = FlowOnNode::begin(&node, "", json!({"kind": "sign_up"}));
    let (status, body) =
        walk.says(&node, "details", json!({"email": "ana@example.com", "password": PASSWORD}));
    assert_eq!((status, &body["stage"]), (200, &json!("mailed_proof")), "{body}");
    let code = mailed_code(&node, "ana@example.com");

    // Between sending a code and submitting it.
    let node = killed(&machine, node);
    assert_eq!(walk.stage(&node), "mailed_proof");
    let (status, body) = walk.says(&node, "code", json!({"code": code}));
    assert_eq!((status, &body["stage"]), (200, &json!("signed_in")), "{body}");
    let session = held(&body);
    let (mut codes, _) = enrol(&node, &session, "recovery_codes");
    let (status, body) = codes.says(&node, "recovery_codes", json!({}));
    assert_eq!(status, 200, "{body}");
    let recovery = [0, 1, 2].map(|index: usize| body["recovery_codes"][index].as_str().unwrap().to_owned());

    // The code is used and the session exists, also after the restart.
    let node = killed(&machine, node);
    assert_eq!(walk.tries(&node, "code", json!({"code": code})).0, 409);
    assert_eq!(ask(&node, "GET /account", &session, &Value::Null).0, 200);
    // Adding another credential requires all existing factors.
    let (mut on_node, _) = FlowOnNode::begin(&node, &session, json!({"kind": "step_up"}));
    let (status, body) = on_node.says(&node, "recovery_code", json!({"code": recovery[2]}));
    assert_eq!((status, &body["stage"]), (200, &json!("signed_in")), "{body}");
    let (mut app, started_flow) = enrol(&node, &held(&body), "totp");
    let shows = TotpApp::from_uri(started_flow["totp"]["uri"].as_str().unwrap());
    let digits = shows.code_at(SystemClock.now().seconds());
    assert_eq!(app.says(&node, "totp_confirmation", json!({"code": digits})).0, 200);

    // Between the password and the second factor.
    let mut walk = after_password(&node);
    let node = killed(&machine, node);
    assert_eq!(walk.stage(&node), "second_factor");
    // The TOTP code that was used for enrollment is rejected, on every node and after every restart.
    assert_eq!(walk.tries(&node, "totp", json!({"code": digits})).0, 422);
    let (status, body) = walk.says(&node, "recovery_code", json!({"code": recovery[0]}));
    assert_eq!((status, &body["stage"]), (200, &json!("signed_in")), "{body}");
    let node = killed(&machine, node);
    assert_eq!(walk.tries(&node, "recovery_code", json!({"code": recovery[0]})).0, 409);
    let mut walk = after_password(&node);
    assert_eq!(walk.tries(&node, "recovery_code", json!({"code": recovery[0]})).0, 422);
    assert_eq!(walk.says(&node, "recovery_code", json!({"code": recovery[1]})).0, 200);
    node.stop().succeeded();
}

#[test]
fn disabled_account_loses_its_sessions_on_every_node_at_the_next_request() {
    let address = postgres_database();
    let machines = [(); 2].map(|()| {
        let machine = thrifty()
            .with("SINETE_DATABASE_URL", address.clone())
            .with("SINETE_BASE_URL", "http://localhost:8080")
            .with("SINETE_INSTANCE_KEY_FILE", "instance.key");
        machine.private("instance.key", "5FykkKIe0lq_7ZxZlQWvHyfXGmVYKLUbOtZ5PyLnSA8\n");
        machine
    });
    let one = machines[0].serve();
    let (mut walk, _) = FlowOnNode::begin(&one, "", json!({"kind": "sign_up"}));
    walk.says(&one, "details", json!({"email": "ana@example.com", "password": PASSWORD}));
    let code = mailed_code(&one, "ana@example.com");
    // The rest of the flow runs on the other node.
    let other = machines[1].serve();
    let (status, body) = walk.says(&other, "code", json!({"code": code}));
    assert_eq!((status, &body["stage"]), (200, &json!("signed_in")), "{body}");
    let session = held(&body);
    let looks = |node: &Server| ask(node, "GET /account", &session, &Value::Null);
    let (status, account_body) = looks(&one);
    assert_eq!((status, looks(&other).0), (200, 200), "{account_body}");
    let (mut on_node, _) = FlowOnNode::begin(&other, "", json!({"kind": "sign_in"}));

    let account = account_body["id"].as_str().unwrap().parse().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let store = Store::open(&address.parse().unwrap(), &patient(StoreAccess::Serve)).await.unwrap();
        let account_row = accounts::find_account(&store, account).await.unwrap().unwrap();
        let now = SystemClock.now();
        let suspended = accounts::change_account_condition(
            account,
            account_row.version,
            LifecycleCondition::Suspended,
            now,
        );
        store.commit(WriteBatch::new().with_statement(suspended)).await.unwrap().into_result().unwrap();
        store.close().await;
    });
    // The next request is rejected at both nodes.
    for node in [&one, &other] {
        assert_eq!(looks(node).0, 401);
    }
    let response_body = json!({"email": "ana@example.com", "password": PASSWORD});
    assert_eq!(on_node.says(&other, "password", response_body).0, 422);
    for node in [one, other] {
        node.stop().succeeded();
    }
}
