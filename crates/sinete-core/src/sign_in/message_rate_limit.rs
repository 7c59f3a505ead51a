//! How often somebody is written to on the way: at the request of one party, of all strangers together, and of the owner on all
//! of their devices. Whoever is written to too often is not, and everybody is told in the same words when another message may
//! leave.

use crate::limits::{
    ANONYMOUS_MESSAGES_DAILY_MAX, ANONYMOUS_MESSAGES_HOURLY_MAX, EMAIL_CODE_INTERVAL, EMAIL_CODES_HOURLY_MAX,
    MESSAGES_DAILY_MAX, OWNERS_MESSAGES_DAILY_MAX, OWNERS_MESSAGES_HOURLY_MAX,
};
use crate::time::{Lifetime, Timestamp};

/// How many messages left since when, and until when no other does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentMessageCounter {
    /// How many.
    pub count: i64,
    /// Since when.
    pub since: Timestamp,
    /// Until when no other does.
    pub blocked_until: Timestamp,
}

/// A while in which so many messages leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageRateWindow {
    /// Its name, under which it is counted.
    pub name: &'static str,
    /// The while.
    pub length: Lifetime,
    /// How many.
    pub most: i64,
}

impl MessageRateWindow {
    /// Every one of them: a message leaves if all let it.
    pub const ALL: [Self; 2] = [
        Self { name: "hour", length: Lifetime::from_hours(1), most: EMAIL_CODES_HOURLY_MAX },
        Self { name: "day", length: Lifetime::from_hours(24), most: MESSAGES_DAILY_MAX },
    ];

    /// What all strangers together may have sent, however many networks they come from: nobody's mailbox is flooded.
    pub const OF_STRANGERS: [Self; 2] = [
        Self { name: "hour", length: Lifetime::from_hours(1), most: ANONYMOUS_MESSAGES_HOURLY_MAX },
        Self { name: "day", length: Lifetime::from_hours(24), most: ANONYMOUS_MESSAGES_DAILY_MAX },
    ];

    /// What an owner may have sent, however many sessions and devices they ask in.
    pub const OF_OWNERS: [Self; 2] = [
        Self { name: "hour", length: Lifetime::from_hours(1), most: OWNERS_MESSAGES_HOURLY_MAX },
        Self { name: "day", length: Lifetime::from_hours(24), most: OWNERS_MESSAGES_DAILY_MAX },
    ];

    /// One message more to one address or number, with a pause after each; nothing, if it is too many.
    pub fn count_message_to_address(
        self,
        before: Option<SentMessageCounter>,
        now: Timestamp,
    ) -> Option<SentMessageCounter> {
        self.count_message(before, now, EMAIL_CODE_INTERVAL)
    }

    /// One message more about one account, whichever address it goes to.
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
        if before.is_some_and(|sent| sent.blocked_until > now) {
            return None;
        }
        let recent = before.filter(|sent| now.since(sent.since) < self.length);
        let (count, since) = recent.map_or((1, now), |sent| (sent.count.saturating_add(1), sent.since));
        let after = now.plus(pause);
        let blocked_until = if count >= self.most { after.max(since.plus(self.length)) } else { after };
        Some(SentMessageCounter { count, since, blocked_until })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When messages leave that are asked for at these seconds.
    fn leave(asked: impl IntoIterator<Item = i64>) -> Vec<i64> {
        let (mut kept, mut left) = ([None; 2], Vec::new());
        for second in asked {
            let now = Timestamp::from_seconds(1_000_000 + second);
            let next = [0, 1].map(|at| MessageRateWindow::ALL[at].count_message_to_address(kept[at], now));
            if let [Some(_), Some(_)] = next {
                kept = next;
                left.push(second);
            }
        }
        left
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
        let mut kept = None;
        for _ in 0..5 {
            kept = Some(hour.count_message_about_account(kept, now).unwrap());
        }
        assert_eq!(hour.count_message_about_account(kept, now), None);
    }
}
