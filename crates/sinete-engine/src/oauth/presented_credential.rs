//! How a credential is presented to our own APIs: as bearer, with a client certificate, or with a DPoP proof.

use crate::oauth::dpop;
use crate::oauth::dpop::DpopHeader;
use crate::oauth::mtls::ClientCertificate;
use crate::{Engine, Error};
use sinete_core::oauth::access_token::AccessTokenClaims;
use sinete_core::oauth::confirmation::{ConfirmationClaim, check_possession};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::access::AccessRefusal;

/// A presented credential.
#[derive(Clone, Debug)]
pub struct PresentedCredential<'a> {
    /// The token or key.
    pub text: &'a str,
    /// The client certificate of the connection, if any.
    pub certificate: Option<&'a ClientCertificate>,
    /// The scheme.
    pub scheme: CredentialScheme,
}

/// The authentication scheme.
#[derive(Clone, Debug)]
pub enum CredentialScheme {
    /// Bearer (RFC 6750).
    Bearer,
    /// DPoP with a proof (RFC 9449 §7.1).
    Dpop(DpopHeader),
    /// DPoP, verified at the start of a request that is still in progress.
    DpopVerified,
}

impl PresentedCredential<'_> {
    /// Whether it may be an unbound credential, such as an API key.
    pub(crate) const fn is_bearer(&self) -> bool {
        matches!(self.scheme, CredentialScheme::Bearer)
    }

    /// Verifies the binding of the token. A bound token must not be presented as bearer, nor the reverse:
    /// otherwise a thief could omit the proof.
    pub(crate) async fn verify_token_binding(
        &self,
        engine: &Engine,
        claims: &AccessTokenClaims,
    ) -> Result<(), Error> {
        let bound = claims.confirmation();
        let by_certificate = bound.and_then(ConfirmationClaim::certificate_only);
        let confirmation = by_certificate.as_ref().and(self.certificate).map(ClientCertificate::confirmation);
        check_possession(by_certificate.as_ref(), confirmation.as_ref())
            .map_err(|not_held| invalid_token(&not_held.to_string()))?;
        match (&self.scheme, bound.and_then(ConfirmationClaim::key)) {
            (CredentialScheme::Bearer, None) | (CredentialScheme::DpopVerified, Some(_)) => Ok(()),
            (CredentialScheme::Bearer, Some(_)) => {
                Err(invalid_token("the token is bound to a key, and possession of none was proven").into())
            }
            (CredentialScheme::Dpop(_) | CredentialScheme::DpopVerified, None) => {
                Err(invalid_token("the token is not bound to a key").into())
            }
            (CredentialScheme::Dpop(proof), Some(key)) => {
                dpop::verify_token_proof(engine, proof, self.text, claims.client(), key).await
            }
        }
    }
}

fn invalid_token(reason: &str) -> Refusal {
    Refusal::because(AccessRefusal::CredentialInvalid, reason)
}

impl<'a> From<&'a str> for PresentedCredential<'a> {
    /// A bearer credential without a certificate.
    fn from(text: &'a str) -> Self {
        Self { text, certificate: None, scheme: CredentialScheme::Bearer }
    }
}

impl<'a> From<&'a String> for PresentedCredential<'a> {
    fn from(text: &'a String) -> Self {
        Self::from(text.as_str())
    }
}
