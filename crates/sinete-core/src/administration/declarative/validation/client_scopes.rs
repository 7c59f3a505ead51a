//! The scopes of declared clients: each is an identity scope, a management permission, or a permission that an
//! API defines which the client can use.

use super::{ResultingInstance, is_offered};
use crate::access_control::permission::Permission;
use crate::access_control::permission_catalog::{PERMISSION_CATALOG, is_built_in_resource};
use crate::access_control::scope::Scope;
use crate::administration::declarative::{DeclaredApi, DeclaredClient};
use crate::validation::ValidationErrors;
use std::collections::BTreeSet;

/// Reports the scopes of a client that nothing defines, except those that the client has already and that were
/// unknown before: an export can always be applied again.
pub(super) fn report_unknown_scopes(
    before: &ResultingInstance<'_>,
    now: Option<&DeclaredClient>,
    after: &ResultingInstance<'_>,
    client: &DeclaredClient,
    pointer: &str,
    errors: &mut ValidationErrors,
) {
    let unknown_before = now.map(|now| unknown_scopes(before, now)).unwrap_or_default();
    for permission in unknown_scopes(after, client).difference(&unknown_before) {
        let text = format!(
            "{permission} is neither a management permission nor defined by an API that the client can use; \
             declare it at an API or remove it"
        );
        errors.add(format!("{pointer}/metadata/scope"), text);
    }
}

/// The permissions in the scope of a client that nothing defines. A client of the instance may be used in every
/// organization.
fn unknown_scopes<'c>(
    instance: &ResultingInstance<'_>,
    client: &'c DeclaredClient,
) -> BTreeSet<&'c Permission> {
    let is_usable = |api: &DeclaredApi| client.organization.as_ref().is_none_or(|slug| is_offered(api, slug));
    let is_known = |permission: &Permission| match is_built_in_resource(permission.resource()) {
        true => {
            permission.is_wildcard()
                || PERMISSION_CATALOG.iter().any(|it| it.permission == permission.as_str())
        }
        false => {
            let apis = instance.apis.iter().filter(|(_, api)| is_usable(api));
            apis.flat_map(|(_, api)| &api.definition.permissions).any(|it| permission.covers(&it.permission))
        }
    };
    let scopes = client.metadata.scope.iter().flat_map(|scope| scope.iter());
    let permissions = scopes.filter_map(|scope| match scope {
        Scope::Permission(permission) => Some(permission),
        Scope::Identity(_) => None,
    });
    permissions.filter(|permission| !is_known(permission)).collect()
}

#[cfg(test)]
mod tests {
    use crate::administration::declarative::DeclarativeConfig;
    use crate::administration::declarative::plan::DeclarativePrunePolicy;
    use crate::administration::declarative::tests::example;
    use crate::administration::declarative::validation::validate_against_instance;

    fn with_scope(client: &str, scope: &str) -> DeclarativeConfig {
        let mut raw = serde_json::to_value(example()).unwrap();
        raw["clients"]["portal"] = serde_json::json!({
            "kind": "application", "verified": true,
            "metadata": {"client_name": "Portal", "redirect_uris": ["https://portal.example/cb"]}
        });
        raw["clients"][client]["metadata"]["scope"] = scope.into();
        serde_json::from_value(raw).unwrap()
    }

    fn faults(current: &DeclarativeConfig, config: &DeclarativeConfig) -> Vec<String> {
        let errors = validate_against_instance(current, config, DeclarativePrunePolicy::Keep);
        errors.iter().map(|fault| format!("{} {}", fault.pointer, fault.text)).collect()
    }

    #[test]
    fn declarative_client_scope_that_is_undefined_is_reported() {
        let empty = DeclarativeConfig::default();
        for (client, scope) in [
            ("robot", "openid invoices:read"),
            ("robot", "invoices:*"),
            ("portal", "openid offline_access invoices:read members:read"),
        ] {
            assert_eq!(faults(&empty, &with_scope(client, scope)), Vec::<String>::new(), "{scope}");
        }
        for (client, scope, unknown) in [
            ("robot", "openid invoices:void", "invoices:void is neither"),
            ("robot", "files:*", "files:* is neither"),
            ("portal", "invoices:read members:fly", "members:fly is neither"),
        ] {
            let errors = faults(&empty, &with_scope(client, scope));
            let expected_prefix = format!("/clients/{client}/metadata/scope {unknown}");
            assert!(errors.len() == 1 && errors[0].starts_with(&expected_prefix), "{scope}: {errors:?}");
        }
    }

    #[test]
    fn declarative_client_scope_of_an_api_for_others_is_reported() {
        let mut config = with_scope("robot", "invoices:read");
        let other = serde_json::json!({"name": "Other", "settings": {}, "roles": {}});
        let other = serde_json::from_value(other).unwrap();
        config.organizations.insert("other".parse().unwrap(), other);
        config.organizations.values_mut().for_each(|organization| organization.roles.clear());
        let robot = config.clients.get_mut(&"robot".parse().unwrap()).unwrap();
        robot.organization = Some("other".parse().unwrap());
        robot.roles.clear();
        let errors = faults(&DeclarativeConfig::default(), &config);
        assert!(errors.len() == 1 && errors[0].starts_with("/clients/robot/metadata/scope"), "{errors:?}");
    }

    #[test]
    fn declarative_client_scope_that_lost_its_api_before_can_be_applied_again() {
        let unknown = with_scope("robot", "invoices:void");
        assert_eq!(faults(&unknown, &unknown), Vec::<String>::new());
        let mut without_api = with_scope("robot", "invoices:read");
        without_api.apis.clear();
        without_api.organizations.values_mut().for_each(|organization| organization.roles.clear());
        without_api.clients.get_mut(&"robot".parse().unwrap()).unwrap().roles.clear();
        let removed = validate_against_instance(
            &with_scope("robot", "invoices:read"),
            &without_api,
            DeclarativePrunePolicy::Remove,
        );
        let places: Vec<_> = removed.iter().map(|fault| fault.pointer.as_str()).collect();
        assert_eq!(places, ["/clients/robot/metadata/scope"]);
    }
}
