//! Security events are written with the act they belong to and read back as they were.

use super::both_engines;
use super::database::Database;
use super::probe::{NOW, patient};
use crate::client_proofs::DependencySnapshot;
use crate::security_log::{SecurityLogEntry, find, page};
use crate::{Store, StoreAccess, WriteBatch, migrate};
use sinete_core::entropy::DangerouslySeededEntropy;
use sinete_core::id::{AccountId, OrganizationId, RequestId};
use sinete_core::security::chain::LoggedEvent;
use sinete_core::security::event::{EventKind, RequestOrigin, SecurityEvent, SecurityEventActor};
use sinete_core::time::{Lifetime, Timestamp};

both_engines!(
    an_event_comes_back_as_it_was_written,
    an_event_is_written_only_if_its_act_is,
    pages_follow_one_another_without_gap_or_overlap,
    what_hangs_on_a_version_is_written_at_that_version_and_no_other
);

async fn open(database: &Database) -> Store {
    let store = super::probe::connect(database, &patient(StoreAccess::Serve)).await.unwrap();
    migrate::run(&store, NOW, &mut |_| {}).await.unwrap();
    store
}

fn event(seed: u64, at: Timestamp) -> SecurityEvent {
    let entropy = DangerouslySeededEntropy::new(seed);
    SecurityEvent::new(
        EventKind::SessionEnded,
        SecurityEventActor::Account(AccountId::mint(at, &entropy)),
        at,
        &entropy,
    )
}

async fn an_event_comes_back_as_it_was_written(database: Database) {
    let store = open(&database).await;
    let entropy = DangerouslySeededEntropy::new(9);
    let bare = event(1, NOW);
    let origin = RequestOrigin::new(
        Some(RequestId::mint(NOW, &entropy)),
        Some("2001:db8::7".parse().unwrap()),
        Some("Mozilla/5.0 (olá)"),
    );
    let full = event(2, NOW.plus(Lifetime::from_seconds(1)))
        .about("session", "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071")
        .within(OrganizationId::mint(NOW, &entropy))
        .through("billing-portal".parse().unwrap())
        .from_origin(&origin)
        .with("because", "the person asked");
    store.commit(WriteBatch::new().record(&bare).record(&full)).await.unwrap().unwrap();
    for event in [&bare, &full] {
        let (row, personal) = LoggedEvent::of(event);
        let expected = SecurityLogEntry { event: row, personal };
        assert_eq!(find(&store, event.id).await.unwrap(), Some(expected));
    }
    let entry = find(&store, full.id).await.unwrap().unwrap();
    let personal = entry.personal.unwrap();
    assert_eq!(personal.address.as_deref(), Some("2001:db8::7"));
    assert_eq!(entry.event.personal_hash, Some(personal.hash()));
    assert_eq!(find(&store, bare.id).await.unwrap().unwrap().personal, None);
}

/// Also where many go together: those that were right are not lost with the others, and where they came from is kept of
/// nobody else.
async fn what_hangs_on_a_version_is_written_at_that_version_and_no_other(database: Database) {
    let store = open(&database).await;
    let origin = RequestOrigin::new(None, Some("2001:db8::7".parse().unwrap()), None);
    let now = DependencySnapshot { version: 1, until: None };
    let other = DependencySnapshot { version: 2, until: None };
    for (only_right, facts) in [(true, now), (false, now), (false, other)] {
        let waiting: Vec<_> = (1..=100_u64)
            .map(|seed| {
                let store = store.clone();
                let event = event(seed + 1_000 * u64::from(only_right) + 2_000 * facts.version as u64, NOW);
                let event = event.from_origin(&origin);
                let facts = if only_right || seed % 10 != 3 { facts } else { other };
                tokio::spawn(async move {
                    (store.commit(WriteBatch::new().record_at(&event, facts)).await, facts, event)
                })
            })
            .collect();
        for waiting in waiting {
            let (committed, at, event) = waiting.await.unwrap();
            let found = find(&store, event.id).await.unwrap();
            match committed.unwrap() {
                Ok(_) => {
                    assert_eq!((at, found.is_some_and(|it| it.personal.is_some())), (now, true));
                }
                Err(conflict) => {
                    assert_eq!((at, found.is_none()), (other, true));
                    assert_eq!(conflict.statement(), "security_log.append_at");
                }
            }
        }
    }
    let written = page(&store, None, 1_000).await.unwrap();
    assert_eq!((written.len(), written.iter().all(|entry| entry.personal.is_some())), (190, true));
    let (again, fresh) = (event(2_001, NOW), event(1, NOW));
    assert_eq!(written.iter().filter(|entry| entry.event.id == again.id).count(), 1);
    let twice = store.commit(WriteBatch::new().record_at(&fresh, now).record_at(&again, now)).await.unwrap();
    assert_eq!(twice.unwrap_err().statement(), "security_log.append_at");
    assert_eq!(find(&store, fresh.id).await.unwrap(), None);
}

async fn an_event_is_written_only_if_its_act_is(database: Database) {
    let store = open(&database).await;
    let (first, second) = (event(1, NOW), event(2, NOW));
    store.commit(WriteBatch::new().record(&first)).await.unwrap().unwrap();
    let again = store.commit(WriteBatch::new().record(&second).record(&first)).await.unwrap();
    assert_eq!(again.unwrap_err().statement(), "security_log.append");
    assert_eq!(find(&store, second.id).await.unwrap(), None);
}

async fn pages_follow_one_another_without_gap_or_overlap(database: Database) {
    let store = open(&database).await;
    let events: Vec<_> = (0..25_u32).map(|n| event(n.into(), NOW.plus(Lifetime::from_millis(n)))).collect();
    let act = events.iter().rev().fold(WriteBatch::new(), WriteBatch::record);
    store.commit(act).await.unwrap().unwrap();
    let (mut read, mut after) = (Vec::new(), None);
    loop {
        let entries = page(&store, after, 10).await.unwrap();
        let Some(last) = entries.last() else { break };
        assert!(entries.len() <= 10);
        after = Some(last.event.id);
        read.extend(entries.into_iter().map(|entry| entry.event.id));
    }
    assert_eq!(read, events.iter().map(|event| event.id).collect::<Vec<_>>());
}
