//! What a provider is asked: to sign somebody in, and for what it then knows of them.

use super::metadata::OidcProviderMetadata;
use crate::identity_providers::connections::is_loopback;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use url::Url;
use url::form_urlencoded::Serializer;

/// What we are to a provider.
#[derive(Clone, Copy, Debug)]
pub struct OidcRelyingParty<'a> {
    /// The name by which it knows us.
    pub client_id: &'a str,
    /// Where it sends people back to.
    pub callback: &'a str,
}

/// What accompanies somebody to a provider and must come back with them.
#[derive(Clone, Copy, Debug)]
pub struct OidcAuthorizationRequest<'a> {
    /// Comes back with the code: it says to which flow it belongs.
    pub state: &'a str,
    /// Comes back in the ID token.
    pub nonce: &'a str,
    /// Only we know it; the provider is shown its hash.
    pub verifier: &'a str,
    /// What we ask for.
    pub scopes: &'a [String],
    /// Whether they have to prove anew who they are, also where the provider knows them already.
    pub is_anew: bool,
    /// Whom the provider may ask for first.
    pub login_hint: Option<&'a str>,
}

/// What the ID token is asked to hold, where a provider can be asked.
const CLAIMS: &str =
    r#"{"id_token":{"email":null,"email_verified":null,"name":null,"given_name":null,"family_name":null}}"#;

/// Where somebody goes to sign in.
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
    if provider.takes_claims {
        url.query_pairs_mut().append_pair("claims", CLAIMS);
    }
    if request.is_anew {
        url.query_pairs_mut().append_pair("prompt", "login").append_pair("max_age", "0");
    }
    if let Some(hint) = request.login_hint {
        url.query_pairs_mut().append_pair("login_hint", hint);
    }
    url.into()
}

/// Whether an address is on the machine of whoever reads it, where a program can wait for an answer (RFC 8252 §7.3).
pub fn is_loopback_url(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| {
        url.scheme() == "http"
            && is_loopback(&url)
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none()
    })
}

/// An address with more in its query.
pub fn append_query(address: &str, pairs: &[(&str, &str)]) -> Option<String> {
    let mut url = Url::parse(address).ok()?;
    url.query_pairs_mut().extend_pairs(pairs);
    Some(url.into())
}

/// The form by which a code is redeemed, with what proves who we are.
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
            is_anew: true,
            login_hint: Some("a+b@c.example"),
        };
        let address = build_authorization_url(&provider, US, &request);
        assert!(!address.contains(verifier));
        let url = Url::parse(&address).unwrap();
        let told: HashMap<_, _> = url.query_pairs().into_owned().collect();
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
            assert_eq!(told[name], value, "{name}");
        }
        assert!(told["code_challenge"].parse::<S256Challenge>().unwrap().matches_verifier(verifier));
    }

    #[test]
    fn upstream_token_request_escapes_parameter_values() {
        let form = build_token_request(US, "a&client_id=evil", "v", &[("client_secret", "x=&y".to_owned())]);
        let told: Vec<_> = url::form_urlencoded::parse(form.as_bytes()).into_owned().collect();
        assert_eq!(told.len(), 6);
        assert!(told.contains(&("code".to_owned(), "a&client_id=evil".to_owned())));
        assert!(told.contains(&("client_secret".to_owned(), "x=&y".to_owned())));
    }
}
