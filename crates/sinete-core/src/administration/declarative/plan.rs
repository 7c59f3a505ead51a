//! Plans the changes that lead from the current configuration to the desired one, in an order in which each
//! can be applied.

use super::identity_providers;
use super::identity_providers::IdentityProviderChange;
use super::webhooks;
use super::webhooks::DeclaredWebhook;
use super::{DeclarativeConfig, DeclaredApi, DeclaredClient, DeclaredOrganization, DeclaredRole};
use crate::client_id::ClientId;
use crate::organizations::OrganizationSlug;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// One change to the instance.
#[derive(Clone, Debug, PartialEq)]
pub enum DeclarativeChange {
    /// Creates an organization.
    CreateOrganization(OrganizationSlug, DeclaredOrganization),
    /// Updates the name or settings of an organization.
    UpdateOrganization(OrganizationSlug, DeclaredOrganization, Vec<ValueDifference>),
    /// Creates an API.
    CreateApi(String, DeclaredApi),
    /// Updates an API.
    UpdateApi(String, DeclaredApi, Vec<ValueDifference>),
    /// Creates a role.
    CreateRole(OrganizationSlug, String, DeclaredRole),
    /// Updates a role.
    UpdateRole(OrganizationSlug, String, DeclaredRole, Vec<ValueDifference>),
    /// Creates a client.
    CreateClient(ClientId, DeclaredClient),
    /// Updates a client.
    UpdateClient(ClientId, DeclaredClient, Vec<ValueDifference>),
    /// Creates a webhook of an organization or of the instance.
    CreateWebhook(Option<OrganizationSlug>, String, DeclaredWebhook),
    /// Updates the URL, event types or secret of a webhook.
    UpdateWebhook(Option<OrganizationSlug>, String, DeclaredWebhook, Vec<ValueDifference>),
    /// Removes a webhook that is not declared.
    RemoveWebhook(Option<OrganizationSlug>, String),
    /// Changes the domains or connections of an organization.
    SingleSignOn(OrganizationSlug, IdentityProviderChange),
    /// Removes a client that is not declared.
    RemoveClient(ClientId),
    /// Removes a role that is not declared.
    RemoveRole(OrganizationSlug, String),
    /// Removes an API that is not declared.
    RemoveApi(String),
}

/// A value that differs, with its location.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueDifference {
    /// A JSON pointer to the value within the changed resource.
    pub pointer: String,
    /// The current value.
    pub before: Option<Value>,
    /// The desired value.
    pub after: Option<Value>,
}

/// What to do with resources that the document omits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclarativePrunePolicy {
    /// Keep them.
    Keep,
    /// Remove webhooks, clients, roles and APIs. Organizations are never removed by a document.
    Remove,
}

/// Plans the changes that lead from `current` to `config`. Returns an empty list if nothing differs.
///
/// Dependencies come first: organizations, APIs, roles, clients, webhooks. Removals are in the reverse order.
pub fn plan_changes(
    current: &DeclarativeConfig,
    config: &DeclarativeConfig,
    unmentioned: DeclarativePrunePolicy,
) -> Vec<DeclarativeChange> {
    let mut changes = Vec::new();
    plan_organizations(current, config, &mut changes);
    plan_apis(current, config, &mut changes);
    plan_roles(current, config, &mut changes);
    plan_clients(current, config, &mut changes);
    webhooks::plan_changes(current, config, &mut changes);
    if unmentioned == DeclarativePrunePolicy::Remove {
        identity_providers::plan_removals(current, config, &mut changes);
    }
    identity_providers::plan_changes(current, config, &mut changes);
    if unmentioned == DeclarativePrunePolicy::Remove {
        webhooks::plan_removals(current, config, &mut changes);
        plan_removals(current, config, &mut changes);
    }
    changes
}

fn plan_organizations(
    current: &DeclarativeConfig,
    config: &DeclarativeConfig,
    changes: &mut Vec<DeclarativeChange>,
) {
    for (slug, organization) in &config.organizations {
        let bare = |it: &DeclaredOrganization| DeclaredOrganization {
            roles: BTreeMap::new(),
            webhooks: BTreeMap::new(),
            domains: BTreeSet::new(),
            connections: BTreeMap::new(),
            ..it.clone()
        };
        match current.organizations.get(slug) {
            None => changes.push(DeclarativeChange::CreateOrganization(slug.clone(), organization.clone())),
            Some(now) => {
                let declared_organization =
                    DeclaredOrganization { id: organization.id.or(now.id), ..bare(organization) };
                let differences = find_differences(&bare(now), &declared_organization);
                if !differences.is_empty() {
                    changes.push(DeclarativeChange::UpdateOrganization(
                        slug.clone(),
                        declared_organization,
                        differences,
                    ));
                }
            }
        }
    }
}

