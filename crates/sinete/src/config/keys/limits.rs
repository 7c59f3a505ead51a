//! The keys of limits and of shutting down.

use crate::config::key::{ConfigKey, ConfigKeyEntry};
use crate::config::parse;

/// Maximum open connections of one node.
pub static LIMITS_CONNECTIONS: ConfigKey<usize> = ConfigKey::number(
    ConfigKeyEntry::new(
        "limits.connections",
        "Maximum open connections of one node, within the limit on open files. Further ones are answered 503 or closed.",
        "a number from 1 to 1000000",
        "20000",
    )
    .with_default("16384"),
    |number| parse::integer_in_range(number, 1, 1_000_000),
);

/// Maximum requests in progress of one node.
pub static LIMITS_REQUESTS: ConfigKey<usize> = ConfigKey::number(
    ConfigKeyEntry::new(
        "limits.requests",
        "Maximum concurrent requests of one node. Further ones are answered 503 at once, with `Retry-After`.",
        "a number from 1 to 100000",
        "500",
    )
    .with_default("1024"),
    |number| parse::integer_in_range(number, 1, 100_000),
);

/// How long a stopping node reports that it is not ready, in seconds.
pub static SHUTDOWN_NOTICE_SECONDS: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "shutdown.notice_seconds",
        "How long a stopping node reports that it is not ready before it closes its listener, so that a load \
         balancer can react.",
        "a number from 0 to 60",
        "5",
    )
    .with_default("0"),
    |number| parse::integer_in_range(number, 0, 60),
);

/// How long a stopping node completes requests in progress, in seconds.
pub static SHUTDOWN_DRAIN_SECONDS: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "shutdown.drain_seconds",
        "How long a stopping node completes requests in progress and sends back-channel logout.",
        "a number from 0 to 600",
        "30",
    )
    .with_default("30"),
    |number| parse::integer_in_range(number, 0, 600),
);
