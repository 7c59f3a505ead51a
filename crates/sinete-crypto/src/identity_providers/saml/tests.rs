//! Documents signed by another implementation, with keys that no longer exist.

use super::*;
use sinete_core::identity_providers::saml::response::{
    SamlResponseExpectations, SamlResponseRejection, VerifiedSamlAssertion, verify_saml_response,
};
use sinete_core::identity_providers::saml::settings::SamlConnectionSettings;
use sinete_core::identity_providers::saml::signature::XmlSignatureRejection;

const RSA: &str = include_str!("fixtures/rsa.crt");
const P256: &str = include_str!("fixtures/p256.crt");
const P384: &str = include_str!("fixtures/p384.crt");
const SMALL: &str = include_str!("fixtures/small.crt");
/// 2025-11-15T12:00:30Z.
const NOW: Timestamp = Timestamp::from_seconds(1_763_208_030);

const SIGNED: [(&str, &str, &str); 7] = [
    ("an assertion with RSA and SHA-256", RSA, include_str!("fixtures/assertion_rsa256.xml")),
    ("an assertion with RSA and SHA-512", RSA, include_str!("fixtures/assertion_rsa512.xml")),
    ("an assertion with named prefixes", RSA, include_str!("fixtures/assertion_prefixes.xml")),
    ("a response with RSA and SHA-256", RSA, include_str!("fixtures/response_rsa256.xml")),
    ("both with RSA and SHA-256", RSA, include_str!("fixtures/both_rsa256.xml")),
    ("an assertion on P-256", P256, include_str!("fixtures/assertion_p256.xml")),
    ("a response on P-384", P384, include_str!("fixtures/response_p384.xml")),
];

fn believed(xml: &str, certificate: &str) -> Result<VerifiedSamlAssertion, SamlResponseRejection> {
    let certificate = SamlSigningCertificate::parse_pem(certificate).unwrap();
    let settings: SamlConnectionSettings = serde_json::from_value(serde_json::json!({
        "sso_url": "https://idp.example/sso", "certificates": ["x"], "email": "mail", "full_name": "displayName",
    }))
    .unwrap();
    let expected = SamlResponseExpectations {
        entity_id: "https://idp.example/saml",
        sp_entity_id: "https://id.example/sign-in/provider/1/metadata",
        callback: "https://id.example/sign-in/provider/1",
        request: "_request1",
        settings: &settings,
        external_id: None,
        now: NOW,
    };
    verify_saml_response(xml.as_bytes(), &expected, &|method, message, signature| {
        certificate.verify_signature(method, message, signature)
    })
}

#[test]
fn saml_response_signed_by_another_implementation_verifies() {
    for (name, certificate, xml) in SIGNED {
        let believed = believed(xml, certificate).unwrap_or_else(|rejection| panic!("{name}: {rejection}"));
        assert_eq!(believed.claims.subject, "ana & 7", "{name}");
        assert_eq!(believed.claims.verified_email.unwrap().as_str(), "ana@acme.example");
        assert_eq!(believed.claims.name.as_deref(), Some("Ana <Łuczak> \"tab\t\""));
        assert_eq!(believed.assertion, "_assertion1");
    }
}

#[test]
fn saml_response_with_another_certificate_is_rejected() {
    for (name, own_certificate, xml) in SIGNED {
        for other in [RSA, P256, P384].into_iter().filter(|other| *other != own_certificate) {
            let refused = believed(xml, other).unwrap_err();
            assert_eq!(refused, SamlResponseRejection::NotSigned(XmlSignatureRejection::Signature), "{name}");
        }
    }
}

#[test]
fn saml_response_with_any_signed_value_changed_is_rejected() {
    for (name, certificate, xml) in SIGNED {
        for (from, to) in [
            ("ana &amp; 7", "ana &amp; 8"),
            ("ana@acme.example", "eva@acme.example"),
            ("PasswordProtectedTransport", "TimeSyncToken"),
            ("2025-11-15T11:59:58Z", "2025-11-15T12:00:10Z"),
            ("<saml:AttributeStatement>", "<saml:AttributeStatement> "),
        ] {
            let changed = xml.replace(from, to);
            assert_ne!(changed, xml, "{name}");
            let refused = believed(&changed, certificate).unwrap_err();
            assert_eq!(
                refused,
                SamlResponseRejection::NotSigned(XmlSignatureRejection::Digest),
                "{name}: {to}"
            );
        }
        // If the digest is replaced to match the changed content, the signature is wrong.
        let (before, rest) = xml.rsplit_once("<ds:DigestValue>").unwrap();
        let (digest, after) = rest.split_once('<').unwrap();
        let other: String = digest.chars().rev().collect();
        let forged = format!("{before}<ds:DigestValue>{other}<{after}");
        assert!(matches!(believed(&forged, certificate), Err(SamlResponseRejection::NotSigned(_))), "{name}");
    }
}

#[test]
fn saml_certificate_is_read_completely_or_refused() {
    let read = SamlSigningCertificate::parse_pem(RSA).unwrap();
    assert_eq!(read.expires_at().to_string(), "2035-01-01T00:00:00.000000Z");
    assert_eq!(read.fingerprint().len(), 64);
    assert_eq!(SamlSigningCertificate::parse_pem(SMALL), Err(InvalidSamlCertificate::Key));
    for text in ["", "x", &format!("{RSA}{P256}"), &RSA.replace("MII", "MIJ"), &RSA[..RSA.len() - 60]] {
        assert_eq!(SamlSigningCertificate::parse_pem(text), Err(InvalidSamlCertificate::Unreadable));
    }
}

#[test]
fn saml_certificate_pem_with_other_content_is_refused() {
    let key = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----\n";
    for text in [format!("{key}{RSA}"), format!("{RSA}{key}"), format!("{RSA}{P256}"), String::new()] {
        assert_eq!(SamlSigningCertificate::parse_pem(&text).unwrap_err(), InvalidSamlCertificate::Unreadable);
    }
}
