//! Where people are led when a flow needs them: to the hosted screens, to screens of somebody else's, or nowhere.

use crate::Engine;
use sinete_core::id::FlowId;

/// Where people are led.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum InteractionTarget {
    /// To the hosted screens.
    Hosted,
    /// To this address, which is given the flow.
    External(String),
    /// Nowhere: programs walk through flows, and messages carry codes.
    #[default]
    Headless,
}

impl InteractionTarget {
    /// Whether people are led anywhere at all.
    pub fn has_screens(&self) -> bool {
        *self != Self::Headless
    }

    /// Where somebody walks through a flow, if anywhere.
    pub fn flow_url(&self, engine: &Engine, flow: FlowId) -> Option<String> {
        match self {
            Self::Hosted => Some(format!("{}/sign-in?flow={flow}", engine.settings().issuer)),
            Self::External(address) => Some(append_query(address, "flow", &flow.to_string())),
            Self::Headless => None,
        }
    }

    /// A link for a message, if people are led anywhere: to the hosted screen at this path, or to the configured
    /// address, which is told by the name what the token is.
    pub(crate) fn link(&self, engine: &Engine, path: &str, name: &str, token: &str) -> Option<String> {
        match self {
            Self::Hosted => Some(format!("{}{path}?token={token}", engine.settings().issuer)),
            Self::External(address) => Some(append_query(address, name, token)),
            Self::Headless => None,
        }
    }
}

fn append_query(address: &str, name: &str, value: &str) -> String {
    let sign = if address.contains('?') { '&' } else { '?' };
    format!("{address}{sign}{name}={value}")
}
