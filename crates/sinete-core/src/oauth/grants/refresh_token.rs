//! Refreshing a token: with the newest refresh token of its grant, by its client, within the original scope.

use super::{invalid_grant, invalid_scope, invalid_target};
use crate::access_control::Authority;
use crate::access_control::scope::{IdentityScope, ScopeSet};
use crate::client_id::{ClientId, ClientKind};
use crate::limits::{REFRESH_TOKEN_AGE_MAX, REFRESH_TOKEN_IDLE_MAX, REFRESH_TOKEN_OFFLINE_AGE_MAX};
use crate::oauth::scope_ceiling::{ScopeCeiling, list_scopes};
use crate::organizations::api_catalog::ApiIdentifier;
use crate::refusal::Refusal;
use crate::time::Timestamp;

/// The stored data of a presented refresh token.
#[derive(Clone, Copy, Debug)]
pub struct RefreshTokenFacts<'a> {
    /// The client it was issued to.
    pub client: &'a ClientId,
    /// Whether it was already rotated.
    pub is_rotated: bool,
    /// Whether it is bound to a key and the successor that was derived from it is unused.
    pub has_unused_successor: bool,
    /// What proves that the presenter is its client.
    pub presenter: RefreshTokenPresenter,
    /// When it expires if it is not used.
    pub idle_expires_at: Timestamp,
    /// When its family expires, regardless of use.
    pub expires_at: Timestamp,
    /// When its grant was revoked; `None` if it was not.
    pub revoked_at: Option<Timestamp>,
}

/// What proves that a refresh token is presented by its client. Naming a public client proves nothing
/// (docs/contribute/decisions/0232-refresh-tokens-whose-replay-revokes-a-grant.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshTokenPresenter {
    /// The presenter holds the key that the token is bound to, or the token is not bound and its holders
    /// cannot be distinguished.
    KeyHolder,
    /// The client authenticated but does not hold the token's key.
    AuthenticatedClient,
    /// A public client that does not hold the token's key.
    Unauthenticated,
}

/// Why a refresh token is rejected. Clients see one error for all of them; the consequences differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefreshTokenRejection {
    /// It was issued to another client.
    #[error("the refresh token was issued to another client")]
    OtherClient,
    /// The presenter does not hold the key it is bound to. Without the key, a thief must not be able to
    /// invalidate it for its client, whether it was rotated or not.
    #[error("the refresh token is bound to a key whose possession was not proven")]
    KeyMismatch,
    /// It was already rotated, so it may have leaked. There is no grace period.
    #[error(
        "the refresh token was used before. Two refreshes at the same moment look like this too: \
         refresh once at a time, or bind the token to a key"
    )]
    Reused,
    /// Its grant was revoked.
    #[error("the grant of the refresh token was revoked")]
    Revoked,
    /// It was not used in time, or its family has expired.
    #[error("the refresh token has expired")]
    Expired,
}

impl From<RefreshTokenRejection> for Refusal {
    fn from(refused: RefreshTokenRejection) -> Self {
        invalid_grant(refused.to_string())
    }
}

/// Verifies that the token may be rotated. Reuse is checked before expiry, so that it is detected at any
/// time. A rotated token that is presented again by its key is no reuse while its successor is unused
/// (docs/contribute/decisions/0274-refresh-tokens-same-successor-for-a-bound-token.md).
pub fn verify_refresh_token(
    token: &RefreshTokenFacts<'_>,
    client: &ClientId,
    now: Timestamp,
) -> Result<(), RefreshTokenRejection> {
    if token.client != client {
        Err(RefreshTokenRejection::OtherClient)
    } else if token.presenter == RefreshTokenPresenter::Unauthenticated {
        Err(RefreshTokenRejection::KeyMismatch)
    } else if token.is_rotated && !is_repeated(token) {
        Err(RefreshTokenRejection::Reused)
    } else if token.revoked_at.is_some() {
        Err(RefreshTokenRejection::Revoked)
    } else if token.idle_expires_at <= now || token.expires_at <= now {
        Err(RefreshTokenRejection::Expired)
    } else if token.presenter == RefreshTokenPresenter::AuthenticatedClient {
        Err(RefreshTokenRejection::KeyMismatch)
    } else {
        Ok(())
    }
}

/// Whether the holder of the token's key presents it again before its successor was used.
fn is_repeated(token: &RefreshTokenFacts<'_>) -> bool {
    token.has_unused_successor && token.presenter == RefreshTokenPresenter::KeyHolder
}

