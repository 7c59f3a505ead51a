//! A refresh token is exchanged for its successor; used a second time, its grant ends. Where the client's
//! profile says so it stays instead, held by the client's proof and its certificate.

use super::TokenRequestContext;
use super::renewable::{CachedRefreshToken, RefreshTokenTerms};
use super::right::{ActiveGrant, GrantSnapshot, TokenContents};
use crate::client_authentication::AuthenticatedClient;
use crate::issue::IssuedTokens;
use crate::{ATTEMPTS_MAX, Engine, Failure};
use sinete_core::authority::scope::ScopeSet;
use sinete_core::authorize::policy::TokenStep;
use sinete_core::client::metadata::ClientAuthMethod;
use sinete_core::client::profile;
use sinete_core::grant::no_grant;
use sinete_core::grant::refresh_token::{
    GrantLimits, RefreshTokenFacts, RefreshTokenPresenter, RefreshTokenRejection, idle_ends, judge,
};
use sinete_core::people::ActiveSubject;
use sinete_core::refusal::{Refusal, RefusalConsequence};
use sinete_core::secret::{RefreshTokenDigests, RefreshTokenSecret};
use sinete_core::security::event::{EventKind, SecurityEvent};
use sinete_core::time::Timestamp;
use sinete_core::token::confirmation::{ConfirmationClaim, must_hold};
use sinete_store::client_proofs::DependencySnapshot;
use sinete_store::families::{self, RefreshTokenRow, RefreshTokenStatus, SuccessorRefreshToken};
use sinete_store::standing::shown::{self, TokenLookup};
use sinete_store::{GuardedStatement, WriteBatch, standing};

