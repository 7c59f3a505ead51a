//! The token of a session or a flow: in its cookie or in the `Authorization` header, but not both.

use crate::cookies::CookieName;
use crate::route::CallerKind;
use crate::security_headers::IssuerScheme;
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, HeaderValue};
use sinete_core::limits::SENSITIVE_ACTION_AGE_MAX;
use sinete_core::refusal::access::AccessRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::sign_in::flows::FlowTokenTransport;

/// The kind of token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionTokenKind {
    /// A session.
    Session,
    /// A flow.
    Flow,
}

/// How a token was sent. Browsers send cookies automatically, so a cookie proves less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenTransport {
    /// In a cookie.
    Cookie,
    /// In the `Authorization` header.
    Header,
}

/// A token, as sent; the engine verifies it.
#[derive(Clone, PartialEq, Eq)]
pub struct PresentedToken<'a> {
    /// The token.
    pub token: &'a str,
    /// How it was sent.
    pub transport: TokenTransport,
}

/// The token of this kind in the headers of a request.
pub fn find_token(
    kind: SessionTokenKind,
    headers: &HeaderMap,
    scheme: IssuerScheme,
) -> Result<Option<PresentedToken<'_>>, Refusal> {
    let cookie = kind.cookie().find(headers, scheme)?;
    match (cookie, find_header_token(kind, headers)?) {
        (Some(_), Some(_)) => Err(Refusal::because(RequestRefusal::TokenInCookieAndHeader, kind.scheme())),
        (Some(token), None) => Ok(Some(PresentedToken { token, transport: TokenTransport::Cookie })),
        (None, Some(token)) => Ok(Some(PresentedToken { token, transport: TokenTransport::Header })),
        (None, None) => Ok(None),
    }
}

/// The refusal for a missing token.
pub fn missing_token(kind: SessionTokenKind) -> Refusal {
    let reason = match kind {
        SessionTokenKind::Session => AccessRefusal::SessionMissing,
        SessionTokenKind::Flow => AccessRefusal::FlowTokenMissing,
    };
    Refusal::because(reason, kind.scheme())
}

/// The challenge of a refusal for sessions (RFC 9470 §3).
pub(crate) fn www_authenticate_challenge(caller: CallerKind, refusal: &Refusal) -> Option<HeaderValue> {
    if caller != CallerKind::Session {
        return None;
    }
    match (refusal.code(), refusal.required_assurance()) {
        (RefusalCode::Unauthenticated, _) => Some(HeaderValue::from_static("Session")),
        (RefusalCode::InsufficientAuthentication, needs) => {
            let acr = needs.unwrap_or_default().acr();
            let seconds = SENSITIVE_ACTION_AGE_MAX.seconds();
            let error = RefusalCode::InsufficientAuthentication.name();
            let text = format!("Session error=\"{error}\", acr_values=\"{acr}\", max_age=\"{seconds}\"");
            HeaderValue::try_from(text).ok()
        }
        _ => None,
    }
}

fn find_header_token(kind: SessionTokenKind, headers: &HeaderMap) -> Result<Option<&str>, Refusal> {
    let mut lines = headers.get_all(AUTHORIZATION).iter();
    let Some(line) = lines.next() else { return Ok(None) };
    if lines.next().is_some() {
        return Err(Refusal::because(RequestRefusal::AuthorizationRepeated, ""));
    }
    let Ok(line) = line.to_str() else { return Ok(None) };
    let Some((scheme, token)) = line.split_once(' ') else { return Ok(None) };
    Ok(scheme.eq_ignore_ascii_case(kind.scheme()).then_some(token.trim_matches(' ')))
}

impl SessionTokenKind {
    const fn cookie(self) -> CookieName {
        match self {
            Self::Session => CookieName::Session,
            Self::Flow => CookieName::Flow,
        }
    }

    const fn scheme(self) -> &'static str {
        match self {
            Self::Session => "Session",
            Self::Flow => "Flow",
        }
    }
}

impl From<TokenTransport> for FlowTokenTransport {
    fn from(by: TokenTransport) -> Self {
        match by {
            TokenTransport::Cookie => Self::Cookie,
            TokenTransport::Header => Self::Token,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;
    use axum::http::header::COOKIE;

    fn asked(cookie: Option<&str>, lines: &[&str]) -> Result<Option<(String, TokenTransport)>, RefusalCode> {
        let mut headers = HeaderMap::new();
        headers.extend(cookie.map(|cookie| (COOKIE, HeaderValue::from_str(cookie).unwrap())));
        for line in lines {
            headers.append(AUTHORIZATION, HeaderValue::from_str(line).unwrap());
        }
        let result = find_token(SessionTokenKind::Session, &headers, IssuerScheme::Https);
        result.map(|it| it.map(|it| (it.token.to_owned(), it.transport))).map_err(|refusal| refusal.code())
    }

    #[test]
    fn session_token_is_read_from_cookie_or_header() {
        assert_eq!(asked(Some("__Host-session=a"), &[]), Ok(Some(("a".into(), TokenTransport::Cookie))));
        assert_eq!(asked(None, &["Session a"]), Ok(Some(("a".into(), TokenTransport::Header))));
        assert_eq!(asked(None, &["session  a "]), Ok(Some(("a".into(), TokenTransport::Header))));
        for lines in [&[][..], &["Bearer a"], &["Flow a"], &["Session"]] {
            assert_eq!(asked(Some("__Host-flow=a; session=b"), lines), Ok(None), "{lines:?}");
        }
    }

    #[test]
    fn session_token_in_cookie_and_header_is_refused() {
        assert_eq!(asked(Some("__Host-session=a"), &["Session a"]), Err(RefusalCode::InvalidRequest));
        assert_eq!(asked(None, &["Session a", "Session a"]), Err(RefusalCode::InvalidRequest));
    }
}
