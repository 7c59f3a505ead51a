//! Exchanging an access token of ours.

use super::{ExchangeSource, ExchangedSubject, belongs_to};
use crate::access_tokens::{self, LiveAccessToken, ParsedAccessToken};
use crate::introspect;
use crate::issue;
use crate::token::TokenRequestContext;
use crate::token::policy::source_of;
use crate::{Engine, Failure};
use sinete_core::assurance::AuthenticationEvidence;
use sinete_core::authority::details::AuthorizationDetails;
use sinete_core::authority::scope::ScopeSet;
use sinete_core::authorize::agreed::{GrantAuthentication, GrantedScopes};
use sinete_core::authorize::policy::TokenSource;
use sinete_core::client::metadata::ClientAuthMethod;
use sinete_core::grant::token_exchange::TokenDelegationCheck;
use sinete_core::grant::{may_not, no_grant};
use sinete_core::people;
use sinete_core::people::settings::OrganizationSettings;
use sinete_core::refusal::Refusal;
use sinete_core::token::access::AuthenticationContext;
use sinete_core::token::confirmation::{TokenPresenter, may_pass_on, must_hold};
use sinete_core::token::jti::TokenRoot;
use sinete_store::grants;

/// The token, if it counts and the client may act with it.
pub(super) async fn find(
    engine: &Engine,
    asking: &TokenRequestContext<'_>,
    token: &str,
    actor_token: Option<&str>,
) -> Result<Result<ExchangedSubject, Refusal>, Failure> {
    let examined = match access_tokens::examine(engine, token).await? {
        Ok(examined) => examined,
        Err(why) => return Ok(Err(no_grant(why.to_string()))),
    };
    if matches!(examined.claims.jti().root, TokenRoot::Assignment(_)) {
        return Ok(Err(may_not("an impersonation is not passed on")));
    }
    let settings = examined.of_token.settings()?;
    let (source, evidence) = derived_from(&examined)?;
    let live = match examined.live() {
        Ok(live) => live,
        Err(why) => return Ok(Err(no_grant(why.to_string()))),
    };
    let by = match may_act(engine, asking, &live, &settings).await? {
        Ok(by) => by,
        Err(refusal) => return Ok(Err(refusal)),
    };
    if let Err(not_held) = may_pass_on(live.claims.confirmation(), asking.client.shown.as_ref(), by) {
        return Ok(Err(no_grant(not_held.to_string())));
    }
    if let Some(actor_token) = actor_token
        && let Err(refusal) = must_be_own(engine, asking, actor_token).await?
    {
        return Ok(Err(refusal));
    }
    let offered = live.offering.load(engine.store()).await?;
    let LiveAccessToken { claims, alive, authority, .. } = live;
    let audience = asking.request.resource.as_ref().unwrap_or_else(|| claims.audience());
    let aim = match issue::aim_at(engine, &offered, audience) {
        Ok(aim) => aim,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let authentication = claims.authenticated_at().zip(claims.assurance());
    let authentication = authentication.map(|(at, assurance)| AuthenticationContext {
        at,
        assurance,
        session: claims.session(),
    });
    Ok(Ok(ExchangedSubject {
        of: ExchangeSource::Token(claims.jti().clone()),
        alive,
        held: authority,
        audience: Some(claims.audience().clone()),
        scope: claims.scope().clone(),
        details: AuthorizationDetails::of_token(claims.details()),
        expires_at: claims.expires_at(),
        actor: claims.actor().cloned(),
        is_bound: claims.confirmation().is_some(),
        authentication,
        aim,
        step: None,
        settings,
        source,
        evidence,
    }))
}

/// What the token was derived from in the first place, and what the person proved for it, where it was a person's grant.
fn derived_from(
    examined: &ParsedAccessToken,
) -> Result<(TokenSource, Option<AuthenticationEvidence>), Failure> {
    Ok(match (examined.claims.jti().root, &examined.of_token.grant) {
        (TokenRoot::Grant(_), Some(grant)) => {
            let authenticated: GrantAuthentication = grant.authentication.read()?;
            (source_of(grant.kind), Some(authenticated.evidence))
        }
        // The grant is gone, and the token is not alive: nothing was proven that could count.
        (TokenRoot::Grant(_), None) => {
            (TokenSource::AuthorizationCode, Some(AuthenticationEvidence::default()))
        }
        (TokenRoot::ApiKey(_), _) => (TokenSource::ApiKey, None),
        (TokenRoot::Own { .. }, _) => (TokenSource::ClientCredentials, None),
        (TokenRoot::Assignment(_), _) => (TokenSource::Impersonation, None),
    })
}

/// Whether something ties the client to the person or their organization, and whether it is the API of the token.
async fn may_act(
    engine: &Engine,
    asking: &TokenRequestContext<'_>,
    live: &LiveAccessToken,
    settings: &OrganizationSettings,
) -> Result<Result<TokenPresenter, Refusal>, Failure> {
    let (client, claims) = (&asking.client.known.client, &live.claims);
    let granted = match live.alive.subject() {
        people::TokenSubject::Person { membership, .. } if claims.client() != &client.id => {
            let given = grants::scopes_between(engine.store(), *membership, &client.id, asking.now).await?;
            let read = given.iter().map(|it| it.read::<GrantedScopes>());
            read.collect::<Result<Vec<_>, _>>()?.iter().map(whole).collect()
        }
        people::TokenSubject::Person { .. } | people::TokenSubject::Machine { .. } => Vec::new(),
    };
    let is_audience = introspect::speaks_for(engine, asking.client, claims.audience(), live.offering).await?;
    let acting = TokenDelegationCheck {
        client: &client.id,
        kind: client.kind,
        belongs_to: belongs_to(client.origin),
        organization: claims.organization(),
        own_agents: settings.delegation.own_agents,
        holder: claims.client(),
        is_audience,
        granted: &granted,
        asked: asking.request.scope.as_ref().unwrap_or_else(|| claims.scope()),
    };
    let method = asking.client.known.metadata.token_endpoint_auth_method;
    let is_known_by_key = method.is_certificate() || method == ClientAuthMethod::PrivateKeyJwt;
    let by = if is_audience && is_known_by_key { TokenPresenter::Audience } else { TokenPresenter::Holder };
    Ok(acting.judge().map(|()| by))
}

/// Everything that was agreed to in one grant.
fn whole(agreed: &GrantedScopes) -> ScopeSet {
    agreed.iter().flat_map(|(_, scopes)| scopes.iter().cloned()).collect()
}

/// Whether the token of whoever acts is one that the client got for itself: it acts in its own name.
pub(super) async fn must_be_own(
    engine: &Engine,
    asking: &TokenRequestContext<'_>,
    actor_token: &str,
) -> Result<Result<(), Refusal>, Failure> {
    let id = asking.client.id();
    let live = access_tokens::read(engine, actor_token).await?;
    let is_own = live.is_ok_and(|live| {
        let claims = &live.claims;
        let is_held = must_hold(claims.confirmation(), asking.client.shown.as_ref()).is_ok();
        is_held && claims.client() == id && claims.subject() == id.as_str() && claims.actor().is_none()
    });
    Ok(if is_own { Ok(()) } else { Err(no_grant("the actor token is not the client's own")) })
}
