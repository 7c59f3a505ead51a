//! Shows the nodes, the database and the limits that refused requests.

use crate::management_api::request::ManagementRequest;
use crate::state::{HttpState, RoutedRequest};
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use sinete_core::id::NodeId;
use sinete_core::refusal::limit_kind::LimitKind;
use sinete_engine::administration::health;
use sinete_engine::administration::health::{InstanceHealth, NodeCondition, NodeHealth};
use sinete_server::reply::HandlerResult;
use sinete_server::reply::json::{JsonTimestamp, json_response, serialize_json};
use sinete_server::schema::NamedSchema;

pub(crate) async fn show_health(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let unwritten = state.server().limit_counters().unwritten();
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let instance_health =
        health::show_health(management_request.engine(), &management_request.instance_admin(), &unwritten)
            .await?;
    Ok(json_response(StatusCode::OK, serialize_json(&HealthView::from(instance_health))?))
}

/// The health, as returned.
#[derive(Serialize, JsonSchema)]
struct HealthView {
    /// The version of the node that responds.
    version: &'static str,
    database: DatabaseView,
    /// The nodes that were seen within a day, the latest first.
    nodes: Vec<NodeView>,
    /// The limits that refused something within a day, the most frequent first.
    limits: Vec<LimitView>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct DatabaseView {
    /// `SQLite` or `PostgreSQL`.
    engine: String,
    /// The version that it reports.
    version: String,
    /// The newest applied migration.
    schema_version: u32,
    size_bytes: u64,
    /// How long the node that responds waited for a small read, in microseconds.
    latency_us: u64,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct NodeView {
    /// The id, which is new with every start.
    id: NodeId,
    /// `serving`; `stopped` if it stopped in order; `gone` if its heartbeats ended.
    #[schemars(extend("enum" = ["serving", "stopped", "gone"]))]
    state: &'static str,
    /// The version of its program.
    version: String,
    /// The newest migration that its program knows.
    schema_version: u32,
    started_at: JsonTimestamp,
    /// Its last heartbeat.
    seen_at: JsonTimestamp,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct LimitView {
    /// The limit.
    #[schemars(extend("enum" = limit_names()))]
    limit: &'static str,
    /// The refusals of all nodes in the last hour, exact to within ten minutes and the last heartbeat of other nodes.
    last_hour: u64,
    /// The refusals of all nodes in the last day.
    last_day: u64,
}

fn limit_names() -> Vec<&'static str> {
    LimitKind::ALL.iter().map(|limit| limit.name()).collect()
}

impl From<InstanceHealth> for HealthView {
    fn from(health: InstanceHealth) -> Self {
        let database = health.database;
        Self {
            version: env!("CARGO_PKG_VERSION"),
            database: DatabaseView {
                engine: database.engine,
                version: database.version,
                schema_version: database.schema_version,
                size_bytes: database.size_bytes,
                latency_us: u64::try_from(database.latency.as_micros()).unwrap_or(u64::MAX),
            },
            nodes: health.nodes.into_iter().map(NodeView::from).collect(),
            limits: health
                .limits
                .into_iter()
                .map(|it| LimitView {
                    limit: it.limit.name(),
                    last_hour: it.last_hour,
                    last_day: it.last_day,
                })
                .collect(),
        }
    }
}

impl From<NodeHealth> for NodeView {
    fn from(node: NodeHealth) -> Self {
        Self {
            id: node.id,
            state: match node.state {
                NodeCondition::Serving => "serving",
                NodeCondition::Stopped => "stopped",
                NodeCondition::Gone => "gone",
            },
            version: node.program_version,
            schema_version: node.schema_version,
            started_at: JsonTimestamp(node.started_at),
            seen_at: JsonTimestamp(node.seen_at),
        }
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&INSTANCE_HEALTH];

/// The schema of the resource.
pub(crate) const INSTANCE_HEALTH: NamedSchema = NamedSchema::response::<HealthView>("InstanceHealth");
