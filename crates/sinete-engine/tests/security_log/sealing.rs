//! Every committed event is sealed exactly once, whichever node seals and whatever fails.

use crate::both_engines;
use crate::database::Database;
use crate::fixture::{MINUTE, NOON, World, instance_keys, open, set_up, verify};
use sinete_core::entropy::DangerouslySeededEntropy;
use sinete_core::events::log_chain::LogDefect;
use sinete_core::events::security_event::{
    EventKind, SecurityEvent, SecurityEventActor, SecurityEventTarget,
};
use sinete_core::id::AccountId;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_engine::events::security_log::{LogSealer, SecurityLog, SecurityLogError, spawn_sealer};
use sinete_store::{Store, StoreAccess, WriteBatch};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

both_engines!(
    security_log_first_start_creates_one_key_and_one_head,
    security_log_of_an_instance_that_never_served_has_no_findings,
    security_log_without_key_head_and_chain_is_found_once_a_server_started,
    security_log_racing_sealers_assign_every_event_one_position,
    security_log_backlog_of_hours_is_sealed_completely,
    security_log_late_event_is_sealed_despite_clock_jumps,
    security_log_is_verified_while_it_is_written_and_sealed,
    security_log_sealer_runs_in_the_background_and_once_more_at_shutdown,
    security_log_sealer_survives_a_failing_database,
    security_log_erasure_of_personal_data_keeps_the_chain_intact
);

async fn security_log_first_start_creates_one_key_and_one_head(database: Database) {
    let (entropy, keys) = (DangerouslySeededEntropy::new(1), Arc::new(instance_keys(1)));
    let store = set_up(&database, &keys, &entropy).await;
    assert!(matches!(
        SecurityLog::open(&store, &keys, NOON).await.unwrap().signed_head().await,
        Err(SecurityLogError::Tampered(finding)) if finding.defect == LogDefect::HeadMissing
    ));
    let nodes: Vec<_> = (0..8)
        .map(|node| {
            let (store, keys) = (store.clone(), keys.clone());
            let start = async move {
                let entropy = DangerouslySeededEntropy::new(100 + node);
                SecurityLog::open_or_create(&store, &keys, NOON, &entropy)
                    .await
                    .unwrap()
                    .signed_head()
                    .await
                    .unwrap()
            };
            tokio::spawn(start)
        })
        .collect();
    let mut heads = Vec::new();
    for node in nodes {
        heads.push(node.await.unwrap());
    }
    assert!(heads.iter().all(|head| *head == heads[0] && head.position == 0));
    let keys_there = "SELECT count(*) FROM signing_keys WHERE purpose = 'log'";
    assert_eq!(database.number(keys_there).await, 1);
    // The event of the log's key is sealed first.
    let log = SecurityLog::open_or_create(&store, &keys, NOON, &entropy).await.unwrap();
    assert_eq!(LogSealer::new(log.clone()).seal_pending(NOON).await.unwrap().sealed_events, 1);
    assert_eq!(log.signed_head().await.unwrap().kid, heads[0].kid);
    assert_eq!(verify(&log, &[], NOON).await.0, []);
}

async fn security_log_of_an_instance_that_never_served_has_no_findings(database: Database) {
    let (entropy, keys) = (DangerouslySeededEntropy::new(1), instance_keys(1));
    let store = set_up(&database, &keys, &entropy).await;
    write(store.clone(), 1, 3).await;
    let log = SecurityLog::open(&store, &keys, NOON).await.unwrap();
    let later = NOON.plus(Lifetime::from_days(30));
    let (findings, verified) = verify(&log, &[], later).await;
    assert_eq!((findings, verified.unsealed, verified.head), (vec![], 3, None));
    assert_eq!(verified.waiting_since.unwrap().seconds(), NOON.seconds());
    // A recorded head shows that there was one.
    let noted = format!("7:{}", "0".repeat(64)).parse().unwrap();
    assert_eq!(verify(&log, &[noted], later).await.0, [LogDefect::AnchorMissing(noted)]);
    // The first server seals them, however late.
    let log = SecurityLog::open_or_create(&store, &keys, later, &entropy).await.unwrap();
    assert_eq!(LogSealer::new(log.clone()).seal_pending(later).await.unwrap().sealed_events, 4);
    let (findings, verified) = verify(&log, &[], later).await;
    assert_eq!((findings, verified.unsealed, verified.tally.links), (vec![], 0, 4));
}

