//! What is known of a flow.

use super::purpose::{FlowKind, FlowPurpose};
use super::stage::FlowStage;
use super::{AuthenticationFlow, FlowTokenTransport};
use crate::id::{AccountId, FlowId, SessionId};

impl AuthenticationFlow {
    /// Its id.
    pub const fn id(&self) -> FlowId {
        self.id
    }

    /// What it is for.
    pub const fn kind(&self) -> FlowKind {
        self.purpose.kind()
    }

    /// What it is for, with what belongs to that.
    pub const fn purpose(&self) -> &FlowPurpose {
        &self.purpose
    }

    /// Where it stands.
    pub const fn stage(&self) -> &FlowStage {
        &self.stage
    }

    /// How its tokens are held.
    pub const fn carrier(&self) -> FlowTokenTransport {
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
    pub const fn with_session(mut self, session: SessionId) -> Self {
        self.session = Some(session);
        self
    }

    /// Whether nothing more can be said in it.
    pub const fn is_finished(&self) -> bool {
        matches!(self.stage, FlowStage::Finished(_) | FlowStage::Refused { .. })
    }
}
