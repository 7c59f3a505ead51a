//! The authorization response: a code or an error, always with `iss` (RFC 9207), only to a verified redirect
//! URI.

use super::consent::ClientTrust;
use super::redirectable_request::AuthorizationResponseTarget;
use crate::access_control::subject::SignInStatus;
use crate::refusal::oauth::OAuthRefusal;
use std::borrow::Cow;

/// Error codes of the authorization endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthorizationErrorCode {
    /// The request is malformed or lacks a required parameter.
    InvalidRequest,
    /// The client may not use this kind of request.
    UnauthorizedClient,
    /// The user or a policy denied the request.
    AccessDenied,
    /// `response_type` is not `code`.
    UnsupportedResponseType,
    /// The scope is unknown or exceeds what the client or user holds.
    InvalidScope,
    /// The resource is not allowed for this request.
    InvalidTarget,
    /// The API does not accept the authorization details.
    InvalidAuthorizationDetails,
    /// The request object is invalid.
    InvalidRequestObject,
    /// The `request_uri` is unknown or invalid.
    InvalidRequestUri,
    /// The `request_uri` is a URL; request objects are never fetched.
    RequestUriNotSupported,
    /// The user must sign in, but `prompt=none`.
    LoginRequired,
    /// The user must consent, but `prompt=none`.
    ConsentRequired,
    /// The user must choose an organization, but `prompt=none`.
    AccountSelectionRequired,
    /// Another interaction is needed, but `prompt=none`.
    InteractionRequired,
    /// An internal error.
    ServerError,
    /// The server is temporarily unable to answer.
    TemporarilyUnavailable,
}

impl AuthorizationErrorCode {
    /// The error code on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::UnauthorizedClient => "unauthorized_client",
            Self::AccessDenied => "access_denied",
            Self::UnsupportedResponseType => "unsupported_response_type",
            Self::InvalidScope => "invalid_scope",
            Self::InvalidTarget => "invalid_target",
            Self::InvalidAuthorizationDetails => "invalid_authorization_details",
            Self::InvalidRequestObject => "invalid_request_object",
            Self::InvalidRequestUri => "invalid_request_uri",
            Self::RequestUriNotSupported => "request_uri_not_supported",
            Self::LoginRequired => "login_required",
            Self::ConsentRequired => "consent_required",
            Self::AccountSelectionRequired => "account_selection_required",
            Self::InteractionRequired => "interaction_required",
            Self::ServerError => "server_error",
            Self::TemporarilyUnavailable => "temporarily_unavailable",
        }
    }

    /// The reason with which a client is refused that made the request directly, and not through a browser.
    pub const fn direct_refusal(self, description: &'static str) -> OAuthRefusal {
        match self {
            Self::UnauthorizedClient => OAuthRefusal::AuthorizationClientNotAllowed(description),
            Self::UnsupportedResponseType => OAuthRefusal::ResponseTypeUnsupported(description),
            Self::InvalidScope => OAuthRefusal::AuthorizationScopeInvalid(description),
            Self::InvalidTarget => OAuthRefusal::AuthorizationResourceInvalid(description),
            Self::InvalidAuthorizationDetails => OAuthRefusal::AuthorizationDetailsInvalid(description),
            Self::InvalidRequestObject => OAuthRefusal::AuthorizationObjectInvalid(description),
            Self::InvalidRequestUri => OAuthRefusal::AuthorizationRequestUriInvalid(description),
            Self::ServerError => OAuthRefusal::AuthorizationFailed(description),
            Self::TemporarilyUnavailable => OAuthRefusal::AuthorizationUnavailable(description),
            // The last five need a user, who is not present yet.
            Self::InvalidRequest
            | Self::RequestUriNotSupported
            | Self::AccessDenied
            | Self::LoginRequired
            | Self::ConsentRequired
            | Self::AccountSelectionRequired
            | Self::InteractionRequired => OAuthRefusal::AuthorizationRequestInvalid(description),
        }
    }

    /// Whether the request itself is wrong. Anyone can construct such a request, so its error response must
    /// not redirect an unsuspecting user.
    pub const fn is_invalid_request(self) -> bool {
        match self {
            Self::InvalidRequest
            | Self::UnauthorizedClient
            | Self::UnsupportedResponseType
            | Self::InvalidScope
            | Self::InvalidTarget
            | Self::InvalidAuthorizationDetails
            | Self::InvalidRequestObject
            | Self::InvalidRequestUri
            | Self::RequestUriNotSupported => true,
            Self::AccessDenied
            | Self::LoginRequired
            | Self::ConsentRequired
            | Self::AccountSelectionRequired
            | Self::InteractionRequired
            | Self::ServerError
            | Self::TemporarilyUnavailable => false,
        }
    }
}

