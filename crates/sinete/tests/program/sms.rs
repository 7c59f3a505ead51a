//! Tests of SMS delivery through an HTTP gateway: each message id once, and no number in the log.

use crate::machine::eventually;
use crate::sign_in_on_nodes::{FlowOnNode, PASSWORD, ask, held, mailed_code, thrifty};
use serde_json::json;
use sinete::config::delivery::{PasswordSource, ServiceLogin, SmsConfig};
use sinete::config::values::MaskedText;
use sinete::os::SystemClock;
use sinete::outbound::sms::SmsGateway;
use sinete_core::id::MessageId;
use sinete_engine::ports::{OutgoingSms, SendError, SmsSender as _};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

/// A gateway that responds with the given statuses and records its requests.
fn gateway(statuses: Vec<u16>) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let requests = Arc::new(Mutex::new(Vec::new()));
    let received_requests = Arc::clone(&requests);
    std::thread::spawn(move || {
        for (status, stream) in statuses.into_iter().zip(listener.incoming()) {
            let mut stream = BufReader::new(stream.unwrap());
            let (mut head, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                stream.read_line(&mut line).unwrap();
                if let Some((_, rest)) = line.to_ascii_lowercase().split_once("content-length:") {
                    length = rest.trim().parse().unwrap();
                }
                if line == "\r\n" {
                    break;
                }
                head.push_str(&line);
            }
            let mut body = vec![0; length];
            stream.read_exact(&mut body).unwrap();
            received_requests.lock().unwrap().push(format!("{head}\n{}", String::from_utf8(body).unwrap()));
            let answer = "{\"message\":\"about +5581999990000\"}";
            let stream = stream.get_mut();
            write!(stream, "HTTP/1.1 {status} x\r\nConnection: close\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: {}\r\n\r\n{answer}", answer.len()).unwrap();
        }
    });
    (port, requests)
}

fn at(port: u16, from: &str) -> SmsGateway {
    // The program installs it at startup.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let login =
        ServiceLogin { user: "AC01".to_owned(), password: PasswordSource::Text(MaskedText::new("token")) };
    let gateway = format!("http://127.0.0.1:{port}/Accounts/AC01/Messages.json").parse().unwrap();
    SmsGateway::new(&SmsConfig { gateway, from: from.to_owned(), login }, Arc::new(SystemClock)).unwrap()
}

fn message() -> OutgoingSms {
    OutgoingSms { to: "+5581999990000".to_owned(), text: "123456 & more = x".to_owned() }
}

#[tokio::test]
async fn sms_request_is_a_form_with_basic_auth_and_a_stable_idempotency_id() {
    let (port, requests) = gateway(vec![503, 201]);
    let (gateway, id) = (at(port, "+15005550006"), MessageId::from_bytes([7; 16]));
    assert!(matches!(gateway.send(id, &message()).await, Err(SendError::Temporary(_))));
    assert_eq!(gateway.send(id, &message()).await, Ok(()));
    let requests = requests.lock().unwrap();
    for request in requests.iter() {
        let lowered = request.to_ascii_lowercase();
        assert!(request.starts_with("POST /Accounts/AC01/Messages.json HTTP/1.1"), "{request}");
        assert!(lowered.contains(&format!("i-twilio-idempotency-token: {id}")), "{request}");
        assert!(lowered.contains("authorization: basic qumwmtp0b2tlbg=="), "{request}");
        assert!(
            request.ends_with("To=%2B5581999990000&From=%2B15005550006&Body=123456+%26+more+%3D+x"),
            "{request}"
        );
    }
    assert_eq!(requests.len(), 2);
}

#[tokio::test]
async fn sms_gateway_refusal_is_permanent_or_retried_and_never_logs_the_number() {
    let (port, requests) = gateway(vec![400, 401, 429, 302]);
    let (gateway, id) = (at(port, "MG0123"), MessageId::from_bytes([8; 16]));
    let never = gateway.send(id, &message()).await.unwrap_err();
    assert_eq!(never, SendError::Permanent("the SMS gateway answered 400".to_owned()));
    for status in [401, 429, 302] {
        let later = gateway.send(id, &message()).await.unwrap_err();
        assert_eq!(later, SendError::Temporary(format!("the SMS gateway answered {status}")));
    }
    assert!(requests.lock().unwrap()[0].contains("&MessagingServiceSid=MG0123&"));
    let error = at(1, "+1").send(id, &message()).await.unwrap_err();
    assert_eq!(error, SendError::Temporary("the SMS gateway cannot be reached".to_owned()));
}

/// The code in a request to the gateway.
fn digits(request: &str) -> String {
    let body = request.split("&Body=").nth(1).unwrap_or_else(|| panic!("no message in {request}"));
    body.split('+').next().unwrap().to_owned()
}

#[test]
fn sms_code_is_sent_through_the_gateway_and_verifies_its_number() {
    let (port, requests) = gateway(vec![201; 8]);
    let machine = thrifty()
        .with("SINETE_SMS_GATEWAY", format!("http://127.0.0.1:{port}/Accounts/AC01/Messages.json"))
        .with("SINETE_SMS_FROM", "+15005550006")
        .with("SINETE_SMS_USER", "AC01")
        .with("SINETE_SMS_PASSWORD", "token");
    let node = machine.serve();
    let (mut walk, _) = FlowOnNode::begin(&node, "", json!({"kind": "sign_up"}));
    walk.says(&node, "details", json!({"email": "ana@example.com", "password": PASSWORD}));
    let code = mailed_code(&node, "ana@example.com");
    let (status, body) = walk.says(&node, "code", json!({"code": code}));
    assert_eq!(status, 200, "{body}");
    let session = held(&body);
    let number = json!({"kind": "phone", "address": "+5581999990000"});
    assert_eq!(ask(&node, "POST /account/contacts", &session, &number).0, 201);
    let await_request = |many: usize| {
        eventually("the gateway receives the requests", || requests.lock().unwrap().len() >= many);
        requests.lock().unwrap()[many - 1].clone()
    };
    let (mut walk, _) = FlowOnNode::begin(&node, &session, json!({"kind": "verify_phone"}));
    let (status, body) = walk.says(&node, "code", json!({"code": digits(&await_request(1))}));
    assert_eq!((status, &body["stage"]), (200, &json!("phone_verified")), "{body}");
    assert!(await_request(1).contains("To=%2B5581999990000&From=%2B15005550006"), "{}", await_request(1));

    // A number receives one message per minute, and an unknown number none.
    let (mut walk, _) = FlowOnNode::begin(&node, "", json!({"kind": "sign_in"}));
    let (status, body) = walk.says(&node, "sms_code", json!({"phone": "+5581888880000"}));
    assert_eq!((status, &body["stage"]), (200, &json!("texted_proof")), "{body}");
    assert_eq!(walk.says(&node, "code", json!({"code": digits(&await_request(1))})).0, 422);
    assert_eq!(requests.lock().unwrap().len(), 1);
}
