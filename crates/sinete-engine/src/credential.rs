//! How a credential is shown to our own APIs: by itself, over a connection with a certificate, or beside a proof that its
//! key is held.

use crate::certificates::Certificate;
use crate::key_proofs::{self, ShownProof};
use crate::{Engine, Failed};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::token::access::AccessClaims;
use sinete_core::token::confirmation::{Confirmation, must_hold};

/// A credential as it was shown.
#[derive(Clone, Debug)]
pub struct Credential<'a> {
    /// The text.
    pub text: &'a str,
    /// The certificate, where the connection showed one.
    pub certificate: Option<&'a Certificate>,
    /// What it says it is.
    pub scheme: Scheme,
}

/// What a credential is shown as.
#[derive(Clone, Debug)]
pub enum Scheme {
    /// As one that counts for whoever bears it (RFC 6750).
    Bearer,
    /// As one that is bound to a key, beside a proof that it is held (RFC 9449 §7.1).
    Proven(ShownProof),
    /// As one that is bound to a key, which was proven to be held when the request began that still goes on.
    ProvenBefore,
}

impl Credential<'_> {
    /// Whether it may be a text that is bound to nothing, as long-lived keys are.
    pub(crate) const fn is_bearer(&self) -> bool {
        matches!(self.scheme, Scheme::Bearer)
    }

    /// Whether whoever shows it holds everything that it is bound to. A token that is bound to a key is never shown as one
    /// that is not, nor the other way round: whoever stole it could leave the proof out.
    pub(crate) async fn must_hold(
        &self,
        engine: &Engine,
        claims: &AccessClaims,
    ) -> Result<Result<(), Refusal>, Failed> {
        let bound = claims.confirmation();
        let by_certificate = bound.and_then(Confirmation::only_certificate);
        let shown = by_certificate.as_ref().and(self.certificate).map(Certificate::confirmation);
        if let Err(not_held) = must_hold(by_certificate.as_ref(), shown.as_ref()) {
            return Ok(Err(unknown(&not_held.to_string())));
        }
        match (&self.scheme, bound.and_then(Confirmation::key)) {
            (Scheme::Bearer, None) | (Scheme::ProvenBefore, Some(_)) => Ok(Ok(())),
            (Scheme::Bearer, Some(_)) => {
                Ok(Err(unknown("the token is bound to a key, and none was proven to be held")))
            }
            (Scheme::Proven(_) | Scheme::ProvenBefore, None) => {
                Ok(Err(unknown("the token is bound to no key")))
            }
            (Scheme::Proven(proof), Some(key)) => {
                key_proofs::must_be_held(engine, proof, self.text, (claims.client(), key)).await
            }
        }
    }
}

fn unknown(reason: &str) -> Refusal {
    Refusal::new(RefusalCode::InvalidToken, "the credential is unknown, revoked or expired", reason)
}

impl<'a> From<&'a str> for Credential<'a> {
    /// A bearer's, over a connection without a certificate.
    fn from(text: &'a str) -> Self {
        Self { text, certificate: None, scheme: Scheme::Bearer }
    }
}

impl<'a> From<&'a String> for Credential<'a> {
    fn from(text: &'a String) -> Self {
        Self::from(text.as_str())
    }
}
