//! The bounds of requests that we send to addresses that others named.

use crate::time::Lifetime;

/// Most bytes that are read of what an address we were told answers.
pub const OUTBOUND_RESPONSE_BYTES_MAX: usize = 256 * 1024;
/// How long an address we were told may take, from its name to the end of its answer.
pub const OUTBOUND_RESPONSE_TIME_MAX: Lifetime = Lifetime::from_seconds(3);
/// How long a request waits for a place at most, before it is sent.
pub const OUTBOUND_QUEUE_WAIT_MAX: Lifetime = Lifetime::from_seconds(2);
/// Most requests of one owner that wait for a place of one purpose.
pub const OUTBOUND_QUEUED_MAX: usize = 64;
/// An owner takes another place only while it holds less than this part of the places that are free.
pub const OUTBOUND_SHARE_DIVISOR: usize = 4;
/// Most places of one purpose that a client which registered itself holds. All such clients together are one owner.
pub const OUTBOUND_SELF_REGISTERED_MAX: usize = 4;
/// How often in a row a host does not answer before its circuit opens.
pub const CIRCUIT_FAILURES_MAX: u32 = 5;
/// How long a circuit stays open at first; each time that the host does not answer again, twice as long.
pub const CIRCUIT_OPEN_MIN: Lifetime = Lifetime::from_seconds(5);
/// How long it stays open at most.
pub const CIRCUIT_OPEN_MAX: Lifetime = Lifetime::from_minutes(5);
/// Most hosts whose circuits one node remembers.
pub const CIRCUITS_TRACKED_MAX: usize = 10_000;
