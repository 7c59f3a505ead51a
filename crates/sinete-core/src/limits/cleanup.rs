//! How long expired rows are kept.

use crate::time::Lifetime;

/// How long expired rows are kept before they are deleted.
pub const CLEANUP_AFTER: Lifetime = Lifetime::from_hours(24);
/// How long an unused client from dynamic registration is kept.
pub const UNUSED_CLIENT_RETENTION: Lifetime = Lifetime::from_hours(24);
/// How long a client from dynamic registration is kept after its last use and the end of its last grant.
pub const IDLE_CLIENT_RETENTION: Lifetime = Lifetime::from_days(30);
/// How long an expired row is kept that an unauthenticated caller can create. There may be one for every
/// request that a rate limit admits, so they are deleted earlier than others.
pub const ANONYMOUS_ROW_RETENTION: Lifetime = Lifetime::from_minutes(5);
/// How long an expired flow and its messages are kept, so that a user who returns to it sees that it has
/// expired.
pub const FLOW_ROW_RETENTION: Lifetime = Lifetime::from_hours(1);
/// How long ended API keys, invitations and assignments are kept as a record.
pub const ENDED_RECORD_RETENTION: Lifetime = Lifetime::from_days(90);
/// How often cleanup runs.
pub const CLEANUP_INTERVAL: Lifetime = Lifetime::from_minutes(10);
/// Maximum rows of one table that one cleanup transaction deletes.
pub const CLEANUP_ROWS_MAX: u32 = 500;
/// Maximum cleanup transactions for one kind of row in one run: more than all tracked addresses of a node can
/// cause between two runs (a test compares them).
pub const CLEANUP_PASSES_MAX: u32 = 200_000;
/// How long a known device is kept after its last use: a little longer than its cookie lives, so that every
/// browser with a valid cookie is recognized.
pub const KNOWN_DEVICE_RETENTION: Lifetime = Lifetime::from_days(400);
