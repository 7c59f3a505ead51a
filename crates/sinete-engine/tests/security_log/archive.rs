//! Archived segments: what is cut is in a verified archive, the chain continues, and tampering with either is
//! detected.

use crate::both_engines;
use crate::database::Database;
use crate::fixture::World;
use crate::memory_archive::MemoryArchive;
use sinete_core::events::log_chain::{ArchiveDefect, LogChainAnchor, LogDefect};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_engine::events::security_log::{
    ArchivePolicy, ArchiveRun, ArchiveVerification, EventSelection, LogArchiver, LogExport, PersonalDataMode,
    RequestOriginRetention, SecurityLogError, VerificationProgress, verify_archive, verify_export,
};
use sinete_engine::ports::Clock;

both_engines!(
    log_archive_is_cut_and_the_chain_continues,
    log_archive_closes_segments_by_size_or_age_only,
    log_archive_keeps_what_the_retention_and_webhooks_need,
    log_archive_tampering_is_detected,
    log_archive_records_that_were_tampered_with_are_detected,
    log_archive_is_not_written_from_a_log_that_was_tampered_with
);

impl Clock for World {
    fn now(&self) -> Timestamp {
        Self::now(self)
    }
}

/// Segments of ten events; all that is sealed is archived, and cut after an hour.
pub fn policy() -> ArchivePolicy {
    ArchivePolicy {
        segment_events: 10,
        segment_age: Lifetime::from_seconds(0),
        retention: Some(Lifetime::from_hours(1)),
        origins: RequestOriginRetention::Archived,
    }
}

pub async fn archive_with(
    world: &World,
    storage: &MemoryArchive,
    policy: ArchivePolicy,
) -> Result<ArchiveRun, SecurityLogError> {
    let archiver = LogArchiver { log: &world.log, storage, policy, clock: world, entropy: &world.entropy };
    archiver.run(&mut |_| {}).await
}

pub async fn archive(world: &World, storage: &MemoryArchive) -> ArchiveRun {
    archive_with(world, storage, policy()).await.unwrap()
}

/// 41 sealed events in an archive of five segments, all of them cut but the head.
pub async fn archived(database: Database) -> (World, MemoryArchive) {
    let (world, storage) = (World::with_sealed_events(database, 40).await, MemoryArchive::new());
    world.wait(Lifetime::from_hours(2));
    let run = archive(&world, &storage).await;
    assert_eq!((run.segments, run.events, run.cut, run.erased), (4, 40, 40, 0));
    (world, storage)
}

/// What is wrong with the archive, according to the database and according to its files alone.
pub async fn finds(world: &World, storage: &MemoryArchive) -> (Vec<LogDefect>, Vec<LogDefect>) {
    let (findings, _) = verify_both(world, storage, &[]).await;
    let mut alone = Vec::new();
    let mut tell = |progress| {
        if let VerificationProgress::Finding(finding) = progress {
            alone.push(finding.defect);
        }
    };
    verify_archive(storage, None, &[], &mut tell).await.unwrap();
    (findings, alone)
}

pub async fn verify_both(
    world: &World,
    storage: &MemoryArchive,
    anchors: &[LogChainAnchor],
) -> (Vec<LogDefect>, ArchiveVerification) {
    let mut findings = Vec::new();
    let mut tell = |progress| {
        if let VerificationProgress::Finding(finding) = progress {
            findings.push(finding.defect);
        }
    };
    let verified = world.log.verify_archived_segments(storage, anchors, &mut tell).await.unwrap();
    assert_eq!(verified.findings, findings.len() as u64);
    (findings, verified)
}

pub async fn rows(world: &World) -> (i64, i64) {
    let events = world.database.number("SELECT count(*) FROM security_log").await;
    (events, world.database.number("SELECT count(*) FROM log_chain").await)
}

