//! A webhook receiver that behaves as a story wants, and verifies signatures with its own code.

use super::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use sinete_engine::events::security_log::{LogSealer, SecurityLog};
use sinete_engine::events::webhooks::delivery::{WebhookTally, deliver_pending};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// How the receiver handles one request.
#[derive(Clone, Debug)]
pub enum ReceiverBehavior {
    /// Responds with this status.
    Answer(u16),
    /// Redirects.
    Redirect(String),
    /// Sends nothing and keeps the connection open.
    Hang,
    /// Responds with 200 and a body that never ends.
    Flood,
}

/// A request that was received.
#[derive(Clone, Debug)]
pub struct ReceivedWebhook {
    /// The `webhook-id` header.
    pub id: String,
    /// The `webhook-timestamp` header.
    pub timestamp: String,
    /// The `webhook-signature` header.
    pub signature: String,
    /// The `Authorization` header.
    pub authorization: String,
    /// The body as text.
    pub text: String,
}

pub struct WebhookReceiver {
    pub address: String,
    script: Arc<Mutex<VecDeque<ReceiverBehavior>>>,
    received: Arc<Mutex<Vec<ReceivedWebhook>>>,
    serving: tokio::task::JoinHandle<()>,
}

impl ReceivedWebhook {
    /// The body as JSON.
    pub fn body(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }

    /// The event type.
    pub fn kind(&self) -> String {
        self.body()["type"].as_str().unwrap().to_owned()
    }

    /// Whether one of the signatures was made with this secret.
    pub fn is_signed_with(&self, secret: &str) -> bool {
        let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
        let signed = format!("{}.{}.{}", self.id, self.timestamp, self.text);
        let expected = format!("v1,{}", STANDARD.encode(hmac_sha256(&key, signed.as_bytes())));
        self.signature.split(' ').any(|signature| signature == expected)
    }
}

/// RFC 2104, written out so that the server's code does not verify its own signatures.
fn hmac_sha256(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut block = [0_u8; 64];
    block[..key.len()].copy_from_slice(key);
    let inner = block.map(|byte| byte ^ 0x36);
    let outer = block.map(|byte| byte ^ 0x5c);
    let inside = Sha256::new().chain_update(inner).chain_update(message).finalize();
    Sha256::new().chain_update(outer).chain_update(inside).finalize().to_vec()
}

impl WebhookReceiver {
    /// Starts a receiver that accepts everything.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/events", listener.local_addr().unwrap());
        let (script, received) = (Arc::default(), Arc::default());
        let (played, received_webhooks) = (Arc::clone(&script), Arc::clone(&received));
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(handle_connection(stream, Arc::clone(&played), Arc::clone(&received_webhooks)));
            }
        });
        Self { address, script, received, serving }
    }

    /// Sets how the next requests are handled, in order.
    pub fn script_responses(&self, behaviours: impl IntoIterator<Item = ReceiverBehavior>) {
        self.script.lock().unwrap().extend(behaviours);
    }

    /// The requests received since the last call.
    pub fn take_received(&self) -> Vec<ReceivedWebhook> {
        std::mem::take(&mut *self.received.lock().unwrap())
    }
}

impl Drop for WebhookReceiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn handle_connection(
    mut stream: TcpStream,
    script: Arc<Mutex<VecDeque<ReceiverBehavior>>>,
    received: Arc<Mutex<Vec<ReceivedWebhook>>>,
) {
    let mut text = Vec::new();
    let mut piece = [0; 4096];
    let (head, body) = loop {
        let Ok(read @ 1..) = stream.read(&mut piece).await else { return };
        text.extend_from_slice(&piece[..read]);
        let request_text = String::from_utf8_lossy(&text).into_owned();
        let Some((head, body)) = request_text.split_once("\r\n\r\n") else { continue };
        let length = header(head, "content-length").and_then(|length| length.parse().ok());
        if body.len() >= length.unwrap_or(0) {
            break (head.to_owned(), body.to_owned());
        }
    };
    let read_header = |name| header(&head, name).unwrap_or_default();
    received.lock().unwrap().push(ReceivedWebhook {
        id: read_header("webhook-id"),
        timestamp: read_header("webhook-timestamp"),
        signature: read_header("webhook-signature"),
        authorization: read_header("authorization"),
        text: body,
    });
    let behaviour = script.lock().unwrap().pop_front().unwrap_or(ReceiverBehavior::Answer(204));
    let response = match &behaviour {
        ReceiverBehavior::Answer(status) => format!("HTTP/1.1 {status} Said\r\ncontent-length: 0\r\n\r\n"),
        ReceiverBehavior::Redirect(to) => {
            format!("HTTP/1.1 307 Over There\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n")
        }
        ReceiverBehavior::Hang => String::new(),
        ReceiverBehavior::Flood => "HTTP/1.1 200 OK\r\n\r\n".to_owned(),
    };
    let _ = stream.write_all(response.as_bytes()).await;
    match behaviour {
        ReceiverBehavior::Answer(_) | ReceiverBehavior::Redirect(_) => {}
        // Until the server closes the connection.
        ReceiverBehavior::Hang => while matches!(stream.read(&mut piece).await, Ok(1..)) {},
        ReceiverBehavior::Flood => while stream.write_all(&piece).await.is_ok() {},
    }
}

fn header(head: &str, name: &str) -> Option<String> {
    let (_, value) = head
        .lines()
        .filter_map(|line| line.split_once(": "))
        .find(|(header_name, _)| header_name.eq_ignore_ascii_case(name))?;
    Some(value.to_owned())
}

impl World {
    /// Seals pending events into the log, which counts them.
    pub async fn seal_events(&self) {
        let engine = self.server.engine();
        let keys = engine.instance_keys();
        let log =
            SecurityLog::open_or_create(engine.store(), keys, engine.now(), engine.entropy()).await.unwrap();
        let mut sealer = LogSealer::new(log);
        // The server's own sealing task may win the race; then there may be more to seal.
        while sealer.seal_pending(engine.now()).await.unwrap().lost_race {}
    }

    /// Seals pending events into the log, then delivers them to webhooks.
    pub async fn deliver_webhooks(&self) -> WebhookTally {
        self.seal_events().await;
        deliver_pending(self.server.engine()).await.unwrap()
    }
}
