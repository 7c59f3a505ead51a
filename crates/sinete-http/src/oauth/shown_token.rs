//! A token that a client shows about itself, beside the proof of which client it is.

use crate::call::Call;
use crate::extract::client_proof;
use crate::extract::pairs::Pairs;
use crate::reply::Declined;
use crate::state::State;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::security::event::Actor;
use sinete_engine::Cause;
use sinete_engine::client_authentication::{self, AuthenticatedClient, Presented};

/// A client that proved who it is, and a token it asks something about.
pub(super) struct Shown {
    /// The client.
    pub(super) client: AuthenticatedClient,
    /// The token, as it was sent.
    pub(super) token: String,
    /// Where the request came from.
    pub(super) cause: Cause,
}

/// What the request says: its form, and how the client proves who it is.
pub(super) fn said(call: &Call) -> Result<(Pairs, Presented), Declined> {
    let form = call.form()?;
    let presented = client_proof::presented(call, &form)?;
    Ok((form, presented))
}

/// What the form holds. Which kind of token it is said to be helps nobody: a token says that itself.
pub(super) async fn shown(
    state: &State,
    call: &Call,
    (form, presented): &(Pairs, Presented),
) -> Result<Shown, Declined> {
    let cause = Cause { actor: Actor::Anonymous, origin: call.origin() };
    let client = client_authentication::authenticate(state.engine(), presented, &cause).await??;
    let Some(token) = form.get("token") else {
        let public = "the parameter token is missing";
        return Err(Refusal::new(RefusalCode::InvalidRequest, public, public).into());
    };
    Ok(Shown { client, token: token.to_owned(), cause })
}
