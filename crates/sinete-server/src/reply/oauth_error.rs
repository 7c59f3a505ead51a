//! OAuth error responses (RFC 6749 §5.2).

use super::problem::{set_response_head, status_code};
use axum::body::Body;
use axum::http::header::HeaderValue;
use axum::response::Response;
use serde::Serialize;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::validation::ValidationError;
use std::borrow::Cow;

#[derive(Serialize)]
struct OAuthErrorBody<'a> {
    error: &'static str,
    error_description: Cow<'a, str>,
}

/// Maximum reported validation errors.
const REPORTED_ERRORS_MAX: usize = 8;

/// The error response.
pub fn oauth_error_response(refusal: &Refusal) -> Response {
    let error = OAuthErrorBody {
        error: oauth_error_code(refusal.code()),
        error_description: error_description(refusal),
    };
    let body = serde_json::to_vec(&error).unwrap_or_default();
    let (mut parts, body) = Response::new(Body::from(body)).into_parts();
    set_response_head(&mut parts, status_code(refusal.code()), HeaderValue::from_static("application/json"));
    Response::from_parts(parts, body)
}

/// The `error_description`, in the characters that OAuth allows: pointers and texts are our own.
fn error_description(refusal: &Refusal) -> Cow<'_, str> {
    let describe = |fault: &ValidationError| match fault.pointer.strip_prefix('/') {
        Some(path) => format!("{path}: {}", fault.text),
        None => fault.text.to_string(),
    };
    let messages: Vec<_> =
        refusal.validation_errors().iter().take(REPORTED_ERRORS_MAX).map(describe).collect();
    if messages.is_empty() {
        return refusal.public_text();
    }
    let plain = |c: char| if (' '..='~').contains(&c) && !matches!(c, '"' | '\\') { c } else { '\'' };
    messages.join("; ").chars().map(plain).collect()
}

/// The OAuth error code. Refusals without one are `invalid_request`, distinguished by status.
pub fn oauth_error_code(code: RefusalCode) -> &'static str {
    if OAUTH_ERROR_CODES.contains(&code.name()) {
        return code.name();
    }
    match code.status() {
        _ if code == RefusalCode::InvalidKeyProof => "invalid_dpop_proof",
        _ if code == RefusalCode::KeyProofNonceNeeded => "use_dpop_nonce",
        401 => "invalid_token",
        429 | 503 => "temporarily_unavailable",
        500.. => "server_error",
        _ => "invalid_request",
    }
}

/// The error codes of RFC 6749 §4.1.2.1 and §5.2, RFC 6750 §3.1, RFC 7591 §3.2.2, RFC 8628 §3.5, RFC 8707 §2,
/// RFC 9396 §5, RFC 9449 §5 and §8, OpenID Connect Core §3.1.2.6 and CIBA §13.
const OAUTH_ERROR_CODES: &[&str] = &[
    "invalid_request",
    "invalid_client",
    "invalid_grant",
    "invalid_scope",
    "invalid_target",
    "invalid_token",
    "invalid_redirect_uri",
    "invalid_client_metadata",
    "invalid_request_uri",
    "invalid_request_object",
    "invalid_authorization_details",
    "invalid_binding_message",
    "invalid_dpop_proof",
    "use_dpop_nonce",
    "unauthorized_client",
    "unsupported_grant_type",
    "unsupported_response_type",
    "unsupported_token_type",
    "unknown_user_id",
    "access_denied",
    "account_selection_required",
    "authorization_pending",
    "consent_required",
    "expired_token",
    "insufficient_scope",
    "insufficient_user_authentication",
    "interaction_required",
    "login_required",
    "slow_down",
    "temporarily_unavailable",
    "server_error",
];

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt as _;
    use sinete_core::refusal::oauth::OAuthRefusal;

    #[tokio::test]
    async fn oauth_error_body_has_error_and_description_only() {
        let refusal = Refusal::because(OAuthRefusal::GrantInvalid, "spent at noon");
        let response = oauth_error_response(&refusal);
        assert_eq!(response.status(), 400);
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let description = refusal.public_text();
        assert_eq!(body, format!(r#"{{"error":"invalid_grant","error_description":"{description}"}}"#));
    }

    #[tokio::test]
    async fn oauth_error_description_uses_ascii_characters_only() {
        let mut errors = sinete_core::validation::ValidationErrors::default();
        errors.add("/redirect_uris/0", "it has a \"fragment\" \u{2014} none is taken");
        errors.add("", "and more");
        let refusal = Refusal::because(OAuthRefusal::RegistrationRedirectUriInvalid, "private");
        let response = oauth_error_response(&refusal.with_validation_errors(errors));
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let read: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(read["error"], "invalid_redirect_uri");
        let expected_description = "redirect_uris/0: it has a 'fragment' ' none is taken; and more";
        assert_eq!(read["error_description"], expected_description);
    }

    #[test]
    fn oauth_error_codes_are_standard_and_match_their_status() {
        for &code in RefusalCode::ALL {
            let word = oauth_error_code(code);
            assert!(OAUTH_ERROR_CODES.contains(&word), "{code:?}");
            let (ours, temporary) = (word == "server_error", word == "temporarily_unavailable");
            assert_eq!(ours, matches!(code.status(), 500 | 504), "{code:?}");
            assert_eq!(temporary, matches!(code.status(), 429 | 503), "{code:?}");
        }
        assert_eq!(oauth_error_code(RefusalCode::InvalidGrant), "invalid_grant");
        assert_eq!(oauth_error_code(RefusalCode::TooLarge), "invalid_request");
        assert_eq!(oauth_error_code(RefusalCode::Unauthenticated), "invalid_token");
    }
}
