//! Validates a document against the instance it is applied to: every reference resolves to an existing or
//! declared resource, and no two resources conflict.

mod client_scopes;

use super::plan::DeclarativePrunePolicy;
use super::{
    ApiAvailability, DeclarativeConfig, DeclaredApi, DeclaredClient, escape_pointer_segment,
    identity_providers, webhooks,
};
use crate::access_control::permission::Permission;
use crate::access_control::permission_catalog;
use crate::access_control::permission_catalog::{BuiltInRole, PermissionReach, is_built_in_resource};
use crate::access_control::scope::Scope;
use crate::organization_kind::OrganizationKind;
use crate::organizations::OrganizationSlug;
use crate::validation::ValidationErrors;
use std::collections::{BTreeMap, BTreeSet};

/// Validates the document against the current state of the instance and returns all errors.
pub fn validate_against_instance(
    current: &DeclarativeConfig,
    config: &DeclarativeConfig,
    unmentioned: DeclarativePrunePolicy,
) -> ValidationErrors {
    let mut errors = ValidationErrors::default();
    let after = ResultingInstance::resolve(current, config, unmentioned);
    after.organization_faults(current, config, &mut errors);
    for (name, api) in &config.apis {
        after.api_faults(current, name, api, &mut errors);
    }
    let nothing = DeclarativeConfig::default();
    let before = ResultingInstance::resolve(current, &nothing, DeclarativePrunePolicy::Keep);
    for (id, client) in &config.clients {
        let (now, pointer) = (current.clients.get(id), format!("/clients/{id}"));
        after.client_faults(now, &pointer, client, &mut errors);
        client_scopes::report_unknown_scopes(&before, now, &after, client, &pointer, &mut errors);
    }
    webhooks::validate_webhooks_against_instance(current, config, unmentioned, &mut errors);
    identity_providers::validate_unmentioned_connections(current, config, unmentioned, &mut errors);
    errors
}

/// The instance as it will be after the document is applied.
struct ResultingInstance<'a> {
    organizations: BTreeSet<&'a OrganizationSlug>,
    /// The APIs, each with its name in the document if the document mentions it.
    apis: Vec<(Option<&'a str>, &'a DeclaredApi)>,
    roles: BTreeMap<&'a OrganizationSlug, BTreeSet<&'a str>>,
}

impl<'a> ResultingInstance<'a> {
    fn resolve(
        current: &'a DeclarativeConfig,
        config: &'a DeclarativeConfig,
        unmentioned: DeclarativePrunePolicy,
    ) -> Self {
        let removes = unmentioned == DeclarativePrunePolicy::Remove;
        let mentioned = |api: &DeclaredApi| {
            config.apis.values().any(|it| it.definition.identifier == api.definition.identifier)
        };
        let stays = |api: &&DeclaredApi| {
            let is_removed = removes && config.covers_organization(api.organization.as_ref());
            !mentioned(api) && !is_removed
        };
        let declared = config.apis.iter().map(|(name, api)| (Some(name.as_str()), api));
        let others = current.apis.values().filter(stays).map(|api| (None, api));
        let mut roles: BTreeMap<&OrganizationSlug, BTreeSet<&str>> = BTreeMap::new();
        for (slug, organization) in &config.organizations {
            roles.entry(slug).or_default().extend(organization.roles.keys().map(String::as_str));
        }
        for (slug, organization) in &current.organizations {
            if !(removes && config.organizations.contains_key(slug)) {
                roles.entry(slug).or_default().extend(organization.roles.keys().map(String::as_str));
            }
        }
        Self {
            organizations: current.organizations.keys().chain(config.organizations.keys()).collect(),
            apis: declared.chain(others).collect(),
            roles,
        }
    }

