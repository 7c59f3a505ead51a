//! Authentication of callers of our own APIs. The authority of an access token is the holder's current one,
//! limited by the token.

use crate::access_control::caller::{AuthenticatedCaller, authenticate_api_key, build_caller, invalid_token};
use crate::oauth::access_token;
use crate::oauth::access_token::ParsedAccessToken;
use crate::oauth::presented_credential::PresentedCredential;
use crate::{Engine, Error, EventCause, Failure};
use sinete_core::access_control::subject::TokenSubject;
use sinete_core::assurance::AssuranceLevel;
use sinete_core::events::security_event::{RequestOrigin, SecurityEventActor};
use sinete_core::oauth::jti::TokenRevocationRoot;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::access::AccessRefusal;
use sinete_core::secret::{ApiKey, Secret};
use sinete_core::time::Timestamp;

/// Authenticates a credential. Nothing is cached between two calls.
pub async fn authenticate_caller(
    engine: &Engine,
    credential: impl Into<PresentedCredential<'_>>,
    origin: RequestOrigin,
) -> Result<AuthenticatedCaller, Error> {
    let credential = credential.into();
    match Secret::<ApiKey>::parse(credential.text) {
        Ok(secret) if credential.is_bearer() => authenticate_api_key(engine, &secret, origin).await,
        Ok(_) => Err(invalid_token("an API key is not sender-constrained").into()),
        Err(_) => authenticate_access_token(engine, credential, origin).await,
    }
}

/// Authenticates the caller of an access token for our own APIs.
async fn authenticate_access_token(
    engine: &Engine,
    credential: PresentedCredential<'_>,
    origin: RequestOrigin,
) -> Result<AuthenticatedCaller, Error> {
    let examined = access_token::load_access_token(engine, credential.text)
        .await
        .map_err(|error| error.into_error(|reason| invalid_token(&reason.to_string())))?;
    if examined.claims.audience().as_str() != engine.settings().issuer {
        return Err(invalid_token("the token is for another API").into());
    }
    credential.verify_token_binding(engine, &examined.claims).await?;
    if matches!(examined.claims.jti().root, TokenRevocationRoot::Assignment(_)) {
        return Err(invalid_token("an impersonation token cannot be used for administration").into());
    }
    let is_sure_enough = has_required_assurance(&examined, engine.now())?;
    let ParsedAccessToken { claims, token_subject: of_token } = examined;
    let actor = match &of_token.snapshot.state.subject {
        TokenSubject::User { membership, .. } => SecurityEventActor::Membership(*membership),
        TokenSubject::Machine { client, .. } => SecurityEventActor::Client(client.clone()),
    };
    let cause = EventCause { actor, origin: origin.with_client(claims.client().clone()) };
    let caller = build_caller(of_token.snapshot, claims.combine_scope().permissions(), cause)
        .map_err(|subject| invalid_token(&subject.to_string()))?;
    // Inactive tokens are rejected before assurance is checked.
    if is_sure_enough { Ok(caller) } else { Err(insufficient_assurance().into()) }
}

/// Whether the user's assurance meets the organization's requirement. Machines and API keys have no user
/// authentication, so the requirement does not apply.
fn has_required_assurance(examined: &ParsedAccessToken, now: Timestamp) -> Result<bool, Failure> {
    let by_person = matches!(examined.claims.jti().root, TokenRevocationRoot::Grant(_));
    let assurance_level = examined.claims.assurance();
    if !by_person || assurance_level == Some(AssuranceLevel::Two) {
        return Ok(true);
    }
    let least = examined.token_subject.organization_settings()?.required_assurance(now);
    Ok(assurance_level.is_some_and(|assurance_level| assurance_level >= least))
}

fn insufficient_assurance() -> Refusal {
    Refusal::because(
        AccessRefusal::AssuranceTooLow,
        "the token was issued below the organization's least assurance",
    )
}
