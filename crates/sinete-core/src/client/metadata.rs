//! What a client says about itself when it is registered (RFC 7591 and its OpenID companions).

use super::redirect_uri::RedirectUri;
use crate::authority::scope::Scopes;
use crate::authorize::consent::ConsentMode;
use crate::fault::Faults;
use crate::limits::{CLIENT_CONTACTS_MAX, CLIENT_KEYS_BYTES_MAX, REDIRECT_URIS_MAX};
use crate::signing::Algorithm;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use url::Url;

/// The metadata of a client, as it was registered and is echoed back.
///
/// Members we do not know are ignored, as RFC 7591 §2 asks; a value we do not support is refused.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClientMetadata {
    /// The name shown to people.
    pub client_name: String,
    /// Where answers may be sent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redirect_uris: Vec<RedirectUri>,
    /// How it proves who it is.
    pub token_endpoint_auth_method: AuthenticationMethod,
    /// The ways it may get tokens; left out, what an application needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant_types: Option<BTreeSet<GrantType>>,
    /// The answers it expects from the authorization endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_types: Option<BTreeSet<ResponseType>>,
    /// The ceiling of what it may ask for. It confers nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scopes>,
    /// Whether it runs in a browser's reach or on a person's device.
    pub application_type: ApplicationType,
    /// Its own public keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwks: Option<serde_json::Value>,
    /// Where its public keys are published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwks_uri: Option<String>,
    /// How its assertions are signed; left out, any algorithm we know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_endpoint_auth_signing_alg: Option<Algorithm>,
    /// How its ID tokens are signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id_token_signed_response_alg: Option<Algorithm>,
    /// How its userinfo answers are signed; left out, they are plain JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub userinfo_signed_response_alg: Option<Algorithm>,
    /// How its request objects are signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_object_signing_alg: Option<Algorithm>,
    /// Its home page, shown to people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_uri: Option<String>,
    /// Its logo. Never fetched by a person's browser from there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logo_uri: Option<String>,
    /// Its terms, shown to people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tos_uri: Option<String>,
    /// Its privacy policy, shown to people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_uri: Option<String>,
    /// Who to write to about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contacts: Vec<String>,
    /// A name for the software, the same for every copy of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub software_id: Option<String>,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub software_version: Option<String>,
    /// Where a sign-in can be started from outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initiate_login_uri: Option<String>,
    /// Where people may be sent after signing out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub post_logout_redirect_uris: Vec<RedirectUri>,
    /// Where it is told that a session ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backchannel_logout_uri: Option<String>,
    /// Whether it needs to be told which session.
    pub backchannel_logout_session_required: bool,
    /// How old a sign-in may be, in seconds, when a request does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_max_age: Option<u32>,
    /// Whether its ID tokens always say when the person signed in.
    pub require_auth_time: bool,
    /// The assurance it asks for when a request does not say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub default_acr_values: Vec<String>,
    /// Whether its requests must be pushed first.
    pub require_pushed_authorization_requests: bool,
    /// The types of RFC 9396 details it uses.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub authorization_details_types: BTreeSet<String>,
    /// Whether people are asked before it gets something. Only whoever vouches for a client decides that.
    #[serde(skip_serializing_if = "ConsentMode::is_usual")]
    pub consent: ConsentMode,
}

/// How a client proves who it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthenticationMethod {
    /// It cannot keep a secret, and does not.
    None,
    /// A secret in the Authorization header: what RFC 7591 says when nothing is said.
    #[default]
    ClientSecretBasic,
    /// A secret in the body.
    ClientSecretPost,
    /// A signed assertion.
    PrivateKeyJwt,
}

impl AuthenticationMethod {
    /// Whether it takes a secret that we issue.
    pub const fn needs_secret(self) -> bool {
        match self {
            Self::ClientSecretBasic | Self::ClientSecretPost => true,
            Self::None | Self::PrivateKeyJwt => false,
        }
    }
}

/// The ways of getting a token that exist. There is no other, and no option adds one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum GrantType {
    /// A person signs in and agrees.
    #[serde(rename = "authorization_code")]
    AuthorizationCode,
    /// A token is renewed.
    #[serde(rename = "refresh_token")]
    RefreshToken,
    /// A service or agent asks for itself.
    #[serde(rename = "client_credentials")]
    ClientCredentials,
    /// A client acts for somebody.
    #[serde(rename = "urn:ietf:params:oauth:grant-type:token-exchange", alias = "token-exchange")]
    TokenExchange,
}

/// The one answer the authorization endpoint gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseType {
    /// A code.
    Code,
}

/// Where a client runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApplicationType {
    /// On a server or in a browser.
    #[default]
    Web,
    /// On a person's device.
    Native,
}

