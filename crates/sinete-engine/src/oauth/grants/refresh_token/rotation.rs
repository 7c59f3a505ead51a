//! The rotation of a refresh token: which token follows it, and the statement that stores that.

use crate::Engine;
use crate::oauth::token::TokenRequestContext;
use sinete_core::events::security_event::EventKind;
use sinete_core::oauth::grants::refresh_token::compute_idle_expiry;
use sinete_core::oauth::security_profile;
use sinete_core::secret::{RefreshTokenDigests, RefreshTokenSecret};
use sinete_core::time::Timestamp;
use sinete_crypto::platform::mac::MacPurpose;
use sinete_store::GuardedStatement;
use sinete_store::oauth::refresh_tokens;
use sinete_store::oauth::refresh_tokens::SuccessorRefreshToken;

/// The next refresh token, and the statements that store it.
pub(super) struct RefreshTokenRotation {
    pub(super) next: RefreshTokenSecret,
    pub(super) digests: RefreshTokenDigests,
    pub(super) statement: GuardedStatement,
    pub(super) kind: EventKind,
}

impl RefreshTokenRotation {
    pub(super) fn new(
        engine: &Engine,
        context: &TokenRequestContext<'_>,
        refresh_token: &RefreshTokenSecret,
        presented_digests: &RefreshTokenDigests,
        is_bound: bool,
        expires_at: Timestamp,
    ) -> Self {
        let (client, now) = (context.client.id(), context.now);
        let idle_expires_at = compute_idle_expiry(expires_at, now);
        match context.client.client.metadata.security_profile.refresh_rotation_policy() {
            security_profile::RefreshRotationPolicy::Stays => {
                let step =
                    refresh_tokens::reuse_refresh_token(presented_digests, client, idle_expires_at, now);
                let (next, kind) = (refresh_token.duplicate(), EventKind::RefreshTokenUsed);
                Self { next, digests: *presented_digests, statement: step, kind }
            }
            security_profile::RefreshRotationPolicy::Rotates => {
                let derived = is_bound.then(|| derive_successors(engine, refresh_token).next()).flatten();
                let next = derived.unwrap_or_else(|| refresh_token.mint_successor(engine.entropy()));
                let digests = next.digests();
                let successor = SuccessorRefreshToken { digest: &digests.token, idle_expires_at };
                let step = refresh_tokens::rotate_refresh_token(presented_digests, client, &successor, now);
                Self { next, digests, statement: step, kind: EventKind::RefreshTokenRotated }
            }
        }
    }

    /// Returns the unused successor once more, if it is still unused.
    pub(super) fn reuse_successor(
        context: &TokenRequestContext<'_>,
        unused: RefreshTokenSecret,
        expires_at: Timestamp,
    ) -> Self {
        let (client, now, digests) = (context.client.id(), context.now, unused.digests());
        let idle_expires_at = compute_idle_expiry(expires_at, now);
        let statement = refresh_tokens::reuse_refresh_token(&digests, client, idle_expires_at, now);
        Self { next: unused, digests, statement, kind: EventKind::RefreshTokenUsed }
    }
}

/// The successors of a token that is bound to a key: one for each instance key, the current one first.
pub(super) fn derive_successors(
    engine: &Engine,
    refresh_token: &RefreshTokenSecret,
) -> impl Iterator<Item = RefreshTokenSecret> {
    let keys = engine.instance_keys();
    let count = 1 + keys.previous().len();
    (0..count).map(move |index| {
        refresh_token.derive_successor(|bytes| {
            let derived = keys.derive_bytes(MacPurpose::RefreshTokenSuccessor, &[bytes]).nth(index);
            derived.unwrap_or_default()
        })
    })
}
