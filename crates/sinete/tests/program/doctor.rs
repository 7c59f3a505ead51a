//! Tests that `doctor` and `serve` share one examination: what keeps `serve` from starting, `doctor` reports.

use crate::machine::{Machine, postgres_database};

const GENERATED: &str = "sinete-data/instance.key";

/// A machine on which a development instance has run.
fn used(machine: Machine) -> Machine {
    machine.serve().stop().succeeded();
    assert!(machine.path(GENERATED).exists());
    machine
}

#[test]
fn instance_key_that_is_lost_is_reported_by_doctor_and_serve_and_not_replaced() {
    for machine in [Machine::new(), Machine::new().with("SINETE_DATABASE_URL", postgres_database())] {
        let machine = used(machine);
        let (key, away) = (machine.path(GENERATED), machine.path("kept.key"));
        assert!(machine.run(&["doctor"]).succeeded().out.contains("Fine for development"));
        std::fs::rename(&key, &away).unwrap();
        let doctor_run = machine.run(&["doctor"]).ended_with(2);
        assert!(doctor_run.out.contains("this database was used with one"), "{doctor_run:?}");
        for command in [&["serve"][..], &["keys", "list"], &["keys", "generate"], &["export"]] {
            let ended = machine.run(command).ended_with(3).saying("this database was used with one");
            assert!(!key.exists(), "{command:?} left a key behind: {ended:?}");
        }
        // Restored, everything works again.
        std::fs::rename(&away, &key).unwrap();
        assert!(machine.run(&["doctor"]).succeeded().out.contains("Fine for development"));
        machine.serve().stop().succeeded();
    }
}

#[test]
fn instance_key_that_is_wrong_is_reported_by_doctor_and_serve() {
    let machine = used(Machine::new());
    let another = machine.run(&["keys", "instance-key"]).succeeded().out;
    machine.private(GENERATED, &another);
    let ended = machine.run(&["doctor"]).ended_with(2);
    assert!(ended.out.contains("not the one this database was used with"), "{ended:?}");
    machine.run(&["serve"]).ended_with(3);
}

#[test]
fn empty_database_file_is_reported_as_damage_by_doctor_and_serve() {
    let machine = used(Machine::new());
    let file = machine.path("sinete-data/sinete.db");
    std::fs::write(&file, b"").unwrap();
    let ended = machine.run(&["doctor"]).ended_with(2);
    assert!(ended.out.contains("sinete.db is empty"), "{ended:?}");
    for command in [&["serve"][..], &["migrate"], &["keys", "list"]] {
        machine.run(command).ended_with(4).saying("sinete.db is empty");
        assert_eq!(std::fs::metadata(&file).unwrap().len(), 0, "{command:?}");
    }
}

#[test]
fn locked_database_is_reported_by_doctor_and_serve() {
    let machine = used(Machine::new()).with("SINETE_DATABASE_ANSWER_SECONDS", "1");
    let other = rusqlite::Connection::open(machine.path("sinete-data/sinete.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let ended = machine.run(&["doctor"]).ended_with(2);
    assert!(ended.out.contains("another process holds the database"), "{ended:?}");
    machine.run(&["serve"]).ended_with(1).saying("in use by another process");
    other.execute_batch("ROLLBACK").unwrap();
    // A running server does not disturb the check.
    let server = machine.serve();
    assert!(machine.run(&["doctor"]).succeeded().out.contains("Fine for development"));
    server.stop().succeeded();
}

#[test]
fn full_disk_is_reported_by_doctor_and_serve() {
    let Some(disk) = SmallDisk::mount() else { return eprintln!("not root: nothing can be mounted") };
    let url = format!("sqlite://{}", disk.0.path().join("sinete.db").display());
    let machine = used(Machine::new().with("SINETE_DATABASE_URL", url));
    disk.fill();
    let ended = machine.run(&["doctor"]).ended_with(2);
    assert!(ended.out.contains("the disk of the database is full"), "{ended:?}");
    machine.run(&["serve"]).ended_with(1).saying("disk of the database is full");
    disk.make_room();
    machine.run(&["doctor"]).succeeded();
}

/// A small in-memory file system. Requires root.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut mount = std::process::Command::new("mount");
        let mounted = mount.args(["-t", "tmpfs", "-o", "size=16m", "tmpfs"]).arg(folder.path()).status();
        mounted.is_ok_and(|status| status.success()).then_some(Self(folder))
    }

    fn fill(&self) {
        let filler = std::fs::File::create(self.0.path().join("filler")).unwrap();
        while std::io::Write::write_all(&mut &filler, &[0; 4096]).is_ok() {}
    }

    fn make_room(&self) {
        std::fs::remove_file(self.0.path().join("filler")).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}
