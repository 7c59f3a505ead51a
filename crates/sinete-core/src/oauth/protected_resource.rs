//! Protected resource metadata (RFC 9728): the authorization server of an API and the scopes to request.

use crate::access_control::scope::ScopeSet;
use serde_json::{Map, Value, json};

/// The well-known path on the API's host.
pub const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// An API described by its metadata.
#[derive(Clone, Debug)]
pub struct ProtectedResource<'a> {
    /// The API identifier (`resource`).
    pub identifier: &'a str,
    /// Its display name.
    pub name: &'a str,
    /// The authorization server.
    pub issuer: &'a str,
    /// The default scopes.
    pub scope: &'a ScopeSet,
    /// The authorization details types it accepts (RFC 9396).
    pub detail_types: Vec<&'a str>,
}

impl ProtectedResource<'_> {
    /// Builds the metadata document.
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

    /// The URL of the metadata document: on the API's host, followed by the API's path. `None` if the
    /// identifier is not a web URL.
    pub fn metadata_url(&self) -> Option<String> {
        build_metadata_url(self.identifier)
    }

    /// The `WWW-Authenticate` value for requests without a token (RFC 6750 §3, RFC 9728 §5.1).
    pub fn www_authenticate_challenge(&self) -> String {
        let mut parameters = Vec::new();
        parameters.extend(self.metadata_url().map(|address| format!("resource_metadata=\"{address}\"")));
        if !self.scope.is_empty() {
            parameters.push(format!("scope=\"{}\"", self.scope));
        }
        format!("Bearer {}", parameters.join(", ")).trim_end().to_owned()
    }
}

/// Builds the metadata URL of an API identifier.
pub fn build_metadata_url(identifier: &str) -> Option<String> {
    let (scheme, rest) = identifier.split_once("://")?;
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
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
        let metadata_url = "https://api.example/.well-known/oauth-protected-resource/v1";
        assert_eq!(api.metadata_url().as_deref(), Some(metadata_url));
        assert_eq!(
            api.www_authenticate_challenge(),
            format!("Bearer resource_metadata=\"{metadata_url}\", scope=\"invoices:read\"")
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
