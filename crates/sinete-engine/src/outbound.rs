//! On whose behalf requests are sent to addresses that clients named.

use sinete_core::outbound::OutboundOwner;
use sinete_store::clients::{Client, Origin};

/// Whoever answers for what a client named.
pub(crate) fn owner_of(client: &Client) -> OutboundOwner {
    match client.origin {
        Origin::Operator => OutboundOwner::Client(client.id.clone()),
        Origin::Organization(organization) => OutboundOwner::Organization(organization),
        // An operator looked at this one, so it is not one of any number that anybody can have.
        Origin::Itself if client.verified_at.is_some() => OutboundOwner::Client(client.id.clone()),
        Origin::Itself => OutboundOwner::SelfRegistered(client.id.clone()),
    }
}
