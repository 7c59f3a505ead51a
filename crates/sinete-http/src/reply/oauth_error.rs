//! Refusals as OAuth error bodies (RFC 6749 §5.2).

use super::problem::{head, status};
use axum::body::Body;
use axum::http::header::HeaderValue;
use axum::response::Response;
use serde::Serialize;
use sinete_core::refusal::{Refusal, RefusalCode};

#[derive(Serialize)]
struct OAuthError {
    error: &'static str,
    error_description: &'static str,
}

/// The answer to a refused request.
pub fn answer(refusal: &Refusal) -> Response {
    let error = OAuthError { error: error_code(refusal.code()), error_description: refusal.public() };
    let body = serde_json::to_vec(&error).unwrap_or_default();
    let (mut parts, body) = Response::new(Body::from(body)).into_parts();
    head(&mut parts, status(refusal.code()), HeaderValue::from_static("application/json"));
    Response::from_parts(parts, body)
}

/// The word OAuth has for it. What OAuth has no word for is a request that is invalid in some way, told
/// apart by its status.
pub const fn error_code(code: RefusalCode) -> &'static str {
    match code {
        RefusalCode::InvalidRequest
        | RefusalCode::NotFound
        | RefusalCode::MethodNotAllowed
        | RefusalCode::Conflict
        | RefusalCode::TooLarge
        | RefusalCode::UriTooLong
        | RefusalCode::HeadersTooLarge
        | RefusalCode::UnsupportedMediaType
        | RefusalCode::Unprocessable
        | RefusalCode::RequestTimeout => "invalid_request",
        RefusalCode::TooManyRequests | RefusalCode::TemporarilyUnavailable => "temporarily_unavailable",
        RefusalCode::Unauthenticated => "invalid_token",
        RefusalCode::InvalidClient
        | RefusalCode::InvalidGrant
        | RefusalCode::InvalidScope
        | RefusalCode::InvalidTarget
        | RefusalCode::UnauthorizedClient
        | RefusalCode::UnsupportedGrantType
        | RefusalCode::InvalidToken
        | RefusalCode::InsufficientScope
        | RefusalCode::ServerError => code.name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt as _;

    #[tokio::test]
    async fn the_body_is_an_error_and_a_description_and_nothing_else() {
        let refusal = Refusal::new(RefusalCode::InvalidGrant, "the grant is not valid", "spent at noon");
        let response = answer(&refusal);
        assert_eq!(response.status(), 400);
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(body, r#"{"error":"invalid_grant","error_description":"the grant is not valid"}"#);
    }

    #[test]
    fn every_code_is_a_word_that_oauth_knows() {
        let known = [
            "invalid_request",
            "invalid_client",
            "invalid_grant",
            "invalid_scope",
            "invalid_target",
            "unauthorized_client",
            "unsupported_grant_type",
            "invalid_token",
            "insufficient_scope",
            "temporarily_unavailable",
            "server_error",
        ];
        for &code in RefusalCode::ALL {
            assert!(known.contains(&error_code(code)), "{code:?}");
        }
    }
}
