//! The id of the next connection to a provider, known before the connection exists: providers ask for the redirect
//! URI before they give a client id. It is derived, so that nothing is stored and every reload of the page shows the
//! same until a connection has it (docs/contribute/decisions/0306-sso-wizard-with-a-reserved-redirect-uri.md).

use crate::access_control::organization_access::OrganizationAccess;
use crate::{Engine, Failure};
use sinete_core::id::ConnectionId;
use sinete_crypto::platform::mac::MacPurpose;
use sinete_store::identity_providers::connections;

/// How many connections to one kind of provider an organization can have made in its life with reserved ids. After
/// that, ids are random.
const RESERVED_IDS_MAX: u32 = 200;

/// The id that the organization's next connection to this kind of provider gets.
pub async fn reserve_connection_id(
    engine: &Engine,
    access: &OrganizationAccess,
    provider: &str,
) -> Result<ConnectionId, Failure> {
    let organization = access.organization.id;
    for number in 0..RESERVED_IDS_MAX {
        let number = number.to_be_bytes();
        let parts: [&[u8]; 3] = [organization.as_bytes(), provider.as_bytes(), &number];
        let seed = engine.instance_keys().compute_mac(MacPurpose::ConnectionReservation, &parts);
        let id = ConnectionId::from_seed(organization.minted_at(), seed);
        if !connections::is_used_id(engine.store(), id).await? {
            return Ok(id);
        }
    }
    Ok(ConnectionId::mint(engine.now(), engine.entropy()))
}
