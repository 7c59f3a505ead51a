//! APIs: the resource servers that we issue tokens for.

pub mod ownership;

use crate::access_control::permission::Permission;
use crate::access_control::permission_catalog::is_built_in_resource;
use crate::access_control::scope::ScopeSet;
use crate::authzen::model::AuthorizationModel;
use crate::json_schema::find_unsupported_keywords;
use crate::limits::{
    API_DETAIL_SCHEMA_BYTES_MAX, API_DETAIL_TYPES_MAX, API_IDENTIFIER_BYTES_MAX, API_PERMISSIONS_MAX,
    DISPLAY_TEXT_CHARACTERS_MAX, TOKEN_LIFETIME_MAX, TOKEN_LIFETIME_MIN,
};
use crate::platform::signing_keys::SigningAlgorithm;
use crate::time::Lifetime;
use crate::validation::ValidationErrors;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use url::Url;

/// The URI that identifies an API: the `resource` of a request and the `aud` of its tokens.
///
/// Scheme and host are lower-cased, so that both spellings identify the same API.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct ApiIdentifier(Arc<str>);

/// The text is not a valid API identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "an API's identifier is an absolute https, http or urn URI without a fragment, such as https://api.example.com"
)]
pub struct InvalidApiIdentifier;

impl ApiIdentifier {
    /// The URI.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ApiIdentifier {
    type Err = InvalidApiIdentifier;

    fn from_str(text: &str) -> Result<Self, InvalidApiIdentifier> {
        if text.len() <= API_IDENTIFIER_BYTES_MAX && is_plain_url(text) {
            return Ok(Self(text.into()));
        }
        Self::parse_url(text)
    }
}

impl ApiIdentifier {
    fn parse_url(text: &str) -> Result<Self, InvalidApiIdentifier> {
        let printable = text.bytes().all(|b| b.is_ascii_graphic() && !b"\\\"<>^`{|}".contains(&b));
        if text.len() > API_IDENTIFIER_BYTES_MAX || !printable || text.contains('#') {
            return Err(InvalidApiIdentifier);
        }
        let url = Url::parse(text).map_err(|_| InvalidApiIdentifier)?;
        let (scheme, rest) = text.split_once(':').ok_or(InvalidApiIdentifier)?;
        let scheme = scheme.to_ascii_lowercase();
        match scheme.as_str() {
            "urn" if !rest.is_empty() => Ok(Self(format!("urn:{rest}").into())),
            "https" | "http" if url.has_host() && url.username().is_empty() && url.password().is_none() => {
                // Only scheme and host are case-folded; the rest is compared exactly (RFC 8707 §2).
                let authority_and_path = rest.strip_prefix("//").ok_or(InvalidApiIdentifier)?;
                let host_end = authority_and_path.find(['/', '?']).unwrap_or(authority_and_path.len());
                let (host, path) = authority_and_path.split_at(host_end);
                if host.contains('@') {
                    return Err(InvalidApiIdentifier);
                }
                Ok(Self(format!("{scheme}://{}{path}", host.to_ascii_lowercase()).into()))
            }
            _ => Err(InvalidApiIdentifier),
        }
    }
}

/// Whether the text is a URL with a named host and a simple path, which needs no normalization. Nearly all
/// identifiers are, so this avoids parsing them.
fn is_plain_url(text: &str) -> bool {
    let Some(authority_and_path) = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))
    else {
        return false;
    };
    let (host, path) =
        authority_and_path.split_at(authority_and_path.find('/').unwrap_or(authority_and_path.len()));
    let is_word = |label: &str| {
        !label.is_empty()
            && !label.starts_with("xn--")
            && label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    // A host that ends in a number is an IPv4 address.
    let is_name = |label: &str| is_word(label) && label.starts_with(|first: char| first.is_ascii_lowercase());
    let (names, last) = host.rsplit_once('.').map_or((None, host), |(names, last)| (Some(names), last));
    is_name(last)
        && names.is_none_or(|names| names.split('.').all(is_word))
        && path.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'-' | b'_' | b'~' | b'.'))
}

impl TryFrom<String> for ApiIdentifier {
    type Error = InvalidApiIdentifier;
    fn try_from(text: String) -> Result<Self, InvalidApiIdentifier> {
        text.parse()
    }
}
impl Serialize for ApiIdentifier {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}
impl From<ApiIdentifier> for String {
    fn from(identifier: ApiIdentifier) -> Self {
        identifier.as_str().to_owned()
    }
}
impl fmt::Display for ApiIdentifier {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The definition of an API.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApiDefinition {
    /// The API identifier.
    pub identifier: ApiIdentifier,
    /// The name shown on the consent page.
    pub name: String,
    /// The permissions it defines.
    pub permissions: Vec<PermissionDescription>,
    /// The scope of a request that names this API but no scope.
    #[serde(default)]
    pub default_scope: ScopeSet,
    /// The access token lifetime in seconds; `None` means the instance's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_lifetime_seconds: Option<u32>,
    /// The signing algorithm of its tokens; `None` means the instance's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<SigningAlgorithm>,
    /// What untrusted clients may request.
    #[serde(default)]
    pub unverified_clients: ApiClientPolicy,
    /// The authorization details types it accepts (RFC 9396), each with its JSON Schema.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub detail_types: BTreeMap<String, serde_json::Value>,
    /// The object types of its relationship model.
    #[serde(default, skip_serializing_if = "AuthorizationModel::is_empty")]
    pub object_types: AuthorizationModel,
}

/// A permission with its descriptions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PermissionDescription {
    /// The permission; never a wildcard.
    pub permission: Permission,
    /// What it allows, in English.
    pub english: String,
    /// What it allows, in Portuguese; `None` falls back to English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub portuguese: Option<String>,
    /// Whether the action is irreversible.
    #[serde(default)]
    pub irreversible: bool,
}

