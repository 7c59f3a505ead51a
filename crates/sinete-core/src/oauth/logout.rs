//! RP-initiated logout and back-channel logout (OpenID Connect).

use crate::client_id::ClientId;
use crate::id::{MembershipId, SessionId};
use crate::limits::LOGOUT_TOKEN_LIFETIME;
use crate::oauth::authorize::consent::ClientTrust;
use crate::oauth::redirect_uri::{MatchedRedirectUri, RedirectUri};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use url::form_urlencoded::byte_serialize;

/// The claims of an `id_token_hint`. An expired ID token is accepted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct IdTokenHintClaims {
    /// The client it was issued to.
    pub aud: ClientId,
    /// The session the user signed in with.
    #[serde(default)]
    pub sid: Option<SessionId>,
}

/// A logout request, as far as it was verified.
#[derive(Clone, Copy, Debug)]
pub struct LogoutRequestFacts<'a> {
    /// The claims of the `id_token_hint`, if it is an ID token of ours.
    pub hint: Option<&'a IdTokenHintClaims>,
    /// The `client_id` parameter.
    pub client: Option<&'a str>,
    /// The `post_logout_redirect_uri` parameter.
    pub redirect: Option<&'a str>,
    /// The `state` parameter.
    pub state: Option<&'a str>,
    /// The post-logout redirect URIs of the hint's client.
    pub registered: &'a [RedirectUri],
    /// Who trusts that client.
    pub client_trust: ClientTrust,
}

/// Why a logout request is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogoutRejection {
    /// `client_id` differs from the hint's audience.
    #[error("the client_id is not the client of the id_token_hint")]
    ClientMismatch,
    /// The client did not register the redirect URI.
    #[error("the post_logout_redirect_uri is not registered for this client")]
    UnregisteredRedirectUri,
}

/// The result of a logout request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogoutOutcome {
    /// The user must confirm: nothing proves that the requester meant this session.
    Confirm,
    /// End the session, if any, then redirect to this URL or, if `None`, show a confirmation page.
    End(Option<String>),
}

/// Decides the logout, given the browser's session and whether the user confirmed.
///
/// A redirect needs an ID token of ours and a registered URI. A session ends only for an ID token issued in
/// it, or if the user confirms. If no session ended, the user is not redirected to an untrusted client's
/// server: otherwise anyone who registers a client and signs in once could use our links as an open
/// redirector (RFC 9700 §4.11.2).
pub fn decide_logout(
    facts: &LogoutRequestFacts<'_>,
    session: Option<SessionId>,
    is_confirmed: bool,
) -> Result<LogoutOutcome, LogoutRejection> {
    let onward = build_post_logout_redirect(facts)?;
    let is_meant = |session: SessionId| facts.hint.is_some_and(|hint| hint.sid == Some(session));
    Ok(match session {
        Some(session) if !is_meant(session) && !is_confirmed => LogoutOutcome::Confirm,
        Some(_) => LogoutOutcome::End(onward),
        None => LogoutOutcome::End(
            onward
                .filter(|_| facts.client_trust != ClientTrust::SelfRegistered || !is_remote_redirect(facts)),
        ),
    })
}

/// Whether the redirect leads away from the user's own machine.
fn is_remote_redirect(facts: &LogoutRequestFacts<'_>) -> bool {
    let address = facts
        .redirect
        .and_then(|asked_for| MatchedRedirectUri::match_registered(facts.registered, asked_for));
    address.is_none_or(|address| !address.is_loopback())
}

fn build_post_logout_redirect(facts: &LogoutRequestFacts<'_>) -> Result<Option<String>, LogoutRejection> {
    let Some(hint) = facts.hint else { return Ok(None) };
    if facts.client.is_some_and(|client| client != hint.aud.as_str()) {
        return Err(LogoutRejection::ClientMismatch);
    }
    let Some(redirect) = facts.redirect else { return Ok(None) };
    if !facts.registered.iter().any(|redirect_uri| redirect_uri.as_str() == redirect) {
        return Err(LogoutRejection::UnregisteredRedirectUri);
    }
    let Some(state) = facts.state else { return Ok(Some(redirect.to_owned())) };
    let mark = if redirect.contains('?') { '&' } else { '?' };
    let state: String = byte_serialize(state.as_bytes()).collect();
    Ok(Some(format!("{redirect}{mark}state={state}")))
}

/// The logout token (Back-Channel Logout §2.4). It has no nonce, so it cannot be mistaken for an ID token.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LogoutTokenClaims {
    iss: String,
    aud: ClientId,
    sub: MembershipId,
    sid: SessionId,
    iat: i64,
    exp: i64,
    jti: String,
    events: serde_json::Value,
}

