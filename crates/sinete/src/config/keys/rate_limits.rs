//! The keys of rate limits per network address.

use crate::config::key::{ConfigKey, ConfigKeyEntry};
use crate::config::parse;

/// The highest configurable rate per minute.
const MOST: i64 = 1_000_000;

/// Whether rate limits are enabled.
pub static RATE_LIMITS_ENABLED: ConfigKey<bool> = ConfigKey::flag(
    ConfigKeyEntry::new(
        "rate_limits.enabled",
        "Whether requests without proof, and those whose proof was wrong, are counted by network address. \
         Attempts at one account and messages to one person are counted in any case.",
        "`true` or `false`",
        "true",
    )
    .with_derived_default("`true`, but a development instance does not hold up its own machine", |config| {
        config.rate_limits.is_some().to_string()
    }),
    |flag| flag,
);

/// Flows and authorization requests.
pub static RATE_LIMITS_FLOWS: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "rate_limits.flows",
        "How many flows and authorization requests one address may start in a minute.",
        "a number from 1 to 1000000",
        "120",
    )
    .with_default("60"),
    |number| parse::integer_in_range(number, 1, MOST),
);

/// Stored requests of unauthenticated clients.
pub static RATE_LIMITS_STORED_REQUESTS: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "rate_limits.stored_requests",
        "How many pushed authorization requests, device authorizations and backchannel authentication requests may come \
         from one address in a minute, of clients that keep no secret or registered themselves and are not verified.",
        "a number from 1 to 1000000",
        "120",
    )
    .with_default("60"),
    |number| parse::integer_in_range(number, 1, MOST),
);

/// Failed proofs.
pub static RATE_LIMITS_PROOFS: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "rate_limits.proofs",
        "How many wrong passwords, codes and the like may come from one address in a minute.",
        "a number from 1 to 1000000",
        "40",
    )
    .with_default("20"),
    |number| parse::integer_in_range(number, 1, MOST),
);

/// Messages.
pub static RATE_LIMITS_SENDS: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "rate_limits.sends",
        "How many messages one address may cause in a minute.",
        "a number from 1 to 1000000",
        "20",
    )
    .with_default("10"),
    |number| parse::integer_in_range(number, 1, MOST),
);

/// Failed client authentication.
pub static RATE_LIMITS_TOKEN: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "rate_limits.token",
        "How many wrong credentials of clients, keys and tokens may come from one address in a minute.",
        "a number from 1 to 1000000",
        "600",
    )
    .with_default("300"),
    |number| parse::integer_in_range(number, 1, MOST),
);

/// Writes of signed-in users.
pub static RATE_LIMITS_ACCOUNT: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "rate_limits.account",
        "How many changes and authorization requests one account that is signed in may make in a minute, flows \
         excepted, which have the limit of `rate_limits.flows`.",
        "a number from 1 to 1000000",
        "600",
    )
    .with_default("300"),
    |number| parse::integer_in_range(number, 1, MOST),
);

/// Invitations.
pub static RATE_LIMITS_INVITATIONS: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "rate_limits.invitations",
        "How many invitations one organization may send in a minute.",
        "a number from 1 to 1000000",
        "120",
    )
    .with_default("60"),
    |number| parse::integer_in_range(number, 1, MOST),
);

/// Changes of client registrations.
pub static RATE_LIMITS_REGISTRATION_CHANGES: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "rate_limits.registration_changes",
        "How often one client may change its own registration in a minute (RFC 7592).",
        "a number from 1 to 1000000",
        "20",
    )
    .with_default("10"),
    |number| parse::integer_in_range(number, 1, MOST),
);

/// Tokens of one grant.
pub static RATE_LIMITS_GRANT_TOKENS: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "rate_limits.grant_tokens",
        "How many tokens one grant or API key may be refreshed into or exchanged for in a minute, by clients that keep no \
         secret or registered themselves and are not verified.",
        "a number from 1 to 1000000",
        "120",
    )
    .with_default("60"),
    |number| parse::integer_in_range(number, 1, MOST),
);
