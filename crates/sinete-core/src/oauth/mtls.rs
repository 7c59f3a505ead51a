//! Clients that prove themselves with the certificate of their connection (RFC 8705 §2): which names in it are theirs,
//! and how far an instance takes such proofs.

pub mod distinguished_name;

use super::mtls::distinguished_name::{CertificateSubject, DistinguishedName};
use std::net::IpAddr;

/// How far an instance takes certificates of clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClientCertificatePolicy {
    /// Not at all: no connection shows one.
    #[default]
    None,
    /// Those that clients registered, and as what tokens are bound to.
    Registered,
    /// Those that an authority of the operator's vouches for, too.
    Vouched,
}

impl ClientCertificatePolicy {
    /// Whether any is taken.
    pub const fn accepts_any(self) -> bool {
        match self {
            Self::None => false,
            Self::Registered | Self::Vouched => true,
        }
    }
}

/// The one name by which a client's certificate is known (RFC 8705 §2.1.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegisteredCertificateName {
    /// Its whole subject.
    Subject(DistinguishedName),
    /// A name of the DNS.
    Dns(String),
    /// An address of any scheme.
    Uri(String),
    /// A network address.
    Ip(IpAddr),
    /// A mail address.
    Email(String),
}

/// Every name in a certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PresentedCertificateNames {
    /// Its subject.
    pub subject: CertificateSubject,
    /// Names of the DNS.
    pub dns: Vec<String>,
    /// Addresses of any scheme.
    pub uris: Vec<String>,
    /// Network addresses.
    pub addresses: Vec<IpAddr>,
    /// Mail addresses.
    pub emails: Vec<String>,
}

impl PresentedCertificateNames {
    /// Whether the certificate carries this name. A name with a star in it stands for itself and no other: what counts
    /// is who somebody is, not whom they may answer for.
    pub fn contains_name(&self, name: &RegisteredCertificateName) -> bool {
        match name {
            RegisteredCertificateName::Subject(expected) => expected.matches_subject(&self.subject),
            RegisteredCertificateName::Dns(expected) => {
                self.dns.iter().any(|it| it.eq_ignore_ascii_case(expected))
            }
            RegisteredCertificateName::Uri(expected) => self.uris.contains(expected),
            RegisteredCertificateName::Ip(expected) => self.addresses.contains(expected),
            RegisteredCertificateName::Email(expected) => self.emails.contains(expected),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tls_client_auth_name_matches_only_its_own_san_type() {
        let names = PresentedCertificateNames {
            dns: vec!["Billing.example".to_owned(), "*.example".to_owned()],
            uris: vec!["spiffe://example/billing".to_owned()],
            addresses: vec!["192.0.2.1".parse().unwrap()],
            emails: vec!["ops@example.com".to_owned()],
            ..PresentedCertificateNames::default()
        };
        for carried in [
            RegisteredCertificateName::Dns("billing.example".to_owned()),
            RegisteredCertificateName::Uri("spiffe://example/billing".to_owned()),
            RegisteredCertificateName::Ip("192.0.2.1".parse().unwrap()),
            RegisteredCertificateName::Email("ops@example.com".to_owned()),
        ] {
            assert!(names.contains_name(&carried), "{carried:?}");
        }
        for foreign in [
            RegisteredCertificateName::Dns("mail.example".to_owned()),
            RegisteredCertificateName::Dns("192.0.2.1".to_owned()),
            RegisteredCertificateName::Uri("billing.example".to_owned()),
            RegisteredCertificateName::Uri("spiffe://example/Billing".to_owned()),
            RegisteredCertificateName::Ip("192.0.2.2".parse().unwrap()),
            RegisteredCertificateName::Email("ops@EXAMPLE.com".to_owned()),
            RegisteredCertificateName::Subject("CN=billing.example".parse().unwrap()),
        ] {
            assert!(!names.contains_name(&foreign), "{foreign:?}");
        }
    }
}
