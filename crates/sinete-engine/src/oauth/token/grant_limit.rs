//! Rate limit of tokens per grant or API key, for clients that anyone can register or use. Each token adds a
//! row to an append-only log, and an exchange adds a delegation, so such clients must not control their
//! growth. It is counted per grant and not per address, because one backend serves many users
//! (docs/contribute/decisions/0250-rate-limits-of-public-and-unverified-clients.md).

use crate::Engine;
use crate::oauth::client_authentication::AuthenticatedClient;
use sinete_core::client_id::ClientId;
use sinete_core::oauth::jti::TokenRevocationRoot;
use sinete_core::platform::rate_limit::{RateLimit, TokenBucket};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_core::time::{Lifetime, Timestamp};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Maximum tracked grants.
const TRACKED_GRANTS_MAX: usize = 100_000;

/// The buckets by client and grant.
#[derive(Debug, Default)]
pub(crate) struct GrantRateLimits(Mutex<HashMap<(ClientId, TokenRevocationRoot), TokenBucket>>);

impl GrantRateLimits {
    fn take_token(
        &self,
        key: (ClientId, TokenRevocationRoot),
        rate_limit: RateLimit,
        now: Timestamp,
    ) -> Result<(), Lifetime> {
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= TRACKED_GRANTS_MAX && !buckets.contains_key(&key) {
            buckets.retain(|_, bucket| !bucket.is_full(rate_limit, now));
            // This many mean an attack; the state is reset.
            if buckets.len() >= TRACKED_GRANTS_MAX {
                buckets.clear();
            }
        }
        let bucket = buckets.entry(key).or_insert(TokenBucket::new_full(rate_limit, now));
        *bucket = bucket.take_token(rate_limit, now)?;
        Ok(())
    }
}

/// Counts a token for the client and grant, if the client is not accountable.
pub(in crate::oauth) fn check_grant_limit(
    engine: &Engine,
    client: &AuthenticatedClient,
    root: TokenRevocationRoot,
) -> Result<(), Refusal> {
    let Some(rate_limit) = engine.settings().grant_tokens.filter(|_| client.is_unaccountable()) else {
        return Ok(());
    };
    let key = (client.id().clone(), root);
    engine.shared.grant_limits.take_token(key, rate_limit, engine.now()).map_err(|wait| {
        Refusal::because(OAuthRefusal::GrantRateLimited, "the rate limit of a grant").with_retry_after(wait)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::id::{ApiKeyId, GrantId};

    const NOW: Timestamp = Timestamp::from_seconds(1_000_000);

    #[test]
    fn token_rate_limit_counts_each_client_and_grant_separately() {
        let (limits, rate_limit) = (GrantRateLimits::default(), RateLimit::per_minute(2));
        let [app, other] = ["app", "other"].map(|id| id.parse::<ClientId>().unwrap());
        let [one, two] = [1, 2].map(|number| TokenRevocationRoot::Grant(GrantId::from_bytes([number; 16])));
        let take =
            |client: &ClientId, root| limits.take_token((client.clone(), root), rate_limit, NOW).is_ok();
        assert_eq!([(); 3].map(|()| take(&app, one)), [true, true, false]);
        assert!(take(&app, two) && take(&other, one));
        assert!(take(&app, TokenRevocationRoot::ApiKey(ApiKeyId::from_bytes([1; 16]))));
        let later = NOW.plus(Lifetime::from_seconds(30));
        assert!(limits.take_token((app, one), rate_limit, later).is_ok());
    }

    #[test]
    fn token_rate_limit_memory_is_bounded_and_evicts_grants() {
        let (limits, rate_limit) = (GrantRateLimits::default(), RateLimit::per_minute(2));
        let app: ClientId = "app".parse().unwrap();
        for number in 0..(TRACKED_GRANTS_MAX as u128 + 10) {
            let root = TokenRevocationRoot::Grant(GrantId::from_bytes(number.to_be_bytes()));
            limits.take_token((app.clone(), root), rate_limit, NOW).unwrap();
        }
        assert!(limits.0.lock().unwrap().len() <= TRACKED_GRANTS_MAX);
    }
}
