//! Follows docs/operate/restore-drill.md: runs the commands of the page as they are.

use crate::machine::{Ended, Machine, postgres_database, text_of};
use crate::restore::{furnished, postgres_programs};
use std::net::TcpListener;
use std::path::Path;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const PAGE: &str = "docs/operate/restore-drill.md";

/// The commands of a section of the page, in one script that stops at the first failure.
fn commands_of(section: &str) -> String {
    let page = text_of(&Path::new(REPOSITORY).join(PAGE));
    let (_, after) = page.split_once(&format!("\n## {section}\n")).expect("the section");
    let text = after.split("\n## ").next().unwrap();
    let mut script = "set -eu\n".to_owned();
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        match line {
            "```sh" => inside = true,
            "```" => inside = false,
            command if inside => script.push_str(&format!("{command}\n")),
            _ => {}
        }
    }
    script
}

fn free_port() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string()
}

/// A machine whose instance has a user and was used.
fn used_instance(database: Option<String>) -> Machine {
    let machine = Machine::new();
    let key = machine.run(&["keys", "instance-key"]).succeeded().out;
    let key = machine.private("instance.key", &key);
    let data = machine.path("sinete-data");
    // The page is followed in another folder, so that every path is absolute.
    let embedded = format!("sqlite://{}", data.join("sinete.db").display());
    let machine = machine
        .with("SINETE_BASE_URL", "http://localhost:8080")
        .with("SINETE_DATA_DIR", data.display().to_string())
        .with("SINETE_DATABASE_URL", database.unwrap_or(embedded))
        .with("SINETE_INSTANCE_KEY_FILE", key.display().to_string());
    furnished(&machine);
    machine.serve().stop().succeeded();
    machine
}

/// Runs a section of the page in the repository, as an operator would.
fn follow(machine: Machine, commands: &str) -> (Ended, Machine) {
    let backups = machine.path("backups");
    std::fs::create_dir_all(&backups).unwrap();
    let drill = machine.path("drill").display().to_string();
    let machine = machine
        .with("BACKUPS", backups.display().to_string())
        .with("DRILL", drill)
        .with("PORT", free_port())
        .with("ADMIN_PORT", free_port());
    let script = format!("cd {REPOSITORY}\n{commands}");
    let program = Path::new(env!("CARGO_BIN_EXE_sinete")).parent().unwrap();
    let path = format!("{}:{}:/usr/bin:/bin", program.display(), postgres_programs());
    (machine.script("/bin/sh", &["-c", &script], &path), machine)
}

#[track_caller]
fn assert_followed(ended: Ended) {
    let ended = ended.succeeded();
    assert!(ended.out.contains("0 findings") && ended.out.contains("head as noted"), "{ended:#?}");
    assert!(ended.out.contains("ana@example.com"), "the user is there: {ended:#?}");
}

#[test]
fn restore_drill_page_is_followed_on_sqlite() {
    let (ended, machine) = follow(used_instance(None), &commands_of("SQLite"));
    assert_followed(ended);
    assert!(machine.path("backups/drill.db").exists() && !machine.path("drill").exists());
    // The instance itself was not touched.
    machine.serve().stop().succeeded();
}

#[test]
fn restore_drill_page_is_followed_on_postgres() {
    let machine = used_instance(Some(postgres_database())).with("RESTORED", postgres_database());
    let (ended, machine) = follow(machine, &commands_of("PostgreSQL"));
    assert_followed(ended);
    machine.serve().stop().succeeded();
}

#[test]
fn restore_drill_stops_at_a_damaged_backup() {
    let commands = commands_of("SQLite");
    assert!(commands.contains("\nsinete restore"), "{commands}");
    let damage = "printf damaged | dd of=\"$backups/drill.db\" bs=1 seek=8192 conv=notrunc 2>/dev/null";
    let commands = commands.replace("\nsinete restore", &format!("\n{damage}\nsinete restore"));
    let (ended, machine) = follow(used_instance(None), &commands);
    let ended = ended.ended_with(4);
    assert!(!ended.out.contains("0 findings"), "{ended:#?}");
    assert!(!machine.path("drill/data/sinete.db").exists(), "nothing was restored");
}