async fn log_archive_is_cut_and_the_chain_continues(database: Database) {
    let world = World::with_sealed_events(database, 40).await;
    let links = world.links().await;
    let storage = MemoryArchive::new();
    world.wait(Lifetime::from_hours(2));
    let run = archive(&world, &storage).await;
    assert_eq!((run.segments, run.cut), (4, 40));
    // The head stays, and four events say what was archived, four what was cut.
    assert_eq!(rows(&world).await, (9, 1));
    assert_eq!(world.seal().await.unwrap(), 8);
    world.happens().await;
    assert_eq!(world.seal().await.unwrap(), 1);
    let (findings, verification) = world.verify().await;
    assert_eq!((findings, verification.tally.links), (vec![], 10));
    let (findings, verified) = verify_both(&world, &storage, &[]).await;
    assert_eq!((findings, verified.segments, verified.last), (vec![], 4, 40));
    assert_eq!((verified.tally.links, verified.tally.without_personal), (40, 0));
    assert_eq!(finds(&world, &storage).await, (vec![], vec![]));
    // Heads recorded before are found: at the end of a segment by the database, elsewhere by the archive.
    let anchor = |position: usize| LogChainAnchor {
        position: links[position - 1].position,
        hash: links[position - 1].hash,
    };
    let (findings, verification) = world.verify_with(&[anchor(20), anchor(25)]).await;
    assert_eq!((findings, verification.tally.anchors), (vec![], 1));
    assert_eq!(verification.tally.anchors_out_of_reach, 1);
    let (findings, verified) = verify_both(&world, &storage, &[anchor(20), anchor(25)]).await;
    assert_eq!((findings, verified.tally.anchors), (vec![], 2));
    let wrong = LogChainAnchor { hash: anchor(3).hash, ..anchor(25) };
    let (findings, _) = verify_both(&world, &storage, &[wrong]).await;
    assert_eq!(findings, [LogDefect::AnchorDiffers(wrong)]);
    let wrong = LogChainAnchor { hash: anchor(3).hash, ..anchor(20) };
    assert_eq!(world.verify_with(&[wrong]).await.0, [LogDefect::AnchorDiffers(wrong)]);
    // An export begins after the cut.
    let export = LogExport {
        at: world.now(),
        selection: EventSelection::default(),
        personal: PersonalDataMode::Excluded,
    };
    let mut file = Vec::new();
    assert_eq!(world.log.export(&export, &mut file, &mut |_| {}).await.unwrap().events, 10);
    assert_eq!(verify_export(&mut &file[..], None, &[], &mut |_| {}).unwrap().findings, 0);
    // The next run continues where this one ended.
    world.wait(Lifetime::from_hours(2));
    let run = archive(&world, &storage).await;
    assert_eq!((run.segments, run.events, run.cut), (1, 9, 9));
    assert_eq!(finds(&world, &storage).await, (vec![], vec![]));
    assert_eq!(world.finds().await, []);
}

async fn log_archive_closes_segments_by_size_or_age_only(database: Database) {
    let (world, storage) = (World::with_sealed_events(database, 24).await, MemoryArchive::new());
    let patient = ArchivePolicy { segment_age: Lifetime::from_hours(1), retention: None, ..policy() };
    let run = archive_with(&world, &storage, patient.clone()).await.unwrap();
    assert_eq!((run.segments, run.events, run.cut), (2, 20, 0));
    let run = archive_with(&world, &storage, patient.clone()).await.unwrap();
    assert_eq!(run.segments, 0, "the rest is neither full nor old");
    world.wait(Lifetime::from_hours(1));
    let run = archive_with(&world, &storage, patient).await.unwrap();
    assert_eq!((run.segments, run.events), (1, 4));
    let names = storage.names("segments/");
    assert!(names[2].starts_with("segments/00000000000000000021-00000000000000000024-"), "{names:?}");
    assert_eq!(rows(&world).await, (28, 25), "nothing is cut without a retention");
    assert_eq!((world.finds().await, finds(&world, &storage).await), (vec![], (vec![], vec![])));
}

