//! Rejected registrations.

use super::device::*;
use crate::sign_in::credentials::webauthn::*;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;

#[test]
fn webauthn_registration_checks_refuse_with_their_reason() {
    let changes: [Change; 16] = [
        ("user not present", |device| device.flags &= !1, WebauthnRejection::UserPresence),
        ("not verified", |device| device.flags &= !4, WebauthnRejection::UserVerification),
        ("backed up yet not eligible", |device| device.flags &= !8, WebauthnRejection::Backup),
        ("another domain", |device| device.domain = "example.org", WebauthnRejection::RelyingParty),
        (
            "a sign-in",
            |device| device.client_data["type"] = "webauthn.get".into(),
            WebauthnRejection::Ceremony,
        ),
        (
            "another challenge",
            |device| device.client_data["challenge"] = BASE64.encode([8; 32]).into(),
            WebauthnRejection::Challenge,
        ),
        (
            "in a frame",
            |device| device.client_data["crossOrigin"] = true.into(),
            WebauthnRejection::CrossOrigin,
        ),
        ("another id outside", |device| device.claimed_id = vec![4; 20], WebauthnRejection::CredentialId),
        ("an empty id", |device| device.id = Vec::new(), WebauthnRejection::CredentialId),
        ("a long id", |device| device.id = vec![1; 1024], WebauthnRejection::CredentialId),
        ("no key", |device| device.cose = Vec::new(), WebauthnRejection::AuthenticatorData),
        ("bytes after the key", |device| device.tail = vec![0xa0], WebauthnRejection::AuthenticatorData),
        ("extensions promised", |device| device.flags |= 1 << 7, WebauthnRejection::AuthenticatorData),
        (
            "a statement under none",
            |device| device.format = b"\x64none\x67attStmt\xa1\x01\x02".to_vec(),
            WebauthnRejection::AttestationObject,
        ),
        (
            "no statement",
            |device| device.format = b"\x64none\x67attStmx\xa0".to_vec(),
            WebauthnRejection::AttestationObject,
        ),
        (
            "no format",
            |device| device.format = b"\x01\x67attStmt\xa0".to_vec(),
            WebauthnRejection::AttestationObject,
        ),
    ];
    for (case_name, change, reason) in changes {
        assert_eq!(registers_after(change), Err(reason), "{case_name}");
    }
    assert!(registers_after(|_| ()).is_ok());
}

#[test]
fn webauthn_attestation_that_was_not_requested_is_accepted_and_not_trusted() {
    let packed = b"\x66packed\x67attStmt\xa2\x63alg\x26\x63sig\x42ab";
    assert!(registers_after(|device| device.format = packed.to_vec()).is_ok());
    let repeated = b"\x66packed\x67attStmt\xa2\x63alg\x26\x63alg\x26";
    let refused = registers_after(|device| device.format = repeated.to_vec());
    assert_eq!(refused, Err(WebauthnRejection::AttestationObject));
}

#[test]
fn webauthn_extensions_are_parsed_to_their_end() {
    let with = |tail: &'static [u8]| {
        registers_after(move |device| {
            device.flags |= 1 << 7;
            device.tail = tail.to_vec();
        })
    };
    assert!(with(b"\xa1\x6bcredProtect\x02").is_ok());
    assert_eq!(with(b"\xa1\x6bcredProtect\x02\x00"), Err(WebauthnRejection::AuthenticatorData));
    assert_eq!(with(b"\xa2\x61b\x02\x61a\x02"), Err(WebauthnRejection::AuthenticatorData));
    assert_eq!(with(b"\x80"), Err(WebauthnRejection::AuthenticatorData));
}

#[test]
fn webauthn_key_of_an_unoffered_algorithm_is_refused() {
    let good = Signer::p256().cose();
    let changed = |index: usize, byte: u8| {
        let mut cose = good.clone();
        cose[index] = byte;
        cose
    };
    let wrong_rsa = |exponent: &[u8]| {
        [b"\xa4\x01\x03\x03\x39\x01\x00\x20\x59\x01\x00", &vec![0xff; 256][..], b"\x21", exponent].concat()
    };
    for (case_name, cose, reason) in [
        ("ES512", [b"\xa5\x01\x02\x03\x38\x23", &good[5..]].concat(), WebauthnRejection::AlgorithmNotOffered),
        ("HMAC", [b"\xa5\x01\x02\x03\x05", &good[5..]].concat(), WebauthnRejection::AlgorithmNotOffered),
        ("EdDSA with a P-256 key", changed(4, 0x27), WebauthnRejection::PublicKey),
        ("ES384 on P-256", [b"\xa5\x01\x02\x03\x38\x22", &good[5..]].concat(), WebauthnRejection::PublicKey),
        ("another kind", changed(2, 0x03), WebauthnRejection::PublicKey),
        ("another curve", changed(6, 0x02), WebauthnRejection::PublicKey),
        ("a point off the curve", changed(20, good[20] ^ 1), WebauthnRejection::PublicKey),
        ("no algorithm", [b"\xa4\x01\x02", &good[5..]].concat(), WebauthnRejection::PublicKey),
        ("a member too many", [b"\xa6\x01\x02\x02\x41x", &good[3..]].concat(), WebauthnRejection::PublicKey),
        (
            "members out of order",
            [b"\xa5\x03\x26\x01\x02", &good[5..]].concat(),
            WebauthnRejection::AuthenticatorData,
        ),
        ("a weak exponent", wrong_rsa(b"\x41\x03"), WebauthnRejection::PublicKey),
        (
            "a short modulus",
            b"\xa4\x01\x03\x03\x39\x01\x00\x20\x42\xff\xff\x21\x43\x01\x00\x01".to_vec(),
            WebauthnRejection::PublicKey,
        ),
        (
            "no modulus",
            b"\xa4\x01\x03\x03\x39\x01\x00\x20\x40\x21\x43\x01\x00\x01".to_vec(),
            WebauthnRejection::PublicKey,
        ),
        (
            "an Ed25519 point of small order",
            [&b"\xa4\x01\x01\x03\x27\x20\x06\x21\x58\x20\x01"[..], &[0; 31]].concat(),
            WebauthnRejection::PublicKey,
        ),
        ("an empty map", b"\xa0".to_vec(), WebauthnRejection::PublicKey),
    ] {
        let refused = registers_after(|device| device.cose.clone_from(&cose));
        assert_eq!(refused, Err(reason), "{case_name}");
    }
}
