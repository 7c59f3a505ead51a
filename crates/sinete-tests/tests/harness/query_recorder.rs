//! Counts the work of a request: password hashes and SQL statements.

use super::world::World;
use std::sync::{Arc, Mutex};

/// The statements that are counted: those that requests cause. Background tasks, such as sealing the log, rotating keys
/// and delivering webhooks, run at any time and are left out. An event is counted, because background tasks rarely
/// record one.
const COUNTED_STATEMENTS: [&str; 14] = [
    "accounts.",
    "attempt_counters.",
    "contacts.",
    "credentials.",
    "devices.",
    "flows.",
    "identities.",
    "magic_links.",
    "memberships.",
    "one_time_codes.",
    "outbox.put",
    "recovery_codes.",
    "security_log.append",
    "sessions.",
];

/// The SQL statements that the server ran since they were last read.
#[derive(Clone)]
pub struct QueryRecorder(Arc<Mutex<Vec<&'static str>>>);

/// The work that one request took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestWork {
    pub hashes: u64,
    /// The statements in order.
    pub statements: Vec<&'static str>,
}

impl World {
    /// Starts recording.
    pub fn record_queries(&self) -> QueryRecorder {
        let query_recorder = QueryRecorder(Arc::default());
        let recorded_statements = Arc::clone(&query_recorder.0);
        self.server.engine().store().set_query_observer(move |statement| {
            if COUNTED_STATEMENTS.iter().any(|family| statement.starts_with(family)) {
                recorded_statements.lock().unwrap().push(statement);
            }
        });
        query_recorder
    }
}

impl QueryRecorder {
    /// Runs something and returns its result together with the work it took.
    pub async fn measure<T>(&self, world: &World, operation: impl Future<Output = T>) -> (T, RequestWork) {
        let before = world.server.engine().password_hash_count();
        self.0.lock().unwrap().clear();
        let answer = operation.await;
        let statements = std::mem::take(&mut *self.0.lock().unwrap());
        (answer, RequestWork { hashes: world.server.engine().password_hash_count() - before, statements })
    }
}
