//! A small authenticator that can be made to send anything.

use crate::sign_in::credentials::webauthn::*;
use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P384_SHA384_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair,
    KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair,
};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde_json::{Value, json};

pub(super) const CHALLENGE: [u8; 32] = [7; 32];
pub(super) const HANDLE: [u8; 16] = [9; 16];
pub(super) const ID: [u8; 20] = [3; 20];
/// Flags: user present, user verified, backup eligible, backed up.
const HONEST: u8 = 0b0001_1101;
pub(super) const OWNER: PasskeyOwner<'_> =
    PasskeyOwner { handle: &HANDLE, handle_requirement: UserHandleRequirement::Required };

pub(super) fn party() -> RelyingParty {
    let origins = ["https://id.example.com", "https://app.example.com:8443"];
    RelyingParty { id: "example.com".to_owned(), origins: origins.map(str::to_owned).to_vec() }
}

pub(super) fn expected(party: &RelyingParty) -> WebauthnExpectations<'_> {
    WebauthnExpectations { party, challenge: &CHALLENGE, user_verification: UserVerification::Required }
}

/// The private key of a passkey.
pub(super) enum Signer {
    P256(EcdsaKeyPair),
    P384(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
    Rsa(RsaKeyPair),
}

impl Signer {
    pub(super) fn p256() -> Self {
        Self::P256(EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).unwrap())
    }

    pub(super) fn every_kind() -> [Self; 4] {
        [
            Self::p256(),
            Self::P384(EcdsaKeyPair::generate(&ECDSA_P384_SHA384_ASN1_SIGNING).unwrap()),
            Self::Ed25519(Ed25519KeyPair::generate().unwrap()),
            Self::Rsa(RsaKeyPair::generate(KeySize::Rsa2048).unwrap()),
        ]
    }

