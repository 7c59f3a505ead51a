//! Tests of `sinete log archive` and `sinete log verify --archive`, with a folder and with a bucket.

use super::{Connection, Ended, SERVED, TempDir, run, sinete, start, stop};
use sinete_crypto::platform::sigv4::{SigV4Credentials, SigV4Request, sha256_hex};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

fn database(folder: &TempDir) -> Connection {
    Connection::open(folder.path().join("sinete-data/sinete.db")).unwrap()
}

fn files(folder: &TempDir, kind: &str) -> Vec<PathBuf> {
    let read = std::fs::read_dir(folder.path().join("archive").join(kind));
    let mut files: Vec<_> =
        read.map(|read| read.map(|file| file.unwrap().path()).collect()).unwrap_or_default();
    files.sort();
    files
}

/// Lets all archived events appear old.
fn age_segments(folder: &TempDir) {
    let sql = "DROP TRIGGER log_segments_no_update; UPDATE log_segments SET last_at = 0";
    database(folder).execute_batch(sql).unwrap();
}

fn assert_clean(ended: &Ended) {
    assert_eq!((ended.code, ended.err.as_str()), (0, ""), "{ended:?}");
    assert!(ended.out.lines().all(|line| line.contains("0 findings in ")), "{ended:?}");
}

#[test]
fn log_archive_is_cut_verified_and_continued_by_a_server() {
    let copy = SERVED.copy();
    let verify = ["log", "verify", "--archive", "archive"];
    let archived = run(&copy, &["log", "archive", "--to", "archive", "--all"]);
    assert_eq!((archived.code, archived.err.as_str()), (0, ""), "{archived:?}");
    assert!(archived.out.starts_with("archived 1 segment with "), "{archived:?}");
    assert!(archived.out.ends_with("removed 0 events from the database\n"), "{archived:?}");
    assert_eq!((files(&copy, "segments").len(), files(&copy, "origins").len()), (1, 0));
    assert_clean(&run(&copy, &verify));
    age_segments(&copy);
    let cut = run(&copy, &["log", "archive", "--to", "archive", "--retention", "1h"]);
    assert!(cut.out.starts_with("archived 0 segments with 0 events"), "{cut:?}");
    assert!(!cut.out.contains("removed 0 events"), "{cut:?}");
    let event_count: i64 =
        database(&copy).query_row("SELECT count(*) FROM log_chain", [], |row| row.get(0)).unwrap();
    assert_eq!(event_count, 1, "the head stays");
    assert_clean(&run(&copy, &verify));
    assert_clean(&run(&copy, &["log", "verify"]));
    stop(start(&copy));
    let verified = run(&copy, &verify);
    assert_clean(&verified);
    assert_eq!(verified.out.lines().count(), 2);
    // A head that was noted before the cut is compared where it is.
    std::fs::write(copy.path().join("noted.json"), &SERVED.head).unwrap();
    let alone = run(&copy, &["log", "verify", "--head", "noted.json"]);
    let both = run(&copy, &["log", "verify", "--archive", "archive", "--head", "noted.json"]);
    assert_clean(&both);
    assert!(alone.code == 0 || alone.err.contains("check them with --archive"), "{alone:?}");
    // A compact backup has the rest, and is as valid.
    let backup = run(&copy, &["backup", "--compact", "--output", "small.db"]);
    assert_eq!((backup.code, backup.err.as_str()), (0, ""), "{backup:?}");
    let second_run = run(&copy, &["log", "archive", "--to", "archive", "--all"]);
    assert!(second_run.out.starts_with("archived 1 segment with "), "{second_run:?}");
    assert_clean(&run(&copy, &verify));
}

