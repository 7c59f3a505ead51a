//! Certificates generated here and checked like those of a client.

use super::*;
use crate::oauth::client_assertion::VerificationKeySet;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    SanType,
};
use serde_json::{Value, json};
use sinete_core::oauth::mtls::RegisteredCertificateName;
use x509_parser::public_key::PublicKey;

fn now() -> Timestamp {
    Timestamp::from_seconds(1_800_000_000)
}

fn params(name: &str) -> CertificateParams {
    let mut params = CertificateParams::new(vec![format!("{name}.example")]).unwrap();
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CountryName, "PT");
    params.distinguished_name.push(DnType::OrganizationName, "Example, Inc.");
    params.distinguished_name.push(DnType::CommonName, name);
    params.not_before = rcgen::date_time_ymd(2020, 1, 1);
    params.not_after = rcgen::date_time_ymd(2040, 1, 1);
    params
}

fn authority(name: &str) -> CertifiedIssuer<'static, KeyPair> {
    let mut params = params(name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

fn alone(params: CertificateParams) -> (ClientCertificate, KeyPair) {
    let key = KeyPair::generate().unwrap();
    let der = params.self_signed(&key).unwrap().der().to_vec();
    (ClientCertificate::parse_chain([der]).unwrap(), key)
}

fn issued(by: &CertifiedIssuer<'static, KeyPair>, params: CertificateParams) -> ClientCertificate {
    let key = KeyPair::generate().unwrap();
    ClientCertificate::parse_chain([params.signed_by(&key, by).unwrap().der()]).unwrap()
}

/// The key of a P-256 certificate as a JWK.
fn jwk(certificate: &ClientCertificate) -> Value {
    let parsed = parse_certificate(&certificate.leaf).unwrap();
    let Ok(PublicKey::EC(point)) = parsed.public_key().parsed() else { panic!("a key on a curve") };
    let encode = |bytes| base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes);
    json!({"kty": "EC", "crv": "P-256", "x": encode(&point.data()[1..33]), "y": encode(&point.data()[33..])})
}

fn registers(key: Value, certificate: &ClientCertificate) -> bool {
    VerificationKeySet::from_jwks(&json!({"keys": [key]}), None).contains_certificate(certificate)
}

#[test]
fn certificate_confirmation_is_the_sha256_of_its_der() {
    let (one, _) = alone(params("one"));
    let expected = digest::digest(&SHA256, &one.leaf);
    let encoded = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(expected);
    assert_eq!(one.confirmation().certificate(), Some(encoded.as_str()));
    let (other, _) = alone(params("one"));
    assert_ne!(one.confirmation(), other.confirmation());
    let with_chain = ClientCertificate::parse_chain([&one.leaf, &other.leaf]).unwrap();
    assert_eq!(with_chain.confirmation(), one.confirmation());
}

#[test]
fn certificate_with_invalid_der_is_refused() {
    let (one, key) = alone(params("one"));
    let longer = [&one.leaf, &b"x"[..]].concat();
    let shorter = &one.leaf[..one.leaf.len() - 1];
    for bytes in [&[][..], b"-----BEGIN", &longer, shorter, &key.serialize_der()] {
        assert_eq!(ClientCertificate::parse_chain([bytes]).err(), Some(InvalidClientCertificate));
        assert_eq!(ClientCertificate::parse_chain([&*one.leaf, bytes]).err(), Some(InvalidClientCertificate));
    }
    assert_eq!(ClientCertificate::parse_chain(Vec::<Vec<u8>>::new()).err(), Some(InvalidClientCertificate));
    assert_eq!(
        ClientCertificate::parse_chain(vec![&one.leaf; CERTIFICATE_CHAIN_MAX + 2]).err(),
        Some(InvalidClientCertificate)
    );
    assert_eq!(ClientCertificate::parse_pem(b"nothing").err(), Some(InvalidClientCertificate));
}

#[test]
fn certificate_subject_and_san_names_are_all_found() {
    let mut certificate_params = params("billing");
    let text = |text: &str| text.try_into().unwrap();
    certificate_params.subject_alt_names.push(SanType::URI(text("spiffe://example/billing")));
    certificate_params.subject_alt_names.push(SanType::Rfc822Name(text("ops@example.com")));
    certificate_params.subject_alt_names.push(SanType::IpAddress("192.0.2.7".parse().unwrap()));
    certificate_params.subject_alt_names.push(SanType::IpAddress("2001:db8::7".parse().unwrap()));
    let names = alone(certificate_params).0.names();
    for certificate_name in [
        RegisteredCertificateName::Subject("CN=billing,O=Example\\, Inc.,C=PT".parse().unwrap()),
        RegisteredCertificateName::Subject("CN=#0c0762696c6c696e67,O=Example\\, Inc.,C=PT".parse().unwrap()),
        RegisteredCertificateName::Dns("billing.example".to_owned()),
        RegisteredCertificateName::Uri("spiffe://example/billing".to_owned()),
        RegisteredCertificateName::Email("ops@example.com".to_owned()),
        RegisteredCertificateName::Ip("192.0.2.7".parse().unwrap()),
        RegisteredCertificateName::Ip("2001:db8::7".parse().unwrap()),
    ] {
        assert!(names.contains_name(&certificate_name), "{certificate_name:?} in {names:?}");
    }
    for foreign in ["CN=billing", "CN=billing,O=Example\\, Inc.", "C=PT,O=Example\\, Inc.,CN=billing"] {
        assert!(
            !names.contains_name(&RegisteredCertificateName::Subject(foreign.parse().unwrap())),
            "{foreign}"
        );
    }
}

