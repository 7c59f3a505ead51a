//! A full disk and an unreachable database: reads continue, writes are refused with `Retry-After`, and no restart is
//! needed.

mod deadlines;

use crate::harness::database::{TestEngine, superuser_url};
use crate::harness::world::World;
use serde_json::json;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tokio_postgres::NoTls;

/// Asserts that a write is refused with `Retry-After`.
async fn assert_retry_after(world: &World, operator: &crate::harness::api_caller::ApiCaller<'_>, slug: &str) {
    let refused = operator.post("/manage/organizations", json!({"slug": slug})).await;
    let refused = refused.assert_problem(503, "temporarily_unavailable");
    assert!(refused.headers.contains_key("retry-after"), "{refused:?}");
    assert_eq!(world.get("/.well-known/jwks.json").await.status(), 200);
    assert_eq!(world.get("/healthz").await.status(), 200);
}

/// A small file system in memory. Creating one needs root.
struct SmallDisk {
    folder: tempfile::TempDir,
}

impl SmallDisk {
    fn mount() -> Option<Self> {
        let folder = tempfile::TempDir::new().unwrap();
        let mount = ["-t", "tmpfs", "-o", "size=8m", "tmpfs"];
        let mounted = Command::new("mount").args(mount).arg(folder.path()).status();
        mounted.is_ok_and(|status| status.success()).then_some(Self { folder })
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Fills the disk.
    fn fill(&self) {
        let filler = std::fs::File::create(self.path().join("filler")).unwrap();
        while std::io::Write::write_all(&mut &filler, &[0; 4096]).is_ok() {}
    }

    fn make_room(&self) {
        std::fs::remove_file(self.path().join("filler")).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_disk_keeps_reads_and_refuses_writes_until_there_is_space() {
    let Some(disk) = SmallDisk::mount() else {
        assert!(!is_root(), "root must be able to mount a file system in memory");
        return eprintln!("not root: only the tests of the store cover a full disk");
    };
    let url = format!("sqlite://{}", disk.path().join("sinete.db").display());
    let world = World::start_with_config(TestEngine::Sqlite, &[("SINETE_DATABASE_URL", &url)]).await;
    let operator = world.create_operator().await;
    disk.fill();
    // The database's log may have some space left in what is already allocated.
    for attempt in 0.. {
        let response =
            operator.post("/manage/organizations", json!({"slug": format!("filler-{attempt}")})).await;
        if response.status != 201 {
            break;
        }
    }
    assert_retry_after(&world, &operator, "no-room").await;
    operator.get("/manage/organizations/operator").await.assert_status(200);
    is_not_ready(&world, "the disk of the database is full").await;
    disk.make_room();
    assert_eq!(world.http.get(world.admin_url("/readyz")).send().await.unwrap().status(), 200);
    operator.post("/manage/organizations", json!({"slug": "room-again"})).await.assert_status(201);
    operator.get("/manage/organizations/no-room").await.assert_status(404);
    world.stop().await;
}

/// Asserts that readiness reports why writes fail.
async fn is_not_ready(world: &World, reason: &str) {
    let answer = world.http.get(world.admin_url("/readyz")).send().await.unwrap();
    assert_eq!(answer.status(), 503);
    let problem: serde_json::Value = answer.json().await.unwrap();
    assert_eq!(
        problem["detail"],
        format!("The node is not ready: {reason}. Send requests to another node, or try again in a moment.")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn node_is_not_ready_after_a_write_found_no_space() {
    let world = World::start_with_config(TestEngine::Postgres, &[]).await;
    let operator = world.create_operator().await;
    let ready = async || world.http.get(world.admin_url("/readyz")).send().await.unwrap().status().as_u16();
    let (other, connection) = tokio_postgres::connect(world.database_url(), NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    other.batch_execute(NO_ROOM).await.unwrap();
    // A row is still changed in place, and no write was refused so far.
    assert_eq!(ready().await, 200);
    assert_retry_after(&world, &operator, "no-room").await;
    for _ in 0..2 {
        is_not_ready(&world, "the disk of the database is full").await;
    }
    other
        .batch_execute("DROP TRIGGER no_room ON organizations; DROP TRIGGER no_room ON idempotency_keys")
        .await
        .unwrap();
    assert_eq!(ready().await, 200);
    operator.post("/manage/organizations", json!({"slug": "room-again"})).await.assert_status(201);
    operator.get("/manage/organizations/no-room").await.assert_status(404);
    drop(other);
    connection.await.unwrap().unwrap();
    world.stop().await;
}

/// PostgreSQL's error of a full disk for every row that is added to these tables, while rows can be changed.
const NO_ROOM: &str = "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'no space left on device' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER no_room BEFORE INSERT ON organizations FOR EACH ROW EXECUTE FUNCTION no_room();
    CREATE TRIGGER no_room BEFORE INSERT ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION no_room();";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn node_is_not_ready_while_the_database_is_locked() {
    let timeout_config = [("SINETE_DATABASE_ANSWER_SECONDS", "1")];
    let ready = async |world: &World| {
        world.http.get(world.admin_url("/readyz")).send().await.unwrap().status().as_u16()
    };

    let world = World::start_with_config(TestEngine::Sqlite, &timeout_config).await;
    assert_eq!(ready(&world).await, 200);
    let file = world.database_url().strip_prefix("sqlite://").unwrap();
    let other = rusqlite::Connection::open(file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    is_not_ready(&world, "another process holds the database").await;
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(ready(&world).await, 200);
    world.stop().await;

    let world = World::start_with_config(TestEngine::Postgres, &timeout_config).await;
    assert_eq!(ready(&world).await, 200);
    let (other, connection) = tokio_postgres::connect(world.database_url(), NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    other.batch_execute("BEGIN; LOCK TABLE write_check IN EXCLUSIVE MODE").await.unwrap();
    is_not_ready(&world, "another process holds the database").await;
    other.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(ready(&world).await, 200);
    drop(other);
    connection.await.unwrap().unwrap();
    world.stop().await;
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    id.stdout.starts_with(b"0")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn database_outage_is_answered_with_retry_after() {
    let world =
        World::start_with_config(TestEngine::Postgres, &[("SINETE_DATABASE_ANSWER_SECONDS", "2")]).await;
    let operator = world.create_operator().await;
    let name = world.database_url().rsplit_once('/').unwrap().1.to_owned();
    let (outside, connection) = tokio_postgres::connect(&superuser_url(), NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    let away = format!(
        "ALTER DATABASE {name} ALLOW_CONNECTIONS false; \
         SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
    );
    outside.batch_execute(&away).await.unwrap();
    assert_retry_after(&world, &operator, "nobody-home").await;
    assert_eq!(world.http.get(world.admin_url("/readyz")).send().await.unwrap().status(), 503);
    outside.batch_execute(&format!("ALTER DATABASE {name} ALLOW_CONNECTIONS true")).await.unwrap();
    let mut ready = false;
    for _ in 0..1_200 {
        ready = world.http.get(world.admin_url("/readyz")).send().await.unwrap().status() == 200;
        if ready {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(ready, "the node is ready again by itself");
    operator.post("/manage/organizations", json!({"slug": "home-again"})).await.assert_status(201);
    drop(outside);
    connection.await.unwrap().unwrap();
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn database_answer_timeout_is_configurable() {
    for (seconds, status) in [("3", 503), ("120", 201)] {
        let timeout_config = [("SINETE_DATABASE_ANSWER_SECONDS", seconds)];
        let world = World::start_with_config(TestEngine::Postgres, &timeout_config).await;
        let operator = world.create_operator().await;
        let (other, connection) = tokio_postgres::connect(world.database_url(), NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        other.batch_execute("BEGIN; LOCK TABLE organizations IN EXCLUSIVE MODE").await.unwrap();
        let pending_request = operator.post("/manage/organizations", json!({"slug": "acme"}));
        let lock_hold = async {
            // Longer than the shorter of the two timeouts.
            tokio::time::sleep(Duration::from_secs(4)).await;
            other.batch_execute("ROLLBACK").await.unwrap();
        };
        let (response, ()) = tokio::join!(pending_request, lock_hold);
        assert_eq!(response.status, status, "{seconds} seconds: {}", response.text);
        operator.post("/manage/organizations", json!({"slug": "globex"})).await.assert_status(201);
        drop(other);
        connection.await.unwrap().unwrap();
        world.stop().await;
    }
}