#[test]
fn backup_can_leave_archived_events_out_and_is_restored_beside_the_archive() {
    let copy = SERVED.copy();
    let missing = run(&copy, &["backup", "--without-archived", "--output", "none.db"]);
    assert_eq!((missing.code, missing.err.lines().count()), (2, 1), "{missing:?}");
    assert_eq!(run(&copy, &["backup", "--archive", "archive", "--output", "none.db"]).code, 2);
    assert_eq!(run(&copy, &["log", "archive", "--to", "archive", "--all"]).code, 0);
    let events = |path: &str| -> i64 {
        let file = Connection::open(copy.path().join(path)).unwrap();
        file.query_row("SELECT count(*) FROM log_chain", [], |row| row.get(0)).unwrap()
    };
    let before = events("sinete-data/sinete.db");
    let command = ["backup", "--without-archived", "--archive", "archive", "--output", "small.db"];
    // A file that was changed is no archive, and the backup is not written.
    let file = files(&copy, "segments").remove(0);
    let segment = std::fs::read(&file).unwrap();
    let mut changed = segment.clone();
    changed[segment.len() / 2] ^= 1;
    std::fs::write(&file, changed).unwrap();
    let refused = run(&copy, &command);
    assert_eq!((refused.code, refused.out.as_str()), (4, ""), "{refused:?}");
    assert!(!copy.path().join("small.db").exists());
    std::fs::write(&file, segment).unwrap();
    let backup = run(&copy, &command);
    assert_eq!((backup.code, backup.err.as_str()), (0, ""), "{backup:?}");
    assert_eq!((events("small.db"), events("sinete-data/sinete.db")), (1, before), "the head stays");
    assert!(files(&copy, "origins").is_empty(), "the database has them");
    let restored = run(&copy, &["restore", "small.db", "--replace"]);
    assert_eq!(restored.code, 0, "{restored:?}");
    assert_eq!(events("sinete-data/sinete.db"), 1);
    assert_clean(&run(&copy, &["log", "verify", "--archive", "archive"]));
    stop(start(&copy));
    assert_clean(&run(&copy, &["log", "verify", "--archive", "archive"]));
    let file_names: Vec<_> =
        std::fs::read_dir(copy.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert!(!file_names.iter().any(|name| name.to_string_lossy().contains(".part")), "{file_names:?}");
}

#[test]
fn log_archive_that_was_tampered_with_is_found_with_and_without_the_database() {
    let copy = SERVED.copy();
    assert_eq!(run(&copy, &["log", "archive", "--to", "archive", "--all"]).code, 0);
    let head: serde_json::Value = serde_json::from_str(&SERVED.head).unwrap();
    let kid = head["kid"].as_str().unwrap();
    let (with_database, alone) =
        (["log", "verify", "--archive", "archive"], ["log", "verify", "--archive", "archive", "--key", kid]);
    assert_clean(&run(&copy, &alone));
    let other = run(&copy, &["log", "verify", "--archive", "archive", "--key", "another"]);
    assert_eq!(other.code, 4, "{other:?}");
    let file = files(&copy, "segments").remove(0);
    let segment = std::fs::read(&file).unwrap();
    let mut changed = segment.clone();
    changed[segment.len() / 2] ^= 1;
    std::fs::write(&file, changed).unwrap();
    for command in [&with_database[..], &alone[..]] {
        assert_eq!(run(&copy, command).code, 4);
    }
    // Nothing is removed from the database while the archive is wrong.
    age_segments(&copy);
    let refused = run(&copy, &["log", "archive", "--to", "archive", "--retention", "1h"]);
    assert_eq!((refused.code, refused.out.as_str()), (4, ""), "{refused:?}");
    std::fs::remove_file(&file).unwrap();
    let missing = run(&copy, &with_database);
    assert_eq!(missing.code, 4);
    assert!(missing.out.contains("the archive has no file segments/"), "{missing:?}");
    std::fs::write(&file, segment).unwrap();
    assert_clean(&run(&copy, &with_database));
    for wrong in [
        &["log", "archive"][..],
        &["log", "archive", "--to", "archive", "--retention", "5m"],
        &["log", "archive", "--to", "archive", "--retention", "0h"],
        &["log", "archive", "--to", "s3://bucket"],
        &["log", "archive", "--to", "ftp://bucket"],
        &["log", "verify", "--archive", "archive", "--export", "file"],
    ] {
        let refused = run(&copy, wrong);
        assert_eq!((refused.code, refused.err.lines().count()), (2, 1), "{wrong:?}: {refused:?}");
    }
}

/// An object store that holds one bucket in memory and checks signatures.
struct ObjectStore {
    address: SocketAddr,
    objects: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
}

const ACCESS_KEY: &str = "sinete-test";
const SECRET_KEY: &str = "a secret of the object store";

impl ObjectStore {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let objects: Arc<Mutex<BTreeMap<String, Vec<u8>>>> = Arc::default();
        let shared = Arc::clone(&objects);
        std::thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                let _ = answer(connection, &shared);
            }
        });
        Self { address, objects }
    }
}

