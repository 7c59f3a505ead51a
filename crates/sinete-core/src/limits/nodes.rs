//! Heartbeats of nodes, and counts of refusals by limit.

use crate::time::Lifetime;

/// How often a node writes its heartbeat.
pub const HEARTBEAT_INTERVAL: Lifetime = Lifetime::from_seconds(30);
/// A node without a heartbeat for this long is shown as gone: three were missed.
pub const NODE_GONE_AFTER: Lifetime = Lifetime::from_seconds(100);
/// How long a node is listed after its last heartbeat.
pub const NODE_RETENTION: Lifetime = Lifetime::from_hours(24);
/// Maximum nodes that are listed, the latest first.
pub const NODES_LISTED_MAX: u32 = 100;
/// The period of one count of refusals. Reported hours and days are exact to within one period.
pub const LIMIT_COUNT_PERIOD: Lifetime = Lifetime::from_minutes(10);
/// How long counts of refusals are kept: a day, and the period that it begins in.
pub const LIMIT_COUNT_RETENTION: Lifetime = Lifetime::from_minutes(24 * 60 + 10);
