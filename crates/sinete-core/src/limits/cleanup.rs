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
/// How long a known device is kept after its last use: a little longer than the lifetime of its cookie, so
/// that every browser with a valid cookie is recognized.
pub const KNOWN_DEVICE_RETENTION: Lifetime = Lifetime::from_days(400);
/// How long the last day on which a user was active is kept: until it is in the previous month, so that users are
/// counted once in every month.
pub const ACTIVE_USER_RETENTION: Lifetime = Lifetime::from_days(32);
/// How long usage counts are kept by default.
pub const USAGE_RETENTION: Lifetime = Lifetime::from_days(400);
/// The shortest retention of usage counts: the longest month.
pub const USAGE_RETENTION_MIN: Lifetime = Lifetime::from_days(31);
/// Maximum periods in a usage report.
pub const USAGE_PERIODS_MAX: u32 = 400;
/// Maximum members, and maximum grants, whose organization a node keeps in memory to count usage.
pub const USAGE_CACHE_MAX: usize = 20_000;
