//! Usage: what is counted from security events, and the reports of it.

mod classification;
pub mod period;

pub use classification::{UsageObservation, UsageReach, observe_event};

use crate::time::Timestamp;
use period::UsagePeriod;
use std::collections::HashMap;

macro_rules! usage_counters {
    ($($metric:ident = $metric_name:literal, $metric_doc:literal: {
        $($(#[$doc:meta])* $counter:ident = $series:literal;)*
    })*) => {
        /// A group of counters that are shown together.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum UsageMetric {
            $(#[doc = $metric_doc] $metric,)*
        }

        /// A counter. The names are stored and part of the public API, so they never change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum UsageCounter {
            $($($(#[$doc])* $counter,)*)*
        }

        impl UsageMetric {
            /// All metrics, in display order.
            pub const ALL: &[Self] = &[$(Self::$metric),*];

            /// The name in the API.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$metric => $metric_name,)*
                }
            }
        }

        impl UsageCounter {
            /// All counters, by metric.
            pub const ALL: &[Self] = &[$($(Self::$counter),*),*];

            /// The stored name.
            pub const fn name(self) -> &'static str {
                match self {
                    $($(Self::$counter => concat!($metric_name, ".", $series),)*)*
                }
            }

            /// The name within its metric.
            pub const fn series(self) -> &'static str {
                match self {
                    $($(Self::$counter => $series,)*)*
                }
            }

            /// The metric.
            pub const fn metric(self) -> UsageMetric {
                match self {
                    $($(Self::$counter)|* => UsageMetric::$metric,)*
                }
            }
        }
    };
}

usage_counters! {
    SignIns = "sign_ins", "Completed sign-ins, by method.": {
        /// With a passkey.
        SignInByPasskey = "passkey";
        /// With a password alone.
        SignInByPassword = "password";
        /// With a password and a second factor.
        SignInByPasswordMfa = "password_mfa";
        /// With a code or a link sent by e-mail.
        SignInByEmail = "email";
        /// With a code sent by SMS.
        SignInBySms = "sms";
        /// At an organization's identity provider.
        SignInBySingleSignOn = "single_sign_on";
        /// With another method.
        SignInByOther = "other";
    }
    SignInFailures = "sign_in_failures", "Failed authentication attempts, by method.": {
        /// A passkey was rejected.
        FailureOfPasskey = "passkey";
        /// A password was wrong.
        FailureOfPassword = "password";
        /// A code of an authenticator app or a recovery code was wrong.
        FailureOfSecondFactor = "second_factor";
        /// A code or a link sent by e-mail was wrong.
        FailureOfEmail = "email";
        /// A code sent by SMS was wrong.
        FailureOfSms = "sms";
        /// A response of an identity provider was rejected.
        FailureOfSingleSignOn = "single_sign_on";
        /// Another method failed.
        FailureOfOther = "other";
    }
    ActiveUsers = "active_users", "Users who were active, each counted once in a period.": {
        /// In a day.
        ActiveInDay = "day";
        /// In a week, from Monday.
        ActiveInWeek = "week";
        /// In a calendar month.
        ActiveInMonth = "month";
    }
    Tokens = "tokens", "Successful token requests, by grant type.": {
        /// An authorization code was redeemed.
        TokenByAuthorizationCode = "authorization_code";
        /// A refresh token was used.
        TokenByRefreshToken = "refresh_token";
        /// A client got a token for itself.
        TokenByClientCredentials = "client_credentials";
        /// A token was exchanged.
        TokenByTokenExchange = "token_exchange";
        /// A device code was redeemed.
        TokenByDeviceCode = "device_code";
        /// A CIBA request was redeemed.
        TokenByCiba = "ciba";
        /// An operator got a token to impersonate a user.
        TokenByImpersonation = "impersonation";
    }
    Approvals = "approvals", "Decisions of users about requests, by kind and result.": {
        /// A user consented to a client's request.
        ConsentGiven = "consent_given";
        /// A user denied a client's request.
        ConsentDenied = "consent_denied";
        /// A device authorization was approved.
        DeviceApproved = "device_approved";
        /// A device authorization was denied.
        DeviceDenied = "device_denied";
        /// A CIBA request was approved.
        CibaApproved = "ciba_approved";
        /// A CIBA request was denied.
        CibaDenied = "ciba_denied";
    }
    Failures = "failures", "Other failures, by kind.": {
        /// A client failed to authenticate.
        ClientAuthenticationFailed = "client_authentication";
        /// A code, refresh token or request was presented again after its use.
        TokenReplayed = "replayed";
        /// A code, refresh token or request was presented by the wrong client, or without its key.
        TokenMisdirected = "wrong_client";
        /// A user code of a device was wrong.
        UserCodeFailed = "user_code";
        /// A credential was disabled after too many failed attempts.
        CredentialLocked = "locked_credential";
        /// A message could not be delivered.
        MessageUndelivered = "undelivered_message";
    }
}

