//! On whose behalf requests are sent to addresses that clients named.

use sinete_core::platform::outbound::OutboundOwner;
use sinete_store::oauth::clients::{ClientOrigin, ClientRow};

/// Whoever answers for what a client named.
pub(crate) fn client_outbound_owner(client: &ClientRow) -> OutboundOwner {
    match client.origin {
        ClientOrigin::Operator => OutboundOwner::Client(client.id.clone()),
        ClientOrigin::Organization(organization) => OutboundOwner::Organization(organization),
        // An operator looked at this one, so it is not one of any number that anybody can have.
        ClientOrigin::Itself if client.verified_at.is_some() => OutboundOwner::Client(client.id.clone()),
        ClientOrigin::Itself => OutboundOwner::SelfRegistered(client.id.clone()),
    }
}
