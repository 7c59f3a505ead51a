//! Cache of access tokens with verified signatures. A valid signature stays valid, so it need not be verified
//! again for a token that is used often; everything else is checked each time.

use crate::oauth::cache::{BoundedCache, CacheKey};
use sinete_core::limits::{CLOCK_OFFSET_MAX, VERIFIED_JWTS_CACHED_MAX};
use sinete_core::oauth::access_token::AccessTokenClaims;
use sinete_core::time::Timestamp;

/// Access tokens with verified signatures.
///
/// - Holds: the claims, by the digest of the token.
/// - Confirmed by: the key ring, which must still publish the key; everything else is checked at each use.
/// - Dropped: when the token has expired and room is needed, and when the cache is full.
#[derive(Default)]
pub(crate) struct VerifiedJwtCache(BoundedCache<VerifiedJwt, VERIFIED_JWTS_CACHED_MAX>);

struct VerifiedJwt {
    kid: String,
    claims: AccessTokenClaims,
}

/// The cache key of a token.
pub(in crate::oauth) fn cache_key(text: &str) -> CacheKey {
    CacheKey::from_parts(&[text.as_bytes()])
}

impl VerifiedJwtCache {
    /// The claims of a token, if its signature was verified before and its key is still published. Expired
    /// tokens, and those not yet valid after a clock change, are left to the full verification.
    pub(in crate::oauth) fn get(
        &self,
        token: CacheKey,
        now: Timestamp,
        counts: impl FnOnce(&str) -> bool,
    ) -> Option<AccessTokenClaims> {
        let verified = self.0.get(token).filter(|it| is_within_lifetime(&it.claims, now))?;
        counts(&verified.kid).then(|| verified.claims.clone())
    }

    pub(in crate::oauth) fn insert(
        &self,
        token: CacheKey,
        kid: &str,
        claims: &AccessTokenClaims,
        now: Timestamp,
    ) {
        let verified = VerifiedJwt { kid: kid.to_owned(), claims: claims.clone() };
        self.0.insert_evicting(token, verified, |it| is_within_lifetime(&it.claims, now));
    }
}

fn is_within_lifetime(claims: &AccessTokenClaims, now: Timestamp) -> bool {
    claims.expires_at() > now && claims.issued_at() <= now.plus(CLOCK_OFFSET_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);

    fn claims(from: i64, to: i64) -> AccessTokenClaims {
        let id = "01920000-0000-7000-8000-000000000001";
        let claims_json = json!({
            "iss": "https://id.example", "sub": id, "aud": "https://api.example", "client_id": "app",
            "iat": NOW.seconds() + from, "exp": NOW.seconds() + to, "jti": format!("{id}.{}", "a".repeat(22)),
            "scope": "invoices:read", "org": id, "role": "member",
        });
        serde_json::from_value(claims_json).unwrap()
    }

    #[test]
    fn verified_jwt_cache_entry_is_valid_while_its_key_and_lifetime_are() {
        let jwt_cache = VerifiedJwtCache::default();
        let token = cache_key("a.b.c");
        jwt_cache.insert(token, "key", &claims(0, 60), NOW);
        assert_eq!(jwt_cache.get(token, NOW, |kid| kid == "key"), Some(claims(0, 60)));
        assert_eq!(jwt_cache.get(token, NOW, |kid| kid == "another"), None);
        assert_eq!(jwt_cache.get(cache_key("a.b.d"), NOW, |_| true), None);
        assert_eq!(jwt_cache.get(token, claims(0, 60).expires_at(), |_| true), None);
        assert_eq!(jwt_cache.get(token, Timestamp::from_seconds(NOW.seconds() - 3600), |_| true), None);
    }

    #[test]
    fn verified_jwt_cache_is_bounded_and_evicts_expired_entries_first() {
        let jwt_cache = VerifiedJwtCache::default();
        let of = |number: usize| cache_key(&number.to_string());
        for number in 0..VERIFIED_JWTS_CACHED_MAX {
            jwt_cache.insert(of(number), "key", &claims(0, if number == 7 { 3600 } else { 60 }), NOW);
        }
        let later = claims(0, 60).expires_at();
        jwt_cache.insert(of(VERIFIED_JWTS_CACHED_MAX), "key", &claims(0, 3600), later);
        for (number, is_kept) in [(0, false), (7, true), (VERIFIED_JWTS_CACHED_MAX, true)] {
            assert_eq!(jwt_cache.get(of(number), later, |_| true).is_some(), is_kept, "{number}");
        }
        for number in 0..2 * VERIFIED_JWTS_CACHED_MAX {
            jwt_cache.insert(of(number), "key", &claims(0, 3600), later);
        }
        let cached_numbers = (0..2 * VERIFIED_JWTS_CACHED_MAX)
            .filter(|number| jwt_cache.get(of(*number), later, |_| true).is_some());
        assert!(cached_numbers.count() <= VERIFIED_JWTS_CACHED_MAX);
    }
}
