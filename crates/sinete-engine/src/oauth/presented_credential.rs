//! How a credential is shown to our own APIs: by itself, over a connection with a certificate, or beside a proof that its
//! key is held.

use crate::oauth::dpop;
use crate::oauth::dpop::DpopHeader;
use crate::oauth::mtls::ClientCertificate;
use crate::{Engine, Failure};
use sinete_core::oauth::access_token::AccessTokenClaims;
use sinete_core::oauth::confirmation::{ConfirmationClaim, check_possession};
use sinete_core::refusal::{Refusal, RefusalCode};

/// A credential as it was shown.
#[derive(Clone, Debug)]
pub struct PresentedCredential<'a> {
    /// The text.
    pub text: &'a str,
    /// The certificate, where the connection showed one.
    pub certificate: Option<&'a ClientCertificate>,
    /// What it says it is.
    pub scheme: CredentialScheme,
}

/// What a credential is shown as.
#[derive(Clone, Debug)]
pub enum CredentialScheme {
    /// As one that counts for whoever bears it (RFC 6750).
    Bearer,
    /// As one that is bound to a key, beside a proof that it is held (RFC 9449 §7.1).
    Dpop(DpopHeader),
    /// As one that is bound to a key, which was proven to be held when the request began that still goes on.
    DpopVerified,
}

impl PresentedCredential<'_> {
    /// Whether it may be a text that is bound to nothing, as long-lived keys are.
    pub(crate) const fn is_bearer(&self) -> bool {
        matches!(self.scheme, CredentialScheme::Bearer)
    }

    /// Whether whoever shows it holds everything that it is bound to. A token that is bound to a key is never shown as one
    /// that is not, nor the other way round: whoever stole it could leave the proof out.
    pub(crate) async fn verify_token_binding(
        &self,
        engine: &Engine,
        claims: &AccessTokenClaims,
    ) -> Result<Result<(), Refusal>, Failure> {
        let bound = claims.confirmation();
        let by_certificate = bound.and_then(ConfirmationClaim::certificate_only);
        let shown = by_certificate.as_ref().and(self.certificate).map(ClientCertificate::confirmation);
        if let Err(not_held) = check_possession(by_certificate.as_ref(), shown.as_ref()) {
            return Ok(Err(invalid_token(&not_held.to_string())));
        }
        match (&self.scheme, bound.and_then(ConfirmationClaim::key)) {
            (CredentialScheme::Bearer, None) | (CredentialScheme::DpopVerified, Some(_)) => Ok(Ok(())),
            (CredentialScheme::Bearer, Some(_)) => {
                Ok(Err(invalid_token("the token is bound to a key, and none was proven to be held")))
            }
            (CredentialScheme::Dpop(_) | CredentialScheme::DpopVerified, None) => {
                Ok(Err(invalid_token("the token is bound to no key")))
            }
            (CredentialScheme::Dpop(proof), Some(key)) => {
                dpop::verify_token_proof(engine, proof, self.text, (claims.client(), key)).await
            }
        }
    }
}

fn invalid_token(reason: &str) -> Refusal {
    Refusal::new(RefusalCode::InvalidToken, "the credential is unknown, revoked or expired", reason)
}

impl<'a> From<&'a str> for PresentedCredential<'a> {
    /// A bearer's, over a connection without a certificate.
    fn from(text: &'a str) -> Self {
        Self { text, certificate: None, scheme: CredentialScheme::Bearer }
    }
}

impl<'a> From<&'a String> for PresentedCredential<'a> {
    fn from(text: &'a String) -> Self {
        Self::from(text.as_str())
    }
}
