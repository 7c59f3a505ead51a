//! A breached-password service with the range API: it answers a five-digit SHA-1 prefix with the matching suffixes.

use sinete_core::sign_in::credentials::breached_password::PasswordFingerprint;
use sinete_core::sign_in::credentials::password::Password;
use sinete_crypto::sign_in::credentials::breached_password::fingerprint_password;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

pub struct BreachedPasswordServer {
    pub address: String,
    requested: Arc<Mutex<Vec<String>>>,
    serving: tokio::task::JoinHandle<()>,
}

impl BreachedPasswordServer {
    /// Starts a service that lists these passwords.
    pub async fn with_passwords(passwords: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/range/", listener.local_addr().unwrap());
        let password_hashes: Vec<String> = passwords
            .iter()
            .map(|password| {
                Self::sha1_hex(&fingerprint_password(&Password::from_submitted(password).unwrap()))
            })
            .collect();
        let requested_paths = Arc::new(Mutex::new(Vec::new()));
        let (recorded_paths, password_hashes) = (Arc::clone(&requested_paths), Arc::new(password_hashes));
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(handle_connection(
                    stream,
                    Arc::clone(&password_hashes),
                    Arc::clone(&recorded_paths),
                ));
            }
        });
        Self { address, requested: requested_paths, serving }
    }

    /// The paths that were requested.
    pub fn requested_paths(&self) -> Vec<String> {
        self.requested.lock().unwrap().clone()
    }

    /// The 40 hexadecimal digits of a fingerprint.
    pub fn sha1_hex(fingerprint: &PasswordFingerprint) -> String {
        fingerprint.as_bytes().iter().map(|byte| format!("{byte:02X}")).collect()
    }
}

impl Drop for BreachedPasswordServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn handle_connection(
    mut stream: TcpStream,
    password_hashes: Arc<Vec<String>>,
    requested_paths: Arc<Mutex<Vec<String>>>,
) {
    let mut head = Vec::new();
    let mut piece = [0; 4096];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let Ok(read @ 1..) = stream.read(&mut piece).await else { return };
        head.extend_from_slice(&piece[..read]);
    }
    let head = String::from_utf8(head).unwrap();
    let path = head.split(' ').nth(1).unwrap().to_owned();
    let prefix = path.rsplit('/').next().unwrap().to_owned();
    requested_paths.lock().unwrap().push(path);
    let rest = password_hashes.iter().filter_map(|digits| digits.strip_prefix(prefix.as_str()));
    let body: String = rest.map(|rest| format!("{rest}:3\r\n")).collect();
    let body = format!("0018A45C4D1DEF81644B54AB7F969B88D65:1\r\n{body}");
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
}
