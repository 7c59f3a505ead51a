//! What the engine asks of the world outside. The program brings the real things; tests bring their own.

use sinete_core::time::Timestamp;
use std::pin::Pin;

/// Knows what time it is.
pub trait Clock: Send + Sync {
    /// The time, now.
    fn now(&self) -> Timestamp;
}

/// Sends mail.
pub trait Mailer: Send + Sync {
    /// Hands a message over for delivery. An answer of `Ok` means that somebody else is responsible for it.
    fn send<'a>(
        &'a self,
        message: &'a Message,
    ) -> Pin<Box<dyn Future<Output = Result<(), NotSent>> + Send + 'a>>;
}

/// A message to one person.
#[derive(Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Message {
    /// The address it goes to.
    pub to: String,
    /// What it is about.
    pub subject: String,
    /// What it says, as plain text.
    pub text: String,
}

impl std::fmt::Debug for Message {
    /// Neither who it goes to nor what it says: it may hold a link that signs somebody in.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Message(…)")
    }
}

/// A message was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotSent {
    /// It may be taken later.
    #[error("the mail server did not take the message: {0}")]
    Later(String),
    /// It will never be taken.
    #[error("the mail server refused the message: {0}")]
    Never(String),
}
