//! Rate limits as token buckets: a burst, then a sustained rate per minute.

use crate::time::{Lifetime, Timestamp};
use std::net::IpAddr;

/// A rate limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// The sustained rate per minute.
    pub rate_per_minute: u32,
    /// The burst: the capacity of the bucket.
    pub burst: u32,
}

/// The tokens left at a point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenBucket {
    /// In millionths of a token.
    micro_tokens: i64,
    refilled_at: Timestamp,
}

const MICROTOKENS_PER_TOKEN: i64 = 1_000_000;

/// The network attributed to one party: a whole IPv4 address, or the /64 prefix of an IPv6 address.
pub fn client_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6((address.to_bits() & (u128::MAX << 64)).into()),
    }
}

impl RateLimit {
    /// A rate per minute with a burst of the same size.
    pub const fn per_minute(rate_per_minute: u32) -> Self {
        Self { rate_per_minute, burst: rate_per_minute }
    }

    const fn bucket_capacity(self) -> i64 {
        self.burst as i64 * MICROTOKENS_PER_TOKEN
    }
}

impl TokenBucket {
    /// A full bucket.
    pub const fn new_full(rate_limit: RateLimit, now: Timestamp) -> Self {
        Self { micro_tokens: rate_limit.bucket_capacity(), refilled_at: now }
    }

    /// Whether a token is available; if not, how long until one is.
    pub fn check_available(self, rate_limit: RateLimit, now: Timestamp) -> Result<(), Lifetime> {
        let refilled = self.refill(rate_limit, now);
        if refilled.micro_tokens >= MICROTOKENS_PER_TOKEN {
            return Ok(());
        }
        let a_minute = i64::from(rate_limit.rate_per_minute.max(1));
        // Microseconds until the missing part is refilled: `a_minute` tokens per minute.
        let micros = (MICROTOKENS_PER_TOKEN - refilled.micro_tokens).saturating_mul(60) / a_minute;
        Err(Lifetime::from_micros(u32::try_from(micros).unwrap_or(u32::MAX).max(1)))
    }

    /// Takes a token, or returns how long until one is available.
    pub fn take_token(self, rate_limit: RateLimit, now: Timestamp) -> Result<Self, Lifetime> {
        self.check_available(rate_limit, now)?;
        let refilled = self.refill(rate_limit, now);
        Ok(Self { micro_tokens: refilled.micro_tokens - MICROTOKENS_PER_TOKEN, ..refilled })
    }

    /// Takes several tokens, for one admitted request that turns out to be many. The balance may become
    /// negative and is refilled first.
    #[must_use]
    pub fn charge_tokens(self, rate_limit: RateLimit, count: u32, now: Timestamp) -> Self {
        let refilled = self.refill(rate_limit, now);
        Self {
            micro_tokens: refilled
                .micro_tokens
                .saturating_sub(i64::from(count).saturating_mul(MICROTOKENS_PER_TOKEN)),
            ..refilled
        }
    }

    /// Whether the bucket is full, so that it need not be stored.
    pub fn is_full(self, rate_limit: RateLimit, now: Timestamp) -> bool {
        self.refill(rate_limit, now).micro_tokens >= rate_limit.bucket_capacity()
    }

    /// Adds the tokens since the last refill. A clock that goes back changes nothing.
    fn refill(self, rate_limit: RateLimit, now: Timestamp) -> Self {
        let come =
            now.since(self.refilled_at).micros().saturating_mul(i64::from(rate_limit.rate_per_minute)) / 60;
        Self {
            micro_tokens: self.micro_tokens.saturating_add(come).min(rate_limit.bucket_capacity()),
            refilled_at: now.max(self.refilled_at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_000_000);

    #[test]
    fn rate_limit_allows_a_burst_and_then_a_steady_rate() {
        let rate_limit = RateLimit { rate_per_minute: 10, burst: 3 };
        let mut bucket = TokenBucket::new_full(rate_limit, NOW);
        for _ in 0..3 {
            bucket = bucket.take_token(rate_limit, NOW).unwrap();
        }
        assert_eq!(bucket.take_token(rate_limit, NOW), Err(Lifetime::from_seconds(6)));
        let later = NOW.plus(Lifetime::from_seconds(6));
        let bucket = bucket.take_token(rate_limit, later).unwrap();
        assert!(bucket.take_token(rate_limit, later).is_err());
        assert!(
            !bucket.is_full(rate_limit, later)
                && bucket.is_full(rate_limit, NOW.plus(Lifetime::from_minutes(1)))
        );
    }

    #[test]
    fn rate_limit_charge_is_paid_back_before_the_next_request() {
        let rate_limit = RateLimit::per_minute(60);
        let bucket = TokenBucket::new_full(rate_limit, NOW)
            .take_token(rate_limit, NOW)
            .unwrap()
            .charge_tokens(rate_limit, 99, NOW);
        assert_eq!(bucket.take_token(rate_limit, NOW), Err(Lifetime::from_seconds(41)));
        assert!(bucket.take_token(rate_limit, NOW.plus(Lifetime::from_seconds(41))).is_ok());
        assert_eq!(bucket.charge_tokens(rate_limit, 0, NOW), bucket);
    }

    proptest! {
        #[test]
        fn rate_limit_is_never_exceeded(steps in proptest::collection::vec(0_u32..5_000, 1..300)) {
            let pace = RateLimit { rate_per_minute: 30, burst: 5 };
            let (mut bucket, mut now, mut taken, mut passed) = (TokenBucket::new_full(pace, NOW), NOW, 0_u64, 0_u64);
            for step in steps {
                now = now.plus(Lifetime::from_millis(step));
                passed += u64::from(step);
                match bucket.take_token(pace, now) {
                    Ok(rest) => {
                        bucket = rest;
                        taken += 1;
                    }
                    Err(wait) => {
                        prop_assert!(bucket.take_token(pace, now.plus(wait)).is_ok());
                    }
                }
                prop_assert!(taken <= 5 + passed * 30 / 60_000 + 1);
            }
        }
    }
}