fn plan_apis(current: &DeclarativeConfig, config: &DeclarativeConfig, changes: &mut Vec<DeclarativeChange>) {
    for (name, api) in &config.apis {
        match current_api(current, api) {
            None => changes.push(DeclarativeChange::CreateApi(name.clone(), api.clone())),
            Some(now) => {
                let declared_api = DeclaredApi { id: api.id.or(now.id), ..api.clone() };
                let differences = find_differences(now, &declared_api);
                if !differences.is_empty() {
                    changes.push(DeclarativeChange::UpdateApi(name.clone(), declared_api, differences));
                }
            }
        }
    }
}

/// Finds the existing API with the same identifier, regardless of its name in the document.
fn current_api<'a>(current: &'a DeclarativeConfig, api: &DeclaredApi) -> Option<&'a DeclaredApi> {
    current.apis.values().find(|now| now.definition.identifier == api.definition.identifier)
}

fn plan_roles(current: &DeclarativeConfig, config: &DeclarativeConfig, changes: &mut Vec<DeclarativeChange>) {
    for (slug, organization) in &config.organizations {
        let now = current.organizations.get(slug).map(|it| &it.roles);
        for (name, role) in &organization.roles {
            match now.and_then(|roles| roles.get(name)) {
                None => changes.push(DeclarativeChange::CreateRole(slug.clone(), name.clone(), role.clone())),
                Some(before) => {
                    let differences = find_differences(before, role);
                    if !differences.is_empty() {
                        changes.push(DeclarativeChange::UpdateRole(
                            slug.clone(),
                            name.clone(),
                            role.clone(),
                            differences,
                        ));
                    }
                }
            }
        }
    }
}

fn plan_clients(
    current: &DeclarativeConfig,
    config: &DeclarativeConfig,
    changes: &mut Vec<DeclarativeChange>,
) {
    for (id, client) in &config.clients {
        match current.clients.get(id) {
            None => changes.push(DeclarativeChange::CreateClient(id.clone(), client.clone())),
            Some(now) => {
                let differences = find_differences(now, client);
                if !differences.is_empty() {
                    changes.push(DeclarativeChange::UpdateClient(id.clone(), client.clone(), differences));
                }
            }
        }
    }
}

fn plan_removals(
    current: &DeclarativeConfig,
    config: &DeclarativeConfig,
    changes: &mut Vec<DeclarativeChange>,
) {
    // An organization that the document does not list keeps everything.
    for (id, client) in &current.clients {
        if !config.clients.contains_key(id) && config.covers_organization(client.organization.as_ref()) {
            changes.push(DeclarativeChange::RemoveClient(id.clone()));
        }
    }
    for (slug, organization) in &current.organizations {
        let Some(declared_organization) = config.organizations.get(slug) else { continue };
        let gone = organization.roles.keys().filter(|name| !declared_organization.roles.contains_key(*name));
        changes.extend(gone.map(|name| DeclarativeChange::RemoveRole(slug.clone(), name.clone())));
    }
    for (name, api) in &current.apis {
        let is_mentioned =
            config.apis.values().any(|it| it.definition.identifier == api.definition.identifier);
        if !is_mentioned && config.covers_organization(api.organization.as_ref()) {
            changes.push(DeclarativeChange::RemoveApi(name.clone()));
        }
    }
}

/// Finds every value that differs between two resources in their serialized form.
pub(super) fn find_differences<T: Serialize>(before: &T, after: &T) -> Vec<ValueDifference> {
    // A value that does not serialize cannot be compared; our own types always serialize.
    let (Ok(before), Ok(after)) = (serde_json::to_value(before), serde_json::to_value(after)) else {
        return Vec::new();
    };
    let mut value_differences = Vec::new();
    compare_values(&mut String::new(), Some(&before), Some(&after), &mut value_differences);
    value_differences
}

fn compare_values(
    pointer: &mut String,
    before: Option<&Value>,
    after: Option<&Value>,
    value_differences: &mut Vec<ValueDifference>,
) {
    if let (Some(Value::Object(before)), Some(Value::Object(after))) = (before, after) {
        let mut names: Vec<_> = before.keys().chain(after.keys()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let length = pointer.len();
            pointer.push('/');
            pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
            compare_values(pointer, before.get(name), after.get(name), value_differences);
            pointer.truncate(length);
        }
    } else if before != after {
        let (before, after) = (before.cloned(), after.cloned());
        value_differences.push(ValueDifference { pointer: pointer.clone(), before, after });
    }
}

impl DeclarativeChange {
    /// The differences, if the change is an update.
    pub fn differences(&self) -> &[ValueDifference] {
        match self {
            Self::UpdateOrganization(.., differences)
            | Self::UpdateApi(.., differences)
            | Self::UpdateRole(.., differences)
            | Self::UpdateClient(.., differences)
            | Self::UpdateWebhook(.., differences) => differences,
            Self::SingleSignOn(_, change) => change.differences(),
            Self::CreateOrganization(..)
            | Self::CreateApi(..)
            | Self::CreateRole(..)
            | Self::CreateClient(..)
            | Self::CreateWebhook(..)
            | Self::RemoveWebhook(..)
            | Self::RemoveClient(..)
            | Self::RemoveRole(..)
            | Self::RemoveApi(..) => &[],
        }
    }
}