    /// The public key as a COSE key.
    pub(super) fn cose(&self) -> Vec<u8> {
        match self {
            Self::P256(pair) => {
                let point = pair.public_key().as_ref();
                let (x, y) = (&point[1..33], &point[33..]);
                [b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20", x, b"\x22\x58\x20", y].concat()
            }
            Self::P384(pair) => {
                let point = pair.public_key().as_ref();
                let (x, y) = (&point[1..49], &point[49..]);
                [&b"\xa5\x01\x02\x03\x38\x22\x20\x02\x21\x58\x30"[..], x, b"\x22\x58\x30", y].concat()
            }
            Self::Ed25519(pair) => {
                [b"\xa4\x01\x01\x03\x27\x20\x06\x21\x58\x20", pair.public_key().as_ref()].concat()
            }
            Self::Rsa(pair) => {
                // The DER encoding ends with the modulus, two bytes of head and the exponent.
                let der = pair.public_key().as_ref();
                let n = &der[der.len() - 5 - 256..der.len() - 5];
                [b"\xa4\x01\x03\x03\x39\x01\x00\x20\x59\x01\x00", n, b"\x21\x43\x01\x00\x01"].concat()
            }
        }
    }

    fn sign(&self, message: &[u8]) -> Vec<u8> {
        match self {
            Self::P256(pair) | Self::P384(pair) => {
                pair.sign(&SystemRandom::new(), message).unwrap().as_ref().to_vec()
            }
            Self::Ed25519(pair) => pair.sign(message).as_ref().to_vec(),
            Self::Rsa(pair) => {
                let mut signature = vec![0; pair.public_modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message, &mut signature).unwrap();
                signature
            }
        }
    }
}

/// A defect: its name, the function that causes it, and the expected rejection.
pub(super) type Change = (&'static str, fn(&mut Device), WebauthnRejection);

/// All parts of a response, valid unless changed.
pub(super) struct Device {
    pub(super) signer: Signer,
    pub(super) cose: Vec<u8>,
    pub(super) client_data: Value,
    pub(super) domain: &'static str,
    pub(super) flags: u8,
    pub(super) counter: u32,
    pub(super) id: Vec<u8>,
    pub(super) claimed_id: Vec<u8>,
    pub(super) handle: Option<Vec<u8>>,
    pub(super) tail: Vec<u8>,
    pub(super) format: Vec<u8>,
}

impl Device {
    pub(super) fn new(signer: Signer) -> Self {
        let challenge = BASE64.encode(CHALLENGE);
        let client_data = json!({"type": "", "challenge": challenge, "origin": "https://id.example.com", "crossOrigin": false});
        Self {
            cose: signer.cose(),
            signer,
            client_data,
            domain: "example.com",
            flags: HONEST,
            counter: 0,
            id: ID.to_vec(),
            claimed_id: ID.to_vec(),
            handle: Some(HANDLE.to_vec()),
            tail: Vec::new(),
            format: b"\x64none\x67attStmt\xa0".to_vec(),
        }
    }

    fn said(&self, ceremony: &str) -> Vec<u8> {
        let mut data = self.client_data.clone();
        if data["type"] == "" {
            data["type"] = ceremony.into();
        }
        data.to_string().into_bytes()
    }

    fn data(&self, more_flags: u8, credential: &[u8]) -> Vec<u8> {
        let hash = digest(&SHA256, self.domain.as_bytes());
        let flags = [self.flags | more_flags];
        [hash.as_ref(), &flags, &self.counter.to_be_bytes(), credential, &self.tail].concat()
    }

    pub(super) fn created(&self) -> Value {
        let length = u16::try_from(self.id.len()).unwrap().to_be_bytes();
        let data = self.data(1 << 6, &[&[0; 16], &length[..], &self.id, &self.cose].concat());
        let length = u16::try_from(data.len()).unwrap().to_be_bytes();
        let object = [&b"\xa3\x63fmt"[..], &self.format, b"\x68authData\x59", &length, &data].concat();
        self.answer(json!({
            "attestationObject": BASE64.encode(object),
            "clientDataJSON": BASE64.encode(self.said("webauthn.create")),
            "transports": ["hybrid", "internal"],
        }))
    }

    pub(super) fn signed(&self) -> Value {
        let data = self.data(0, &[]);
        let client_data = self.said("webauthn.get");
        let message = [data.as_slice(), digest(&SHA256, &client_data).as_ref()].concat();
        self.answer(json!({
            "authenticatorData": BASE64.encode(data),
            "clientDataJSON": BASE64.encode(client_data),
            "signature": BASE64.encode(self.signer.sign(&message)),
            "userHandle": self.handle.as_ref().map(|handle| BASE64.encode(handle)),
        }))
    }

    fn answer(&self, response: Value) -> Value {
        let id = BASE64.encode(&self.claimed_id);
        json!({"id": id, "rawId": id, "type": "public-key", "response": response, "clientExtensionResults": {}})
    }
}

pub(super) fn try_register(answer: &Value) -> Result<VerifiedPasskeyRegistration, WebauthnRejection> {
    verify_registration(&RegistrationResponse::parse(answer)?, &expected(&party()))
}

pub(super) fn try_sign(
    answer: &Value,
    passkey: &StoredPasskey,
    counter: u32,
) -> Result<VerifiedPasskeyAssertion, WebauthnRejection> {
    verify_assertion(&AssertionResponse::parse(answer)?, passkey, counter, OWNER, &expected(&party()))
}

/// Registers validly, applies the defect, and signs.
pub(super) fn signs_after(
    misbehave: impl Fn(&mut Device),
) -> Result<VerifiedPasskeyAssertion, WebauthnRejection> {
    let mut device = Device::new(Signer::p256());
    let passkey = try_register(&device.created()).unwrap().passkey;
    misbehave(&mut device);
    try_sign(&device.signed(), &passkey, 0)
}

/// Applies the defect and registers.
pub(super) fn registers_after(
    misbehave: impl Fn(&mut Device),
) -> Result<VerifiedPasskeyRegistration, WebauthnRejection> {
    let mut device = Device::new(Signer::p256());
    misbehave(&mut device);
    try_register(&device.created())
}
