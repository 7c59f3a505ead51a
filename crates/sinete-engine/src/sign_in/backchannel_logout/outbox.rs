//! The outbox of logout notifications.
//!
//! Rows are written in the transaction that ends a session, so that clients are notified whatever happens to
//! this node. Notifications can be sent only with the value that [`enqueue_backchannel_logout`] returns, so
//! the rows cannot be forgotten.

use crate::Engine;
use sinete_core::id::SessionId;
use sinete_core::limits::{
    BACKCHANNEL_LOGOUT_CLAIM, BACKCHANNEL_LOGOUT_CLAIM_ALL, BACKCHANNEL_LOGOUT_CLIENTS_MAX,
    BACKCHANNEL_LOGOUT_RETRY_LIFETIME,
};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_store::WriteBatch;
use sinete_store::sign_in::logout_deliveries;
use sinete_store::sign_in::logout_deliveries::DeliverySchedule;

/// The sessions that a transaction ends and whose clients it queues.
#[derive(Debug, Default)]
#[must_use]
pub(crate) struct EndedSessions(Vec<SessionId>);

/// All sessions of the instance, ended at this time, whose clients a transaction queues.
#[derive(Debug)]
#[must_use]
pub(crate) struct AllEndedSessions(Timestamp);

impl EndedSessions {
    /// The number of sessions.
    pub(crate) const fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds other sessions.
    pub(crate) fn append(&mut self, others: Self) {
        for session in others.0 {
            if !self.0.contains(&session) {
                self.0.push(session);
            }
        }
    }

    pub(crate) fn into_ids(self) -> Vec<SessionId> {
        self.0
    }
}

impl AllEndedSessions {
    pub(crate) const fn end_time(&self) -> Timestamp {
        self.0
    }
}

/// Adds the notifications to the batch that ends these sessions.
pub(crate) fn enqueue_backchannel_logout(
    engine: &Engine,
    batch: WriteBatch,
    ended: Vec<SessionId>,
) -> (WriteBatch, EndedSessions) {
    let schedule = delivery_schedule(engine.now(), BACKCHANNEL_LOGOUT_CLAIM);
    let queued = ended
        .iter()
        .map(|id| logout_deliveries::queue_logout_deliveries(*id, schedule, BACKCHANNEL_LOGOUT_CLIENTS_MAX));
    (batch.with_statements(queued), EndedSessions(ended))
}

/// The same for a batch that ends all sessions of the instance.
pub(crate) fn enqueue_instance_logout(
    batch: WriteBatch,
    ended_at: Timestamp,
) -> (WriteBatch, AllEndedSessions) {
    let schedule = delivery_schedule(ended_at, BACKCHANNEL_LOGOUT_CLAIM_ALL);
    (
        batch.with_statement(logout_deliveries::queue_all_logout_deliveries(ended_at, schedule)),
        AllEndedSessions(ended_at),
    )
}

/// This node delivers first. If it does not, any node does after the claim expires.
fn delivery_schedule(now: Timestamp, claim: Lifetime) -> DeliverySchedule {
    DeliverySchedule { due_at: now.plus(claim), expires_at: now.plus(BACKCHANNEL_LOGOUT_RETRY_LIFETIME) }
}
