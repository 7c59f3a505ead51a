//! Restrictions for cross-device flows (RFC 10027). The user approves on a different screen than the one that
//! asked, and can be tricked into approving an attacker's request.

use super::consent::ClientTrust;
use super::response::{AuthorizationErrorCode, AuthorizationRefusal};
use super::target_resource::TargetResource;
use crate::access_control::scope::{IdentityScope, ScopeSet};
use crate::oauth::authorization_details::AuthorizationDetails;

/// Rejects what an untrusted client must not get in a cross-device flow, even if the API or organization
/// allows it in a browser: no access beyond the session, no irreversible permissions, no authorization
/// details.
pub fn check_cross_device_risk(
    client_trust: ClientTrust,
    scopes: &ScopeSet,
    details: &AuthorizationDetails,
    target: Option<TargetResource<'_>>,
) -> Result<(), AuthorizationRefusal> {
    if client_trust != ClientTrust::SelfRegistered {
        return Ok(());
    }
    let is_lasting = scopes.contains(IdentityScope::OfflineAccess);
    let is_irreversible = match target {
        Some(TargetResource::Api(api)) => {
            scopes.permissions().iter().any(|permission| api.is_irreversible(permission))
        }
        // Untrusted clients get nothing at our own APIs. If no API is named, this is checked once the API
        // is known.
        Some(TargetResource::Instance(_)) | None => false,
    };
    if is_lasting || is_irreversible || !details.is_empty() {
        let text = "An unverified client cannot get this scope for another device. Remove offline_access and \
                    irreversible permissions, or ask an operator to verify the client.";
        return Err((AuthorizationErrorCode::InvalidScope, text.into()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::organizations::api_catalog::ApiDefinition;

    fn api() -> ApiDefinition {
        let text = r#"{"identifier": "https://api.example", "name": "Invoices", "unverified_clients": "allow",
            "permissions": [{"permission": "invoices:read", "english": "Read"},
                {"permission": "invoices:delete", "english": "Delete", "irreversible": true}]}"#;
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn device_authorization_of_an_untrusted_client_is_limited_to_low_risk_scopes() {
        let api = api();
        let judged = |client_trust, scope: &str, details: &AuthorizationDetails, target| {
            check_cross_device_risk(client_trust, &scope.parse().unwrap(), details, target)
                .map_err(|(error, _)| error)
        };
        let (none, resource) = (AuthorizationDetails::default(), Some(TargetResource::Api(&api)));
        let payment: AuthorizationDetails = r#"[{"type":"payment"}]"#.parse().unwrap();
        for scope in ["openid email", "openid invoices:read"] {
            assert_eq!(judged(ClientTrust::SelfRegistered, scope, &none, resource), Ok(()), "{scope}");
        }
        for scope in ["openid offline_access", "invoices:delete", "invoices:*"] {
            let refused = Err(AuthorizationErrorCode::InvalidScope);
            assert_eq!(judged(ClientTrust::SelfRegistered, scope, &none, resource), refused, "{scope}");
            for client_trust in [ClientTrust::Operator, ClientTrust::Organization] {
                assert_eq!(judged(client_trust, scope, &payment, resource), Ok(()), "{scope}");
            }
        }
        assert!(judged(ClientTrust::SelfRegistered, "openid", &payment, None).is_err());
    }
}
