//! Which clients are still to be told that a session ended.
//!
//! They are written down in the act that ends the session, so that whatever happens to this node they are told. Whoever
//! ends a session can tell its clients only with what [`queue`] gives back, and so cannot forget to write them down.

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

/// Sessions that an act ends, and whose clients it writes down.
#[derive(Debug, Default)]
#[must_use]
pub(crate) struct EndedSessions(Vec<SessionId>);

/// Everybody's sessions, which an act ends at this moment, and whose clients it writes down.
#[derive(Debug)]
#[must_use]
pub(crate) struct InstanceSessions(Timestamp);

impl EndedSessions {
    /// How many there are.
    pub(crate) const fn len(&self) -> usize {
        self.0.len()
    }

    /// These and others.
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

impl InstanceSessions {
    pub(crate) const fn end_time(&self) -> Timestamp {
        self.0
    }
}

/// Adds to the act that ends these sessions that their clients are to be told.
pub(crate) fn enqueue_backchannel_logout(
    engine: &Engine,
    act: WriteBatch,
    ended: Vec<SessionId>,
) -> (WriteBatch, EndedSessions) {
    let schedule = delivery_schedule(engine.now(), BACKCHANNEL_LOGOUT_CLAIM);
    let queued = ended
        .iter()
        .map(|id| logout_deliveries::queue_logout_deliveries(*id, schedule, BACKCHANNEL_LOGOUT_CLIENTS_MAX));
    (act.with_statements(queued), EndedSessions(ended))
}

/// The same for an act that ends everybody's sessions at this moment.
pub(crate) fn enqueue_instance_logout(
    act: WriteBatch,
    ended_at: Timestamp,
) -> (WriteBatch, InstanceSessions) {
    let schedule = delivery_schedule(ended_at, BACKCHANNEL_LOGOUT_CLAIM_ALL);
    (
        act.with_statement(logout_deliveries::queue_all_logout_deliveries(ended_at, schedule)),
        InstanceSessions(ended_at),
    )
}

/// This node tells them first. Where it does not come to it, any node does.
fn delivery_schedule(now: Timestamp, claim: Lifetime) -> DeliverySchedule {
    DeliverySchedule { due_at: now.plus(claim), expires_at: now.plus(BACKCHANNEL_LOGOUT_RETRY_LIFETIME) }
}
