//! Redeeming an authorization code: by its client, once, in time, with redirect URI and PKCE verifier.

use super::invalid_grant;
use crate::client_id::ClientId;
use crate::oauth::pkce::S256Challenge;
use crate::refusal::Refusal;
use crate::time::Timestamp;

/// The stored data of a presented code.
#[derive(Clone, Copy, Debug)]
pub struct AuthorizationCodeFacts<'a> {
    /// The client it was issued to.
    pub client: &'a ClientId,
    /// The redirect URI it was sent to.
    pub redirect_uri: &'a str,
    /// The PKCE challenge.
    pub challenge: S256Challenge,
    /// When it expires.
    pub expires_at: Timestamp,
    /// When it was redeemed; `None` if it was not.
    pub redeemed_at: Option<Timestamp>,
}

/// How the code was presented.
#[derive(Clone, Copy, Debug)]
pub struct AuthorizationCodeRedemption<'a> {
    /// The authenticated client.
    pub client: &'a ClientId,
    /// The redirect URI, if repeated.
    pub redirect_uri: Option<&'a str>,
    /// The PKCE verifier, if sent.
    pub verifier: Option<&'a str>,
}

/// Why a code is rejected. Clients see one error for all of them; the consequences differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuthorizationCodeRejection {
    /// It was issued to another client. The attempt must not invalidate it for that client.
    #[error("the code was issued to another client")]
    OtherClient,
    /// Its client redeemed it before, so it may have leaked.
    #[error("the code was redeemed before")]
    Replayed,
    /// It has expired.
    #[error("the code has expired")]
    Expired,
    /// The PKCE verifier is missing or wrong.
    #[error("the code_verifier is missing or wrong")]
    WrongVerifier,
    /// The redirect URI does not match.
    #[error("the redirect_uri is not the one that the code was sent to")]
    WrongRedirect,
}

impl From<AuthorizationCodeRejection> for Refusal {
    fn from(refused: AuthorizationCodeRejection) -> Self {
        invalid_grant(refused.to_string())
    }
}

/// Verifies that the code may be redeemed. Replay is checked before expiry, so that it is detected at any
/// time.
pub fn verify_authorization_code(
    code: &AuthorizationCodeFacts<'_>,
    code_redemption: &AuthorizationCodeRedemption<'_>,
    now: Timestamp,
) -> Result<(), AuthorizationCodeRejection> {
    if code.client != code_redemption.client {
        Err(AuthorizationCodeRejection::OtherClient)
    } else if code.redeemed_at.is_some() {
        Err(AuthorizationCodeRejection::Replayed)
    } else if code.expires_at <= now {
        Err(AuthorizationCodeRejection::Expired)
    } else if !code_redemption.verifier.is_some_and(|verifier| code.challenge.matches_verifier(verifier)) {
        Err(AuthorizationCodeRejection::WrongVerifier)
    } else if code_redemption.redirect_uri.is_some_and(|uri| uri != code.redirect_uri) {
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
            redeemed_at: None,
        };
        let code_redemption =
            AuthorizationCodeRedemption { client: &client, redirect_uri: None, verifier: Some(VERIFIER) };
        assert_eq!(verify_authorization_code(&code, &code_redemption, NOW), Ok(()));
        let repeated =
            AuthorizationCodeRedemption { redirect_uri: Some("https://app.example/cb"), ..code_redemption };
        assert_eq!(verify_authorization_code(&code, &repeated, NOW), Ok(()));

        let spent = AuthorizationCodeFacts { redeemed_at: Some(NOW), expires_at: NOW, ..code };
        let authorization_code_redemption = AuthorizationCodeRedemption { client: &other, ..code_redemption };
        assert_eq!(
            verify_authorization_code(&spent, &authorization_code_redemption, NOW),
            Err(AuthorizationCodeRejection::OtherClient)
        );
        assert_eq!(
            verify_authorization_code(
                &spent,
                &AuthorizationCodeRedemption { verifier: None, ..code_redemption },
                NOW
            ),
            Err(AuthorizationCodeRejection::Replayed)
        );
        let late = AuthorizationCodeFacts { expires_at: NOW, ..code };
        assert_eq!(
            verify_authorization_code(&late, &code_redemption, NOW),
            Err(AuthorizationCodeRejection::Expired)
        );
        for verifier in [None, Some(""), Some(CHALLENGE), Some(&VERIFIER.to_uppercase()[..])] {
            let authorization_code_redemption = AuthorizationCodeRedemption { verifier, ..code_redemption };
            assert_eq!(
                verify_authorization_code(&code, &authorization_code_redemption, NOW),
                Err(AuthorizationCodeRejection::WrongVerifier),
                "{verifier:?}"
            );
        }
        for uri in ["https://app.example/cb/", "https://app.example", "https://APP.example/cb"] {
            let authorization_code_redemption =
                AuthorizationCodeRedemption { redirect_uri: Some(uri), ..code_redemption };
            assert_eq!(
                verify_authorization_code(&code, &authorization_code_redemption, NOW),
                Err(AuthorizationCodeRejection::WrongRedirect),
                "{uri}"
            );
        }
    }
}
