//! Certificates of clients (RFC 8705): where connections are asked for them, whose word about them counts, and how a
//! credential is shown together with one.

pub use sinete_crypto::certificate::{Authorities, Certificate, NoAuthorities, NotACertificate};

use sinete_core::client::certificate::CertificatesTaken;
use sinete_core::token::confirmation::{Confirmation, NotHeld, must_hold};
use std::sync::Arc;

/// How certificates of clients are taken.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The address at which connections are asked for one, without a slash at its end.
    pub address: String,
    /// Whose word about them counts; nobody's, where clients register their own.
    pub authorities: Option<Arc<Authorities>>,
}

impl Settings {
    /// How far certificates are taken.
    pub const fn taken(&self) -> CertificatesTaken {
        match self.authorities {
            Some(_) => CertificatesTaken::Vouched,
            None => CertificatesTaken::Registered,
        }
    }
}

/// A credential as it was shown, with the certificate of the connection it came over.
#[derive(Clone, Copy, Debug)]
pub struct Bearer<'a> {
    /// The credential.
    pub text: &'a str,
    /// The certificate, where the connection showed one.
    pub certificate: Option<&'a Certificate>,
}

impl Bearer<'_> {
    /// Whether whoever shows it may use a token with this binding.
    pub(crate) fn must_hold(&self, bound: Option<&Confirmation>) -> Result<(), NotHeld> {
        let shown = bound.and(self.certificate).map(Certificate::confirmation);
        must_hold(bound, shown.as_ref())
    }
}

impl<'a> From<&'a str> for Bearer<'a> {
    /// A credential that came over a connection without a certificate.
    fn from(text: &'a str) -> Self {
        Self { text, certificate: None }
    }
}

impl<'a> From<&'a String> for Bearer<'a> {
    fn from(text: &'a String) -> Self {
        Self::from(text.as_str())
    }
}
