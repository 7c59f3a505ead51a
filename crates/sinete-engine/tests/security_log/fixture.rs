//! An instance with a log, a settable clock, and an attacker's access to the database.

use crate::database::{Database, patient};
use sinete_core::entropy::DangerouslySeededEntropy;
use sinete_core::events::log_chain::{LogChainAnchor, LogChainLink, LogDefect};
use sinete_core::events::security_event::{EventKind, RequestOrigin, SecurityEvent, SecurityEventActor};
use sinete_core::id::{InstanceId, OrganizationId, RequestId};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_crypto::platform::encryption::{
    EncryptionContext, EncryptionPurpose, InstanceKey, InstanceKeyRing,
};
use sinete_engine::events::security_log::{
    LogSealer, LogVerificationSummary, SecurityLog, SecurityLogError, VerificationProgress,
};
use sinete_store::events::log_chain;
use sinete_store::events::log_chain::LogChainCursor;
use sinete_store::platform::instance;
use sinete_store::{Store, StoreAccess, WriteBatch};
use std::sync::atomic::{AtomicI64, Ordering};

pub const NOON: Timestamp = Timestamp::from_seconds(1_794_700_000);
pub const MINUTE: Lifetime = Lifetime::from_minutes(1);
pub const ORGANIZATION: OrganizationId = OrganizationId::from_bytes([3; 16]);

pub struct World {
    pub database: Database,
    pub store: Store,
    pub log: SecurityLog,
    pub keys: InstanceKeyRing,
    pub entropy: DangerouslySeededEntropy,
    clock: AtomicI64,
}

impl World {
    /// An instance after its first start.
    pub async fn new(database: Database) -> Self {
        let (entropy, keys) = (DangerouslySeededEntropy::new(1), instance_keys(1));
        let store = set_up(&database, &keys, &entropy).await;
        let log = SecurityLog::open_or_create(&store, &keys, NOON, &entropy).await.unwrap();
        Self { database, store, log, keys, entropy, clock: AtomicI64::new(NOON.micros()) }
    }

    /// The same with this many sealed events, a minute apart; one more is the event of the log's own key.
    pub async fn with_sealed_events(database: Database, events: u32) -> Self {
        let world = Self::new(database).await;
        for _ in 0..events {
            world.happens().await;
        }
        assert_eq!(world.seal().await.unwrap(), u64::from(events) + 1);
        world
    }

    pub fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.clock.load(Ordering::Relaxed))
    }

    pub fn wait(&self, span: Lifetime) {
        self.clock.store(self.now().plus(span).micros(), Ordering::Relaxed);
    }

    /// An event with all fields, a minute later.
    pub fn event(&self) -> SecurityEvent {
        self.wait(MINUTE);
        let request = RequestId::mint(self.now(), &self.entropy);
        let origin =
            RequestOrigin::new(Some(request), Some("2001:db8::7".parse().unwrap()), Some("curl/8 (olá)"));
        SecurityEvent::new(
            EventKind::CredentialFailed,
            SecurityEventActor::Client("shop".parse().unwrap()),
            self.now(),
            &self.entropy,
        )
        .with_subject("account", "ana")
        .with_organization(ORGANIZATION)
        .with_client("shop".parse().unwrap())
        .with_origin(&origin)
        .with_detail("why", "não")
        .with_detail("attempts", 3)
    }

    /// The event of a service's token, a millisecond later.
    pub fn quick_event(&self) -> SecurityEvent {
        self.wait(Lifetime::from_millis(1));
        let origin = RequestOrigin::new(
            Some(RequestId::mint(self.now(), &self.entropy)),
            Some("192.0.2.7".parse().unwrap()),
            Some("curl/8"),
        );
        SecurityEvent::new(
            EventKind::TokenIssued,
            SecurityEventActor::Client("shop".parse().unwrap()),
            self.now(),
            &self.entropy,
        )
        .with_subject("token", RequestId::mint(self.now(), &self.entropy))
        .with_organization(ORGANIZATION)
        .with_client("shop".parse().unwrap())
        .with_origin(&origin)
        .with_detail("scope", "orders:read orders:write")
    }

    /// Commits an event.
    pub async fn happens(&self) -> SecurityEvent {
        let event = self.event();
        self.store.commit(WriteBatch::new().with_event(&event)).await.unwrap().into_result().unwrap();
        event
    }

    /// Runs one turn of a new sealer.
    pub async fn seal(&self) -> Result<u64, SecurityLogError> {
        LogSealer::new(self.log.clone()).seal_pending(self.now()).await.map(|turn| turn.sealed_events)
    }

    pub async fn verify(&self) -> (Vec<LogDefect>, LogVerificationSummary) {
        self.verify_with(&[]).await
    }

    pub async fn verify_with(&self, anchors: &[LogChainAnchor]) -> (Vec<LogDefect>, LogVerificationSummary) {
        verify(&self.log, anchors, self.now()).await
    }

    pub async fn finds(&self) -> Vec<LogDefect> {
        self.verify().await.0
    }

    /// All links of the chain, as stored.
    pub async fn links(&self) -> Vec<LogChainLink> {
        log_chain::list_chain_links(&self.store, LogChainCursor::START, i64::MAX, 10_000).await.unwrap()
    }

    /// Opens the log again, like the command line.
    pub async fn reopened(&self) -> Result<SecurityLog, SecurityLogError> {
        SecurityLog::open(&self.store, &self.keys, self.now()).await
    }
}

/// An instance that was set up but never served: it has no log yet.
pub async fn set_up(
    database: &Database,
    keys: &InstanceKeyRing,
    entropy: &DangerouslySeededEntropy,
) -> Store {
    let store = open(database, StoreAccess::Serve).await;
    let id = InstanceId::mint(NOON, entropy);
    let check = keys
        .encrypt(&EncryptionContext::new(EncryptionPurpose::InstanceCheck, id.as_bytes()), b"check", entropy)
        .unwrap();
    store
        .commit(WriteBatch::new().with_statement(instance::create_instance(id, NOON, &check)))
        .await
        .unwrap()
        .into_result()
        .unwrap();
    store
}

pub async fn verify(
    log: &SecurityLog,
    anchors: &[LogChainAnchor],
    now: Timestamp,
) -> (Vec<LogDefect>, LogVerificationSummary) {
    let mut findings = Vec::new();
    let mut tell = |progress| {
        if let VerificationProgress::Finding(finding) = progress {
            findings.push(finding.defect);
        }
    };
    let verification = log.verify_log(anchors, now, &mut tell).await.unwrap();
    assert_eq!(verification.findings, findings.len() as u64);
    (findings, verification)
}

pub async fn open(database: &Database, access: StoreAccess) -> Store {
    Store::open(&database.url().parse().unwrap(), &patient(access)).await.unwrap()
}

pub fn instance_keys(seed: u64) -> InstanceKeyRing {
    let text = InstanceKey::mint(&DangerouslySeededEntropy::new(seed));
    InstanceKeyRing::new(InstanceKey::parse(&text).unwrap(), Vec::new())
}
