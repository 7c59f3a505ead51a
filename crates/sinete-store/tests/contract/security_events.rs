//! Security events are written in their transaction and read back unchanged.

use super::both_engines;
use super::database::Database;
use super::probe::{NOW, patient};
use crate::dependency_snapshot::DependencySnapshot;
use crate::events::security_log::{
    NewestEvents, NewestEventsOf, SecurityLogEntry, find_event, list_events, list_newest_events,
};
use crate::{BatchOutcome, Store, StoreAccess, WriteBatch, migrate};
use sinete_core::entropy::DangerouslySeededEntropy;
use sinete_core::events::log_chain::LoggedEvent;
use sinete_core::events::security_event::{EventKind, RequestOrigin, SecurityEvent, SecurityEventActor};
use sinete_core::id::{AccountId, OrganizationId, RequestId};
use sinete_core::time::{Lifetime, Timestamp};

both_engines!(
    security_event_round_trips_through_the_log,
    security_event_is_written_only_with_its_batch,
    security_log_pages_have_neither_gaps_nor_overlaps,
    security_log_filter_by_kind_finds_every_kind,
    security_event_bound_to_a_version_is_written_only_at_that_version
);

async fn open(database: &Database) -> Store {
    let store = super::probe::connect(database, &patient(StoreAccess::Serve)).await.unwrap();
    migrate::apply_pending_migrations(&store, NOW, &mut |_| {}).await.unwrap();
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

async fn security_event_round_trips_through_the_log(database: Database) {
    let store = open(&database).await;
    let entropy = DangerouslySeededEntropy::new(9);
    let bare = event(1, NOW);
    let origin = RequestOrigin::new(
        Some(RequestId::mint(NOW, &entropy)),
        Some("2001:db8::7".parse().unwrap()),
        Some("Mozilla/5.0 (olá)"),
    );
    let full = event(2, NOW.plus(Lifetime::from_seconds(1)))
        .with_subject("session", "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071")
        .with_organization(OrganizationId::mint(NOW, &entropy))
        .with_client("billing-portal".parse().unwrap())
        .with_origin(&origin)
        .with_detail("because", "the person asked");
    store.commit(WriteBatch::new().with_event(&bare).with_event(&full)).await.unwrap().into_result().unwrap();
    for event in [&bare, &full] {
        let (row, personal) = LoggedEvent::from_event(event);
        let expected = SecurityLogEntry { event: row, personal };
        assert_eq!(find_event(&store, event.id).await.unwrap(), Some(expected));
    }
    let entry = find_event(&store, full.id).await.unwrap().unwrap();
    let personal = entry.personal.unwrap();
    assert_eq!(personal.address.as_deref(), Some("2001:db8::7"));
    assert_eq!(entry.event.personal_hash, Some(personal.compute_hash()));
    assert_eq!(find_event(&store, bare.id).await.unwrap().unwrap().personal, None);
}

/// Also in a group commit: valid events are not lost with others, and origins are stored only for those
/// written.
async fn security_event_bound_to_a_version_is_written_only_at_that_version(database: Database) {
    let store = open(&database).await;
    let origin = RequestOrigin::new(None, Some("2001:db8::7".parse().unwrap()), None);
    let now = DependencySnapshot { version: 1, until: None };
    let other = DependencySnapshot { version: 2, until: None };
    for (only_right, facts) in [(true, now), (false, now), (false, other)] {
        let commit_tasks: Vec<_> = (1..=100_u64)
            .map(|seed| {
                let store = store.clone();
                let event = event(seed + 1_000 * u64::from(only_right) + 2_000 * facts.version as u64, NOW);
                let event = event.with_origin(&origin);
                let facts = if only_right || seed % 10 != 3 { facts } else { other };
                tokio::spawn(async move {
                    (store.commit(WriteBatch::new().with_event_at_version(&event, facts)).await, facts, event)
                })
            })
            .collect();
        for join_handle in commit_tasks {
            let (committed, at, event) = join_handle.await.unwrap();
            let log_entry = find_event(&store, event.id).await.unwrap();
            match committed.unwrap() {
                BatchOutcome::Committed(_) => {
                    assert_eq!((at, log_entry.is_some_and(|it| it.personal.is_some())), (now, true));
                }
                BatchOutcome::Conflict(conflict) => {
                    assert_eq!((at, log_entry.is_none()), (other, true));
                    assert_eq!(conflict.statement(), "security_log.append_at");
                }
            }
        }
    }
    let log_entries = list_events(&store, None, 1_000).await.unwrap();
    assert_eq!((log_entries.len(), log_entries.iter().all(|entry| entry.personal.is_some())), (190, true));
    let (existing_event, fresh) = (event(2_001, NOW), event(1, NOW));
    assert_eq!(log_entries.iter().filter(|entry| entry.event.id == existing_event.id).count(), 1);
    let twice = store
        .commit(
            WriteBatch::new().with_event_at_version(&fresh, now).with_event_at_version(&existing_event, now),
        )
        .await
        .unwrap();
    assert_eq!(twice.into_result().unwrap_err().statement(), "security_log.append_at");
    assert_eq!(find_event(&store, fresh.id).await.unwrap(), None);
}

async fn security_event_is_written_only_with_its_batch(database: Database) {
    let store = open(&database).await;
    let (first, second) = (event(1, NOW), event(2, NOW));
    store.commit(WriteBatch::new().with_event(&first)).await.unwrap().into_result().unwrap();
    let outcome = store.commit(WriteBatch::new().with_event(&second).with_event(&first)).await.unwrap();
    assert_eq!(outcome.into_result().unwrap_err().statement(), "security_log.append");
    assert_eq!(find_event(&store, second.id).await.unwrap(), None);
}

async fn security_log_pages_have_neither_gaps_nor_overlaps(database: Database) {
    let store = open(&database).await;
    let events: Vec<_> = (0..25_u32).map(|n| event(n.into(), NOW.plus(Lifetime::from_millis(n)))).collect();
    let batch = events.iter().rev().fold(WriteBatch::new(), WriteBatch::with_event);
    store.commit(batch).await.unwrap().into_result().unwrap();
    let (mut read, mut after) = (Vec::new(), None);
    loop {
        let entries = list_events(&store, after, 10).await.unwrap();
        let Some(last) = entries.last() else { break };
        assert!(entries.len() <= 10);
        after = Some(last.event.id);
        read.extend(entries.into_iter().map(|entry| entry.event.id));
    }
    assert_eq!(read, events.iter().map(|event| event.id).collect::<Vec<_>>());
}

/// Also those that the index of kinds leaves out.
async fn security_log_filter_by_kind_finds_every_kind(database: Database) {
    let store = open(&database).await;
    let entropy = DangerouslySeededEntropy::new(10);
    let events: Vec<_> = EventKind::ALL
        .iter()
        .map(|kind| SecurityEvent::new(*kind, SecurityEventActor::System, NOW, &entropy))
        .collect();
    for some in events.chunks(20) {
        let batch = some.iter().fold(WriteBatch::new(), |batch, event| batch.with_event(event));
        store.commit(batch).await.unwrap().into_result().unwrap();
    }
    for event in &events {
        let kind = event.kind.name();
        let list = NewestEvents {
            scope: NewestEventsOf::All,
            kind: Some(kind),
            address: None,
            before: None,
            since: None,
        };
        let found = list_newest_events(&store, list, 10).await.unwrap();
        let ids: Vec<_> = found.iter().map(|entry| entry.event.id).collect();
        assert_eq!(ids, [event.id], "{kind}");
    }
}
