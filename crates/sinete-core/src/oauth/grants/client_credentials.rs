//! The client credentials grant.

use super::invalid_scope;
use crate::access_control::permission::{Permission, PermissionSet};
use crate::access_control::scope::{Scope, ScopeSet};
use crate::oauth::authorize::target_resource::TargetResource;
use crate::refusal::Refusal;

/// Resolves the requested permissions: the named scope, else all registered permissions available at the
/// named resource. Identity scopes are rejected, because there is no user.
pub fn resolve_requested_permissions(
    scopes: Option<&ScopeSet>,
    registered: &ScopeSet,
    resource: Option<TargetResource<'_>>,
) -> Result<PermissionSet, Refusal> {
    let Some(scopes) = scopes else {
        let is_there = |it: &Permission| resource.as_ref().is_none_or(|target| target.defines(it));
        let permissions = registered.permissions().retain(is_there);
        return if permissions.is_empty() {
            Err(invalid_scope("the client registered no permission of this resource"))
        } else {
            Ok(permissions)
        };
    };
    if scopes.iter().any(|scope| matches!(scope, Scope::Identity(_))) {
        return Err(invalid_scope("a machine has no identity scopes"));
    }
    if !scopes.is_within(registered) {
        return Err(invalid_scope("the scope exceeds what the client registered"));
    }
    if scopes.is_empty() { Err(invalid_scope("no scope")) } else { Ok(scopes.permissions()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::organizations::api_catalog::ApiDefinition;
    use crate::refusal::RefusalCode;

    fn api() -> ApiDefinition {
        let text = r#"{"identifier": "https://api.example", "name": "Invoices", "permissions":
            [{"permission": "invoices:read", "english": "Read"}, {"permission": "invoices:send", "english": "Send"}]}"#;
        serde_json::from_str(text).unwrap()
    }

    fn judged(requested_scope: Option<&str>, registered: &str, at_api: bool) -> Result<String, RefusalCode> {
        let (scopes, registered) =
            (requested_scope.map(|it| it.parse::<ScopeSet>().unwrap()), registered.parse().unwrap());
        let api = api();
        let result = resolve_requested_permissions(
            scopes.as_ref(),
            &registered,
            at_api.then_some(TargetResource::Api(&api)),
        );
        let words = |set: PermissionSet| set.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        result.map(words).map_err(|refusal| refusal.code())
    }

    #[test]
    fn client_credentials_scope_defaults_to_the_registered_one_for_the_resource() {
        let registered = "openid files:read invoices:read";
        assert_eq!(judged(None, registered, false), Ok("files:read invoices:read".to_owned()));
        assert_eq!(judged(None, registered, true), Ok("invoices:read".to_owned()));
        assert_eq!(judged(None, "openid files:read", true), Err(RefusalCode::InvalidScope));
        assert_eq!(judged(None, "openid", false), Err(RefusalCode::InvalidScope));
    }

    #[test]
    fn client_credentials_scope_is_limited_to_permissions_below_the_ceiling() {
        assert_eq!(judged(Some("invoices:read"), "invoices:*", true), Ok("invoices:read".to_owned()));
        for name in ["files:read", "invoices:*", "openid", "openid invoices:read"] {
            assert_eq!(
                judged(Some(name), "openid invoices:read", true),
                Err(RefusalCode::InvalidScope),
                "{name}"
            );
        }
    }
}
