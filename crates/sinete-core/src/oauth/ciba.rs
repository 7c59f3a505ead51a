//! CIBA authentication requests (OpenID CIBA §7.1): parsing, before the user is looked up.

use super::authorize::params::AuthorizationParams;
use super::authorize::raw_params::RawAuthorizationParams;
use super::authorize::response::{AuthorizationErrorCode, AuthorizationRefusal};
use crate::accounts::email_address::EmailAddress;
use crate::id::MembershipId;
use crate::limits::{
    BINDING_MESSAGE_CHARACTERS_MAX, CIBA_NOTIFICATION_TOKEN_BYTES_MAX, CIBA_REQUEST_LIFETIME,
    CIBA_REQUEST_LIFETIME_MAX, CIBA_REQUEST_LIFETIME_MIN, HINT_BYTES_MAX,
};
use crate::oauth::client_metadata::CibaDeliveryMode;
use crate::oauth::grants::deferred::DeferredGrantKind;
use crate::time::Lifetime;
use crate::validation::is_misleading_character;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A complete, well-formed CIBA request.
#[derive(Debug, PartialEq)]
pub struct CibaAuthenticationRequest {
    /// The requested authorization.
    pub params: AuthorizationParams,
    /// The user who is asked.
    pub user_hint: CibaUserHint,
    /// The binding message, which the user compares on both devices.
    pub message: Option<CibaBindingMessage>,
    /// How long the request stays open.
    pub lifetime: Lifetime,
    /// The token that authenticates the ping notification to the client.
    pub notification_token: Option<ClientNotificationToken>,
}

/// How the client identifies the user.
#[derive(Debug, PartialEq, Eq)]
pub enum CibaUserHint {
    /// `login_hint`: an e-mail address.
    Email(EmailAddress),
    /// `login_hint`: the `sub` of our tokens.
    Subject(MembershipId),
    /// `id_token_hint`: an ID token of ours.
    IdToken(String),
}

/// Why a CIBA request is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CibaRequestError {
    /// An error in the request parameters.
    InvalidParameters(AuthorizationRefusal),
    /// An invalid binding message.
    BindingMessage(&'static str),
}

impl From<AuthorizationRefusal> for CibaRequestError {
    fn from(wrong: AuthorizationRefusal) -> Self {
        Self::InvalidParameters(wrong)
    }
}

/// A message shown on the consumption device and the authentication device, so that the user can compare
/// them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CibaBindingMessage(Box<str>);

/// The text cannot be used as a binding message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", CibaBindingMessage::REQUIREMENTS)]
pub struct InvalidBindingMessage;

impl CibaBindingMessage {
    /// The description of a valid message, used in errors.
    const REQUIREMENTS: &'static str = "The parameter binding_message is not valid. Send one line of 1 to 140 characters, \
                                  without direction characters, angle brackets and URLs.";

    /// The message.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for CibaBindingMessage {
    type Err = InvalidBindingMessage;

    fn from_str(text: &str) -> Result<Self, InvalidBindingMessage> {
        let text = text.trim();
        let fits = (1..=BINDING_MESSAGE_CHARACTERS_MAX).contains(&text.chars().count());
        let is_plain =
            |character: char| !is_misleading_character(character) && !matches!(character, '<' | '>');
        let says_something = text.chars().any(char::is_alphanumeric);
        if fits && says_something && text.chars().all(is_plain) && !text.contains("://") {
            Ok(Self(text.into()))
        } else {
            Err(InvalidBindingMessage)
        }
    }
}
impl TryFrom<String> for CibaBindingMessage {
    type Error = InvalidBindingMessage;

    fn try_from(text: String) -> Result<Self, InvalidBindingMessage> {
        text.parse()
    }
}
impl From<CibaBindingMessage> for String {
    fn from(message: CibaBindingMessage) -> Self {
        message.0.into()
    }
}

/// The client's bearer token for ping notifications. It is a secret of the client.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClientNotificationToken(String);

impl ClientNotificationToken {
    /// The token in clear, to be sent to the client.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Parses a value that is valid as a bearer token (RFC 6750 §2.1).
    fn parse(text: &str) -> Result<Self, AuthorizationRefusal> {
        let body = text.trim_end_matches('=');
        let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte);
        if !body.is_empty() && text.len() <= CIBA_NOTIFICATION_TOKEN_BYTES_MAX && body.bytes().all(is_fit) {
            return Ok(Self(text.to_owned()));
        }
        Err(invalid_request(
            "The parameter client_notification_token is not valid. Send a bearer token of at most 1024 \
             characters.",
        ))
    }
}

impl fmt::Debug for ClientNotificationToken {
    /// Omits the token.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("NotificationToken")
    }
}

