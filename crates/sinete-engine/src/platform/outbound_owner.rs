//! The owner of outbound requests to client-supplied URLs.

use sinete_core::platform::outbound::OutboundOwner;
use sinete_store::oauth::clients::{ClientOrigin, ClientRow};

/// The owner for URLs of this client.
pub(crate) fn client_outbound_owner(client: &ClientRow) -> OutboundOwner {
    match client.origin {
        ClientOrigin::Operator => OutboundOwner::Client(client.id.clone()),
        ClientOrigin::Organization(organization) => OutboundOwner::Organization(organization),
        // An operator verified it, so it does not share the slots of self-registered clients.
        ClientOrigin::DynamicRegistration if client.verified_at.is_some() => {
            OutboundOwner::Client(client.id.clone())
        }
        ClientOrigin::DynamicRegistration => OutboundOwner::SelfRegistered(client.id.clone()),
    }
}
