//! Limits of messages that flows send.

use crate::time::Lifetime;

/// Minimum interval between two messages with a code to one address, requested by one party.
pub const EMAIL_CODE_INTERVAL: Lifetime = Lifetime::from_seconds(60);
/// Maximum messages with a code to one address per hour, requested by one party.
pub const EMAIL_CODES_HOURLY_MAX: i64 = 5;
/// Maximum flow messages to one address, number or account per day, requested by one party.
pub const MESSAGES_DAILY_MAX: i64 = 10;
/// Maximum messages to one address, number or account per hour, requested by all unauthenticated parties
/// together.
pub const ANONYMOUS_MESSAGES_HOURLY_MAX: i64 = 10;
/// The same per day.
pub const ANONYMOUS_MESSAGES_DAILY_MAX: i64 = 20;
/// Maximum messages to one address, number or account per hour, requested by its owner on all devices and in
/// all sessions together: signing in again gives no new budget.
pub const OWNER_MESSAGES_HOURLY_MAX: i64 = 10;
/// The same per day.
pub const OWNER_MESSAGES_DAILY_MAX: i64 = 20;
