//! Cache of the issuer's published keys (JWKS).

use crate::encoding::{Members, get_text};
use crate::issuer_client::{IssuerClient, IssuerRequestError, is_within};
use crate::signatures::PublicKey;
use crate::single_flight::SingleFlight;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// After this the keys are fetched again, so that a revoked key stops being accepted.
const FRESH_SECONDS: i64 = 300;
/// How long cached keys are used while the issuer does not answer.
const STALE_SECONDS_MAX: i64 = 3600;
/// The minimum time between two fetches, regardless of the `kid` in tokens; then the same before the first success.
const REFRESH_INTERVAL_SECONDS: i64 = 30;
const FIRST_REFRESH_INTERVAL_SECONDS: i64 = 1;

struct CachedJwks {
    fetched_at: i64,
    keys: HashMap<String, PublicKey>,
}

/// The keys of one issuer. At most one request is in flight. It goes on when the caller that began it is dropped: otherwise
/// clients that disconnect early could prevent the keys from ever being fetched.
#[derive(Default)]
pub struct JwksCache {
    cached: Arc<RwLock<Option<Arc<CachedJwks>>>>,
    /// When the keys were last requested.
    requested_at: Mutex<Option<i64>>,
    in_flight: SingleFlight<()>,
}

impl JwksCache {
    /// Returns the key with this id, or `None`. Fails where no usable keys could be fetched.
    pub async fn find(
        &self,
        issuer: &Arc<IssuerClient>,
        kid: &str,
    ) -> Result<Option<PublicKey>, IssuerRequestError> {
        if !self.has_fresh_key(issuer, kid) {
            self.refresh(issuer, kid).await;
        }
        let cached =
            self.cached_keys().filter(|cached| is_within(STALE_SECONDS_MAX, cached.fetched_at, issuer.now()));
        let cached = cached
            .ok_or_else(|| IssuerRequestError("the keys of the issuer could not be fetched".to_owned()))?;
        Ok(cached.keys.get(kid).cloned())
    }

    fn cached_keys(&self) -> Option<Arc<CachedJwks>> {
        self.cached.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn has_fresh_key(&self, issuer: &IssuerClient, kid: &str) -> bool {
        let is_fresh = |cached: &CachedJwks| is_within(FRESH_SECONDS, cached.fetched_at, issuer.now());
        self.cached_keys().is_some_and(|cached| is_fresh(&cached) && cached.keys.contains_key(kid))
    }

    async fn refresh(&self, issuer: &Arc<IssuerClient>, kid: &str) {
        let begin = || {
            let mut requested_at = self.requested_at.lock().unwrap_or_else(PoisonError::into_inner);
            let pause = if self.cached_keys().is_some() {
                REFRESH_INTERVAL_SECONDS
            } else {
                FIRST_REFRESH_INTERVAL_SECONDS
            };
            let was_just_requested = requested_at.is_some_and(|at| is_within(pause, at, issuer.now()));
            if was_just_requested || self.has_fresh_key(issuer, kid) {
                return None;
            }
            *requested_at = Some(issuer.now());
            let (issuer, cached) = (Arc::clone(issuer), Arc::clone(&self.cached));
            Some(async move {
                // Cached keys stay in use until they are stale.
                if let Ok(keys) = fetch_keys(&issuer).await {
                    let read = Arc::new(CachedJwks { fetched_at: issuer.now(), keys });
                    *cached.write().unwrap_or_else(PoisonError::into_inner) = Some(read);
                }
            })
        };
        self.in_flight.join(begin).await;
    }
}

async fn fetch_keys(issuer: &Arc<IssuerClient>) -> Result<HashMap<String, PublicKey>, IssuerRequestError> {
    let published = issuer.fetch_json(&issuer.endpoint("jwks_uri").await?).await?;
    let keys = published.get("keys").and_then(Value::as_array);
    let keys = keys.ok_or_else(|| IssuerRequestError("the JWKS has no keys".to_owned()))?;
    Ok(keys.iter().filter_map(Value::as_object).filter_map(read_key).collect())
}

fn read_key(jwk: &Members) -> Option<(String, PublicKey)> {
    let is_for_signatures = jwk.get("use").is_none_or(|key_use| key_use == "sig");
    let algorithm = get_text(jwk, "alg")?.parse().ok().filter(|_| is_for_signatures)?;
    Some((get_text(jwk, "kid")?.to_owned(), PublicKey::from_jwk(jwk, algorithm)?))
}
