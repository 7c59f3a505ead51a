//! The authorization code grant: a code is redeemed once; if its client presents it again, the grant is
//! revoked.

use super::active_grant::{ActiveGrant, GrantSnapshot, TokenContents};
use crate::oauth::cache::authorization_code::CachedAuthorizationCode;
use crate::oauth::token::TokenRequestContext;
use crate::oauth::token_issuance::IssuedTokens;
use crate::oauth::userinfo;
use crate::{ATTEMPTS_MAX, Engine, Error, Failure, UseCaseResult};
use sinete_core::events::security_event::{EventKind, SecurityEvent};
use sinete_core::id::{GrantId, MembershipId};
use sinete_core::oauth::authorize::stored_grant_params::{RequestedClaims, StoredGrantParams};
use sinete_core::oauth::client_metadata::GrantType;
use sinete_core::oauth::confirmation::{ConfirmationClaim, check_possession};
use sinete_core::oauth::grants::authorization_code::{
    AuthorizationCodeFacts, AuthorizationCodeRedemption, AuthorizationCodeRejection,
    verify_authorization_code,
};
use sinete_core::oauth::grants::invalid_grant;
use sinete_core::oauth::grants::refresh_token::{
    GrantScopeLimits, compute_family_expiry, compute_idle_expiry,
};
use sinete_core::oauth::organization_policy::TokenDerivation;
use sinete_core::oauth::pkce::S256Challenge;
use sinete_core::refusal::{Refusal, RefusalConsequence};
use sinete_core::secret::{AuthorizationCodeDigest, AuthorizationCodeSecret, RefreshTokenSecret};
use sinete_store::DependencySnapshot;
use sinete_store::oauth::authorization_codes;
use sinete_store::oauth::authorization_codes::{AuthorizationCodeRow, AuthorizationCodeStatus};
use sinete_store::oauth::refresh_tokens::NewRefreshFamily;
use sinete_store::oauth::subject_state::token_lookup;
use sinete_store::oauth::subject_state::token_lookup::TokenLookup;
use sinete_store::{GuardedStatement, JsonDocument, WriteBatch};

/// The parameters of the request.
pub(in crate::oauth) struct AuthorizationCodeParams<'a> {
    pub(in crate::oauth) code: &'a str,
    pub(in crate::oauth) redirect_uri: Option<&'a str>,
    pub(in crate::oauth) verifier: Option<&'a str>,
}

pub(in crate::oauth) async fn redeem_authorization_code(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    params: &AuthorizationCodeParams<'_>,
    mut lookup: Option<TokenLookup<AuthorizationCodeStatus>>,
) -> Result<IssuedTokens, Error> {
    let Ok(digest) = AuthorizationCodeSecret::parse(params.code).map(|code| code.digest()) else {
        return Err(invalid_grant("not a code of ours").into());
    };
    for _ in 0..ATTEMPTS_MAX {
        let Some(TokenLookup { credential: status, subject: subject_with_grant, .. }) = lookup else {
            return Err(invalid_grant("there is no such code").into());
        };
        let code = check_code(engine, context, params, status)?;
        let snapshot = GrantSnapshot::from_lookup(subject_with_grant)?;
        let prepared = prepare_redemption(engine, context, &digest, snapshot, code.request.parse()?).await?;
        if engine.store().commit(prepared.batch.with_event(&prepared.event)).await?.is_committed() {
            return Ok(prepared.issued);
        }
        // The loser of a race finds the code used when it is read again, and is refused.
        let current_lookup = token_lookup::load_authorization_code(
            engine.store(),
            context.client_lookup(),
            &digest,
            context.now,
        )
        .await?;
        lookup = current_lookup.and_then(|(_, lookup)| lookup);
    }
    Err(Failure::Contended.into())
}