    fn organization_faults(
        &self,
        current: &DeclarativeConfig,
        config: &DeclarativeConfig,
        errors: &mut ValidationErrors,
    ) {
        for (slug, organization) in &config.organizations {
            let now = current.organizations.get(slug);
            if let (Some(declared_id), Some(id)) = (organization.id, now.and_then(|it| it.id))
                && declared_id != id
            {
                errors.add(
                    format!("/organizations/{slug}/id"),
                    "this organization has another id; remove this member or correct it",
                );
            }
            if kind_from_slug(slug) != OrganizationKind::Customer && organization.id.is_some() {
                errors.add(
                    format!("/organizations/{slug}/id"),
                    "the id of a built-in organization cannot be chosen; remove this member",
                );
            }
            for (name, role) in &organization.roles {
                let undefined = role.permissions.iter().filter(|it| !self.is_defined(slug, it));
                for permission in undefined {
                    let text = format!(
                        "{permission} is neither a management permission nor defined by an API that is \
                         offered to the organization"
                    );
                    errors.add(format!("/organizations/{slug}/roles/{name}/permissions"), text);
                }
            }
        }
    }

    /// Whether the permission is defined for roles of this organization.
    fn is_defined(&self, slug: &OrganizationSlug, permission: &Permission) -> bool {
        if is_built_in_resource(permission.resource()) {
            return permission_catalog::find_permission(permission)
                .is_some_and(|it| it.reach == PermissionReach::Organization);
        }
        let offered_apis = self.apis.iter().filter(|(_, api)| is_offered(api, slug));
        offered_apis
            .flat_map(|(_, api)| &api.definition.permissions)
            .any(|it| permission.covers(&it.permission))
    }

    fn api_faults(
        &self,
        current: &DeclarativeConfig,
        name: &str,
        api: &DeclaredApi,
        errors: &mut ValidationErrors,
    ) {
        let pointer_to = |rest: &str| format!("/apis/{}{rest}", escape_pointer_segment(name));
        let identifier = &api.definition.identifier;
        let twins = self.apis.iter().filter(|(_, it)| it.definition.identifier == *identifier).count();
        if twins > 1 {
            errors.add(
                pointer_to("/definition/identifier"),
                "two APIs of the document have this identifier; each must be unique",
            );
        }
        if let Some(now) = current.apis.values().find(|it| it.definition.identifier == *identifier) {
            if api.id.is_some() && api.id != now.id {
                errors.add(
                    pointer_to("/id"),
                    "the API with this identifier has another id; remove this member or correct it",
                );
            }
            if api.organization != now.organization {
                errors.add(
                    pointer_to("/organization"),
                    "an API cannot be moved to another organization; create a new one",
                );
            }
        }
        if let Some(slug) = api.organization.as_ref().filter(|slug| !self.organizations.contains(slug)) {
            errors.add(pointer_to("/organization"), format!("the organization {slug} does not exist"));
        }
        if let ApiAvailability::Organizations(organization_slugs) = &api.offered_to {
            for slug in organization_slugs.iter().filter(|slug| !self.organizations.contains(slug)) {
                errors.add(pointer_to("/offered_to"), format!("the organization {slug} does not exist"));
            }
        }
        let others =
            self.apis.iter().filter(|(other, it)| *other != Some(name) && share_an_organization(it, api));
        let taken_resources: BTreeSet<_> = others.flat_map(|(_, it)| it.definition.resources()).collect();
        for (number, text) in api.definition.permissions.iter().enumerate() {
            if taken_resources.contains(text.permission.resource()) {
                errors.add(
                    pointer_to(&format!("/definition/permissions/{number}/permission")),
                    "another API that is offered to the same organization defines this resource name; choose \
                     another",
                );
            }
        }
    }

