//! Domains and identity provider connections of organizations in a declarative configuration. Whether a
//! domain is verified is recorded in the DNS, not in the document.

mod connection_changes;

use super::plan::{DeclarativeChange, DeclarativePrunePolicy, ValueDifference};
use super::{DeclarativeConfig, SecretReference, escape_pointer_segment, is_default};
use crate::identity_providers::connections::{
    ConnectionSettings, IdentityProviderIssuer, InsecureProviderPolicy,
};
use crate::organizations::OrganizationSlug;
use crate::organizations::domains::OrganizationDomain;
use crate::validation::ValidationErrors;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A declared connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeclaredConnection {
    /// The issuer. Connections with the same issuer and the same protocol are the same connection.
    pub issuer: IdentityProviderIssuer,
    /// The connection's settings.
    #[serde(flatten)]
    pub settings: ConnectionSettings,
    /// The domains that are routed to this connection.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub domains: BTreeSet<OrganizationDomain>,
    /// Whether the connection is used for sign-in.
    #[serde(default, skip_serializing_if = "is_default")]
    pub enabled: bool,
    /// Where to read the client secret that the identity provider issued; if omitted, the stored one is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<SecretReference>,
}

/// The connections of one organization by a name that is local to the document.
pub type DeclaredConnections = BTreeMap<String, DeclaredConnection>;

/// A change to the domains or connections of an organization.
#[derive(Clone, Debug, PartialEq)]
pub enum IdentityProviderChange {
    /// Adds a domain, which is unverified at first.
    AddDomain(OrganizationDomain),
    /// Removes a domain.
    RemoveDomain(OrganizationDomain),
    /// Creates a connection.
    CreateConnection(String, Box<DeclaredConnection>),
    /// Updates a connection.
    UpdateConnection(String, Box<DeclaredConnection>, Vec<ValueDifference>),
    /// Removes a connection.
    RemoveConnection(String, Box<DeclaredConnection>),
}

impl DeclaredConnection {
    /// Whether both connections are to the same identity provider.
    pub fn is_same_provider(&self, other: &Self) -> bool {
        self.issuer == other.issuer && self.settings.has_same_protocol(&other.settings)
    }
}

impl IdentityProviderChange {
    /// The differences, if the change is an update.
    pub fn differences(&self) -> &[ValueDifference] {
        match self {
            Self::UpdateConnection(.., differences) => differences,
            Self::AddDomain(_)
            | Self::RemoveDomain(_)
            | Self::CreateConnection(..)
            | Self::RemoveConnection(..) => &[],
        }
    }
}

impl fmt::Display for IdentityProviderChange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AddDomain(domain) => write!(out, "+ domain {domain}"),
            Self::RemoveDomain(domain) => write!(out, "- domain {domain}"),
            Self::CreateConnection(name, _) => write!(out, "+ connection {name}"),
            Self::UpdateConnection(name, ..) => write!(out, "~ connection {name}"),
            Self::RemoveConnection(name, _) => write!(out, "- connection {name}"),
        }
    }
}

/// Formats the JSON pointer to a connection in the document.
pub fn format_connection_pointer(slug: &OrganizationSlug, name: &str) -> String {
    format!("/organizations/{slug}/connections/{}", escape_pointer_segment(name))
}

