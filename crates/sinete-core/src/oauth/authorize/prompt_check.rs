//! Decides whether the signed-in user satisfies the request or must sign in first.

use super::params::{AuthorizationParams, PromptParameter, PromptValue};
use super::pending_authorization::SignInRelativeToRequest;
use super::response::{AuthorizationErrorCode, AuthorizationRefusal};
use crate::time::{Lifetime, Timestamp};

/// What is known about the signed-in user.
#[derive(Clone, Copy, Debug)]
pub struct PromptCheck {
    /// When the user last authenticated.
    pub authenticated_at: Timestamp,
    /// Whether the user matches the `id_token_hint`.
    pub hinted: IdTokenHintMatch,
    /// When the user signed in, relative to the request.
    pub sign_in: SignInRelativeToRequest,
}

/// The user named by the `id_token_hint`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdTokenHintMatch {
    /// There is no valid hint.
    NoHint,
    /// The signed-in user.
    SameUser,
    /// Another user.
    OtherUser,
}

/// Why the user must sign in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginRequiredReason {
    /// No user is signed in.
    NotSignedIn,
    /// The client requires it (`prompt=login`, `prompt=create`).
    Requested,
    /// The authentication is older than `max_age`.
    MaxAgeExceeded,
    /// The `id_token_hint` names another user.
    OtherUser,
    /// The organization does not accept the credential that the user signed in with.
    CredentialNotAccepted,
}

/// Decides whether the user must sign in and why, or returns the error for `prompt=none`.
pub fn check_prompt(
    params: &AuthorizationParams,
    default_max_age: Option<Lifetime>,
    present: Option<PromptCheck>,
    now: Timestamp,
) -> Result<Option<LoginRequiredReason>, AuthorizationRefusal> {
    let reason = match present {
        None => Some(LoginRequiredReason::NotSignedIn),
        Some(present) => check_present_user(params, default_max_age, present, now)?,
    };
    match (reason, &params.prompt) {
        (Some(_), PromptParameter::Silent) => Err((
            AuthorizationErrorCode::LoginRequired,
            "The user must sign in, which prompt=none does not \
                allow. Send the request without prompt=none."
                .into(),
        )),
        (reason, _) => Ok(reason),
    }
}

