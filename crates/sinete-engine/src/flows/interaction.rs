//! Where people are led when a flow needs them: to the hosted screens, to screens of somebody else's, or nowhere.

use crate::Engine;
use sinete_core::id::FlowId;

/// Where people are led.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Interaction {
    /// To the hosted screens.
    Screens,
    /// To this address, which is given the flow.
    Elsewhere(String),
    /// Nowhere: programs walk through flows, and messages carry codes.
    #[default]
    Nowhere,
}

impl Interaction {
    /// Whether people are led anywhere at all.
    pub fn leads_somewhere(&self) -> bool {
        *self != Self::Nowhere
    }

    /// Where somebody walks through a flow, if anywhere.
    pub fn address_of(&self, engine: &Engine, flow: FlowId) -> Option<String> {
        match self {
            Self::Screens => Some(format!("{}/sign-in?flow={flow}", engine.settings().issuer)),
            Self::Elsewhere(address) => {
                let sign = if address.contains('?') { '&' } else { '?' };
                Some(format!("{address}{sign}flow={flow}"))
            }
            Self::Nowhere => None,
        }
    }
}
