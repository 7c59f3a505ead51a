//! RP-initiated logout, with back-channel logout of all clients of the session.

use crate::oauth::authorize::ActiveClient;
use crate::sign_in::backchannel_logout::spawn_notifications;
use crate::sign_in::sessions;
use crate::sign_in::sessions::ActiveSession;
use crate::{Engine, Error, EventCause, Failure, UseCaseResult};
use sinete_core::limits::SESSION_AGE_MAX;
use sinete_core::oauth::authorize::consent::ClientTrust;
use sinete_core::oauth::logout;
use sinete_core::oauth::logout::{IdTokenHintClaims, LogoutOutcome};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_crypto::platform::jwt;
use sinete_crypto::platform::jwt::{JwtExpectations, JwtType};

/// The logout request, as sent.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogoutRequest<'a> {
    /// `id_token_hint`.
    pub id_token_hint: Option<&'a str>,
    /// `client_id`.
    pub client_id: Option<&'a str>,
    /// `post_logout_redirect_uri`.
    pub post_logout_redirect_uri: Option<&'a str>,
    /// `state`.
    pub state: Option<&'a str>,
}

/// Ends the session, or returns that the user must confirm first.
pub async fn log_out(
    engine: &Engine,
    request: LogoutRequest<'_>,
    signed_in: Option<&ActiveSession>,
    is_confirmed: bool,
    cause: &EventCause,
) -> Result<LogoutOutcome, Error> {
    let hint = request.id_token_hint.map(|hint| parse_id_token_hint(engine, hint)).transpose()?;
    // As at the authorization endpoint, there is no redirect to a disabled or removed client. The session
    // ends anyway.
    let client = match &hint {
        Some(hint) => ActiveClient::find(engine, &hint.aud).await?,
        None => None,
    };
    let registered = client.as_ref().map(|client| &*client.client.metadata.post_logout_redirect_uris);
    let facts = logout::LogoutRequestFacts {
        hint: hint.as_ref(),
        client: request.client_id,
        redirect: request.post_logout_redirect_uri.filter(|_| client.is_some()),
        state: request.state,
        registered: registered.unwrap_or_default(),
        client_trust: client.as_ref().map_or(ClientTrust::SelfRegistered, |client| client.trust),
    };
    let session = signed_in.map(|signed_in| &signed_in.session);
    let outcome = logout::decide_logout(&facts, session.map(|session| session.id), is_confirmed)
        .map_err(invalid_logout_request)?;
    if let (LogoutOutcome::End(_), Some(session)) = (&outcome, session) {
        // If the session already ended, its clients were notified then.
        let ended = sessions::end_silently(engine, session.account, session.id, cause).await;
        if let Some(ended) = ended.unless_refused()? {
            spawn_notifications(engine, ended, cause).await.map_err(|_| Failure::Interrupted)?;
        }
    }
    Ok(outcome)
}

/// Parses the hint, if it is an ID token of ours that is not older than a session can be.
fn parse_id_token_hint(engine: &Engine, text: &str) -> Result<IdTokenHintClaims, Refusal> {
    let (ring, now) = (engine.key_ring(), engine.now());
    let expected = JwtExpectations {
        typ: JwtType::Id,
        algorithms: &SigningAlgorithm::ALL,
        issuer: &engine.settings().issuer,
        audience: None,
        now,
        tolerance: SESSION_AGE_MAX,
    };
    let claims = jwt::verify_jwt(text, ring.published_keys(now), &expected)
        .and_then(jwt::VerifiedJwtClaims::into_typed);
    claims.map_err(|rejection| Refusal::because(OAuthRefusal::LogoutHintInvalid, rejection.to_string()))
}

fn invalid_logout_request(unfit: logout::LogoutRejection) -> Refusal {
    let reason = match unfit {
        logout::LogoutRejection::ClientMismatch => OAuthRefusal::LogoutClientMismatch,
        logout::LogoutRejection::UnregisteredRedirectUri => OAuthRefusal::LogoutRedirectNotRegistered,
    };
    Refusal::because(reason, "")
}
