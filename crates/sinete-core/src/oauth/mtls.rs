//! Client authentication by certificate (RFC 8705 §2): matching of names, and the instance's policy.

pub mod distinguished_name;

use super::mtls::distinguished_name::{CertificateSubject, DistinguishedName};
use std::net::IpAddr;

/// Which client certificates an instance accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClientCertificatePolicy {
    /// None: connections do not request one.
    #[default]
    None,
    /// Registered self-signed certificates, and any certificate for token binding.
    Registered,
    /// Also certificates issued by one of the operator's CAs.
    CaIssued,
}

impl ClientCertificatePolicy {
    /// Whether certificates are accepted at all.
    pub const fn accepts_any(self) -> bool {
        match self {
            Self::None => false,
            Self::Registered | Self::CaIssued => true,
        }
    }
}

/// The one registered name of a client's certificate (RFC 8705 §2.1.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegisteredCertificateName {
    /// The subject DN.
    Subject(DistinguishedName),
    /// A DNS name.
    Dns(String),
    /// A URI.
    Uri(String),
    /// An IP address.
    Ip(IpAddr),
    /// An e-mail address.
    Email(String),
}

/// All names in a presented certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PresentedCertificateNames {
    /// The subject.
    pub subject: CertificateSubject,
    /// DNS names.
    pub dns: Vec<String>,
    /// URIs.
    pub uris: Vec<String>,
    /// IP addresses.
    pub addresses: Vec<IpAddr>,
    /// E-mail addresses.
    pub emails: Vec<String>,
}

impl PresentedCertificateNames {
    /// Whether the certificate contains this name. A wildcard matches only itself: the name identifies a
    /// client, not the hosts it may serve.
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
        for certificate_name in [
            RegisteredCertificateName::Dns("billing.example".to_owned()),
            RegisteredCertificateName::Uri("spiffe://example/billing".to_owned()),
            RegisteredCertificateName::Ip("192.0.2.1".parse().unwrap()),
            RegisteredCertificateName::Email("ops@example.com".to_owned()),
        ] {
            assert!(names.contains_name(&certificate_name), "{certificate_name:?}");
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