    fn client_faults(
        &self,
        now: Option<&DeclaredClient>,
        pointer: &str,
        client: &DeclaredClient,
        errors: &mut ValidationErrors,
    ) {
        if now.is_some_and(|now| now.kind != client.kind) {
            errors.add(
                format!("{pointer}/kind"),
                "the kind of a client cannot be changed; create a new client",
            );
        }
        if now.is_some_and(|now| now.organization != client.organization) {
            errors.add(
                format!("{pointer}/organization"),
                "a client cannot be moved to another organization; create a new one",
            );
        }
        if let Some(slug) = &client.organization {
            if !self.organizations.contains(slug) {
                errors.add(
                    format!("{pointer}/organization"),
                    format!("the organization {slug} does not exist"),
                );
            }
            for role in client.roles.iter().filter(|role| !self.has_role(slug, role)) {
                errors.add(format!("{pointer}/roles"), format!("the organization {slug} has no role {role}"));
            }
        }
        let scopes = client.metadata.scope.iter().flat_map(|scope| scope.iter());
        let ours = |scope: &Scope| match scope {
            Scope::Permission(it) => is_built_in_resource(it.resource()),
            Scope::Identity(_) => false,
        };
        if !client.verified && scopes.into_iter().any(ours) {
            let text =
                "only a client that an operator has verified may have management permissions in its scope";
            errors.add(format!("{pointer}/metadata/scope"), text);
        }
    }

    fn has_role(&self, slug: &OrganizationSlug, role: &str) -> bool {
        let is_built_in =
            BuiltInRole::for_organization_kind(kind_from_slug(slug)).iter().any(|it| it.name() == role);
        is_built_in || self.roles.get(slug).is_some_and(|roles| roles.contains(role))
    }
}

/// Derives the organization kind from the slug: the two built-in organizations have fixed slugs.
fn kind_from_slug(slug: &OrganizationSlug) -> OrganizationKind {
    match slug.as_str() {
        OrganizationKind::OPERATORS => OrganizationKind::Operator,
        OrganizationKind::HOME => OrganizationKind::Home,
        _ => OrganizationKind::Customer,
    }
}

fn is_offered(api: &DeclaredApi, slug: &OrganizationSlug) -> bool {
    match (&api.organization, &api.offered_to) {
        (Some(owner), _) => owner == slug,
        (None, ApiAvailability::All) => true,
        (None, ApiAvailability::Organizations(organization_slugs)) => organization_slugs.contains(slug),
    }
}

