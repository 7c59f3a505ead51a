//! Rate limit of clients that register themselves, dynamically or with a metadata document: per address and
//! in total, in the memory of each node. It stores when the next client would be due; entries that are no
//! longer needed are removed.

use sinete_core::limits::RATE_LIMITED_ADDRESSES_MAX;
use sinete_core::platform::rate_limit::client_network;
use sinete_core::time::{Lifetime, Timestamp};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// A rate with a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegistrationRate {
    /// The number per period; 0 means no limit.
    pub count: u32,
    /// The period.
    pub per: Lifetime,
    /// The burst.
    pub burst: u32,
}

/// The callers exempt from a rate limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateLimitExemption {
    /// No caller.
    None,
    /// Loopback addresses, for development.
    Loopback,
}

/// The rate limits of registration.
#[derive(Clone, Copy, Debug)]
pub struct RegistrationLimits {
    /// Per client IP address.
    pub by_address: RegistrationRate,
    /// In total.
    pub by_all: RegistrationRate,
    /// The exemption.
    pub exempt: RateLimitExemption,
}

impl Default for RegistrationLimits {
    fn default() -> Self {
        Self {
            by_address: RegistrationRate { count: 10, per: Lifetime::from_seconds(60), burst: 60 },
            by_all: RegistrationRate { count: 10_000, per: Lifetime::from_hours(24), burst: 10_000 },
            exempt: RateLimitExemption::None,
        }
    }
}

/// The counters of this node.
#[derive(Debug)]
pub struct RegistrationLimiter {
    limits: RegistrationLimits,
    due_times: Mutex<DueTimes>,
}

/// When the next request would be due at the configured rate, in microseconds since the epoch.
#[derive(Debug, Default)]
struct DueTimes {
    /// Per address, at its own rate.
    by_address: DueByParty,
    /// Per address, as its share of the total.
    address_share: DueByParty,
    /// Per customer network, as its share of the total.
    network_share: DueByParty,
    by_all: i64,
}

/// The due times of many parties.
#[derive(Debug, Default)]
struct DueByParty {
    by_party: HashMap<IpAddr, i64>,
    /// The shared due time of parties that did not fit.
    overflow: i64,
}

impl RegistrationRate {
    /// No limit.
    pub const UNLIMITED: Self = Self { count: 0, per: Lifetime::from_seconds(60), burst: 1 };

    /// The share of one party, but at least twice its burst.
    fn party_share(self, of: u32, party: Self) -> Self {
        if self.count == 0 {
            return Self::UNLIMITED;
        }
        let count = (self.count / of).max(party.burst.saturating_mul(2)).max(1);
        Self { count, per: self.per, burst: count }
    }

    /// The next due time after this request, or the waiting time.
    fn next_due(self, due: i64, now: Timestamp) -> Result<i64, Lifetime> {
        if self.count == 0 {
            return Ok(due);
        }
        let interval = self.per.micros() / i64::from(self.count);
        let next = due.max(now.micros()).saturating_add(interval);
        let latest = now.micros().saturating_add(interval.saturating_mul(i64::from(self.burst.max(1))));
        if next <= latest {
            return Ok(next);
        }
        Err(Timestamp::from_micros(next).since(Timestamp::from_micros(latest)))
    }
}

impl RegistrationLimiter {
    /// Creates empty counters.
    pub fn new(limited: RegistrationLimits) -> Self {
        Self { limits: limited, due_times: Mutex::default() }
    }

    /// Counts a request, or returns the waiting time. Rejected requests are not counted.
    pub fn check_and_count(&self, address: IpAddr, now: Timestamp) -> Result<(), Lifetime> {
        if self.limits.exempt == RateLimitExemption::Loopback && address.to_canonical().is_loopback() {
            return Ok(());
        }
        let RegistrationLimits { by_address, by_all, .. } = self.limits;
        let (party, network) = (client_network(address), customer_network(address));
        let mut due = self.due_times.lock().unwrap_or_else(PoisonError::into_inner);
        let all = by_all.next_due(due.by_all, now)?;
        let address_due = due.by_address.next_due(party, by_address, now)?;
        let share = due.address_share.next_due(party, by_all.party_share(ADDRESS_SHARE, by_address), now)?;
        let wider =
            due.network_share.next_due(network, by_all.party_share(NETWORK_SHARE, by_address), now)?;
        due.by_all = all;
        due.by_address.record(party, address_due);
        due.address_share.record(party, share);
        due.network_share.record(network, wider);
        Ok(())
    }
}

