//! Documents that applications find us by.

use crate::call::Call;
use crate::reply::Answer;
use crate::state::State;

/// The keys that signatures of ours are checked with.
pub(crate) async fn keys(state: State, call: Call) -> Answer {
    Ok(state.house().keys().answer(call.headers()))
}
