//! Another process locks the database: every response still comes within `database.answer_seconds`, however many
//! requests wait for the lock, and a refused request has no effect later.

use crate::harness::api_caller::ApiCaller;
use crate::harness::database::TestEngine;
use crate::harness::token_endpoint::{TokenClient, TokenFixture};
use crate::harness::world::World;
use serde_json::json;
use std::time::{Duration, Instant};
use tokio_postgres::NoTls;

/// The configured deadline in these stories.
const ANSWER_SECONDS: u64 = 4;
/// The longest time a response may take: the deadline and half of it for a busy machine. A request that waits a whole
/// deadline in the queue and another one for the lock takes longer.
const LONGEST: Duration = Duration::from_millis(ANSWER_SECONDS * 1_500);
/// How many requests are sent.
const REQUESTS: usize = 24;

/// A lock of another process, held until this is dropped.
enum ForeignLock {
    Sqlite(Box<rusqlite::Connection>),
    Postgres { client: Box<tokio_postgres::Client>, connection: tokio::task::JoinHandle<()> },
}

impl ForeignLock {
    /// Locks all writes. On PostgreSQL it also locks reads of these tables, if any are given.
    async fn taken(world: &World, on: TestEngine, unreadable: &str) -> Self {
        match on {
            TestEngine::Sqlite => {
                let path = world.database_url().strip_prefix("sqlite://").unwrap();
                let connection = rusqlite::Connection::open(path).unwrap();
                connection.busy_timeout(Duration::from_secs(30)).unwrap();
                connection.execute_batch("BEGIN IMMEDIATE").unwrap();
                Self::Sqlite(Box::new(connection))
            }
            TestEngine::Postgres => {
                let (client, connection) =
                    tokio_postgres::connect(world.database_url(), NoTls).await.unwrap();
                let connection = tokio::spawn(async move { connection.await.unwrap() });
                let tables = "SELECT string_agg(tablename, ', ') FROM pg_tables WHERE schemaname = 'public'";
                let tables: String = client.query_one(tables, &[]).await.unwrap().get(0);
                let lock = format!("BEGIN; LOCK TABLE {tables} IN EXCLUSIVE MODE; {unreadable}");
                client.batch_execute(&lock).await.unwrap();
                Self::Postgres { client: Box::new(client), connection }
            }
        }
    }

    async fn released(self) {
        match self {
            Self::Sqlite(connection) => connection.execute_batch("ROLLBACK").unwrap(),
            Self::Postgres { client, connection } => {
                client.batch_execute("ROLLBACK").await.unwrap();
                drop(client);
                connection.await.unwrap();
            }
        }
    }
}

struct Scene<'w> {
    operator: ApiCaller<'w>,
    books: TokenFixture<'w>,
    service: TokenClient<'w>,
}

async fn scene(world: &World) -> Scene<'_> {
    let (operator, books) = (world.create_operator().await, world.create_token_fixture().await);
    let service = books.create_service("clerk", "invoices:read").await;
    service.request_client_credentials(&[]).await.assert_granted();
    Scene { operator, books, service }
}

impl Scene<'_> {
    /// Sends a request that writes, of a different kind for each number, and returns its status and duration.
    async fn asks(&self, number: usize) -> (u16, Duration) {
        tokio::time::sleep(Duration::from_millis(150 * number as u64)).await;
        #[expect(clippy::disallowed_methods, reason = "how long an answer took is what is tested")]
        let started_at = Instant::now();
        let status = match number % 3 {
            0 => {
                let new_organization = json!({"slug": format!("held-{number}")});
                self.operator.post("/manage/organizations", new_organization).await.status
            }
            1 => self.service.request_client_credentials(&[]).await.status,
            _ => {
                let role = json!({"name": format!("held-{number}"), "permissions": []});
                self.books.owner.post(&self.books.tenant.path("/roles"), role).await.status
            }
        };
        (status, started_at.elapsed())
    }

    async fn all_ask(&self) -> Vec<(u16, Duration)> {
        let mut all: Vec<_> = (0..REQUESTS).map(|number| Box::pin(self.asks(number))).collect();
        let mut answers = Vec::new();
        std::future::poll_fn(|context| {
            all.retain_mut(|one| match one.as_mut().poll(context) {
                std::task::Poll::Ready(answer) => {
                    answers.push(answer);
                    false
                }
                std::task::Poll::Pending => true,
            });
            if all.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        })
        .await;
        answers
    }
}

async fn deadlines_hold_while_another_process_locks_the_database(on: TestEngine) {
    let seconds = ANSWER_SECONDS.to_string();
    let world = World::start_with_config(on, &[("SINETE_DATABASE_ANSWER_SECONDS", &seconds)]).await;
    {
        let scene = scene(&world).await;
        let lock = ForeignLock::taken(&world, on, "").await;
        let answers = scene.all_ask().await;
        let longest = answers.iter().map(|(_, took)| *took).max().unwrap();
        println!("the longest of {REQUESTS} answers under a foreign lock took {longest:?}");
        assert!(answers.iter().all(|(status, _)| *status == 503), "{answers:?}");
        assert!(longest < LONGEST, "{answers:?}");
        lock.released().await;
        // Nothing of it happened later, and the same requests succeed now.
        for number in (0..REQUESTS).step_by(3) {
            scene.operator.get(&format!("/manage/organizations/held-{number}")).await.assert_status(404);
        }
        assert!(scene.all_ask().await.iter().all(|(status, _)| matches!(status, 200 | 201)));
        // A request waits for a lock that is held briefly.
        let lock = ForeignLock::taken(&world, on, "").await;
        let patient = scene.operator.post("/manage/organizations", json!({"slug": "patient"}));
        let lock_hold = async {
            tokio::time::sleep(Duration::from_millis(ANSWER_SECONDS * 250)).await;
            lock.released().await;
        };
        tokio::join!(patient, lock_hold).0.assert_status(201);
    }
    world.stop().await;
}

mod sqlite {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn deadlines_hold_while_another_process_locks_the_database() {
        super::deadlines_hold_while_another_process_locks_the_database(TestEngine::Sqlite).await;
    }
}

mod postgres {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn deadlines_hold_while_another_process_locks_the_database() {
        super::deadlines_hold_while_another_process_locks_the_database(TestEngine::Postgres).await;
    }

    /// On SQLite, reads do not wait for writes.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn deadlines_of_reads_hold_while_another_process_locks_their_table() {
        let seconds = ANSWER_SECONDS.to_string();
        let world =
            World::start_with_config(TestEngine::Postgres, &[("SINETE_DATABASE_ANSWER_SECONDS", &seconds)])
                .await;
        {
            let scene = scene(&world).await;
            let unreadable = "LOCK TABLE organizations IN ACCESS EXCLUSIVE MODE";
            let lock = ForeignLock::taken(&world, TestEngine::Postgres, unreadable).await;
            let answers = scene.all_ask().await;
            assert!(answers.iter().all(|(status, _)| *status == 503), "{answers:?}");
            assert!(answers.iter().all(|(_, took)| *took < LONGEST), "{answers:?}");
            lock.released().await;
            assert!(scene.all_ask().await.iter().all(|(status, _)| matches!(status, 200 | 201)));
        }
        world.stop().await;
    }
}
