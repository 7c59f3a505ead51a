//! Compares an instance with disabled screens to a program built without them: all responses and e-mails are
//! the same.

use crate::machine::{Machine, PATIENCE, Server, eventually};
use serde_json::{Value, json};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::signing_keys::SigningKey;
use sinete_http::router::ROUTES;
use sinete_http::state::RouteEntry;
use sinete_server::route::{RequestBodyKind, RouteListener, RouteMethod};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

const ADDRESS: &str = "http://localhost:8080";
const PAGE: &str = "text/html,application/xhtml+xml,*/*;q=0.8";
const DATA: &str = "application/json";

/// One of the two, with the number of sign-ups.
struct Side {
    server: Server,
    people: usize,
}

/// The compared parts of a response.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    status: String,
    headers: Vec<String>,
    body: String,
}

impl Told {
    fn of(answer: &str) -> Self {
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().to_owned();
        let mut headers: Vec<_> = lines.filter(|line| !is_of_the_moment(line)).map(masked).collect();
        headers.sort();
        let body = serde_json::from_str(body).map_or_else(|_| masked(body), |body| settled(body).to_string());
        Self { status, headers, body }
    }
}

/// Masks texts and sorts lists: entries of the same time are ordered by random ids.
fn settled(value: Value) -> Value {
    match value {
        Value::Array(items) => {
            let mut items: Vec<_> = items.into_iter().map(settled).collect();
            items.sort_by_key(Value::to_string);
            Value::Array(items)
        }
        Value::Object(members) => {
            Value::Object(members.into_iter().map(|(name, value)| (name, settled(value))).collect())
        }
        Value::String(text) => Value::String(masked(&text)),
        plain => plain,
    }
}

/// Headers that differ between two responses of one server: time, request id and duration.
fn is_of_the_moment(header: &str) -> bool {
    ["date:", "x-request-id:"].iter().any(|name| header.to_ascii_lowercase().starts_with(name))
}

/// Masks random and time-dependent values, so that only their positions are compared.
fn masked(text: &str) -> String {
    let (mut masked, mut word) = (String::new(), String::new());
    for character in text.chars().chain(['\n']) {
        if character.is_ascii_alphanumeric() || "_-:.".contains(character) {
            word.push(character);
            continue;
        }
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        // A random value may have no digit, but almost always has both upper and lower case letters.
        let is_mixed = word.contains(char::is_uppercase) && word.contains(char::is_lowercase);
        let is_long = word.len() > 22 && (digits > 0 || is_mixed);
        let is_drawn = word.len() == 22 || is_long || word.starts_with("sn_");
        let is_moment = word.len() >= 20 && word.ends_with('Z') && word.starts_with("20");
        let is_code = word.len() == 8 && digits == 8;
        // The time of day in a sentence; the next minute may begin between the two sides.
        let is_time = word.len() == 5 && digits == 4 && word.find(':') == Some(2);
        masked.push_str(if is_drawn || is_moment || is_code || is_time { "…" } else { &word });
        masked.push(character);
        word.clear();
    }
    masked
}

