//! Extracts the client authentication of a request (RFC 6749 §2.3, RFC 7521 §4.2): one method only.

use crate::extract::params::{FormParam, FormParams, decode_form_component, parse_form_with_repeats};
use crate::route::{CallerKind, RequestBodyKind};
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, HeaderValue};
use axum::http::request::Parts;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::oauth::client_authentication::{ClientCredential, invalid_client};

/// The `client_assertion_type` of JWT assertions (RFC 7523 §2.2).
const JWT_BEARER_ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// Parameters that must not be in a URL, because URLs are logged (RFC 6749 §2.3.1, RFC 6750 §2.3).
const FORBIDDEN_QUERY_PARAMS: [&str; 3] = ["access_token", "client_assertion", "client_secret"];

/// The parameters of client authentication in a body.
const BODY_CREDENTIAL_PARAMS: [&str; 4] =
    ["client_assertion", "client_assertion_type", "client_id", "client_secret"];

/// Removes the client authentication parameters from a JSON body
/// (docs/contribute/decisions/0201-client-authentication-in-json-bodies.md), so that later code never sees a
/// credential.
pub fn extract_client_auth_from_json(body: &mut Value) -> Result<FormParams, Refusal> {
    let members = body.as_object_mut();
    let results = members.into_iter().flat_map(|members| {
        BODY_CREDENTIAL_PARAMS.into_iter().filter_map(|name| match members.remove(name)? {
            Value::String(text) => Some(Ok((name.to_owned(), text))),
            // A credential of the wrong type still counts as a second method.
            _ => Some(Err(invalid_client("a client credential is not a string"))),
        })
    });
    results.collect::<Result<_, _>>().map(FormParams::from_pairs)
}

pub(crate) fn parse_client_credential(
    headers: &HeaderMap,
    form: &FormParams,
) -> Result<(Option<String>, ClientCredential), Refusal> {
    let in_header = parse_basic_header(headers)?;
    let (secret, assertion) = (form.get("client_secret"), parse_client_assertion(form)?);
    let client_id = form.get("client_id").map(str::to_owned);
    match (in_header, secret, assertion) {
        (Some((client, secret)), None, None) => {
            // `client_id` may occur twice with the same value.
            if client_id.is_some_and(|client_id| client_id != client) {
                return Err(invalid_client("the header and the body name two clients"));
            }
            Ok((Some(client.into_string()), ClientCredential::HeaderSecret(secret.into_string())))
        }
        (None, Some(secret), None) => Ok((client_id, ClientCredential::BodySecret(secret.to_owned()))),
        (None, None, Some(assertion)) => Ok((client_id, ClientCredential::Assertion(assertion.to_owned()))),
        (None, None, None) => Ok((client_id, ClientCredential::None)),
        _ => Err(invalid_client("the client uses two authentication methods at once")),
    }
}

/// Parses `client_id` and secret from the `Authorization` header, each form-encoded (RFC 6749 §2.3.1).
fn parse_basic_header(headers: &HeaderMap) -> Result<Option<FormParam>, Refusal> {
    let mut lines = headers.get_all(AUTHORIZATION).iter();
    let Some(line) = lines.next() else { return Ok(None) };
    if lines.next().is_some() {
        return Err(Refusal::because(RequestRefusal::AuthorizationRepeated, ""));
    }
    if !is_basic_scheme(line) {
        return Err(invalid_client("the Authorization header is of another scheme than Basic"));
    }
    let (client, secret) =
        basic_credentials(line).ok_or_else(|| invalid_client("malformed Basic credentials"))?;
    Ok(Some((client, secret)))
}

fn basic_credentials(line: &HeaderValue) -> Option<FormParam> {
    let (_, encoded) = line.to_str().ok()?.split_once(' ')?;
    let decoded = STANDARD.decode(encoded.trim_matches(' ')).ok()?;
    let colon = decoded.iter().position(|&byte| byte == b':')?;
    Some((decode_form_component(&decoded[..colon]).ok()?, decode_form_component(&decoded[colon + 1..]).ok()?))
}

fn is_basic_scheme(line: &HeaderValue) -> bool {
    let scheme = line.as_bytes().split(|&byte| byte == b' ').next().unwrap_or_default();
    scheme.eq_ignore_ascii_case(b"basic")
}

fn parse_client_assertion(form: &FormParams) -> Result<Option<&str>, Refusal> {
    match (form.get("client_assertion"), form.get("client_assertion_type")) {
        (None, None) => Ok(None),
        (Some(assertion), Some(JWT_BEARER_ASSERTION_TYPE)) => Ok(Some(assertion)),
        _ => Err(invalid_client(
            "client_assertion and client_assertion_type must be sent together, and one type is supported",
        )),
    }
}

/// Rejects credentials in the query.
pub(crate) fn reject_credentials_in_query(parts: &Parts) -> Result<(), Refusal> {
    let query = parse_form_with_repeats(parts.uri.query().unwrap_or_default().as_bytes())?;
    if query.iter().any(|(name, _)| FORBIDDEN_QUERY_PARAMS.contains(&name.as_str())) {
        return Err(Refusal::because(RequestRefusal::CredentialInUrl, ""));
    }
    Ok(())
}

/// Whether a request to a client endpoint used the `Authorization` header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClientAuthScheme {
    /// It used Basic.
    Basic,
    /// It did not.
    Other,
}