async fn log_archive_keeps_what_the_retention_and_webhooks_need(database: Database) {
    let (world, storage) = (World::with_sealed_events(database, 40).await, MemoryArchive::new());
    // The events are a minute apart: the oldest thirty are older than ten minutes.
    let retention = ArchivePolicy { retention: Some(Lifetime::from_minutes(10)), ..policy() };
    let hook = |position: i64, paused: &str| {
        format!(
            "INSERT INTO webhooks (id, address, description, sealed_secret, kinds, position, wanted_position, \
             next_attempt_at, created_at, paused_at) VALUES ('w{position}', 'https://a.example', '', 's', '[]', \
             {position}, 41, 0, 0, {paused}); UPDATE webhook_walk SET position = 41"
        )
    };
    world.database.run(&hook(15, "NULL")).await;
    let run = archive_with(&world, &storage, retention.clone()).await.unwrap();
    assert_eq!((run.segments, run.cut, run.is_blocked_by_webhooks), (4, 10, true));
    world.database.run("UPDATE webhooks SET position = wanted_position").await;
    world.database.run(&hook(12, "7")).await;
    let run = archive_with(&world, &storage, retention.clone()).await.unwrap();
    assert_eq!((run.cut, run.is_blocked_by_webhooks), (20, false), "a paused webhook does not delay the cut");
    let run = archive_with(&world, &storage, retention).await.unwrap();
    assert_eq!(run.cut, 0, "the rest is too new");
    assert_eq!(rows(&world).await.1, 11);
    assert_eq!((world.finds().await, finds(&world, &storage).await), (vec![], (vec![], vec![])));
}

async fn log_archive_tampering_is_detected(database: Database) {
    let (world, storage) = archived(database).await;
    let names = storage.names("segments/");
    let (name, file_content) = (&names[1], storage.read(&names[1]));
    let has = |findings: &[LogDefect], predicate: &dyn Fn(&ArchiveDefect) -> bool| {
        findings.iter().any(|defect| matches!(defect, LogDefect::Archive(defect) if predicate(defect)))
    };
    // Every part of a file counts, and what is left of it.
    for index in [0, 20, file_content.len() / 2, file_content.len() - 5] {
        let mut changed = file_content.clone();
        changed[index] ^= 1;
        storage.write(name, changed);
        let (database_findings, alone) = finds(&world, &storage).await;
        assert!(
            has(&database_findings, &|defect| matches!(defect, ArchiveDefect::FileAltered { .. })),
            "{database_findings:?}"
        );
        assert!(!alone.is_empty(), "{index}");
    }
    storage.write(name, file_content[..file_content.len() - 9].to_vec());
    assert!(!finds(&world, &storage).await.1.is_empty());
    storage.write(name, file_content.clone());
    assert_eq!(finds(&world, &storage).await, (vec![], vec![]));

    storage.delete(name);
    let (database_findings, alone) = finds(&world, &storage).await;
    assert!(
        database_findings.contains(&LogDefect::Archive(ArchiveDefect::FileMissing { file: name.clone() }))
    );
    assert!(database_findings.contains(&LogDefect::PositionsMissing { from: 11, to: 20 }));
    assert_eq!(alone, [LogDefect::PositionsMissing { from: 11, to: 20 }]);

    // Reordered: each of two segments under the name of the other.
    let other = storage.read(&names[2]);
    storage.write(name, other);
    storage.write(&names[2], file_content.clone());
    let (database_findings, alone) = finds(&world, &storage).await;
    for findings in [&database_findings, &alone] {
        assert!(
            has(findings, &|defect| matches!(defect, ArchiveDefect::FileMisplaced { .. })),
            "{findings:?}"
        );
    }

    // Another instance signs its segments validly, but not with this instance's key.
    let (foreign, theirs) = archived(Database::sqlite()).await;
    let foreign_file = theirs.read(&theirs.names("segments/")[1]);
    storage.write(name, foreign_file);
    let (database_findings, alone) = finds(&world, &storage).await;
    assert!(
        has(&database_findings, &|defect| matches!(defect, ArchiveDefect::FileKeyUnexpected { .. })),
        "{database_findings:?}"
    );
    assert!(!alone.is_empty());
    let key = foreign.log.signed_head().await.unwrap().kid;
    let mut wrong = 0;
    let mut tell = |progress| wrong += u64::from(matches!(progress, VerificationProgress::Finding(_)));
    let verified = verify_archive(&theirs, Some(&key), &[], &mut tell).await.unwrap();
    assert_eq!((verified.findings, verified.segments), (0, 4));
    let verified = verify_archive(&theirs, Some("another"), &[], &mut tell).await.unwrap();
    assert_eq!((verified.findings, wrong), (4, 4));
    assert_eq!(world.finds().await, [], "the database is intact");
}

