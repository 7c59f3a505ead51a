//! Rate limit of requests that are stored for clients that anyone can use.

use crate::state::HttpState;
use crate::state::RoutedRequest;
use sinete_core::refusal::Refusal;
use sinete_engine::oauth::client_authentication::AuthenticatedClient;

/// Counts a request to be stored against its network address, if its client is not accountable. Clients of
/// organizations and operators, and verified ones, are not counted. Such requests have their own limit,
/// because a page of another site can make browsers send them
/// (docs/contribute/decisions/0250-rate-limits-of-public-and-unverified-clients.md).
pub(crate) fn limit_unverified_clients(
    state: &HttpState,
    request: &RoutedRequest,
    client: &AuthenticatedClient,
) -> Result<(), Refusal> {
    if client.is_unaccountable() { state.rate_limit(request).count_stored_request() } else { Ok(()) }
}