/// The limits of tokens under a user's grant: its scopes, the client's current allowed scopes, and one
/// audience.
#[derive(Clone, Copy, Debug)]
pub struct GrantScopeLimits<'a> {
    /// The consented scope.
    pub scope: &'a ScopeSet,
    /// The client's currently allowed scopes.
    pub ceiling: ScopeCeiling<'a>,
    /// The audience.
    pub audience: &'a ApiIdentifier,
}

impl GrantScopeLimits<'_> {
    /// Narrows the grant to the scopes and authority of a new token, if all of it is still held. If the
    /// request names no scope and something was revoked since, the grant itself is invalid.
    pub fn narrow(
        &self,
        requested_scope: Option<&ScopeSet>,
        resource: Option<&ApiIdentifier>,
        held_authority: &Authority,
    ) -> Result<(ScopeSet, Authority), Refusal> {
        if resource.is_some_and(|resource| resource != self.audience) {
            return Err(invalid_target());
        }
        if let Some(scopes) = requested_scope
            && (scopes.is_empty() || !scopes.is_within(self.scope))
        {
            let text = format!(
                "The scope exceeds what the user consented to, by {}. Accepted: {}.",
                list_scopes(&scopes.difference(self.scope)),
                list_scopes(self.scope)
            );
            return Err(invalid_scope("the scope exceeds the consent").with_public_text(text));
        }
        let scopes = requested_scope.unwrap_or(self.scope);
        let refuse = |reason: String| {
            if requested_scope.is_some() { invalid_scope(reason) } else { invalid_grant(reason) }
        };
        if !self.ceiling.covers(scopes) {
            return Err(refuse("the scope exceeds what the client may request now".to_owned()));
        }
        match held_authority.narrow(&scopes.permissions()) {
            Ok(authority) => Ok((scopes.clone(), authority)),
            Err(widening) => Err(refuse(widening.to_string())),
        }
    }
}

/// When a new refresh token family expires regardless of use: with the grant at the latest, and sooner
/// without consent to offline access. Agents get the shorter time.
pub fn compute_family_expiry(
    scope: &ScopeSet,
    kind: ClientKind,
    grant_expires_at: Timestamp,
    now: Timestamp,
) -> Timestamp {
    let outlives = scope.contains(IdentityScope::OfflineAccess) && kind != ClientKind::Agent;
    let age = if outlives { REFRESH_TOKEN_OFFLINE_AGE_MAX } else { REFRESH_TOKEN_AGE_MAX };
    now.plus(age).min(grant_expires_at)
}

/// When a refresh token issued now expires if it is not used.
pub fn compute_idle_expiry(expires_at: Timestamp, now: Timestamp) -> Timestamp {
    now.plus(REFRESH_TOKEN_IDLE_MAX).min(expires_at)
}

