//! Where people are led when a flow needs them: to the hosted screens, to screens of somebody else's, or nowhere.

use crate::Engine;
use sinete_core::id::FlowId;

/// Where people are led.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum InteractionTarget {
    /// To the hosted screens.
    Screens,
    /// To this address, which is given the flow.
    Elsewhere(String),
    /// Nowhere: programs walk through flows, and messages carry codes.
    #[default]
    Nowhere,
}

impl InteractionTarget {
    /// Whether people are led anywhere at all.
    pub fn leads_somewhere(&self) -> bool {
        *self != Self::Nowhere
    }

    /// Where somebody walks through a flow, if anywhere.
    pub fn address_of(&self, engine: &Engine, flow: FlowId) -> Option<String> {
        match self {
            Self::Screens => Some(format!("{}/sign-in?flow={flow}", engine.settings().issuer)),
            Self::Elsewhere(address) => Some(extended(address, "flow", &flow.to_string())),
            Self::Nowhere => None,
        }
    }

    /// A link for a message, if people are led anywhere: to the hosted screen at this path, or to the configured
    /// address, which is told by the name what the token is.
    pub(crate) fn link(&self, engine: &Engine, path: &str, name: &str, token: &str) -> Option<String> {
        match self {
            Self::Screens => Some(format!("{}{path}?token={token}", engine.settings().issuer)),
            Self::Elsewhere(address) => Some(extended(address, name, token)),
            Self::Nowhere => None,
        }
    }
}

fn extended(address: &str, name: &str, value: &str) -> String {
    let sign = if address.contains('?') { '&' } else { '?' };
    format!("{address}{sign}{name}={value}")
}