impl UsageCounter {
    /// Parses a stored name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|counter| counter.name() == name)
    }

    /// The counter of users active in a period.
    pub const fn active_users(period: UsagePeriod) -> Self {
        match period {
            UsagePeriod::Day => Self::ActiveInDay,
            UsagePeriod::Week => Self::ActiveInWeek,
            UsagePeriod::Month => Self::ActiveInMonth,
        }
    }
}

/// A stored count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageCount {
    /// The counter.
    pub counter: UsageCounter,
    /// The start of the day; for active users, of the period.
    pub starts_at: Timestamp,
    /// The count.
    pub total: u64,
}

/// What happened in each of some periods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageReport {
    /// The kind of period.
    pub period: UsagePeriod,
    /// The starts of the periods, oldest first.
    pub starts: Vec<Timestamp>,
    /// The counts of every metric, in display order.
    pub metrics: Vec<MetricReport>,
}

/// The counts of one metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricReport {
    /// The metric.
    pub metric: UsageMetric,
    /// Its series, all of them, whether or not anything was counted.
    pub series: Vec<SeriesReport>,
}

/// The counts of one series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeriesReport {
    /// The name within the metric.
    pub name: &'static str,
    /// The count of every period.
    pub values: Vec<u64>,
}

/// The name of the only series of active users.
pub const ACTIVE_USERS_SERIES: &str = "users";

impl UsageReport {
    /// Adds the counts up by period. Users active in a week are not the sum of its days, so they are counted
    /// separately.
    pub fn new(period: UsagePeriod, starts: Vec<Timestamp>, counts: &[UsageCount]) -> Self {
        let mut sums: HashMap<(UsageCounter, Timestamp), u64> = HashMap::new();
        for count in counts {
            let sum = sums.entry((count.counter, period.period_start(count.starts_at))).or_default();
            *sum = sum.saturating_add(count.total);
        }
        let series = |counter: UsageCounter, name| SeriesReport {
            name,
            values: starts.iter().map(|at| sums.get(&(counter, *at)).copied().unwrap_or_default()).collect(),
        };
        let metric = |metric: UsageMetric| MetricReport {
            metric,
            series: match metric {
                UsageMetric::ActiveUsers => {
                    vec![series(UsageCounter::active_users(period), ACTIVE_USERS_SERIES)]
                }
                _ => {
                    let usage_counters =
                        UsageCounter::ALL.iter().filter(|counter| counter.metric() == metric);
                    usage_counters.map(|counter| series(*counter, counter.series())).collect()
                }
            },
        };
        let metrics = UsageMetric::ALL.iter().map(|it| metric(*it)).collect();
        Self { period, starts, metrics }
    }
}

impl SeriesReport {
    /// The sum over all periods.
    pub fn total(&self) -> u64 {
        self.values.iter().fold(0, |sum, value| sum.saturating_add(*value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn usage_counters_have_unique_names_that_parse() {
        let names: BTreeSet<_> = UsageCounter::ALL.iter().map(|counter| counter.name()).collect();
        assert_eq!(names.len(), UsageCounter::ALL.len());
        for counter in UsageCounter::ALL {
            assert_eq!(UsageCounter::parse(counter.name()), Some(*counter));
        }
        assert_eq!(UsageCounter::parse("sign_ins"), None);
    }

    #[test]
    fn usage_report_sums_days_but_not_active_users() {
        let day = |text: &str| format!("{text}T00:00:00.000000Z").parse::<Timestamp>().unwrap();
        let count = |counter, starts: &str, total| UsageCount { counter, starts_at: day(starts), total };
        // 2026-11-16 is a Monday.
        let counts = [
            count(UsageCounter::SignInByPasskey, "2026-11-16", 2),
            count(UsageCounter::SignInByPasskey, "2026-11-18", 3),
            count(UsageCounter::SignInByPasskey, "2026-11-15", 7),
            count(UsageCounter::ActiveInDay, "2026-11-16", 2),
            count(UsageCounter::ActiveInDay, "2026-11-18", 2),
            count(UsageCounter::ActiveInWeek, "2026-11-16", 3),
        ];
        let report = |period, starts: &[&str]| {
            let starts = starts.iter().map(|text| day(text)).collect();
            let report = UsageReport::new(period, starts, &counts);
            let values = |metric: UsageMetric| {
                let metric_report = report.metrics.iter().find(|it| it.metric == metric).unwrap();
                metric_report.series[0].values.clone()
            };
            (values(UsageMetric::SignIns), values(UsageMetric::ActiveUsers))
        };
        assert_eq!(report(UsagePeriod::Week, &["2026-11-09", "2026-11-16"]), (vec![7, 5], vec![0, 3]));
        let days = ["2026-11-15", "2026-11-16", "2026-11-17", "2026-11-18"];
        assert_eq!(report(UsagePeriod::Day, &days), (vec![7, 2, 0, 3], vec![0, 2, 0, 2]));
        assert_eq!(report(UsagePeriod::Month, &["2026-11-01"]), (vec![12], vec![0]));
    }
}
