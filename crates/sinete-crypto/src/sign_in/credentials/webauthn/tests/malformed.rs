//! Malformed responses, stored data and options.

use super::device::*;
use crate::sign_in::credentials::webauthn::*;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn webauthn_response_of_another_shape_is_refused() {
    let device = Device::new(Signer::p256());
    let passkey = try_register(&device.created()).unwrap().passkey;
    for (pointer, value, reason) in [
        ("/type", json!("password"), WebauthnRejection::Shape),
        ("/id", json!("AAAA"), WebauthnRejection::Shape),
        ("/rawId", Value::Null, WebauthnRejection::Shape),
        ("/response", json!([]), WebauthnRejection::Shape),
        ("/response/signature", json!("ab=="), WebauthnRejection::Shape),
        ("/response/signature", json!("a+b/"), WebauthnRejection::Shape),
        ("/response/signature", json!(7), WebauthnRejection::Shape),
        ("/response/signature", json!(""), WebauthnRejection::Signature),
        ("/response/userHandle", json!(BASE64.encode([0; 65])), WebauthnRejection::Shape),
        ("/response/authenticatorData", json!("A".repeat(20_000)), WebauthnRejection::Shape),
        ("/response/authenticatorData", json!(""), WebauthnRejection::AuthenticatorData),
        ("/response/clientDataJSON", json!(BASE64.encode("{")), WebauthnRejection::ClientData),
        (
            "/response/clientDataJSON",
            json!(BASE64.encode("{\"type\":1,\"type\":2}")),
            WebauthnRejection::ClientData,
        ),
    ] {
        let mut answer = device.signed();
        *answer.pointer_mut(pointer).unwrap() = value;
        assert_eq!(try_sign(&answer, &passkey, 0), Err(reason), "{pointer}");
    }
    for transports in [json!("usb"), json!([7]), json!([""]), json!(["a b"]), json!(vec!["usb"; 9])] {
        let mut answer = device.created();
        answer["response"]["transports"] = transports;
        assert_eq!(try_register(&answer), Err(WebauthnRejection::Shape));
    }
    assert_eq!(RegistrationResponse::parse(&Value::Null), Err(WebauthnRejection::Shape));
    assert_eq!(AssertionResponse::parse(&json!([1])), Err(WebauthnRejection::Shape));
}

#[test]
fn webauthn_options_ask_for_a_discoverable_verified_key_without_attestation() {
    let transports = ["usb".to_owned()];
    let passkey_descriptors = [PasskeyDescriptor { id: &ID, transports: &transports }];
    let user = PasskeyUser { handle: &HANDLE, name: "ana@example.com", display_name: "Ana" };
    let new = PasskeyCreationRequest { user, service: "Example", existing: &passkey_descriptors };
    let options = build_creation_options(&party(), &new, &CHALLENGE, 300_000);
    assert_eq!(options["rp"], json!({"id": "example.com", "name": "Example"}));
    assert_eq!(options["user"]["id"], BASE64.encode(HANDLE));
    assert_eq!(options["authenticatorSelection"]["residentKey"], "required");
    assert_eq!(options["authenticatorSelection"]["userVerification"], "required");
    assert_eq!(options["attestation"], "none");
    let algorithms: Vec<_> = options["pubKeyCredParams"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["alg"].as_i64().unwrap())
        .collect();
    assert_eq!(algorithms, [-7, -8, -35, -257]);
    let excluded = json!([{"type": "public-key", "id": BASE64.encode(ID), "transports": ["usb"]}]);
    assert_eq!(options["excludeCredentials"], excluded);
    let options = build_request_options(&party(), &[], UserVerification::Required, &CHALLENGE, 300_000);
    assert_eq!(options["allowCredentials"], json!([]));
    assert_eq!((&options["rpId"], &options["userVerification"]), (&json!("example.com"), &json!("required")));
}

#[test]
fn stored_passkey_with_invalid_bytes_is_detected() {
    let good = try_register(&Device::new(Signer::p256()).created()).unwrap().passkey.to_bytes();
    let mut stored: Value = serde_json::from_slice(&good).unwrap();
    for (member, value) in [
        ("form", json!(2)),
        ("key", json!("oA")),
        ("key", json!("=")),
        ("aaguid", json!("AA")),
        ("more", json!(1)),
    ] {
        let before = stored.clone();
        stored[member] = value;
        assert_eq!(
            StoredPasskey::from_bytes(stored.to_string().as_bytes()),
            Err(InvalidStoredPasskey),
            "{member}"
        );
        stored = before;
    }
    assert_eq!(StoredPasskey::from_bytes(b""), Err(InvalidStoredPasskey));
    assert!(StoredPasskey::from_bytes(&good).is_ok());
}

proptest! {
    #[test]
    fn webauthn_parsing_of_any_bytes_never_panics_and_never_passes(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
    ) {
        let device = Device::new(Signer::p256());
        let mut created = device.created();
        created["response"]["attestationObject"] = BASE64.encode(&bytes).into();
        prop_assert_eq!(try_register(&created), Err(WebauthnRejection::AttestationObject));
        let mut created = device.created();
        created["response"]["clientDataJSON"] = BASE64.encode(&bytes).into();
        prop_assert_eq!(try_register(&created), Err(WebauthnRejection::ClientData));
        prop_assert!(registers_after(|device| device.cose.clone_from(&bytes)).is_err());
    }

    #[test]
    fn webauthn_registration_with_a_changed_byte_never_panics(place in 0_usize..1_000, byte: u8) {
        let device = Device::new(Signer::p256());
        let mut answer = device.created();
        let mut object = BASE64.decode(answer["response"]["attestationObject"].as_str().unwrap()).unwrap();
        let place = place % object.len();
        object[place] = byte;
        answer["response"]["attestationObject"] = BASE64.encode(object).into();
        if let Ok(registered) = try_register(&answer) {
            prop_assert_eq!(registered.id, ID.to_vec());
        }
    }

    #[test]
    fn webauthn_assertion_with_a_changed_byte_never_passes(place in 0_usize..1_000, change in 1_u8..) {
        let device = Device::new(Signer::p256());
        let passkey = try_register(&device.created()).unwrap().passkey;
        for member in ["authenticatorData", "clientDataJSON"] {
            let mut answer = device.signed();
            let mut bytes = BASE64.decode(answer["response"][member].as_str().unwrap()).unwrap();
            let place = place % bytes.len();
            bytes[place] ^= change;
            answer["response"][member] = BASE64.encode(bytes).into();
            prop_assert!(try_sign(&answer, &passkey, 0).is_err(), "{} at {}", member, place);
        }
    }
}
