//! Extracts the names from a certificate.

use sinete_core::oauth::mtls::PresentedCertificateNames;
use sinete_core::oauth::mtls::distinguished_name::{CertificateSubject, CertificateSubjectAttribute};
use std::net::IpAddr;
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;
use x509_parser::x509::{AttributeTypeAndValue, X509Name};

pub(super) fn extract_names(certificate: &X509Certificate<'_>) -> PresentedCertificateNames {
    let mut names = PresentedCertificateNames {
        subject: extract_subject(certificate.subject()),
        ..PresentedCertificateNames::default()
    };
    // A duplicate extension is ignored.
    let alternatives = certificate.subject_alternative_name().ok().flatten();
    for name in alternatives.iter().flat_map(|it| &it.value.general_names) {
        match name {
            GeneralName::DNSName(name) => names.dns.push((*name).to_owned()),
            GeneralName::URI(uri) => names.uris.push((*uri).to_owned()),
            GeneralName::RFC822Name(email) => names.emails.push((*email).to_owned()),
            GeneralName::IPAddress(bytes) => names.addresses.extend(parse_address(bytes)),
            GeneralName::OtherName(..)
            | GeneralName::X400Address(_)
            | GeneralName::DirectoryName(_)
            | GeneralName::EDIPartyName(_)
            | GeneralName::RegisteredID(_)
            | GeneralName::Invalid(..) => {}
        }
    }
    names
}

fn parse_address(bytes: &[u8]) -> Option<IpAddr> {
    let four = <[u8; 4]>::try_from(bytes).map(IpAddr::from).ok();
    four.or_else(|| <[u8; 16]>::try_from(bytes).map(IpAddr::from).ok())
}

fn extract_subject(name: &X509Name<'_>) -> CertificateSubject {
    CertificateSubject(name.iter_rdn().map(|part| part.iter().map(extract_attribute).collect()).collect())
}

fn extract_attribute(and_value: &AttributeTypeAndValue<'_>) -> CertificateSubjectAttribute {
    CertificateSubjectAttribute {
        kind: and_value.attr_type().to_id_string(),
        text: and_value.as_str().ok().map(str::to_owned),
        encoded: encode_value(and_value),
    }
}

/// The DER encoding of a value. Values in names are short and primitive, so the tag takes one byte and the
/// length a few; other values never match.
fn encode_value(and_value: &AttributeTypeAndValue<'_>) -> Vec<u8> {
    let (tag, value) = (and_value.attr_value().tag().0, and_value.as_slice());
    let (Ok(tag), length) = (u8::try_from(tag), value.len()) else { return Vec::new() };
    let head = match (u8::try_from(length), u16::try_from(length)) {
        (Ok(short), _) if short < 0x80 => vec![tag, short],
        (Ok(byte), _) => vec![tag, 0x81, byte],
        (Err(_), Ok(two)) => [vec![tag, 0x82], two.to_be_bytes().to_vec()].concat(),
        (Err(_), Err(_)) => return Vec::new(),
    };
    [&head, value].concat()
}
