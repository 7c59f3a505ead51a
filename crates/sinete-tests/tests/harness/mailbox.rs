//! A mailbox that keeps everything sent to anyone, and can be told to fail.

use sinete_engine::ports::{Mailer, Message, NotSent};
use std::pin::Pin;
use std::sync::Mutex;

/// The mailbox of a world.
#[derive(Default)]
pub struct Mailbox {
    received: Mutex<Vec<Message>>,
    trouble: Mutex<Option<NotSent>>,
}

impl Mailbox {
    /// Everything sent to this address, oldest first.
    pub fn to(&self, address: &str) -> Vec<Message> {
        let received = self.received.lock().unwrap();
        received.iter().filter(|message| message.to == address).cloned().collect()
    }

    /// From now on, what is sent fails like this; with nothing, it arrives again.
    pub fn fail_with(&self, trouble: Option<NotSent>) {
        *self.trouble.lock().unwrap() = trouble;
    }
}

impl Mailer for Mailbox {
    fn send<'a>(
        &'a self,
        message: &'a Message,
    ) -> Pin<Box<dyn Future<Output = Result<(), NotSent>> + Send + 'a>> {
        let answer = match self.trouble.lock().unwrap().clone() {
            Some(trouble) => Err(trouble),
            None => {
                self.received.lock().unwrap().push(message.clone());
                Ok(())
            }
        };
        Box::pin(std::future::ready(answer))
    }
}
