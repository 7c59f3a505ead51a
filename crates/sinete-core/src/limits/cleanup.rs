//! How long rows are kept once they are of no more use.

use crate::time::Lifetime;

/// How long what has expired is kept before it is deleted.
pub const CLEANUP_AFTER: Lifetime = Lifetime::from_hours(24);
/// How long a client that registered itself and was never used is kept.
pub const UNUSED_CLIENT_RETENTION: Lifetime = Lifetime::from_hours(24);
/// How long a client that registered itself is kept after its last use and its last grant's end.
pub const IDLE_CLIENT_RETENTION: Lifetime = Lifetime::from_days(30);
/// How long a row is kept after it expired that anybody can have written without proving who they are. There may be one for
/// every request that a rate limit admits, so that they do not wait as long as the others.
pub const ANONYMOUS_ROW_RETENTION: Lifetime = Lifetime::from_minutes(5);
/// How long a flow is kept after it expired, with what was sent for it: whoever comes back to it is told that it is over.
pub const FLOW_ROW_RETENTION: Lifetime = Lifetime::from_hours(1);
/// How long a record of something that people decided is kept after it ended: keys, invitations, assignments.
pub const ENDED_RECORD_RETENTION: Lifetime = Lifetime::from_days(90);
/// How often cleanup runs.
pub const CLEANUP_INTERVAL: Lifetime = Lifetime::from_minutes(10);
/// Most rows of one table that one act of cleanup deletes.
pub const CLEANUP_ROWS_MAX: u32 = 500;
/// Most acts of cleanup for the rows of one kind in one run: more than every address that a node remembers can have caused
/// since the last run (a test compares them).
pub const CLEANUP_PASSES_MAX: u32 = 200_000;
/// How long a device is recognised after it was last seen: a little longer than its cookie lives, so that no browser which still
/// holds one is taken for a stranger's.
pub const KNOWN_DEVICE_RETENTION: Lifetime = Lifetime::from_days(400);