fn ask(address: SocketAddr, method: &str, path: &str, headers: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: localhost:8080\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

impl Side {
    fn ask_json(&self, path: &str, headers: &str, body: &Value) -> Value {
        let headers = format!("Content-Type: application/json\r\nAccept: application/json\r\n{headers}");
        let answer = ask(self.server.public, "POST", path, &headers, &body.to_string());
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 20"), "{path}: {answer}");
        serde_json::from_str(body).unwrap()
    }

    fn mails(&self) -> Vec<Value> {
        let answer = ask(self.server.public, "GET", "/dev/mail", "Accept: application/json\r\n", "");
        let body: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
        body["items"].as_array().unwrap().clone()
    }

    fn begin(&self, kind: &str) -> (String, String) {
        let flow = self.ask_json("/flows", "", &json!({"kind": kind, "session": "token"}));
        (flow["id"].as_str().unwrap().to_owned(), flow["flow_token"].as_str().unwrap().to_owned())
    }

    fn says(&self, flow: &(String, String), action: &str, body: &Value) -> Value {
        let headers = format!("Authorization: Flow {}\r\n", flow.1);
        self.ask_json(&format!("/flows/{}/{action}", flow.0), &headers, body)
    }

    /// The code in the newest e-mail to an address.
    fn code(&self, address: &str) -> String {
        let mut code = None;
        eventually("the mail arrives", || {
            let mails = self.mails();
            let mail = mails.iter().find(|mail| mail["to"] == address);
            let text = mail.map(|mail| mail["text"].as_str().unwrap().to_owned()).unwrap_or_default();
            let is_code = |word: &&str| word.len() == 8 && word.bytes().all(|it| it.is_ascii_digit());
            code = text.split(|it: char| !it.is_ascii_alphanumeric()).find(is_code).map(str::to_owned);
            code.is_some()
        });
        code.unwrap()
    }

    /// Signs up, and returns the session.
    fn session(&mut self) -> String {
        self.people += 1;
        let address = format!("person{}@example.com", self.people);
        let flow = self.begin("sign_up");
        let details = json!({"email": address, "password": "a kettle sings at dawn"});
        let walked = self.says(&flow, "details", &details);
        let token = walked["flow_token"].as_str().unwrap_or(&flow.1).to_owned();
        let response_body = self.says(&(flow.0, token), "code", &json!({"code": self.code(&address)}));
        response_body["session_token"].as_str().unwrap().to_owned()
    }

    fn counts(&self, session: &str) -> bool {
        let headers = format!("Authorization: Session {session}\r\n");
        ask(self.server.public, "GET", "/account", &headers, "").starts_with("HTTP/1.1 200")
    }

    fn told(&self, route: &RouteEntry, accept: &str, session: Option<&str>) -> Told {
        let (kind, body) = match route.request_body {
            RequestBodyKind::Nothing => ("", ""),
            RequestBodyKind::Form | RequestBodyKind::FormOrNothing => {
                ("Content-Type: application/x-www-form-urlencoded\r\n", "a=b")
            }
            _ => ("Content-Type: application/json\r\n", "{}"),
        };
        let mut path = route.path.to_owned();
        while let (Some(open), Some(close)) = (path.find('{'), path.find('}')) {
            path.replace_range(open..=close, "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071");
        }
        let session =
            session.map(|session| format!("Cookie: sinete_session={session}\r\n")).unwrap_or_default();
        let headers = format!(
            "Accept: {accept}\r\nAccept-Language: pt\r\nSec-Fetch-Site: same-origin\r\n{kind}{session}"
        );
        let address = match route.listener {
            RouteListener::Public | RouteListener::Both => self.server.public,
            RouteListener::Admin => self.server.admin,
        };
        let mut response = Told::of(&ask(address, route.method.name(), &path, &headers, body));
        if route.path == "/metrics" {
            // The names of the metrics, not their values.
            let mut metric_lines: Vec<_> =
                response.body.lines().filter(|line| line.starts_with('#')).collect();
            metric_lines.sort_unstable();
            response.body = metric_lines.join("\n");
            response.headers.retain(|header| !header.starts_with("content-length"));
        }
        response
    }
}

/// The compared parts of an e-mail.
fn shown(mail: &Value) -> String {
    let parts = ["to", "subject", "text", "html"].map(|part| mail[part].as_str().unwrap().to_owned());
    masked(&parts.join("\n"))
}

/// Two machines that differ only in their program.
fn sides() -> ([Machine; 2], [Side; 2]) {
    let keys = SigningAlgorithm::ALL.map(|algorithm| SigningKey::generate(algorithm).unwrap());
    let machines = [Machine::new(), Machine::new().built_without_screens()].map(|machine| {
        machine.private("instance.key", "5FykkKIe0lq_7ZxZlQWvHyfXGmVYKLUbOtZ5PyLnSA8\n");
        let names = keys.each_ref().map(|key| {
            let name = format!("{}.pem", key.algorithm());
            machine.private(&name, &key.to_pem().unwrap());
            format!("{}:{name}", key.algorithm())
        });
        machine
            .with("SINETE_BASE_URL", ADDRESS)
            .with("SINETE_SCREENS_ENABLED", "false")
            .with("SINETE_INSTANCE_KEY_FILE", "instance.key")
            .with("SINETE_SIGNING_KEYS", names.join(","))
    });
    let sides = machines.each_ref().map(|machine| Side { server: machine.serve(), people: 0 });
    (machines, sides)
}

#[test]
fn screens_disabled_respond_as_if_never_built() {
    let (_machines, mut sides) = sides();
    let mut sessions = sides.each_mut().map(Side::session);
    let mut compared = 0;
    // First the requests without side effects.
    let (looks, changes): (Vec<_>, Vec<_>) =
        ROUTES.iter().partition(|route| route.method == RouteMethod::Get);
    for route in looks.into_iter().chain(changes) {
        for accept in [PAGE, DATA] {
            for with_session in [false, true] {
                if with_session && !(sides[0].counts(&sessions[0]) && sides[1].counts(&sessions[1])) {
                    sessions = sides.each_mut().map(Side::session);
                }
                let [off, without] = [0, 1].map(|side| {
                    let session = with_session.then_some(sessions[side].as_str());
                    sides[side].told(route, accept, session)
                });
                let case =
                    format!("{} {} as {accept}, signed in: {with_session}", route.method.name(), route.path);
                assert_eq!(off, without, "{case}");
                let is_page = off.headers.iter().any(|header| header.starts_with("content-type: text/html"));
                assert!(!is_page, "{case}: {}", off.body);
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 4 * ROUTES.len());
    for side in sides {
        side.server.stop().succeeded();
    }
}

#[test]
fn emails_with_screens_disabled_are_the_same_as_without_screens() {
    let (machines, mut sides) = sides();
    let email_texts = [0, 1].map(|number| {
        let side = &mut sides[number];
        let address = "person1@example.com";
        side.session();
        // From an unknown device.
        let flow = side.begin("sign_in");
        side.says(&flow, "password", &json!({"email": address, "password": "a kettle sings at dawn"}));
        let invite =
            ["admin", "invite", "--email", "new@example.com", "--organization", "home", "--role", "member"];
        machines[number].run(&invite).succeeded();
        // The sign-up code, the sign-in alert and the invitation, in any order.
        eventually("every mail arrives", || side.mails().len() >= 3);
        let mut mails: Vec<_> = side.mails().iter().map(shown).collect();
        mails.sort();
        mails
    });
    assert_eq!(email_texts[0].len(), 3, "{email_texts:?}");
    assert_eq!(email_texts[0], email_texts[1]);
    for mail in &email_texts[0] {
        for path in ["/sign-in", "/link", "/accept-invitation", "/verify-email", "/reset-password", "/not-me"]
        {
            assert!(!mail.contains(path), "there is no such page: {mail}");
        }
    }
}

#[test]
fn program_built_without_screens_refuses_to_enable_them() {
    let machine = Machine::new().built_without_screens().with("SINETE_SCREENS_ENABLED", "true");
    machine.run(&["serve"]).ended_with(2).saying("this program was built without the screens").in_one_line();
    let server = Machine::new().built_without_screens().serve();
    assert_eq!(server.get(server.public, "/sign-in").0, 404);
    server.stop().succeeded();
}