async fn security_log_without_key_head_and_chain_is_found_once_a_server_started(database: Database) {
    let world = World::with_sealed_events(database, 2).await;
    let started =
        SecurityEvent::new(EventKind::ServerStarted, SecurityEventActor::System, world.now(), &world.entropy);
    world.store.commit(WriteBatch::new().with_event(&started)).await.unwrap().into_result().unwrap();
    world.seal().await.unwrap();
    world.database.disarm().await;
    for removed in ["log_head", "log_chain", "signing_keys"] {
        world.database.run(&format!("DELETE FROM {removed}")).await;
    }
    let log = world.reopened().await.unwrap();
    assert!(verify(&log, &[], world.now()).await.0.contains(&LogDefect::HeadMissing));
}

async fn write(store: Store, writer: u64, events: u32) {
    let entropy = DangerouslySeededEntropy::new(1000 + writer);
    for number in 0..events {
        let at = NOON.plus(Lifetime::from_millis(number));
        let actor = SecurityEventActor::Account(AccountId::mint(at, &entropy));
        let event = SecurityEvent::new(EventKind::SessionEnded, actor, at, &entropy);
        store.commit(WriteBatch::new().with_event(&event)).await.unwrap().into_result().unwrap();
    }
}

async fn security_log_racing_sealers_assign_every_event_one_position(database: Database) {
    let world = World::new(database).await;
    let store = open(&world.database, StoreAccess::AlongsideServer).await;
    let logs = [world.log.clone(), SecurityLog::open(&store, &world.keys, NOON).await.unwrap()];
    let writers: Vec<_> =
        (0..10).map(|writer| tokio::spawn(write(world.store.clone(), writer, 50))).collect();
    let (finished, receiver) = tokio::sync::watch::channel(false);
    let sealers = logs.map(|log| {
        let receiver = receiver.clone();
        tokio::spawn(async move {
            let (mut sealer, mut sealed_count, mut overtaken) = (LogSealer::new(log), 0, 0);
            loop {
                let last = *receiver.borrow();
                let turn = sealer.seal_pending(NOON.plus(MINUTE)).await.unwrap();
                sealed_count += turn.sealed_events;
                overtaken += u32::from(turn.lost_race);
                if last && turn.sealed_events == 0 && !turn.lost_race {
                    return (sealed_count, overtaken);
                }
                tokio::task::yield_now().await;
            }
        })
    });
    for writer in writers {
        writer.await.unwrap();
    }
    finished.send(true).unwrap();
    let mut total = 0;
    for sealer in sealers {
        total += sealer.await.unwrap().0;
    }
    assert_eq!(total, 501);
    let (findings, verification) = world.verify().await;
    assert_eq!((findings, verification.tally.links, verification.unsealed), (vec![], 501, 0));
    for (question, answer) in [
        ("SELECT count(*) FROM security_log", 501),
        ("SELECT count(*) FROM log_chain", 501),
        ("SELECT count(DISTINCT event_id) FROM log_chain", 501),
        ("SELECT min(position) FROM log_chain", 1),
        ("SELECT max(position) FROM log_chain", 501),
    ] {
        assert_eq!(world.database.number(question).await, answer, "{question}");
    }
}

