//! The floor: the HTTP stack of Sinete with only the work that cannot be avoided.
//!
//! It checks nothing, knows no client and grants nothing of value. It is what a workload costs when every
//! decision is free, and therefore what Sinete is measured against. It runs as a process of its own, so that
//! its processor time can be told from everybody else's.

pub mod database;
pub mod group_writer;
mod postgres;
mod signer;

use crate::failed::BenchError;
use crate::load::RequestMethod::{self, Get, Post};
use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt as _;
use bytes::Bytes;
use database::{BaselineChange, SqliteBaseline};
use postgres::PostgresBaseline;
use signer::{Es256Signer, OtherSigners};
use std::path::Path;
use std::sync::Arc;
use tokio::net::TcpListener;

/// Most bytes of the static document.
pub const STATIC_BYTES_MAX: u32 = 1024 * 1024;

/// What the floor can be asked for, and which workload it is the floor of.
pub const WORKLOADS: &[BaselineWorkload] = &[
    BaselineWorkload { name: "a document", requests: &[(Get, "/static")] },
    BaselineWorkload { name: "one signature", requests: &[(Post, "/sign")] },
    BaselineWorkload { name: "one durable insert", requests: &[(Post, "/insert")] },
    BaselineWorkload { name: "one point read", requests: &[(Get, "/lookup")] },
    BaselineWorkload { name: "client credentials: sign, insert", requests: &[(Post, "/credentials")] },
    BaselineWorkload { name: "the same, with EdDSA", requests: &[(Post, "/credentials/eddsa")] },
    BaselineWorkload { name: "the same, with RS256", requests: &[(Post, "/credentials/rs256")] },
    BaselineWorkload { name: "exchange: read, verify, insert, sign", requests: &[(Post, "/exchange")] },
    BaselineWorkload { name: "introspection: read, verify", requests: &[(Post, "/introspect")] },
    BaselineWorkload { name: "refresh: read, change, insert, sign", requests: &[(Post, "/rotate")] },
    BaselineWorkload {
        name: "code flow: insert; read, change, insert, sign twice",
        requests: &[(Post, "/authorize"), (Post, "/redeem")],
    },
];

/// One workload of the floor.
#[derive(Clone, Copy, Debug)]
pub struct BaselineWorkload {
    /// What it is, in words.
    pub name: &'static str,
    /// Its requests, in order.
    pub requests: &'static [(RequestMethod, &'static str)],
}

/// Everything the floor holds.
pub struct BaselineServer {
    document: Bytes,
    signer: Es256Signer,
    others: OtherSigners,
    token: String,
    store: BaselineStore,
}

/// Where the floor keeps its rows.
enum BaselineStore {
    Sqlite(SqliteBaseline),
    Postgres(PostgresBaseline),
}

impl BaselineStore {
    async fn change(&self, change: BaselineChange) -> Result<(), BenchError> {
        match self {
            Self::Sqlite(database) => database.change(change).await,
            Self::Postgres(database) => database.change(change).await,
        }
    }

    async fn look_up(&self) -> Result<String, BenchError> {
        match self {
            Self::Sqlite(database) => database.look_up(),
            Self::Postgres(database) => database.look_up().await,
        }
    }
}

impl BaselineServer {
    /// Makes the key, the document and the database: in an empty folder, or the empty one that is named.
    pub async fn build(folder: &Path, static_bytes: u32, postgres: Option<&str>) -> Result<Self, BenchError> {
        let signer = Es256Signer::new()?;
        let token = signer.token()?;
        let document = Bytes::from(vec![b' '; static_bytes.min(STATIC_BYTES_MAX) as usize]);
        let store = match postgres {
            None => BaselineStore::Sqlite(SqliteBaseline::create(folder)?),
            Some(url) => BaselineStore::Postgres(PostgresBaseline::create(url).await?),
        };
        Ok(Self { document, token, signer, others: OtherSigners::new()?, store })
    }
}

