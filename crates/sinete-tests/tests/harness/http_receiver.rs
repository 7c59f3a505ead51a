//! An HTTP server that records the requests it receives.

use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A server that gives every request the same response.
pub struct HttpReceiver {
    pub address: String,
    received: Arc<Mutex<Vec<String>>>,
    released: watch::Sender<bool>,
    status: Arc<AtomicU16>,
    serving: tokio::task::JoinHandle<()>,
}

impl HttpReceiver {
    /// Starts a server that responds with this status.
    pub async fn with_status(status: u16) -> Self {
        let receiver = Self::paused_with_status(status).await;
        receiver.release();
        receiver
    }

    /// Starts a server that responds with this status once it is released.
    pub async fn paused_with_status(status: u16) -> Self {
        let (released, release) = watch::channel(false);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/told", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let status = Arc::new(AtomicU16::new(status));
        let (received_bodies, answers) = (Arc::clone(&received), Arc::clone(&status));
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(handle_connection(
                    stream,
                    Arc::clone(&answers),
                    Arc::clone(&received_bodies),
                    release.clone(),
                ));
            }
        });
        Self { address, received, released, status, serving }
    }

    /// Changes the status of further responses.
    pub fn set_status(&self, status: u16) {
        self.status.store(status, Ordering::SeqCst);
    }

    /// Lets a paused server respond.
    pub fn release(&self) {
        self.released.send_replace(true);
    }

    /// The bodies that were received.
    pub fn received_bodies(&self) -> Vec<String> {
        self.received.lock().unwrap().clone()
    }
}

impl Drop for HttpReceiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn handle_connection(
    mut stream: TcpStream,
    status: Arc<AtomicU16>,
    received: Arc<Mutex<Vec<String>>>,
    mut release: watch::Receiver<bool>,
) {
    let mut text = Vec::new();
    let mut piece = [0; 4096];
    let body = loop {
        let Ok(read @ 1..) = stream.read(&mut piece).await else { return };
        text.extend_from_slice(&piece[..read]);
        let request_text = String::from_utf8_lossy(&text).into_owned();
        let Some((head, body)) = request_text.split_once("\r\n\r\n") else { continue };
        let length = head
            .lines()
            .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
        if body.len() >= length.unwrap_or(0) {
            break body.to_owned();
        }
    };
    received.lock().unwrap().push(body);
    let _ = release.wait_for(|is_released| *is_released).await;
    let status = status.load(Ordering::SeqCst);
    let answer = format!("HTTP/1.1 {status} Said\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    let _ = stream.write_all(answer.as_bytes()).await;
}