pub(crate) fn client_auth_scheme(
    caller: CallerKind,
    body: RequestBodyKind,
    headers: &HeaderMap,
) -> ClientAuthScheme {
    // Every 401 has a challenge (RFC 9110 §15.5.2), and where no form is accepted this is the default.
    let tried = headers.get(AUTHORIZATION).is_some_and(is_basic_scheme) || body == RequestBodyKind::Json;
    if tried && caller == CallerKind::Client { ClientAuthScheme::Basic } else { ClientAuthScheme::Other }
}

/// The challenge for a client that used the header (RFC 6749 §5.2).
pub(crate) fn www_authenticate_challenge(scheme: ClientAuthScheme, code: RefusalCode) -> Option<HeaderValue> {
    let applies = scheme == ClientAuthScheme::Basic && code == RefusalCode::InvalidClient;
    applies.then_some(HeaderValue::from_static("Basic realm=\"sinete\", charset=\"UTF-8\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(lines: &[&str], form: &str) -> Result<(Option<String>, String), RefusalCode> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(AUTHORIZATION, HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        let form = FormParams::parse(form.as_bytes()).unwrap();
        let parsed_credential = parse_client_credential(&headers, &form).map_err(|refusal| refusal.code())?;
        let proof = match parsed_credential.1 {
            ClientCredential::None => "nothing".to_owned(),
            ClientCredential::HeaderSecret(secret) => format!("header {secret}"),
            ClientCredential::BodySecret(secret) => format!("body {secret}"),
            ClientCredential::Assertion(assertion) => format!("assertion {assertion}"),
        };
        Ok((parsed_credential.0, proof))
    }

    fn basic(text: &str) -> String {
        format!("Basic {}", STANDARD.encode(text))
    }

    #[test]
    fn client_authentication_methods_are_read_as_sent() {
        let some = |client: &str, proof: &str| Ok((Some(client.to_owned()), proof.to_owned()));
        assert_eq!(asked(&[&basic("a:b")], ""), some("a", "header b"));
        assert_eq!(asked(&[&basic("a%3Ab:c%20d+e%25:f")], ""), some("a:b", "header c d e%:f"));
        assert_eq!(asked(&[&basic("a:b").replace("Basic", "bASIC")], "client_id=a"), some("a", "header b"));
        assert_eq!(asked(&[], "client_id=a&client_secret=b"), some("a", "body b"));
        assert_eq!(asked(&[], "client_id=a"), some("a", "nothing"));
        assert_eq!(asked(&[], "client_id=a&client_secret="), some("a", "nothing"));
        let assertion = format!("client_assertion=x.y.z&client_assertion_type={JWT_BEARER_ASSERTION_TYPE}");
        assert_eq!(asked(&[], &assertion), Ok((None, "assertion x.y.z".to_owned())));
    }

    #[test]
    fn client_authentication_members_are_removed_from_a_json_body() {
        let mut body = serde_json::json!({"client_id": "a", "subject": {"client_id": "b"}});
        let form = extract_client_auth_from_json(&mut body).unwrap();
        assert_eq!(form.iter().collect::<Vec<_>>(), [("client_id", "a")]);
        assert_eq!(body, serde_json::json!({"subject": {"client_id": "b"}}));
        for mut other in [Value::Null, serde_json::json!(["client_id"]), "client_id".into()] {
            assert!(extract_client_auth_from_json(&mut other).unwrap().is_empty());
        }
        for name in BODY_CREDENTIAL_PARAMS {
            let refused = extract_client_auth_from_json(&mut serde_json::json!({name: 7})).unwrap_err();
            assert_eq!(refused.code(), RefusalCode::InvalidClient, "{name}");
        }
    }

    #[test]
    fn client_authentication_by_two_methods_is_refused() {
        let assertion = format!("client_assertion=x&client_assertion_type={JWT_BEARER_ASSERTION_TYPE}");
        for (lines, form) in [
            (&[basic("a:b")][..], "client_id=a&client_secret=b".to_owned()),
            (&[basic("a:b")], assertion.clone()),
            (&[], format!("client_secret=b&{assertion}")),
            (&[basic("a:b")], "client_id=c".to_owned()),
        ] {
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            assert_eq!(asked(&lines, &form), Err(RefusalCode::InvalidClient), "{form}");
        }
    }

    #[test]
    fn client_authentication_that_is_malformed_is_invalid_client() {
        for line in ["Basic", "Basic ", "Basic !!", "Basic YQ==", "Bearer x", "Basic /w==", &basic("a:%")] {
            assert_eq!(asked(&[line], "client_id=a"), Err(RefusalCode::InvalidClient), "{line}");
        }
        for form in ["client_assertion=x", "client_assertion=x&client_assertion_type=saml"] {
            assert_eq!(asked(&[], form), Err(RefusalCode::InvalidClient), "{form}");
        }
        assert_eq!(asked(&[&basic("a:b"), &basic("a:b")], ""), Err(RefusalCode::InvalidRequest));
    }

    #[test]
    fn www_authenticate_is_sent_only_after_basic_authentication() {
        assert!(www_authenticate_challenge(ClientAuthScheme::Basic, RefusalCode::InvalidClient).is_some());
        assert!(www_authenticate_challenge(ClientAuthScheme::Other, RefusalCode::InvalidClient).is_none());
        assert!(www_authenticate_challenge(ClientAuthScheme::Basic, RefusalCode::InvalidGrant).is_none());
    }
}
