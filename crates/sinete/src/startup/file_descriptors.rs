//! The limit of file descriptors, and how they are divided.
//!
//! Public connections must not use the descriptors that the database or the admin listener needs: these are
//! reserved before the public listener gets any
//! (docs/contribute/decisions/0240-file-descriptors-raised-and-reserved.md).

use crate::config::Config;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use sinete_core::limits::{ADMIN_CONNECTIONS_MAX, CONNECTIONS_REJECTED_MAX};
use sinete_core::platform::outbound::OutboundPurpose;

/// Descriptors that are always needed: standard streams, listeners, the runtime, lookup files and logs.
const BASE_DESCRIPTORS: u64 = 32;
/// Descriptors of an embedded database: its file, log and index for each connection, and its lock.
const SQLITE_DESCRIPTORS: u64 = 40;

/// Raises the soft limit to the hard limit, and returns it; `None` means unlimited.
pub fn raise_limit() -> Option<u64> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum {
        let raised = Rlimit { current: maximum, maximum };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            tracing::warn!(%error, "the limit on open files stays as it is");
        }
    }
    current_limit()
}

/// The current limit; `None` means unlimited.
pub fn current_limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// The hard limit, to which [`raise_limit`] raises the soft limit; `None` means unlimited.
pub fn hard_limit() -> Option<u64> {
    getrlimit(Resource::Nofile).maximum
}

/// The number of public connections under this limit: as configured, as far as the reserved descriptors
/// allow.
pub fn public_connection_limit(config: &Config, allowed: Option<u64>) -> usize {
    let room = allowed.map_or(u64::MAX, |allowed| allowed - reserved_descriptors(config).min(allowed / 2));
    config.limits.connections.min(usize::try_from(room).unwrap_or(usize::MAX))
}

/// The reserved descriptors. The public listener gets at least half of all, so that a node with a very low
/// limit still serves.
fn reserved_descriptors(config: &Config) -> u64 {
    let database = match config.database.address.path() {
        Some(_) => SQLITE_DESCRIPTORS,
        None => config.database.pool_size as u64,
    };
    let outbound: usize = OutboundPurpose::ALL.into_iter().map(OutboundPurpose::slot_count).sum();
    let connections = ADMIN_CONNECTIONS_MAX + CONNECTIONS_REJECTED_MAX + outbound;
    BASE_DESCRIPTORS + database + connections as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::environment::Environment;

    fn config(pairs: &[(&str, &str)]) -> Config {
        Config::from_environment(&Environment::from_pairs(pairs.iter().copied())).unwrap()
    }

    #[test]
    fn public_listener_gets_the_remaining_descriptors_up_to_the_configured_limit() {
        let sqlite = config(&[]);
        let reserved = reserved_descriptors(&sqlite);
        assert!(reserved >= 32 + 40 + 64 + 64 + 16, "{reserved}");
        for (allowed, connections) in [
            (None, 16_384),
            (Some(1_048_576), 16_384),
            (Some(4_096), 4_096 - reserved as usize),
            (Some(256), 128),
            (Some(1), 1),
        ] {
            assert_eq!(public_connection_limit(&sqlite, allowed), connections, "{allowed:?}");
        }
        let few = config(&[("SINETE_LIMITS_CONNECTIONS", "100")]);
        assert_eq!(public_connection_limit(&few, Some(4_096)), 100);
        let server =
            [("SINETE_DATABASE_URL", "postgres://a@127.0.0.1/c"), ("SINETE_DATABASE_POOL_SIZE", "100")];
        assert_eq!(
            public_connection_limit(&config(&server), Some(4_096)),
            4_096 - reserved as usize - 100 + 40
        );
    }

    #[test]
    fn open_file_soft_limit_is_never_above_the_hard_limit() {
        if let (Some(soft), Some(hard)) = (current_limit(), hard_limit()) {
            assert!(soft <= hard);
        }
    }
}
