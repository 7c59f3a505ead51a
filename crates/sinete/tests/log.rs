//! Tests of `sinete log`: output and exit codes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "log/archive.rs"]
mod archive;

use rusqlite::Connection;
use sinete_core::events::log_chain::{LogChainHash, LogChainHead, LoggedEvent};
use sinete_core::id::{EventId, InstanceId, OrganizationId, RequestId};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::time::Timestamp;
use sinete_crypto::platform::signing_keys::SigningKey;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use tempfile::TempDir;

/// A development instance that has served, and its output.
struct Served {
    folder: TempDir,
    head: String,
}

/// A server, killed on drop.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The exit code and output of a command.
#[derive(Debug)]
struct Ended {
    code: i32,
    out: String,
    err: String,
}

static SERVED: LazyLock<Served> = LazyLock::new(serve_once);

fn sinete(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sinete"));
    command.args(arguments).current_dir(folder.path()).env_clear();
    command.env("SINETE_LISTEN", "127.0.0.1:0").env("SINETE_ADMIN_LISTEN", "127.0.0.1:0");
    command
}

fn run(folder: &TempDir, arguments: &[&str]) -> Ended {
    let output = sinete(folder, arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ended { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

/// Starts a server and waits until it is ready.
fn start(folder: &TempDir) -> Server {
    let server = sinete(folder, &["serve"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut server = Server(server.unwrap());
    let (out, err) = (server.0.stdout.take().unwrap(), server.0.stderr.take().unwrap());
    let (tell, receiver) = std::sync::mpsc::channel();
    for output in [Box::new(out) as Box<dyn std::io::Read + Send>, Box::new(err)] {
        let tell = tell.clone();
        // Read continuously, so that the server never blocks on output.
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let _ = tell.send(line);
            }
        });
    }
    drop(tell);
    let ready = receiver.iter().take(200).any(|line| line.contains("ready"));
    assert!(ready, "the server did not say that it is ready");
    server
}

fn stop(mut server: Server) {
    let status = Command::new("kill").arg(server.0.id().to_string()).status().unwrap();
    assert!(status.success() && server.0.wait().unwrap().success());
}

fn serve_once() -> Served {
    // Shared by all tests and never dropped, so it is in the build's temporary folder.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let server = start(&folder);
    let ended = run(&folder, &["log", "verify"]);
    assert_eq!((ended.code, ended.err.as_str()), (0, ""), "{ended:?}");
    for algorithm in ["EdDSA", "ES256", "RS256"] {
        let rotated = run(&folder, &["keys", "rotate", "--algorithm", algorithm]);
        assert_eq!(rotated.code, 0, "{rotated:?}");
    }
    let head = run(&folder, &["log", "head"]);
    assert_eq!(head.code, 0, "{head:?}");
    stop(server);
    Served { folder, head: head.out }
}

impl Served {
    /// A copy of the instance, for tampering.
    fn copy(&self) -> TempDir {
        let copy = tempfile::tempdir().unwrap();
        let data = copy.path().join("sinete-data");
        std::fs::create_dir(&data).unwrap();
        for file in std::fs::read_dir(self.folder.path().join("sinete-data")).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), data.join(file.file_name())).unwrap();
        }
        copy
    }
}

/// The database without its protective triggers.
fn disarmed(folder: &TempDir) -> Connection {
    let connection = Connection::open(folder.path().join("sinete-data/sinete.db")).unwrap();
    let mut triggers = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").unwrap();
    let names: Vec<String> = triggers.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    for name in names {
        connection.execute_batch(&format!("DROP TRIGGER {name}")).unwrap();
    }
    drop(triggers);
    connection
}

/// Verifies the log after executing this SQL.
fn verify_after(sql: &str) -> Ended {
    let copy = SERVED.copy();
    disarmed(&copy).execute_batch(sql).unwrap();
    run(&copy, &["log", "verify"])
}

