//! Exchange of an access token.

use super::{ExchangeSource, ExchangedSubject, client_organization};
use crate::oauth::access_token;
use crate::oauth::access_token::{LiveAccessToken, ParsedAccessToken};
use crate::oauth::introspection;
use crate::oauth::token::TokenRequestContext;
use crate::oauth::token::token_source;
use crate::oauth::token_issuance;
use crate::{Engine, Error, Failure};
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::access_control::subject;
use sinete_core::assurance::AuthenticationEvidence;
use sinete_core::oauth::access_token::AuthenticationContext;
use sinete_core::oauth::authorization_details::AuthorizationDetails;
use sinete_core::oauth::authorize::stored_grant_params::{GrantAuthentication, GrantedScopes};
use sinete_core::oauth::client_metadata::ClientAuthMethod;
use sinete_core::oauth::confirmation::{TokenPresenter, check_exchange_possession, check_possession};
use sinete_core::oauth::grants::token_exchange::TokenDelegationCheck;
use sinete_core::oauth::grants::{invalid_grant, unauthorized_client};
use sinete_core::oauth::jti::TokenRevocationRoot;
use sinete_core::oauth::organization_policy::TokenSource;
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_store::oauth::grants;

/// The subject of the token, if it is active and the client may exchange it.
pub(super) async fn find_token_subject(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    token: &str,
    actor_token: Option<&str>,
) -> Result<ExchangedSubject, Error> {
    let examined = access_token::load_access_token(engine, token)
        .await
        .map_err(|error| error.into_error(|token_reason| invalid_grant(token_reason.to_string())))?;
    if matches!(examined.claims.jti().root, TokenRevocationRoot::Assignment(_)) {
        return Err(unauthorized_client("an impersonation token cannot be exchanged").into());
    }
    let settings = examined.token_subject.organization_settings()?;
    let (source, evidence) = find_token_source(&examined)?;
    let live =
        examined.into_active_token().map_err(|token_reason| invalid_grant(token_reason.to_string()))?;
    let by = check_exchange_allowed(engine, context, &live, &settings).await?;
    check_exchange_possession(live.claims.confirmation(), context.client.presented_confirmation.as_ref(), by)
        .map_err(|not_held| invalid_grant(not_held.to_string()))?;
    if let Some(actor_token) = actor_token {
        require_own_actor_token(engine, context, actor_token).await?;
    }
    let catalog = live.api_catalog_version.load_catalog(engine.store()).await?;
    let LiveAccessToken { claims, subject, authority, .. } = live;
    let audience = context.request.resource.as_ref().unwrap_or_else(|| claims.audience());
    let target_audience = token_issuance::find_audience(engine, &catalog, audience)?;
    let authentication = claims.authenticated_at().zip(claims.assurance());
    let authentication = authentication.map(|(at, assurance)| AuthenticationContext {
        at,
        assurance,
        session: claims.session(),
    });
    Ok(ExchangedSubject {
        exchange_source: ExchangeSource::Token(claims.jti().clone()),
        subject,
        authority,
        audience: Some(claims.audience().clone()),
        scope: claims.combine_scope().clone(),
        details: AuthorizationDetails::from_token(claims.details()),
        expires_at: claims.expires_at(),
        actor: claims.actor().cloned(),
        is_bound: claims.confirmation().is_some(),
        authentication,
        target_audience,
        delegation_statement: None,
        settings,
        source,
        evidence,
    })
}

/// The original source of the token, and the authentication evidence of its grant, if there is one.
fn find_token_source(
    examined: &ParsedAccessToken,
) -> Result<(TokenSource, Option<AuthenticationEvidence>), Failure> {
    Ok(match (examined.claims.jti().root, &examined.token_subject.grant) {
        (TokenRevocationRoot::Grant(_), Some(grant)) => {
            let authenticated: GrantAuthentication = grant.authentication.parse()?;
            (token_source(grant.kind), Some(authenticated.evidence))
        }
        // The grant no longer exists, so the token is inactive and has no evidence.
        (TokenRevocationRoot::Grant(_), None) => {
            (TokenSource::AuthorizationCode, Some(AuthenticationEvidence::default()))
        }
        (TokenRevocationRoot::ApiKey(_), _) => (TokenSource::ApiKey, None),
        (TokenRevocationRoot::Machine { .. }, _) => (TokenSource::ClientCredentials, None),
        (TokenRevocationRoot::Assignment(_), _) => (TokenSource::Impersonation, None),
    })
}

/// Checks that the client is related to the user or their organization, and may use the token's audience.
async fn check_exchange_allowed(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    live: &LiveAccessToken,
    settings: &OrganizationSettings,
) -> Result<TokenPresenter, Error> {
    let (client, claims) = (&context.client.client.client, &live.claims);
    let granted = match live.subject.subject() {
        subject::TokenSubject::User { membership, .. } if claims.client() != &client.id => {
            let documents =
                grants::list_granted_scopes(engine.store(), *membership, &client.id, context.now).await?;
            let read = documents.iter().map(|it| it.parse::<GrantedScopes>());
            read.collect::<Result<Vec<_>, _>>()?.iter().map(all_agreed_scopes).collect()
        }
        subject::TokenSubject::User { .. } | subject::TokenSubject::Machine { .. } => Vec::new(),
    };
    let method = context.client.client.metadata.token_endpoint_auth_method;
    let is_known_by_key = method.uses_certificate() || method == ClientAuthMethod::PrivateKeyJwt;
    let delegation_check = TokenDelegationCheck {
        client: &client.id,
        kind: client.kind,
        belongs_to: client_organization(client.origin),
        organization: claims.organization(),
        own_agents: settings.delegation.own_agents,
        holder: claims.client(),
        is_audience: false,
        granted: &granted,
        requested: context.request.scope.as_ref().unwrap_or_else(|| claims.combine_scope()),
    };
    // Whether the client represents the API is looked up only where it decides.
    let presents_as_audience = is_known_by_key && claims.confirmation().is_some();
    if delegation_check.check_delegation().is_ok() && !presents_as_audience {
        return Ok(TokenPresenter::Holder);
    }
    let offering = live.api_catalog_version;
    let is_audience =
        introspection::is_resource_server_of(engine, context.client, claims.audience(), offering).await?;
    TokenDelegationCheck { is_audience, ..delegation_check }.check_delegation()?;
    Ok(if is_audience && is_known_by_key { TokenPresenter::Audience } else { TokenPresenter::Holder })
}

/// All scopes of one grant.
fn all_agreed_scopes(granted_scopes: &GrantedScopes) -> ScopeSet {
    granted_scopes.iter().flat_map(|(_, scopes)| scopes.iter().cloned()).collect()
}

/// Requires that the actor token is the client's own.
pub(super) async fn require_own_actor_token(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    actor_token: &str,
) -> Result<(), Error> {
    let id = context.client.id();
    let refuse = || invalid_grant("the actor token is not the client's own");
    let live = access_token::load_active_token(engine, actor_token).await;
    let claims = live.map_err(|error| error.into_error(|_| refuse()))?.claims;
    let is_held =
        check_possession(claims.confirmation(), context.client.presented_confirmation.as_ref()).is_ok();
    let is_own =
        is_held && claims.client() == id && claims.subject() == id.as_str() && claims.actor().is_none();
    if is_own { Ok(()) } else { Err(refuse().into()) }
}
