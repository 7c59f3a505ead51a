//! A mailbox and a telephone that keep everything sent to anyone, and can be told to fail.

use sinete_core::id::MessageId;
use sinete_engine::deliver::{self, DeliveryRound, MessageCarriers};
use sinete_engine::ports::{EmailSender, OutgoingEmail, OutgoingSms, SendError, SendFuture, SmsSender};
use std::sync::{Arc, Mutex};

/// The mailbox of a world.
#[derive(Default)]
pub struct TestMailbox {
    received: Mutex<Vec<(MessageId, OutgoingEmail)>>,
    on_telephones: Mutex<Vec<(MessageId, OutgoingSms)>>,
    trouble: Mutex<Option<SendError>>,
}

impl TestMailbox {
    /// Everything sent to this address, oldest first.
    pub fn to(&self, address: &str) -> Vec<OutgoingEmail> {
        let received = self.received.lock().unwrap();
        by_age(received.iter().filter(|(_, message)| message.to == address).cloned().collect())
    }

    /// How many messages arrived, to whomever.
    pub fn count(&self) -> usize {
        self.received.lock().unwrap().len() + self.on_telephones.lock().unwrap().len()
    }

    /// Everything sent to this number, oldest first.
    pub fn on(&self, number: &str) -> Vec<OutgoingSms> {
        let received = self.on_telephones.lock().unwrap();
        by_age(received.iter().filter(|(_, message)| message.to == number).cloned().collect())
    }

    /// From now on, what is sent fails like this; with nothing, it arrives again.
    pub fn fail_with(&self, trouble: Option<SendError>) {
        *self.trouble.lock().unwrap() = trouble;
    }

    fn take(&self, keep: impl FnOnce()) -> SendFuture<'static> {
        let answer = match self.trouble.lock().unwrap().clone() {
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
fn by_age<M>(mut messages: Vec<(MessageId, M)>) -> Vec<M> {
    messages.sort_by_key(|(id, _)| id.minted_at());
    messages.into_iter().map(|(_, message)| message).collect()
}

impl EmailSender for TestMailbox {
    fn send<'a>(&'a self, id: MessageId, message: &'a OutgoingEmail) -> SendFuture<'a> {
        self.take(|| self.received.lock().unwrap().push((id, message.clone())))
    }
}

impl SmsSender for TestMailbox {
    fn send<'a>(&'a self, id: MessageId, message: &'a OutgoingSms) -> SendFuture<'a> {
        self.take(|| self.on_telephones.lock().unwrap().push((id, message.clone())))
    }
}

impl super::world::World {
    /// Those who carry messages into this world's mailbox.
    pub fn carriers(&self) -> MessageCarriers {
        let mailbox = Arc::clone(&self.mailbox);
        MessageCarriers { mailer: mailbox.clone(), texter: mailbox }
    }

    /// Sends what waits, once.
    pub async fn deliver(&self) -> DeliveryRound {
        deliver::deliver(self.server.engine(), &self.carriers()).await.unwrap()
    }

    /// The newest message to this address, once everything that waits is sent.
    pub async fn newest_mail_to(&self, address: &str) -> Option<OutgoingEmail> {
        self.deliver().await;
        self.mailbox.to(address).pop()
    }
}