/// Whether both APIs are visible to some organization. An API of the instance is visible to all, an
/// organization's own API only to it.
fn share_an_organization(one: &DeclaredApi, other: &DeclaredApi) -> bool {
    match (&one.organization, &other.organization) {
        (Some(one), Some(other)) => one == other,
        (None, _) | (_, None) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::administration::declarative::tests::example;

    fn places(
        current: &DeclarativeConfig,
        config: &DeclarativeConfig,
        unmentioned: DeclarativePrunePolicy,
    ) -> Vec<String> {
        validate_against_instance(current, config, unmentioned)
            .iter()
            .map(|fault| fault.pointer.clone())
            .collect()
    }

    fn changed(change: impl FnOnce(&mut serde_json::Value)) -> DeclarativeConfig {
        let mut raw = serde_json::to_value(example()).unwrap();
        change(&mut raw);
        serde_json::from_value(raw).unwrap()
    }

    #[test]
    fn declarative_document_fits_an_empty_instance_and_itself() {
        for unmentioned in [DeclarativePrunePolicy::Keep, DeclarativePrunePolicy::Remove] {
            assert_eq!(places(&DeclarativeConfig::default(), &example(), unmentioned), Vec::<String>::new());
            assert_eq!(places(&example(), &example(), unmentioned), Vec::<String>::new());
        }
    }

    #[test]
    fn declarative_document_with_dangling_references_is_reported() {
        let config = changed(|raw| {
            raw["apis"]["invoices"]["offered_to"] = serde_json::json!({"organizations": ["nowhere"]});
            raw["clients"]["robot"]["roles"] = serde_json::json!(["clerk", "boss", "operator"]);
            raw["clients"]["robot"]["metadata"]["scope"] = "members:read".into();
            raw["organizations"]["acme"]["roles"]["clerk"]["permissions"] =
                serde_json::json!(["invoices:read", "members:read", "instance:operate", "files:*"]);
        });
        let expected = [
            "/organizations/acme/roles/clerk/permissions",
            "/organizations/acme/roles/clerk/permissions",
            "/organizations/acme/roles/clerk/permissions",
            "/apis/invoices/offered_to",
            "/clients/robot/roles",
            "/clients/robot/roles",
            "/clients/robot/metadata/scope",
        ];
        assert_eq!(places(&DeclarativeConfig::default(), &config, DeclarativePrunePolicy::Keep), expected);
        let lost = changed(|raw| {
            raw["organizations"] = serde_json::json!({});
            raw["apis"] = serde_json::json!({});
        });
        assert_eq!(
            places(&DeclarativeConfig::default(), &lost, DeclarativePrunePolicy::Keep),
            ["/clients/robot/organization", "/clients/robot/roles"]
        );
        // Existing resources can be referenced unless the document removes them.
        assert_eq!(places(&example(), &lost, DeclarativePrunePolicy::Keep), Vec::<String>::new());
    }

    #[test]
    fn declarative_document_keeps_resource_names_unique_beside_existing_apis() {
        let other = |organization: Option<&str>| {
            changed(|raw| {
                let mut api = raw["apis"]["invoices"].take();
                api["definition"]["identifier"] = "https://other.example".into();
                if let Some(slug) = organization {
                    api["organization"] = slug.into();
                    api["offered_to"] = "all".into();
                }
                raw["organizations"]["other"] = serde_json::json!({"name": "Other"});
                raw["organizations"]["acme"]["roles"] = serde_json::json!({});
                raw["clients"] = serde_json::json!({});
                raw["apis"] = serde_json::json!({"another": api});
            })
        };
        let conflict_pointer = "/apis/another/definition/permissions/0/permission";
        assert_eq!(places(&example(), &other(None), DeclarativePrunePolicy::Keep), [conflict_pointer]);
        assert_eq!(places(&example(), &other(None), DeclarativePrunePolicy::Remove), Vec::<String>::new());
        assert_eq!(
            places(&example(), &other(Some("other")), DeclarativePrunePolicy::Keep),
            [conflict_pointer]
        );
        // An organization's own APIs are never visible to another organization.
        let build_document = |slug: &str, host: &str| {
            let mut document = other(Some(slug));
            let api = document.apis.get_mut("another").unwrap();
            api.definition.identifier = format!("https://{host}.example").parse().unwrap();
            document
        };
        assert_eq!(
            places(&build_document("acme", "a"), &build_document("other", "b"), DeclarativePrunePolicy::Keep),
            Vec::<String>::new()
        );
        assert_eq!(
            places(&build_document("acme", "a"), &build_document("acme", "b"), DeclarativePrunePolicy::Keep),
            [conflict_pointer]
        );
        let twins = changed(|raw| raw["apis"]["twin"] = raw["apis"]["invoices"].clone());
        assert_eq!(places(&DeclarativeConfig::default(), &twins, DeclarativePrunePolicy::Keep).len(), 4);
    }

    #[test]
    fn declarative_document_cannot_change_kind_or_owner() {
        let mut current = example();
        current.organizations.values_mut().for_each(|it| it.id = Some(crate::id::Id::from_bytes([1; 16])));
        current.apis.values_mut().for_each(|it| it.id = Some(crate::id::Id::from_bytes([2; 16])));
        let other = "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071";
        let config = changed(|raw| {
            raw["organizations"]["acme"]["id"] = other.into();
            raw["organizations"]["operator"] = serde_json::json!({"name": "Operators", "id": other});
            raw["apis"]["invoices"]["id"] = other.into();
            raw["apis"]["invoices"]["organization"] = "acme".into();
            raw["apis"]["invoices"]["offered_to"] = "all".into();
            raw["clients"]["robot"]["kind"] = "service".into();
            raw["clients"]["robot"]["organization"] = "operator".into();
            raw["clients"]["robot"]["roles"] = serde_json::json!(["operator"]);
        });
        let expected = [
            "/organizations/acme/id",
            "/organizations/operator/id",
            "/apis/invoices/id",
            "/apis/invoices/organization",
            "/clients/robot/kind",
            "/clients/robot/organization",
        ];
        assert_eq!(places(&current, &config, DeclarativePrunePolicy::Keep), expected);
    }
}