async fn log_archive_records_that_were_tampered_with_are_detected(database: Database) {
    let (world, storage) = archived(database).await;
    let database = &world.database;
    database.disarm().await;
    let zeros = database.bytes(&[0; 32]);
    for table in ["log_segments", "log_checkpoint", "log_chain", "security_log"] {
        database.run(&format!("CREATE TABLE saved_{table} AS SELECT * FROM {table}")).await;
    }
    let forged = |defect: &LogDefect| matches!(defect, LogDefect::Archive(_));
    for change in [
        format!("UPDATE log_segments SET file_digest = {zeros} WHERE first_position = 11"),
        format!("UPDATE log_segments SET hash = {zeros} WHERE first_position = 11"),
        format!("UPDATE log_segments SET previous_hash = {zeros} WHERE first_position = 11"),
        "UPDATE log_segments SET last_position = 19 WHERE first_position = 11".to_owned(),
        "UPDATE log_segments SET kid = 'another' WHERE first_position = 11".to_owned(),
        "DELETE FROM log_segments WHERE first_position = 11".to_owned(),
        "DELETE FROM log_segments WHERE first_position = 31".to_owned(),
        "DELETE FROM log_segments".to_owned(),
        format!("UPDATE log_checkpoint SET hash = {zeros}"),
        "UPDATE log_checkpoint SET position = 30".to_owned(),
        "UPDATE log_checkpoint SET position = 41".to_owned(),
        "UPDATE log_checkpoint SET signature = ''".to_owned(),
    ] {
        database.run(&change).await;
        let findings = world.finds().await;
        assert!(findings.iter().any(forged), "{change}: {findings:?}");
        // Nothing is archived or cut while the records are wrong.
        let refused = archive_with(&world, &storage, policy()).await;
        assert!(matches!(refused, Err(SecurityLogError::Tampered(_))), "{change}: {refused:?}");
        for table in ["log_segments", "log_checkpoint"] {
            database
                .run(&format!("DELETE FROM {table}; INSERT INTO {table} SELECT * FROM saved_{table}"))
                .await;
        }
        assert_eq!(world.finds().await, [], "{change}");
    }
    database.run("DELETE FROM log_checkpoint").await;
    assert!(world.finds().await.contains(&LogDefect::PositionsMissing { from: 1, to: 40 }));
}

async fn log_archive_is_not_written_from_a_log_that_was_tampered_with(database: Database) {
    let (world, storage) = (World::with_sealed_events(database, 20).await, MemoryArchive::new());
    world.database.disarm().await;
    world.wait(Lifetime::from_hours(2));
    world.database.run("CREATE TABLE saved AS SELECT * FROM log_chain").await;
    // Hashes of the first segment that agree with each other, but not with what follows it.
    let mut hash =
        sinete_core::events::log_chain::LogChainHead::new_genesis(world.log.instance_id(), Timestamp::EPOCH)
            .hash;
    for link in world.links().await.iter().take(10) {
        let mut event = link.event.clone().unwrap();
        event.kind = "forged".into();
        hash = event.hash_after(hash);
        let (id, bytes) =
            (world.database.bytes(link.event_id.as_bytes()), world.database.bytes(hash.as_bytes()));
        world
            .database
            .run(&format!(
                "UPDATE security_log SET kind = 'forged' WHERE id = {id}; \
                 UPDATE log_chain SET hash = {bytes} WHERE event_id = {id}"
            ))
            .await;
    }
    let refused = archive_with(&world, &storage, policy()).await;
    assert!(matches!(refused, Err(SecurityLogError::Tampered(_))), "{refused:?}");
    assert_eq!(storage.names(""), Vec::<String>::new());
    assert_eq!(rows(&world).await, (21, 21));
}