pub(super) async fn renew(
    engine: &Engine,
    asking: &TokenRequestContext<'_>,
    said: &str,
    mut found: Option<TokenLookup<RefreshTokenStatus>>,
) -> Result<Result<IssuedTokens, Refusal>, Failure> {
    let Ok(presented) = RefreshTokenSecret::parse(said) else {
        return Ok(Err(no_grant("not a refresh token of ours")));
    };
    let digests = presented.digests();
    for _ in 0..ATTEMPTS_MAX {
        let Some(TokenLookup { what, standing, facts }) = found else {
            return Ok(Err(no_grant("there is no such refresh token")));
        };
        let token = match judged(engine, asking, what, &digests)? {
            Ok(token) => token,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let Ok(audience) = token.audience.parse() else {
            return Ok(Err(no_grant("the audience of the refresh token cannot be read")));
        };
        let basis = match GrantSnapshot::read(standing)? {
            Ok(basis) => basis,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let renewal = RefreshTokenRotation::of(engine, asking, (&presented, &digests), token.expires_at);
        let bound = bound(&token)?;
        let is_bound = bound.is_some();
        let terms = RefreshTokenTerms { audience, scope: token.scope, expires_at: token.expires_at };
        let (issued, basis) = match prepare(engine, asking, &terms, basis, bound).await? {
            Ok(prepared) => prepared,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let event = about(engine, asking, renewal.kind, &digests);
        let act = WriteBatch::new().with_all(asking.notes_use()).with(renewal.step).record(&event);
        if engine.store().commit(act).await?.is_ok() {
            if !is_bound {
                let (digests, until) = (renewal.digests, CachedRefreshToken::until(asking.now));
                CachedRefreshToken { digests, terms, basis, facts: facts.version, until }
                    .keep(engine, asking);
            }
            return Ok(Ok(IssuedTokens { refresh_token: Some(renewal.next), ..issued }));
        }
        // Whoever loses a race finds the token spent when they look again, and is refused for that.
        let again = shown::refresh_token(engine.store(), asking.asker(), &digests, asking.now).await?;
        found = again.and_then(|(_, found)| found);
    }
    Err(Failure::Contended)
}

/// Renews by what was kept of a token that this node handed out, if the act says that nothing of it has changed since. Nobody
/// is refused by what was kept: where it does not suffice, there is nothing, and everything is read.
pub(super) async fn renew_kept(
    engine: &Engine,
    asking: &TokenRequestContext<'_>,
    presented: &RefreshTokenSecret,
    kept: CachedRefreshToken,
    facts: DependencySnapshot,
) -> Result<Option<IssuedTokens>, Failure> {
    let CachedRefreshToken { digests, terms, basis, until, .. } = kept;
    if !basis.is_as_sure(asking.now) {
        return Ok(None);
    }
    let renewal = RefreshTokenRotation::of(engine, asking, (presented, &digests), terms.expires_at);
    let Ok((issued, basis)) = prepare(engine, asking, &terms, basis, None).await? else { return Ok(None) };
    let event = about(engine, asking, renewal.kind, &digests);
    let act = WriteBatch::new().with(renewal.step).record_at(&event, facts);
    if engine.store().commit(act).await?.is_err() {
        return Ok(None);
    }
    CachedRefreshToken { digests: renewal.digests, terms, basis, facts: facts.version, until }
        .keep(engine, asking);
    Ok(Some(IssuedTokens { refresh_token: Some(renewal.next), ..issued }))
}

/// A refresh token that would renew something now, and what for.
pub(crate) struct ActiveRefreshToken {
    /// Whom it speaks for, and where.
    pub(crate) alive: ActiveSubject,
    /// What it was given for and is still held.
    pub(crate) scope: ScopeSet,
}

/// What introspection says of a refresh token (RFC 7662 §2.2): whether its client would be given an access token for it,
/// by everything that renewing asks, except the key it is bound to, which only who renews shows.
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
    let standing =
        standing::with_grant(engine.store(), token.membership, client.id(), token.grant, now).await?;
    let (Ok(basis), Ok(audience)) = (GrantSnapshot::read(standing)?, token.audience.parse()) else {
        return Ok(None);
    };
    let Ok(right) = ActiveGrant::counts(engine, basis, &audience, now).await? else { return Ok(None) };
    let held = right.held.below(&token.scope.permissions());
    let scope = token.scope.held(held.permissions());
    let is_renewable = right.is_renewable(client, &scope, now);
    Ok(is_renewable.then_some(ActiveRefreshToken { alive: right.basis.alive, scope }))
}

/// The token that counts from now on, and what the act writes so that it does.
struct RefreshTokenRotation {
    next: RefreshTokenSecret,
    digests: RefreshTokenDigests,
    step: GuardedStatement,
    kind: EventKind,
}

impl RefreshTokenRotation {
    fn of(
        engine: &Engine,
        asking: &TokenRequestContext<'_>,
        (presented, shown): (&RefreshTokenSecret, &RefreshTokenDigests),
        expires_at: Timestamp,
    ) -> Self {
        let (client, now) = (asking.client.id(), asking.now);
        let idle_expires_at = idle_ends(expires_at, now);
        match asking.client.known.metadata.security_profile.renewal() {
            profile::RefreshRotationPolicy::Stays => {
                let step = families::use_again(shown, client, idle_expires_at, now);
                let (next, kind) = (presented.again(), EventKind::RefreshTokenUsed);
                Self { next, digests: *shown, step, kind }
            }
            profile::RefreshRotationPolicy::Rotates => {
                let next = presented.successor(engine.entropy());
                let digests = next.digests();
                let successor = SuccessorRefreshToken { digest: &digests.token, idle_expires_at };
                let step = families::rotate(shown, client, &successor, now);
                Self { next, digests, step, kind: EventKind::RefreshTokenRotated }
            }
        }
    }
}

/// The token, if it may be exchanged; otherwise the refusal with what follows from it.
fn judged(
    engine: &Engine,
    asking: &TokenRequestContext<'_>,
    found: RefreshTokenStatus,
    shown: &RefreshTokenDigests,
) -> Result<Result<RefreshTokenRow, Refusal>, Failure> {
    let (token, is_spent) = match found {
        RefreshTokenStatus::Fresh(token) => (token, false),
        RefreshTokenStatus::Spent(token) => (token, true),
    };
    let bound = bound(&token)?;
    let is_unproven = asking.client.known.metadata.token_endpoint_auth_method == ClientAuthMethod::None;
    let facts = RefreshTokenFacts {
        client: &token.client,
        is_spent,
        presented: match must_hold(bound.as_ref(), asking.client.shown.as_ref()) {
            Ok(_) => RefreshTokenPresenter::KeyHolder,
            Err(_) if is_unproven => RefreshTokenPresenter::NobodyProven,
            Err(_) => RefreshTokenPresenter::AuthenticatedClient,
        },
        idle_expires_at: token.idle_expires_at,
        expires_at: token.expires_at,
        revoked_at: token.revoked_at,
    };
    if let Err(refused) = judge(&facts, asking.client.id(), asking.now) {
        let refusal = Refusal::from(refused);
        let event = |kind| about(engine, asking, kind, shown);
        let record = |event| RefusalConsequence::Record(Box::new(event));
        return Ok(Err(match refused {
            // Access tokens are not stored; they die with the grant.
            RefreshTokenRejection::Reused => refusal
                .and(RefusalConsequence::RevokeGrant(token.grant))
                .and(record(event(EventKind::RefreshTokenReused))),
            RefreshTokenRejection::AnothersToken => {
                refusal.and(record(event(EventKind::RefreshTokenMisdirected)))
            }
            RefreshTokenRejection::AnothersKey => {
                refusal.and(record(event(EventKind::RefreshTokenMisdirected).with("because", "another_key")))
            }
            RefreshTokenRejection::Revoked | RefreshTokenRejection::Expired => refusal,
        }));
    }
    // Whoever came by it could bind what it renews to a key of their own.
    let lasting = asking.client.lasting_confirmation();
    let is_bound_to_all = must_hold(lasting.as_ref(), bound.as_ref()).is_ok();
    if is_unproven && !is_bound_to_all {
        return Ok(Err(no_grant("the token is from before the client's tokens were bound")));
    }
    Ok(Ok(token))
}

/// The key that the refresh token is bound to.
fn bound(token: &RefreshTokenRow) -> Result<Option<ConfirmationClaim>, Failure> {
    Ok(token.confirmation.as_ref().map(|it| it.read()).transpose()?)
}

/// The answer but for its refresh token, and what it was made from.
async fn prepare(
    engine: &Engine,
    asking: &TokenRequestContext<'_>,
    terms: &RefreshTokenTerms,
    basis: GrantSnapshot,
    bound: Option<ConfirmationClaim>,
) -> Result<Result<(IssuedTokens, GrantSnapshot), Refusal>, Failure> {
    let (request, RefreshTokenTerms { audience, scope, .. }) = (asking.request, terms);
    let right = match ActiveGrant::counts(engine, basis, audience, asking.now).await? {
        Ok(right) => right,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let ceiling = &asking.client.known.client.scope;
    let given = GrantLimits { scope, ceiling, audience };
    let narrowed = given.narrow(request.scope.as_ref(), request.resource.as_ref(), &right.held);
    let ((scopes, authority), details) = match (narrowed, right.details(request.details.as_ref())) {
        (Ok(narrowed), Ok(details)) => (narrowed, details),
        (Err(refusal), _) | (_, Err(refusal)) => return Ok(Err(refusal)),
    };
    let policy = match right.check_policy(engine, asking, TokenStep::Refresh, (&scopes, &details)) {
        Ok(policy) => policy,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let content = TokenContents {
        scopes: scopes.clone(),
        authority,
        details: details.clone(),
        // What was bound stays so, whatever the client says about itself today.
        confirmation: ConfirmationClaim::joined(bound, asking.client.confirmation.as_ref()),
        nonce: None,
        released: serde_json::Map::new(),
        policy,
    };
    let signed = right.sign(engine, asking, content)?;
    let issued = IssuedTokens {
        access_token: signed.access_token,
        lifetime: right.aim.lifetime(),
        scope: scopes,
        refresh_token: None,
        id_token: signed.id_token,
        details: details.into_objects(),
        is_exchanged: false,
    };
    Ok(Ok((issued, right.basis)))
}

fn about(
    engine: &Engine,
    asking: &TokenRequestContext<'_>,
    kind: EventKind,
    shown: &RefreshTokenDigests,
) -> SecurityEvent {
    engine
        .event(kind, &asking.cause, asking.now)
        .about("grant", shown.grant)
        .through(asking.client.id().clone())
        .with("generation", i64::from(shown.generation))
}
