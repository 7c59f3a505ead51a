//! How often one network address may ask, as it is configured.

use crate::config::problem::Problem;
use crate::config::values::Mode;
use crate::config::{Written, keys};
use sinete_core::pace::Pace;
use sinete_http::paces::{Near, Paces};

impl Written {
    /// What one address may ask for; nothing, where that is not counted.
    pub(super) fn rate_limits(&self, mode: Mode) -> Result<Option<Paces>, Problem> {
        let near = match (self.value(&keys::RATE_LIMITS_ENABLED), mode) {
            (Some(false), _) => return Ok(None),
            (Some(true), _) | (None, Mode::Production) => Near::Counted,
            (None, Mode::Development) => Near::Free,
        };
        Ok(Some(Paces {
            flows: Pace::of(self.settled(&keys::RATE_LIMITS_FLOWS)?),
            stored_requests: Pace::of(self.settled(&keys::RATE_LIMITS_STORED_REQUESTS)?),
            proofs: Pace::of(self.settled(&keys::RATE_LIMITS_PROOFS)?),
            sends: Pace::of(self.settled(&keys::RATE_LIMITS_SENDS)?),
            credentials: Pace::of(self.settled(&keys::RATE_LIMITS_TOKEN)?),
            account: Pace::of(self.settled(&keys::RATE_LIMITS_ACCOUNT)?),
            invitations: Pace::of(self.settled(&keys::RATE_LIMITS_INVITATIONS)?),
            registration_changes: Pace::of(self.settled(&keys::RATE_LIMITS_REGISTRATION_CHANGES)?),
            tokens_of_grant: Pace::of(self.settled(&keys::RATE_LIMITS_GRANT_TOKENS)?),
            near,
        }))
    }
}
