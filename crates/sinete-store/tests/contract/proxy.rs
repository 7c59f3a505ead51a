//! A TCP proxy between the store and PostgreSQL that a test can cut or hold.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// The state of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Wire {
    /// Both directions pass.
    Whole,
    /// Nothing passes, and nothing is closed.
    Silent,
    /// Nothing passes for now; data is delivered later.
    Frozen,
    /// The next `COMMIT` reaches the server, and the connection is closed before the response returns.
    CutAfterCommit,
}

/// What happens to a connection when a message is sent on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The server executes it; its responses are dropped from now on.
    AnswerSwallowed,
    /// The server executes it, and the connection is closed before the response returns.
    CutAfterwards,
    /// It never reaches the server, nor does anything after it; the connection stays open.
    RequestSwallowed,
    /// The connection is closed before it reaches the server.
    CutBefore,
}

/// Bytes to wait for, and what happens to their connection, once.
type Ambush = Arc<Mutex<Vec<(Vec<u8>, Fate)>>>;

/// A listener on loopback that forwards everything to the server.
pub struct Proxy {
    port: u16,
    wire: Arc<AtomicU8>,
    ambush: Ambush,
}

impl Proxy {
    /// Starts a proxy for the server of this URL.
    pub async fn before(url: &str) -> Self {
        let server = authority(url).to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let wire = Arc::new(AtomicU8::new(Wire::Whole as u8));
        let ambush = Ambush::default();
        let shared = (wire.clone(), ambush.clone());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (server, (wire, ambush)) = (server.clone(), shared.clone());
                tokio::spawn(async move { pass(client, &server, &wire, &ambush).await });
            }
        });
        Self { port, wire, ambush }
    }

    /// The connection that sends these bytes next has this fate.
    pub fn meet(&self, bytes: &[u8], fate: Fate) {
        self.ambush.lock().unwrap().push((bytes.to_vec(), fate));
    }

    /// The number of fates that have not occurred.
    pub fn unmet(&self) -> usize {
        self.ambush.lock().unwrap().len()
    }

    /// The same URL through this proxy.
    pub fn url(&self, url: &str) -> String {
        url.replace(authority(url), &format!("127.0.0.1:{}", self.port))
    }

    /// Changes the state of the connection.
    pub fn make(&self, wire: Wire) {
        self.wire.store(wire as u8, Ordering::SeqCst);
    }
}

/// The host and port in a URL such as `postgres://user@host:port/name`.
fn authority(url: &str) -> &str {
    let rest = url.split_once("//").unwrap().1;
    let authority_part = rest.split_once('/').unwrap().0;
    authority_part.rsplit('@').next().unwrap()
}

/// The fate of a message, if it contains the bytes.
fn fate_of(request_bytes: &[u8], ambush: &Ambush) -> Option<Fate> {
    let mut ambush = ambush.lock().unwrap();
    let index =
        ambush.iter().position(|(bytes, _)| request_bytes.windows(bytes.len()).any(|part| part == bytes))?;
    Some(ambush.remove(index).1)
}

/// Waits while the connection is frozen.
async fn thawed(wire: &AtomicU8) {
    while wire.load(Ordering::SeqCst) == Wire::Frozen as u8 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

async fn pass(mut client: TcpStream, server: &str, wire: &AtomicU8, ambush: &Ambush) {
    let mut server = TcpStream::connect(server).await.unwrap();
    let (mut request_buffer, mut response_buffer) = (vec![0; 65_536], vec![0; 65_536]);
    let mut fate = None;
    loop {
        let is = |kind| wire.load(Ordering::SeqCst) == kind as u8;
        tokio::select! {
            read = client.read(&mut request_buffer) => {
                let Ok(length @ 1..) = read else { return };
                if is(Wire::Silent) || fate == Some(Fate::RequestSwallowed) {
                    continue;
                }
                fate = fate.or_else(|| fate_of(&request_buffer[..length], ambush));
                match fate {
                    Some(Fate::RequestSwallowed) => continue,
                    Some(Fate::CutBefore) => return,
                    Some(Fate::AnswerSwallowed | Fate::CutAfterwards) | None => {}
                }
                thawed(wire).await;
                if server.write_all(&request_buffer[..length]).await.is_err() {
                    return;
                }
                if fate == Some(Fate::CutAfterwards) {
                    // The server responds when it is done, unless it ends before.
                    let _ = server.read(&mut response_buffer).await;
                    return;
                }
                if is(Wire::CutAfterCommit) && request_buffer[..length].windows(6).any(|word| word == b"COMMIT") {
                    // The response shows that the server is done; it is not forwarded.
                    let mut said = Vec::new();
                    while !said.windows(6).any(|word| word == b"COMMIT") {
                        let Ok(length @ 1..) = server.read(&mut response_buffer).await else { break };
                        said.extend_from_slice(&response_buffer[..length]);
                    }
                    wire.store(Wire::Whole as u8, Ordering::SeqCst);
                    return;
                }
            }
            read = server.read(&mut response_buffer) => {
                let Ok(length @ 1..) = read else { return };
                thawed(wire).await;
                let is_heard = !is(Wire::Silent) && fate.is_none();
                if is_heard && client.write_all(&response_buffer[..length]).await.is_err() {
                    return;
                }
            }
        }
    }
}
