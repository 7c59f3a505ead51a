//! Requests that are stored for clients which anybody can be.

use crate::call::Call;
use crate::state::State;
use sinete_core::client::metadata::AuthenticationMethod;
use sinete_core::refusal::Refusal;
use sinete_engine::client_authentication::AuthenticatedClient;
use sinete_engine::clients::Origin;

/// Counts a request that is about to be stored against the address it came from, where its client says nothing about who
/// sends it: anybody can name a client that keeps no secret, and anybody can register one that does. The clients of
/// organizations and operators, and those that an operator verified, are accountable and are not counted.
pub(crate) fn limit(state: &State, call: &Call, client: &AuthenticatedClient) -> Result<(), Refusal> {
    let known = &client.known;
    let is_public = known.metadata.token_endpoint_auth_method == AuthenticationMethod::None;
    let is_unverified = known.client.origin == Origin::Itself && known.client.verified_at.is_none();
    if is_public || is_unverified { state.paced(call).starting() } else { Ok(()) }
}
