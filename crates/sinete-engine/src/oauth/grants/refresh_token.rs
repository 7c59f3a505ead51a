//! The refresh token grant: a refresh token is exchanged for its successor; if it is used again, the grant is
//! revoked. A token that is bound to a key gets the same successor again while that is unused. Under some client profiles it is not rotated but bound to the client's authentication and
//! certificate.

mod rotation;

use super::active_grant::{ActiveGrant, GrantSnapshot, TokenContents};
use crate::oauth::cache::refresh_token::{CachedRefreshToken, RefreshTokenLimits};
use crate::oauth::client_authentication::AuthenticatedClient;
use crate::oauth::token::TokenRequestContext;
use crate::oauth::token_issuance::IssuedTokens;
use crate::oauth::userinfo;
use crate::{ATTEMPTS_MAX, Engine, Error, Failure, UseCaseResult};
use rotation::{RefreshTokenRotation, derive_successors};
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::access_control::subject::ActiveSubject;
use sinete_core::events::security_event::{EventKind, SecurityEvent};
use sinete_core::oauth::authorize::stored_grant_params::RequestedClaims;
use sinete_core::oauth::client_metadata::ClientAuthMethod;
use sinete_core::oauth::confirmation::{ConfirmationClaim, check_possession};
use sinete_core::oauth::grants::invalid_grant;
use sinete_core::oauth::grants::refresh_token::{
    GrantScopeLimits, RefreshTokenFacts, RefreshTokenPresenter, RefreshTokenRejection, verify_refresh_token,
};
use sinete_core::oauth::organization_policy::TokenDerivation;
use sinete_core::refusal::{Refusal, RefusalConsequence};
use sinete_core::secret::{RefreshTokenDigests, RefreshTokenSecret};
use sinete_core::time::Timestamp;
use sinete_store::oauth::refresh_tokens::{RefreshTokenRow, RefreshTokenStatus};
use sinete_store::oauth::subject_state;
use sinete_store::oauth::subject_state::token_lookup;
use sinete_store::oauth::subject_state::token_lookup::TokenLookup;
use sinete_store::{DependencySnapshot, WriteBatch};

pub(in crate::oauth) async fn redeem_refresh_token(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    presented_token: &str,
    mut lookup: Option<TokenLookup<RefreshTokenStatus>>,
) -> Result<IssuedTokens, Error> {
    let Ok(refresh_token) = RefreshTokenSecret::parse(presented_token) else {
        return Err(invalid_grant("not a refresh token of ours").into());
    };
    let digests = refresh_token.digests();
    for _ in 0..ATTEMPTS_MAX {
        let Some(TokenLookup { credential: status, subject: subject_with_grant, dependency_snapshot: facts }) =
            lookup
        else {
            return Err(invalid_grant("there is no such refresh token").into());
        };
        let CheckedRefreshToken { token, unused_successor } =
            check_refresh_token(engine, context, status, &refresh_token)?;
        let Ok(audience) = token.audience.parse() else {
            return Err(invalid_grant("the audience of the refresh token is not valid").into());
        };
        let snapshot = GrantSnapshot::from_lookup(subject_with_grant)?;
        let bound = read_confirmation(&token)?;
        let requested = read_requested_claims(&token)?;
        // The cache stores no individually requested claims.
        let is_cacheable = bound.is_none() && requested.claims.is_empty();
        let terms = RefreshTokenLimits { audience, scope: token.scope, expires_at: token.expires_at };
        let rotation_facts =
            RotationFacts { terms, snapshot, confirmation: bound, requested, unused_successor };
        let prepared = prepare_rotation(engine, context, &refresh_token, &digests, rotation_facts).await?;
        if engine.store().commit(prepared.batch.with_event(&prepared.event)).await?.is_committed() {
            if is_cacheable {
                let cached_until = CachedRefreshToken::cached_until(context.now);
                prepared.next.into_cached(facts, cached_until).insert_into_cache(engine, context);
            }
            return Ok(prepared.issued);
        }
        // The loser of a race finds the token used when it is read again, and is refused.
        let current_lookup =
            token_lookup::load_refresh_token(engine.store(), context.client_lookup(), &digests, context.now)
                .await?;
        lookup = current_lookup.and_then(|(_, lookup)| lookup);
    }
    Err(Failure::Contended.into())
}

