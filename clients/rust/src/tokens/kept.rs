//! Tokens that are kept until shortly before they end, and asked for once for all who wait.

use super::{Form, Token, TokenRefused};
use crate::service::is_within;
use std::collections::HashMap;
use std::sync::{Arc, Mutex as Lock, PoisonError};
use tokio::sync::Mutex;

/// A token is asked for again so many seconds before its end, and never earlier than in the last tenth of its life.
const EARLY_SECONDS: i64 = 30;
const KEPT_MAX: usize = 1000;

/// One thing that is wanted.
#[derive(Default)]
struct Slot {
    /// What is known of it.
    known: Lock<Known>,
    /// Whoever holds this asks; the others wait and take what came of it.
    asking: Mutex<()>,
}

#[derive(Clone, Default)]
struct Known {
    token: Option<Token>,
    /// When it was got, and for how many seconds it is given out.
    got_at: i64,
    fresh_for: i64,
    /// What came of asking last, and how often that was.
    outcome: Option<Result<Token, TokenRefused>>,
    asked: u64,
}

/// The tokens of one client.
#[derive(Default)]
pub struct Kept(Lock<HashMap<Form, Arc<Slot>>>);

impl Slot {
    fn known(&self) -> Known {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes what came of asking, and says what that means for whoever asked.
    fn note(&self, answer: Result<Token, TokenRefused>, now: i64) -> Result<Token, TokenRefused> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = match (answer, &known.token) {
            // Where nobody answers, what is there counts to its end. Where it is refused, it does not.
            (Err(away), Some(token)) if away.retry_after.is_some() && now < token.expires_at => {
                Ok(token.clone())
            }
            (Ok(token), _) => {
                let lives = token.expires_at.saturating_sub(now);
                known.got_at = now;
                known.fresh_for = lives - EARLY_SECONDS.min(lives / 10);
                known.token = Some(token.clone());
                Ok(token)
            }
            (Err(refused), _) => {
                known.token = None;
                Err(refused)
            }
        };
        known.asked += 1;
        known.outcome = Some(outcome.clone());
        outcome
    }
}

impl Kept {
    /// The token that is kept, or what comes of asking.
    pub async fn get<F>(
        &self,
        form: &Form,
        now: &(impl Fn() -> i64 + Sync),
        ask: impl FnOnce() -> F + Send,
    ) -> Result<Token, TokenRefused>
    where
        F: Future<Output = Result<Token, TokenRefused>> + Send,
    {
        let slot = self.slot(form, now());
        let before = slot.known();
        if let Some(token) = before.token.filter(|_| is_within(before.fresh_for, before.got_at, now())) {
            return Ok(token);
        }
        let _turn = slot.asking.lock().await;
        let since = slot.known();
        if let Some(outcome) = since.outcome.filter(|_| since.asked != before.asked) {
            return outcome;
        }
        let answer = ask().await;
        slot.note(answer, now())
    }

    pub fn forget(&self, form: &Form) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(form);
    }

    fn slot(&self, form: &Form, now: i64) -> Arc<Slot> {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if slots.len() >= KEPT_MAX && !slots.contains_key(form) {
            // Nobody waits for a slot that only this table knows.
            slots.retain(|_, slot| {
                Arc::strong_count(slot) > 1 || slot.known().token.is_some_and(|token| now < token.expires_at)
            });
        }
        if slots.len() >= KEPT_MAX && !slots.contains_key(form) {
            let ends = |known: Known| known.got_at.saturating_add(known.fresh_for);
            let soonest = slots.iter().min_by_key(|(_, slot)| ends(slot.known()));
            if let Some(form) = soonest.map(|(form, _)| form.clone()) {
                slots.remove(&form);
            }
        }
        Arc::clone(slots.entry(form.clone()).or_default())
    }
}