/// Validates the document's connections by themselves.
pub(super) fn validate_connections(document: &DeclarativeConfig, errors: &mut ValidationErrors) {
    for (slug, organization) in &document.organizations {
        for (name, connection) in &organization.connections {
            let pointer = format_connection_pointer(slug, name);
            errors.add_nested(&pointer, &connection.settings.validate());
            let address =
                IdentityProviderIssuer::parse(connection.issuer.as_str(), InsecureProviderPolicy::OnLoopback);
            if let (Err(provider_issuer), None) = (address, connection.settings.saml_settings()) {
                errors.add(format!("{pointer}/issuer"), provider_issuer.to_string());
            }
            let mut others = organization.connections.iter().filter(|(other, _)| *other < name);
            if others.any(|(_, it)| it.is_same_provider(connection)) {
                errors.add(&pointer, "another connection of the organization has the same issuer");
            }
            let mut others = organization.connections.iter().filter(|(other, _)| *other < name);
            if connection.settings.external_id_claim.is_some()
                && others.any(|(_, it)| it.settings.external_id_claim.is_some())
            {
                let text = "another connection has it; only one connection of an organization can link users \
                            by externalId";
                errors.add(format!("{pointer}/external_id_claim"), text);
            }
            let mut others = organization.connections.iter().filter(|(other, _)| *other < name);
            if others.any(|(_, it)| !it.domains.is_disjoint(&connection.domains)) {
                let text =
                    "one of the domains belongs to another connection; a domain can belong to one only";
                errors.add(format!("{pointer}/domains"), text);
            }
            if !connection.domains.is_subset(&organization.domains) {
                errors.add(
                    format!("{pointer}/domains"),
                    "one of them is not a domain of the organization; declare it under domains",
                );
            }
        }
    }
}

/// Checks the document's connections against the existing ones that it does not mention and that are kept.
pub(super) fn validate_unmentioned_connections(
    current: &DeclarativeConfig,
    config: &DeclarativeConfig,
    unmentioned: DeclarativePrunePolicy,
    errors: &mut ValidationErrors,
) {
    for (slug, organization) in &config.organizations {
        let now = current.organizations.get(slug).filter(|_| unmentioned == DeclarativePrunePolicy::Keep);
        let is_mentioned =
            |one: &DeclaredConnection| organization.connections.values().any(|it| it.is_same_provider(one));
        let theirs = now.into_iter().flat_map(|now| &now.connections);
        let Some((other, _)) = theirs
            .filter(|(_, it)| !is_mentioned(it))
            .find(|(_, it)| it.settings.external_id_claim.is_some())
        else {
            continue;
        };
        let names_people = |(_, it): &(&String, &DeclaredConnection)| it.settings.external_id_claim.is_some();
        for (name, _) in organization.connections.iter().filter(names_people) {
            let text = format!(
                "{other} has it; only one connection of an organization can link users by externalId"
            );
            errors.add(format!("{}/external_id_claim", format_connection_pointer(slug, name)), text);
        }
    }
}

/// Plans the changes that bring domains and connections into line with the document.
pub(super) fn plan_changes(
    current: &DeclarativeConfig,
    config: &DeclarativeConfig,
    changes: &mut Vec<DeclarativeChange>,
) {
    for (slug, organization) in &config.organizations {
        let now = current.organizations.get(slug);
        let mut change = |it| changes.push(DeclarativeChange::SingleSignOn(slug.clone(), it));
        let is_known = |domain: &&OrganizationDomain| now.is_some_and(|now| now.domains.contains(*domain));
        for domain in organization.domains.iter().filter(|domain| !is_known(domain)) {
            change(IdentityProviderChange::AddDomain(domain.clone()));
        }
        for it in connection_changes::plan_connections(now, organization) {
            change(it);
        }
    }
}

