//! A mailbox and a telephone that record every message, and fail if a story wants them to.

use sinete_core::id::MessageId;
use sinete_engine::platform::outbox;
use sinete_engine::platform::outbox::{DeliveryRound, MessageCarriers};
use sinete_engine::ports::{EmailSender, OutgoingEmail, OutgoingSms, SendError, SendFuture, SmsSender};
use std::sync::{Arc, Mutex};

/// The recorded e-mails and SMS messages of one test server.
#[derive(Default)]
pub struct TestMailbox {
    received: Mutex<Vec<(MessageId, OutgoingEmail)>>,
    sms: Mutex<Vec<(MessageId, OutgoingSms)>>,
    failure: Mutex<Option<SendError>>,
}

impl TestMailbox {
    /// Every e-mail to this address, oldest first.
    pub fn emails_to(&self, address: &str) -> Vec<OutgoingEmail> {
        let received = self.received.lock().unwrap();
        sort_by_age(received.iter().filter(|(_, message)| message.to == address).cloned().collect())
    }

    /// How many e-mails were sent.
    pub fn email_count(&self) -> usize {
        self.received.lock().unwrap().len() + self.sms.lock().unwrap().len()
    }

    /// Every SMS message to this number, oldest first.
    pub fn sms_to(&self, number: &str) -> Vec<OutgoingSms> {
        let received = self.sms.lock().unwrap();
        sort_by_age(received.iter().filter(|(_, message)| message.to == number).cloned().collect())
    }

    /// Lets sending fail with this error; `None` lets it succeed again.
    pub fn fail_with(&self, error: Option<SendError>) {
        *self.failure.lock().unwrap() = error;
    }

    fn accept(&self, keep: impl FnOnce()) -> SendFuture<'static> {
        let answer = match self.failure.lock().unwrap().clone() {
            Some(error) => Err(error),
            None => {
                keep();
                Ok(())
            }
        };
        Box::pin(std::future::ready(answer))
    }
}

/// Sorts messages by when they were written: several are sent concurrently and arrive in any order.
fn sort_by_age<M>(mut messages: Vec<(MessageId, M)>) -> Vec<M> {
    messages.sort_by_key(|(id, _)| id.minted_at());
    messages.into_iter().map(|(_, message)| message).collect()
}

impl EmailSender for TestMailbox {
    fn send<'a>(&'a self, id: MessageId, message: &'a OutgoingEmail) -> SendFuture<'a> {
        self.accept(|| self.received.lock().unwrap().push((id, message.clone())))
    }
}

impl SmsSender for TestMailbox {
    fn send<'a>(&'a self, id: MessageId, message: &'a OutgoingSms) -> SendFuture<'a> {
        self.accept(|| self.sms.lock().unwrap().push((id, message.clone())))
    }
}

impl super::world::World {
    /// The senders that put messages into this mailbox.
    pub fn message_carriers(&self) -> MessageCarriers {
        let mailbox = Arc::clone(&self.mailbox);
        MessageCarriers { email: mailbox.clone(), sms: mailbox }
    }

    /// Runs one delivery round of the outbox.
    pub async fn deliver_messages(&self) -> DeliveryRound {
        outbox::deliver_pending(self.server.engine(), &self.message_carriers()).await.unwrap()
    }

    /// The newest e-mail to this address, after a delivery round.
    pub async fn newest_email_to(&self, address: &str) -> Option<OutgoingEmail> {
        self.deliver_messages().await;
        self.mailbox.emails_to(address).pop()
    }
}