/// Redeems a cached refresh token, if the transaction confirms that nothing has changed. The cache never
/// causes a refusal: `None` means that everything must be read.
pub(in crate::oauth) async fn redeem_cached_refresh_token(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    refresh_token: &RefreshTokenSecret,
    token: CachedRefreshToken,
    facts: DependencySnapshot,
) -> Result<Option<IssuedTokens>, Failure> {
    let CachedRefreshToken { digests, terms, grant: snapshot, cached_until: until, .. } = token;
    if !snapshot.has_same_assurance(context.now) {
        return Ok(None);
    }
    // A bound token is never cached.
    let rotation_facts = RotationFacts {
        terms,
        snapshot,
        confirmation: None,
        requested: RequestedClaims::default(),
        unused_successor: None,
    };
    let prepared = prepare_rotation(engine, context, refresh_token, &digests, rotation_facts).await;
    let Some(prepared) = prepared.unless_refused()? else { return Ok(None) };
    let batch = prepared.batch.with_event_at_version(&prepared.event, facts);
    if !engine.store().commit(batch).await?.is_committed() {
        return Ok(None);
    }
    prepared.next.into_cached(facts, until).insert_into_cache(engine, context);
    Ok(Some(prepared.issued))
}

/// What a rotation depends on, from the database or from the cache.
struct RotationFacts {
    terms: RefreshTokenLimits,
    snapshot: GrantSnapshot,
    /// The binding of the refresh token.
    confirmation: Option<ConfirmationClaim>,
    /// The claims that were requested individually.
    requested: RequestedClaims,
    /// The successor of a bound token that was rotated before, while it is unused.
    unused_successor: Option<RefreshTokenSecret>,
}

/// A rotation that passed every check.
struct PreparedRotation {
    /// The response, once the batch is committed with the event.
    issued: IssuedTokens,
    batch: WriteBatch,
    event: SecurityEvent,
    next: NextRefreshToken,
}

/// The next refresh token, as far as it can be cached.
struct NextRefreshToken {
    digests: RefreshTokenDigests,
    terms: RefreshTokenLimits,
    grant: GrantSnapshot,
}

impl NextRefreshToken {
    fn into_cached(self, facts: DependencySnapshot, cached_until: Timestamp) -> CachedRefreshToken {
        let Self { digests, terms, grant } = self;
        CachedRefreshToken { digests, terms, grant, dependency_version: facts.version, cached_until }
    }
}

/// Makes every check but those of the token itself.
async fn prepare_rotation(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    refresh_token: &RefreshTokenSecret,
    digests: &RefreshTokenDigests,
    facts: RotationFacts,
) -> Result<PreparedRotation, Error> {
    let RotationFacts { terms, snapshot, confirmation: bound, requested, unused_successor } = facts;
    let rotation = match unused_successor {
        Some(unused) => RefreshTokenRotation::reuse_successor(context, unused, terms.expires_at),
        None => RefreshTokenRotation::new(
            engine,
            context,
            refresh_token,
            digests,
            bound.is_some(),
            terms.expires_at,
        ),
    };
    let (issued, grant) = prepare_tokens(engine, context, &terms, snapshot, bound, &requested).await?;
    let event = refresh_token_event(engine, context, rotation.kind, digests);
    let batch =
        WriteBatch::new().with_statements(context.record_client_use()).with_statement(rotation.statement);
    let next = NextRefreshToken { digests: rotation.digests, terms, grant };
    let issued = IssuedTokens { refresh_token: Some(rotation.next), ..issued };
    Ok(PreparedRotation { issued, batch, event, next })
}

