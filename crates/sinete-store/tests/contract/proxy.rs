//! A wire between the store and PostgreSQL that a test can cut or hold.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
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
    /// The next `COMMIT` reaches the server, and the connection is closed before the answer comes back.
    CutAfterCommit,
}

/// A listener on loopback that passes everything on to the server.
pub struct Proxy {
    port: u16,
    wire: Arc<AtomicU8>,
}

impl Proxy {
    /// Stands before the server of this address.
    pub async fn before(url: &str) -> Self {
        let server = authority(url).to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let wire = Arc::new(AtomicU8::new(Wire::Whole as u8));
        let shared = wire.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (server, wire) = (server.clone(), shared.clone());
                tokio::spawn(async move { pass(client, &server, &wire).await });
            }
        });
        Self { port, wire }
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

async fn pass(mut client: TcpStream, server: &str, wire: &AtomicU8) {
    let mut server = TcpStream::connect(server).await.unwrap();
    let (mut asked, mut answered) = (vec![0; 65_536], vec![0; 65_536]);
    loop {
        let is = |kind| wire.load(Ordering::SeqCst) == kind as u8;
        tokio::select! {
            read = client.read(&mut asked) => {
                let Ok(length @ 1..) = read else { return };
                if is(Wire::Silent) {
                    continue;
                }
                server.write_all(&asked[..length]).await.unwrap();
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
                if !is(Wire::Silent) && client.write_all(&answered[..length]).await.is_err() {
                    return;
                }
            }
        }
    }
}
