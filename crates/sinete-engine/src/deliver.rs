//! Sending what was written into the outbox: at least once, by one node at a time, until it is worthless.

use crate::ports::{Mailer, Message, NotSent};
use crate::{Engine, Failed};
use sinete_core::id::MessageId;
use sinete_core::limits::{MESSAGE_ATTEMPTS_MAX, MESSAGE_CLAIM, MESSAGE_RETRY, MESSAGE_RETRY_MAX};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_crypto::seal::{Place, Purpose};
use sinete_store::outbox::{Afterwards, Channel, NewMessage, Waiting};
use sinete_store::{Act, Step, outbox};

/// Most messages taken in one round.
const ROUND_MAX: u32 = 50;

/// What a round of sending came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Messages somebody else is responsible for now.
    pub sent: u32,
    /// Messages that will be tried again.
    pub postponed: u32,
    /// Messages that were given up.
    pub given_up: u32,
}

/// The step that writes a mail into the outbox, for the act that causes it. What it says is sealed: it can
/// hold a link that signs somebody in.
pub fn post(engine: &Engine, message: &Message, lifetime: Lifetime) -> Result<Step, Failed> {
    let now = engine.now();
    let id = MessageId::mint(now, engine.entropy());
    let text = serde_json::to_vec(message).map_err(|_| Failed::Interrupted)?;
    let place = Place::new(Purpose::Message, id.as_bytes());
    let sealed = engine.instance_keys().seal(&place, &text, engine.entropy())?;
    let message = NewMessage {
        id,
        channel: Channel::Mail,
        sealed: &sealed,
        created_at: now,
        expires_at: now.plus(lifetime),
    };
    Ok(outbox::put(&message))
}

/// Sends what waits. A message that another node has claimed meanwhile is left to it.
pub async fn deliver(engine: &Engine, mailer: &dyn Mailer) -> Result<Round, Failed> {
    let mut round = Round::default();
    let now = engine.now();
    for waiting in outbox::waiting(engine.store(), now, ROUND_MAX).await? {
        let claim = outbox::claim(&waiting, now, now.plus(MESSAGE_CLAIM));
        if engine.store().commit(Act::new().with(claim)).await?.is_err() {
            continue;
        }
        let step = match attempt(engine, mailer, &waiting).await {
            Ok(()) => {
                round.sent += 1;
                outbox::done(&waiting, engine.now())
            }
            Err(problem) => {
                let afterwards = afterwards(&problem, waiting.attempts, engine.now());
                match afterwards {
                    Afterwards::Retry(_) => round.postponed += 1,
                    Afterwards::GiveUp(_) => round.given_up += 1,
                }
                outbox::failed(&waiting, &problem.to_string(), afterwards)
            }
        };
        // A conflict means that the claim ran out and somebody else has taken the message over.
        let _ = engine.store().commit(Act::new().with(step)).await?;
    }
    Ok(round)
}

async fn attempt(engine: &Engine, mailer: &dyn Mailer, waiting: &Waiting) -> Result<(), NotSent> {
    let place = Place::new(Purpose::Message, waiting.id.as_bytes());
    let opened = engine.instance_keys().open(&place, &waiting.sealed);
    let opened = opened.map_err(|why| NotSent::Never(why.to_string()))?;
    let message: Message = serde_json::from_slice(&opened)
        .map_err(|_| NotSent::Never("the message was written by a newer program".into()))?;
    mailer.send(&message).await
}

/// Waits twice as long after each failure, and gives up after enough of them.
fn afterwards(problem: &NotSent, attempts_before: i64, now: Timestamp) -> Afterwards {
    match problem {
        NotSent::Later(_) if attempts_before + 1 < MESSAGE_ATTEMPTS_MAX => {
            let doublings = u32::try_from(attempts_before.clamp(0, 16)).unwrap_or_default();
            let wait = (0..doublings).fold(MESSAGE_RETRY, |wait, _| wait.plus(wait)).min(MESSAGE_RETRY_MAX);
            Afterwards::Retry(now.plus(wait))
        }
        NotSent::Later(_) | NotSent::Never(_) => Afterwards::GiveUp(now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failure_waits_longer_until_it_is_enough() {
        let now = Timestamp::from_seconds(1_000);
        let later = NotSent::Later("busy".into());
        let wait = |attempts| match afterwards(&later, attempts, now) {
            Afterwards::Retry(at) => Some(at.since(now)),
            Afterwards::GiveUp(_) => None,
        };
        assert_eq!(wait(0), Some(MESSAGE_RETRY));
        assert_eq!(wait(1), Some(MESSAGE_RETRY.plus(MESSAGE_RETRY)));
        assert_eq!(wait(MESSAGE_ATTEMPTS_MAX - 2), Some(MESSAGE_RETRY_MAX));
        assert_eq!(wait(MESSAGE_ATTEMPTS_MAX - 1), None);
        let never = NotSent::Never("no such address".into());
        assert_eq!(afterwards(&never, 0, now), Afterwards::GiveUp(now));
    }
}
