//! A URL with several PostgreSQL servers: the one that accepts writes is found, also past one that is switched off.

use super::database::Database;
use super::probe::{COUNT_UP, act, commit, open, put, rows};
use crate::{Store, StoreAccess, StoreFailure, StoreOptions};
use sinete_core::time::Lifetime;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::timeout;

/// A server that answers no connection attempt, like a machine that is switched off: its queue is full.
struct DarkServer {
    port: u16,
    _listener: TcpListener,
    _queued: Vec<TcpStream>,
}

impl DarkServer {
    async fn start() -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let listener = socket.listen(1).unwrap();
        let address = listener.local_addr().unwrap();
        let mut queued = Vec::new();
        while let Ok(Ok(stream)) = timeout(Duration::from_millis(300), TcpStream::connect(address)).await {
            queued.push(stream);
            assert!(queued.len() < 100, "the queue never fills");
        }
        Self { port: address.port(), _listener: listener, _queued: queued }
    }
}

/// The URL with another server before the one it names.
fn with_server_before(url: &str, port: u16) -> String {
    let (start, rest) = url.split_once("127.0.0.1").expect("a cluster on 127.0.0.1");
    format!("{start}127.0.0.1:{port},127.0.0.1{rest}?target_session_attrs=read-write")
}

async fn store_at(url: &str, options: &StoreOptions) -> Result<Store, StoreFailure> {
    Store::open(&url.parse().unwrap(), options).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_url_with_two_servers_is_served_while_one_is_down() {
    let database = Database::postgres().await;
    open(&database).await.close().await;
    let dark = DarkServer::start().await;
    let url = with_server_before(&database.url(), dark.port);
    let options =
        StoreOptions { answer_max: Lifetime::from_seconds(30), ..StoreOptions::new(StoreAccess::Serve) };
    let store = store_at(&url, &options).await.unwrap();
    commit(&store, [put(1, 1), put(2, 2)]).await;
    assert_eq!(rows(&store).await, [(1, Some(1)), (2, Some(2))]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_url_whose_servers_are_all_down_is_unreachable_in_time() {
    let (first, second) = (DarkServer::start().await, DarkServer::start().await);
    let url = format!("postgres://nobody@127.0.0.1:{},127.0.0.1:{}/nothing", first.port, second.port);
    let opened =
        timeout(Duration::from_secs(60), store_at(&url, &StoreOptions::new(StoreAccess::Serve))).await;
    assert_eq!(opened.expect("too slow").unwrap_err(), StoreFailure::Unreachable);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_url_that_wants_a_writable_server_can_be_read_only() {
    let database = Database::postgres().await;
    let store = open(&database).await;
    commit(&store, [put(1, 1)]).await;
    let url = format!("{}?target_session_attrs=read-write", database.url());
    let reader = store_at(&url, &StoreOptions::new(StoreAccess::ReadOnly)).await.unwrap();
    assert_eq!(rows(&reader).await, [(1, Some(1))]);
    assert_eq!(reader.commit(act([put(2, 2)])).await.unwrap_err(), StoreFailure::ReadOnly);
    // The server refuses it too, should a statement that writes be read.
    assert_eq!(reader.read_first(&COUNT_UP, &[1.into()]).await.unwrap_err(), StoreFailure::ReadOnly);
    assert_eq!(rows(&store).await, [(1, Some(1))]);
}
