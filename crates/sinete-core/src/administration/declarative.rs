//! Declarative configuration: a document that lists organizations with their roles, APIs, clients and
//! webhooks.
//!
//! An export writes the same format, so an exported document can be applied to another instance.

pub mod identity_providers;
mod parser;
pub mod plan;
pub mod validation;
pub mod webhooks;

use crate::access_control::permission::PermissionSet;
use crate::access_control::role::Role;
use crate::client_id::{ClientId, ClientKind};
use crate::id::{ApiId, OrganizationId};
use crate::oauth::client_metadata::{ClientMetadata, GrantType};
use crate::organizations::OrganizationSlug;
use crate::organizations::api_catalog::ApiDefinition;
use crate::organizations::domains::OrganizationDomain;
use crate::organizations::settings::{OrganizationName, OrganizationSettings};
use crate::secret::{ClientSecret, Digest};
use crate::validation::ValidationErrors;
use identity_providers::DeclaredConnections;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use webhooks::DeclaredWebhooks;

/// A declarative configuration document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DeclarativeConfig {
    /// The organizations by slug.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub organizations: BTreeMap<OrganizationSlug, DeclaredOrganization>,
    /// The APIs by a name that is local to the document.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub apis: BTreeMap<String, DeclaredApi>,
    /// The clients by `client_id`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub clients: BTreeMap<ClientId, DeclaredClient>,
    /// The webhooks of the instance, which can receive every event of the security log.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub webhooks: DeclaredWebhooks,
}

/// A declared organization.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredOrganization {
    /// The organization's id; if omitted, a new one is generated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<OrganizationId>,
    /// The display name.
    pub name: OrganizationName,
    /// The organization's settings.
    #[serde(default, skip_serializing_if = "is_default")]
    pub settings: OrganizationSettings,
    /// The custom roles by name, in addition to the built-in ones.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<String, DeclaredRole>,
    /// The webhooks that receive events of the organization's audit log.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub webhooks: DeclaredWebhooks,
    /// The domains of the organization.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub domains: BTreeSet<OrganizationDomain>,
    /// The connections to the identity providers of its members.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub connections: DeclaredConnections,
}

/// A declared role.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredRole {
    /// The description.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The permissions the role grants.
    pub permissions: PermissionSet,
}

/// A declared API.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredApi {
    /// The API's id; if omitted, a new one is generated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<ApiId>,
    /// The owning organization; if omitted, the API belongs to the instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub organization: Option<OrganizationSlug>,
    /// The organizations that may use the API, if it belongs to the instance.
    #[serde(default, skip_serializing_if = "is_default")]
    pub offered_to: ApiAvailability,
    /// The API's definition.
    pub definition: ApiDefinition,
}

/// The organizations that an API of the instance is offered to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApiAvailability {
    /// All organizations.
    #[default]
    All,
    /// The listed organizations.
    Organizations(BTreeSet<OrganizationSlug>),
}

/// A declared client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredClient {
    /// The kind of client.
    pub kind: ClientKind,
    /// The owning organization; if omitted, the client belongs to the instance and serves every organization.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub organization: Option<OrganizationSlug>,
    /// The purpose of the client, for display.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub purpose: String,
    /// The client's roles in its organization, for when it acts for itself.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub roles: BTreeSet<String>,
    /// Whether an operator verified the client.
    #[serde(default, skip_serializing_if = "is_default")]
    pub verified: bool,
    /// Where to read the client secret from; never the secret itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<SecretReference>,
    /// The client metadata.
    pub metadata: ClientMetadata,
}

/// Where to read a secret from when the document is applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SecretReference {
    /// An environment variable of this name.
    Env(String),
    /// A file at this path.
    File(String),
    /// The stored digest of the secret, as written by an export. The secret itself is unknown.
    Digest(String),
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    value == &T::default()
}