/// What untrusted clients may request from an API.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApiClientPolicy {
    /// Everything the user holds and consents to.
    Allow,
    /// Everything except irreversible actions.
    #[default]
    IrreversibleRefused,
    /// Nothing.
    Refuse,
}

impl ApiClientPolicy {
    /// The stored value.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::IrreversibleRefused => "irreversible_refused",
            Self::Refuse => "refuse",
        }
    }
}

impl ApiDefinition {
    /// Validates the definition and reports all problems at once.
    pub fn validate(&self) -> ValidationErrors {
        let mut errors = ValidationErrors::default();
        errors.check_display_text("/name", &self.name);
        if self.permissions.is_empty() || self.permissions.len() > API_PERMISSIONS_MAX {
            errors.add("/permissions", format!("an API must have 1 to {API_PERMISSIONS_MAX} permissions"));
        }
        self.permission_faults(&mut errors);
        self.detail_type_faults(&mut errors);
        errors.add_nested(
            "/object_types",
            &self.object_types.validate(|permission| self.defines_permission(permission)),
        );
        if let Some(seconds) = self.token_lifetime_seconds {
            let lifetime = Lifetime::from_seconds(seconds);
            if !(TOKEN_LIFETIME_MIN..=TOKEN_LIFETIME_MAX).contains(&lifetime) {
                let (least, limit) = (TOKEN_LIFETIME_MIN.seconds(), TOKEN_LIFETIME_MAX.seconds());
                errors.add("/token_lifetime_seconds", format!("must be {least} to {limit} seconds"));
            }
        }
        errors
    }

    fn permission_faults(&self, errors: &mut ValidationErrors) {
        let mut permissions = BTreeSet::new();
        for (index, text) in self.permissions.iter().enumerate() {
            let at = |field: &str| format!("/permissions/{index}/{field}");
            if text.permission.is_wildcard() {
                errors.add(at("permission"), "the action cannot be a wildcard; define each action");
            }
            if is_built_in_resource(text.permission.resource()) {
                errors.add(
                    at("permission"),
                    "this resource name is reserved for management permissions; choose another",
                );
            }
            if !permissions.insert(&text.permission) {
                errors.add(at("permission"), "this permission is defined twice; remove one");
            }
            errors.check_display_text(&at("english"), &text.english);
            if let Some(portuguese) = &text.portuguese {
                errors.check_display_text(&at("portuguese"), portuguese);
            }
        }
        let resources = self.resources();
        let defined = |permission: &Permission| {
            permissions.contains(permission)
                || permission.is_wildcard() && resources.contains(permission.resource())
        };
        if !self.default_scope.permissions().iter().all(defined) {
            errors.add("/default_scope", "contains a permission that this API does not define");
        }
    }

    fn detail_type_faults(&self, errors: &mut ValidationErrors) {
        if self.detail_types.len() > API_DETAIL_TYPES_MAX {
            errors.add(
                "/detail_types",
                format!("an API can have at most {API_DETAIL_TYPES_MAX} types of authorization_details"),
            );
        }
        for (name, schema) in &self.detail_types {
            // RFC 6901: JSON pointers escape these two characters.
            let pointer = format!("/detail_types/{}", name.replace('~', "~0").replace('/', "~1"));
            if name.is_empty() || name.chars().count() > DISPLAY_TEXT_CHARACTERS_MAX {
                errors.add(&pointer, "a type of authorization_details needs a name");
            }
            if !schema.is_object() || schema.to_string().len() > API_DETAIL_SCHEMA_BYTES_MAX {
                errors.add(
                    &pointer,
                    format!("must be a JSON Schema object of at most {API_DETAIL_SCHEMA_BYTES_MAX} bytes"),
                );
            }
            if has_unsupported_keywords(schema) {
                errors.add(&pointer, "uses JSON Schema keywords that are not supported");
            }
        }
    }

    /// Finds the description of a permission. A wildcard has none.
    pub fn find_description(&self, permission: &Permission) -> Option<&PermissionDescription> {
        self.permissions.iter().find(|text| text.permission == *permission)
    }

    /// Whether the API defines the permission: an action by name, a wildcard by any action of its resource.
    pub fn defines_permission(&self, permission: &Permission) -> bool {
        self.permissions.iter().any(|text| permission.covers(&text.permission))
    }

    /// Whether the permission covers an irreversible action.
    pub fn is_irreversible(&self, permission: &Permission) -> bool {
        self.permissions.iter().any(|text| text.irreversible && permission.covers(&text.permission))
    }

    /// The resource names it defines.
    pub fn resources(&self) -> BTreeSet<&str> {
        self.permissions.iter().map(|text| text.permission.resource()).collect()
    }
}

/// Whether the schema uses keywords that we do not enforce, and would promise a check that never happens.
fn has_unsupported_keywords(schema: &serde_json::Value) -> bool {
    /// Annotation keywords, which do not constrain values.
    const ANNOTATION_KEYWORDS: [&str; 6] =
        ["$comment", "$schema", "default", "description", "examples", "title"];
    // A details schema cannot refer to other schemas.
    !find_unsupported_keywords(schema, &ANNOTATION_KEYWORDS).is_empty()
        || schema.to_string().contains("\"$ref\"")
}

#[cfg(test)]
mod tests;