/// A refresh token that could be redeemed now.
pub(crate) struct ActiveRefreshToken {
    /// The subject and organization.
    pub(crate) subject: ActiveSubject,
    /// The granted scope that is still held.
    pub(crate) scope: ScopeSet,
}

/// The refresh token for introspection (RFC 7662 §2.2): whether its client would get an access token for it,
/// by all checks of a refresh except the binding, which only the refresh request can show.
pub(crate) async fn find_active(
    engine: &Engine,
    client: &AuthenticatedClient,
    token: &RefreshTokenRow,
    now: Timestamp,
) -> Result<Option<ActiveRefreshToken>, Failure> {
    let ends = token.idle_expires_at.min(token.expires_at);
    if token.client != *client.id() || token.revoked_at.is_some() || ends <= now {
        return Ok(None);
    }
    let subject_with_grant = subject_state::load_subject_with_grant(
        engine.store(),
        token.membership,
        client.id(),
        token.grant,
        now,
    )
    .await?;
    let (Some(snapshot), Ok(audience)) =
        (GrantSnapshot::from_lookup(subject_with_grant).unless_refused()?, token.audience.parse())
    else {
        return Ok(None);
    };
    let checked = ActiveGrant::check_active(engine, snapshot, &audience, now).await;
    let Some(active_grant) = checked.unless_refused()? else { return Ok(None) };
    let authority = active_grant.authority.narrow_to_ceiling(&token.scope.permissions());
    let scope = token.scope.restrict_to_permissions(authority.permissions());
    let is_renewable = active_grant.is_renewable(client, &scope, now);
    Ok(is_renewable.then_some(ActiveRefreshToken { subject: active_grant.snapshot.subject, scope }))
}

/// A refresh token that may be redeemed.
struct CheckedRefreshToken {
    token: RefreshTokenRow,
    /// Its unused successor, if it was rotated before and is presented again by its key.
    unused_successor: Option<RefreshTokenSecret>,
}

/// Checks the token; otherwise returns the refusal with its consequences.
fn check_refresh_token(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    status: RefreshTokenStatus,
    refresh_token: &RefreshTokenSecret,
) -> Result<CheckedRefreshToken, Error> {
    let (token, is_spent) = match status {
        RefreshTokenStatus::Current(token) => (token, false),
        RefreshTokenStatus::Rotated(token) => (token, true),
    };
    let bound = read_confirmation(&token)?;
    let successors =
        (is_spent && bound.is_some()).then(|| derive_successors(engine, refresh_token)).into_iter().flatten();
    let unused = { successors }.find(|it| it.digests().token == token.newest);
    let is_unproven = context.client.client.metadata.token_endpoint_auth_method == ClientAuthMethod::None;
    let facts = RefreshTokenFacts {
        client: &token.client,
        is_rotated: is_spent,
        has_unused_successor: unused.is_some(),
        presenter: match check_possession(bound.as_ref(), context.client.presented_confirmation.as_ref()) {
            Ok(_) => RefreshTokenPresenter::KeyHolder,
            Err(_) if is_unproven => RefreshTokenPresenter::Unauthenticated,
            Err(_) => RefreshTokenPresenter::AuthenticatedClient,
        },
        idle_expires_at: token.idle_expires_at,
        expires_at: token.expires_at,
        revoked_at: token.revoked_at,
    };
    if let Err(refused) = verify_refresh_token(&facts, context.client.id(), context.now) {
        let refusal = Refusal::from(refused);
        let event = |kind| refresh_token_event(engine, context, kind, &refresh_token.digests());
        let record = |event| RefusalConsequence::Record(Box::new(event));
        return Err(match refused {
            // Access tokens are not stored; they become invalid with the grant.
            RefreshTokenRejection::Reused => refusal
                .with_consequence(RefusalConsequence::RevokeGrant(token.grant))
                .with_consequence(record(event(EventKind::RefreshTokenReused))),
            RefreshTokenRejection::OtherClient => {
                refusal.with_consequence(record(event(EventKind::RefreshTokenMisdirected)))
            }
            RefreshTokenRejection::KeyMismatch => refusal.with_consequence(record(
                event(EventKind::RefreshTokenMisdirected).with_detail("because", "another_key"),
            )),
            RefreshTokenRejection::Revoked | RefreshTokenRejection::Expired => refusal,
        }
        .into());
    }
    // Otherwise a thief could bind the renewed tokens to their own key.
    let lasting = context.client.refresh_token_confirmation();
    let is_bound_to_all = check_possession(lasting.as_ref(), bound.as_ref()).is_ok();
    if is_unproven && !is_bound_to_all {
        return Err(invalid_grant("the token is from before the client's tokens were bound").into());
    }
    Ok(CheckedRefreshToken { token, unused_successor: unused })
}

