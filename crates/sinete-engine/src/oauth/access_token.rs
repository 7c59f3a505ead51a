//! Access tokens in use: whether one counts at this moment, and what it may still do. A token is never stored,
//! so its signature is asked first and the database for everything it hangs on, each time anew.

pub(crate) use crate::oauth::cache::verified_jwt::VerifiedJwtCache;
use crate::oauth::cache::verified_jwt::cache_key;
use crate::{Engine, Failure};
use sinete_core::access_control::Authority;
use sinete_core::access_control::subject::{ActiveSubject, InactiveSubject};
use sinete_core::limits::{CACHED_JWT_BYTES_MAX, CLOCK_OFFSET_MAX};
use sinete_core::oauth::access_token::AccessTokenClaims;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::jwt;
use sinete_crypto::platform::jwt::{JwtExpectations, JwtRejection, JwtType};
use sinete_store::oauth::cache::api_catalog::ApiCatalogVersion;
use sinete_store::oauth::subject_state::access_token;
use sinete_store::oauth::subject_state::access_token::AccessTokenLookup;

/// A token that counts now.
#[derive(Clone, Debug)]
pub struct LiveAccessToken {
    /// What it says, as it was issued.
    pub claims: AccessTokenClaims,
    /// Proof that everything it hangs on is alive.
    pub subject: ActiveSubject,
    /// What its holder may do now, below what the token was issued for.
    pub authority: Authority,
    /// The version of the client it hangs on: what is cached of that client counts only at this one.
    pub client_version: Option<i64>,
    /// Which offer of APIs counts in its organization.
    pub api_catalog_version: ApiCatalogVersion,
}

/// Why a text is not a token that counts. The difference is for our log; outside all of them look alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InactiveTokenReason {
    /// It is not an access token of ours, or its time is over.
    #[error(transparent)]
    NotAToken(#[from] JwtRejection),
    /// Whoever it speaks for is not there any more.
    #[error("nobody holds the membership of the token")]
    SubjectMissing,
    /// Something that it hangs on is not alive.
    #[error(transparent)]
    SubjectInactive(#[from] InactiveSubject),
}

/// The token behind the text, if it counts at this moment.
pub async fn load_live_token(
    engine: &Engine,
    text: &str,
) -> Result<Result<LiveAccessToken, InactiveTokenReason>, Failure> {
    Ok(load_access_token(engine, text).await?.and_then(ParsedAccessToken::into_live_token))
}

/// A token of ours that has not expired, with what was read about it.
#[derive(Clone, Debug)]
pub(crate) struct ParsedAccessToken {
    /// What it says.
    pub(crate) claims: AccessTokenClaims,
    /// What it hangs on.
    pub(crate) token_subject: AccessTokenLookup,
}

/// Reads the token and what it hangs on, and judges nothing but the token itself.
pub(crate) async fn load_access_token(
    engine: &Engine,
    text: &str,
) -> Result<Result<ParsedAccessToken, InactiveTokenReason>, Failure> {
    let claims = match verify_access_token(engine, text) {
        Ok(claims) => claims,
        Err(reason) => return Ok(Err(reason.into())),
    };
    let of_token = access_token::load_access_token_subject(engine.store(), &claims, engine.now()).await?;
    Ok(of_token
        .map(|of_token| ParsedAccessToken { claims, token_subject: of_token })
        .ok_or(InactiveTokenReason::SubjectMissing))
}

/// The claims, if the text is an access token of ours whose time is not over.
pub(crate) fn verify_access_token(engine: &Engine, text: &str) -> Result<AccessTokenClaims, JwtRejection> {
    let (ring, now, kept) = (engine.key_ring(), engine.now(), &engine.shared.verified_jwt_cache);
    let shown = cache_key(text);
    let counts = |kid: &str| ring.published_keys(now).any(|key| key.kid() == kid);
    if let Some(claims) = kept.get(shown, now, counts) {
        return Ok(claims);
    }
    let expected = JwtExpectations {
        of_type: JwtType::Access,
        algorithms: &SigningAlgorithm::ALL,
        issuer: &engine.settings().issuer,
        audience: None,
        now,
        tolerance: CLOCK_OFFSET_MAX,
    };
    let (claims, key) = jwt::verify_jwt_with_key(text, ring.published_keys(now), &expected)?;
    let claims: AccessTokenClaims = claims.into_typed()?;
    // Another node's clock may be a little ahead of ours when it issues; that prolongs nothing.
    if claims.expires_at() <= now {
        return Err(JwtRejection::Expired);
    }
    // What is large because of what its holder put in it is not worth the memory.
    if text.len() <= CACHED_JWT_BYTES_MAX {
        kept.insert(shown, key.kid(), &claims, now);
    }
    Ok(claims)
}

impl ParsedAccessToken {
    /// The token, if everything it hangs on is alive.
    pub(crate) fn into_live_token(self) -> Result<LiveAccessToken, InactiveTokenReason> {
        let found = self.token_subject.found;
        let (client_version, offering) = (found.client_version, found.offering);
        let alive = found.standing.require_active()?;
        let authority = Authority::derive(&alive).narrow_to_ceiling(&self.claims.scope().permissions());
        Ok(LiveAccessToken {
            claims: self.claims,
            subject: alive,
            authority,
            client_version,
            api_catalog_version: offering,
        })
    }
}
