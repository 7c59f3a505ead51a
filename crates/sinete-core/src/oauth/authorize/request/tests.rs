//! Complete requests, and everything that makes one incomplete.

use super::*;
use crate::limits::AUTHORIZATION_REQUEST_BYTES_MAX;
use crate::oauth::authorize::params::PromptValue;
use crate::oauth::authorize::pending_authorization::{AuthorizationChannel, PendingAuthorization};
use crate::oauth::authorize::redirectable_request::RegisteredRedirectUris;
use crate::oauth::grants::deferred::DeferredGrantKind;
use proptest::prelude::*;

const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

pub(in crate::oauth::authorize) fn check(
    changes: &[(&str, Option<&str>)],
    signed_in: SignInStatus,
) -> Result<AuthorizationRequest, RedirectedError> {
    let mut pairs = vec![
        ("client_id", "notes"),
        ("redirect_uri", "https://notes.example/cb"),
        ("response_type", "code"),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
        ("state", "s"),
    ];
    for (name, value) in changes {
        pairs.retain(|(present, _)| present != name);
        pairs.extend(value.map(|value| (*name, value)));
    }
    let (id, uris) = ("notes".parse().unwrap(), ["https://notes.example/cb".parse().unwrap()]);
    let client = RegisteredRedirectUris { id: &id, redirect_uris: &uris };
    let params = RawAuthorizationParams::new(pairs);
    params.verify_redirect_uri(&client).unwrap().validate(signed_in)
}

fn error(changes: &[(&str, Option<&str>)]) -> AuthorizationErrorCode {
    check(changes, SignInStatus::SignedIn).unwrap_err().error
}

#[test]
fn authorization_request_with_required_parameters_only_is_accepted() {
    let request = check(&[], SignInStatus::SignedOut).unwrap();
    assert_eq!(request.challenge, CHALLENGE.parse().unwrap());
    assert_eq!((request.params.prompt, request.params.scope), (PromptParameter::AsNeeded, None));
    assert_eq!(request.reply_to.state.as_deref(), Some("s"));
    assert_eq!(request.reply_to.mode, ResponseMode::Query);
}

#[test]
fn authorization_request_without_an_s256_challenge_is_invalid_request() {
    use AuthorizationErrorCode::InvalidRequest;
    let lower = CHALLENGE[..42].to_owned();
    for changes in [
        vec![("code_challenge", None)],
        vec![("code_challenge", Some(""))],
        vec![("code_challenge", Some(lower.as_str()))],
        vec![("code_challenge_method", None)],
        vec![("code_challenge_method", Some("plain"))],
        vec![("code_challenge_method", Some("s256"))],
        vec![("code_challenge", None), ("code_challenge_method", None)],
    ] {
        assert_eq!(error(&changes), InvalidRequest, "{changes:?}");
    }
}

#[test]
fn authorization_request_accepts_response_type_code_only_and_no_fragment() {
    for kind in ["token", "id_token", "code id_token", "code token", "none", "CODE"] {
        assert_eq!(error(&[("response_type", Some(kind))]), AuthorizationErrorCode::UnsupportedResponseType);
    }
    assert_eq!(error(&[("response_type", None)]), AuthorizationErrorCode::InvalidRequest);
    for mode in ["fragment", "form_post.jwt", "web_message", "Query"] {
        let refused = check(&[("response_mode", Some(mode))], SignInStatus::SignedIn).unwrap_err();
        assert_eq!(
            (refused.error, refused.reply_to.mode),
            (AuthorizationErrorCode::InvalidRequest, ResponseMode::Query)
        );
    }
    let posted = check(&[("response_mode", Some("form_post"))], SignInStatus::SignedIn).unwrap();
    assert_eq!(posted.reply_to.mode, ResponseMode::FormPost);
}

