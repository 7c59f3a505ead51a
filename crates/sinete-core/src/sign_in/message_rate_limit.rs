//! Rate limits for challenge messages: per requester, for all unknown devices together, and for the owner
//! across their devices. Beyond the limit nothing is sent, and every requester sees the same text with the
//! time of the next message.

use crate::limits::{
    ANONYMOUS_MESSAGES_DAILY_MAX, ANONYMOUS_MESSAGES_HOURLY_MAX, EMAIL_CODE_INTERVAL, EMAIL_CODES_HOURLY_MAX,
    MESSAGES_DAILY_MAX, OWNER_MESSAGES_DAILY_MAX, OWNER_MESSAGES_HOURLY_MAX,
};
use crate::time::{Lifetime, Timestamp};

/// A counter of sent messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentMessageCounter {
    /// The number of messages in the window.
    pub count: i64,
    /// The start of the window.
    pub since: Timestamp,
    /// No message is sent until then.
    pub blocked_until: Timestamp,
}

/// A rate limit window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageRateWindow {
    /// The name used as the counter's key.
    pub name: &'static str,
    /// The window's length.
    pub length: Lifetime,
    /// The maximum number of messages.
    pub limit: i64,
}

impl MessageRateWindow {
    /// All windows; a message needs capacity in each.
    pub const ALL: [Self; 2] = [
        Self { name: "hour", length: Lifetime::from_hours(1), limit: EMAIL_CODES_HOURLY_MAX },
        Self { name: "day", length: Lifetime::from_hours(24), limit: MESSAGES_DAILY_MAX },
    ];

    /// The limits for all unknown devices together, from any number of networks, so that no mailbox is
    /// flooded.
    pub const UNKNOWN_DEVICES: [Self; 2] = [
        Self { name: "hour", length: Lifetime::from_hours(1), limit: ANONYMOUS_MESSAGES_HOURLY_MAX },
        Self { name: "day", length: Lifetime::from_hours(24), limit: ANONYMOUS_MESSAGES_DAILY_MAX },
    ];

    /// The limits for an owner, across all sessions and devices.
    pub const OWNER: [Self; 2] = [
        Self { name: "hour", length: Lifetime::from_hours(1), limit: OWNER_MESSAGES_HOURLY_MAX },
        Self { name: "day", length: Lifetime::from_hours(24), limit: OWNER_MESSAGES_DAILY_MAX },
    ];

    /// Counts a message to one address or number, with a pause after each; `None` if it exceeds the limit.
    pub fn count_message_to_address(
        self,
        before: Option<SentMessageCounter>,
        now: Timestamp,
    ) -> Option<SentMessageCounter> {
        self.count_message(before, now, EMAIL_CODE_INTERVAL)
    }

    /// Counts a message about one account, to any address.
    pub fn count_message_about_account(
        self,
        before: Option<SentMessageCounter>,
        now: Timestamp,
    ) -> Option<SentMessageCounter> {
        self.count_message(before, now, Lifetime::ZERO)
    }

    fn count_message(
        self,
        before: Option<SentMessageCounter>,
        now: Timestamp,
        pause: Lifetime,
    ) -> Option<SentMessageCounter> {
        if before.is_some_and(|message_counter| message_counter.blocked_until > now) {
            return None;
        }
        let recent = before.filter(|message_counter| now.since(message_counter.since) < self.length);
        let (count, since) = recent.map_or((1, now), |message_counter| {
            (message_counter.count.saturating_add(1), message_counter.since)
        });
        let after = now.plus(pause);
        let blocked_until = if count >= self.limit { after.max(since.plus(self.length)) } else { after };
        Some(SentMessageCounter { count, since, blocked_until })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns when messages requested at these seconds are sent.
    fn leave(requested_seconds: impl IntoIterator<Item = i64>) -> Vec<i64> {
        let (mut message_counters, mut allowed_seconds) = ([None; 2], Vec::new());
        for second in requested_seconds {
            let now = Timestamp::from_seconds(1_000_000 + second);
            let next = [0, 1]
                .map(|at| MessageRateWindow::ALL[at].count_message_to_address(message_counters[at], now));
            if let [Some(_), Some(_)] = next {
                message_counters = next;
                allowed_seconds.push(second);
            }
        }
        allowed_seconds
    }

    #[test]
    fn message_rate_limit_is_one_a_minute_five_an_hour_and_ten_a_day() {
        assert_eq!(leave([0, 1, 59, 60, 61]), [0, 60]);
        assert_eq!(leave((0..60).map(|minute| minute * 60)), [0, 60, 120, 180, 240]);
        assert_eq!(leave((0..120).map(|minute| minute * 60)).len(), 10);
        assert_eq!(leave((0..24 * 60).map(|minute| minute * 60)).len(), 10);
        assert_eq!(leave((0..48 * 60).map(|minute| minute * 60)).len(), 20);
    }

    #[test]
    fn message_rate_limit_of_an_account_has_no_pause_between_its_addresses() {
        let now = Timestamp::from_seconds(1_000_000);
        let hour = MessageRateWindow::ALL[0];
        let mut message_counter = None;
        for _ in 0..5 {
            message_counter = Some(hour.count_message_about_account(message_counter, now).unwrap());
        }
        assert_eq!(hour.count_message_about_account(message_counter, now), None);
    }
}