/// Redeems a cached code, if the transaction confirms that nothing has changed. The cache never causes a
/// refusal: `None` means that everything must be read.
pub(in crate::oauth) async fn redeem_cached_code(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    params: &AuthorizationCodeParams<'_>,
    authorization_code: CachedAuthorizationCode,
    facts: DependencySnapshot,
) -> Result<Option<IssuedTokens>, Failure> {
    let CachedAuthorizationCode {
        digest,
        client,
        redirect_uri,
        challenge,
        expires_at,
        request,
        grant: snapshot,
        ..
    } = authorization_code;
    let facts_of_code = AuthorizationCodeFacts {
        client: &client,
        redirect_uri: &redirect_uri,
        challenge,
        expires_at,
        redeemed_at: None,
    };
    let is_in_order =
        verify_authorization_code(&facts_of_code, &params.to_redemption(context), context.now).is_ok();
    if !is_in_order || !snapshot.has_same_assurance(context.now) {
        return Ok(None);
    }
    let prepared = prepare_redemption(engine, context, &digest, snapshot, request).await;
    let Some(prepared) = prepared.unless_refused()? else { return Ok(None) };
    let batch = prepared.batch.with_event_at_version(&prepared.event, facts);
    Ok(engine.store().commit(batch).await?.is_committed().then_some(prepared.issued))
}

/// A redemption that passed every check.
struct PreparedRedemption {
    /// The response, once the batch is committed with the event.
    issued: IssuedTokens,
    batch: WriteBatch,
    event: SecurityEvent,
}

/// Makes every check but those of the code itself, on facts from the database or from the cache.
async fn prepare_redemption(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    digest: &AuthorizationCodeDigest,
    snapshot: GrantSnapshot,
    request: StoredGrantParams,
) -> Result<PreparedRedemption, Error> {
    let (grant, membership) = (snapshot.grant, snapshot.membership);
    let (issued, refresh_family) = prepare_tokens(engine, context, snapshot, request, true).await?;
    let batch = WriteBatch::new()
        .with_statements(context.record_client_use())
        .with_statement(build_code_redemption(context, digest, refresh_family.as_ref()));
    let event = grant_event(engine, context, EventKind::CodeRedeemed, grant, membership);
    Ok(PreparedRedemption { issued, batch, event })
}

/// Uses up the code, and starts the refresh token family if there is one.
fn build_code_redemption(
    context: &TokenRequestContext<'_>,
    digest: &AuthorizationCodeDigest,
    refresh_family: Option<&NewRefreshFamily>,
) -> GuardedStatement {
    let (client, now) = (context.client.id(), context.now);
    match refresh_family {
        Some(family) => authorization_codes::redeem_code_with_refresh_token(digest, client, family, now),
        None => authorization_codes::redeem_authorization_code(digest, client, now),
    }
}

