//! What is known of a flow.

use super::purpose::{FlowKind, Purpose};
use super::stage::Stage;
use super::{Carrier, Flow};
use crate::id::{AccountId, FlowId, SessionId};

impl Flow {
    /// Its id.
    pub const fn id(&self) -> FlowId {
        self.id
    }

    /// What it is for.
    pub const fn kind(&self) -> FlowKind {
        self.purpose.kind()
    }

    /// What it is for, with what belongs to that.
    pub const fn purpose(&self) -> &Purpose {
        &self.purpose
    }

    /// Where it stands.
    pub const fn stage(&self) -> &Stage {
        &self.stage
    }

    /// How its tokens are held.
    pub const fn carrier(&self) -> Carrier {
        self.carrier
    }

    /// Whom it is about, once that is known.
    pub fn account(&self) -> Option<AccountId> {
        self.person.as_ref().map(|person| person.account)
    }

    /// The session it began in, or led to.
    pub const fn session(&self) -> Option<SessionId> {
        self.session
    }

    /// The flow, in the session it led to.
    #[must_use]
    pub const fn within(mut self, session: SessionId) -> Self {
        self.session = Some(session);
        self
    }

    /// Whether nothing more can be said in it.
    pub const fn is_finished(&self) -> bool {
        matches!(self.stage, Stage::Finished(_) | Stage::Refused { .. })
    }
}