async fn security_log_backlog_of_hours_is_sealed_completely(database: Database) {
    let world = World::new(database).await;
    // Far more than one batch, over far longer than the sealer's lookback.
    for _ in 0..24 {
        let batch = (0..50).fold(WriteBatch::new(), |batch, _| batch.with_event(&world.event()));
        world.store.commit(batch).await.unwrap().into_result().unwrap();
    }
    assert_eq!(world.log.count_unsealed(world.now()).await.unwrap(), 1201);
    assert_eq!(world.seal().await.unwrap(), 1201);
    assert_eq!(world.log.count_unsealed(world.now()).await.unwrap(), 0);
    assert_eq!(world.finds().await, []);
}

async fn security_log_late_event_is_sealed_despite_clock_jumps(database: Database) {
    let world = World::with_sealed_events(database, 5).await;
    let mut sealer = LogSealer::new(world.log.clone());
    assert_eq!(sealer.seal_pending(world.now()).await.unwrap().sealed_events, 0);
    let commit = async |event: &SecurityEvent| {
        world.store.commit(WriteBatch::new().with_event(event)).await.unwrap().into_result().unwrap()
    };
    let made_at = |at: Timestamp| {
        SecurityEvent::new(EventKind::SessionEnded, SecurityEventActor::System, at, &world.entropy)
    };
    // Created four seconds before its commit: not found at once, but with the longer lookback.
    commit(&made_at(world.now().minus(Lifetime::from_seconds(4)))).await;
    assert_eq!(sealer.seal_pending(world.now()).await.unwrap().sealed_events, 0);
    assert_eq!(world.log.count_unsealed(world.now()).await.unwrap(), 1);
    world.wait(Lifetime::from_seconds(8));
    assert_eq!(sealer.seal_pending(world.now()).await.unwrap().sealed_events, 1);
    // Created nine minutes before its commit: found within a minute.
    commit(&made_at(world.now().minus(Lifetime::from_minutes(9)))).await;
    assert_eq!(sealer.seal_pending(world.now()).await.unwrap().sealed_events, 0);
    assert_eq!(world.verify().await.1.unsealed, 1);
    // The count for operators does not look back that far.
    assert_eq!(world.log.count_unsealed(world.now()).await.unwrap(), 0);
    world.wait(MINUTE);
    assert_eq!(sealer.seal_pending(world.now()).await.unwrap().sealed_events, 1);
    // A clock is a day ahead for a while and is then corrected.
    let actual_time = world.now();
    let day = Lifetime::from_days(1);
    commit(&made_at(actual_time.plus(day))).await;
    assert_eq!(sealer.seal_pending(actual_time.plus(day)).await.unwrap().sealed_events, 1);
    commit(&made_at(actual_time.plus(MINUTE))).await;
    world.wait(MINUTE);
    assert_eq!(world.verify().await.1.unsealed, 1);
    assert_eq!(sealer.seal_pending(world.now()).await.unwrap().sealed_events, 1);
    assert_eq!(world.finds().await, []);
}

