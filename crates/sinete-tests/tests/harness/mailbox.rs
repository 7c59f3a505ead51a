//! A mailbox and a telephone that keep everything sent to anyone, and can be told to fail.

use sinete_core::id::MessageId;
use sinete_engine::platform::outbox;
use sinete_engine::platform::outbox::{DeliveryRound, MessageCarriers};
use sinete_engine::ports::{EmailSender, OutgoingEmail, OutgoingSms, SendError, SendFuture, SmsSender};
use std::sync::{Arc, Mutex};

/// The mailbox of a world.
#[derive(Default)]
pub struct TestMailbox {
    received: Mutex<Vec<(MessageId, OutgoingEmail)>>,
    sms: Mutex<Vec<(MessageId, OutgoingSms)>>,
    failure: Mutex<Option<SendError>>,
}

impl TestMailbox {
    /// Everything sent to this address, oldest first.
    pub fn emails_to(&self, address: &str) -> Vec<OutgoingEmail> {
        let received = self.received.lock().unwrap();
        sort_by_age(received.iter().filter(|(_, message)| message.to == address).cloned().collect())
    }

    /// How many messages arrived, to whomever.
    pub fn email_count(&self) -> usize {
        self.received.lock().unwrap().len() + self.sms.lock().unwrap().len()
    }

    /// Everything sent to this number, oldest first.
    pub fn sms_to(&self, number: &str) -> Vec<OutgoingSms> {
        let received = self.sms.lock().unwrap();
        sort_by_age(received.iter().filter(|(_, message)| message.to == number).cloned().collect())
    }

    /// From now on, what is sent fails like this; with nothing, it arrives again.
    pub fn fail_with(&self, trouble: Option<SendError>) {
        *self.failure.lock().unwrap() = trouble;
    }

    fn accept(&self, keep: impl FnOnce()) -> SendFuture<'static> {
        let answer = match self.failure.lock().unwrap().clone() {
            Some(trouble) => Err(trouble),
            None => {
                keep();
                Ok(())
            }
        };
        Box::pin(std::future::ready(answer))
    }
}

/// In the order in which they were written: several are carried at once, and arrive in any order.
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
    /// Those who carry messages into this world's mailbox.
    pub fn message_carriers(&self) -> MessageCarriers {
        let mailbox = Arc::clone(&self.mailbox);
        MessageCarriers { email: mailbox.clone(), sms: mailbox }
    }

    /// Sends what waits, once.
    pub async fn deliver_messages(&self) -> DeliveryRound {
        outbox::deliver_pending(self.server.engine(), &self.message_carriers()).await.unwrap()
    }

    /// The newest message to this address, once everything that waits is sent.
    pub async fn newest_email_to(&self, address: &str) -> Option<OutgoingEmail> {
        self.deliver_messages().await;
        self.mailbox.emails_to(address).pop()
    }
}