#[test]
fn prompt_none_without_a_session_is_login_required_before_other_errors() {
    let silent = [("prompt", Some("none")), ("code_challenge", None)];
    assert_eq!(
        check(&silent, SignInStatus::SignedOut).unwrap_err().error,
        AuthorizationErrorCode::LoginRequired
    );
    for wrong in [("max_age", "soon"), ("claims", "[]"), ("code_challenge", "x"), ("response_type", "token")]
    {
        let params = [("prompt", Some("none")), (wrong.0, Some(wrong.1))];
        let refused = check(&params, SignInStatus::SignedOut).unwrap_err();
        assert!(refused.error.is_invalid_request(), "{wrong:?}");
    }
    assert_eq!(
        check(&silent, SignInStatus::SignedIn).unwrap_err().error,
        AuthorizationErrorCode::InvalidRequest
    );
    assert_eq!(check(&silent[..1], SignInStatus::SignedIn).unwrap().params.prompt, PromptParameter::Silent);
    assert_eq!(error(&[("prompt", Some("none login"))]), AuthorizationErrorCode::InvalidRequest);
    for unknown in ["register", "none create", "create register"] {
        assert_eq!(error(&[("prompt", Some(unknown))]), AuthorizationErrorCode::InvalidRequest);
    }
    assert_eq!(
        check(&[("prompt", Some("create"))], SignInStatus::SignedOut).unwrap().params.prompt,
        PromptParameter::AtLeast([PromptValue::Create].into())
    );
    let asks = [PromptValue::Login, PromptValue::Consent].into();
    assert_eq!(
        check(&[("prompt", Some("consent login"))], SignInStatus::SignedOut).unwrap().params.prompt,
        PromptParameter::AtLeast(asks)
    );
}

#[test]
fn malformed_authorization_parameter_is_refused_with_its_error_code() {
    use AuthorizationErrorCode::*;
    let long = "x".repeat(1025);
    for (name, value, expected) in [
        ("scope", "openid  email", InvalidScope),
        ("scope", "everything", InvalidScope),
        ("resource", "not a uri", InvalidTarget),
        ("max_age", "-1", InvalidRequest),
        ("max_age", "soon", InvalidRequest),
        ("claims", "[]", InvalidRequest),
        ("claims", "{", InvalidRequest),
        ("authorization_details", "{}", InvalidAuthorizationDetails),
        ("authorization_details", "[]", InvalidAuthorizationDetails),
        ("authorization_details", "[{\"type\":1}]", InvalidAuthorizationDetails),
        ("state", &long, InvalidRequest),
        ("nonce", &long, InvalidRequest),
        ("dpop_jkt", "short", InvalidRequest),
    ] {
        assert_eq!(error(&[(name, Some(value))]), expected, "{name}={value}");
    }
}

#[test]
fn optional_and_unknown_authorization_parameters_are_never_an_error() {
    for name in
        ["login_hint", "ui_locales", "acr_values", "display", "claims_locales", "id_token_hint", "unknown"]
    {
        assert!(check(&[(name, Some("anything at all"))], SignInStatus::SignedOut).is_ok(), "{name}");
    }
    assert!(check(&[("state", None)], SignInStatus::SignedOut).unwrap().reply_to.state.is_none());
}

#[test]
fn duplicate_authorization_parameter_is_redirected_as_an_error() {
    let (id, uris) = ("notes".parse().unwrap(), ["https://notes.example/cb".parse().unwrap()]);
    let client = RegisteredRedirectUris { id: &id, redirect_uris: &uris };
    let pairs = [
        ("client_id", "notes"),
        ("redirect_uri", "https://notes.example/cb"),
        ("scope", "openid"),
        ("scope", "openid"),
    ];
    let params = RawAuthorizationParams::new(pairs);
    let refused = params.verify_redirect_uri(&client).unwrap().validate(SignInStatus::SignedOut).unwrap_err();
    assert_eq!(refused.error, AuthorizationErrorCode::InvalidRequest);
}

