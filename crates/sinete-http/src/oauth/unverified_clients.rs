//! Requests that are stored for clients which anybody can be.

use crate::call::RoutedRequest;
use crate::state::HttpState;
use sinete_core::refusal::Refusal;
use sinete_engine::oauth::client_authentication::AuthenticatedClient;

/// Counts a request that is about to be stored against the address it came from, where its client says nothing about who
/// sends it. The clients of organizations and operators, and those that an operator verified, are accountable and are not counted.
/// Such requests have a limit of their own: whoever opens a page of another site may make them without knowing it
/// (docs/contribute/decisions/0250-rate-limits-of-public-and-unverified-clients.md).
pub(crate) fn limit_unverified_clients(
    state: &HttpState,
    call: &RoutedRequest,
    client: &AuthenticatedClient,
) -> Result<(), Refusal> {
    if client.is_anybody() { state.rate_limit(call).storing_request() } else { Ok(()) }
}
