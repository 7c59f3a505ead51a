//! Authorization and token requests to an identity provider.

use super::metadata::OidcProviderMetadata;
use crate::identity_providers::connections::is_loopback;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use url::Url;
use url::form_urlencoded::Serializer;

/// Our registration at an identity provider.
#[derive(Clone, Copy, Debug)]
pub struct OidcRelyingParty<'a> {
    /// Our `client_id` there.
    pub client_id: &'a str,
    /// Our redirect URI.
    pub callback: &'a str,
}

/// The parameters of an authorization request.
#[derive(Clone, Copy, Debug)]
pub struct OidcAuthorizationRequest<'a> {
    /// `state`: returned with the code, identifies the flow.
    pub state: &'a str,
    /// `nonce`: returned in the ID token.
    pub nonce: &'a str,
    /// The PKCE `code_verifier`; the provider receives its hash first.
    pub verifier: &'a str,
    /// The requested scopes.
    pub scopes: &'a [String],
    /// Whether the user must authenticate again (`prompt=login`), even with a session at the provider.
    pub requires_reauthentication: bool,
    /// `login_hint`.
    pub login_hint: Option<&'a str>,
}

/// The `claims` parameter, for providers that support it.
const CLAIMS: &str =
    r#"{"id_token":{"email":null,"email_verified":null,"name":null,"given_name":null,"family_name":null}}"#;

/// Builds the URL of the authorization request.
pub fn build_authorization_url(
    provider: &OidcProviderMetadata,
    us: OidcRelyingParty<'_>,
    request: &OidcAuthorizationRequest<'_>,
) -> String {
    let mut url = provider.authorization_endpoint.clone();
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(request.verifier));
    url.query_pairs_mut()
        .append_pair("response_type", "code")
        .append_pair("client_id", us.client_id)
        .append_pair("redirect_uri", us.callback)
        .append_pair("scope", &request.scopes.join(" "))
        .append_pair("state", request.state)
        .append_pair("nonce", request.nonce)
        .append_pair("code_challenge", &challenge)
        .append_pair("code_challenge_method", "S256");
    if provider.supports_claims_parameter {
        url.query_pairs_mut().append_pair("claims", CLAIMS);
    }
    if request.requires_reauthentication {
        url.query_pairs_mut().append_pair("prompt", "login").append_pair("max_age", "0");
    }
    if let Some(hint) = request.login_hint {
        url.query_pairs_mut().append_pair("login_hint", hint);
    }
    url.into()
}

/// Whether the URL has a loopback host, where a program on the user's machine can wait for a response (RFC
/// 8252 §7.3).
pub fn is_loopback_url(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| {
        url.scheme() == "http"
            && is_loopback(&url)
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none()
    })
}

/// Appends parameters to the query of a URL.
pub fn append_query(address: &str, pairs: &[(&str, &str)]) -> Option<String> {
    let mut url = Url::parse(address).ok()?;
    url.query_pairs_mut().extend_pairs(pairs);
    Some(url.into())
}

/// Builds the form of the token request, including client authentication.
pub fn build_token_request(
    us: OidcRelyingParty<'_>,
    code: &str,
    verifier: &str,
    proof: &[(&str, String)],
) -> String {
    let mut form = Serializer::new(String::new());
    form.append_pair("grant_type", "authorization_code")
        .append_pair("code", code)
        .append_pair("redirect_uri", us.callback)
        .append_pair("client_id", us.client_id)
        .append_pair("code_verifier", verifier);
    for (name, value) in proof {
        form.append_pair(name, value);
    }
    form.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity_providers::connections::{
        IdentityProviderIssuer, InsecureProviderPolicy, default_scopes,
    };
    use crate::oauth::pkce::S256Challenge;
    use std::collections::HashMap;

    const US: OidcRelyingParty<'static> =
        OidcRelyingParty { client_id: "us & them", callback: "https://id.example/back" };

    #[test]
    fn upstream_authorization_request_carries_state_nonce_and_challenge_but_not_the_verifier() {
        let document = r#"{"issuer":"https://idp.example","authorization_endpoint":"https://idp.example/go?tenant=1",
            "token_endpoint":"https://idp.example/token","jwks_uri":"https://idp.example/keys"}"#;
        let issuer =
            IdentityProviderIssuer::parse("https://idp.example", InsecureProviderPolicy::Refused).unwrap();
        let provider =
            OidcProviderMetadata::parse(document.as_bytes(), &issuer, InsecureProviderPolicy::Refused)
                .unwrap();
        let (verifier, scopes) = ("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", default_scopes());
        let request = OidcAuthorizationRequest {
            state: "s",
            nonce: "n",
            verifier,
            scopes: &scopes,
            requires_reauthentication: true,
            login_hint: Some("a+b@c.example"),
        };
        let address = build_authorization_url(&provider, US, &request);
        assert!(!address.contains(verifier));
        let url = Url::parse(&address).unwrap();
        let query_params: HashMap<_, _> = url.query_pairs().into_owned().collect();
        for (name, value) in [
            ("tenant", "1"),
            ("response_type", "code"),
            ("client_id", "us & them"),
            ("state", "s"),
            ("nonce", "n"),
            ("redirect_uri", "https://id.example/back"),
            ("scope", "openid email profile"),
            ("prompt", "login"),
            ("max_age", "0"),
            ("code_challenge_method", "S256"),
            ("login_hint", "a+b@c.example"),
        ] {
            assert_eq!(query_params[name], value, "{name}");
        }
        assert!(query_params["code_challenge"].parse::<S256Challenge>().unwrap().matches_verifier(verifier));
    }

    #[test]
    fn upstream_token_request_escapes_parameter_values() {
        let form = build_token_request(US, "a&client_id=evil", "v", &[("client_secret", "x=&y".to_owned())]);
        let form_params: Vec<_> = url::form_urlencoded::parse(form.as_bytes()).into_owned().collect();
        assert_eq!(form_params.len(), 6);
        assert!(form_params.contains(&("code".to_owned(), "a&client_id=evil".to_owned())));
        assert!(form_params.contains(&("client_secret".to_owned(), "x=&y".to_owned())));
    }
}
