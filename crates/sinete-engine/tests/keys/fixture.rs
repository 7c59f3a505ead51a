//! A settable clock, and engines on one database.

use crate::database::{Database, patient};
use serde_json::{Value, json};
use sinete_core::entropy::DangerouslySeededEntropy;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_crypto::platform::encryption::{InstanceKey, InstanceKeyRing};
use sinete_crypto::platform::jwt;
use sinete_crypto::platform::jwt::{JwtRejection, JwtType};
use sinete_crypto::platform::signing_keys::SigningKey;
use sinete_engine::oauth::access_token;
use sinete_engine::oauth::access_token::{AccessTokenError, InactiveTokenReason};
use sinete_engine::platform::signing_keys::{KeyChangeError, KeyChangeRefusal};
use sinete_engine::ports::Clock;
use sinete_engine::{Engine, EngineParts, EngineSettings, EngineStartError, InstanceMode};
use sinete_store::events::security_log;
use sinete_store::{Store, StoreAccess};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

pub const START: Timestamp = Timestamp::from_seconds(1_800_000_000);

/// A clock that is set by the test.
pub struct SetClock(AtomicI64);

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::SeqCst))
    }
}

/// One database, one clock, and any number of nodes.
pub struct World {
    pub database: Database,
    pub store: Store,
    pub clock: Arc<SetClock>,
    entropy: Arc<DangerouslySeededEntropy>,
}

impl World {
    pub async fn new(database: Database) -> Self {
        let store =
            Store::open(&database.url().parse().unwrap(), &patient(StoreAccess::Serve)).await.unwrap();
        let clock = Arc::new(SetClock(AtomicI64::new(START.micros())));
        Self { database, store, clock, entropy: Arc::new(DangerouslySeededEntropy::new(11)) }
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub fn set(&self, now: Timestamp) {
        self.clock.0.store(now.micros(), Ordering::SeqCst);
    }

    pub fn pass(&self, span: Lifetime) {
        self.set(self.now().plus(span));
    }

    /// A production node with instance key 1 and no configured keys.
    pub async fn node(&self) -> Engine {
        self.start(InstanceMode::Production, instance_keys(1, &[]), Vec::new()).await.unwrap()
    }

    pub async fn start(
        &self,
        mode: InstanceMode,
        instance_keys: InstanceKeyRing,
        configured_keys: Vec<SigningKey>,
    ) -> Result<Engine, EngineStartError> {
        let settings = EngineSettings::new("https://id.example", mode);
        let (store, clock, entropy) = (self.store.clone(), self.clock.clone(), self.entropy.clone());
        let web = Arc::new(sinete_engine::ports::NoOutboundHttp);
        let places = Arc::new(sinete_engine::ports::NoGeoIp);
        let (breached, dns) = (Vec::new(), Arc::new(sinete_engine::ports::NoDnsResolver));
        let parts = EngineParts {
            store,
            clock,
            entropy,
            outbound_http: web,
            dns_resolver: dns,
            geo_ip: places,
            breached_passwords: breached,
            instance_keys,
            configured_keys,
            settings,
        };
        Engine::start(parts).await
    }

    /// The kinds of the recorded events, by name.
    pub async fn events(&self) -> Vec<String> {
        let page = security_log::list_events(&self.store, None, 1_000).await.unwrap();
        let mut kinds: Vec<String> = page.into_iter().map(|entry| entry.event.kind.into()).collect();
        kinds.sort();
        kinds
    }
}

/// Instance keys by number.
pub fn instance_keys(current: u64, previous: &[u64]) -> InstanceKeyRing {
    let key = |seed| InstanceKey::parse(&InstanceKey::mint(&DangerouslySeededEntropy::new(seed))).unwrap();
    InstanceKeyRing::new(key(current), previous.iter().map(|seed| key(*seed)).collect())
}

/// The `kid` of the current signing key.
pub fn signer(engine: &Engine, algorithm: SigningAlgorithm) -> String {
    engine.key_ring().signing_key(algorithm, engine.now()).unwrap().kid().to_owned()
}

/// The keys in the JWKS of this node.
pub fn document(engine: &Engine) -> Vec<Value> {
    let document: Value = serde_json::from_str(&engine.key_ring().jwks_document().json).unwrap();
    document["keys"].as_array().unwrap().clone()
}

/// The `kid`s in the JWKS.
pub fn published(engine: &Engine) -> Vec<String> {
    document(engine).iter().map(|key| key["kid"].as_str().unwrap().to_owned()).collect()
}

/// A token with this lifetime, signed by the current key.
pub fn token(engine: &Engine, algorithm: SigningAlgorithm, lives: Lifetime) -> String {
    let (now, keys) = (engine.now(), engine.key_ring());
    let sample_id = "01920000-0000-7000-8000-000000000001";
    let claims = json!({
        "iss": engine.settings().issuer, "iat": now.seconds(), "exp": now.plus(lives).seconds(),
        "sub": sample_id, "aud": "https://api.example", "client_id": "app", "org": sample_id, "role": "member",
        "jti": format!("{sample_id}.{}", "a".repeat(22)), "scope": "invoices:read",
    });
    jwt::sign_jwt(keys.signing_key(algorithm, now).unwrap(), JwtType::Access, &claims).unwrap()
}

/// Verifies the signature of a token on this node. The subject, which is checked afterwards, does not exist.
pub async fn judged(engine: &Engine, token: &str) -> Result<(), JwtRejection> {
    match access_token::load_active_token(engine, token).await {
        Ok(_) => panic!("a token without a subject is accepted"),
        Err(AccessTokenError::Inactive(InactiveTokenReason::NotAToken(reason))) => Err(reason),
        Err(
            AccessTokenError::Inactive(
                InactiveTokenReason::SubjectMissing | InactiveTokenReason::SubjectInactive(_),
            )
            | AccessTokenError::Failed(_),
        ) => Ok(()),
    }
}

/// The reason of the expected refusal of a key change.
#[track_caller]
pub fn key_refusal<T>(result: Result<T, KeyChangeError>) -> KeyChangeRefusal {
    match result {
        Ok(_) => panic!("a refusal was expected"),
        Err(KeyChangeError::Refused(refusal)) => refusal,
        Err(KeyChangeError::Failed(failure)) => panic!("{failure}"),
    }
}
