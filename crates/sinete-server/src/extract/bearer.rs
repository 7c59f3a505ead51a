//! The credential in the `Authorization` header: a bearer token (RFC 6750) or a DPoP-bound token (RFC 9449
//! §7.1).

use crate::base_address::BaseAddress;
use crate::extract::params::FormParams;
use crate::route::CallerKind;
use axum::http::header::{AUTHORIZATION, HeaderValue};
use axum::http::{HeaderMap, HeaderName};
use sinete_core::assurance::AssuranceLevel;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::refusal::access::AccessRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::refusal::{Refusal, RefusalCode};

/// The DPoP proof header.
pub(crate) const DPOP: HeaderName = HeaderName::from_static("dpop");
/// The DPoP nonce header.
pub(crate) const DPOP_NONCE: HeaderName = HeaderName::from_static("dpop-nonce");

/// A credential, as sent; the engine verifies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BearerCredential<'a> {
    /// The token.
    pub text: &'a str,
    /// The scheme.
    pub scheme: BearerScheme,
}

/// The authentication scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BearerScheme {
    /// `Bearer`.
    Bearer,
    /// `DPoP`, with a proof in its own header.
    Dpop,
}

/// Extracts the credential.
pub fn extract_credential<'a>(
    headers: &'a HeaderMap,
    query: &FormParams,
) -> Result<BearerCredential<'a>, Refusal> {
    reject_token_in_query(query)?;
    let mut lines = headers.get_all(AUTHORIZATION).iter();
    let Some(line) = lines.next() else { return Err(missing_credential("no Authorization header")) };
    if lines.next().is_some() {
        return Err(Refusal::because(RequestRefusal::AuthorizationRepeated, ""));
    }
    let line = line.to_str().map_err(|_| invalid_token())?;
    let (scheme, credential) = line.split_once(' ').unwrap_or((line, ""));
    let scheme = match scheme {
        bearer if bearer.eq_ignore_ascii_case("bearer") => BearerScheme::Bearer,
        dpop if dpop.eq_ignore_ascii_case("dpop") => BearerScheme::Dpop,
        _ => return Err(missing_credential("another scheme than Bearer or DPoP")),
    };
    let text = credential.trim_matches(' ');
    if is_b64token(text) { Ok(BearerCredential { text, scheme }) } else { Err(invalid_token()) }
}

/// Extracts a bearer token where DPoP is not supported.
pub fn extract_bearer_token<'a>(headers: &'a HeaderMap, query: &FormParams) -> Result<&'a str, Refusal> {
    match extract_credential(headers, query)? {
        BearerCredential { text, scheme: BearerScheme::Bearer } => Ok(text),
        BearerCredential { scheme: BearerScheme::Dpop, .. } => {
            Err(missing_credential("another scheme than Bearer"))
        }
    }
}

/// The scheme of the request's credential, as far as it can be determined.
pub(crate) fn authorization_scheme(headers: &HeaderMap) -> BearerScheme {
    let line = headers.get(AUTHORIZATION).map(HeaderValue::as_bytes).unwrap_or_default();
    let is_dpop = line.split(|&byte| byte == b' ').next().is_some_and(|it| it.eq_ignore_ascii_case(b"dpop"));
    if is_dpop { BearerScheme::Dpop } else { BearerScheme::Bearer }
}

/// Rejects a token in the query (RFC 6750 §2.3 is not supported): URLs are logged.
pub fn reject_token_in_query(query: &FormParams) -> Result<(), Refusal> {
    if query.iter().any(|(name, _)| name == "access_token") {
        return Err(Refusal::because(RequestRefusal::CredentialInUrl, "access_token in the query"));
    }
    Ok(())
}

/// Extracts a token from the header or the form (RFC 6750 §2.2), but not both.
pub fn extract_from_form_or_header<'a>(
    headers: &'a HeaderMap,
    form: &'a FormParams,
) -> Result<BearerCredential<'a>, Refusal> {
    match (headers.contains_key(AUTHORIZATION), form.get("access_token")) {
        (false, Some(text)) if is_b64token(text) => {
            Ok(BearerCredential { text, scheme: BearerScheme::Bearer })
        }
        (false, Some(_)) => Err(invalid_token()),
        (true, Some(_)) => Err(Refusal::because(RequestRefusal::TokenInHeaderAndForm, "")),
        (_, None) => extract_credential(headers, &FormParams::default()),
    }
}

/// The `WWW-Authenticate` challenges of a refusal (RFC 6750 §3, RFC 9449 §7.1, RFC 9470 §3, RFC 9728 §5.1).
/// They have no realm, because there is only one. A client that used one scheme is offered the other too.
pub(crate) fn www_authenticate_challenges(
    caller: CallerKind,
    scheme: BearerScheme,
    code: RefusalCode,
    base: &BaseAddress,
) -> Vec<HeaderValue> {
    let Some(parameters) = challenge_params(caller, code, base) else { return Vec::new() };
    let pairs: Vec<_> = parameters.iter().map(|(name, value)| format!("{name}=\"{value}\"")).collect();
    let params = pairs.join(", ");
    let algorithms = SigningAlgorithm::ALL.map(SigningAlgorithm::as_str).join(" ");
    let is_about_credential = matches!(code, RefusalCode::Unauthenticated | RefusalCode::InvalidToken);
    let lines = match (scheme, caller) {
        // A registration access token is not an OAuth access token and is never bound.
        (_, CallerKind::Registration) => vec![format!("Bearer {params}")],
        (BearerScheme::Bearer, _) if is_about_credential => {
            vec![format!("Bearer {params}"), format!("DPoP algs=\"{algorithms}\"")]
        }
        (BearerScheme::Bearer, _) => vec![format!("Bearer {params}")],
        (BearerScheme::Dpop, _) if params.is_empty() => vec![format!("DPoP algs=\"{algorithms}\"")],
        (BearerScheme::Dpop, _) => vec![format!("DPoP {params}, algs=\"{algorithms}\"")],
    };
    lines.iter().filter_map(|line| HeaderValue::try_from(line.trim_end()).ok()).collect()
}

