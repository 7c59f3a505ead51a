//! The keys of dynamic client registration.

use crate::config::key::{ConfigKey, ConfigKeyEntry};
use crate::config::parse;
use sinete_core::organizations::settings::ScopeCeilingPolicy;

/// The rate of registrations per address.
pub static REGISTRATION_PER_MINUTE: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "registration.per_minute",
        "Dynamic client registrations from one network address in a minute, on each node, after `registration.burst` is \
         used up. A new client with a metadata document counts, too. Registrations for an organization are not counted, \
         and neither is the machine itself in development. 0 sets no limit.",
        "a number from 0 to 1000000",
        "100",
    )
    .with_default("10"),
    |number| parse::integer_in_range(number, 0, 1_000_000),
);

/// The burst of registrations per address.
pub static REGISTRATION_BURST: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "registration.burst",
        "Dynamic client registrations at once from a network address that sent none before.",
        "a number from 1 to 1000000",
        "200",
    )
    .with_default("60"),
    |number| parse::integer_in_range(number, 1, 1_000_000),
);

/// The total registrations per day.
pub static REGISTRATION_PER_DAY: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "registration.per_day",
        "Dynamic client registrations in a day on each node, from all network addresses together. 0 sets no limit.",
        "a number from 0 to 100000000",
        "50000",
    )
    .with_default("10000"),
    |number| parse::integer_in_range(number, 0, 100_000_000),
);

/// Whether the registered scope limits requests.
pub static REGISTRATION_SCOPE_CEILING: ConfigKey<ScopeCeilingPolicy> = ConfigKey::text(
    ConfigKeyEntry::new(
        "registration.scope_ceiling",
        "What a client that registered itself and named a `scope` may request: `registered` for that scope only, \
         `consent` for what the user holds and consents to, so that MCP clients can ask for more later. An organization \
         can restrict it to `registered`. Without a `scope` at registration, consent always decides.",
        "`registered` or `consent`",
        "\"consent\"",
    )
    .with_default("registered"),
    parse::scope_ceiling,
);
