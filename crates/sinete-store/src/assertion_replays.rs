//! Client assertions that were seen. Each counts once, on whichever node it arrives.

use crate::act::Step;
use crate::statement::Statement;
use sinete_core::client::ClientId;
use sinete_core::secret::Digest;
use sinete_core::time::Timestamp;

/// What the `jti` of an assertion is remembered by: its SHA-256.
#[derive(Debug)]
pub enum AssertionJti {}

/// Remembers the assertion until it would be refused for its age, if it was not seen before.
pub fn first_seen(client: &ClientId, assertion: &Digest<AssertionJti>, expires_at: Timestamp) -> Step {
    Step::one(&FIRST_SEEN, [client.into(), assertion.into(), expires_at.into()])
}

static FIRST_SEEN: Statement = Statement::single_use(
    "assertion_replays.first_seen",
    "INSERT INTO assertion_replays (client_id, assertion, expires_at) VALUES (?1, ?2, ?3) \
     ON CONFLICT (client_id, assertion) DO NOTHING",
);

pub(crate) static STATEMENTS: &[&Statement] = &[&FIRST_SEEN];
