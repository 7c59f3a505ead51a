//! Rejected assertions.

use super::device::*;
use crate::sign_in::credentials::webauthn::*;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde_json::{Value, json};

#[test]
fn webauthn_keys_of_every_offered_algorithm_register_and_sign() {
    for (signer, number) in Signer::every_kind().into_iter().zip([-7, -35, -8, -257]) {
        let device = Device::new(signer);
        let registered = try_register(&device.created()).unwrap();
        assert_eq!((registered.id.as_slice(), registered.counter), (&ID[..], 0), "{number}");
        assert_eq!(registered.passkey.transports, ["hybrid", "internal"]);
        let stored = StoredPasskey::from_bytes(&registered.passkey.to_bytes()).unwrap();
        assert_eq!(stored, registered.passkey);
        let asserted = try_sign(&device.signed(), &stored, 0).unwrap();
        let expected = VerifiedPasskeyAssertion {
            counter: 0,
            user_verified: true,
            backed_up: true,
            device_bound: false,
        };
        assert_eq!(asserted, expected, "{number}");
        assert!(OFFERED_ALGORITHMS.iter().any(|offered| offered.cose_number() == number));
        let mut forged = device.signed();
        let signature = BASE64.decode(forged["response"]["signature"].as_str().unwrap()).unwrap();
        let last = signature.len() - 1;
        let changed: Vec<u8> =
            signature.iter().enumerate().map(|(index, byte)| byte ^ u8::from(index == last)).collect();
        forged["response"]["signature"] = BASE64.encode(changed).into();
        assert_eq!(try_sign(&forged, &stored, 0), Err(WebauthnRejection::Signature), "{number}");
    }
}

#[test]
fn webauthn_assertion_checks_refuse_with_their_reason() {
    let changes: [Change; 19] = [
        ("user not present", |device| device.flags &= !1, WebauthnRejection::UserPresence),
        ("not verified", |device| device.flags &= !4, WebauthnRejection::UserVerification),
        ("backed up yet not eligible", |device| device.flags &= !8, WebauthnRejection::Backup),
        ("no longer eligible", |device| device.flags &= !0b1_1000, WebauthnRejection::Backup),
        ("another domain", |device| device.domain = "evil.example", WebauthnRejection::RelyingParty),
        ("a subdomain", |device| device.domain = "id.example.com", WebauthnRejection::RelyingParty),
        (
            "a registration",
            |device| device.client_data["type"] = "webauthn.create".into(),
            WebauthnRejection::Ceremony,
        ),
        ("no type", |device| device.client_data["type"] = Value::Null, WebauthnRejection::ClientData),
        (
            "another challenge",
            |device| device.client_data["challenge"] = BASE64.encode([8; 32]).into(),
            WebauthnRejection::Challenge,
        ),
        (
            "half the challenge",
            |device| device.client_data["challenge"] = BASE64.encode([7; 16]).into(),
            WebauthnRejection::Challenge,
        ),
        (
            "an empty challenge",
            |device| device.client_data["challenge"] = "".into(),
            WebauthnRejection::Challenge,
        ),
        (
            "in a frame",
            |device| device.client_data["crossOrigin"] = true.into(),
            WebauthnRejection::CrossOrigin,
        ),
        (
            "framed, perhaps",
            |device| device.client_data["crossOrigin"] = "false".into(),
            WebauthnRejection::ClientData,
        ),
        (
            "under another top",
            |device| device.client_data["topOrigin"] = "https://evil.example".into(),
            WebauthnRejection::CrossOrigin,
        ),
        ("another user", |device| device.handle = Some(vec![8; 16]), WebauthnRejection::UserHandle),
        ("no user handle", |device| device.handle = None, WebauthnRejection::UserHandle),
        ("an empty name", |device| device.handle = Some(Vec::new()), WebauthnRejection::UserHandle),
        ("another key", |device| device.signer = Signer::p256(), WebauthnRejection::Signature),
        ("bytes after the end", |device| device.tail = vec![0], WebauthnRejection::AuthenticatorData),
    ];
    for (case_name, change, reason) in changes {
        assert_eq!(signs_after(change), Err(reason), "{case_name}");
    }
    assert!(signs_after(|_| ()).is_ok());
    let mut names: Vec<_> = changes.iter().map(|(_, _, reason)| reason.name()).collect();
    names.dedup();
    assert!(names.len() > 9);
}

#[test]
fn webauthn_origin_must_match_exactly() {
    for ours in ["https://id.example.com", "https://app.example.com:8443"] {
        assert!(signs_after(|device| device.client_data["origin"] = ours.into()).is_ok(), "{ours}");
    }
    for other in [
        "https://badexample.com",
        "https://example.com.evil",
        "https://id.example.com.evil",
        "https://xid.example.com",
        "https://example.com",
        "https://evil.id.example.com",
        "http://id.example.com",
        "https://id.example.com:443",
        "https://id.example.com/",
        "https://ID.example.com",
        "https://id.example.com ",
        "https://app.example.com",
        "android:apk-key-hash:AAAA",
        "null",
        "",
    ] {
        let change = |device: &mut Device| device.client_data["origin"] = other.into();
        assert_eq!(signs_after(change), Err(WebauthnRejection::Origin), "{other}");
        assert_eq!(registers_after(change), Err(WebauthnRejection::Origin), "{other}");
    }
    assert_eq!(
        signs_after(|device| device.client_data["origin"] = json!(["x"])),
        Err(WebauthnRejection::ClientData)
    );
}

#[test]
fn webauthn_counter_that_does_not_grow_is_refused() {
    for (stored, signed, passes) in
        [(0, 0, true), (0, 1, true), (5, 6, true), (5, 5, false), (5, 4, false), (5, 0, false)]
    {
        let mut device = Device::new(Signer::p256());
        let passkey = try_register(&device.created()).unwrap().passkey;
        device.counter = signed;
        let outcome = try_sign(&device.signed(), &passkey, stored);
        match passes {
            true => assert_eq!(outcome.unwrap().counter, signed),
            false => assert_eq!(outcome, Err(WebauthnRejection::Counter), "{stored} {signed}"),
        }
    }
}

#[test]
fn webauthn_user_handle_may_be_omitted_for_a_known_user_but_must_match_if_sent() {
    let mut device = Device::new(Signer::p256());
    let passkey = try_register(&device.created()).unwrap().passkey;
    let passkey_owner = PasskeyOwner { handle_requirement: UserHandleRequirement::Optional, ..OWNER };
    let party = party();
    let asserted = |device: &Device| {
        let response = AssertionResponse::parse(&device.signed()).unwrap();
        verify_assertion(&response, &passkey, 0, passkey_owner, &expected(&party))
    };
    assert!(asserted(&device).is_ok());
    device.handle = None;
    assert!(asserted(&device).is_ok());
    device.handle = Some(vec![1; 16]);
    assert_eq!(asserted(&device), Err(WebauthnRejection::UserHandle));
}

#[test]
fn webauthn_without_user_verification_is_accepted_only_where_not_required() {
    let party = party();
    let mut device = Device::new(Signer::p256());
    let passkey = try_register(&device.created()).unwrap().passkey;
    device.flags &= !4;
    let response = AssertionResponse::parse(&device.signed()).unwrap();
    let preferred =
        WebauthnExpectations { user_verification: UserVerification::Preferred, ..expected(&party) };
    assert!(!verify_assertion(&response, &passkey, 0, OWNER, &preferred).unwrap().user_verified);
    assert_eq!(
        verify_assertion(&response, &passkey, 0, OWNER, &expected(&party)),
        Err(WebauthnRejection::UserVerification)
    );
}