/// An error without its redirect target: the code and an ASCII description that contains nothing sent by the
/// client, except a scope ([`crate::oauth::scope_ceiling::quote_scope`]).
pub type AuthorizationRefusal = (AuthorizationErrorCode, Cow<'static, str>);

/// An error to be sent to the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedirectedError {
    /// Where and how it is sent.
    pub reply_to: AuthorizationResponseTarget,
    /// The error code.
    pub error: AuthorizationErrorCode,
    /// The description, in ASCII, without anything sent by the client except a scope.
    pub description: Cow<'static, str>,
}

/// How an error reaches the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthorizationErrorDelivery {
    /// By immediate redirect.
    Immediate,
    /// After a page that shows the user where the redirect leads. Otherwise anyone who registers a client
    /// could use our links as an open redirector (RFC 9700 §4.11.2).
    AfterInterstitial,
}

impl RedirectedError {
    /// Redirects immediately if the client is trusted, the redirect stays on the user's machine, or the user
    /// is signed in. Otherwise the user sees the target first (RFC 9700 §4.11.2), unless the request is valid
    /// and has `prompt=none`: the page would be in a hidden frame.
    pub fn choose_delivery(
        &self,
        client_trust: ClientTrust,
        signed_in: SignInStatus,
        is_silent: bool,
    ) -> AuthorizationErrorDelivery {
        let is_trusted = client_trust != ClientTrust::SelfRegistered || self.reply_to.callback.is_loopback();
        let is_silent_and_valid = is_silent && !self.error.is_invalid_request();
        if is_trusted || signed_in == SignInStatus::SignedIn || is_silent_and_valid {
            AuthorizationErrorDelivery::Immediate
        } else {
            AuthorizationErrorDelivery::AfterInterstitial
        }
    }
}

