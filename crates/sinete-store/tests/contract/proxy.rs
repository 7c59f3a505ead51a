//! A wire between the store and PostgreSQL that a test can cut or hold.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// How the wire behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Wire {
    /// Both directions pass.
    Whole,
    /// Nothing passes, and nothing is closed.
    Silent,
    /// Nothing passes for now; what was sent arrives once the wire is whole again.
    Frozen,
    /// The next `COMMIT` reaches the server, and the connection is closed before the answer comes back.
    CutAfterCommit,
}

/// What becomes of one connection when something is sent on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The server gets it and does it; what it answers, now and later, goes no further.
    AnswerSwallowed,
    /// The server gets it and does it, and the connection is closed before the answer comes back.
    CutAfterwards,
    /// It never reaches the server, and nothing after it does; nobody closes anything.
    RequestSwallowed,
    /// The connection is closed before it reaches the server.
    CutBefore,
}

/// Bytes to wait for, and what becomes of the connection that carries them. Each is met once.
type Ambush = Arc<Mutex<Vec<(Vec<u8>, Fate)>>>;

/// A listener on loopback that passes everything on to the server.
pub struct Proxy {
    port: u16,
    wire: Arc<AtomicU8>,
    ambush: Ambush,
}

impl Proxy {
    /// Stands before the server of this address.
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

    /// Whoever sends these bytes next meets this fate.
    pub fn meet(&self, bytes: &[u8], fate: Fate) {
        self.ambush.lock().unwrap().push((bytes.to_vec(), fate));
    }

    /// How many fates nobody has met yet.
    pub fn unmet(&self) -> usize {
        self.ambush.lock().unwrap().len()
    }

    /// The same address, by way of this wire.
    pub fn url(&self, url: &str) -> String {
        url.replace(authority(url), &format!("127.0.0.1:{}", self.port))
    }

    /// Changes how the wire behaves from now on.
    pub fn make(&self, wire: Wire) {
        self.wire.store(wire as u8, Ordering::SeqCst);
    }
}

/// The host and port in an address such as `postgres://user@host:port/name`.
fn authority(url: &str) -> &str {
    let rest = url.split_once("//").unwrap().1;
    let place = rest.split_once('/').unwrap().0;
    place.rsplit('@').next().unwrap()
}

/// The fate of what was sent, if it carries something that is waited for.
fn fate_of(sent: &[u8], ambush: &Ambush) -> Option<Fate> {
    let mut ambush = ambush.lock().unwrap();
    let place = ambush.iter().position(|(bytes, _)| sent.windows(bytes.len()).any(|part| part == bytes))?;
    Some(ambush.remove(place).1)
}

/// Waits while the wire is frozen.
async fn thawed(wire: &AtomicU8) {
    while wire.load(Ordering::SeqCst) == Wire::Frozen as u8 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

async fn pass(mut client: TcpStream, server: &str, wire: &AtomicU8, ambush: &Ambush) {
    let mut server = TcpStream::connect(server).await.unwrap();
    let (mut asked, mut answered) = (vec![0; 65_536], vec![0; 65_536]);
    let mut met = None;
    loop {
        let is = |kind| wire.load(Ordering::SeqCst) == kind as u8;
        tokio::select! {
            read = client.read(&mut asked) => {
                let Ok(length @ 1..) = read else { return };
                if is(Wire::Silent) || met == Some(Fate::RequestSwallowed) {
                    continue;
                }
                met = met.or_else(|| fate_of(&asked[..length], ambush));
                match met {
                    Some(Fate::RequestSwallowed) => continue,
                    Some(Fate::CutBefore) => return,
                    Some(Fate::AnswerSwallowed | Fate::CutAfterwards) | None => {}
                }
                thawed(wire).await;
                if server.write_all(&asked[..length]).await.is_err() {
                    return;
                }
                if met == Some(Fate::CutAfterwards) {
                    // It has answered once it is done, unless it ends before.
                    let _ = server.read(&mut answered).await;
                    return;
                }
                if is(Wire::CutAfterCommit) && asked[..length].windows(6).any(|word| word == b"COMMIT") {
                    // The server has done it once it says so; what it says goes no further.
                    let mut said = Vec::new();
                    while !said.windows(6).any(|word| word == b"COMMIT") {
                        let Ok(length @ 1..) = server.read(&mut answered).await else { break };
                        said.extend_from_slice(&answered[..length]);
                    }
                    wire.store(Wire::Whole as u8, Ordering::SeqCst);
                    return;
                }
            }
            read = server.read(&mut answered) => {
                let Ok(length @ 1..) = read else { return };
                thawed(wire).await;
                let is_heard = !is(Wire::Silent) && met.is_none();
                if is_heard && client.write_all(&answered[..length]).await.is_err() {
                    return;
                }
            }
        }
    }
}