/// Plans the removal of connections and domains that the document omits, within the organizations it lists.
/// Connections are removed before their domains.
pub(super) fn plan_removals(
    current: &DeclarativeConfig,
    config: &DeclarativeConfig,
    changes: &mut Vec<DeclarativeChange>,
) {
    for (slug, organization) in &config.organizations {
        let Some(now) = current.organizations.get(slug) else { continue };
        let is_kept =
            |one: &DeclaredConnection| organization.connections.values().any(|it| it.is_same_provider(one));
        for (name, gone) in now.connections.iter().filter(|(_, it)| !is_kept(it)) {
            let removal = IdentityProviderChange::RemoveConnection(name.clone(), Box::new(gone.clone()));
            changes.push(DeclarativeChange::SingleSignOn(slug.clone(), removal));
        }
        for domain in now.domains.difference(&organization.domains) {
            changes.push(DeclarativeChange::SingleSignOn(
                slug.clone(),
                IdentityProviderChange::RemoveDomain(domain.clone()),
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::administration::declarative::plan::plan_changes;
    use crate::administration::declarative::validation::validate_against_instance;
    use serde_json::{Value, json};

    fn document(acme: Value) -> DeclarativeConfig {
        let mut organization = json!({"name": "Acme"});
        organization.as_object_mut().unwrap().extend(acme.as_object().unwrap().clone());
        DeclarativeConfig::parse(&json!({"organizations": {"acme": organization}})).unwrap()
    }

    fn lines(current: &DeclarativeConfig, config: &DeclarativeConfig) -> Vec<String> {
        plan_changes(current, config, DeclarativePrunePolicy::Remove)
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn declarative_domains_and_connections_are_added_changed_and_removed() {
        let main = json!({"issuer": "https://idp.example", "name": "Acme", "client_id": "x", "secret": {"env": "S"},
            "domains": ["acme.example"], "enabled": true});
        let config = document(json!({"domains": ["acme.example"], "connections": {"main": main}}));
        let nothing = document(json!({}));
        assert_eq!(lines(&nothing, &config), ["+ domain acme.example of acme", "+ connection main of acme"]);
        assert!(lines(&config, &config).is_empty());
        let mut other = main.clone();
        other["enabled"] = json!(false);
        // Names are local to the document, and an omitted secret means that the stored one is kept.
        other.as_object_mut().unwrap().remove("secret");
        let changed = document(json!({"domains": ["acme.example"], "connections": {"second": other}}));
        assert_eq!(lines(&config, &changed), ["~ connection second of acme"]);
        assert_eq!(lines(&config, &nothing), ["- connection main of acme", "- domain acme.example of acme"]);
    }

    #[test]
    fn declarative_saml_connection_is_distinct_from_an_oidc_one_of_the_same_name() {
        let open_id = json!({"issuer": "https://idp.example", "name": "A", "client_id": "x"});
        let saml = json!({"issuer": "https://idp.example", "name": "A",
            "saml": {"sso_url": "https://idp.example/sso", "certificates": ["pem"]}});
        let both = document(json!({"connections": {"a": open_id, "b": saml}}));
        let one = document(json!({"connections": {"c": saml}}));
        assert_eq!(lines(&both, &one), ["- connection a of acme"]);
        assert!(lines(&one, &both).contains(&"+ connection a of acme".to_owned()));
        let mut mixed = saml.clone();
        mixed["client_id"] = json!("x");
        let raw_document = json!({"organizations": {"acme": {"name": "Acme", "connections": {"a": mixed}}}});
        let errors = DeclarativeConfig::parse(&raw_document).unwrap_err();
        assert!(errors.iter().any(|fault| fault.pointer == "/organizations/acme/connections/a/saml"));
    }

    #[test]
    fn declarative_plan_removes_external_id_claim_from_one_connection_before_adding_it_to_another() {
        let connection = |issuer: &str, claim: Option<&str>| {
            let mut raw_connection =
                json!({"issuer": issuer, "name": "A", "client_id": "x", "authentication": "private_key"});
            if let Some(claim) = claim {
                raw_connection["external_id_claim"] = json!(claim);
            }
            raw_connection
        };
        let both = |a: Option<&str>, b: Option<&str>| {
            let (a, b) = (connection("https://a.example", a), connection("https://b.example", b));
            document(json!({"connections": {"a": a, "b": b}}))
        };
        let (before, after) = (both(None, Some("sub")), both(Some("sub"), None));
        assert_eq!(lines(&before, &after), ["~ connection b of acme", "~ connection a of acme"]);
        let moved = document(json!({"connections": {"c": connection("https://c.example", Some("oid"))}}));
        let plan = lines(&after, &moved);
        assert_eq!(plan.last().unwrap(), "+ connection c of acme", "{plan:?}");
    }

    #[test]
    fn declarative_plan_releases_a_domain_before_a_disabled_connection_gets_it() {
        let both = |a: &[&str], b: &[&str]| {
            let one = |issuer: &str, domains: &[&str], enabled: bool| {
                json!({"issuer": issuer, "name": "A", "client_id": "x", "authentication": "private_key",
                    "domains": domains, "enabled": enabled})
            };
            let connections =
                json!({"a": one("https://a.example", a, false), "b": one("https://b.example", b, true)});
            document(json!({"domains": ["acme.example"], "connections": connections}))
        };
        let (before, after) = (both(&[], &["acme.example"]), both(&["acme.example"], &[]));
        assert_eq!(lines(&before, &after), ["~ connection b of acme", "~ connection a of acme"]);
        assert_eq!(lines(&after, &before), ["~ connection a of acme", "~ connection b of acme"]);
    }

    #[test]
    fn declarative_external_id_claim_beside_a_remaining_connection_with_one_is_refused() {
        let naming = |issuer: &str| {
            json!({"issuer": issuer, "name": "A", "client_id": "x", "authentication": "private_key",
                "external_id_claim": "sub"})
        };
        let document = |name: &str, issuer: &str| document(json!({"connections": {name: naming(issuer)}}));
        let before = document("idp", "https://a.example");
        for (config, unmentioned, is_unfit) in [
            (document("new", "https://b.example"), DeclarativePrunePolicy::Keep, true),
            (document("new", "https://b.example"), DeclarativePrunePolicy::Remove, false),
            (document("renamed", "https://a.example"), DeclarativePrunePolicy::Keep, false),
        ] {
            let places: Vec<_> = validate_against_instance(&before, &config, unmentioned)
                .iter()
                .map(|fault| fault.pointer.clone())
                .collect();
            let expected: &[&str] =
                if is_unfit { &["/organizations/acme/connections/new/external_id_claim"] } else { &[] };
            assert_eq!(places, expected, "{unmentioned:?}");
        }
    }

    #[test]
    fn declarative_connection_faults_are_reported_at_their_location() {
        let one = json!({"issuer": "https://idp.example", "name": "A", "client_id": "x"});
        for (acme, pointer) in [
            (json!({"domains": ["gmail.com"]}), "/organizations/acme/domains"),
            (
                json!({"connections": {"a": {"name": "A", "client_id": "x"}}}),
                "/organizations/acme/connections/a/issuer",
            ),
            (json!({"connections": {"a": one, "b": one}}), "/organizations/acme/connections/b"),
            (
                json!({"connections": {
                    "a": {"issuer": "https://i.example", "name": "A", "client_id": "x", "external_id_claim": "sub"},
                    "b": {"issuer": "https://j.example", "name": "A", "client_id": "x", "external_id_claim": "sub"},
                }}),
                "/organizations/acme/connections/b/external_id_claim",
            ),
            (
                json!({"domains": ["a.example"], "connections": {
                    "a": {"issuer": "https://i.example", "name": "A", "client_id": "x", "domains": ["a.example"]},
                    "b": {"issuer": "https://j.example", "name": "A", "client_id": "x", "domains": ["a.example"]},
                }}),
                "/organizations/acme/connections/b/domains",
            ),
            (
                json!({"connections": {"a": {"issuer": "https://i.example", "name": "A", "client_id": "x", "domains": ["a.example"]}}}),
                "/organizations/acme/connections/a/domains",
            ),
            (
                json!({"connections": {"a": {"issuer": "https://i.example", "name": "A", "client_id": "x", "scopes": ["email"]}}}),
                "/organizations/acme/connections/a/scopes",
            ),
            (
                json!({"connections": {"a": {"issuer": "https://i.example", "name": "A", "client_id": "x", "more": 1}}}),
                "/organizations/acme/connections/a/more",
            ),
        ] {
            let mut organization = json!({"name": "Acme"});
            organization.as_object_mut().unwrap().extend(acme.as_object().unwrap().clone());
            let errors =
                DeclarativeConfig::parse(&json!({"organizations": {"acme": organization}})).unwrap_err();
            assert!(errors.iter().any(|fault| fault.pointer.starts_with(pointer)), "{acme}: {errors:?}");
        }
    }
}