/// The parameters of a challenge, if the refusal has one.
fn challenge_params(
    caller: CallerKind,
    code: RefusalCode,
    base: &BaseAddress,
) -> Option<Vec<(&'static str, String)>> {
    let needed = match caller {
        CallerKind::Bearer(needs) => needs.permissions(),
        CallerKind::Token(scope) => vec![scope],
        CallerKind::Registrant | CallerKind::Registration => Vec::new(),
        CallerKind::Anyone
        | CallerKind::Browser
        | CallerKind::Client
        | CallerKind::Session
        | CallerKind::SignedInUser
        | CallerKind::Flow => return None,
    };
    let of = |error: &str| vec![("error", error.to_owned())];
    let mut parameters = match code {
        RefusalCode::Unauthenticated => Vec::new(),
        RefusalCode::InvalidToken => of("invalid_token"),
        RefusalCode::InvalidKeyProof => of("invalid_dpop_proof"),
        RefusalCode::KeyProofNonceNeeded => of("use_dpop_nonce"),
        RefusalCode::InsufficientScope => of("insufficient_scope"),
        RefusalCode::InsufficientAuthentication => {
            let level = ("acr_values", AssuranceLevel::Two.acr().to_owned());
            [of("insufficient_user_authentication"), vec![level]].concat()
        }
        _ => return None,
    };
    if let (RefusalCode::InsufficientScope, [scope]) = (code, &needed[..]) {
        parameters.push(("scope", (*scope).to_owned()));
    }
    // There is no resource metadata for registration access tokens.
    if caller != CallerKind::Registration {
        let document = format!("{}{PROTECTED_RESOURCE}{}", base.origin(), base.path());
        parameters.push(("resource_metadata", document));
    }
    Some(parameters)
}

/// The path of our protected resource metadata, below the host (RFC 9728 §3.1).
const PROTECTED_RESOURCE: &str = "/.well-known/oauth-protected-resource";

/// Whether the text is a `b64token` (RFC 6750 §2.1).
fn is_b64token(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    !body.is_empty() && body.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte))
}

fn missing_credential(reason: &str) -> Refusal {
    Refusal::because(RequestRefusal::BearerTokenMissing, reason)
}

fn invalid_token() -> Refusal {
    Refusal::because(AccessRefusal::CredentialInvalid, "a malformed bearer credential")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(lines: &[&str], query: &str) -> Result<String, RefusalCode> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(AUTHORIZATION, HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        let query = FormParams::parse(query.as_bytes()).unwrap();
        extract_credential(&headers, &query)
            .map(|bearer_credential| bearer_credential.text.to_owned())
            .map_err(|refusal| refusal.code())
    }

    #[test]
    fn bearer_scheme_is_case_insensitive_and_its_token_is_not() {
        for line in ["Bearer aB1-._~+/==", "bearer aB1-._~+/==", "BEARER   aB1-._~+/== "] {
            assert_eq!(asked(&[line], "").as_deref(), Ok("aB1-._~+/=="), "{line}");
        }
    }

    #[test]
    fn authorization_scheme_distinguishes_bearer_from_dpop() {
        let of = |line: &'static str| {
            let headers = HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static(line))]);
            let bearer_scheme = extract_credential(&headers, &FormParams::default())
                .map(|bearer_credential| bearer_credential.scheme)
                .ok();
            assert_eq!(bearer_scheme, Some(authorization_scheme(&headers)));
            (bearer_scheme, extract_bearer_token(&headers, &FormParams::default()).is_ok())
        };
        assert_eq!(of("Bearer x"), (Some(BearerScheme::Bearer), true));
        for line in ["DPoP x", "dpop x", "DPOP  x"] {
            assert_eq!(of(line), (Some(BearerScheme::Dpop), false), "{line}");
        }
    }

    #[test]
    fn bearer_token_missing_is_unauthenticated_and_malformed_is_invalid() {
        for lines in [&[][..], &["Basic YTpi"], &["Bearerx y"], &[""], &["Session abc"]] {
            assert_eq!(asked(lines, ""), Err(RefusalCode::Unauthenticated), "{lines:?}");
        }
        for line in ["Bearer", "Bearer ", "Bearer a b", "Bearer =", "Bearer a=b", "Bearer \"a\"", "Bearer é"]
        {
            assert_eq!(asked(&[line], ""), Err(RefusalCode::InvalidToken), "{line}");
        }
    }

    #[test]
    fn bearer_token_in_the_query_or_twice_is_refused() {
        for query in ["access_token=x", "a=1&access%5Ftoken=x", "access_token"] {
            assert_eq!(asked(&["Bearer x"], query), Err(RefusalCode::InvalidRequest), "{query}");
            assert_eq!(asked(&[], query), Err(RefusalCode::InvalidRequest), "{query}");
        }
        assert_eq!(asked(&["Bearer x", "Bearer x"], ""), Err(RefusalCode::InvalidRequest));
    }
}
