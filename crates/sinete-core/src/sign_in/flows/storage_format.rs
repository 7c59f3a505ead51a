//! A flow as it is stored: in a numbered form, so that a newer program reads what an older one wrote, and none
//! guesses.

use super::AuthenticationFlow;
use crate::id::FlowId;
use serde_json::Value;

/// The number of the form that is written.
pub const FORM: u32 = 1;

/// What is stored is no flow this program knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidStoredFlow {
    /// It is written in a form of another program.
    #[error("the flow is written in a form that this program does not know")]
    UnknownForm,
    /// It is damaged, or belongs to another flow or another account.
    #[error("the flow is damaged")]
    Damaged,
}

/// The flow of this id, from the form it was stored in.
pub fn parse_stored_flow(
    id: FlowId,
    form: u32,
    state: Value,
) -> Result<AuthenticationFlow, InvalidStoredFlow> {
    if form != FORM {
        return Err(InvalidStoredFlow::UnknownForm);
    }
    let flow: AuthenticationFlow = serde_json::from_value(state).map_err(|_| InvalidStoredFlow::Damaged)?;
    let is_whole = flow.id == id
        && flow.proofs.iter().all(|given| Some(given.account) == flow.account() && given.step <= flow.steps);
    if is_whole { Ok(flow) } else { Err(InvalidStoredFlow::Damaged) }
}