/// Serves until `stop` is done.
pub async fn serve(
    floor: BaselineServer,
    listener: TcpListener,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), BenchError> {
    let listener = listener.tap_io(|stream| {
        // Small answers must not wait for more; should the system refuse, they are merely late.
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, router(floor))
        .with_graceful_shutdown(stop)
        .await
        .map_err(|source| BenchError::io("serve the floor", source))
}

fn router(floor: BaselineServer) -> Router {
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

type SharedBaseline = State<Arc<BaselineServer>>;
type JsonResponse = ([(HeaderName, HeaderValue); 1], Bytes);

async fn document(State(floor): SharedBaseline) -> JsonResponse {
    json(floor.document.clone())
}

async fn sign(State(floor): SharedBaseline) -> Result<JsonResponse, BenchError> {
    tokens(&[floor.signer.token()?])
}

async fn insert(State(floor): SharedBaseline) -> Result<JsonResponse, BenchError> {
    floor.store.change(BaselineChange::Event).await?;
    Ok(json("{}"))
}

async fn look_up(State(floor): SharedBaseline) -> Result<JsonResponse, BenchError> {
    Ok(json(floor.store.look_up().await?))
}

async fn credentials(State(floor): SharedBaseline) -> Result<JsonResponse, BenchError> {
    let token = floor.signer.token()?;
    floor.store.change(BaselineChange::Event).await?;
    tokens(&[token])
}

async fn credentials_eddsa(State(floor): SharedBaseline) -> Result<JsonResponse, BenchError> {
    let token = floor.others.eddsa()?;
    floor.store.change(BaselineChange::Event).await?;
    tokens(&[token])
}

async fn credentials_rs256(State(floor): SharedBaseline) -> Result<JsonResponse, BenchError> {
    let token = floor.others.rs256()?;
    floor.store.change(BaselineChange::Event).await?;
    tokens(&[token])
}

async fn exchange(State(floor): SharedBaseline) -> Result<JsonResponse, BenchError> {
    if !floor.signer.verifies(&floor.token) {
        return Err(BenchError::Unexpected("the floor's own token does not verify".to_owned()));
    }
    floor.store.look_up().await?;
    let token = floor.signer.token()?;
    floor.store.change(BaselineChange::NewFactAndEvent).await?;
    tokens(&[token])
}

async fn introspect(State(floor): SharedBaseline) -> Result<JsonResponse, BenchError> {
    if !floor.signer.verifies(&floor.token) {
        return Err(BenchError::Unexpected("the floor's own token does not verify".to_owned()));
    }
    Ok(json(floor.store.look_up().await?))
}

async fn rotate(State(floor): SharedBaseline) -> Result<JsonResponse, BenchError> {
    floor.store.look_up().await?;
    let token = floor.signer.token()?;
    floor.store.change(BaselineChange::FactAndEvent).await?;
    tokens(&[token])
}

async fn authorize(State(floor): SharedBaseline) -> Result<JsonResponse, BenchError> {
    floor.store.change(BaselineChange::NewFactAndEvent).await?;
    Ok(json("{}"))
}

async fn redeem(State(floor): SharedBaseline) -> Result<JsonResponse, BenchError> {
    floor.store.look_up().await?;
    let (access, id) = (floor.signer.token()?, floor.signer.token()?);
    floor.store.change(BaselineChange::FactAndEvent).await?;
    tokens(&[access, id])
}

fn tokens(tokens: &[String]) -> Result<JsonResponse, BenchError> {
    let body = serde_json::to_vec(&serde_json::json!({ "token_type": "Bearer", "tokens": tokens }))
        .map_err(|error| BenchError::Unexpected(error.to_string()))?;
    Ok(json(body))
}

fn json(body: impl Into<Bytes>) -> JsonResponse {
    ([(CONTENT_TYPE, HeaderValue::from_static("application/json"))], body.into())
}

impl IntoResponse for BenchError {
    fn into_response(self) -> Response {
        (StatusCode::INTERNAL_SERVER_ERROR, self.to_string()).into_response()
    }
}