/// The binding of the refresh token.
fn read_confirmation(token: &RefreshTokenRow) -> Result<Option<ConfirmationClaim>, Failure> {
    Ok(token.confirmation.as_ref().map(|it| it.parse()).transpose()?)
}

/// The claims that the authorization request named.
fn read_requested_claims(token: &RefreshTokenRow) -> Result<RequestedClaims, Failure> {
    Ok(token.request.as_ref().map(|it| it.parse()).transpose()?.unwrap_or_default())
}

/// Prepares the response except for its refresh token, with the binding and the requested claims of the grant.
async fn prepare_tokens(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    terms: &RefreshTokenLimits,
    snapshot: GrantSnapshot,
    bound: Option<ConfirmationClaim>,
    requested: &RequestedClaims,
) -> Result<(IssuedTokens, GrantSnapshot), Error> {
    let (request, RefreshTokenLimits { audience, scope, .. }) = (context.request, terms);
    let active_grant = ActiveGrant::check_active(engine, snapshot, audience, context.now).await?;
    let ceiling = context.client.client.scope_ceiling(engine, Some(&active_grant.snapshot.settings));
    let limits = GrantScopeLimits { scope, ceiling, audience };
    let narrowed = limits.narrow(request.scope.as_ref(), request.resource.as_ref(), &active_grant.authority);
    let ((scopes, authority), details) =
        match (narrowed, active_grant.narrow_details(request.details.as_ref())) {
            (Ok(narrowed), Ok(details)) => (narrowed, details),
            (Err(refusal), _) | (_, Err(refusal)) => return Err(refusal.into()),
        };
    let policy = active_grant.check_policy(engine, context, TokenDerivation::Refresh, &scopes, &details)?;
    let (subject, client) = (&active_grant.snapshot.subject, &context.client.client);
    let released =
        userinfo::load_id_token_claims(engine, subject, client, &ceiling, requested, &scopes).await?;
    let content = TokenContents {
        scopes: scopes.clone(),
        authority,
        details: details.clone(),
        // An existing binding stays, whatever the client's current metadata says.
        confirmation: ConfirmationClaim::merge_optional(bound, context.client.confirmation.as_ref()),
        nonce: None,
        id_token_claims: released,
        policy,
    };
    let signed = active_grant.sign_tokens(engine, context, content)?;
    let issued = IssuedTokens {
        access_token: signed.access_token,
        lifetime: active_grant.audience.token_lifetime(),
        scope: scopes,
        refresh_token: None,
        id_token: signed.id_token,
        details: details.into_objects(),
        is_exchanged: false,
    };
    Ok((issued, active_grant.snapshot))
}

fn refresh_token_event(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    kind: EventKind,
    digests: &RefreshTokenDigests,
) -> SecurityEvent {
    engine
        .event(kind, &context.cause, context.now)
        .with_subject("grant", digests.grant)
        .with_client(context.client.id().clone())
        .with_detail("generation", i64::from(digests.generation))
}