/// A parameter that is read but not stored would be lost while the request is pending.
#[test]
fn authorization_request_is_unchanged_after_being_stored() {
    let pairs = [
        ("client_id", "notes"),
        ("redirect_uri", "https://notes.example/cb"),
        ("response_type", "code"),
        ("response_mode", "form_post"),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
        ("state", "s"),
        ("nonce", "n"),
        ("scope", "openid email"),
        ("resource", "https://api.example"),
        ("organization", "acme"),
        ("prompt", "login consent"),
        ("max_age", "60"),
        ("id_token_hint", "a.b.c"),
        ("login_hint", "ana@example.com"),
        ("acr_values", "urn:sinete:aal:2"),
        ("ui_locales", "pt en"),
        ("claims", "{\"id_token\":{\"email\":null}}"),
        ("dpop_jkt", "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"),
        ("authorization_details", "[{\"type\":\"payment\"}]"),
    ];
    let (id, uris) = ("notes".parse().unwrap(), ["https://notes.example/cb".parse().unwrap()]);
    let client = RegisteredRedirectUris { id: &id, redirect_uris: &uris };
    let read = |params: RawAuthorizationParams| {
        params.verify_redirect_uri(&client).unwrap().validate(SignInStatus::SignedIn).unwrap()
    };
    let params = RawAuthorizationParams::new(pairs);
    let stored = PendingAuthorization::new(id.clone(), &params, AuthorizationChannel::Browser);
    assert_eq!(stored.stored_params().len(), pairs.len(), "every parameter that is read is stored");
    assert_eq!(read(stored.raw_params()), read(params));
    let bare = check(&[], SignInStatus::SignedIn).unwrap().params;
    let full = read(stored.raw_params()).params;
    // Every parameter differs from its default, so that one missing from the list is noticed.
    assert!(full.scope != bare.scope && full.resource != bare.resource && full.nonce != bare.nonce);
    assert!(full.claims != bare.claims && full.key != bare.key && full.details != bare.details);
}

#[test]
fn authorization_request_size_is_bounded_over_stored_parameters() {
    let long = "x".repeat(AUTHORIZATION_REQUEST_BYTES_MAX);
    for name in ["id_token_hint", "acr_values", "ui_locales", "login_hint"] {
        assert_eq!(error(&[(name, Some(&long))]), AuthorizationErrorCode::InvalidRequest, "{name}");
    }
    let two = "x".repeat(AUTHORIZATION_REQUEST_BYTES_MAX / 2);
    assert!(check(&[("id_token_hint", Some(&two))], SignInStatus::SignedIn).is_ok());
    let refused = error(&[("id_token_hint", Some(&two)), ("ui_locales", Some(&two))]);
    assert_eq!(refused, AuthorizationErrorCode::InvalidRequest);
    assert!(check(&[("unknown", Some(&long))], SignInStatus::SignedIn).is_ok());
    let device = |name: &str, value: &str| {
        AuthorizationParams::parse_deferred_request(
            DeferredGrantKind::DeviceAuthorization,
            &RawAuthorizationParams::new([(name, value)]),
        )
    };
    assert!(device("ui_locales", &long).is_err() && device("unknown", &long).is_ok());
}

proptest! {
    #[test]
    fn authorization_request_checking_never_panics_and_errors_never_echo_input(
        name in "[a-z_]{1,24}", value in "\\PC{0,60}", text in "[a-zA-Z0-9]{12,40}",
    ) {
        let _ = check(&[(name.as_str(), Some(value.as_str()))].map(|(n, v)| if matches!(n, "client_id" | "redirect_uri") { ("x", v) } else { (n, v) }), SignInStatus::SignedOut);
        // Only `scope` is quoted, and only words that can be a scope.
        let refused = check(&[("scope", Some(value.as_str()))], SignInStatus::SignedIn);
        prop_assert!(refused.is_ok() || refused.unwrap_err().description.is_ascii());
        for name in ["prompt", "max_age", "claims", "resource", "response_type", "code_challenge"] {
            if let Err(refused) = check(&[(name, Some(text.as_str()))], SignInStatus::SignedIn) {
                prop_assert!(!refused.description.contains(&text));
                prop_assert!(refused.description.is_ascii());
            }
        }
    }
}
