//! The stored form of a flow, with a version number, so that newer versions read what older ones wrote.

use super::AuthenticationFlow;
use crate::id::FlowId;
use serde_json::Value;

/// The version written.
pub const FORMAT_VERSION: u32 = 1;

/// Why a stored flow cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidStoredFlow {
    /// Its version is unknown.
    #[error("the flow is written in a form that this program does not know")]
    UnknownVersion,
    /// It is damaged, or belongs to another flow or account.
    #[error("the flow is damaged")]
    Damaged,
}

/// Parses a stored flow with this id.
pub fn parse_stored_flow(
    id: FlowId,
    form: u32,
    state: Value,
) -> Result<AuthenticationFlow, InvalidStoredFlow> {
    if form != FORMAT_VERSION {
        return Err(InvalidStoredFlow::UnknownVersion);
    }
    let flow: AuthenticationFlow = serde_json::from_value(state).map_err(|_| InvalidStoredFlow::Damaged)?;
    let is_whole = flow.id == id
        && flow.proofs.iter().all(|proof| Some(proof.account) == flow.account() && proof.step <= flow.steps);
    if is_whole { Ok(flow) } else { Err(InvalidStoredFlow::Damaged) }
}
