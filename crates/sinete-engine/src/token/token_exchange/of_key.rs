//! Exchanging a long-lived key, for APIs that know nothing of keys.

use super::{ExchangeSource, ExchangedSubject, belongs_to, of_token};
use crate::issue;
use crate::token::TokenRequestContext;
use crate::{Engine, Failure};
use sinete_core::authority::Authority;
use sinete_core::authority::details::AuthorizationDetails;
use sinete_core::authorize::policy::TokenSource;
use sinete_core::grant::{may_not, no_grant};
use sinete_core::people::settings::OrganizationSettings;
use sinete_core::refusal::Refusal;
use sinete_core::secret::{self, Secret};
use sinete_store::api_keys::ActiveApiKey;
use sinete_store::standing::SubjectAccessPath;
use sinete_store::{api_keys, standing};

/// The key, if it counts and the client may act with it.
pub(super) async fn find(
    engine: &Engine,
    asking: &TokenRequestContext<'_>,
    shown: &str,
    actor_token: Option<&str>,
) -> Result<Result<ExchangedSubject, Refusal>, Failure> {
    let Ok(secret) = Secret::<secret::ApiKey>::parse(shown) else {
        return Ok(Err(no_grant("not a key of ours")));
    };
    let (store, now) = (engine.store(), asking.now);
    let Some(key) = api_keys::find(store, &secret.digest(), now).await? else {
        return Ok(Err(no_grant("there is no such key, or it was revoked or has expired")));
    };
    let through = SubjectAccessPath::Client(asking.client.id());
    let Some(found) = standing::find(store, key.membership, through, now).await? else {
        return Ok(Err(no_grant("nobody holds the membership of the key")));
    };
    let (offering, settings) = (found.offering, found.settings.read::<OrganizationSettings>()?);
    let alive = match found.standing.alive() {
        Ok(alive) => alive,
        Err(lifeless) => return Ok(Err(no_grant(lifeless.to_string()))),
    };
    if let Err(refusal) = may_act(asking, &key) {
        return Ok(Err(refusal));
    }
    if let Some(actor_token) = actor_token
        && let Err(refusal) = of_token::must_be_own(engine, asking, actor_token).await?
    {
        return Ok(Err(refusal));
    }
    let scopes = asking.request.scope.as_ref().unwrap_or(&key.scope);
    let offered = offering.load(store).await?;
    let aim = match &asking.request.resource {
        Some(resource) => issue::aim_at(engine, &offered, resource),
        None => issue::aim_by(engine, &offered, &scopes.permissions())?,
    };
    let aim = match aim {
        Ok(aim) => aim,
        Err(refusal) => return Ok(Err(refusal)),
    };
    Ok(Ok(ExchangedSubject {
        of: ExchangeSource::ApiKey(key.id),
        held: Authority::of(&alive).below(&key.scope.permissions()),
        alive,
        audience: None,
        scope: key.scope.clone(),
        details: AuthorizationDetails::default(),
        expires_at: key.expires_at,
        actor: None,
        is_bound: false,
        authentication: None,
        aim,
        step: api_keys::touch(&key, now),
        settings,
        source: TokenSource::ApiKey,
        evidence: None,
    }))
}

/// Whoever holds a key may use it through any client that serves its organization: the key is what proves.
fn may_act(asking: &TokenRequestContext<'_>, key: &ActiveApiKey) -> Result<(), Refusal> {
    let client = &asking.client.known.client;
    if belongs_to(client.origin).is_some_and(|organization| organization != key.organization) {
        return Err(may_not("the client belongs to another organization"));
    }
    Ok(())
}
