//! The limits on concurrent outbound requests, the queue for them, and circuit breakers.

use sinete::outbound::limiter::OutboundLimiter;
use sinete_core::entropy::DangerouslySeededEntropy;
use sinete_core::id::OrganizationId;
use sinete_core::limits::{CIRCUIT_FAILURES_MAX, CIRCUIT_OPEN_MIN, OUTBOUND_QUEUED_MAX};
use sinete_core::platform::outbound::{OutboundOwner, OutboundPurpose, OutboundTarget};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_engine::ports::{Clock, OutboundError};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

const LONG: Lifetime = Lifetime::from_minutes(1);

struct SetClock(AtomicI64);

impl SetClock {
    fn at_noon() -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(1_763_208_000)))
    }

    fn pass(&self, lifetime: Lifetime) {
        self.0.fetch_add(lifetime.seconds(), Ordering::SeqCst);
    }
}

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_seconds(self.0.load(Ordering::SeqCst))
    }
}

fn organization(number: u64) -> OutboundOwner {
    let now = Timestamp::from_seconds(1_763_208_000);
    OutboundOwner::Organization(OrganizationId::mint(now, &DangerouslySeededEntropy::new(number)))
}

fn sign_in(owner: &OutboundOwner) -> OutboundTarget<'static> {
    let purpose = OutboundPurpose::IdentityProvider;
    OutboundTarget { purpose, owner: owner.clone(), url: "https://idp.example/token" }
}

async fn answered() -> Result<(), OutboundError> {
    Ok(())
}

async fn silence() -> Result<(), OutboundError> {
    Err(OutboundError::no_answer("no response"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outbound_gate_queues_an_owner_at_its_share_and_no_other() {
    // A queued request waits for two seconds, which may pass on a busy machine.
    for _ in 0..20 {
        if returned_slots_go_to_waiting_requests().await {
            return;
        }
    }
    panic!("no queued request was ever sent");
}

async fn returned_slots_go_to_waiting_requests() -> bool {
    let gate = Arc::new(OutboundLimiter::new(SetClock::at_noon()));
    let (greedy, other) = (organization(1), organization(2));
    let (release, released) = tokio::sync::watch::channel(false);
    let (unbounded_sender, mut beginning) = tokio::sync::mpsc::unbounded_channel();
    let places = OutboundPurpose::IdentityProvider.slot_count();
    let share = (1..=places).take_while(|slots| (slots - 1) * 4 < places - (slots - 1)).count();
    let mut join_set = tokio::task::JoinSet::new();
    for _ in 0..share + OUTBOUND_QUEUED_MAX + 10 {
        let (gate, greedy, unbounded_sender) = (Arc::clone(&gate), greedy.clone(), unbounded_sender.clone());
        let mut released = released.clone();
        join_set.spawn(async move {
            let request = async {
                unbounded_sender.send(()).unwrap();
                let _ = released.wait_for(|is_released| *is_released).await;
                Ok(())
            };
            gate.run_request(&sign_in(&greedy), LONG, request).await
        });
    }
    for _ in 0..share {
        beginning.recv().await.unwrap();
    }
    // A request that finds the queue full is refused without being sent.
    for _ in 0..10 {
        assert!(join_set.join_next().await.unwrap().unwrap().unwrap_err().is_busy());
    }
    assert!(beginning.try_recv().is_err(), "an owner has at most its share of the slots");
    assert_eq!(gate.run_request(&sign_in(&other), LONG, answered()).await, Ok(()));
    // Another purpose of the same owner has slots of its own.
    let test = OutboundTarget { purpose: OutboundPurpose::ConnectionTest, ..sign_in(&greedy) };
    assert_eq!(gate.run_request(&test, LONG, answered()).await, Ok(()));
    release.send_replace(true);
    let mut success_count = 0;
    while let Some(one) = join_set.join_next().await {
        success_count += usize::from(one.unwrap().is_ok());
    }
    assert!(success_count >= share);
    success_count > share
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outbound_circuit_opens_for_one_owner_and_is_closed_by_an_administrator() {
    let clock = SetClock::at_noon();
    let gate = OutboundLimiter::new(clock.clone());
    let (acme, globex) = (organization(1), organization(2));
    for _ in 0..CIRCUIT_FAILURES_MAX {
        assert!(gate.run_request(&sign_in(&acme), LONG, silence()).await.unwrap_err().is_no_answer());
    }
    let at_once = async |target: &OutboundTarget<'_>| gate.run_request(target, LONG, answered()).await;
    assert!(at_once(&sign_in(&acme)).await.is_err(), "its circuit is open");
    assert_eq!(at_once(&sign_in(&globex)).await, Ok(()), "the circuit of another owner is closed");
    let other_host = OutboundTarget { url: "https://other.example/token", ..sign_in(&acme) };
    assert_eq!(at_once(&other_host).await, Ok(()));
    let webhook = OutboundTarget { purpose: OutboundPurpose::Webhook, ..sign_in(&acme) };
    assert_eq!(at_once(&webhook).await, Ok(()));
    // After a while, one request tests whether the host responds again.
    clock.pass(CIRCUIT_OPEN_MIN);
    assert!(gate.run_request(&sign_in(&acme), LONG, silence()).await.unwrap_err().is_no_answer());
    assert!(at_once(&sign_in(&acme)).await.is_err());
    // A connection test is sent in any case, and a response closes the circuit for every request of the owner.
    let test = OutboundTarget { purpose: OutboundPurpose::ConnectionTest, ..sign_in(&acme) };
    assert_eq!(at_once(&test).await, Ok(()));
    assert_eq!(at_once(&sign_in(&acme)).await, Ok(()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outbound_error_response_opens_no_circuit_and_an_abandoned_call_frees_its_slot() {
    let gate = Arc::new(OutboundLimiter::new(SetClock::at_noon()));
    let acme = organization(1);
    for _ in 0..CIRCUIT_FAILURES_MAX * 2 {
        let useless = async { Err::<(), _>(OutboundError::new("it answered 500")) };
        assert!(!gate.run_request(&sign_in(&acme), LONG, useless).await.unwrap_err().is_no_answer());
    }
    assert_eq!(gate.run_request(&sign_in(&acme), LONG, answered()).await, Ok(()));
    for _ in 0..OutboundPurpose::IdentityProvider.slot_count() * 2 {
        let (gate, acme) = (Arc::clone(&gate), acme.clone());
        let (sender, beginning) = tokio::sync::oneshot::channel();
        let leaves = tokio::spawn(async move {
            let request = async {
                sender.send(()).unwrap();
                std::future::pending::<Result<(), OutboundError>>().await
            };
            gate.run_request(&sign_in(&acme), LONG, request).await
        });
        beginning.await.unwrap();
        leaves.abort();
        assert!(leaves.await.unwrap_err().is_cancelled());
    }
    assert_eq!(gate.run_request(&sign_in(&acme), LONG, answered()).await, Ok(()));
}
