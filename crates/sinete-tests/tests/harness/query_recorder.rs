//! What a server does for a request, as far as it can be counted: hashes, and what is asked of the database.

use super::world::World;
use std::sync::{Arc, Mutex};

/// What is asked about people and for them. What the server does by itself, for its log, its keys and whoever it
/// tells of events, comes at any time; events of that are made seldom, and those of requests are counted.
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

/// Everything that was asked of a world's database since it was last looked at.
#[derive(Clone)]
pub struct QueryRecorder(Arc<Mutex<Vec<&'static str>>>);

/// The work that one thing took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestWork {
    /// How many passwords were hashed.
    pub hashes: u64,
    /// The statements, in their order.
    pub statements: Vec<&'static str>,
}

impl World {
    /// Begins to listen to what the server asks of its database.
    pub fn record_queries(&self) -> QueryRecorder {
        let heard = QueryRecorder(Arc::default());
        let kept = Arc::clone(&heard.0);
        self.server.engine().store().set_query_observer(move |statement| {
            if COUNTED_STATEMENTS.iter().any(|family| statement.starts_with(family)) {
                kept.lock().unwrap().push(statement);
            }
        });
        heard
    }
}

impl QueryRecorder {
    /// What came of it, and the work it took.
    pub async fn measure<T>(&self, world: &World, done: impl Future<Output = T>) -> (T, RequestWork) {
        let before = world.server.engine().password_hash_count();
        self.0.lock().unwrap().clear();
        let answer = done.await;
        let statements = std::mem::take(&mut *self.0.lock().unwrap());
        (answer, RequestWork { hashes: world.server.engine().password_hash_count() - before, statements })
    }
}