/// The share of one address: one in this many.
const ADDRESS_SHARE: u32 = 10;
/// The share of one customer network.
const NETWORK_SHARE: u32 = 5;

impl DueByParty {
    /// The next due time of this party after this request, or the waiting time.
    fn next_due(&mut self, party: IpAddr, rate: RegistrationRate, now: Timestamp) -> Result<i64, Lifetime> {
        let previous_due = self.by_party.get(&party).copied();
        let has_room = previous_due.is_some() || self.make_room(now);
        rate.next_due(if has_room { previous_due.unwrap_or_default() } else { self.overflow }, now)
    }

    fn record(&mut self, party: IpAddr, next: i64) {
        if self.by_party.contains_key(&party) || self.by_party.len() < RATE_LIMITED_ADDRESSES_MAX {
            self.by_party.insert(party, next);
        } else {
            self.overflow = next;
        }
    }

    /// Whether another party fits, after removing those without a pending due time.
    fn make_room(&mut self, now: Timestamp) -> bool {
        if self.by_party.len() >= RATE_LIMITED_ADDRESSES_MAX {
            self.by_party.retain(|_, due| *due > now.micros());
        }
        self.by_party.len() < RATE_LIMITED_ADDRESSES_MAX
    }
}

/// The network that a provider gives to one customer: 256 IPv4 addresses, or an IPv6 /48.
fn customer_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4((address.to_bits() & (u32::MAX << 8)).into()),
        IpAddr::V6(address) => IpAddr::V6((address.to_bits() & (u128::MAX << 80)).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp::from_seconds(1_794_700_800);
    const TEN_A_MINUTE: RegistrationRate =
        RegistrationRate { count: 10, per: Lifetime::from_seconds(60), burst: 60 };

    fn limiter(by_all: RegistrationRate, exempt: RateLimitExemption) -> RegistrationLimiter {
        RegistrationLimiter::new(RegistrationLimits { by_address: TEN_A_MINUTE, by_all, exempt })
    }

    fn take(limiter: &RegistrationLimiter, address: &str, now: Timestamp) -> Result<(), i64> {
        limiter.check_and_count(address.parse().unwrap(), now).map_err(|wait| wait.micros())
    }

    #[test]
    fn rate_limit_allows_a_burst_of_sixty_and_then_one_every_six_seconds() {
        let limiter = limiter(RegistrationRate::UNLIMITED, RateLimitExemption::None);
        for _ in 0..60 {
            assert_eq!(take(&limiter, "192.0.2.1", NOON), Ok(()));
        }
        assert_eq!(take(&limiter, "192.0.2.1", NOON), Err(6_000_000));
        assert_eq!(take(&limiter, "192.0.2.2", NOON), Ok(()));
        let later = NOON.plus(Lifetime::from_seconds(6));
        assert_eq!(take(&limiter, "192.0.2.1", later), Ok(()));
        assert_eq!(take(&limiter, "192.0.2.1", later), Err(6_000_000));
        let much_later = NOON.plus(Lifetime::from_hours(1));
        for _ in 0..60 {
            assert_eq!(take(&limiter, "192.0.2.1", much_later), Ok(()));
        }
        assert!(take(&limiter, "192.0.2.1", much_later).is_err());
    }

    #[test]
    fn rate_limit_counts_an_ipv6_network_as_one_and_maps_ipv4_addresses() {
        let limiter = limiter(RegistrationRate::UNLIMITED, RateLimitExemption::None);
        for host in 1..=60 {
            assert_eq!(take(&limiter, &format!("2001:db8::{host:x}"), NOON), Ok(()));
        }
        assert!(take(&limiter, "2001:db8::ffff:1", NOON).is_err());
        assert!(take(&limiter, "2001:db8:0:1::1", NOON).is_ok());
        for _ in 0..60 {
            assert_eq!(take(&limiter, "::ffff:192.0.2.1", NOON), Ok(()));
        }
        assert!(take(&limiter, "192.0.2.1", NOON).is_err());
    }

    #[test]
    fn rate_limit_over_all_addresses_ignores_refused_requests() {
        let few = RegistrationRate { count: 2, per: Lifetime::from_hours(24), burst: 2 };
        let limiter = limiter(few, RateLimitExemption::None);
        assert!(take(&limiter, "192.0.2.1", NOON).is_ok() && take(&limiter, "192.0.2.2", NOON).is_ok());
        for _ in 0..100 {
            assert!(take(&limiter, "192.0.2.3", NOON).is_err());
        }
        assert!(take(&limiter, "192.0.2.3", NOON.plus(Lifetime::from_hours(12))).is_ok());
    }

    /// One address, or one network of addresses, at its own rate would exhaust the daily total.
    #[test]
    fn rate_limit_over_all_addresses_is_not_exhausted_by_one_network() {
        let day = RegistrationRate { count: 10_000, per: Lifetime::from_hours(24), burst: 10_000 };
        let limiter = limiter(day, RateLimitExemption::None);
        let at =
            |day: u32, second: u32| NOON.plus(Lifetime::from_days(day)).plus(Lifetime::from_seconds(second));
        let count_registrations = |day, addresses: &dyn Fn(u32) -> String| {
            let seconds = (0..86_400_u32).step_by(3);
            seconds.filter(|second| take(&limiter, &addresses(*second), at(day, *second)).is_ok()).count()
        };
        let alone = count_registrations(0, &|_| "192.0.2.1".to_owned());
        assert!((1_000..=2_001).contains(&alone), "{alone}");
        let network = count_registrations(1, &|second| format!("198.51.100.{}", second % 256));
        assert!((2_000..=4_001).contains(&network), "{network}");
        let wide = count_registrations(2, &|second| format!("2001:db8:1:{:x}::1", second % 65_536));
        assert!((2_000..=4_001).contains(&wide), "{wide}");
        // Requests from other networks are still accepted.
        assert!((1..=200).all(|host| take(&limiter, &format!("203.0.{host}.1"), at(3, 0)).is_ok()));
    }

    #[test]
    fn rate_limit_exempts_loopback_only_when_configured() {
        let limited = limiter(RegistrationRate::UNLIMITED, RateLimitExemption::Loopback);
        for address in ["127.0.0.1", "::1", "::ffff:127.0.0.9"] {
            assert!((0..100).all(|_| take(&limited, address, NOON).is_ok()));
        }
        assert!(!(0..100).all(|_| take(&limited, "192.0.2.1", NOON).is_ok()));
        let limited = RegistrationLimits {
            by_address: RegistrationRate::UNLIMITED,
            by_all: RegistrationRate::UNLIMITED,
            exempt: RateLimitExemption::None,
        };
        let limiter = RegistrationLimiter::new(limited);
        assert!((0..1000).all(|_| take(&limiter, "192.0.2.1", NOON).is_ok()));
    }

    #[test]
    fn rate_limit_memory_is_bounded() {
        let limiter = limiter(RegistrationRate::UNLIMITED, RateLimitExemption::None);
        let mut turned_away = 0;
        for address in 0..=(RATE_LIMITED_ADDRESSES_MAX as u32 + 1_000) {
            let address = IpAddr::V4(std::net::Ipv4Addr::from_bits(0x0b00_0000 + address));
            turned_away += u32::from(limiter.check_and_count(address, NOON).is_err());
        }
        assert_eq!(limiter.due_times.lock().unwrap().by_address.by_party.len(), RATE_LIMITED_ADDRESSES_MAX);
        assert!(turned_away > 900);
        let later = NOON.plus(Lifetime::from_hours(1));
        assert_eq!(take(&limiter, "192.0.2.1", later), Ok(()));
        assert_eq!(limiter.due_times.lock().unwrap().by_address.by_party.len(), 1);
    }
}