fn check_present_user(
    params: &AuthorizationParams,
    default_max_age: Option<Lifetime>,
    present: PromptCheck,
    now: Timestamp,
) -> Result<Option<LoginRequiredReason>, AuthorizationRefusal> {
    let asked_anew =
        params.prompt.requires(PromptValue::Login) || params.prompt.requires(PromptValue::Create);
    let too_long_ago =
        |lifetime: Lifetime| lifetime == Lifetime::ZERO || now.since(present.authenticated_at) > lifetime;
    match (present.hinted, present.sign_in) {
        // OpenID Connect Core §3.1.2.1: the user who signed in is not the one named by the hint.
        (IdTokenHintMatch::OtherUser, SignInRelativeToRequest::Because) => Err((
            AuthorizationErrorCode::LoginRequired,
            "Another user signed in than the one that \
                id_token_hint or login_hint names. Send the request again with prompt=select_account."
                .into(),
        )),
        (IdTokenHintMatch::OtherUser, SignInRelativeToRequest::Before) => {
            Ok(Some(LoginRequiredReason::OtherUser))
        }
        // A sign-in caused by this request is recent enough for it.
        (IdTokenHintMatch::NoHint | IdTokenHintMatch::SameUser, SignInRelativeToRequest::Because) => Ok(None),
        (IdTokenHintMatch::NoHint | IdTokenHintMatch::SameUser, SignInRelativeToRequest::Before)
            if asked_anew =>
        {
            Ok(Some(LoginRequiredReason::Requested))
        }
        (IdTokenHintMatch::NoHint | IdTokenHintMatch::SameUser, SignInRelativeToRequest::Before) => {
            let lifetime = params.max_age.or(default_max_age);
            Ok(lifetime.is_some_and(too_long_ago).then_some(LoginRequiredReason::MaxAgeExceeded))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access_control::subject::SignInStatus;
    use crate::oauth::authorize::request::tests::check;

    const NOW: Timestamp = Timestamp::from_seconds(1_000_000);

    fn request(changes: &[(&str, Option<&str>)]) -> AuthorizationParams {
        check(changes, SignInStatus::SignedIn).unwrap().params
    }

    fn present(seconds_ago: u32) -> PromptCheck {
        let authenticated_at = NOW.minus(Lifetime::from_seconds(seconds_ago));
        PromptCheck {
            authenticated_at,
            hinted: IdTokenHintMatch::NoHint,
            sign_in: SignInRelativeToRequest::Before,
        }
    }

    #[test]
    fn prompt_check_requires_sign_in_only_without_a_session_or_at_the_clients_request() {
        let judged = |changes: &[(&str, Option<&str>)], present: Option<PromptCheck>| {
            check_prompt(&request(changes), None, present, NOW).unwrap()
        };
        assert_eq!(judged(&[], None), Some(LoginRequiredReason::NotSignedIn));
        assert_eq!(judged(&[], Some(present(1_000_000))), None);
        assert_eq!(
            judged(&[("prompt", Some("login"))], Some(present(1))),
            Some(LoginRequiredReason::Requested)
        );
        assert_eq!(
            judged(&[("prompt", Some("create"))], Some(present(1))),
            Some(LoginRequiredReason::Requested)
        );
        assert_eq!(judged(&[("prompt", Some("consent"))], Some(present(1))), None);
        assert_eq!(
            judged(&[("max_age", Some("60"))], Some(present(61))),
            Some(LoginRequiredReason::MaxAgeExceeded)
        );
        assert_eq!(judged(&[("max_age", Some("60"))], Some(present(60))), None);
        assert_eq!(
            judged(&[("max_age", Some("0"))], Some(present(0))),
            Some(LoginRequiredReason::MaxAgeExceeded)
        );
        let other = PromptCheck { hinted: IdTokenHintMatch::OtherUser, ..present(1) };
        assert_eq!(judged(&[], Some(other)), Some(LoginRequiredReason::OtherUser));
    }

    #[test]
    fn default_max_age_applies_when_the_request_has_none() {
        let lifetime = Some(Lifetime::from_seconds(60));
        assert_eq!(
            check_prompt(&request(&[]), lifetime, Some(present(61)), NOW),
            Ok(Some(LoginRequiredReason::MaxAgeExceeded))
        );
        let patient = request(&[("max_age", Some("600"))]);
        assert_eq!(check_prompt(&patient, lifetime, Some(present(61)), NOW), Ok(None));
    }

    #[test]
    fn sign_in_for_this_request_satisfies_prompt_login_and_max_age() {
        let just_now = PromptCheck { sign_in: SignInRelativeToRequest::Because, ..present(90) };
        for changes in [("prompt", Some("login")), ("max_age", Some("0")), ("max_age", Some("60"))] {
            assert_eq!(check_prompt(&request(&[changes]), None, Some(just_now), NOW), Ok(None));
        }
        let other = PromptCheck { hinted: IdTokenHintMatch::OtherUser, ..just_now };
        let refused = check_prompt(&request(&[]), None, Some(other), NOW).unwrap_err();
        assert_eq!(refused.0, AuthorizationErrorCode::LoginRequired);
    }

    #[test]
    fn sign_in_with_prompt_none_is_login_required() {
        let silent = |param| request(&[("prompt", Some("none")), param]);
        let login_required = |params: &AuthorizationParams, present| {
            check_prompt(params, None, present, NOW).unwrap_err().0 == AuthorizationErrorCode::LoginRequired
        };
        assert!(login_required(&silent(("max_age", Some("60"))), Some(present(61))));
        assert!(login_required(&silent(("max_age", None)), None));
        let other = PromptCheck { hinted: IdTokenHintMatch::OtherUser, ..present(1) };
        assert!(login_required(&silent(("max_age", None)), Some(other)));
        let prompt_check = PromptCheck { hinted: IdTokenHintMatch::SameUser, ..present(1) };
        assert_eq!(check_prompt(&silent(("max_age", None)), None, Some(prompt_check), NOW), Ok(None));
    }
}