fn assert_found(ended: &Ended, says: &str) {
    assert_eq!(ended.code, 4, "{ended:?}");
    assert!(ended.out.lines().any(|line| line.contains(says)), "{says}: {ended:?}");
    assert!(ended.out.lines().last().unwrap().contains("head at position"), "{ended:?}");
}

#[test]
fn log_verify_accepts_an_intact_log_and_a_noted_head() {
    // A verification records itself, so it is made in a copy.
    let copy = SERVED.copy();
    let verified = run(&copy, &["log", "verify"]);
    assert_eq!((verified.code, verified.err.as_str()), (0, ""));
    assert!(verified.out.starts_with("0 findings in "), "{verified:?}");
    assert_eq!(verified.out.lines().count(), 1);
    std::fs::write(copy.path().join("noted.json"), &SERVED.head).unwrap();
    let verified = run(&copy, &["log", "verify", "--head", "noted.json"]);
    assert_eq!(verified.code, 0);
    assert!(verified.out.contains("1 head as noted"), "{verified:?}");
    let head: serde_json::Value = serde_json::from_str(&SERVED.head).unwrap();
    let other = format!("{}:{}", head["position"], "0".repeat(64));
    let verified = run(&copy, &["log", "verify", "--head", &other]);
    assert_found(&verified, "the log was rewritten");
    let beyond = format!("99999:{}", "0".repeat(64));
    let verified = run(&copy, &["log", "verify", "--head", &beyond]);
    assert_found(&verified, "shortened or rolled back");
}

#[test]
fn log_verify_records_its_time_and_findings() {
    let copy = SERVED.copy();
    let recorded = || {
        let database = Connection::open(copy.path().join("sinete-data/sinete.db")).unwrap();
        let row = "SELECT findings, head_position, events FROM log_verification";
        let read = |row: &rusqlite::Row<'_>| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?, row.get::<_, i64>(2)?))
        };
        database.query_row(row, [], read).ok()
    };
    // Other commands that read the log do not count.
    assert_eq!(run(&copy, &["log", "head"]).code, 0);
    let before = recorded();
    assert_eq!(run(&copy, &["log", "verify"]).code, 0);
    let Some((0, Some(position), events)) = recorded() else { panic!("{:?}", recorded()) };
    assert!(position == events && recorded() != before, "{position} {events}");
    let ended = run(&copy, &["doctor"]);
    assert!(ended.out.contains(&format!("verified up to position {position}")), "{ended:?}");
    let change =
        "UPDATE security_log SET at = at + 1 WHERE id = (SELECT event_id FROM log_chain WHERE position = 3)";
    disarmed(&copy).execute_batch(change).unwrap();
    assert_eq!(run(&copy, &["log", "verify"]).code, 4);
    assert_eq!(recorded(), Some((1, Some(position), events)));
    let ended = run(&copy, &["doctor"]);
    assert!(ended.out.contains("had 1 finding\n"), "{ended:?}");
}

#[test]
fn log_verify_detects_a_changed_byte() {
    let id = "(SELECT event_id FROM log_chain WHERE position = 3)";
    for change in ["at = at + 1", "kind = 'X' || substr(kind, 2)", "detail = replace(detail, '{', ' ')"] {
        let ended = verify_after(&format!("UPDATE security_log SET {change} WHERE id = {id}"));
        assert_found(&ended, "position 3, event ");
    }
}

#[test]
fn log_verify_detects_a_deleted_middle_row() {
    let row = "DELETE FROM security_log WHERE id = (SELECT event_id FROM log_chain WHERE position = 3)";
    assert_found(&verify_after(row), "position 3, event ");
    let both = format!("{row}; DELETE FROM log_chain WHERE position = 3");
    assert_found(&verify_after(&both), "position 3 was deleted from the chain");
}

#[test]
fn log_verify_detects_a_deleted_tail() {
    let ended = verify_after(
        "DELETE FROM security_log WHERE id IN (SELECT event_id FROM log_chain WHERE position > 4); \
         DELETE FROM log_chain WHERE position > 4",
    );
    assert_found(&ended, "position 4: the chain ends here");
}

