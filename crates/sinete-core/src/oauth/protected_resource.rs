//! What a client is told about an API it was turned away from (RFC 9728): which authorization server guards it, and
//! what to ask for there.

use crate::access_control::scope::ScopeSet;
use serde_json::{Map, Value, json};

/// Where such documents stand on the host of the API.
pub const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// An API, as its document tells it.
#[derive(Clone, Debug)]
pub struct ProtectedResource<'a> {
    /// The URI it is known by.
    pub identifier: &'a str,
    /// Its name, for people.
    pub name: &'a str,
    /// The authorization server that guards it.
    pub issuer: &'a str,
    /// What to ask for when nobody says.
    pub scope: &'a ScopeSet,
    /// The types of details it understands (RFC 9396).
    pub detail_types: Vec<&'a str>,
}

impl ProtectedResource<'_> {
    /// The document.
    pub fn build_metadata(&self) -> Map<String, Value> {
        let mut members = Map::from_iter([
            ("resource".to_owned(), self.identifier.into()),
            ("resource_name".to_owned(), self.name.into()),
            ("authorization_servers".to_owned(), json!([self.issuer])),
            ("bearer_methods_supported".to_owned(), json!(["header"])),
        ]);
        let scopes: Vec<_> = self.scope.iter().map(ToString::to_string).collect();
        if !scopes.is_empty() {
            members.insert("scopes_supported".to_owned(), json!(scopes));
        }
        if !self.detail_types.is_empty() {
            members.insert("authorization_details_types_supported".to_owned(), json!(self.detail_types));
        }
        members
    }

    /// Where clients look for the document: at the host of the API, with its own path behind. An API whose
    /// identifier is no web address has no such place.
    pub fn metadata_url(&self) -> Option<String> {
        build_metadata_url(self.identifier)
    }

    /// What the API answers in `WWW-Authenticate` to whoever shows no token (RFC 6750 §3, RFC 9728 §5.1).
    pub fn www_authenticate_challenge(&self) -> String {
        let mut parameters = Vec::new();
        parameters.extend(self.metadata_url().map(|address| format!("resource_metadata=\"{address}\"")));
        if !self.scope.is_empty() {
            parameters.push(format!("scope=\"{}\"", self.scope));
        }
        format!("Bearer {}", parameters.join(", ")).trim_end().to_owned()
    }
}

/// Where the document of the API of this identifier stands.
pub fn build_metadata_url(identifier: &str) -> Option<String> {
    let (scheme, behind) = identifier.split_once("://")?;
    let end = behind.find(['/', '?']).unwrap_or(behind.len());
    let (host, path) = behind.split_at(end);
    let path = if path == "/" { "" } else { path };
    Some(format!("{scheme}://{host}{WELL_KNOWN}{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protected_resource_metadata_names_the_api_its_issuer_and_its_scopes() {
        let scope = "invoices:read".parse().unwrap();
        let api = ProtectedResource {
            identifier: "https://api.example/v1",
            name: "Invoices",
            issuer: "https://id.example",
            scope: &scope,
            detail_types: vec!["payment"],
        };
        let document = Value::Object(api.build_metadata());
        let expected = json!({
            "resource": "https://api.example/v1", "resource_name": "Invoices",
            "authorization_servers": ["https://id.example"], "bearer_methods_supported": ["header"],
            "scopes_supported": ["invoices:read"], "authorization_details_types_supported": ["payment"],
        });
        assert_eq!(document, expected);
        let place = "https://api.example/.well-known/oauth-protected-resource/v1";
        assert_eq!(api.metadata_url().as_deref(), Some(place));
        assert_eq!(
            api.www_authenticate_challenge(),
            format!("Bearer resource_metadata=\"{place}\", scope=\"invoices:read\"")
        );
    }

    #[test]
    fn protected_resource_metadata_omits_empty_members() {
        let nothing = ScopeSet::default();
        let api = ProtectedResource {
            identifier: "urn:example:api",
            name: "Invoices",
            issuer: "https://id.example",
            scope: &nothing,
            detail_types: Vec::new(),
        };
        assert_eq!(api.build_metadata().len(), 4);
        assert_eq!((api.metadata_url(), api.www_authenticate_challenge().as_str()), (None, "Bearer"));
        assert_eq!(
            build_metadata_url("https://a.example/").unwrap(),
            format!("https://a.example{WELL_KNOWN}")
        );
        assert_eq!(
            build_metadata_url("https://a.example?x=1").unwrap(),
            format!("https://a.example{WELL_KNOWN}?x=1")
        );
    }
}