impl fmt::Display for DeclarativeChange {
    /// Formats one line: `+` for created, `~` for updated, `-` for removed.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CreateOrganization(slug, _) => write!(out, "+ organization {slug}"),
            Self::UpdateOrganization(slug, ..) => write!(out, "~ organization {slug}"),
            Self::CreateApi(name, _) => write!(out, "+ api {name}"),
            Self::UpdateApi(name, ..) => write!(out, "~ api {name}"),
            Self::CreateRole(slug, name, _) => write!(out, "+ role {name} of {slug}"),
            Self::UpdateRole(slug, name, ..) => write!(out, "~ role {name} of {slug}"),
            Self::CreateClient(id, _) => write!(out, "+ client {id}"),
            Self::UpdateClient(id, ..) => write!(out, "~ client {id}"),
            Self::CreateWebhook(owner, name, _) => {
                write!(out, "+ webhook {}", format_owned_name(owner.as_ref(), name))
            }
            Self::UpdateWebhook(owner, name, ..) => {
                write!(out, "~ webhook {}", format_owned_name(owner.as_ref(), name))
            }
            Self::RemoveWebhook(owner, name) => {
                write!(out, "- webhook {}", format_owned_name(owner.as_ref(), name))
            }
            Self::SingleSignOn(slug, change) => write!(out, "{change} of {slug}"),
            Self::RemoveClient(id) => write!(out, "- client {id}"),
            Self::RemoveRole(slug, name) => write!(out, "- role {name} of {slug}"),
            Self::RemoveApi(name) => write!(out, "- api {name}"),
        }
    }
}

/// Formats a name with its owner, or alone if it belongs to the instance.
fn format_owned_name(owner: Option<&OrganizationSlug>, name: &str) -> String {
    owner.map_or_else(|| name.to_owned(), |slug| format!("{name} of {slug}"))
}

impl fmt::Display for ValueDifference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |value: &Option<Value>| value.as_ref().map_or("nothing".to_owned(), Value::to_string);
        write!(out, "{}: {} → {}", self.pointer, word(&self.before), word(&self.after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::administration::declarative::tests::example;

    fn lines(changes: &[DeclarativeChange]) -> Vec<String> {
        changes.iter().map(DeclarativeChange::to_string).collect()
    }

    #[test]
    fn declarative_plan_for_an_empty_instance_creates_everything_in_dependency_order() {
        let changes = plan_changes(&DeclarativeConfig::default(), &example(), DeclarativePrunePolicy::Keep);
        let expected = ["+ organization acme", "+ api invoices", "+ role clerk of acme", "+ client robot"];
        assert_eq!(lines(&changes), expected);
    }

    #[test]
    fn declarative_plan_for_a_matching_instance_is_empty() {
        for unmentioned in [DeclarativePrunePolicy::Keep, DeclarativePrunePolicy::Remove] {
            assert_eq!(plan_changes(&example(), &example(), unmentioned), Vec::new());
        }
        // A document without ids matches an instance that has them.
        let mut with_ids = example();
        with_ids.organizations.values_mut().for_each(|it| it.id = Some(crate::id::Id::from_bytes([1; 16])));
        with_ids.apis.values_mut().for_each(|it| it.id = Some(crate::id::Id::from_bytes([2; 16])));
        assert_eq!(plan_changes(&with_ids, &example(), DeclarativePrunePolicy::Remove), Vec::new());
    }

    #[test]
    fn declarative_plan_shows_old_and_new_values() {
        let mut config = example();
        config.apis.values_mut().next().unwrap().definition.name = "Bills".into();
        let changes = plan_changes(&example(), &config, DeclarativePrunePolicy::Keep);
        assert_eq!(lines(&changes), ["~ api invoices"]);
        let differences: Vec<_> = changes[0].differences().iter().map(ValueDifference::to_string).collect();
        assert_eq!(differences, ["/definition/name: \"Invoices\" → \"Bills\""]);
    }

    #[test]
    fn declarative_plan_removes_unmentioned_resources_only_on_prune_and_never_organizations() {
        let empty = DeclarativeConfig::default();
        assert_eq!(plan_changes(&example(), &empty, DeclarativePrunePolicy::Keep), Vec::new());
        // Resources of the instance are removed; those of an organization that the document does not list are
        // kept.
        assert_eq!(
            lines(&plan_changes(&example(), &empty, DeclarativePrunePolicy::Remove)),
            ["- api invoices"]
        );
        let mut without_role = example();
        without_role.organizations.values_mut().for_each(|it| it.roles.clear());
        assert_eq!(
            lines(&plan_changes(&example(), &without_role, DeclarativePrunePolicy::Remove)),
            ["- role clerk of acme"]
        );
        without_role.clients.clear();
        assert_eq!(
            lines(&plan_changes(&example(), &without_role, DeclarativePrunePolicy::Remove)),
            ["- client robot", "- role clerk of acme"]
        );
    }
}
