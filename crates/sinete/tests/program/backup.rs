//! Tests of backups: made during writes, rejected when damaged, restored completely.

use crate::machine::{Machine, postgres_database, text_of};
use sinete_core::entropy::Entropy as _;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_store::{DatabaseAddress, Store, StoreAccess, StoreOptions, WriteBatch};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

/// Writes to the database beside the server until stopped, and counts acknowledged writes.
pub struct Load {
    stop: Arc<AtomicBool>,
    acknowledged: Arc<AtomicU64>,
    runtime: tokio::runtime::Runtime,
    writers: Vec<tokio::task::JoinHandle<()>>,
}

impl Load {
    pub fn on(database: &Path) -> Self {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let (stop, acknowledged) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let address = DatabaseAddress::Sqlite(database.to_owned());
        let store = runtime
            .block_on(Store::open(&address, &StoreOptions::new(StoreAccess::AlongsideServer)))
            .unwrap();
        let writers = (0..4).map(|_| {
            let (store, stop, acknowledged) = (store.clone(), stop.clone(), acknowledged.clone());
            runtime.spawn(async move {
                while !stop.load(SeqCst) {
                    let now = sinete::os::SystemClock.now();
                    let event = SecurityEvent::new(
                        EventKind::CredentialFailed,
                        SecurityEventActor::System,
                        now,
                        &sinete::os::OsEntropy,
                    );
                    // The server writes too, so a write that waited too long is retried.
                    let result = store.commit(WriteBatch::new().with_event(&event)).await;
                    if result.is_ok_and(|outcome| outcome.is_committed()) {
                        acknowledged.fetch_add(1, SeqCst);
                    }
                }
            })
        });
        let writers = writers.collect();
        Self { stop, acknowledged, runtime, writers }
    }

    pub fn so_far(&self) -> u64 {
        self.acknowledged.load(SeqCst)
    }

    pub fn end(self) -> u64 {
        self.stop.store(true, SeqCst);
        for writer in self.writers {
            self.runtime.block_on(writer).unwrap();
        }
        self.acknowledged.load(SeqCst)
    }
}

fn events(database: &Path) -> u64 {
    let database = rusqlite::Connection::open(database).unwrap();
    let count = "SELECT count(*) FROM security_log WHERE kind = 'credential.failed'";
    database.query_row(count, [], |row| row.get::<_, i64>(0)).unwrap().unsigned_abs()
}

#[test]
fn backup_taken_under_load_holds_every_acknowledged_write_and_restores_completely() {
    let machine = Machine::new();
    let server = machine.serve();
    let load = Load::on(&machine.path("sinete-data/sinete.db"));
    crate::machine::eventually("something is written", || load.so_far() > 50);
    let mut before = 0;
    for round in 0..5 {
        before = load.so_far();
        let output = format!("backup-{round}.db");
        let output_text = machine.run(&["backup", "--output", &output]).succeeded().out;
        assert!(output_text.contains("checked"), "{output_text}");
    }
    let all = load.end();
    assert!(all > before, "nothing was written meanwhile");

    machine.run(&["restore", "backup-4.db"]).ended_with(3).saying("--replace").in_one_line();
    machine.run(&["restore", "--replace", "backup-4.db"]).ended_with(3).saying("in use").in_one_line();
    assert_eq!(server.get(server.public, "/healthz").0, 200);
    server.stop().succeeded();
    assert_eq!(events(&machine.path("sinete-data/sinete.db")), all);

    let output_text = machine.run(&["restore", "--replace", "backup-4.db"]).succeeded().out;
    let restored = events(&machine.path("sinete-data/sinete.db"));
    assert!((before..=all).contains(&restored), "{before} {restored} {all}");
    let aside = output_text.split("previous database is ").nth(1).unwrap().trim_end().trim_end_matches('.');
    assert_eq!(events(&machine.path(aside)), all, "the previous database is kept");
    machine.serve().stop().succeeded();
    let log = machine.run(&["log", "export", "--kind", "backup.restored"]).succeeded().out;
    assert!(log.contains("\"backup.restored\""), "{log}");
    assert!(machine.run(&["log", "verify"]).succeeded().out.starts_with("0 findings"));
}

