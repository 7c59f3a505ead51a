//! The keys of rate limits per network address.

use crate::config::key::{ConfigKey, ConfigKeyEntry};
use crate::config::parse;
use sinete_engine::sign_in::flows::MessageRateLimitPolicy;

/// The highest configurable rate per minute.
const RATE_MAX: i64 = 1_000_000;

/// Whether rate limits are enabled.
pub static RATE_LIMITS_ENABLED: ConfigKey<bool> = ConfigKey::flag(
    ConfigKeyEntry::new(
        "rate_limits.enabled",
        "Whether unauthenticated requests and failed authentication are rate limited by network address. Failed \
         attempts at one account are limited in any case, messages to one user as `rate_limits.message_budget` says.",
        "`true` or `false`",
        "true",
    )
    .with_derived_default("`true`, but a development instance does not limit its own machine", |config| {
        config.rate_limits.is_some().to_string()
    }),
    |flag| flag,
);

/// Whether messages to one address or user are limited.
pub static RATE_LIMITS_MESSAGE_BUDGET: ConfigKey<bool> = ConfigKey::flag(
    ConfigKeyEntry::new(
        "rate_limits.message_budget",
        "Whether codes and links to one address or user are limited to 1 a minute, 5 an hour and 10 a day. `false` \
         exempts requests from this machine, and only in development.",
        "`true` or `false`",
        "true",
    )
    .with_derived_default(
        "`true` in production and where `rate_limits.enabled` is `true`, otherwise `false`",
        |config| (config.sign_in.message_budget == MessageRateLimitPolicy::Everyone).to_string(),
    ),
    |flag| flag,
);

/// Flows and authorization requests.
pub static RATE_LIMITS_FLOWS: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "rate_limits.flows",
        "Flows and authorization requests that one network address may start in a minute.",
        "a number from 1 to 1000000",
        "120",
    )
    .with_default("60"),
    |number| parse::integer_in_range(number, 1, RATE_MAX),
);

/// Stored requests of unauthenticated clients.
pub static RATE_LIMITS_STORED_REQUESTS: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "rate_limits.stored_requests",
        "Pushed authorization requests, device authorizations and CIBA requests of public and of unverified clients from \
         one network address in a minute.",
        "a number from 1 to 1000000",
        "120",
    )
    .with_default("60"),
    |number| parse::integer_in_range(number, 1, RATE_MAX),
);

/// Failed proofs.
pub static RATE_LIMITS_PROOFS: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "rate_limits.proofs",
        "Wrong passwords, codes and similar proofs from one network address in a minute.",
        "a number from 1 to 1000000",
        "40",
    )
    .with_default("20"),
    |number| parse::integer_in_range(number, 1, RATE_MAX),
);

/// Messages.
pub static RATE_LIMITS_SENDS: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "rate_limits.sends",
        "Messages that one network address may cause in a minute.",
        "a number from 1 to 1000000",
        "20",
    )
    .with_default("10"),
    |number| parse::integer_in_range(number, 1, RATE_MAX),
);

/// Failed client authentication.
pub static RATE_LIMITS_TOKEN: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "rate_limits.token",
        "Wrong client credentials, API keys and tokens from one network address in a minute.",
        "a number from 1 to 1000000",
        "600",
    )
    .with_default("300"),
    |number| parse::integer_in_range(number, 1, RATE_MAX),
);

/// Writes of signed-in users.
pub static RATE_LIMITS_ACCOUNT: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "rate_limits.account",
        "Changes and authorization requests of one signed-in account in a minute, without flows, which are limited by \
         `rate_limits.flows`.",
        "a number from 1 to 1000000",
        "600",
    )
    .with_default("300"),
    |number| parse::integer_in_range(number, 1, RATE_MAX),
);

/// Invitations.
pub static RATE_LIMITS_INVITATIONS: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "rate_limits.invitations",
        "Invitations of one organization in a minute.",
        "a number from 1 to 1000000",
        "120",
    )
    .with_default("60"),
    |number| parse::integer_in_range(number, 1, RATE_MAX),
);

/// Changes of client registrations.
pub static RATE_LIMITS_REGISTRATION_CHANGES: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "rate_limits.registration_changes",
        "Changes of one client to its own registration in a minute (RFC 7592).",
        "a number from 1 to 1000000",
        "20",
    )
    .with_default("10"),
    |number| parse::integer_in_range(number, 1, RATE_MAX),
);

/// Tokens of one grant.
pub static RATE_LIMITS_GRANT_TOKENS: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "rate_limits.grant_tokens",
        "Refreshes and token exchanges of one grant or API key in a minute, by public and by unverified clients.",
        "a number from 1 to 1000000",
        "120",
    )
    .with_default("60"),
    |number| parse::integer_in_range(number, 1, RATE_MAX),
);
