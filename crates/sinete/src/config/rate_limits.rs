//! The settings of rate limits per network address.

use crate::config::problem::ConfigProblem;
use crate::config::values::ConfiguredMode;
use crate::config::{ConfigSources, keys};
use sinete_core::platform::rate_limit::RateLimit;
use sinete_server::rate_limits::{LoopbackPolicy, RateLimits};

impl ConfigSources {
    /// The rate limits; `None` if they are disabled.
    pub(super) fn rate_limits(&self, mode: ConfiguredMode) -> Result<Option<RateLimits>, ConfigProblem> {
        let near = match (self.get(&keys::RATE_LIMITS_ENABLED), mode) {
            (Some(false), _) => return Ok(None),
            (Some(true), _) | (None, ConfiguredMode::Production) => LoopbackPolicy::Limited,
            (None, ConfiguredMode::Development) => LoopbackPolicy::Exempt,
        };
        Ok(Some(RateLimits {
            flows: RateLimit::per_minute(self.require(&keys::RATE_LIMITS_FLOWS)?),
            stored_requests: RateLimit::per_minute(self.require(&keys::RATE_LIMITS_STORED_REQUESTS)?),
            proofs: RateLimit::per_minute(self.require(&keys::RATE_LIMITS_PROOFS)?),
            messages: RateLimit::per_minute(self.require(&keys::RATE_LIMITS_SENDS)?),
            credentials: RateLimit::per_minute(self.require(&keys::RATE_LIMITS_TOKEN)?),
            account_writes: RateLimit::per_minute(self.require(&keys::RATE_LIMITS_ACCOUNT)?),
            invitations: RateLimit::per_minute(self.require(&keys::RATE_LIMITS_INVITATIONS)?),
            registration_changes: RateLimit::per_minute(
                self.require(&keys::RATE_LIMITS_REGISTRATION_CHANGES)?,
            ),
            tokens_of_grant: RateLimit::per_minute(self.require(&keys::RATE_LIMITS_GRANT_TOKENS)?),
            loopback: near,
        }))
    }
}
