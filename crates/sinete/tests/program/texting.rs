//! Short messages leave through a real gateway over HTTP, once per id, and nobody's number gets into a log.

use sinete::config::delivery::{Login, Password, Sms};
use sinete::config::values::Masked;
use sinete::outbound::sms::SmsGateway;
use sinete_core::id::MessageId;
use sinete_engine::ports::{NotSent, ShortMessage, Texter as _};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

/// A gateway that answers with the statuses it was given, and what it was asked.
fn gateway(statuses: Vec<u16>) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&asked);
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
            heard.lock().unwrap().push(format!("{head}\n{}", String::from_utf8(body).unwrap()));
            let answer = "{\"message\":\"about +5581999990000\"}";
            let stream = stream.get_mut();
            write!(stream, "HTTP/1.1 {status} x\r\nConnection: close\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: {}\r\n\r\n{answer}", answer.len()).unwrap();
        }
    });
    (port, asked)
}

fn at(port: u16, from: &str) -> SmsGateway {
    // The program chooses this where it starts.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let login = Login { user: "AC01".to_owned(), password: Password::Text(Masked::new("token")) };
    let gateway = format!("http://127.0.0.1:{port}/Accounts/AC01/Messages.json").parse().unwrap();
    SmsGateway::new(&Sms { gateway, from: from.to_owned(), login }).unwrap()
}

fn message() -> ShortMessage {
    ShortMessage { to: "+5581999990000".to_owned(), text: "123456 & more = x".to_owned() }
}

#[tokio::test]
async fn a_short_message_is_a_form_with_a_password_and_an_id_that_stays() {
    let (port, asked) = gateway(vec![503, 201]);
    let (gateway, id) = (at(port, "+15005550006"), MessageId::from_bytes([7; 16]));
    assert!(matches!(gateway.send(id, &message()).await, Err(NotSent::Later(_))));
    assert_eq!(gateway.send(id, &message()).await, Ok(()));
    let asked = asked.lock().unwrap();
    for request in asked.iter() {
        let lowered = request.to_ascii_lowercase();
        assert!(request.starts_with("POST /Accounts/AC01/Messages.json HTTP/1.1"), "{request}");
        assert!(lowered.contains(&format!("i-twilio-idempotency-token: {id}")), "{request}");
        assert!(lowered.contains("authorization: basic qumwmtp0b2tlbg=="), "{request}");
        assert!(
            request.ends_with("To=%2B5581999990000&From=%2B15005550006&Body=123456+%26+more+%3D+x"),
            "{request}"
        );
    }
    assert_eq!(asked.len(), 2);
}

#[tokio::test]
async fn what_a_gateway_refuses_is_final_or_not_and_never_names_the_number() {
    let (port, asked) = gateway(vec![400, 401, 429, 302]);
    let (gateway, id) = (at(port, "MG0123"), MessageId::from_bytes([8; 16]));
    let never = gateway.send(id, &message()).await.unwrap_err();
    assert_eq!(never, NotSent::Never("the SMS gateway answered 400".to_owned()));
    for status in [401, 429, 302] {
        let later = gateway.send(id, &message()).await.unwrap_err();
        assert_eq!(later, NotSent::Later(format!("the SMS gateway answered {status}")));
    }
    assert!(asked.lock().unwrap()[0].contains("&MessagingServiceSid=MG0123&"));
    let nobody = at(1, "+1").send(id, &message()).await.unwrap_err();
    assert_eq!(nobody, NotSent::Later("the SMS gateway cannot be reached".to_owned()));
}
