//! The bearer credential of a request (RFC 6750): in the `Authorization` header and nowhere else.

use crate::base_address::BaseAddress;
use crate::extract::pairs::Pairs;
use crate::route::{Caller, Route};
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, HeaderValue};
use sinete_core::assurance::Assurance;
use sinete_core::refusal::{Refusal, RefusalCode};

/// The credential, as it was sent. Whether it counts is for the engine to say.
pub fn extract<'a>(headers: &'a HeaderMap, query: &Pairs) -> Result<&'a str, Refusal> {
    not_in_address(query)?;
    let mut lines = headers.get_all(AUTHORIZATION).iter();
    let Some(line) = lines.next() else { return Err(missing("no Authorization header")) };
    if lines.next().is_some() {
        let public = "the request has more than one Authorization header";
        return Err(Refusal::new(RefusalCode::InvalidRequest, public, public));
    }
    let line = line.to_str().map_err(|_| malformed())?;
    let (scheme, credential) = line.split_once(' ').unwrap_or((line, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(missing("another scheme than Bearer"));
    }
    let credential = credential.trim_matches(' ');
    if is_token(credential) { Ok(credential) } else { Err(malformed()) }
}

/// RFC 6750 §2.3 lets a server do without: what stands in an address ends up in logs.
pub(crate) fn not_in_address(query: &Pairs) -> Result<(), Refusal> {
    if query.iter().any(|(name, _)| name == "access_token") {
        let public = "a credential does not belong into the address";
        return Err(Refusal::new(RefusalCode::InvalidRequest, public, "access_token in the query"));
    }
    Ok(())
}

/// The token of a request that may show it in its form instead (RFC 6750 §2.2), and then in nothing else.
pub fn of_form(headers: &HeaderMap, form: &Pairs) -> Result<String, Refusal> {
    match (headers.contains_key(AUTHORIZATION), form.get("access_token")) {
        (false, Some(token)) if is_token(token) => Ok(token.to_owned()),
        (false, Some(_)) => Err(malformed()),
        (true, Some(_)) => {
            let public = "a token belongs into the header or into the form, not into both";
            Err(Refusal::new(RefusalCode::InvalidRequest, public, public))
        }
        (_, None) => extract(headers, &Pairs::default()).map(str::to_owned),
    }
}

/// What a refusal of this kind tells a client about how to come back (RFC 6750 §3, RFC 9470 §3, RFC 9728 §5.1).
/// It names no realm: there is one.
pub(crate) fn challenge(route: &Route, code: RefusalCode, base: &BaseAddress) -> Option<HeaderValue> {
    let needed = match route.caller {
        Caller::Bearer(needs) => needs.permissions(),
        Caller::Token(scope) => vec![scope],
        Caller::Applicant | Caller::Registration => Vec::new(),
        Caller::Anyone | Caller::Browser | Caller::Client | Caller::Session | Caller::Flow => return None,
    };
    let mut parameters = match code {
        RefusalCode::Unauthenticated => Vec::new(),
        RefusalCode::InvalidToken => vec![("error", "invalid_token")],
        RefusalCode::InsufficientScope => vec![("error", "insufficient_scope")],
        RefusalCode::InsufficientAuthentication => {
            vec![("error", "insufficient_user_authentication"), ("acr_values", Assurance::Two.acr())]
        }
        _ => return None,
    };
    if let (RefusalCode::InsufficientScope, [scope]) = (code, &needed[..]) {
        parameters.push(("scope", scope));
    }
    let document = format!("{}{PROTECTED_RESOURCE}{}", base.origin(), base.path());
    // A registration token is no token of OAuth: no document tells how to get one.
    if route.caller != Caller::Registration {
        parameters.push(("resource_metadata", &document));
    }
    let parameters: Vec<_> = parameters.iter().map(|(name, value)| format!("{name}=\"{value}\"")).collect();
    HeaderValue::try_from(format!("Bearer {}", parameters.join(", ")).trim_end()).ok()
}

/// Where what is to be known about our own APIs stands, below the address of the host (RFC 9728 §3.1).
const PROTECTED_RESOURCE: &str = "/.well-known/oauth-protected-resource";

/// RFC 6750 §2.1: letters, digits and six marks, then perhaps padding.
fn is_token(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    !body.is_empty() && body.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte))
}

fn missing(reason: &str) -> Refusal {
    Refusal::new(RefusalCode::Unauthenticated, "a bearer credential is needed", reason)
}

fn malformed() -> Refusal {
    Refusal::new(
        RefusalCode::InvalidToken,
        "the credential is unknown, revoked or expired",
        "a malformed bearer credential",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(lines: &[&str], query: &str) -> Result<String, RefusalCode> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(AUTHORIZATION, HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        let query = Pairs::parse(query.as_bytes()).unwrap();
        extract(&headers, &query).map(str::to_owned).map_err(|refusal| refusal.code())
    }

    #[test]
    fn the_scheme_is_compared_without_case_and_the_credential_with() {
        for line in ["Bearer aB1-._~+/==", "bearer aB1-._~+/==", "BEARER   aB1-._~+/== "] {
            assert_eq!(asked(&[line], "").as_deref(), Ok("aB1-._~+/=="), "{line}");
        }
    }

    #[test]
    fn what_is_no_bearer_credential_asks_for_one_and_what_is_a_bad_one_says_so() {
        for lines in [&[][..], &["Basic YTpi"], &["Bearerx y"], &[""], &["Session abc"]] {
            assert_eq!(asked(lines, ""), Err(RefusalCode::Unauthenticated), "{lines:?}");
        }
        for line in ["Bearer", "Bearer ", "Bearer a b", "Bearer =", "Bearer a=b", "Bearer \"a\"", "Bearer é"]
        {
            assert_eq!(asked(&[line], ""), Err(RefusalCode::InvalidToken), "{line}");
        }
    }

    #[test]
    fn a_credential_elsewhere_or_twice_is_refused() {
        for query in ["access_token=x", "a=1&access%5Ftoken=x", "access_token"] {
            assert_eq!(asked(&["Bearer x"], query), Err(RefusalCode::InvalidRequest), "{query}");
            assert_eq!(asked(&[], query), Err(RefusalCode::InvalidRequest), "{query}");
        }
        assert_eq!(asked(&["Bearer x", "Bearer x"], ""), Err(RefusalCode::InvalidRequest));
    }
}