fn answer(connection: TcpStream, objects: &Mutex<BTreeMap<String, Vec<u8>>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(connection);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut split_whitespace = first.split_whitespace();
    let (method, target) =
        (split_whitespace.next().unwrap_or(""), split_whitespace.next().unwrap_or("").to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let (hash, date) = (&headers["x-amz-content-sha256"], &headers["x-amz-date"]);
    let credentials =
        SigV4Credentials { access_key: ACCESS_KEY, secret_key: SECRET_KEY, region: "eu-test-1" };
    let expected = credentials.authorize(&SigV4Request {
        method,
        path,
        query,
        headers: &[("host", &headers["host"]), ("x-amz-content-sha256", hash), ("x-amz-date", date)],
        body_sha256: hash,
        date,
    });
    let is_signed = headers["authorization"] == expected && *hash == sha256_hex(&body);
    let mut objects = objects.lock().unwrap();
    let (status, content) = match (method, path.strip_prefix("/audit")) {
        _ if !is_signed => (403, Vec::new()),
        (_, None) => (404, Vec::new()),
        ("PUT", Some(name)) => {
            objects.insert(name.to_owned(), body);
            (200, Vec::new())
        }
        ("GET", Some("")) => {
            // The name of one object at a time, with a token for the next.
            let value = |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(name)).unwrap_or("");
            let (prefix, after) = (value("prefix=").replace("%2F", "/"), value("continuation-token="));
            let mut names = objects.keys().map(|name| &name[1..]).filter(|name| name.starts_with(&prefix));
            let skipped: usize = after.parse().unwrap_or(0);
            let (name, has_more) = (names.by_ref().nth(skipped), names.next().is_some());
            let key = name.map(|name| format!("<Contents><Key>{name}</Key></Contents>")).unwrap_or_default();
            let token = format!("<NextContinuationToken>{}</NextContinuationToken>", skipped + 1);
            (
                200,
                format!("<ListBucketResult>{key}{}</ListBucketResult>", if has_more { &token } else { "" })
                    .into(),
            )
        }
        ("GET", Some(name)) => objects.get(name).map_or((404, Vec::new()), |object| (200, object.clone())),
        ("DELETE", Some(name)) => {
            objects.remove(name);
            (204, Vec::new())
        }
        _ => (405, Vec::new()),
    };
    let connection = reader.get_mut();
    write!(
        connection,
        "HTTP/1.1 {status} Answer\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        content.len()
    )?;
    connection.write_all(&content)
}

#[test]
fn log_archive_in_a_bucket_is_verified_and_wrong_credentials_are_refused() {
    let (copy, store) = (SERVED.copy(), ObjectStore::start());
    let with = |secret: &str, arguments: &[&str]| {
        let output = sinete(&copy, arguments)
            .env("SINETE_LOG_S3_ENDPOINT", format!("http://{}", store.address))
            .env("SINETE_LOG_S3_REGION", "eu-test-1")
            .env("SINETE_LOG_S3_ACCESS_KEY", ACCESS_KEY)
            .env("SINETE_LOG_S3_SECRET_KEY", secret)
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ended { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
    };
    let archive_url = "s3://audit/sinete";
    let refused = with("another", &["log", "archive", "--to", archive_url, "--all"]);
    assert_eq!((refused.code, refused.out.as_str()), (1, ""), "{refused:?}");
    assert!(refused.err.contains("the object store answered 403"), "{refused:?}");
    let archived = with(SECRET_KEY, &["log", "archive", "--to", archive_url, "--all"]);
    assert_eq!((archived.code, archived.err.as_str()), (0, ""), "{archived:?}");
    age_segments(&copy);
    stop(start(&copy));
    let cut = with(SECRET_KEY, &["log", "archive", "--to", archive_url, "--all", "--retention", "1h"]);
    assert!(cut.out.starts_with("archived 1 segment with "), "{cut:?}");
    assert!(!cut.out.contains("removed 0 events"), "{cut:?}");
    assert_eq!(store.objects.lock().unwrap().keys().filter(|name| name.contains("/segments/")).count(), 2);
    let verify = ["log", "verify", "--archive", archive_url];
    assert_clean(&with(SECRET_KEY, &verify));
    let mut objects = store.objects.lock().unwrap();
    let object = objects.values_mut().next().unwrap();
    let middle = object.len() / 2;
    object[middle] ^= 1;
    drop(objects);
    assert_eq!(with(SECRET_KEY, &verify).code, 4);
}
