//! Redeeming a code: by the client it was given to, once, in time, and with what only that client knows.

use super::invalid_grant;
use crate::client_id::ClientId;
use crate::oauth::pkce::S256Challenge;
use crate::refusal::Refusal;
use crate::time::Timestamp;

/// What is known of a code that was presented.
#[derive(Clone, Copy, Debug)]
pub struct AuthorizationCodeFacts<'a> {
    /// The only client that may redeem it.
    pub client: &'a ClientId,
    /// Where it was sent.
    pub redirect_uri: &'a str,
    /// The SHA-256 of the verifier.
    pub challenge: S256Challenge,
    /// When it stops working.
    pub expires_at: Timestamp,
    /// When it was redeemed, if it was.
    pub spent_at: Option<Timestamp>,
}

/// How it was presented.
#[derive(Clone, Copy, Debug)]
pub struct AuthorizationCodeRedemption<'a> {
    /// By which client.
    pub client: &'a ClientId,
    /// With which redirect address, if one was repeated.
    pub redirect_uri: Option<&'a str>,
    /// With which verifier, if with one.
    pub verifier: Option<&'a str>,
}

/// Why a code is not redeemed. Outside all of them look alike; what follows from them does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuthorizationCodeRejection {
    /// It was given to another client. Whoever got hold of it must not be able to spoil it for that client.
    #[error("the code was given to another client")]
    AnothersCode,
    /// Its client redeemed it before, so it is in two hands.
    #[error("the code was redeemed before")]
    Replayed,
    /// It came too late.
    #[error("the code has expired")]
    Expired,
    /// The verifier is missing or not the one behind the challenge.
    #[error("the verifier is missing or wrong")]
    WrongVerifier,
    /// It was sent to another address.
    #[error("the redirect address is not the one the code was sent to")]
    WrongRedirect,
}

impl From<AuthorizationCodeRejection> for Refusal {
    fn from(refused: AuthorizationCodeRejection) -> Self {
        invalid_grant(refused.to_string())
    }
}

/// Whether the code may be redeemed. That it was redeemed before comes before its age: a replay is noticed
/// whenever it comes.
pub fn verify_authorization_code(
    code: &AuthorizationCodeFacts<'_>,
    shown: &AuthorizationCodeRedemption<'_>,
    now: Timestamp,
) -> Result<(), AuthorizationCodeRejection> {
    if code.client != shown.client {
        Err(AuthorizationCodeRejection::AnothersCode)
    } else if code.spent_at.is_some() {
        Err(AuthorizationCodeRejection::Replayed)
    } else if code.expires_at <= now {
        Err(AuthorizationCodeRejection::Expired)
    } else if !shown.verifier.is_some_and(|verifier| code.challenge.matches_verifier(verifier)) {
        Err(AuthorizationCodeRejection::WrongVerifier)
    } else if shown.redirect_uri.is_some_and(|uri| uri != code.redirect_uri) {
        Err(AuthorizationCodeRejection::WrongRedirect)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7636, appendix B.
    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    const NOW: Timestamp = Timestamp::from_seconds(1_000);

    #[test]
    fn authorization_code_checks_fail_in_a_fixed_order() {
        let (client, other): (ClientId, ClientId) = ("app".parse().unwrap(), "other".parse().unwrap());
        let code = AuthorizationCodeFacts {
            client: &client,
            redirect_uri: "https://app.example/cb",
            challenge: CHALLENGE.parse().unwrap(),
            expires_at: Timestamp::from_seconds(1_001),
            spent_at: None,
        };
        let right =
            AuthorizationCodeRedemption { client: &client, redirect_uri: None, verifier: Some(VERIFIER) };
        assert_eq!(verify_authorization_code(&code, &right, NOW), Ok(()));
        let repeated = AuthorizationCodeRedemption { redirect_uri: Some("https://app.example/cb"), ..right };
        assert_eq!(verify_authorization_code(&code, &repeated, NOW), Ok(()));

        let spent = AuthorizationCodeFacts { spent_at: Some(NOW), expires_at: NOW, ..code };
        let stranger = AuthorizationCodeRedemption { client: &other, ..right };
        assert_eq!(
            verify_authorization_code(&spent, &stranger, NOW),
            Err(AuthorizationCodeRejection::AnothersCode)
        );
        assert_eq!(
            verify_authorization_code(&spent, &AuthorizationCodeRedemption { verifier: None, ..right }, NOW),
            Err(AuthorizationCodeRejection::Replayed)
        );
        let late = AuthorizationCodeFacts { expires_at: NOW, ..code };
        assert_eq!(verify_authorization_code(&late, &right, NOW), Err(AuthorizationCodeRejection::Expired));
        for verifier in [None, Some(""), Some(CHALLENGE), Some(&VERIFIER.to_uppercase()[..])] {
            let shown = AuthorizationCodeRedemption { verifier, ..right };
            assert_eq!(
                verify_authorization_code(&code, &shown, NOW),
                Err(AuthorizationCodeRejection::WrongVerifier),
                "{verifier:?}"
            );
        }
        for uri in ["https://app.example/cb/", "https://app.example", "https://APP.example/cb"] {
            let shown = AuthorizationCodeRedemption { redirect_uri: Some(uri), ..right };
            assert_eq!(
                verify_authorization_code(&code, &shown, NOW),
                Err(AuthorizationCodeRejection::WrongRedirect),
                "{uri}"
            );
        }
    }
}
