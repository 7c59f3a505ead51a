//! The floor: the HTTP stack of Sinete with only the work that cannot be avoided.
//!
//! It checks nothing, knows no client and grants nothing of value. It is what a workload costs when every
//! decision is free, and therefore what Sinete is measured against. It runs as a process of its own, so that
//! its processor time can be told from everybody else's.

pub mod database;
pub mod group_writer;
mod postgres;
mod signer;

use crate::failed::Failed;
use crate::load::Method::{self, Get, Post};
use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt as _;
use bytes::Bytes;
use database::{Change, Database};
use postgres::Postgres;
use signer::{Others, Signer};
use std::path::Path;
use std::sync::Arc;
use tokio::net::TcpListener;

/// Most bytes of the static document.
pub const STATIC_BYTES_MAX: u32 = 1024 * 1024;

/// What the floor can be asked for, and which workload it is the floor of.
pub const WORKLOADS: &[Workload] = &[
    Workload { name: "a document", requests: &[(Get, "/static")] },
    Workload { name: "one signature", requests: &[(Post, "/sign")] },
    Workload { name: "one durable insert", requests: &[(Post, "/insert")] },
    Workload { name: "one point read", requests: &[(Get, "/lookup")] },
    Workload { name: "client credentials: sign, insert", requests: &[(Post, "/credentials")] },
    Workload { name: "the same, with EdDSA", requests: &[(Post, "/credentials/eddsa")] },
    Workload { name: "the same, with RS256", requests: &[(Post, "/credentials/rs256")] },
    Workload { name: "exchange: read, verify, insert, sign", requests: &[(Post, "/exchange")] },
    Workload { name: "introspection: read, verify", requests: &[(Post, "/introspect")] },
    Workload { name: "refresh: read, change, insert, sign", requests: &[(Post, "/rotate")] },
    Workload {
        name: "code flow: insert; read, change, insert, sign twice",
        requests: &[(Post, "/authorize"), (Post, "/redeem")],
    },
];

/// One workload of the floor.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// What it is, in words.
    pub name: &'static str,
    /// Its requests, in order.
    pub requests: &'static [(Method, &'static str)],
}

/// Everything the floor holds.
pub struct Floor {
    document: Bytes,
    signer: Signer,
    others: Others,
    token: String,
    store: Store,
}

/// Where the floor keeps its rows.
enum Store {
    Sqlite(Database),
    Postgres(Postgres),
}

impl Store {
    async fn change(&self, change: Change) -> Result<(), Failed> {
        match self {
            Self::Sqlite(database) => database.change(change).await,
            Self::Postgres(database) => database.change(change).await,
        }
    }

    async fn look_up(&self) -> Result<String, Failed> {
        match self {
            Self::Sqlite(database) => database.look_up(),
            Self::Postgres(database) => database.look_up().await,
        }
    }
}

impl Floor {
    /// Makes the key, the document and the database: in an empty folder, or the empty one that is named.
    pub async fn build(folder: &Path, static_bytes: u32, postgres: Option<&str>) -> Result<Self, Failed> {
        let signer = Signer::new()?;
        let token = signer.token()?;
        let document = Bytes::from(vec![b' '; static_bytes.min(STATIC_BYTES_MAX) as usize]);
        let store = match postgres {
            None => Store::Sqlite(Database::create(folder)?),
            Some(url) => Store::Postgres(Postgres::create(url).await?),
        };
        Ok(Self { document, token, signer, others: Others::new()?, store })
    }
}

/// Serves until `stop` is done.
pub async fn serve(
    floor: Floor,
    listener: TcpListener,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), Failed> {
    let listener = listener.tap_io(|stream| {
        // Small answers must not wait for more; should the system refuse, they are merely late.
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, router(floor))
        .with_graceful_shutdown(stop)
        .await
        .map_err(|source| Failed::io("serve the floor", source))
}

fn router(floor: Floor) -> Router {
    Router::new()
        .route("/static", get(document))
        .route("/sign", post(sign))
        .route("/insert", post(insert))
        .route("/lookup", get(look_up))
        .route("/credentials", post(credentials))
        .route("/credentials/eddsa", post(credentials_eddsa))
        .route("/credentials/rs256", post(credentials_rs256))
        .route("/exchange", post(exchange))
        .route("/introspect", post(introspect))
        .route("/rotate", post(rotate))
        .route("/authorize", post(authorize))
        .route("/redeem", post(redeem))
        .with_state(Arc::new(floor))
}

type Shared = State<Arc<Floor>>;
type Json = ([(HeaderName, HeaderValue); 1], Bytes);

async fn document(State(floor): Shared) -> Json {
    json(floor.document.clone())
}

async fn sign(State(floor): Shared) -> Result<Json, Failed> {
    tokens(&[floor.signer.token()?])
}

async fn insert(State(floor): Shared) -> Result<Json, Failed> {
    floor.store.change(Change::Event).await?;
    Ok(json("{}"))
}

async fn look_up(State(floor): Shared) -> Result<Json, Failed> {
    Ok(json(floor.store.look_up().await?))
}

async fn credentials(State(floor): Shared) -> Result<Json, Failed> {
    let token = floor.signer.token()?;
    floor.store.change(Change::Event).await?;
    tokens(&[token])
}

async fn credentials_eddsa(State(floor): Shared) -> Result<Json, Failed> {
    let token = floor.others.eddsa()?;
    floor.store.change(Change::Event).await?;
    tokens(&[token])
}

async fn credentials_rs256(State(floor): Shared) -> Result<Json, Failed> {
    let token = floor.others.rs256()?;
    floor.store.change(Change::Event).await?;
    tokens(&[token])
}

async fn exchange(State(floor): Shared) -> Result<Json, Failed> {
    if !floor.signer.verifies(&floor.token) {
        return Err(Failed::Unexpected("the floor's own token does not verify".to_owned()));
    }
    floor.store.look_up().await?;
    let token = floor.signer.token()?;
    floor.store.change(Change::NewFactAndEvent).await?;
    tokens(&[token])
}

async fn introspect(State(floor): Shared) -> Result<Json, Failed> {
    if !floor.signer.verifies(&floor.token) {
        return Err(Failed::Unexpected("the floor's own token does not verify".to_owned()));
    }
    Ok(json(floor.store.look_up().await?))
}

async fn rotate(State(floor): Shared) -> Result<Json, Failed> {
    floor.store.look_up().await?;
    let token = floor.signer.token()?;
    floor.store.change(Change::FactAndEvent).await?;
    tokens(&[token])
}

async fn authorize(State(floor): Shared) -> Result<Json, Failed> {
    floor.store.change(Change::NewFactAndEvent).await?;
    Ok(json("{}"))
}

async fn redeem(State(floor): Shared) -> Result<Json, Failed> {
    floor.store.look_up().await?;
    let (access, id) = (floor.signer.token()?, floor.signer.token()?);
    floor.store.change(Change::FactAndEvent).await?;
    tokens(&[access, id])
}

fn tokens(tokens: &[String]) -> Result<Json, Failed> {
    let body = serde_json::to_vec(&serde_json::json!({ "token_type": "Bearer", "tokens": tokens }))
        .map_err(|error| Failed::Unexpected(error.to_string()))?;
    Ok(json(body))
}

fn json(body: impl Into<Bytes>) -> Json {
    ([(CONTENT_TYPE, HeaderValue::from_static("application/json"))], body.into())
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        (StatusCode::INTERNAL_SERVER_ERROR, self.to_string()).into_response()
    }
}
