//! The target of a request: its scopes, checked against the client's allowed scopes and the API's definition,
//! and the single audience of its tokens. Scopes are never trimmed; a request is granted or rejected as a
//! whole.

use super::consent::ClientTrust;
use super::params::AuthorizationParams;
use super::response::{AuthorizationErrorCode, AuthorizationRefusal};
use crate::access_control::Authority;
use crate::access_control::permission::{Permission, PermissionSet};
use crate::access_control::permission_catalog;
use crate::access_control::permission_catalog::is_built_in_resource;
use crate::access_control::scope::ScopeSet;
use crate::oauth::authorization_details::AuthorizationDetails;
use crate::oauth::client_metadata::ClientMetadata;
use crate::oauth::scope_ceiling::{ScopeCeiling, describe_missing_permissions, list_scopes};
use crate::organizations::api_catalog::{ApiClientPolicy, ApiDefinition, ApiIdentifier};

/// Where tokens can be used.
#[derive(Clone, Copy, Debug)]
pub enum TargetResource<'a> {
    /// Our own APIs, identified by the issuer.
    Instance(&'a ApiIdentifier),
    /// A registered API.
    Api(&'a ApiDefinition),
}

/// Resolves the requested scopes and checks that the client may request all of them: the scope parameter,
/// else the API's default scopes, else the client's registered scopes.
pub fn resolve_scopes(
    params: &AuthorizationParams,
    ceiling: &ScopeCeiling<'_>,
    metadata: &ClientMetadata,
    resource: Option<TargetResource<'_>>,
) -> Result<ScopeSet, AuthorizationRefusal> {
    let default_scope = match resource {
        Some(TargetResource::Api(api)) => Some(&api.default_scope).filter(|scope| !scope.is_empty()),
        Some(TargetResource::Instance(_)) | None => None,
    };
    let scopes =
        params.scope.as_ref().or(default_scope).or(metadata.scope.as_ref()).cloned().unwrap_or_default();
    if scopes.is_empty() && params.details.is_empty() {
        return Err((
            AuthorizationErrorCode::InvalidScope,
            "The parameter scope is missing, and the client and API have no default. Send a scope.".into(),
        ));
    }
    if let Some(excess) = ceiling.find_excess(&scopes) {
        return Err((AuthorizationErrorCode::InvalidScope, ceiling.describe_excess(&excess).into()));
    }
    if let Some(target) = resource {
        target.require_defined_permissions(&scopes.permissions())?;
    }
    Ok(scopes)
}

/// Finds the single API that defines all these permissions, given the owner of each resource name; our own if
/// there are no permissions. One token cannot hold permissions of two APIs.
pub fn resolve_audience<Owner: PartialEq + Clone>(
    permissions: &PermissionSet,
    offered_resources: &[(String, Owner)],
) -> Result<Option<Owner>, AuthorizationRefusal> {
    let mut owners = Vec::new();
    for permission in permissions.iter() {
        let resource = permission.resource();
        let owner = match offered_resources.iter().find(|(name, _)| name == resource) {
            Some((_, owner)) => Some(owner.clone()),
            None if is_built_in_resource(resource) => None,
            None => {
                let text = format!(
                    "The scope contains {}, which no API offered to this organization defines. Accepted: \
                     permissions of its APIs.",
                    permission.as_str()
                );
                return Err((AuthorizationErrorCode::InvalidScope, text.into()));
            }
        };
        if !owners.contains(&owner) {
            owners.push(owner);
        }
    }
    match owners.len() {
        0 => Ok(None),
        1 => Ok(owners.remove(0)),
        _ => Err((
            AuthorizationErrorCode::InvalidTarget,
            "The scope has permissions of several APIs. Send one of them as the parameter resource.".into(),
        )),
    }
}

impl TargetResource<'_> {
    /// The API identifier (`aud`).
    pub const fn identifier(&self) -> &ApiIdentifier {
        match self {
            Self::Instance(issuer) => issuer,
            Self::Api(api) => &api.identifier,
        }
    }

    /// Rejects a permission that the API does not define. Unknown scopes are never ignored.
    pub fn require_defined_permissions(
        &self,
        permissions: &PermissionSet,
    ) -> Result<(), AuthorizationRefusal> {
        let Some(unknown) = permissions.iter().find(|permission| !self.defines(permission)) else {
            return Ok(());
        };
        let accepted = match self {
            Self::Instance(_) => "permissions of this service".to_owned(),
            Self::Api(api) if api.default_scope.is_empty() => "permissions that it defines".to_owned(),
            Self::Api(api) => {
                format!("permissions that it defines, by default {}", list_scopes(&api.default_scope))
            }
        };
        let text = format!(
            "The scope contains {}, which the resource does not define. Accepted: {accepted}.",
            unknown.as_str()
        );
        Err((AuthorizationErrorCode::InvalidScope, text.into()))
    }

    /// Whether the API defines the permission.
    pub fn defines(&self, permission: &Permission) -> bool {
        match self {
            Self::Instance(_) => is_built_in_permission(permission),
            Self::Api(api) => api.defines_permission(permission),
        }
    }

    /// Rejects authorization details with an unknown type or that do not match the schema.
    pub fn validate_details(
        &self,
        details: &AuthorizationDetails,
        metadata: &ClientMetadata,
    ) -> Result<(), AuthorizationRefusal> {
        if details.is_empty() {
            return Ok(());
        }
        let refused = AuthorizationErrorCode::InvalidAuthorizationDetails;
        match self {
            Self::Instance(_) => Err((
                refused,
                "The parameter authorization_details needs the parameter \
                resource. Send the identifier of the API."
                    .into(),
            )),
            Self::Api(api) => {
                let checked =
                    details.validate_types(&api.detail_types, &metadata.authorization_details_types);
                checked.map_err(|_| {
                    (
                        refused,
                        "The parameter authorization_details does not match the types of the API. \
                               Compare it with authorization_details_types of the API."
                            .into(),
                    )
                })
            }
        }
    }

    /// Rejects what an untrusted client may not get at this API. The organization's rule for such clients is
    /// checked first; only [`crate::oauth::organization_policy`] calls both.
    pub(in crate::oauth) fn check_client_trust(
        &self,
        client_trust: ClientTrust,
        permissions: &PermissionSet,
        details: &AuthorizationDetails,
    ) -> Result<(), AuthorizationRefusal> {
        if client_trust != ClientTrust::SelfRegistered {
            return Ok(());
        }
        let touched = !permissions.is_empty() || !details.is_empty();
        let refused = match self {
            // A client that registered itself gets nothing at our own APIs.
            Self::Instance(_) => touched,
            Self::Api(api) => match api.unverified_clients {
                ApiClientPolicy::Allow => false,
                ApiClientPolicy::IrreversibleRefused => {
                    permissions.iter().any(|permission| api.is_irreversible(permission))
                }
                ApiClientPolicy::Refuse => touched,
            },
        };
        if !refused {
            return Ok(());
        }
        Err((
            AuthorizationErrorCode::AccessDenied,
            "An unverified client cannot get this scope. Ask an operator to verify the client.".into(),
        ))
    }
}

