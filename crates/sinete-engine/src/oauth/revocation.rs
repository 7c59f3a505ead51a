//! Token revocation (RFC 7009) by the client the token was issued to.

use crate::oauth::access_token;
use crate::oauth::client_authentication::AuthenticatedClient;
use crate::{Engine, Error, EventCause, Failure};
use sinete_core::events::security_event::EventKind;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_core::secret::{PREFIXES, RefreshToken, RefreshTokenSecret, SecretKind as _};
use sinete_store::WriteBatch;
use sinete_store::oauth::refresh_tokens;
use sinete_store::oauth::refresh_tokens::{RefreshTokenRow, RefreshTokenStatus};
use sinete_store::oauth::{grants, revocation};

/// Revokes an access token alone, or a refresh token with its grant. An inactive or invalid token needs no
/// revocation.
pub async fn revoke_token(
    engine: &Engine,
    client: &AuthenticatedClient,
    token: &str,
    cause: &EventCause,
) -> Result<(), Error> {
    if let Ok(token) = RefreshTokenSecret::parse(token) {
        return match refresh_tokens::find_refresh_token(engine.store(), &token.digests()).await? {
            Some(RefreshTokenStatus::Current(token) | RefreshTokenStatus::Rotated(token)) => {
                revoke_grant(engine, client, &token, cause).await
            }
            None => Ok(()),
        };
    }
    let prefix = PREFIXES.iter().find(|prefix| token.starts_with(**prefix));
    match prefix {
        Some(&RefreshToken::PREFIX) => Ok(()),
        Some(_) => Err(unsupported_token_type().into()),
        None => revoke_access_token(engine, client, token, cause).await,
    }
}

async fn revoke_grant(
    engine: &Engine,
    client: &AuthenticatedClient,
    token: &RefreshTokenRow,
    cause: &EventCause,
) -> Result<(), Error> {
    if token.client != *client.id() {
        return Err(not_issued_to_client().into());
    }
    let Some(grant) = grants::find_grant(engine.store(), token.grant).await? else { return Ok(()) };
    if grant.revoked_at.is_some() {
        return Ok(());
    }
    let now = engine.now();
    let event = engine
        .event(EventKind::GrantRevoked, &client.event_cause(cause), now)
        .with_subject("grant", grant.id)
        .with_organization(grant.organization)
        .with_client(token.client.clone())
        .with_detail("because", "refresh_token_revoked");
    commit(
        engine,
        WriteBatch::new().with_statement(grants::revoke_grant(grant.id, "revoked", now)).with_event(&event),
    )
    .await
}

async fn revoke_access_token(
    engine: &Engine,
    client: &AuthenticatedClient,
    token: &str,
    cause: &EventCause,
) -> Result<(), Error> {
    let Ok(claims) = access_token::verify_access_token(engine, token) else { return Ok(()) };
    if claims.client() != client.id() {
        return Err(not_issued_to_client().into());
    }
    let jti = claims.jti().to_string();
    if revocation::is_token_revoked(engine.store(), &jti).await? {
        return Ok(());
    }
    let now = engine.now();
    let event = engine
        .event(EventKind::AccessTokenRevoked, &client.event_cause(cause), now)
        .with_subject("access_token", &jti)
        .with_organization(claims.organization())
        .with_client(client.id().clone());
    let revoked = revocation::revoke_access_token(&jti, claims.expires_at(), now);
    commit(engine, WriteBatch::new().with_statement(revoked).with_event(&event)).await
}

/// Commits. These batches cannot conflict: revoking twice has no effect.
async fn commit(engine: &Engine, batch: WriteBatch) -> Result<(), Error> {
    engine.store().commit(batch).await?.into_result().map_err(|_| Failure::Contended)?;
    Ok(())
}

fn not_issued_to_client() -> Refusal {
    Refusal::because(OAuthRefusal::TokenOfAnotherClient, "")
}

/// Claiming to have revoked a token that is not would be worse than a refusal.
fn unsupported_token_type() -> Refusal {
    Refusal::because(OAuthRefusal::TokenTypeNotRevocable, "a secret of another kind")
}