impl CibaAuthenticationRequest {
    /// Parses the request of a client with this delivery mode.
    pub fn parse(
        parameters: &RawAuthorizationParams,
        mode: CibaDeliveryMode,
    ) -> Result<Self, CibaRequestError> {
        let params = AuthorizationParams::parse_deferred_request(DeferredGrantKind::Ciba, parameters)?;
        if parameters.get("user_code").is_some() {
            return Err(invalid_request("The parameter user_code is not supported. Leave it out.").into());
        }
        // User hint, expiry and notification token are request errors; the binding message is checked last.
        let whom = parse_user_hint(parameters)?;
        let lifetime = parse_requested_expiry(parameters)?;
        let notification_token = parse_notification_token(parameters, mode)?;
        let message = parameters.get("binding_message").map(str::parse).transpose();
        let message = message.map_err(|InvalidBindingMessage| {
            CibaRequestError::BindingMessage(CibaBindingMessage::REQUIREMENTS)
        })?;
        if message.is_none() && params.details.is_empty() {
            // Decision 0130: without a message the user could not tell this request from another client's.
            let text = "The parameter binding_message is missing. Send one, or authorization_details, so that \
                        the user sees what to approve.";
            return Err(CibaRequestError::BindingMessage(text));
        }
        Ok(Self { params, user_hint: whom, message, lifetime, notification_token })
    }
}

/// OpenID CIBA §7.1: exactly one hint.
fn parse_user_hint(parameters: &RawAuthorizationParams) -> Result<CibaUserHint, AuthorizationRefusal> {
    if parameters.get("login_hint_token").is_some() {
        return Err(invalid_request(
            "The parameter login_hint_token is not supported. Send login_hint or id_token_hint.",
        ));
    }
    match (parameters.get("login_hint"), parameters.get("id_token_hint")) {
        (Some(_), Some(_)) => Err(invalid_request(
            "The request has two hints about the user. Send either login_hint or id_token_hint.",
        )),
        (None, None) => Err(invalid_request(
            "The request does not say which user is asked. Send login_hint or id_token_hint.",
        )),
        (None, Some(token)) => Ok(CibaUserHint::IdToken(token.to_owned())),
        (Some(hint), None) => {
            let hint = hint.trim();
            let bounded = Some(hint).filter(|hint| hint.len() <= HINT_BYTES_MAX);
            let address = bounded.and_then(|hint| hint.parse().ok()).map(CibaUserHint::Email);
            let subject = || bounded.and_then(|hint| hint.parse().ok()).map(CibaUserHint::Subject);
            address.or_else(subject).ok_or(invalid_request(
                "The parameter login_hint is not valid. Send an e-mail address, or the \
                                        sub of a token of this client.",
            ))
        }
    }
}

/// Parses `requested_expiry` and clamps it to the allowed range, because users need time to answer.
fn parse_requested_expiry(parameters: &RawAuthorizationParams) -> Result<Lifetime, AuthorizationRefusal> {
    let Some(text) = parameters.get("requested_expiry") else { return Ok(CIBA_REQUEST_LIFETIME) };
    match text.parse::<u32>() {
        Ok(seconds) if seconds > 0 => {
            Ok(Lifetime::from_seconds(seconds).clamp(CIBA_REQUEST_LIFETIME_MIN, CIBA_REQUEST_LIFETIME_MAX))
        }
        Ok(_) | Err(_) => Err(invalid_request(
            "The parameter requested_expiry is not valid. Send a positive number of seconds.",
        )),
    }
}

fn parse_notification_token(
    parameters: &RawAuthorizationParams,
    mode: CibaDeliveryMode,
) -> Result<Option<ClientNotificationToken>, AuthorizationRefusal> {
    match (mode, parameters.get("client_notification_token")) {
        (CibaDeliveryMode::Poll, _) => Ok(None),
        (CibaDeliveryMode::Ping, Some(token)) => ClientNotificationToken::parse(token).map(Some),
        (CibaDeliveryMode::Ping, None) => Err(invalid_request(
            "The parameter client_notification_token is missing. The delivery mode ping needs it.",
        )),
    }
}