#[test]
fn backup_damaged_truncated_or_swapped_is_refused_and_nothing_is_changed() {
    let machine = Machine::new();
    machine.serve().stop().succeeded();
    machine.run(&["backup", "--output", "b.db"]).succeeded();
    let (backup_bytes, manifest) =
        (std::fs::read(machine.path("b.db")).unwrap(), text_of(&machine.path("b.db.manifest.json")));
    let live = std::fs::read(machine.path("sinete-data/sinete.db")).unwrap();
    let restore = || machine.run(&["restore", "--replace", "b.db"]);
    let mut index_bytes = [0; 2];
    sinete::os::OsEntropy.fill(&mut index_bytes);
    let index = usize::from(u16::from_be_bytes(index_bytes)) % backup_bytes.len();
    let mut changed = backup_bytes.clone();
    changed[index] ^= 1;
    std::fs::write(machine.path("b.db"), changed).unwrap();
    restore().ended_with(4).saying("its checksum does not match").in_one_line();
    std::fs::write(machine.path("b.db"), &backup_bytes[..backup_bytes.len() - 1]).unwrap();
    restore().ended_with(4).saying("b.db is damaged").in_one_line();
    std::fs::write(machine.path("b.db"), &backup_bytes).unwrap();
    let migrations = |count: usize| format!("\"schema_migrations\": {count}");
    let migration_count = sinete_store::migrate::MIGRATIONS.len();
    machine.private(
        "b.db.manifest.json",
        &manifest.replace(&migrations(migration_count), &migrations(migration_count + 1)),
    );
    restore().ended_with(4).saying("its content does not match its manifest").in_one_line();
    std::fs::remove_file(machine.path("b.db.manifest.json")).unwrap();
    restore().ended_with(4).saying("its manifest").in_one_line();
    machine.run(&["restore", "absent.db"]).ended_with(2).saying("there is no backup at absent.db");
    assert_eq!(std::fs::read(machine.path("sinete-data/sinete.db")).unwrap(), live);
    let leftover_files: Vec<_> = std::fs::read_dir(machine.path("sinete-data"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("part") || name.contains("replaced"))
        .collect();
    assert_eq!(leftover_files, Vec::<String>::new());
}

#[test]
fn backup_with_a_tampered_log_is_not_restored() {
    let machine = Machine::new();
    machine.serve().stop().succeeded();
    let database = rusqlite::Connection::open(machine.path("sinete-data/sinete.db")).unwrap();
    database
        .execute_batch("DROP TRIGGER security_log_no_update; DROP TRIGGER security_log_only_erased")
        .unwrap();
    database
        .execute("UPDATE security_log SET actor_id = 'somebody' WHERE kind = 'server.started'", [])
        .unwrap();
    drop(database);
    machine.run(&["backup", "--output", "b.db"]).ended_with(4).saying("the security log was tampered with");
    machine.run(&["restore", "--replace", "b.db"]).ended_with(4).saying("nothing was restored");
}

#[test]
fn backup_never_overwrites_an_existing_file() {
    let machine = Machine::new();
    machine.run(&["backup"]).ended_with(2).saying("there is no database at").in_one_line();
    machine.serve().stop().succeeded();
    machine.private("mine.db", "mine");
    machine.run(&["backup", "--output", "mine.db"]).ended_with(2).saying("is there already").in_one_line();
    assert_eq!(text_of(&machine.path("mine.db")), "mine");
}

#[test]
fn backup_is_restored_on_an_empty_machine() {
    let machine = Machine::new();
    machine.serve().stop().succeeded();
    machine.run(&["backup", "--output", "b.db"]).succeeded();
    let elsewhere = Machine::new();
    for name in ["b.db", "b.db.manifest.json"] {
        std::fs::copy(machine.path(name), elsewhere.path(name)).unwrap();
    }
    elsewhere.run(&["restore", "b.db"]).succeeded().saying("no instance key is configured");
    elsewhere
        .run(&["serve"])
        .ended_with(3)
        .saying("there is no instance key, and this database was used with one");
    elsewhere.private("sinete-data/instance.key", &text_of(&machine.path("sinete-data/instance.key")));
    elsewhere.serve().stop().succeeded();
}

#[test]
fn backup_on_postgres_prints_the_pg_dump_command() {
    let database = postgres_database().replace("postgres@", "postgres:hunter2@");
    let machine = Machine::new().with("SINETE_DATABASE_URL", database);
    let error_output = machine.run(&["backup"]).ended_with(2).saying("pg_dump --format=custom").err;
    assert!(
        error_output.contains("postgres://postgres@") && !error_output.contains("hunter2"),
        "{error_output}"
    );
    machine.private("b.db", "");
    machine.run(&["restore", "b.db"]).ended_with(2).saying("pg_restore");
}