impl ClientMetadata {
    /// The names of everything a client can say about itself, for those who must not misspell one.
    pub const MEMBERS: &[&str] = &[
        "client_name",
        "redirect_uris",
        "token_endpoint_auth_method",
        "grant_types",
        "response_types",
        "scope",
        "application_type",
        "jwks",
        "jwks_uri",
        "token_endpoint_auth_signing_alg",
        "id_token_signed_response_alg",
        "userinfo_signed_response_alg",
        "request_object_signing_alg",
        "client_uri",
        "logo_uri",
        "tos_uri",
        "policy_uri",
        "contacts",
        "software_id",
        "software_version",
        "initiate_login_uri",
        "post_logout_redirect_uris",
        "backchannel_logout_uri",
        "backchannel_logout_session_required",
        "default_max_age",
        "require_auth_time",
        "default_acr_values",
        "require_pushed_authorization_requests",
        "authorization_details_types",
        "consent",
    ];

    /// The ways it may get tokens: what it named, or what an application needs.
    pub fn grants(&self) -> BTreeSet<GrantType> {
        let usual = [GrantType::AuthorizationCode, GrantType::RefreshToken, GrantType::TokenExchange];
        self.grant_types.clone().unwrap_or_else(|| usual.into())
    }

    /// Everything wrong with the redirect addresses.
    pub fn redirect_faults(&self) -> Faults {
        let mut faults = Faults::default();
        if self.grants().contains(&GrantType::AuthorizationCode) && self.redirect_uris.is_empty() {
            faults.add("/redirect_uris", "a client that uses codes registers where they are sent");
        }
        for (pointer, uris) in [
            ("/redirect_uris", &self.redirect_uris),
            ("/post_logout_redirect_uris", &self.post_logout_redirect_uris),
        ] {
            if uris.len() > REDIRECT_URIS_MAX {
                faults.add(pointer, format!("at most {REDIRECT_URIS_MAX} addresses can be registered"));
            }
        }
        faults
    }

    /// Everything else that is wrong, all at once.
    pub fn faults(&self) -> Faults {
        let mut faults = Faults::default();
        faults.display_text("/client_name", &self.client_name);
        self.grant_faults(&mut faults);
        self.key_faults(&mut faults);
        for (pointer, address) in [
            ("/client_uri", &self.client_uri),
            ("/logo_uri", &self.logo_uri),
            ("/tos_uri", &self.tos_uri),
            ("/policy_uri", &self.policy_uri),
            ("/initiate_login_uri", &self.initiate_login_uri),
            ("/backchannel_logout_uri", &self.backchannel_logout_uri),
            ("/jwks_uri", &self.jwks_uri),
        ] {
            if address.as_deref().is_some_and(|text| !is_web_address(text)) {
                faults.add(pointer, "this must be an https address without credentials");
            }
        }
        for (pointer, text) in
            [("/software_id", &self.software_id), ("/software_version", &self.software_version)]
        {
            if let Some(text) = text {
                faults.display_text(pointer, text);
            }
        }
        if self.contacts.len() > CLIENT_CONTACTS_MAX {
            faults.add("/contacts", format!("at most {CLIENT_CONTACTS_MAX} contacts can be registered"));
        }
        for (place, contact) in self.contacts.iter().enumerate() {
            faults.display_text(&format!("/contacts/{place}"), contact);
        }
        faults
    }

    fn grant_faults(&self, faults: &mut Faults) {
        let grants = self.grants();
        if grants.is_empty() {
            faults.add("/grant_types", "a client uses at least one grant");
        }
        if grants.contains(&GrantType::RefreshToken) && !grants.contains(&GrantType::AuthorizationCode) {
            faults.add("/grant_types", "refresh_token goes with a grant that a person gives");
        }
        if grants.contains(&GrantType::ClientCredentials)
            && self.token_endpoint_auth_method == AuthenticationMethod::None
        {
            faults.add("/token_endpoint_auth_method", "a client that acts for itself must prove who it is");
        }
        let expects_code =
            self.response_types.as_ref().is_none_or(|types| types.contains(&ResponseType::Code));
        if grants.contains(&GrantType::AuthorizationCode) && !expects_code {
            faults.add("/response_types", "authorization_code goes with the response type code");
        }
    }

    fn key_faults(&self, faults: &mut Faults) {
        if self.jwks.is_some() && self.jwks_uri.is_some() {
            faults.add("/jwks", "keys are given in place or by address, not both");
        }
        let signs = self.token_endpoint_auth_method == AuthenticationMethod::PrivateKeyJwt
            || self.request_object_signing_alg.is_some();
        if signs && self.jwks.is_none() && self.jwks_uri.is_none() {
            faults.add("/jwks", "a client that signs registers its public keys");
        }
        if let Some(jwks) = &self.jwks {
            let keys = jwks.get("keys").and_then(|keys| keys.as_array());
            let private =
                |key: &serde_json::Value| ["d", "p", "q", "k"].iter().any(|member| key.get(member).is_some());
            match keys {
                Some(keys) if keys.iter().any(private) => {
                    faults.add("/jwks", "only public keys are registered")
                }
                Some(keys) if !keys.is_empty() && jwks.to_string().len() <= CLIENT_KEYS_BYTES_MAX => {}
                Some(_) | None => {
                    faults.add("/jwks", "this must be a JSON Web Key Set with at least one key")
                }
            }
        }
    }
}

