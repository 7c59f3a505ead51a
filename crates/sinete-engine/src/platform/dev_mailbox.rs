//! The mailbox of a development instance: messages in memory, newest first. Production has none.

use crate::ports::{EmailSender, OutgoingEmail, OutgoingSms, SendFuture, SmsSender};
use sinete_core::id::MessageId;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum stored messages; older ones are removed.
const STORED_MAX: usize = 200;

/// The mailbox.
#[derive(Debug, Default)]
pub struct DevMailbox(Mutex<VecDeque<Arc<DevMessage>>>);

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DevMessage {
    /// The id, the same at every attempt.
    pub id: MessageId,
    /// The content.
    pub content: DevMessageContent,
}

/// The content of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DevMessageContent {
    /// An e-mail.
    Email(OutgoingEmail),
    /// An SMS.
    Sms(OutgoingSms),
}

impl DevMailbox {
    /// Lists all messages, newest first.
    pub fn list(&self) -> Vec<Arc<DevMessage>> {
        self.with_messages(|messages| messages.iter().cloned().collect())
    }

    /// Finds a message.
    pub fn find(&self, id: MessageId) -> Option<Arc<DevMessage>> {
        self.with_messages(|messages| messages.iter().find(|arrived| arrived.id == id).cloned())
    }

    fn store_message(&self, id: MessageId, content: DevMessageContent) -> SendFuture<'static> {
        self.with_messages(|messages| {
            messages.retain(|message| message.id != id);
            messages.push_front(Arc::new(DevMessage { id, content }));
            messages.truncate(STORED_MAX);
        });
        Box::pin(std::future::ready(Ok(())))
    }

    /// Accesses the list, which is valid even if another thread panicked while holding the lock.
    fn with_messages<T>(&self, look: impl FnOnce(&mut VecDeque<Arc<DevMessage>>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl EmailSender for DevMailbox {
    fn send<'a>(&'a self, id: MessageId, message: &'a OutgoingEmail) -> SendFuture<'a> {
        tracing::info!(subject = %message.subject, read_at = %format_args!("/dev/mail/{id}"), "mail");
        self.store_message(id, DevMessageContent::Email(message.clone()))
    }
}

impl SmsSender for DevMailbox {
    fn send<'a>(&'a self, id: MessageId, message: &'a OutgoingSms) -> SendFuture<'a> {
        tracing::info!(read_at = %format_args!("/dev/mail/{id}"), "short message");
        self.store_message(id, DevMessageContent::Sms(message.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn dev_mailbox_keeps_the_newest_messages_without_duplicates() {
        let mailbox = DevMailbox::default();
        let message =
            OutgoingEmail { to: "a".into(), subject: "s".into(), text: "t".into(), html: String::new() };
        let id = |number: u8| MessageId::from_bytes([number; 16]);
        for number in (0..=250).chain([250]) {
            EmailSender::send(&mailbox, id(number), &message).await.unwrap();
        }
        let messages = mailbox.list();
        assert_eq!((messages.len(), messages[0].id, messages[1].id), (STORED_MAX, id(250), id(249)));
        assert!(mailbox.find(id(0)).is_none() && mailbox.find(id(249)).is_some());
    }
}