/// Rejects permissions that the user does not hold.
pub fn require_permissions(
    authority: &Authority,
    permissions: &PermissionSet,
) -> Result<(), AuthorizationRefusal> {
    let missing_permissions: PermissionSet =
        permissions.iter().filter(|it| !authority.covers(it)).cloned().collect();
    let refused =
        |_| (AuthorizationErrorCode::InvalidScope, describe_missing_permissions(&missing_permissions).into());
    authority.narrow(permissions).map(drop).map_err(refused)
}

fn is_built_in_permission(permission: &Permission) -> bool {
    let names_resource = permission.is_wildcard() && is_built_in_resource(permission.resource());
    names_resource || permission_catalog::find_permission(permission).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access_control::subject::SignInStatus;
    use crate::oauth::authorize::request::tests::check;
    use AuthorizationErrorCode::{AccessDenied, InvalidAuthorizationDetails, InvalidScope, InvalidTarget};

    fn api(policy: &str) -> ApiDefinition {
        let text = format!(
            r#"{{"identifier": "https://api.example", "name": "Invoices", "default_scope": "invoices:read",
            "unverified_clients": "{policy}", "detail_types": {{"payment": {{"type": "object"}}}},
            "permissions": [{{"permission": "invoices:read", "english": "Read"}},
                {{"permission": "invoices:delete", "english": "Delete", "irreversible": true}}]}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    fn asked(
        scope: Option<&str>,
        registered: Option<&str>,
        at: Option<TargetResource<'_>>,
    ) -> Result<String, AuthorizationErrorCode> {
        let request = check(&[("scope", scope)], SignInStatus::SignedIn).unwrap();
        let metadata =
            ClientMetadata { scope: registered.map(|it| it.parse().unwrap()), ..ClientMetadata::default() };
        let ceiling = metadata.scope.clone().unwrap_or_else(|| "openid profile".parse().unwrap());
        resolve_scopes(&request.params, &ScopeCeiling::exactly(&ceiling), &metadata, at)
            .map(|scopes| scopes.to_string())
            .map_err(|(error, _)| error)
    }

    fn permissions(scope: &str) -> PermissionSet {
        scope.parse::<ScopeSet>().unwrap().permissions()
    }

    #[test]
    fn scope_omitted_defaults_to_the_api_or_the_client() {
        let api = api("allow");
        let at = Some(TargetResource::Api(&api));
        assert_eq!(asked(None, Some("openid invoices:*"), at), Ok("invoices:read".to_owned()));
        assert_eq!(asked(None, Some("openid email"), None), Ok("openid email".to_owned()));
        assert_eq!(asked(None, None, None), Err(InvalidScope));
        assert_eq!(asked(None, Some("openid"), at), Err(InvalidScope), "the usual is not trimmed to fit");
    }

    #[test]
    fn scope_beyond_the_registered_ones_or_unknown_is_invalid_scope() {
        let api = api("allow");
        let at = Some(TargetResource::Api(&api));
        assert_eq!(asked(Some("openid"), Some("openid"), None), Ok("openid".to_owned()));
        assert_eq!(asked(Some("openid email"), Some("openid"), None), Err(InvalidScope));
        assert_eq!(asked(Some("invoices:delete"), Some("invoices:*"), at), Ok("invoices:delete".to_owned()));
        for unknown in ["invoices:fly", "files:read", "members:read"] {
            assert_eq!(asked(Some(unknown), Some("invoices:* files:* members:*"), at), Err(InvalidScope));
        }
        let issuer: ApiIdentifier = "https://id.example".parse().unwrap();
        let ours = Some(TargetResource::Instance(&issuer));
        assert_eq!(asked(Some("members:read"), Some("members:*"), ours), Ok("members:read".to_owned()));
        assert_eq!(asked(Some("members:fly"), Some("members:*"), ours), Err(InvalidScope));
    }

    #[test]
    fn token_audience_is_exactly_one_api() {
        let api_resources = [("invoices".to_owned(), 1), ("lines".to_owned(), 1), ("files".to_owned(), 2)];
        let resolve =
            |scope| resolve_audience(&permissions(scope), &api_resources).map_err(|(error, _)| error);
        assert_eq!(resolve("openid"), Ok(None));
        assert_eq!(resolve("members:read"), Ok(None));
        assert_eq!(resolve("invoices:read lines:*"), Ok(Some(1)));
        assert_eq!(resolve("invoices:read files:read"), Err(InvalidTarget));
        assert_eq!(resolve("invoices:read members:read"), Err(InvalidTarget));
        assert_eq!(resolve("planets:read"), Err(InvalidScope));
    }

    #[test]
    fn client_trust_limits_the_scopes_of_an_api() {
        let judged = |policy: &str, client_trust, scope: &str| {
            let api = api(policy);
            let target = TargetResource::Api(&api);
            let judged = target.check_client_trust(
                client_trust,
                &permissions(scope),
                &AuthorizationDetails::default(),
            );
            judged.map_err(|(error, _)| error)
        };
        assert_eq!(judged("refuse", ClientTrust::Operator, "invoices:*"), Ok(()));
        assert_eq!(judged("allow", ClientTrust::SelfRegistered, "invoices:*"), Ok(()));
        assert_eq!(judged("irreversible_refused", ClientTrust::SelfRegistered, "invoices:read"), Ok(()));
        for scope in ["invoices:delete", "invoices:*"] {
            assert_eq!(judged("irreversible_refused", ClientTrust::SelfRegistered, scope), Err(AccessDenied));
        }
        assert_eq!(judged("refuse", ClientTrust::SelfRegistered, "invoices:read"), Err(AccessDenied));
        let issuer: ApiIdentifier = "https://id.example".parse().unwrap();
        let ours = TargetResource::Instance(&issuer);
        let none = AuthorizationDetails::default();
        assert!(ours.check_client_trust(ClientTrust::SelfRegistered, &permissions("openid"), &none).is_ok());
        assert!(
            ours.check_client_trust(ClientTrust::SelfRegistered, &permissions("members:read"), &none)
                .is_err()
        );
    }

    #[test]
    fn authorization_details_are_refused_for_an_api_that_does_not_define_them() {
        let (api, issuer) = (api("allow"), "https://id.example".parse().unwrap());
        let (resource, ours) = (TargetResource::Api(&api), TargetResource::Instance(&issuer));
        let metadata = ClientMetadata::default();
        let payment: AuthorizationDetails = r#"[{"type":"payment"}]"#.parse().unwrap();
        let other: AuthorizationDetails = r#"[{"type":"planet"}]"#.parse().unwrap();
        assert_eq!(resource.validate_details(&payment, &metadata), Ok(()));
        assert_eq!(ours.validate_details(&AuthorizationDetails::default(), &metadata), Ok(()));
        for refused in
            [resource.validate_details(&other, &metadata), ours.validate_details(&payment, &metadata)]
        {
            assert_eq!(refused.unwrap_err().0, InvalidAuthorizationDetails);
        }
    }
}