#[test]
fn certificate_authority_accepts_only_valid_client_certificates_it_issued() {
    let (ours, theirs) = (authority("ours"), authority("theirs"));
    let authorities = TrustedCertificateAuthorities::parse_pem(ours.pem().as_bytes()).unwrap();
    assert_eq!(authorities.verify_certificate(&issued(&ours, params("a")), now()), Ok(()));
    assert!(authorities.verify_certificate(&issued(&theirs, params("a")), now()).is_err());
    assert!(authorities.verify_certificate(&alone(params("a")).0, now()).is_err());
    let mut over = params("a");
    over.not_after = rcgen::date_time_ymd(2026, 1, 1);
    assert!(authorities.verify_certificate(&issued(&ours, over), now()).is_err());
    let mut for_servers = params("a");
    for_servers.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    assert!(authorities.verify_certificate(&issued(&ours, for_servers), now()).is_err());
    let mut for_clients = params("a");
    for_clients.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    assert_eq!(authorities.verify_certificate(&issued(&ours, for_clients), now()), Ok(()));
    assert_eq!(TrustedCertificateAuthorities::parse_pem(b"").err(), Some(InvalidAuthorityFile::None));
}

#[test]
fn certificate_is_registered_by_key_or_by_x5c() {
    let (one, _) = alone(params("one"));
    let (other, _) = alone(params("other"));
    assert!(registers(jwk(&one), &one) && !registers(jwk(&other), &one));
    let exact = |of: &ClientCertificate, key: &ClientCertificate| {
        let mut jwk = jwk(key);
        jwk["x5c"] = json!([STANDARD.encode(&of.leaf)]);
        jwk
    };
    assert!(registers(exact(&one, &one), &one));
    // The registered certificate counts, regardless of the key next to it.
    assert!(!registers(exact(&other, &one), &one));
    for nonsense in [json!({}), json!({"kty": "EC"}), json!({"kty": "EC", "crv": "P-256", "x": "", "y": ""})]
    {
        assert!(!registers(nonsense, &one));
    }
}

#[test]
fn certificate_is_valid_from_its_first_to_its_last_second() {
    let (one, _) = alone(params("one"));
    let at = Timestamp::from_seconds;
    let (first, last) = (1_577_836_800, 2_208_988_800);
    assert!(one.is_current(at(first)) && one.is_current(at(last)) && one.is_current(now()));
    assert!(!one.is_current(at(first - 1)) && !one.is_current(at(last + 1)));
}

#[test]
fn certificate_key_matches_a_jwk_of_every_type_and_curve() {
    let encode = |bytes: &[u8]| base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes);
    let of = |algorithm| {
        let key = KeyPair::generate_for(algorithm).unwrap();
        ClientCertificate::parse_chain([params("a").self_signed(&key).unwrap().der().to_vec()]).unwrap()
    };
    let bits = |certificate: &ClientCertificate| {
        parse_certificate(&certificate.leaf).unwrap().public_key().subject_public_key.data.to_vec()
    };
    let (edwards, larger) = (of(&rcgen::PKCS_ED25519), of(&rcgen::PKCS_ECDSA_P384_SHA384));
    let point = bits(&larger);
    let on_edwards = json!({"kty": "OKP", "crv": "Ed25519", "x": encode(&bits(&edwards))});
    let on_larger =
        json!({"kty": "EC", "crv": "P-384", "x": encode(&point[1..49]), "y": encode(&point[49..])});
    let rsa = of(&rcgen::PKCS_RSA_SHA256);
    let read = parse_certificate(&rsa.leaf).unwrap();
    let Ok(PublicKey::RSA(key)) = read.public_key().parsed() else { panic!("a key of RSA") };
    let modulus: Vec<u8> = key.modulus.iter().copied().skip_while(|byte| *byte == 0).collect();
    let of_rsa = json!({"kty": "RSA", "n": encode(&modulus), "e": encode(key.exponent)});
    for (own_key, certificate) in [(&on_edwards, &edwards), (&on_larger, &larger), (&of_rsa, &rsa)] {
        for key in [&on_edwards, &on_larger, &of_rsa] {
            assert_eq!(registers(key.clone(), certificate), key == own_key, "{key}");
        }
    }
}

#[test]
fn certificate_registered_with_an_encryption_key_is_refused() {
    let (one, _) = alone(params("one"));
    let used = |used: &str| {
        let mut key = jwk(&one);
        key["use"] = json!(used);
        key
    };
    assert!(registers(jwk(&one), &one) && registers(used("sig"), &one));
    assert!(!registers(used("enc"), &one));
}

#[test]
fn certificate_with_a_small_order_ed25519_key_is_refused() {
    let key = KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap();
    let mut der = params("a").self_signed(&key).unwrap().der().to_vec();
    assert!(ClientCertificate::parse_chain([&der]).is_ok());
    let public_key = key.public_key_raw().to_vec();
    let index = der.windows(32).position(|bytes| bytes == public_key).unwrap();
    der[index..index + 32].copy_from_slice(&[&[1][..], &[0; 31]].concat());
    assert_eq!(ClientCertificate::parse_chain([&der]).err(), Some(InvalidClientCertificate));
    let weak = json!({"kty": "OKP", "crv": "Ed25519", "x": "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"});
    assert_eq!(RegisteredCertificateKey::from_jwk(&weak), None);
}