#[test]
fn log_verify_detects_two_swapped_rows() {
    let ended = verify_after(
        "UPDATE log_chain SET position = -3 WHERE position = 3; \
         UPDATE log_chain SET position = 3 WHERE position = 4; \
         UPDATE log_chain SET position = 4 WHERE position = -3",
    );
    assert_found(&ended, "position 3, event ");
    assert_found(&ended, "position 4, event ");
}

#[test]
fn log_verify_detects_a_recomputed_chain() {
    let copy = SERVED.copy();
    let database = disarmed(&copy);
    let instance: [u8; 16] =
        database.query_row("SELECT instance_id FROM instance", [], |row| row.get(0)).unwrap();
    let instance = InstanceId::from_bytes(instance);
    database
        .execute_batch(
            "UPDATE security_log SET subject_id = 'eve' \
             WHERE id = (SELECT event_id FROM log_chain WHERE position = 2)",
        )
        .unwrap();
    let mut head = LogChainHead::new_genesis(instance, Timestamp::from_seconds(1_800_000_000));
    for event in stored_events(&database) {
        head.position += 1;
        head.hash = event.hash_after(head.hash);
        let params = (head.hash.as_bytes(), head.position);
        assert_eq!(database.execute("UPDATE log_chain SET hash = ?1 WHERE position = ?2", params), Ok(1));
    }
    let signature =
        SigningKey::generate(SigningAlgorithm::EdDsa).unwrap().sign(&head.signed_bytes(instance)).unwrap();
    let forged = (head.hash.as_bytes(), head.sealed_at.micros(), signature);
    let replaced =
        database.execute("UPDATE log_head SET hash = ?1, sealed_at = ?2, signature = ?3", forged).unwrap();
    assert_eq!(replaced, 1);
    let ended = run(&copy, &["log", "verify"]);
    assert_found(&ended, "not by this instance's log key");
    // There is no other finding.
    assert!(ended.out.contains("1 finding in "), "{ended:?}");
    // The tampered log is neither exported nor shown as genuine.
    for command in ["head", "export"] {
        let refused = run(&copy, &["log", command]);
        assert_eq!((refused.code, refused.out.as_str()), (4, ""));
        assert!(refused.err.contains("tampered with"), "{refused:?}");
    }
}

/// The events in chain order, column by column.
fn stored_events(database: &Connection) -> Vec<LoggedEvent> {
    let mut statement = database
        .prepare(
            "SELECT e.id, e.at, e.kind, e.actor_kind, e.actor_id, e.subject_kind, e.subject_id, e.client_id, \
             e.detail, e.personal_hash, e.organization_id, e.request_id \
             FROM log_chain c JOIN security_log e ON e.id = c.event_id ORDER BY c.position",
        )
        .unwrap();
    let events = statement.query_map([], |row| {
        let text = |column| row.get::<_, Option<String>>(column).map(|text| text.map(Into::into));
        Ok(LoggedEvent {
            id: EventId::from_bytes(row.get(0)?),
            at: Timestamp::from_micros(row.get(1)?),
            kind: row.get::<_, String>(2)?.into(),
            actor_kind: row.get::<_, String>(3)?.into(),
            actor_id: text(4)?,
            subject_kind: text(5)?,
            subject_id: text(6)?,
            organization: row.get::<_, Option<[u8; 16]>>(10)?.map(OrganizationId::from_bytes),
            client: text(7)?,
            request: row.get::<_, Option<[u8; 16]>>(11)?.map(RequestId::from_bytes),
            detail: row.get::<_, String>(8)?.into(),
            personal_hash: row.get::<_, Option<[u8; 32]>>(9)?.map(LogChainHash::from_bytes),
        })
    });
    events.unwrap().map(Result::unwrap).collect()
}

