//! Whether a client asks about a request that there never was.

use crate::{Engine, Failed};
use sinete_core::grant::Grant;
use sinete_core::secret::{BackchannelRequest, DeviceCode, Secret};
use sinete_store::{approval_requests, device_requests};

/// Whether nobody is asked what the client waits for, because there never was such a request or it is long gone. It is looked
/// for only where a proof of a key would be remembered for it.
pub(super) async fn is_made_up(engine: &Engine, grant: &Grant) -> Result<bool, Failed> {
    let store = engine.store();
    Ok(match grant {
        Grant::DeviceCode { code } => match Secret::<DeviceCode>::parse(code) {
            Ok(secret) => device_requests::find(store, &secret.digest()).await?.is_none(),
            Err(_) => true,
        },
        Grant::Ciba { request } => match Secret::<BackchannelRequest>::parse(request) {
            Ok(secret) => approval_requests::find(store, &secret.digest()).await?.is_none(),
            Err(_) => true,
        },
        // Codes and refresh tokens were looked for with the client, and the rest waits for nobody.
        Grant::AuthorizationCode { .. }
        | Grant::RefreshToken { .. }
        | Grant::ClientCredentials
        | Grant::TokenExchange(_) => false,
    })
}
