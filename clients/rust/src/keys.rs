//! The published keys of an instance, kept for a while.

use crate::encoding::{Members, text_in};
use crate::service::{Service, Unanswered};
use crate::signatures::PublicKey;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use tokio::sync::Mutex;

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

/// The keys of one instance.
#[derive(Default)]
pub struct Keys {
    known: RwLock<Option<Arc<Known>>>,
    /// When the instance was asked last. Whoever holds this asks; the others wait and look again.
    asked_at: Mutex<Option<i64>>,
}

impl Keys {
    /// The key of this id, or nothing. Fails where that cannot be known now.
    pub async fn find(&self, service: &Service, kid: &str) -> Result<Option<PublicKey>, Unanswered> {
        if !self.suffices(service, kid) {
            self.refresh(service, kid).await;
        }
        let known = self.known().filter(|known| service.now() - known.read_at < KEPT_SECONDS);
        let known = known.ok_or_else(|| Unanswered("the keys of the instance are not known".to_owned()))?;
        Ok(known.keys.get(kid).cloned())
    }

    fn known(&self) -> Option<Arc<Known>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn suffices(&self, service: &Service, kid: &str) -> bool {
        let is_fresh = |known: &Known| service.now() - known.read_at < FRESH_SECONDS;
        self.known().is_some_and(|known| is_fresh(&known) && known.keys.contains_key(kid))
    }

    async fn refresh(&self, service: &Service, kid: &str) {
        let mut asked_at = self.asked_at.lock().await;
        let pause = if self.known().is_some() { PAUSE_SECONDS } else { FIRST_PAUSE_SECONDS };
        let was_just_asked = asked_at.is_some_and(|at| service.now() - at < pause);
        if was_just_asked || self.suffices(service, kid) {
            return;
        }
        *asked_at = Some(service.now());
        // What is known counts on until it is too old.
        if let Ok(keys) = read(service).await {
            let known = Arc::new(Known { read_at: service.now(), keys });
            *self.known.write().unwrap_or_else(PoisonError::into_inner) = Some(known);
        }
    }
}

async fn read(service: &Service) -> Result<HashMap<String, PublicKey>, Unanswered> {
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