#[test]
fn log_export_is_never_overwritten_and_is_verified_without_the_instance() {
    let copy = SERVED.copy();
    let elsewhere = tempfile::tempdir().unwrap();
    let file: PathBuf = elsewhere.path().join("log.jsonl");
    let path = file.to_str().unwrap();
    let ended = run(&copy, &["log", "export", "--output", path]);
    assert_eq!((ended.code, ended.err.as_str()), (0, ""), "{ended:?}");
    let second_export = run(&copy, &["log", "export", "--output", path]);
    assert_eq!(second_export.code, 2);
    assert!(second_export.err.contains("is there already"), "{second_export:?}");
    // The output is the same on standard output, except for the time.
    let printed = run(&copy, &["log", "export"]);
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(printed.out.lines().count(), text.lines().count());
    let head: serde_json::Value = serde_json::from_str(&SERVED.head).unwrap();
    let kid = head["kid"].as_str().unwrap();
    let verified = run(&elsewhere, &["log", "verify", "--export", path, "--key", kid]);
    assert_eq!((verified.code, verified.err.as_str()), (0, ""), "{verified:?}");
    let other = run(&elsewhere, &["log", "verify", "--export", path, "--key", "another"]);
    assert_eq!(other.code, 4, "{other:?}");
    std::fs::write(&file, text.replacen("system", "Eve---", 1)).unwrap();
    let altered = run(&elsewhere, &["log", "verify", "--export", path]);
    assert_eq!(altered.code, 4, "{altered:?}");
    assert!(altered.out.contains("the signature of the export is wrong"), "{altered:?}");
    std::fs::write(&file, "something else").unwrap();
    let nothing = run(&elsewhere, &["log", "verify", "--export", path]);
    assert_eq!((nothing.code, nothing.err.lines().count()), (1, 1), "{nothing:?}");
}

#[test]
fn log_export_with_personal_data_is_recorded_and_filters_apply() {
    let copy = SERVED.copy();
    let server = start(&copy);
    assert_eq!(run(&copy, &["log", "export", "--with-personal"]).code, 0);
    stop(server);
    let recorded = run(&copy, &["log", "export", "--kind", "log.exported"]);
    let lines: Vec<_> = recorded.out.lines().collect();
    assert_eq!((recorded.code, lines.len()), (0, 3), "{recorded:?}");
    assert!(lines[1].contains(r#""with_personal":true"#), "{recorded:?}");
    let none = run(&copy, &["log", "export", "--since", "2999-01-01T00:00:00Z"]);
    assert_eq!((none.code, none.out.lines().count()), (0, 2));
    for wrong in [
        ["log", "export", "--kind", "no.such"],
        ["log", "export", "--since", "yesterday"],
        ["log", "export", "--organization", "acme"],
        ["log", "export", "--after", "99999"],
        ["log", "verify", "--head", "nowhere"],
        ["log", "verify", "--key", "without-an-export"],
    ] {
        let refused = run(&copy, &wrong);
        assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{wrong:?}: {refused:?}");
        assert_eq!(refused.err.lines().count(), 1, "{refused:?}");
    }
}

#[test]
fn log_verify_distinguishes_an_unreadable_log_from_a_tampered_one() {
    let empty = tempfile::tempdir().unwrap();
    let nothing = run(&empty, &["log", "verify"]);
    assert_eq!((nothing.code, nothing.err.lines().count()), (1, 1), "{nothing:?}");
    assert_eq!(std::fs::read_dir(empty.path()).unwrap().count(), 0);
    let copy = SERVED.copy();
    let key = run(&copy, &["keys", "instance-key"]).out;
    let mut command = sinete(&copy, &["log", "verify"]);
    let other = command.env("SINETE_INSTANCE_KEY", key.trim()).output().unwrap();
    assert_eq!(other.status.code(), Some(1), "{other:?}");
    assert!(String::from_utf8(other.stderr).unwrap().contains("instance key"));
}