async fn security_log_is_verified_while_it_is_written_and_sealed(database: Database) {
    let world = World::new(database).await;
    let (stop, stopped) = oneshot::channel::<()>();
    let log = world.log.clone();
    let sealing = tokio::spawn(async move {
        let (mut sealer, mut stopped) = (LogSealer::new(log), stopped);
        while stopped.try_recv().is_err() {
            sealer.seal_pending(NOON.plus(MINUTE)).await.unwrap();
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        sealer.seal_pending(NOON.plus(MINUTE)).await.unwrap();
    });
    let writers: Vec<_> =
        (0..4).map(|writer| tokio::spawn(write(world.store.clone(), writer, 100))).collect();
    // Like a command: with its own read-only store, beside the one that serves.
    let reading = open(&world.database, StoreAccess::ReadOnly).await;
    let log = SecurityLog::open(&reading, &world.keys, NOON).await.unwrap();
    let (mut checks, mut grew) = (0, Vec::new());
    while checks < 5 || !writers.iter().all(tokio::task::JoinHandle::is_finished) {
        let (findings, verification) = verify(&log, &[], NOON.plus(MINUTE)).await;
        assert_eq!(findings, []);
        grew.push(verification.tally.links);
        checks += 1;
    }
    for writer in writers {
        writer.await.unwrap();
    }
    stop.send(()).unwrap();
    sealing.await.unwrap();
    assert!(grew.is_sorted());
    let (findings, verification) = verify(&log, &[], NOON.plus(MINUTE)).await;
    assert_eq!((findings, verification.tally.links), (vec![], 401));
}

/// Waits for a background event, for two minutes at most.
async fn until(description: &str, mut happened: impl AsyncFnMut() -> bool) {
    for _ in 0..2_400 {
        if happened().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{description} did not happen within two minutes");
}

async fn security_log_sealer_runs_in_the_background_and_once_more_at_shutdown(database: Database) {
    let world = Arc::new(World::new(database).await);
    let (stop, stopped) = oneshot::channel::<()>();
    let clock = world.clone();
    let sealer = spawn_sealer(world.log.clone(), move || clock.now(), async {
        let _ = stopped.await;
    });
    world.happens().await;
    until("sealing", async || world.log.signed_head().await.unwrap().position == 2).await;
    world.happens().await;
    stop.send(()).unwrap();
    sealer.await.unwrap();
    assert_eq!(world.log.signed_head().await.unwrap().position, 3);
    assert_eq!(world.finds().await, []);
}

async fn security_log_sealer_survives_a_failing_database(database: Database) {
    let world = Arc::new(World::new(database).await);
    let (stop, stopped) = oneshot::channel::<()>();
    let clock = world.clone();
    world.database.run("ALTER TABLE log_chain RENAME TO away").await;
    let failing = LogSealer::new(world.log.clone()).seal_pending(world.now()).await;
    assert!(matches!(failing, Err(SecurityLogError::Store(_))), "{failing:?}");
    let sealer = spawn_sealer(world.log.clone(), move || clock.now(), async {
        let _ = stopped.await;
    });
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert!(!sealer.is_finished());
    world.happens().await;
    world.database.run("ALTER TABLE away RENAME TO log_chain").await;
    until("sealing", async || world.log.signed_head().await.unwrap().position == 2).await;
    stop.send(()).unwrap();
    sealer.await.unwrap();
    assert_eq!(world.finds().await, []);
}

async fn security_log_erasure_of_personal_data_keeps_the_chain_intact(database: Database) {
    let world = World::with_sealed_events(database, 5).await;
    let target = SecurityEventTarget { kind: "account", id: "nobody".into() };
    world
        .log
        .erase_personal_data(&target, SecurityEventActor::System, world.now(), &world.entropy)
        .await
        .unwrap();
    let rows = "SELECT count(*) FROM security_log WHERE salt IS NOT NULL AND address IS NOT NULL";
    assert_eq!(world.database.number(rows).await, 5);
    let ana = SecurityEventTarget { kind: "account", id: "ana".into() };
    world
        .log
        .erase_personal_data(&ana, SecurityEventActor::System, world.now(), &world.entropy)
        .await
        .unwrap();
    assert_eq!(world.database.number(rows).await, 0);
    assert_eq!(world.seal().await.unwrap(), 2);
    let (findings, verification) = world.verify().await;
    assert_eq!((findings, verification.tally.without_personal), (vec![], 5));
    let events = world.links().await;
    let last = events.last().unwrap().event.as_ref().unwrap();
    assert_eq!((last.kind.as_str(), last.subject_id.as_deref()), ("log.personal_erased", Some("ana")));
    // The origin can only be erased: other values are rejected.
    let id = world.database.bytes(events[2].event_id.as_bytes());
    let forge = format!("UPDATE security_log SET salt = id, address = 'x', user_agent = 'y' WHERE id = {id}");
    assert!(world.database.try_run(&forge).await.is_err());
    assert_eq!(world.finds().await, []);
    world.database.disarm().await;
    world.database.run(&forge).await;
    assert_eq!(world.finds().await, [LogDefect::PersonalDataChanged]);
}
