//! Limits of the security log: sealing and archiving.

use crate::time::Lifetime;

/// How often events are sealed in the chain of the security log.
pub const LOG_SEALING_INTERVAL: Lifetime = Lifetime::from_seconds(1);
/// Maximum events sealed in one transaction.
pub const LOG_SEALING_BATCH_MAX: u32 = 500;
/// How far back every run of the sealer looks for events. An event normally commits immediately after it is
/// created.
pub const LOG_SEALING_LOOKBACK: Lifetime = Lifetime::from_seconds(1);
/// How far back the sealer looks at longer intervals, for events delayed by some seconds.
pub const LOG_SEALING_LONG_LOOKBACK: Lifetime = Lifetime::from_seconds(12);
/// How often it does so.
pub const LOG_SEALING_LONG_LOOKBACK_INTERVAL: Lifetime = Lifetime::from_seconds(8);
/// How far back the sealer looks at the longest intervals; an event that commits later is never sealed.
pub const LOG_SEALING_WINDOW: Lifetime = Lifetime::from_minutes(10);
/// How often it does so.
pub const LOG_SEALING_WINDOW_INTERVAL: Lifetime = Lifetime::from_seconds(60);
/// Minimum interval between log messages with the signed head.
pub const LOG_HEAD_LOG_INTERVAL: Lifetime = Lifetime::from_seconds(60);
/// Maximum events in one archived segment of the security log.
pub const LOG_SEGMENT_EVENTS_MAX: u32 = 50_000;
/// A segment of the security log is closed at the latest when its first event has this age.
pub const LOG_SEGMENT_AGE_MAX: Lifetime = Lifetime::from_days(1);
/// Maximum events that one transaction removes from the security log after they were archived.
pub const LOG_CUT_BATCH_MAX: u32 = 500;
/// Minimum time for which events stay in the database.
pub const LOG_RETENTION_MIN: Lifetime = Lifetime::from_hours(1);
/// How often a node archives the security log.
pub const LOG_ARCHIVE_INTERVAL: Lifetime = Lifetime::from_hours(1);
/// How long one process may archive the log before it must renew its claim.
pub const LOG_ARCHIVE_CLAIM: Lifetime = Lifetime::from_minutes(5);
/// Minimum time for which entries of an organization's audit log are kept, in days.
pub const AUDIT_RETENTION_DAYS_MIN: u32 = 30;
/// Maximum time for which entries of an organization's audit log are kept, in days; without a retention they stay.
pub const AUDIT_RETENTION_DAYS_MAX: u32 = 36_500;
/// Maximum organizations whose audit log one run of the cleanup looks at.
pub const AUDIT_CLEANUP_ORGANIZATIONS_MAX: u32 = 10_000;