/// An https address people or programs can be sent to.
fn is_web_address(text: &str) -> bool {
    text.len() <= super::redirect_uri::REDIRECT_URI_BYTES_MAX
        && text.bytes().all(|b| b.is_ascii_graphic())
        && Url::parse(text).is_ok_and(|url| {
            url.scheme() == "https" && url.has_host() && url.username().is_empty() && url.password().is_none()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ClientMetadata, serde_json::Error> {
        serde_json::from_str(text)
    }

    #[test]
    fn an_application_that_says_little_gets_what_it_needs() {
        let client = parse(
            r#"{"client_name":"Notes","redirect_uris":["https://notes.example/cb"],"token_endpoint_auth_method":"none","unknown":1}"#,
        )
        .unwrap();
        assert!(client.faults().is_empty() && client.redirect_faults().is_empty());
        let grants = [GrantType::AuthorizationCode, GrantType::RefreshToken, GrantType::TokenExchange];
        assert_eq!(client.grants(), grants.into());
        assert_eq!(parse("{}").unwrap().token_endpoint_auth_method, AuthenticationMethod::ClientSecretBasic);
    }

    #[test]
    fn grants_and_answers_that_do_not_exist_cannot_be_registered() {
        for text in [
            r#"{"grant_types":["password"]}"#,
            r#"{"grant_types":["implicit"]}"#,
            r#"{"response_types":["token"]}"#,
            r#"{"response_types":["code id_token"]}"#,
            r#"{"token_endpoint_auth_method":"client_secret_jwt"}"#,
            r#"{"id_token_signed_response_alg":"none"}"#,
            r#"{"id_token_signed_response_alg":"HS256"}"#,
            r#"{"redirect_uris":["http://evil.example/cb"]}"#,
            r#"{"scope":"anything goes"}"#,
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_contradicts_itself_is_refused_with_every_fault() {
        let client = parse(
            r#"{
                "client_name": "x\u202ey",
                "grant_types": ["client_credentials", "refresh_token"],
                "token_endpoint_auth_method": "none",
                "request_object_signing_alg": "ES256",
                "logo_uri": "http://a.example/logo.png",
                "contacts": [""]
            }"#,
        )
        .unwrap();
        let places: Vec<_> = client.faults().iter().map(|fault| fault.pointer.clone()).collect();
        let expected = [
            "/client_name",
            "/grant_types",
            "/token_endpoint_auth_method",
            "/jwks",
            "/logo_uri",
            "/contacts/0",
        ];
        assert_eq!(places, expected);
        assert_eq!(parse(r#"{"client_name":"x"}"#).unwrap().redirect_faults().iter().count(), 1);
    }

    #[test]
    fn the_names_of_members_are_those_that_are_written() {
        let text = r#"{
            "client_name": "x", "redirect_uris": ["https://a.example"], "grant_types": [], "response_types": [],
            "scope": "openid", "jwks": {}, "jwks_uri": "x", "token_endpoint_auth_signing_alg": "ES256",
            "id_token_signed_response_alg": "ES256", "userinfo_signed_response_alg": "ES256",
            "request_object_signing_alg": "ES256", "client_uri": "x", "logo_uri": "x", "tos_uri": "x",
            "policy_uri": "x", "contacts": ["x"], "software_id": "x", "software_version": "x",
            "initiate_login_uri": "x", "post_logout_redirect_uris": ["https://a.example"],
            "backchannel_logout_uri": "x", "default_max_age": 1, "default_acr_values": ["x"],
            "authorization_details_types": ["x"], "consent": "implied"
        }"#;
        let written = serde_json::to_value(parse(text).unwrap()).unwrap();
        let mut names: Vec<_> = written.as_object().unwrap().keys().map(String::as_str).collect();
        let mut known = ClientMetadata::MEMBERS.to_vec();
        names.sort_unstable();
        known.sort_unstable();
        assert_eq!(names, known);
    }

    #[test]
    fn a_private_key_is_not_registered_by_accident() {
        let with = |jwks: &str| parse(&format!(r#"{{"client_name":"x","jwks":{jwks}}}"#)).unwrap().faults();
        assert!(with(r#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AA"}]}"#).is_empty());
        assert!(!with(r#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AA","d":"BB"}]}"#).is_empty());
        assert!(!with(r#"{"keys":[]}"#).is_empty());
        assert!(!with(r#"[]"#).is_empty());
    }
}
