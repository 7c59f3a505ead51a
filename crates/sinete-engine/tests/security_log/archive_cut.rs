//! Cutting archived segments: what the database refuses, and interrupted, concurrent and erasing processes.

use crate::archive::{archive, archive_with, archived, finds, policy, rows, verify_both};
use crate::both_engines;
use crate::database::Database;
use crate::fixture::{ORGANIZATION, World, verify};
use crate::memory_archive::MemoryArchive;
use sinete_core::events::log_chain::LogDefect;
use sinete_core::events::security_event::{SecurityEventActor, SecurityEventTarget};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_engine::events::security_log::{ArchivePolicy, SecurityLog, SecurityLogError};
use sinete_store::events::audit_log::{
    AuditLogOrder, AuditLogQuery, NewAuditEntry, append_audit_entry, list_audit_entries,
};
use sinete_store::events::log_archive;
use sinete_store::{JsonDocument, StoreAccess, WriteBatch};

both_engines!(
    log_cut_without_a_verified_archive_is_refused_by_the_database,
    log_cut_is_refused_if_the_archived_file_changed,
    log_archive_interrupted_after_any_write_is_continued,
    log_archive_by_two_processes_at_once_is_done_once,
    log_archive_personal_data_is_erased_on_request,
    audit_log_stays_searchable_after_its_events_were_cut,
    log_verify_beside_a_cut_has_no_findings
);

async fn log_cut_without_a_verified_archive_is_refused_by_the_database(database: Database) {
    let (world, storage) = (World::with_sealed_events(database, 24).await, MemoryArchive::new());
    let record = |first: i64, last: i64| {
        format!(
            "INSERT INTO log_segments (first_position, last_position, previous_hash, hash, last_at, file_name, \
             file_bytes, file_digest, archived_at, kid, signature) VALUES ({first}, {last}, 'p', 'h', 1, 'f', 1, \
             'd', 1, 'k', 's')"
        )
    };
    let cut = |position: i64| {
        format!(
            "INSERT INTO log_checkpoint (id, position, hash, cut_at, kid, signature) VALUES (1, {position}, 'h', 1, \
             'k', 's')"
        )
    };
    let event = |position: i64| {
        format!(
            "DELETE FROM security_log WHERE id IN (SELECT event_id FROM log_chain WHERE position = {position})"
        )
    };
    let delete_position = |position: i64| format!("DELETE FROM log_chain WHERE position = {position}");
    let refused = async |sql: &str| {
        let error_message = world.database.try_run(sql).await.expect_err(sql);
        assert!(
            error_message.contains("append-only") || error_message.contains("log_checkpoint"),
            "{sql}: {error_message}"
        );
    };
    // Neither a checkpoint without a segment, nor segments with a gap or with the head.
    for sql in [event(3), delete_position(3), cut(3), record(2, 9), record(1, 25)] {
        refused(&sql).await;
    }
    let run = archive_with(&world, &storage, ArchivePolicy { retention: None, ..policy() }).await.unwrap();
    assert_eq!(run.segments, 3);
    // Archived, but not cut by policy.
    for sql in [event(3), delete_position(3), cut(25), record(1, 9), record(25, 25)] {
        refused(&sql).await;
    }
    world.wait(Lifetime::from_hours(2));
    let policy = ArchivePolicy {
        retention: Some(Lifetime::from_hours(2).plus(Lifetime::from_minutes(14))),
        ..policy()
    };
    assert_eq!(archive_with(&world, &storage, policy).await.unwrap().cut, 10);
    for sql in [
        event(11),
        event(25),
        delete_position(11),
        delete_position(25),
        "UPDATE log_checkpoint SET position = 9".to_owned(),
        "UPDATE log_checkpoint SET position = 10".to_owned(),
        "UPDATE log_checkpoint SET position = 26".to_owned(),
        "DELETE FROM log_checkpoint".to_owned(),
        "UPDATE log_segments SET last_position = 99".to_owned(),
        "DELETE FROM log_segments".to_owned(),
        "DELETE FROM security_log".to_owned(),
        "DELETE FROM log_chain".to_owned(),
    ] {
        refused(&sql).await;
    }
    if let Database::Postgres { .. } = world.database {
        for table in ["log_segments", "log_checkpoint", "security_log", "log_chain"] {
            refused(&format!("TRUNCATE {table}")).await;
        }
    }
    assert_eq!((world.finds().await, finds(&world, &storage).await), (vec![], (vec![], vec![])));
}

