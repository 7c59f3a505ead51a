//! Cache of access tokens, used until shortly before they expire. Concurrent callers share one request.

use super::{FormFields, TokenRequestError, TokenResponse};
use crate::issuer_client::is_within;
use std::collections::HashMap;
use std::sync::{Arc, Mutex as Lock, PoisonError};
use tokio::sync::Mutex;

/// A token is renewed this many seconds before it expires, but not before the last tenth of its lifetime.
const REFRESH_BEFORE_EXPIRY_SECONDS: i64 = 30;
const CACHED_TOKENS_MAX: usize = 1000;

/// The cache entry of one token request.
#[derive(Default)]
struct CacheSlot {
    /// The cached token.
    state: Lock<CachedToken>,
    /// The caller that holds this sends the request; the others wait and take its outcome.
    request_lock: Mutex<()>,
}

#[derive(Clone, Default)]
struct CachedToken {
    token: Option<TokenResponse>,
    /// When it was received, and for how many seconds it is used.
    received_at: i64,
    fresh_for: i64,
    /// The outcome of the latest request, and the number of requests.
    outcome: Option<Result<TokenResponse, TokenRequestError>>,
    attempts: u64,
}

/// The cached tokens of one client.
#[derive(Default)]
pub struct TokenCache(Lock<HashMap<FormFields, Arc<CacheSlot>>>);

impl CacheSlot {
    fn snapshot(&self) -> CachedToken {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Records the outcome of a request; returns what its callers get.
    fn record_outcome(
        &self,
        response: Result<TokenResponse, TokenRequestError>,
        now: i64,
    ) -> Result<TokenResponse, TokenRequestError> {
        let mut cached = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = match (response, &cached.token) {
            // While the issuer is unavailable, a cached token is used until it expires. A rejection ends its use.
            (Err(away), Some(token)) if away.retry_after.is_some() && now < token.expires_at => {
                Ok(token.clone())
            }
            (Ok(token), _) => {
                let lifetime = token.expires_at.saturating_sub(now);
                cached.received_at = now;
                cached.fresh_for = lifetime - REFRESH_BEFORE_EXPIRY_SECONDS.min(lifetime / 10);
                cached.token = Some(token.clone());
                Ok(token)
            }
            (Err(refused), _) => {
                cached.token = None;
                Err(refused)
            }
        };
        cached.attempts += 1;
        cached.outcome = Some(outcome.clone());
        outcome
    }
}

impl TokenCache {
    /// Returns the cached token, or the outcome of a request.
    pub async fn get<F>(
        &self,
        form: &FormFields,
        now: &(impl Fn() -> i64 + Sync),
        request: impl FnOnce() -> F + Send,
    ) -> Result<TokenResponse, TokenRequestError>
    where
        F: Future<Output = Result<TokenResponse, TokenRequestError>> + Send,
    {
        let slot = self.slot(form, now());
        let before = slot.snapshot();
        if let Some(token) = before.token.filter(|_| is_within(before.fresh_for, before.received_at, now())) {
            return Ok(token);
        }
        let _turn = slot.request_lock.lock().await;
        let since = slot.snapshot();
        if let Some(outcome) = since.outcome.filter(|_| since.attempts != before.attempts) {
            return outcome;
        }
        let response = request().await;
        slot.record_outcome(response, now())
    }

    pub fn invalidate(&self, form: &FormFields) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(form);
    }

    fn slot(&self, form: &FormFields, now: i64) -> Arc<CacheSlot> {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if slots.len() >= CACHED_TOKENS_MAX && !slots.contains_key(form) {
            // No caller waits for a slot that only this map refers to.
            slots.retain(|_, slot| {
                Arc::strong_count(slot) > 1
                    || slot.snapshot().token.is_some_and(|token| now < token.expires_at)
            });
        }
        if slots.len() >= CACHED_TOKENS_MAX && !slots.contains_key(form) {
            let ends = |cached: CachedToken| cached.received_at.saturating_add(cached.fresh_for);
            let soonest = slots.iter().min_by_key(|(_, slot)| ends(slot.snapshot()));
            if let Some(form) = soonest.map(|(form, _)| form.clone()) {
                slots.remove(&form);
            }
        }
        Arc::clone(slots.entry(form.clone()).or_default())
    }
}
