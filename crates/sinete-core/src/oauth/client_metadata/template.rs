//! Client templates: the types of clients that users choose from when they register one, and the metadata of
//! each.

use crate::client_id::ClientKind;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The type of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientTemplate {
    /// An application on a server, with a secret.
    Web,
    /// A single-page application in a browser, without a secret.
    Spa,
    /// An application on a phone or a computer, without a secret.
    Native,
    /// A service that acts for itself, with a secret.
    Service,
    /// An agent that acts for users by token exchange, with a secret.
    Agent,
}

impl ClientTemplate {
    /// All templates.
    pub const ALL: [Self; 5] = [Self::Web, Self::Spa, Self::Native, Self::Service, Self::Agent];

    /// The scopes of an application that names none.
    const IDENTITY_SCOPES: &'static str = "openid profile email";

    /// The kind of client.
    pub const fn kind(self) -> ClientKind {
        match self {
            Self::Web | Self::Spa | Self::Native => ClientKind::Application,
            Self::Service => ClientKind::Service,
            Self::Agent => ClientKind::Agent,
        }
    }

    /// Adds the metadata of the template; members that are present stay.
    pub fn fill_metadata(self, metadata: &mut Map<String, Value>) {
        let defaults = match self {
            Self::Web => json!({
                "token_endpoint_auth_method": "client_secret_basic",
                "grant_types": ["authorization_code", "refresh_token"],
                "scope": Self::IDENTITY_SCOPES, "consent": "ask_for_permissions",
            }),
            Self::Spa => json!({
                "token_endpoint_auth_method": "none",
                "grant_types": ["authorization_code", "refresh_token"],
                "scope": Self::IDENTITY_SCOPES, "consent": "ask_for_permissions",
            }),
            Self::Native => json!({
                "token_endpoint_auth_method": "none", "application_type": "native",
                "grant_types": ["authorization_code", "refresh_token"],
                "scope": Self::IDENTITY_SCOPES, "consent": "ask_for_permissions",
            }),
            Self::Service => json!({
                "token_endpoint_auth_method": "client_secret_basic", "grant_types": ["client_credentials"],
            }),
            Self::Agent => json!({
                "token_endpoint_auth_method": "client_secret_basic",
                "grant_types": ["client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange"],
            }),
        };
        let Value::Object(defaults) = defaults else { return };
        for (member, value) in defaults {
            metadata.entry(member).or_insert(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oauth::client_metadata::{ClientAuthMethod, ClientMetadata};

    #[test]
    fn client_template_fills_valid_metadata_and_keeps_requested_values() {
        for template in ClientTemplate::ALL {
            let mut metadata = Map::from_iter([("client_name".to_owned(), json!("Shop"))]);
            if template.kind() == ClientKind::Application {
                metadata.insert("redirect_uris".to_owned(), json!(["https://shop.example/callback"]));
            }
            template.fill_metadata(&mut metadata);
            let read: ClientMetadata = serde_json::from_value(Value::Object(metadata)).unwrap();
            assert!(read.validate().is_empty(), "{template:?}");
            let is_public = read.token_endpoint_auth_method == ClientAuthMethod::None;
            assert_eq!(is_public, matches!(template, ClientTemplate::Spa | ClientTemplate::Native));
        }
        let mut metadata_fields = Map::from_iter([("consent".to_owned(), json!("ask"))]);
        ClientTemplate::Web.fill_metadata(&mut metadata_fields);
        assert_eq!(
            (&metadata_fields["consent"], &metadata_fields["scope"]),
            (&json!("ask"), &json!("openid profile email"))
        );
    }
}