fn invalid_request(text: &'static str) -> AuthorizationRefusal {
    (AuthorizationErrorCode::InvalidRequest, text.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(
        extra_params: &[(&str, &str)],
        mode: CibaDeliveryMode,
    ) -> Result<CibaAuthenticationRequest, CibaRequestError> {
        let default_params =
            [("scope", "openid"), ("login_hint", "ana@example.com"), ("binding_message", "4711")];
        let remaining_params =
            default_params.iter().filter(|(name, _)| !extra_params.iter().any(|(other, _)| name == other));
        let pairs = remaining_params
            .chain(extra_params)
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        CibaAuthenticationRequest::parse(&RawAuthorizationParams::new(pairs), mode)
    }

    fn poll(extra_params: &[(&str, &str)]) -> Result<CibaAuthenticationRequest, CibaRequestError> {
        read(extra_params, CibaDeliveryMode::Poll)
    }

    #[test]
    fn ciba_request_needs_exactly_one_hint() {
        let ana = poll(&[]).unwrap();
        assert_eq!(ana.user_hint, CibaUserHint::Email("ana@example.com".parse().unwrap()));
        let sub = "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071";
        assert_eq!(
            poll(&[("login_hint", sub)]).unwrap().user_hint,
            CibaUserHint::Subject(sub.parse().unwrap())
        );
        let by_token = poll(&[("login_hint", ""), ("id_token_hint", "eyJ")]).unwrap();
        assert_eq!(by_token.user_hint, CibaUserHint::IdToken("eyJ".to_owned()));
        let long = "x".repeat(HINT_BYTES_MAX);
        for unfit in [
            &[("login_hint", "")][..],
            &[("id_token_hint", "eyJ")],
            &[("login_hint_token", "eyJ")],
            &[("login_hint", ""), ("login_hint_token", "eyJ")],
            &[("login_hint", "ana")],
            &[("login_hint", &long)],
            &[("user_code", "1234")],
        ] {
            let refused = poll(unfit).unwrap_err();
            assert!(
                matches!(
                    refused,
                    CibaRequestError::InvalidParameters((AuthorizationErrorCode::InvalidRequest, _))
                ),
                "{unfit:?}"
            );
        }
    }

    #[test]
    fn ciba_binding_message_is_one_short_plain_line() {
        let longest = "é".repeat(BINDING_MESSAGE_CHARACTERS_MAX);
        for text in ["4711", "Pay R$ 1.200,00 to João & Filhos (#12)", &longest, " trimmed "] {
            assert_eq!(poll(&[("binding_message", text)]).unwrap().message.unwrap().as_str(), text.trim());
        }
        let too_long = "x".repeat(BINDING_MESSAGE_CHARACTERS_MAX + 1);
        for text in [
            "   ",
            "\u{3164}",
            "\u{2800}",
            "--",
            "a\u{061c}b",
            "a\nb",
            "a\u{202e}b",
            "a\u{200b}b",
            "<b>",
            "see https://evil.example",
            &too_long,
        ] {
            let refused = poll(&[("binding_message", text)]);
            assert!(matches!(refused, Err(CibaRequestError::BindingMessage(_))), "{text:?}");
        }
    }

    #[test]
    fn ciba_request_needs_a_binding_message_or_authorization_details() {
        assert!(matches!(poll(&[("binding_message", "")]), Err(CibaRequestError::BindingMessage(_))));
        let detail = ("authorization_details", r#"[{"type":"payment"}]"#);
        assert_eq!(poll(&[("binding_message", ""), detail]).unwrap().message, None);
    }

    #[test]
    fn ciba_requested_expiry_is_clamped_between_30_seconds_and_10_minutes() {
        let seconds = |text| poll(&[("requested_expiry", text)]).map(|it| it.lifetime.seconds());
        assert_eq!(poll(&[]).unwrap().lifetime.seconds(), 300);
        assert_eq!((seconds("1"), seconds("30"), seconds("600")), (Ok(30), Ok(30), Ok(600)));
        assert_eq!((seconds("601"), seconds("4294967295")), (Ok(600), Ok(600)));
        for text in ["0", "-1", "1.5", "soon", "4294967296"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn ciba_ping_client_must_send_a_client_notification_token() {
        let token = "8d67dc78-7faa-4d41-aabd-67707b374255~+/==";
        let request = read(&[("client_notification_token", token)], CibaDeliveryMode::Ping).unwrap();
        assert_eq!(request.notification_token.as_ref().map(ClientNotificationToken::reveal), Some(token));
        assert!(!format!("{request:?}").contains("8d67"));
        let (longest, too_long) = ("x".repeat(1024), "x".repeat(1025));
        assert!(read(&[("client_notification_token", &longest)], CibaDeliveryMode::Ping).is_ok());
        for unfit in ["", "a b", "a\r\nx: y", "é", "=", &too_long] {
            assert!(
                read(&[("client_notification_token", unfit)], CibaDeliveryMode::Ping).is_err(),
                "{unfit:?}"
            );
        }
        assert_eq!(poll(&[("client_notification_token", "a b")]).unwrap().notification_token, None);
    }

    proptest! {
        #[test]
        fn ciba_binding_message_parsing_is_idempotent(text in "\\PC{0,200}") {
            if let Ok(message) = text.parse::<CibaBindingMessage>() {
                prop_assert_eq!(message.as_str().parse(), Ok(message.clone()));
                prop_assert!(!message.as_str().chars().any(is_misleading_character));
            }
        }
    }
}