impl<'a> AuthorizationCodeParams<'a> {
    fn to_redemption(&self, context: &TokenRequestContext<'a>) -> AuthorizationCodeRedemption<'a> {
        AuthorizationCodeRedemption {
            client: context.client.id(),
            redirect_uri: self.redirect_uri,
            verifier: self.verifier,
        }
    }
}

/// Checks the code; otherwise returns the refusal with its consequences.
fn check_code(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    params: &AuthorizationCodeParams<'_>,
    status: AuthorizationCodeStatus,
) -> Result<AuthorizationCodeRow, Refusal> {
    let (code, spent_at) = match status {
        AuthorizationCodeStatus::Unredeemed(code) => (code, None),
        AuthorizationCodeStatus::Redeemed(code, at) => (code, Some(at)),
    };
    let facts = AuthorizationCodeFacts {
        client: &code.client,
        redirect_uri: &code.redirect_uri,
        challenge: S256Challenge::from_bytes(code.challenge),
        expires_at: code.expires_at,
        redeemed_at: spent_at,
    };
    let Err(refused) = verify_authorization_code(&facts, &params.to_redemption(context), context.now) else {
        return Ok(code);
    };
    let event = |kind| {
        RefusalConsequence::Record(Box::new(grant_event(engine, context, kind, code.grant, code.membership)))
    };
    let refusal = Refusal::from(refused);
    Err(match refused {
        // Only a replay by its own client shows that the code leaked; others may have found the code
        // somewhere and must not be able to revoke the grant.
        AuthorizationCodeRejection::Replayed => refusal
            .with_consequence(RefusalConsequence::RevokeGrant(code.grant))
            .with_consequence(event(EventKind::CodeReplayed)),
        AuthorizationCodeRejection::OtherClient => {
            refusal.with_consequence(event(EventKind::CodeMisdirected))
        }
        AuthorizationCodeRejection::Expired
        | AuthorizationCodeRejection::WrongVerifier
        | AuthorizationCodeRejection::WrongRedirect => refusal,
    })
}

/// Prepares the response and the refresh token family. A grant without lasting access gets no refresh token.
pub(in crate::oauth) async fn prepare_tokens(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    snapshot: GrantSnapshot,
    request: StoredGrantParams,
    has_lasting_access: bool,
) -> Result<(IssuedTokens, Option<NewRefreshFamily>), Error> {
    let bound = request.key.map(ConfirmationClaim::from_key);
    check_possession(bound.as_ref(), context.client.presented_confirmation.as_ref())
        .map_err(|not_held| invalid_grant(format!("the code: {not_held}")))?;
    let active_grant = ActiveGrant::check_active(engine, snapshot, &request.audience, context.now).await?;
    let Some(granted_scope) = active_grant.snapshot.agreed_scopes.scopes_for_audience(&request.audience)
    else {
        return Err(invalid_grant("no scope was granted for the audience of the code").into());
    };
    let client = &context.client.client;
    let ceiling = client.scope_ceiling(engine, Some(&active_grant.snapshot.settings));
    let limits = GrantScopeLimits { scope: granted_scope, ceiling, audience: &request.audience };
    // A narrower scope may be requested for this token; a wider one is refused and uses up nothing (RFC 6749
    // §5.2).
    let narrowed = limits.narrow(
        context.request.scope.as_ref(),
        context.request.resource.as_ref(),
        &active_grant.authority,
    );
    let details = active_grant.narrow_details(context.request.details.as_ref());
    let ((scopes, authority), details) = match (narrowed, details) {
        (Ok(narrowed), Ok(details)) => (narrowed, details),
        (Err(refusal), _) | (_, Err(refusal)) => return Err(refusal.into()),
    };
    let policy = active_grant.check_policy(engine, context, TokenDerivation::Direct, &scopes, &details)?;
    let renews =
        has_lasting_access && client.metadata.effective_grant_types().contains(&GrantType::RefreshToken);
    let (refresh_token, refresh_family) = match renews {
        true => {
            let (token, refresh_family) =
                issue_first_refresh_token(engine, context, &active_grant, &request)?;
            (Some(token), Some(refresh_family))
        }
        false => (None, None),
    };
    let requested = RequestedClaims::from(&request);
    let subject = &active_grant.snapshot.subject;
    let released =
        userinfo::load_id_token_claims(engine, subject, client, &ceiling, &requested, &scopes).await?;
    let content = TokenContents {
        scopes: scopes.clone(),
        authority,
        details: details.clone(),
        confirmation: context.client.confirmation.clone(),
        nonce: request.nonce,
        id_token_claims: released,
        policy,
    };
    let signed = active_grant.sign_tokens(engine, context, content)?;
    let issued = IssuedTokens {
        access_token: signed.access_token,
        lifetime: active_grant.audience.token_lifetime(),
        scope: scopes,
        refresh_token,
        id_token: signed.id_token,
        details: details.into_objects(),
        is_exchanged: false,
    };
    Ok((issued, refresh_family))
}

/// Issues the first refresh token of the grant.
fn issue_first_refresh_token(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    active_grant: &ActiveGrant,
    request: &StoredGrantParams,
) -> Result<(RefreshTokenSecret, NewRefreshFamily), Failure> {
    let (now, client) = (context.now, &context.client.client.client);
    let token = RefreshTokenSecret::mint_first(active_grant.snapshot.grant, engine.entropy());
    let scope = active_grant
        .snapshot
        .agreed_scopes
        .scopes_for_audience(&request.audience)
        .cloned()
        .unwrap_or_default();
    let expires_at = compute_family_expiry(&scope, client.kind, active_grant.snapshot.expires_at, now);
    let confirmation =
        context.client.refresh_token_confirmation().as_ref().map(JsonDocument::from_value).transpose()?;
    let refresh_family = NewRefreshFamily {
        first: token.digests(),
        audience: request.audience.as_str().to_owned(),
        scope,
        confirmation,
        idle_expires_at: compute_idle_expiry(expires_at, now),
        expires_at,
    };
    Ok((token, refresh_family))
}

fn grant_event(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    kind: EventKind,
    grant: GrantId,
    membership: MembershipId,
) -> SecurityEvent {
    engine
        .event(kind, &context.cause, context.now)
        .with_subject("grant", grant)
        .with_client(context.client.id().clone())
        .with_detail("membership", membership.to_string())
}