impl LogoutTokenClaims {
    /// Builds the logout token for one client that the member had granted access to in the session.
    pub fn new(
        issuer: &str,
        client: ClientId,
        membership: MembershipId,
        session: SessionId,
        jti: String,
        now: Timestamp,
    ) -> Self {
        Self {
            iss: issuer.to_owned(),
            aud: client,
            sub: membership,
            sid: session,
            iat: now.seconds(),
            exp: now.plus(LOGOUT_TOKEN_LIFETIME).seconds(),
            jti,
            events: serde_json::json!({"http://schemas.openid.net/event/backchannel-logout": {}}),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: SessionId = SessionId::from_bytes([1; 16]);
    const NOTHING: LogoutRequestFacts<'_> = LogoutRequestFacts {
        hint: None,
        client: None,
        redirect: None,
        state: None,
        registered: &[],
        client_trust: ClientTrust::Operator,
    };

    fn hint(session: u8) -> IdTokenHintClaims {
        IdTokenHintClaims { aud: "notes".parse().unwrap(), sid: Some(SessionId::from_bytes([session; 16])) }
    }

    #[test]
    fn logout_ends_the_session_for_its_own_id_token_hint_or_by_confirmation_only() {
        let (claims, other) = (hint(1), hint(2));
        let without = IdTokenHintClaims { sid: None, ..claims.clone() };
        let by = |hint| LogoutRequestFacts { hint, ..NOTHING };
        for (hint, is_confirmed, expected) in [
            (Some(&claims), false, LogoutOutcome::End(None)),
            (Some(&other), false, LogoutOutcome::Confirm),
            (Some(&without), false, LogoutOutcome::Confirm),
            (None, false, LogoutOutcome::Confirm),
            (Some(&other), true, LogoutOutcome::End(None)),
            (None, true, LogoutOutcome::End(None)),
        ] {
            assert_eq!(decide_logout(&by(hint), Some(HERE), is_confirmed), Ok(expected), "{hint:?}");
        }
        assert_eq!(
            decide_logout(&by(None), None, false),
            Ok(LogoutOutcome::End(None)),
            "there is nothing to end"
        );
    }

    #[test]
    fn logout_redirect_needs_an_id_token_hint_and_a_registered_uri() {
        let registered: Vec<RedirectUri> =
            ["https://a.example/bye", "https://a.example/bye?x=1"].map(|it| it.parse().unwrap()).into();
        let claims = hint(1);
        let to = |hint, redirect, state| {
            let facts = LogoutRequestFacts { hint, redirect, state, registered: &registered, ..NOTHING };
            decide_logout(&facts, Some(HERE), true)
        };
        let end = |address: &str| Ok(LogoutOutcome::End(Some(address.to_owned())));
        let bye = Some("https://a.example/bye");
        assert_eq!(to(Some(&claims), bye, None), end("https://a.example/bye"));
        assert_eq!(to(Some(&claims), bye, Some("a b&c")), end("https://a.example/bye?state=a+b%26c"));
        let with_query = Some("https://a.example/bye?x=1");
        assert_eq!(to(Some(&claims), with_query, Some("s")), end("https://a.example/bye?x=1&state=s"));
        assert_eq!(to(None, bye, None), Ok(LogoutOutcome::End(None)));
        for wrong in [
            "https://a.example/bye/",
            "https://a.example",
            "https://evil.example/bye",
            "",
            "https://a.example/bye#x",
        ] {
            assert_eq!(
                to(Some(&claims), Some(wrong), None),
                Err(LogoutRejection::UnregisteredRedirectUri),
                "{wrong}"
            );
        }
    }

    #[test]
    fn logout_without_a_session_does_not_redirect_to_an_untrusted_client() {
        let (remote_uri, loopback_uri) = ("https://a.example/bye", "http://127.0.0.1/bye");
        let registered: Vec<RedirectUri> = [remote_uri, loopback_uri].map(|it| it.parse().unwrap()).into();
        let claims = hint(1);
        let leads = |redirect, client_trust, session| {
            let facts = LogoutRequestFacts {
                hint: Some(&claims),
                redirect: Some(redirect),
                registered: &registered,
                client_trust,
                ..NOTHING
            };
            decide_logout(&facts, session, false).map(|outcome| outcome != LogoutOutcome::End(None))
        };
        for client_trust in [ClientTrust::Operator, ClientTrust::Organization] {
            assert_eq!(leads(remote_uri, client_trust, None), Ok(true));
        }
        assert_eq!(leads(remote_uri, ClientTrust::SelfRegistered, None), Ok(false));
        assert_eq!(leads(loopback_uri, ClientTrust::SelfRegistered, None), Ok(true));
        assert_eq!(
            leads(remote_uri, ClientTrust::SelfRegistered, Some(HERE)),
            Ok(true),
            "they were signed in through it"
        );
    }

    #[test]
    fn logout_with_a_client_id_other_than_the_hints_is_refused() {
        let claims = hint(1);
        let decide = |client| {
            decide_logout(&LogoutRequestFacts { hint: Some(&claims), client, ..NOTHING }, None, false)
        };
        assert_eq!(decide(Some("notes")), Ok(LogoutOutcome::End(None)));
        assert_eq!(decide(Some("other")), Err(LogoutRejection::ClientMismatch));
    }

    #[test]
    fn logout_token_names_the_session_and_has_no_nonce() {
        let claims = LogoutTokenClaims::new(
            "https://id.example",
            "notes".parse().unwrap(),
            MembershipId::from_bytes([2; 16]),
            HERE,
            "j".to_owned(),
            Timestamp::from_seconds(1_000),
        );
        let expected = serde_json::json!({
            "iss": "https://id.example", "aud": "notes", "sub": "02020202-0202-0202-0202-020202020202",
            "sid": "01010101-0101-0101-0101-010101010101", "iat": 1_000, "exp": 1_120, "jti": "j",
            "events": {"http://schemas.openid.net/event/backchannel-logout": {}},
        });
        assert_eq!(serde_json::to_value(&claims).unwrap(), expected);
    }
}
