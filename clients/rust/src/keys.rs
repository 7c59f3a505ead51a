//! The published keys of an instance, kept for a while.

use crate::encoding::{Members, text_in};
use crate::flight::Flight;
use crate::service::{Service, Unanswered, is_within};
use crate::signatures::PublicKey;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// After this they are asked for again: a key that was revoked is gone from there.
const FRESH_SECONDS: i64 = 300;
/// For so long they count where the instance does not answer.
const KEPT_SECONDS: i64 = 3600;
/// How often the instance is asked at most, whatever tokens name; and how often before anything is known.
const PAUSE_SECONDS: i64 = 30;
const FIRST_PAUSE_SECONDS: i64 = 1;

struct Known {
    read_at: i64,
    keys: HashMap<String, PublicKey>,
}

/// The keys of one instance. One request is under way at a time, and goes on when whoever began it leaves: otherwise
/// strangers who do not wait for their answers could keep the keys from ever being read.
#[derive(Default)]
pub struct Keys {
    known: Arc<RwLock<Option<Arc<Known>>>>,
    /// When the instance was asked last.
    asked_at: Mutex<Option<i64>>,
    asking: Flight<()>,
}

impl Keys {
    /// The key of this id, or nothing. Fails where that cannot be known now.
    pub async fn find(&self, service: &Arc<Service>, kid: &str) -> Result<Option<PublicKey>, Unanswered> {
        if !self.suffices(service, kid) {
            self.refresh(service, kid).await;
        }
        let known = self.known().filter(|known| is_within(KEPT_SECONDS, known.read_at, service.now()));
        let known = known.ok_or_else(|| Unanswered("the keys of the instance are not known".to_owned()))?;
        Ok(known.keys.get(kid).cloned())
    }

    fn known(&self) -> Option<Arc<Known>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn suffices(&self, service: &Service, kid: &str) -> bool {
        let is_fresh = |known: &Known| is_within(FRESH_SECONDS, known.read_at, service.now());
        self.known().is_some_and(|known| is_fresh(&known) && known.keys.contains_key(kid))
    }

    async fn refresh(&self, service: &Arc<Service>, kid: &str) {
        let begin = || {
            let mut asked_at = self.asked_at.lock().unwrap_or_else(PoisonError::into_inner);
            let pause = if self.known().is_some() { PAUSE_SECONDS } else { FIRST_PAUSE_SECONDS };
            let was_just_asked = asked_at.is_some_and(|at| is_within(pause, at, service.now()));
            if was_just_asked || self.suffices(service, kid) {
                return None;
            }
            *asked_at = Some(service.now());
            let (service, known) = (Arc::clone(service), Arc::clone(&self.known));
            Some(async move {
                // What is known counts on until it is too old.
                if let Ok(keys) = read(&service).await {
                    let read = Arc::new(Known { read_at: service.now(), keys });
                    *known.write().unwrap_or_else(PoisonError::into_inner) = Some(read);
                }
            })
        };
        self.asking.join(begin).await;
    }
}

async fn read(service: &Arc<Service>) -> Result<HashMap<String, PublicKey>, Unanswered> {
    let published = service.published(&service.endpoint("jwks_uri").await?).await?;
    let keys = published.get("keys").and_then(Value::as_array);
    let keys = keys.ok_or_else(|| Unanswered("the instance publishes no keys".to_owned()))?;
    Ok(keys.iter().filter_map(Value::as_object).filter_map(named).collect())
}

fn named(jwk: &Members) -> Option<(String, PublicKey)> {
    let is_for_signatures = jwk.get("use").is_none_or(|what| what == "sig");
    let algorithm = text_in(jwk, "alg")?.parse().ok().filter(|_| is_for_signatures)?;
    Some((text_in(jwk, "kid")?.to_owned(), PublicKey::of(jwk, algorithm)?))
}
