//! Accessors of a flow.

use super::purpose::{FlowKind, FlowPurpose};
use super::stage::FlowStage;
use super::{AuthenticationFlow, FlowTokenTransport};
use crate::id::{AccountId, FlowId, SessionId};
use crate::limits::HINT_BYTES_MAX;

impl AuthenticationFlow {
    /// The flow's id.
    pub const fn id(&self) -> FlowId {
        self.id
    }

    /// The flow's kind.
    pub const fn kind(&self) -> FlowKind {
        self.purpose.kind()
    }

    /// The flow's purpose and its data.
    pub const fn purpose(&self) -> &FlowPurpose {
        &self.purpose
    }

    /// The current stage.
    pub const fn stage(&self) -> &FlowStage {
        &self.stage
    }

    /// How its tokens are transported.
    pub const fn flow_token_transport(&self) -> FlowTokenTransport {
        self.carrier
    }

    /// The account, once it is known.
    pub fn account(&self) -> Option<AccountId> {
        self.person.as_ref().map(|account| account.account)
    }

    /// The session in which it started or that it created.
    pub const fn session(&self) -> Option<SessionId> {
        self.session
    }

    /// Sets the session that the flow created.
    #[must_use]
    pub const fn with_session(mut self, session: SessionId) -> Self {
        self.session = Some(session);
        self
    }

    /// The `login_hint` of the authorization request, while the user is not known. It proves nothing.
    pub fn login_hint(&self) -> Option<&str> {
        match self.stage {
            FlowStage::SignIn | FlowStage::Details => {
                let hint = self.purpose.pending_authorization()?.find_parameter("login_hint")?;
                Some(hint).filter(|hint| hint.len() <= HINT_BYTES_MAX)
            }
            _ => None,
        }
    }

    /// Whether the flow has ended.
    pub const fn is_finished(&self) -> bool {
        matches!(self.stage, FlowStage::Finished(_) | FlowStage::Refused { .. })
    }
}