/// When the refresh token was last issued or used, from its [idle expiry](compute_idle_expiry). `None` if its last use
/// was so late that only the end of its family shows.
pub fn last_refresh(idle_expires_at: Timestamp, expires_at: Timestamp) -> Option<Timestamp> {
    (idle_expires_at < expires_at).then(|| idle_expires_at.minus(REFRESH_TOKEN_IDLE_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Lifetime;

    const NOW: Timestamp = Timestamp::from_seconds(1_000_000);

    #[test]
    fn refresh_token_last_use_follows_from_its_idle_expiry() {
        let used = Timestamp::from_seconds(1_000_000);
        let far = used.plus(REFRESH_TOKEN_AGE_MAX);
        assert_eq!(last_refresh(compute_idle_expiry(far, used), far), Some(used));
        let near = used.plus(REFRESH_TOKEN_IDLE_MAX);
        assert_eq!(last_refresh(compute_idle_expiry(near, used), near), None, "the last use is unknown");
    }

    #[test]
    fn refresh_token_checks_fail_in_a_fixed_order() {
        let (client, other): (ClientId, ClientId) = ("app".parse().unwrap(), "other".parse().unwrap());
        let later = NOW.plus(Lifetime::from_seconds(1));
        let token = RefreshTokenFacts {
            client: &client,
            is_rotated: false,
            has_unused_successor: false,
            presenter: RefreshTokenPresenter::KeyHolder,
            idle_expires_at: later,
            expires_at: later,
            revoked_at: None,
        };
        assert_eq!(verify_refresh_token(&token, &client, NOW), Ok(()));
        let spent = RefreshTokenFacts { is_rotated: true, idle_expires_at: NOW, ..token };
        let revoked = RefreshTokenFacts { revoked_at: Some(NOW), expires_at: NOW, ..token };
        assert_eq!(verify_refresh_token(&spent, &other, NOW), Err(RefreshTokenRejection::OtherClient));
        assert_eq!(verify_refresh_token(&spent, &client, NOW), Err(RefreshTokenRejection::Reused));
        assert_eq!(verify_refresh_token(&revoked, &client, NOW), Err(RefreshTokenRejection::Revoked));
        let idle = RefreshTokenFacts { idle_expires_at: NOW, ..token };
        let aged = RefreshTokenFacts { expires_at: NOW, ..token };
        for late in [idle, aged] {
            assert_eq!(verify_refresh_token(&late, &client, NOW), Err(RefreshTokenRejection::Expired));
        }
    }

    #[test]
    fn refresh_token_reuse_is_detected_only_for_its_own_client() {
        use RefreshTokenPresenter::*;
        let client: ClientId = "app".parse().unwrap();
        let later = NOW.plus(Lifetime::from_seconds(1));
        let judged = |is_spent, token_presenter| {
            let (client, revoked_at) = (&client, None);
            let (idle_expires_at, expires_at) = (later, later);
            let facts = RefreshTokenFacts {
                client,
                is_rotated: is_spent,
                has_unused_successor: false,
                presenter: token_presenter,
                idle_expires_at,
                expires_at,
                revoked_at,
            };
            verify_refresh_token(&facts, client, NOW)
        };
        assert_eq!(judged(false, KeyHolder), Ok(()));
        assert_eq!(judged(true, KeyHolder), Err(RefreshTokenRejection::Reused));
        // An authenticated client is recognized, whatever key it presents.
        assert_eq!(judged(false, AuthenticatedClient), Err(RefreshTokenRejection::KeyMismatch));
        assert_eq!(judged(true, AuthenticatedClient), Err(RefreshTokenRejection::Reused));
        for is_spent in [false, true] {
            assert_eq!(judged(is_spent, Unauthenticated), Err(RefreshTokenRejection::KeyMismatch));
        }
    }

    #[test]
    fn refresh_token_repeated_by_its_key_is_no_reuse_while_the_successor_is_unused() {
        use RefreshTokenPresenter::*;
        let client: ClientId = "app".parse().unwrap();
        let later = NOW.plus(Lifetime::from_seconds(1));
        let repeated = RefreshTokenFacts {
            client: &client,
            is_rotated: true,
            has_unused_successor: true,
            presenter: KeyHolder,
            idle_expires_at: later,
            expires_at: later,
            revoked_at: None,
        };
        assert_eq!(verify_refresh_token(&repeated, &client, NOW), Ok(()));
        let judged = |facts: &RefreshTokenFacts<'_>| verify_refresh_token(facts, &client, NOW);
        for (presenter, rejection) in [
            (AuthenticatedClient, RefreshTokenRejection::Reused),
            (Unauthenticated, RefreshTokenRejection::KeyMismatch),
        ] {
            assert_eq!(judged(&RefreshTokenFacts { presenter, ..repeated }), Err(rejection));
        }
        let used = RefreshTokenFacts { has_unused_successor: false, ..repeated };
        assert_eq!(judged(&used), Err(RefreshTokenRejection::Reused));
        let revoked = RefreshTokenFacts { revoked_at: Some(NOW), ..repeated };
        assert_eq!(judged(&revoked), Err(RefreshTokenRejection::Revoked));
        let expired = RefreshTokenFacts { idle_expires_at: NOW, ..repeated };
        assert_eq!(judged(&expired), Err(RefreshTokenRejection::Expired));
    }

    #[test]
    fn refresh_tokens_expire_after_a_month_without_offline_access() {
        let day = |days| NOW.plus(Lifetime::from_days(days));
        let (plain, offline) = ("openid".parse().unwrap(), "openid offline_access".parse().unwrap());
        let ends = |scope, kind, grant| compute_family_expiry(scope, kind, grant, NOW);
        assert_eq!(ends(&plain, ClientKind::Application, day(365)), day(30));
        assert_eq!(ends(&offline, ClientKind::Application, day(365)), day(90));
        assert_eq!(ends(&offline, ClientKind::Agent, day(365)), day(30));
        assert_eq!(ends(&offline, ClientKind::Application, day(5)), day(5));
        assert_eq!((compute_idle_expiry(day(30), NOW), compute_idle_expiry(day(3), NOW)), (day(7), day(3)));
    }
}