async fn log_cut_is_refused_if_the_archived_file_changed(database: Database) {
    let (world, storage) = (World::with_sealed_events(database, 20).await, MemoryArchive::new());
    archive_with(&world, &storage, ArchivePolicy { retention: None, ..policy() }).await.unwrap();
    world.wait(Lifetime::from_hours(2));
    let before = rows(&world).await;
    let name = storage.names("segments/").remove(0);
    let file_content = storage.read(&name);
    let mut changed = file_content.clone();
    changed[file_content.len() / 2] ^= 4;
    storage.write(&name, changed);
    for _ in 0..2 {
        let refused = archive_with(&world, &storage, policy()).await;
        assert!(matches!(refused, Err(SecurityLogError::Tampered(_))), "{refused:?}");
        assert_eq!(rows(&world).await.1, before.1);
        storage.write(&name, file_content.clone());
        storage.delete(&name);
    }
    storage.write(&name, file_content);
    assert_eq!(archive(&world, &storage).await.cut, 20);
}

async fn log_archive_interrupted_after_any_write_is_continued(database: Database) {
    let (world, storage) = (World::with_sealed_events(database, 40).await, MemoryArchive::new());
    world.wait(Lifetime::from_hours(2));
    // Four segments and then four files with origins: the process ends after one of them was written, and the
    // next one continues. A file with origins is written again, because nothing was cut yet.
    for writes in [0, 0, 0, 0, 0, 1, 1, 1] {
        storage.fail_after(writes);
        let ended = archive_with(&world, &storage, policy()).await;
        assert!(matches!(ended, Err(SecurityLogError::Archive(_))), "{ended:?}");
        storage.fail_after(-1);
        assert_eq!(world.finds().await, []);
        let (database_findings, alone) = finds(&world, &storage).await;
        assert_eq!((database_findings, alone), (vec![], vec![]));
    }
    storage.fail_after(-1);
    archive(&world, &storage).await;
    assert_eq!(rows(&world).await.1, 1);
    // What an interrupted run wrote was used: there is one file for each segment.
    assert_eq!(storage.names("segments/").len(), 4);
    assert_eq!((world.finds().await, finds(&world, &storage).await), (vec![], (vec![], vec![])));
}

async fn log_archive_by_two_processes_at_once_is_done_once(database: Database) {
    let (world, storage) = (World::with_sealed_events(database, 60).await, MemoryArchive::new());
    world.wait(Lifetime::from_hours(2));
    let racers: Vec<_> = (0..4).map(|_| archive_with(&world, &storage, policy())).collect();
    let mut racers = racers.into_iter();
    let mut next = || racers.next().unwrap();
    let (a, b, c, d) = tokio::join!(next(), next(), next(), next());
    let mut cut = 0;
    for ended in [a, b, c, d] {
        match ended {
            Ok(run) => cut += run.cut,
            Err(SecurityLogError::ArchiveClaimed { until }) => assert!(until > Timestamp::EPOCH),
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!(cut, 60);
    assert_eq!(storage.names("segments/").len(), 6);
    assert_eq!((world.finds().await, finds(&world, &storage).await), (vec![], (vec![], vec![])));
    // A process that lost its claim changes nothing; when it has expired, another one continues.
    world.seal().await.unwrap();
    let later = world.now().plus(Lifetime::from_minutes(9)).micros();
    world.database.run(&format!("UPDATE log_archiver SET claimed_until = {later}")).await;
    let refused = archive_with(&world, &storage, policy()).await;
    assert!(matches!(refused, Err(SecurityLogError::ArchiveClaimed { .. })), "{refused:?}");
    world.wait(Lifetime::from_minutes(10));
    assert_eq!(archive(&world, &storage).await.segments, 2);
}

async fn log_archive_personal_data_is_erased_on_request(database: Database) {
    let (world, storage) = archived(database).await;
    assert_eq!(storage.names("origins/").len(), 4);
    let plain = |name: &str| {
        let mut text = String::new();
        let bytes = storage.read(name);
        std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&bytes[..]), &mut text).unwrap();
        text
    };
    let contains = |text: &str| storage.names("").iter().any(|name| plain(name).contains(text));
    assert!(contains("2001:db8::7") && contains("curl/8"));
    assert!(!storage.names("segments/").iter().any(|name| plain(name).contains("2001:db8::7")));
    let erase = async |account_id: &str| {
        let target = SecurityEventTarget { kind: "account", id: account_id.into() };
        let erased =
            world.log.erase_personal_data(&target, SecurityEventActor::System, world.now(), &world.entropy);
        erased.await.unwrap();
        archive(&world, &storage).await.erased
    };
    assert_eq!(erase("nobody").await, 0);
    assert!(contains("2001:db8::7"));
    // An altered origin is found, an erased one is not missed.
    let (name, file_content) =
        (storage.names("origins/").remove(0), storage.read(&storage.names("origins/")[0]));
    let altered = plain(&name).replacen("2001:db8::7", "2001:db8::8", 1);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut packed, altered.as_bytes()).unwrap();
    storage.write(&name, packed.finish().unwrap());
    assert_eq!(verify_both(&world, &storage, &[]).await.0, [LogDefect::PersonalDataChanged]);
    storage.write(&name, file_content);
    assert_eq!(erase("ana").await, 39, "every event but that of the key has an origin");
    assert!(!contains("2001:db8::7") && !contains("curl/8"));
    let (findings, verified) = verify_both(&world, &storage, &[]).await;
    assert_eq!((findings, verified.tally.without_personal), (vec![], 39));
    let pending_erasures = log_archive::list_requested_erasures(&world.store).await.unwrap();
    assert_eq!(pending_erasures, Vec::<String>::new());
    assert_eq!(world.finds().await, []);
}

