//! Exchange of an API key, for APIs that do not support keys.

use super::{ExchangeSource, ExchangedSubject, access_token, client_organization};
use crate::oauth::token::TokenRequestContext;
use crate::oauth::token_issuance;
use crate::{Engine, Error};
use sinete_core::access_control::Authority;
use sinete_core::oauth::authorization_details::AuthorizationDetails;
use sinete_core::oauth::grants::{invalid_grant, unauthorized_client};
use sinete_core::oauth::organization_policy::TokenSource;
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_core::refusal::Refusal;
use sinete_core::secret;
use sinete_core::secret::Secret;
use sinete_store::oauth::subject_state;
use sinete_store::oauth::subject_state::ActingClient;
use sinete_store::organizations::api_keys;
use sinete_store::organizations::api_keys::ActiveApiKey;

/// The subject of the key, if it is active and the client may exchange it.
pub(super) async fn find_api_key_subject(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    subject_token: &str,
    actor_token: Option<&str>,
) -> Result<ExchangedSubject, Error> {
    let Ok(secret) = Secret::<secret::ApiKey>::parse(subject_token) else {
        return Err(invalid_grant("not a key of ours").into());
    };
    let (store, now) = (engine.store(), context.now);
    let Some(key) = api_keys::find_active_api_key(store, &secret.digest(), now).await? else {
        return Err(invalid_grant("there is no such key, or it was revoked or has expired").into());
    };
    let through = ActingClient::Client(context.client.id());
    let Some(snapshot) = subject_state::load_subject(store, key.membership, through, now).await? else {
        return Err(invalid_grant("the membership of the key has no holder").into());
    };
    let (offering, settings) =
        (snapshot.api_catalog_version, snapshot.settings.parse::<OrganizationSettings>()?);
    let active_subject =
        snapshot.state.require_active().map_err(|subject| invalid_grant(subject.to_string()))?;
    check_exchange_allowed(context, &key)?;
    if let Some(actor_token) = actor_token {
        access_token::require_own_actor_token(engine, context, actor_token).await?;
    }
    let scopes = context.request.scope.as_ref().unwrap_or(&key.scope);
    let catalog = offering.load_catalog(store).await?;
    let audience = match &context.request.resource {
        Some(resource) => token_issuance::find_audience(engine, &catalog, resource)?,
        None => token_issuance::infer_audience(engine, &catalog, &scopes.permissions())?,
    };
    Ok(ExchangedSubject {
        exchange_source: ExchangeSource::ApiKey(key.id),
        authority: Authority::derive(&active_subject).narrow_to_ceiling(&key.scope.permissions()),
        subject: active_subject,
        audience: None,
        scope: key.scope.clone(),
        details: AuthorizationDetails::default(),
        expires_at: key.expires_at,
        actor: None,
        is_bound: false,
        authentication: None,
        target_audience: audience,
        delegation_statement: api_keys::touch_api_key(&key, now),
        settings,
        source: TokenSource::ApiKey,
        evidence: None,
    })
}

/// A key may be exchanged by any client that serves its organization: the key itself is the proof.
fn check_exchange_allowed(context: &TokenRequestContext<'_>, key: &ActiveApiKey) -> Result<(), Refusal> {
    let client = &context.client.client.client;
    if client_organization(client.origin).is_some_and(|organization| organization != key.organization) {
        return Err(unauthorized_client("the client belongs to another organization"));
    }
    Ok(())
}
