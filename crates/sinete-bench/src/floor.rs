//! The baseline server ("floor"): the HTTP stack of Sinete with only the unavoidable work.
//!
//! It validates nothing, knows no clients and grants nothing of value. It shows what a workload costs if
//! every decision is free, and is what Sinete is compared with. It runs as a separate process, so that its
//! CPU time can be measured separately.

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

/// Maximum size of the static document, in bytes.
pub const STATIC_BYTES_MAX: u32 = 1024 * 1024;

/// The workloads of the baseline server.
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

/// A workload of the baseline server.
#[derive(Clone, Copy, Debug)]
pub struct BaselineWorkload {
    /// The description.
    pub name: &'static str,
    /// Its requests, in order.
    pub requests: &'static [(RequestMethod, &'static str)],
}

/// The state of the baseline server.
pub struct BaselineServer {
    document: Bytes,
    signer: Es256Signer,
    other_signers: OtherSigners,
    token: String,
    store: BaselineStore,
}

/// The database of the baseline server.
enum BaselineStore {
    Sqlite(SqliteBaseline),
    Postgres(PostgresBaseline),
}

impl BaselineStore {
    async fn apply_change(&self, change: BaselineChange) -> Result<(), BenchError> {
        match self {
            Self::Sqlite(database) => database.apply_change(change).await,
            Self::Postgres(database) => database.apply_change(change).await,
        }
    }

    async fn look_up_fact(&self) -> Result<String, BenchError> {
        match self {
            Self::Sqlite(database) => database.look_up_fact(),
            Self::Postgres(database) => database.look_up_fact().await,
        }
    }
}

impl BaselineServer {
    /// Creates the key, the document and the database, either in an empty folder or in the given empty
    /// database.
    pub async fn build(folder: &Path, static_bytes: u32, postgres: Option<&str>) -> Result<Self, BenchError> {
        let signer = Es256Signer::new()?;
        let token = signer.sign_token()?;
        let document = Bytes::from(vec![b' '; static_bytes.min(STATIC_BYTES_MAX) as usize]);
        let store = match postgres {
            None => BaselineStore::Sqlite(SqliteBaseline::create(folder)?),
            Some(url) => BaselineStore::Postgres(PostgresBaseline::create(url).await?),
        };
        Ok(Self { document, token, signer, other_signers: OtherSigners::new()?, store })
    }
}

/// Serves until `stop` completes.
pub async fn serve(
    floor: BaselineServer,
    listener: TcpListener,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), BenchError> {
    let listener = listener.tap_io(|stream| {
        // Small responses must not be delayed. If the system refuses, they are only late.
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, build_router(floor))
        .with_graceful_shutdown(stop)
        .await
        .map_err(|source| BenchError::io("serve the floor", source))
}

fn build_router(floor: BaselineServer) -> Router {
    Router::new()
        .route("/static", get(serve_document))
        .route("/sign", post(sign_token))
        .route("/insert", post(insert_event))
        .route("/lookup", get(look_up_fact))
        .route("/credentials", post(issue_client_credentials))
        .route("/credentials/eddsa", post(issue_client_credentials_eddsa))
        .route("/credentials/rs256", post(issue_client_credentials_rs256))
        .route("/exchange", post(exchange_token))
        .route("/introspect", post(introspect_token))
        .route("/rotate", post(rotate_refresh_token))
        .route("/authorize", post(issue_authorization_code))
        .route("/redeem", post(redeem_authorization_code))
        .with_state(Arc::new(floor))
}

type SharedBaseline = State<Arc<BaselineServer>>;
type JsonResponse = ([(HeaderName, HeaderValue); 1], Bytes);

async fn serve_document(State(floor): SharedBaseline) -> JsonResponse {
    json_response(floor.document.clone())
}

async fn sign_token(State(floor): SharedBaseline) -> Result<JsonResponse, BenchError> {
    token_response(&[floor.signer.sign_token()?])
}

async fn insert_event(State(floor): SharedBaseline) -> Result<JsonResponse, BenchError> {
    floor.store.apply_change(BaselineChange::Event).await?;
    Ok(json_response("{}"))
}

async fn look_up_fact(State(floor): SharedBaseline) -> Result<JsonResponse, BenchError> {
    Ok(json_response(floor.store.look_up_fact().await?))
}

async fn issue_client_credentials(State(floor): SharedBaseline) -> Result<JsonResponse, BenchError> {
    let token = floor.signer.sign_token()?;
    floor.store.apply_change(BaselineChange::Event).await?;
    token_response(&[token])
}

async fn issue_client_credentials_eddsa(State(floor): SharedBaseline) -> Result<JsonResponse, BenchError> {
    let token = floor.other_signers.sign_eddsa()?;
    floor.store.apply_change(BaselineChange::Event).await?;
    token_response(&[token])
}

async fn issue_client_credentials_rs256(State(floor): SharedBaseline) -> Result<JsonResponse, BenchError> {
    let token = floor.other_signers.sign_rs256()?;
    floor.store.apply_change(BaselineChange::Event).await?;
    token_response(&[token])
}

async fn exchange_token(State(floor): SharedBaseline) -> Result<JsonResponse, BenchError> {
    if !floor.signer.verify_token(&floor.token) {
        return Err(BenchError::Unexpected("the floor's own token does not verify".to_owned()));
    }
    floor.store.look_up_fact().await?;
    let token = floor.signer.sign_token()?;
    floor.store.apply_change(BaselineChange::NewFactAndEvent).await?;
    token_response(&[token])
}

async fn introspect_token(State(floor): SharedBaseline) -> Result<JsonResponse, BenchError> {
    if !floor.signer.verify_token(&floor.token) {
        return Err(BenchError::Unexpected("the floor's own token does not verify".to_owned()));
    }
    Ok(json_response(floor.store.look_up_fact().await?))
}

async fn rotate_refresh_token(State(floor): SharedBaseline) -> Result<JsonResponse, BenchError> {
    floor.store.look_up_fact().await?;
    let token = floor.signer.sign_token()?;
    floor.store.apply_change(BaselineChange::FactAndEvent).await?;
    token_response(&[token])
}

async fn issue_authorization_code(State(floor): SharedBaseline) -> Result<JsonResponse, BenchError> {
    floor.store.apply_change(BaselineChange::NewFactAndEvent).await?;
    Ok(json_response("{}"))
}

async fn redeem_authorization_code(State(floor): SharedBaseline) -> Result<JsonResponse, BenchError> {
    floor.store.look_up_fact().await?;
    let (access, id) = (floor.signer.sign_token()?, floor.signer.sign_token()?);
    floor.store.apply_change(BaselineChange::FactAndEvent).await?;
    token_response(&[access, id])
}

fn token_response(tokens: &[String]) -> Result<JsonResponse, BenchError> {
    let body = serde_json::to_vec(&serde_json::json!({ "token_type": "Bearer", "tokens": tokens }))
        .map_err(|error| BenchError::Unexpected(error.to_string()))?;
    Ok(json_response(body))
}

fn json_response(body: impl Into<Bytes>) -> JsonResponse {
    ([(CONTENT_TYPE, HeaderValue::from_static("application/json"))], body.into())
}

impl IntoResponse for BenchError {
    fn into_response(self) -> Response {
        (StatusCode::INTERNAL_SERVER_ERROR, self.to_string()).into_response()
    }
}