impl AuthorizationResponseTarget {
    /// Builds the parameters of a response with a code.
    pub fn build_code_response<'a>(&'a self, code: &'a str, issuer: &'a str) -> Vec<(&'static str, &'a str)> {
        self.with_state_and_issuer(vec![("code", code)], issuer)
    }

    /// Builds the parameters of an error response.
    pub fn build_error_response<'a>(
        &'a self,
        error: AuthorizationErrorCode,
        description: &'a str,
        issuer: &'a str,
    ) -> Vec<(&'static str, &'a str)> {
        let error = vec![("error", error.as_str()), ("error_description", description)];
        self.with_state_and_issuer(error, issuer)
    }

    fn with_state_and_issuer<'a>(
        &'a self,
        mut parameters: Vec<(&'static str, &'a str)>,
        issuer: &'a str,
    ) -> Vec<(&'static str, &'a str)> {
        parameters.extend(self.state.as_deref().map(|state| ("state", state)));
        parameters.push(("iss", issuer));
        parameters
    }

    /// The redirect URI with the parameters in its query.
    pub fn build_redirect_url(&self, parameters: &[(&'static str, &str)]) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(parameters);
        let callback = self.callback.as_str();
        let joint = match callback.split_once('?') {
            None => "?",
            Some((_, "")) => "",
            Some(_) => "&",
        };
        format!("{callback}{joint}{}", query.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oauth::authorize::redirectable_request::ResponseMode;
    use crate::oauth::redirect_uri::MatchedRedirectUri;

    fn reply_to(uri: &str) -> AuthorizationResponseTarget {
        let callback = MatchedRedirectUri::match_registered(&[uri.parse().unwrap()], uri).unwrap();
        AuthorizationResponseTarget { callback, mode: ResponseMode::Query, state: Some("a b&c=d#".into()) }
    }

    #[test]
    fn authorization_response_carries_iss_and_state() {
        let reply = reply_to("https://a.example/cb");
        let granted = reply.build_redirect_url(&reply.build_code_response("sn_ac_x", "https://id.example"));
        let expected = "https://a.example/cb?code=sn_ac_x&state=a+b%26c%3Dd%23&iss=https%3A%2F%2Fid.example";
        assert_eq!(granted, expected);
        let refused =
            reply.build_error_response(AuthorizationErrorCode::AccessDenied, "denied", "https://id.example");
        let names: Vec<_> = refused.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["error", "error_description", "state", "iss"]);
    }

    #[test]
    fn authorization_error_is_not_redirected_silently_to_an_untrusted_client() {
        let delivery = |error, uri: &str, client_trust, (signed_in, is_silent)| {
            RedirectedError { reply_to: reply_to(uri), error, description: "no".into() }.choose_delivery(
                client_trust,
                signed_in,
                is_silent,
            )
        };
        let (invalid, valid) = (AuthorizationErrorCode::InvalidScope, AuthorizationErrorCode::LoginRequired);
        let (noisy, silent) = ((SignInStatus::SignedOut, false), (SignInStatus::SignedOut, true));
        for redirect_uri in ["https://a.example/cb", "com.example.app:/cb"] {
            for (error, sign_in_state) in [(invalid, noisy), (valid, noisy), (invalid, silent)] {
                let error_delivery =
                    delivery(error, redirect_uri, ClientTrust::SelfRegistered, sign_in_state);
                assert_eq!(
                    error_delivery,
                    AuthorizationErrorDelivery::AfterInterstitial,
                    "{redirect_uri} {error:?} {sign_in_state:?}"
                );
                for trusted in [ClientTrust::Operator, ClientTrust::Organization] {
                    assert_eq!(
                        delivery(error, redirect_uri, trusted, sign_in_state),
                        AuthorizationErrorDelivery::Immediate,
                        "{redirect_uri}"
                    );
                }
            }
            for (error, sign_in_state) in [
                (valid, silent),
                (invalid, (SignInStatus::SignedIn, true)),
                (invalid, (SignInStatus::SignedIn, false)),
            ] {
                assert_eq!(
                    delivery(error, redirect_uri, ClientTrust::SelfRegistered, sign_in_state),
                    AuthorizationErrorDelivery::Immediate,
                    "{redirect_uri}"
                );
            }
        }
        for loopback_uri in ["http://127.0.0.1/cb", "http://[::1]:8080/cb", "https://localhost/cb"] {
            assert_eq!(
                delivery(
                    invalid,
                    loopback_uri,
                    ClientTrust::SelfRegistered,
                    (SignInStatus::SignedOut, false)
                ),
                AuthorizationErrorDelivery::Immediate
            );
        }
    }

    #[test]
    fn authorization_response_keeps_the_registered_query() {
        for (uri, begins) in [
            ("https://a.example/cb?x=1", "https://a.example/cb?x=1&code="),
            ("https://a.example/cb?", "https://a.example/cb?code="),
            ("com.example.app:/cb", "com.example.app:/cb?code="),
        ] {
            let reply = reply_to(uri);
            let location = reply.build_redirect_url(&reply.build_code_response("c", "i"));
            assert!(location.starts_with(begins), "{location}");
        }
    }
}
