//! Access tokens: whether one is active now, and its current authority. A token is never stored, so its
//! signature is verified first, and then everything it depends on is read from the database, each time.

pub(crate) use crate::oauth::cache::verified_jwt::VerifiedJwtCache;
use crate::oauth::cache::verified_jwt::cache_key;
use crate::{Engine, Error, Failure};
use sinete_core::access_control::Authority;
use sinete_core::access_control::subject::{ActiveSubject, InactiveSubject};
use sinete_core::limits::{CACHED_JWT_BYTES_MAX, CLOCK_OFFSET_MAX};
use sinete_core::oauth::access_token::AccessTokenClaims;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::refusal::Refusal;
use sinete_crypto::platform::jwt;
use sinete_crypto::platform::jwt::{JwtExpectations, JwtRejection, JwtType};
use sinete_store::oauth::subject_state::access_token;
use sinete_store::oauth::subject_state::access_token::AccessTokenLookup;
use sinete_store::organizations::api_catalog::ApiCatalogVersion;

/// An active access token.
#[derive(Clone, Debug)]
pub struct LiveAccessToken {
    /// The claims, as issued.
    pub claims: AccessTokenClaims,
    /// Proof that everything it depends on is active.
    pub subject: ActiveSubject,
    /// The holder's current authority, limited by the token.
    pub authority: Authority,
    /// The version of its client: a cached client is valid only at this version.
    pub client_version: Option<i64>,
    /// The version of the API catalog of its organization.
    pub api_catalog_version: ApiCatalogVersion,
}

/// Why an access token is inactive. The reason is only for our log; clients see one error for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InactiveTokenReason {
    /// It is not an access token of ours, or has expired.
    #[error(transparent)]
    NotAToken(#[from] JwtRejection),
    /// The subject no longer exists.
    #[error("the membership of the token has no holder")]
    SubjectMissing,
    /// Something it depends on is inactive.
    #[error(transparent)]
    SubjectInactive(#[from] InactiveSubject),
}

/// Why no token is loaded.
#[derive(Debug)]
pub enum AccessTokenError {
    /// The token is not active.
    Inactive(InactiveTokenReason),
    /// An internal failure.
    Failed(Failure),
}

impl AccessTokenError {
    /// Converts it to the error of a use case, with this refusal for an inactive token.
    pub(crate) fn into_error(self, refuse: impl FnOnce(InactiveTokenReason) -> Refusal) -> Error {
        match self {
            Self::Inactive(reason) => refuse(reason).into(),
            Self::Failed(failure) => failure.into(),
        }
    }
}

impl From<InactiveTokenReason> for AccessTokenError {
    fn from(reason: InactiveTokenReason) -> Self {
        Self::Inactive(reason)
    }
}

impl<E: Into<Failure>> From<E> for AccessTokenError {
    fn from(failure: E) -> Self {
        Self::Failed(failure.into())
    }
}

/// Loads the token, if it is active now.
pub async fn load_active_token(engine: &Engine, text: &str) -> Result<LiveAccessToken, AccessTokenError> {
    Ok(load_access_token(engine, text).await?.into_active_token()?)
}

/// A valid access token that has not expired, with what was read about it.
#[derive(Clone, Debug)]
pub(crate) struct ParsedAccessToken {
    /// The claims.
    pub(crate) claims: AccessTokenClaims,
    /// What it depends on.
    pub(crate) token_subject: AccessTokenLookup,
}

/// Verifies the token and loads what it depends on, without checking that.
pub(crate) async fn load_access_token(
    engine: &Engine,
    text: &str,
) -> Result<ParsedAccessToken, AccessTokenError> {
    let claims = verify_access_token(engine, text).map_err(InactiveTokenReason::from)?;
    let of_token = access_token::load_access_token_subject(engine.store(), &claims, engine.now()).await?;
    Ok(of_token
        .map(|of_token| ParsedAccessToken { claims, token_subject: of_token })
        .ok_or(InactiveTokenReason::SubjectMissing)?)
}

/// Verifies the text as an access token of ours that has not expired.
pub(crate) fn verify_access_token(engine: &Engine, text: &str) -> Result<AccessTokenClaims, JwtRejection> {
    let (ring, now, jwt_cache) = (engine.key_ring(), engine.now(), &engine.shared.verified_jwt_cache);
    let entry_key = cache_key(text);
    let counts = |kid: &str| ring.published_keys(now).any(|key| key.kid() == kid);
    if let Some(claims) = jwt_cache.get(entry_key, now, counts) {
        return Ok(claims);
    }
    let expected = JwtExpectations {
        typ: JwtType::Access,
        algorithms: &SigningAlgorithm::ALL,
        issuer: &engine.settings().issuer,
        audience: None,
        now,
        tolerance: CLOCK_OFFSET_MAX,
    };
    let (claims, key) = jwt::verify_jwt_with_key(text, ring.published_keys(now), &expected)?;
    let claims: AccessTokenClaims = claims.into_typed()?;
    // `iat` may be slightly in the future because of clock differences between nodes; `exp` has no leeway.
    if claims.expires_at() <= now {
        return Err(JwtRejection::Expired);
    }
    // Large tokens are not cached.
    if text.len() <= CACHED_JWT_BYTES_MAX {
        jwt_cache.insert(entry_key, key.kid(), &claims, now);
    }
    Ok(claims)
}

impl ParsedAccessToken {
    /// Converts it to an active token, if everything it depends on is active.
    pub(crate) fn into_active_token(self) -> Result<LiveAccessToken, InactiveTokenReason> {
        let snapshot = self.token_subject.snapshot;
        let (client_version, offering) = (snapshot.client_version, snapshot.api_catalog_version);
        let subject = snapshot.state.require_active()?;
        let authority =
            Authority::derive(&subject).narrow_to_ceiling(&self.claims.combine_scope().permissions());
        Ok(LiveAccessToken {
            claims: self.claims,
            subject,
            authority,
            client_version,
            api_catalog_version: offering,
        })
    }
}
