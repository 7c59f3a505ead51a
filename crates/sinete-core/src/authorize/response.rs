//! The answer to an authorization request: a code or an error, always with the issuer (RFC 9207), only to
//! a proven callback.

use super::addressed::ReplyTo;
use super::consent::Vouching;
use crate::people::SignedIn;

/// The errors the authorization endpoint sends to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthorizationError {
    /// The request is malformed, or lacks what every request needs.
    InvalidRequest,
    /// The client may not ask this way.
    UnauthorizedClient,
    /// The person, or a rule, said no.
    AccessDenied,
    /// Only codes are issued.
    UnsupportedResponseType,
    /// More was asked for than is held, or something unknown.
    InvalidScope,
    /// The resource is not one this request may be for.
    InvalidTarget,
    /// The details are not ones the API understands.
    InvalidAuthorizationDetails,
    /// The signed request does not count.
    InvalidRequestObject,
    /// The request referred to does not exist or does not count.
    InvalidRequestUri,
    /// The request is at an address, and none is fetched.
    RequestUriNotSupported,
    /// The person would have to sign in, and must not be asked.
    LoginRequired,
    /// The person would have to agree, and must not be asked.
    ConsentRequired,
    /// The person would have to choose an organization, and must not be asked.
    AccountSelectionRequired,
    /// The person would have to do something else, and must not be asked.
    InteractionRequired,
    /// Our own fault.
    ServerError,
    /// We cannot answer right now.
    TemporarilyUnavailable,
}

impl AuthorizationError {
    /// The error, as it is written.
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
}

/// What is wrong with a request, before it is addressed to its client: the error, and what it says in plain
/// ASCII without anything the client sent.
pub type Wrong = (AuthorizationError, &'static str);

/// An error on its way to the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirected {
    /// Where it goes.
    pub reply_to: ReplyTo,
    /// What is wrong.
    pub error: AuthorizationError,
    /// What is wrong, in plain ASCII without anything the client sent.
    pub description: &'static str,
}

/// How an error reaches the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// At once.
    Straight,
    /// Once the person has seen where it would take them. Otherwise whoever registers a client could make us
    /// send anybody who clicks a link of ours to a site of theirs (RFC 9700 §4.11.2).
    PersonFirst,
}

impl Redirected {
    /// How it reaches the client: at once, unless nobody vouches for it, nobody is signed in, the person may be
    /// shown something, and the answer would leave their device.
    pub fn delivery(&self, vouching: Vouching, signed_in: SignedIn, is_silent: bool) -> Delivery {
        let is_remote = self.reply_to.callback.is_remote();
        if vouching == Vouching::Nobody && signed_in == SignedIn::No && is_remote && !is_silent {
            Delivery::PersonFirst
        } else {
            Delivery::Straight
        }
    }
}

impl ReplyTo {
    /// The parameters of an answer with a code.
    pub fn granting<'a>(&'a self, code: &'a str, issuer: &'a str) -> Vec<(&'static str, &'a str)> {
        self.with_state_and_issuer(vec![("code", code)], issuer)
    }

    /// The parameters of an answer with an error.
    pub fn refusing<'a>(
        &'a self,
        error: AuthorizationError,
        description: &'static str,
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

    /// The callback with the parameters in its query, for a redirect.
    pub fn location(&self, parameters: &[(&'static str, &str)]) -> String {
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
    use crate::authorize::addressed::ResponseMode;
    use crate::client::redirect_uri::Callback;

    fn reply_to(uri: &str) -> ReplyTo {
        let callback = Callback::matching(&[uri.parse().unwrap()], uri).unwrap();
        ReplyTo { callback, mode: ResponseMode::Query, state: Some("a b&c=d#".into()) }
    }

    #[test]
    fn every_answer_carries_issuer_and_state() {
        let reply = reply_to("https://a.example/cb");
        let granted = reply.location(&reply.granting("sn_ac_x", "https://id.example"));
        let expected = "https://a.example/cb?code=sn_ac_x&state=a+b%26c%3Dd%23&iss=https%3A%2F%2Fid.example";
        assert_eq!(granted, expected);
        let refused = reply.refusing(AuthorizationError::AccessDenied, "denied", "https://id.example");
        let names: Vec<_> = refused.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["error", "error_description", "state", "iss"]);
    }

    #[test]
    fn nobody_is_sent_to_a_stranger_without_being_shown() {
        let delivery = |uri: &str, vouching, signed_in, is_silent| {
            let (error, description) = (AuthorizationError::InvalidScope, "no");
            Redirected { reply_to: reply_to(uri), error, description }
                .delivery(vouching, signed_in, is_silent)
        };
        let stranger = "https://a.example/cb";
        assert_eq!(delivery(stranger, Vouching::Nobody, SignedIn::No, false), Delivery::PersonFirst);
        for (uri, vouching, signed_in, is_silent) in [
            (stranger, Vouching::Operator, SignedIn::No, false),
            (stranger, Vouching::Organization, SignedIn::No, false),
            (stranger, Vouching::Nobody, SignedIn::Yes, false),
            (stranger, Vouching::Nobody, SignedIn::No, true),
            ("http://127.0.0.1/cb", Vouching::Nobody, SignedIn::No, false),
            ("com.example.app:/cb", Vouching::Nobody, SignedIn::No, false),
        ] {
            assert_eq!(delivery(uri, vouching, signed_in, is_silent), Delivery::Straight, "{uri}");
        }
    }

    #[test]
    fn a_query_that_was_registered_stays() {
        for (uri, begins) in [
            ("https://a.example/cb?x=1", "https://a.example/cb?x=1&code="),
            ("https://a.example/cb?", "https://a.example/cb?code="),
            ("com.example.app:/cb", "com.example.app:/cb?code="),
        ] {
            let reply = reply_to(uri);
            let location = reply.location(&reply.granting("c", "i"));
            assert!(location.starts_with(begins), "{location}");
        }
    }
}
