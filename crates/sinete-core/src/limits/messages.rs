//! How many messages flows send.

use crate::time::Lifetime;

/// How long there is between two messages with digits to one address, at the request of one party.
pub const EMAIL_CODE_INTERVAL: Lifetime = Lifetime::from_seconds(60);
/// Most messages with digits to one address within an hour, at the request of one party.
pub const EMAIL_CODES_HOURLY_MAX: i64 = 5;
/// Messages of flows to one address, number or account in a day, at the request of one party.
pub const MESSAGES_DAILY_MAX: i64 = 10;
/// Most messages to one address, number or account within an hour, at the request of all strangers together.
pub const ANONYMOUS_MESSAGES_HOURLY_MAX: i64 = 10;
/// The same in a day.
pub const ANONYMOUS_MESSAGES_DAILY_MAX: i64 = 20;
/// Most messages to one address, number or account within an hour, at the request of its owner, on all of their devices and in
/// all of their sessions together: whoever signs in again is not given another budget.
pub const OWNERS_MESSAGES_HOURLY_MAX: i64 = 10;
/// The same in a day.
pub const OWNERS_MESSAGES_DAILY_MAX: i64 = 20;
