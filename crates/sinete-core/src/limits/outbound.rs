//! Limits of outbound requests to URLs that others configured.

use crate::time::Lifetime;

/// Maximum bytes read of a response.
pub const OUTBOUND_RESPONSE_BYTES_MAX: usize = 256 * 1024;
/// Maximum time of a request, from name resolution to the end of the response.
pub const OUTBOUND_RESPONSE_TIME_MAX: Lifetime = Lifetime::from_seconds(3);
/// Maximum time that a request waits for a slot.
pub const OUTBOUND_QUEUE_WAIT_MAX: Lifetime = Lifetime::from_seconds(2);
/// Maximum requests of one owner that wait for slots of one purpose.
pub const OUTBOUND_QUEUED_MAX: usize = 64;
/// An owner gets another slot only while it holds fewer than the free slots divided by this number.
pub const OUTBOUND_SHARE_DIVISOR: usize = 4;
/// Maximum slots of one purpose held by self-registered clients. All of them together are one owner.
pub const OUTBOUND_SELF_REGISTERED_MAX: usize = 4;
/// Consecutive failures of a host after which its circuit opens.
pub const CIRCUIT_FAILURES_MAX: u32 = 5;
/// How long a circuit stays open at first; each further failure doubles it.
pub const CIRCUIT_OPEN_MIN: Lifetime = Lifetime::from_seconds(5);
/// Maximum time a circuit stays open.
pub const CIRCUIT_OPEN_MAX: Lifetime = Lifetime::from_minutes(5);
/// Maximum hosts whose circuits one node tracks.
pub const CIRCUITS_TRACKED_MAX: usize = 10_000;
