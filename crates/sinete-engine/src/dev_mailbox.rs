//! The mailbox of a development instance: what it would have sent, kept in memory, newest first, for whoever
//! develops. Production has none.

use crate::ports::{EmailSender, OutgoingEmail, OutgoingSms, SendFuture, SmsSender};
use sinete_core::id::MessageId;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Most messages that are kept; older ones go.
const KEPT_MAX: usize = 200;

/// What arrived.
#[derive(Debug, Default)]
pub struct DevMailbox(Mutex<VecDeque<Arc<DevMessage>>>);

/// A message that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DevMessage {
    /// Its id, the same at every attempt.
    pub id: MessageId,
    /// What it is.
    pub content: DevMessageContent,
}

/// What arrived, by the way it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DevMessageContent {
    /// By mail.
    Mail(OutgoingEmail),
    /// On a telephone.
    Sms(OutgoingSms),
}

impl DevMailbox {
    /// Everything that is kept, newest first.
    pub fn all(&self) -> Vec<Arc<DevMessage>> {
        self.kept(|kept| kept.iter().cloned().collect())
    }

    /// One message.
    pub fn find(&self, id: MessageId) -> Option<Arc<DevMessage>> {
        self.kept(|kept| kept.iter().find(|arrived| arrived.id == id).cloned())
    }

    fn take(&self, id: MessageId, content: DevMessageContent) -> SendFuture<'static> {
        self.kept(|kept| {
            kept.retain(|known| known.id != id);
            kept.push_front(Arc::new(DevMessage { id, content }));
            kept.truncate(KEPT_MAX);
        });
        Box::pin(std::future::ready(Ok(())))
    }

    /// A list of whole messages stays one, whatever happened to whoever held it.
    fn kept<T>(&self, look: impl FnOnce(&mut VecDeque<Arc<DevMessage>>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl EmailSender for DevMailbox {
    fn send<'a>(&'a self, id: MessageId, message: &'a OutgoingEmail) -> SendFuture<'a> {
        tracing::info!(subject = %message.subject, read_at = %format_args!("/dev/mail/{id}"), "mail");
        self.take(id, DevMessageContent::Mail(message.clone()))
    }
}

impl SmsSender for DevMailbox {
    fn send<'a>(&'a self, id: MessageId, message: &'a OutgoingSms) -> SendFuture<'a> {
        tracing::info!(read_at = %format_args!("/dev/mail/{id}"), "short message");
        self.take(id, DevMessageContent::Sms(message.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_newest_are_kept_and_a_repetition_is_kept_once() {
        let mailbox = DevMailbox::default();
        let message =
            OutgoingEmail { to: "a".into(), subject: "s".into(), text: "t".into(), html: String::new() };
        let id = |number: u8| MessageId::from_bytes([number; 16]);
        for number in (0..=250).chain([250]) {
            EmailSender::send(&mailbox, id(number), &message).await.unwrap();
        }
        let kept = mailbox.all();
        assert_eq!((kept.len(), kept[0].id, kept[1].id), (KEPT_MAX, id(250), id(249)));
        assert!(mailbox.find(id(0)).is_none() && mailbox.find(id(249)).is_some());
    }
}