/// Escapes a name for use as a segment of a JSON pointer (RFC 6901).
fn escape_pointer_segment(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

impl SecretReference {
    /// The digest of the secret, if the reference is [`Self::Digest`].
    pub fn digest(&self) -> Option<Digest<ClientSecret>> {
        let Self::Digest(text) = self else { return None };
        let mut bytes = [0; 32];
        let is_digest = text.len() == 64
            && text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
            && bytes.iter_mut().enumerate().all(|(index, byte)| {
                let digits = text.get(2 * index..2 * index + 2);
                digits.and_then(|it| u8::from_str_radix(it, 16).ok()).map(|it| *byte = it).is_some()
            });
        is_digest.then(|| Digest::from_bytes(bytes))
    }
}

impl<K> From<&Digest<K>> for SecretReference {
    fn from(digest: &Digest<K>) -> Self {
        Self::Digest(digest.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

impl DeclarativeConfig {
    /// Whether the document manages resources of this owner: the instance (`None`) or an organization that
    /// the document lists.
    pub(crate) fn covers_organization(&self, organization: Option<&OrganizationSlug>) -> bool {
        organization.is_none_or(|slug| self.organizations.contains_key(slug))
    }

    /// Validates the document by itself and returns all errors.
    pub fn validate(&self) -> ValidationErrors {
        let mut errors = ValidationErrors::default();
        for (slug, organization) in &self.organizations {
            for (name, role) in &organization.roles {
                let pointer = format!("/organizations/{slug}/roles/{name}");
                if crate::access_control::permission_catalog::BuiltInRole::from_name(name).is_some() {
                    errors.add(&pointer, "this role is built in; its contents are not declared");
                }
                if let Err(invalid_role) = Role::new(name, role.permissions.clone()) {
                    errors.add(&pointer, invalid_role.to_string());
                }
                if !role.description.is_empty() {
                    errors.check_display_text(&format!("{pointer}/description"), &role.description);
                }
            }
        }
        for (name, api) in &self.apis {
            let pointer = format!("/apis/{}", escape_pointer_segment(name));
            errors.add_nested(&format!("{pointer}/definition"), &api.definition.validate());
            if api.organization.is_some() && api.offered_to != ApiAvailability::All {
                errors.add(
                    format!("{pointer}/offered_to"),
                    "an API of an organization cannot be offered to others; remove this member",
                );
            }
        }
        for (id, client) in &self.clients {
            let pointer = format!("/clients/{id}");
            errors.add_nested(&format!("{pointer}/metadata"), &client.metadata.validate_redirect_uris());
            errors.add_nested(&format!("{pointer}/metadata"), &client.metadata.validate());
            client.add_faults(&pointer, &mut errors);
        }
        webhooks::validate_webhooks(self, &mut errors);
        identity_providers::validate_connections(self, &mut errors);
        errors
    }
}

impl DeclaredClient {
    fn add_faults(&self, pointer: &str, errors: &mut ValidationErrors) {
        let acts_for_itself = self.metadata.effective_grant_types().contains(&GrantType::ClientCredentials);
        if acts_for_itself && self.organization.is_none() {
            errors.add(
                format!("{pointer}/organization"),
                "a client with the grant type client_credentials must belong to an organization",
            );
        }
        if acts_for_itself && self.roles.is_empty() {
            errors.add(
                format!("{pointer}/roles"),
                "a client with the grant type client_credentials needs at least one role",
            );
        }
        if !self.roles.is_empty() && self.organization.is_none() {
            errors.add(format!("{pointer}/roles"), "roles need an organization; add the member organization");
        }
        if self.metadata.token_endpoint_auth_method.needs_secret() != self.secret.is_some() {
            let text = "a secret is for the methods client_secret_basic and client_secret_post only";
            errors.add(format!("{pointer}/secret"), text);
        }
        if self.kind == ClientKind::Agent && self.purpose.is_empty() {
            errors.add(format!("{pointer}/purpose"), "is required for an agent");
        } else if !self.purpose.is_empty() {
            errors.check_display_text(&format!("{pointer}/purpose"), &self.purpose);
        }
        if matches!(&self.secret, Some(it @ SecretReference::Digest(_)) if it.digest().is_none()) {
            errors.add(format!("{pointer}/secret"), "must be 64 lower-case hexadecimal digits");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn example() -> DeclarativeConfig {
        serde_json::from_str(
            r#"{
                "organizations": {"acme": {
                    "name": "Acme", "settings": {"least_assurance": "aal2"},
                    "roles": {"clerk": {"description": "Reads", "permissions": ["invoices:read"]}}
                }},
                "apis": {"invoices": {
                    "offered_to": {"organizations": ["acme"]},
                    "definition": {"identifier": "https://api.example.com", "name": "Invoices",
                        "permissions": [{"permission": "invoices:read", "english": "Read invoices"}]}
                }},
                "clients": {"robot": {
                    "kind": "agent", "organization": "acme", "purpose": "Reads invoices", "roles": ["clerk"],
                    "secret": {"env": "ROBOT_SECRET"},
                    "metadata": {"client_name": "Robot", "grant_types": ["client_credentials"]}
                }}
            }"#,
        )
        .unwrap()
    }

    #[test]
    fn declarative_document_round_trips() {
        let document = example();
        assert!(document.validate().is_empty(), "{:?}", document.validate());
        let parsed_document: DeclarativeConfig =
            serde_json::from_value(serde_json::to_value(&document).unwrap()).unwrap();
        assert_eq!(parsed_document, document);
    }

    #[test]
    fn declarative_document_faults_are_all_reported_with_their_location() {
        let mut document = example();
        let acme = document.organizations.values_mut().next().unwrap();
        let roles = std::mem::take(&mut acme.roles);
        acme.roles = roles.into_values().map(|role| ("owner".to_owned(), role)).collect();
        let robot = document.clients.values_mut().next().unwrap();
        robot.organization = None;
        robot.secret = None;
        robot.purpose.clear();
        document.apis.values_mut().next().unwrap().definition.name.clear();
        let errors = document.validate();
        let places: Vec<_> = errors.iter().map(|fault| fault.pointer.as_str()).collect();
        let expected = [
            "/organizations/acme/roles/owner",
            "/apis/invoices/definition/name",
            "/clients/robot/organization",
            "/clients/robot/roles",
            "/clients/robot/secret",
            "/clients/robot/purpose",
        ];
        assert_eq!(places, expected);
    }

    #[test]
    fn secret_digest_round_trips_and_has_one_spelling() {
        let digest =
            Digest::<ClientSecret>::from_bytes(std::array::from_fn(|index| u8::try_from(index * 7).unwrap()));
        let secret_reference = SecretReference::from(&digest);
        assert_eq!(secret_reference.digest(), Some(digest));
        let SecretReference::Digest(text) = secret_reference else { panic!("a digest") };
        for wrong in [&text[1..], &text.to_uppercase(), &format!("{text}0"), &text.replacen('0', "+", 1)] {
            assert_eq!(SecretReference::Digest(wrong.to_owned()).digest(), None, "{wrong}");
        }
        assert_eq!(SecretReference::Env("X".to_owned()).digest(), None);
    }

    #[test]
    fn declarative_document_with_an_inline_secret_is_refused() {
        let text = r#"{"env": "A", "value": "sn_cs_x"}"#;
        assert!(serde_json::from_str::<SecretReference>(text).is_err());
        assert!(serde_json::from_str::<SecretReference>(r#"{"value": "sn_cs_x"}"#).is_err());
    }
}
