//! The state of the security log.

use crate::management_api::request::ManagementRequest;
use crate::state::{HttpState, RoutedRequest};
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use sinete_core::id::InstanceId;
use sinete_engine::Failure;
use sinete_engine::events::log_status;
use sinete_engine::events::log_status::{RecordedLogVerification, SecurityLogStatus};
use sinete_engine::events::security_log::SignedLogHead;
use sinete_server::reply::HandlerResult;
use sinete_server::reply::json::{JsonTimestamp, json_response, serialize_json};
use sinete_server::schema::NamedSchema;

pub(crate) async fn show_log_status(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let status =
        log_status::show_log_status(management_request.engine(), &management_request.instance_admin())
            .await?;
    Ok(json_response(StatusCode::OK, serialize_json(&LogStatusView::from_status(status)?)?))
}

/// The state, as returned.
#[derive(Serialize, JsonSchema)]
struct LogStatusView {
    /// Whether the signature of the head is valid and it ends the chain. The events are verified by `sinete log verify`.
    valid: bool,
    /// What is wrong with the head.
    finding: Option<String>,
    /// The signed head, as `sinete log head` prints it. Store it elsewhere.
    head: Option<LogHeadView>,
    /// How many events are not in the chain yet.
    unsealed: u64,
    archive: LogArchiveView,
    /// How far events were removed from the database; they are in the archive.
    checkpoint: Option<LogCheckpointView>,
    /// The last `sinete log verify` or `sinete backup` that verified every event, as it recorded itself.
    last_verification: Option<LogVerificationView>,
}

/// The signed head, as returned.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct LogHeadView {
    instance: InstanceId,
    position: i64,
    hash: String,
    sealed_at: JsonTimestamp,
    kid: String,
    signature: String,
    /// The public key, as a JWK.
    key: Map<String, Value>,
}

/// The archive, as returned.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct LogArchiveView {
    segments: usize,
    /// The last archived position.
    position: Option<i64>,
    /// When it was archived, and the chain verified up to its head.
    archived_at: Option<JsonTimestamp>,
}

/// The checkpoint, as returned.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct LogCheckpointView {
    position: i64,
    cut_at: JsonTimestamp,
}

/// A verification, as returned.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct LogVerificationView {
    verified_at: JsonTimestamp,
    /// How many events were verified.
    events: u64,
    /// How many findings there were; 0 if nothing was wrong.
    findings: u64,
    /// The position of the head that was read.
    position: Option<i64>,
    /// The hash of that head.
    hash: Option<String>,
}

impl LogVerificationView {
    fn from_record(record: RecordedLogVerification) -> Self {
        Self {
            verified_at: JsonTimestamp(record.verified_at),
            events: record.events,
            findings: record.findings,
            position: record.head.map(|head| head.position),
            hash: record.head.map(|head| head.hash.to_string()),
        }
    }
}

impl LogStatusView {
    fn from_status(status: SecurityLogStatus) -> Result<Self, Failure> {
        let archived = status.archive.last;
        Ok(Self {
            valid: status.head.is_some(),
            finding: status.finding,
            head: status.head.map(LogHeadView::from_head).transpose()?,
            unsealed: status.unsealed,
            archive: LogArchiveView {
                segments: status.archive.segments,
                position: archived.map(|(position, _)| position),
                archived_at: archived.map(|(_, at)| JsonTimestamp(at)),
            },
            checkpoint: status
                .checkpoint
                .map(|(position, at)| LogCheckpointView { position, cut_at: JsonTimestamp(at) }),
            last_verification: status.last_verification.map(LogVerificationView::from_record),
        })
    }
}

impl LogHeadView {
    fn from_head(head: SignedLogHead) -> Result<Self, Failure> {
        // The texts are those of the command.
        let head_json = serde_json::to_value(&head).map_err(|_| Failure::Interrupted)?;
        let text = |name: &str| head_json.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(Self {
            instance: head.instance,
            position: head.position,
            hash: text("hash"),
            sealed_at: JsonTimestamp(head.sealed_at.0),
            kid: text("kid"),
            signature: text("signature"),
            key: head.key.as_object().cloned().unwrap_or_default(),
        })
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&SECURITY_LOG_STATUS];

/// The schema of the resource.
pub(crate) const SECURITY_LOG_STATUS: NamedSchema =
    NamedSchema::response::<LogStatusView>("SecurityLogStatus");
