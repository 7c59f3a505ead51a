//! What a server does for a request, as far as it can be counted: hashes, and what is asked of the database.

use super::world::World;
use std::sync::{Arc, Mutex};

/// What the server also does by itself, whoever asks for what: sealing its log, following its keys, and telling of
/// both. An event of a request is counted by where the request came from, which is kept beside each.
const BY_ITSELF: [&str; 5] =
    ["log_chain.", "log_head.", "signing_keys.", "development_keys.", "security_log.append"];

/// Everything that was asked of a world's database since it was last looked at.
#[derive(Clone)]
pub struct Overheard(Arc<Mutex<Vec<&'static str>>>);

/// The work that one thing took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// How many passwords were hashed.
    pub hashes: u64,
    /// The statements, in their order.
    pub statements: Vec<&'static str>,
}

impl World {
    /// Begins to listen to what the server asks of its database.
    pub fn overhear(&self) -> Overheard {
        let heard = Overheard(Arc::default());
        let kept = Arc::clone(&heard.0);
        self.server.engine().store().overheard_by(move |statement| {
            if !BY_ITSELF.iter().any(|family| statement.starts_with(family)) {
                kept.lock().unwrap().push(statement);
            }
        });
        heard
    }
}

impl Overheard {
    /// What came of it, and the work it took.
    pub async fn during<T>(&self, world: &World, done: impl Future<Output = T>) -> (T, Work) {
        let before = world.server.engine().passwords_hashed();
        self.0.lock().unwrap().clear();
        let answer = done.await;
        let statements = std::mem::take(&mut *self.0.lock().unwrap());
        (answer, Work { hashes: world.server.engine().passwords_hashed() - before, statements })
    }
}
