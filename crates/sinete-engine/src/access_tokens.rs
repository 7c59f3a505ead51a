//! Access tokens in use: whether one counts at this moment, and what it may still do. A token is never stored,
//! so its signature is asked first and the database for everything it hangs on, each time anew.

mod verified;

use crate::{Engine, Failure};
use sinete_core::authority::Authority;
use sinete_core::limits::{CLOCK_OFFSET_MAX, KEPT_TOKEN_BYTES_MAX};
use sinete_core::people::{ActiveSubject, InactiveSubject};
use sinete_core::signing::SigningAlgorithm;
use sinete_core::token::access::AccessTokenClaims;
use sinete_crypto::jwt::{self, JwtExpectations, JwtRejection, JwtType};
use sinete_store::offered::ApiCatalogVersion;
use sinete_store::standing::token::{self, AccessTokenLookup};
pub(crate) use verified::VerifiedJwtCache;
use verified::fingerprint;

/// A token that counts now.
#[derive(Clone, Debug)]
pub struct LiveAccessToken {
    /// What it says, as it was issued.
    pub claims: AccessTokenClaims,
    /// Proof that everything it hangs on is alive.
    pub alive: ActiveSubject,
    /// What its holder may do now, below what the token was issued for.
    pub authority: Authority,
    /// The version of the client it hangs on: what is cached of that client counts only at this one.
    pub client_version: Option<i64>,
    /// Which offer of APIs counts in its organization.
    pub offering: ApiCatalogVersion,
}

/// Why a text is not a token that counts. The difference is for our log; outside all of them look alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InactiveTokenReason {
    /// It is not an access token of ours, or its time is over.
    #[error(transparent)]
    NotAToken(#[from] JwtRejection),
    /// Whoever it speaks for is not there any more.
    #[error("nobody holds the membership of the token")]
    Nobody,
    /// Something that it hangs on is not alive.
    #[error(transparent)]
    Lifeless(#[from] InactiveSubject),
}

/// The token behind the text, if it counts at this moment.
pub async fn read(
    engine: &Engine,
    text: &str,
) -> Result<Result<LiveAccessToken, InactiveTokenReason>, Failure> {
    Ok(examine(engine, text).await?.and_then(ParsedAccessToken::live))
}

/// A token of ours that has not expired, with what was read about it.
#[derive(Clone, Debug)]
pub(crate) struct ParsedAccessToken {
    /// What it says.
    pub(crate) claims: AccessTokenClaims,
    /// What it hangs on.
    pub(crate) of_token: AccessTokenLookup,
}

/// Reads the token and what it hangs on, and judges nothing but the token itself.
pub(crate) async fn examine(
    engine: &Engine,
    text: &str,
) -> Result<Result<ParsedAccessToken, InactiveTokenReason>, Failure> {
    let claims = match verify(engine, text) {
        Ok(claims) => claims,
        Err(reason) => return Ok(Err(reason.into())),
    };
    let of_token = token::of_token(engine.store(), &claims, engine.now()).await?;
    Ok(of_token.map(|of_token| ParsedAccessToken { claims, of_token }).ok_or(InactiveTokenReason::Nobody))
}

/// The claims, if the text is an access token of ours whose time is not over.
pub(crate) fn verify(engine: &Engine, text: &str) -> Result<AccessTokenClaims, JwtRejection> {
    let (ring, now, kept) = (engine.keys(), engine.now(), &engine.shared.verified_tokens);
    let shown = fingerprint(text);
    let counts = |kid: &str| ring.published(now).any(|key| key.kid() == kid);
    if let Some(claims) = kept.find(shown, now, counts) {
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
    let (claims, key) = jwt::verify_and_name(text, ring.published(now), &expected)?;
    let claims: AccessTokenClaims = claims.read()?;
    // Another node's clock may be a little ahead of ours when it issues; that prolongs nothing.
    if claims.expires_at() <= now {
        return Err(JwtRejection::Expired);
    }
    // What is large because of what its holder put in it is not worth the memory.
    if text.len() <= KEPT_TOKEN_BYTES_MAX {
        kept.keep(shown, key.kid(), &claims, now);
    }
    Ok(claims)
}

impl ParsedAccessToken {
    /// The token, if everything it hangs on is alive.
    pub(crate) fn live(self) -> Result<LiveAccessToken, InactiveTokenReason> {
        let found = self.of_token.found;
        let (client_version, offering) = (found.client_version, found.offering);
        let alive = found.standing.alive()?;
        let authority = Authority::of(&alive).below(&self.claims.scope().permissions());
        Ok(LiveAccessToken { claims: self.claims, alive, authority, client_version, offering })
    }
}
