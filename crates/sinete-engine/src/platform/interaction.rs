//! Where users are sent when a flow needs interaction: to the hosted screens, to a custom interface, or
//! nowhere.

use crate::Engine;
use sinete_core::id::FlowId;

/// Where users are sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum InteractionTarget {
    /// The hosted screens.
    Hosted,
    /// This URL of a custom interface, which receives the flow.
    External(String),
    /// Nowhere: only programs use flows, and messages contain codes.
    #[default]
    Headless,
}

impl InteractionTarget {
    /// Whether users are sent to any interface.
    pub fn has_screens(&self) -> bool {
        *self != Self::Headless
    }

    /// The URL of a flow, if there is an interface.
    pub fn flow_url(&self, engine: &Engine, flow: FlowId) -> Option<String> {
        match self {
            Self::Hosted => Some(format!("{}/sign-in?flow={flow}", engine.settings().issuer)),
            Self::External(address) => Some(append_query(address, "flow", &flow.to_string())),
            Self::Headless => None,
        }
    }

    /// The link for a message, if there is an interface: to the hosted page at this path, or to the
    /// configured URL with `name` as the parameter of the token.
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