async fn audit_log_stays_searchable_after_its_events_were_cut(database: Database) {
    let (world, storage) = (World::new(database).await, MemoryArchive::new());
    let detail = JsonDocument::from_value(&serde_json::json!({})).unwrap();
    for _ in 0..20 {
        let event = world.happens().await;
        let entry = NewAuditEntry {
            id: event.id,
            organization: ORGANIZATION,
            at: event.at,
            kind: "credential.failed",
            actor_kind: "client",
            actor_id: Some("shop"),
            subject: None,
            reason: "",
            detail: &detail,
        };
        let batch = WriteBatch::new().with_statement(append_audit_entry(&entry));
        world.store.commit(batch).await.unwrap().into_result().unwrap();
    }
    world.seal().await.unwrap();
    let half = world.now().minus(Lifetime::from_minutes(10));
    world.wait(Lifetime::from_hours(2));
    assert_eq!(archive(&world, &storage).await.cut, 20);
    assert_eq!(world.links().await.len(), 1, "the events are in the archive only");
    let everything = AuditLogQuery {
        organization: ORGANIZATION,
        order: AuditLogOrder::OldestFirst,
        after: None,
        since: None,
        until: None,
        actor: None,
        kind: None,
        subject: None,
        address: None,
        with_sign_ins: true,
        limit: 100,
    };
    for (query, expected) in [
        (everything, 20),
        (AuditLogQuery { actor: Some("shop"), kind: Some("credential.failed"), ..everything }, 20),
        (AuditLogQuery { until: Some(half), ..everything }, 9),
        (AuditLogQuery { actor: Some("other"), ..everything }, 0),
    ] {
        let log_entries = list_audit_entries(&world.store, &query).await.unwrap();
        assert_eq!(log_entries.len(), expected, "{query:?}");
    }
}

async fn log_verify_beside_a_cut_has_no_findings(database: Database) {
    let (world, storage) = (World::with_sealed_events(database, 3000).await, MemoryArchive::new());
    world.wait(Lifetime::from_hours(2));
    let store = crate::fixture::open(&world.database, StoreAccess::AlongsideServer).await;
    let log = SecurityLog::open(&store, &world.keys, world.now());
    let log = log.await.unwrap();
    let large = ArchivePolicy { segment_events: 1000, ..policy() };
    let cutting = async { archive_with(&world, &storage, large).await.unwrap() };
    let checking = async {
        for _ in 0..6 {
            assert_eq!(verify(&log, &[], world.now()).await.0, []);
        }
    };
    let (run, ()) = tokio::join!(cutting, checking);
    assert_eq!(run.cut, 3000);
    assert_eq!((world.finds().await, finds(&world, &storage).await), (vec![], (vec![], vec![])));
}
