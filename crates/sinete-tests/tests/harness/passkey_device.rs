//! A passkey authenticator in software. It uses the JSON of WebAuthn Level 3, holds discoverable ES256 credentials, and
//! misbehaves if a story wants it to.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// An authenticator with its credentials.
pub struct PasskeyDevice {
    passkeys: Vec<DevicePasskey>,
    pub behavior: DeviceBehavior,
}

/// How the authenticator behaves. The default is a correct one with synced passkeys.
#[derive(Clone, Debug)]
pub struct DeviceBehavior {
    /// The user present flag.
    pub user_present: bool,
    /// The user verified flag.
    pub user_verified: bool,
    /// The backup eligible and backup state flags.
    pub backed_up: bool,
    /// By how much the signature counter grows at each use; synced passkeys keep it at zero.
    pub counter_step: i64,
    /// The origin in the client data, instead of the page's.
    pub claimed_origin: Option<String>,
    /// The domain whose hash is signed, instead of the relying party id.
    pub claimed_domain: Option<String>,
    /// The type in the client data, instead of the right one.
    pub claimed_ceremony: Option<&'static str>,
    /// The `crossOrigin` member of the client data.
    pub cross_origin: bool,
    /// Whether the last byte of the signature is wrong.
    pub bad_signature: bool,
}

impl Default for DeviceBehavior {
    fn default() -> Self {
        Self {
            user_present: true,
            user_verified: true,
            backed_up: true,
            counter_step: 0,
            claimed_origin: None,
            claimed_domain: None,
            claimed_ceremony: None,
            cross_origin: false,
            bad_signature: false,
        }
    }
}

struct DevicePasskey {
    id: Vec<u8>,
    domain: String,
    user_handle: Vec<u8>,
    key: EcdsaKeyPair,
    counter: i64,
}

/// Bits of the flags byte (WebAuthn §6.1).
const USER_PRESENT: u8 = 1;
const USER_VERIFIED: u8 = 1 << 2;
const BACKUP_ELIGIBLE: u8 = 1 << 3;
const BACKED_UP: u8 = 1 << 4;
const HAS_CREDENTIAL: u8 = 1 << 6;

impl PasskeyDevice {
    /// An authenticator without credentials.
    pub fn new() -> Self {
        Self { passkeys: Vec::new(), behavior: DeviceBehavior::default() }
    }

    pub fn passkey_count(&self) -> usize {
        self.passkeys.len()
    }

    /// `navigator.credentials.create`: creates a credential for the page at `origin`. `None` if the authenticator holds
    /// one of the excluded credentials, or if ES256 is not offered.
    pub fn create(&mut self, options: &Value, origin: &str) -> Option<Value> {
        let options = options.get("publicKey").unwrap_or(options);
        let offers_es256 =
            options["pubKeyCredParams"].as_array()?.iter().any(|parameters| parameters["alg"] == -7);
        let excluded = self.find_listed(&options["excludeCredentials"]).next().is_some();
        if !offers_es256 || excluded {
            return None;
        }
        let domain = match options["rp"]["id"].as_str() {
            Some(domain) => domain.to_owned(),
            None => url::Url::parse(origin).ok()?.host_str()?.to_owned(),
        };
        let passkey = DevicePasskey {
            id: random_bytes::<32>().to_vec(),
            domain,
            user_handle: BASE64.decode(options["user"]["id"].as_str()?).ok()?,
            key: EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).ok()?,
            counter: 0,
        };
        let data = self.authenticator_data(&passkey, HAS_CREDENTIAL, &credential_data(&passkey));
        let client_data = self.client_data("webauthn.create", options["challenge"].as_str()?, origin);
        let id = BASE64.encode(&passkey.id);
        self.passkeys.push(passkey);
        Some(json!({
            "id": id,
            "rawId": id,
            "type": "public-key",
            "authenticatorAttachment": "platform",
            "response": {
                "attestationObject": BASE64.encode(attestation_object(&data)),
                "clientDataJSON": BASE64.encode(client_data),
                "transports": ["internal"],
            },
            "clientExtensionResults": {"credProps": {"rk": true}},
        }))
    }

    /// `navigator.credentials.get`: signs the challenge with a credential of the relying party, the newest one unless
    /// the page lists which. `None` if there is none.
    pub fn get(&mut self, options: &Value, origin: &str) -> Option<Value> {
        let options = options.get("publicKey").unwrap_or(options);
        let domain = options["rpId"].as_str()?;
        let allowed: Vec<usize> = match options["allowCredentials"].as_array() {
            Some(list) if !list.is_empty() => self.find_listed(&options["allowCredentials"]).collect(),
            _ => (0..self.passkeys.len()).collect(),
        };
        let passkey_index = allowed.into_iter().rev().find(|&index| self.passkeys[index].domain == domain)?;
        self.passkeys[passkey_index].counter += self.behavior.counter_step;
        let passkey = &self.passkeys[passkey_index];
        let data = self.authenticator_data(passkey, 0, &[]);
        let client_data = self.client_data("webauthn.get", options["challenge"].as_str()?, origin);
        let signed = [data.as_slice(), &Sha256::digest(&client_data)].concat();
        let mut signature = passkey.key.sign(&SystemRandom::new(), &signed).ok()?.as_ref().to_vec();
        if self.behavior.bad_signature
            && let Some(last) = signature.last_mut()
        {
            *last ^= 1;
        }
        let id = BASE64.encode(&passkey.id);
        Some(json!({
            "id": id,
            "rawId": id,
            "type": "public-key",
            "authenticatorAttachment": "platform",
            "response": {
                "authenticatorData": BASE64.encode(data),
                "clientDataJSON": BASE64.encode(client_data),
                "signature": BASE64.encode(signature),
                "userHandle": BASE64.encode(&passkey.user_handle),
            },
            "clientExtensionResults": {},
        }))
    }

    /// The indexes of the credentials that a list of descriptors names.
    fn find_listed(&self, descriptors: &Value) -> impl Iterator<Item = usize> {
        let ids: Vec<Vec<u8>> = descriptors
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|descriptor| BASE64.decode(descriptor["id"].as_str()?).ok())
            .collect();
        let select_index =
            move |(index, passkey): (usize, &DevicePasskey)| ids.contains(&passkey.id).then_some(index);
        self.passkeys.iter().enumerate().filter_map(select_index)
    }

    /// WebAuthn §6.1: hash of the relying party id, flags, counter, and what follows.
    fn authenticator_data(&self, passkey: &DevicePasskey, more_flags: u8, rest: &[u8]) -> Vec<u8> {
        let conduct = &self.behavior;
        let domain = conduct.claimed_domain.as_deref().unwrap_or(&passkey.domain);
        let mut flags = more_flags;
        for (holds, bits) in [
            (conduct.user_present, USER_PRESENT),
            (conduct.user_verified, USER_VERIFIED),
            (conduct.backed_up, BACKUP_ELIGIBLE | BACKED_UP),
        ] {
            if holds {
                flags |= bits;
            }
        }
        let mut data = Sha256::digest(domain.as_bytes()).to_vec();
        data.push(flags);
        data.extend(u32::try_from(passkey.counter.max(0)).unwrap_or(u32::MAX).to_be_bytes());
        data.extend(rest);
        data
    }

    fn client_data(&self, ceremony: &'static str, challenge: &str, origin: &str) -> Vec<u8> {
        let data = json!({
            "type": self.behavior.claimed_ceremony.unwrap_or(ceremony),
            "challenge": challenge,
            "origin": self.behavior.claimed_origin.as_deref().unwrap_or(origin),
            "crossOrigin": self.behavior.cross_origin,
        });
        data.to_string().into_bytes()
    }
}

/// WebAuthn §6.5.1: AAGUID (zeros), credential id and public key.
fn credential_data(passkey: &DevicePasskey) -> Vec<u8> {
    let mut data = vec![0; 16];
    data.extend(u16::try_from(passkey.id.len()).unwrap_or(u16::MAX).to_be_bytes());
    data.extend(&passkey.id);
    data.extend(public_key(passkey));
    data
}

/// RFC 9053 §7.1.1: a P-256 key as a map {1: 2, 3: -7, -1: 1, -2: x, -3: y}, in CBOR.
fn public_key(passkey: &DevicePasskey) -> Vec<u8> {
    let point = passkey.key.public_key().as_ref();
    let (x, y) = (&point[1..33], &point[33..65]);
    let mut map = vec![0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20];
    map.extend(x);
    map.extend([0x22, 0x58, 0x20]);
    map.extend(y);
    map
}

/// WebAuthn §6.5.4: {"fmt": "none", "attStmt": {}, "authData": …}, in CBOR.
fn attestation_object(data: &[u8]) -> Vec<u8> {
    let mut object = vec![0xa3];
    object.extend(b"\x63fmt\x64none\x67attStmt\xa0\x68authData\x59");
    object.extend(u16::try_from(data.len()).unwrap_or(u16::MAX).to_be_bytes());
    object.extend(data);
    object
}

#[expect(clippy::disallowed_methods, reason = "a device has its own randomness")]
fn random_bytes<const LENGTH: usize>() -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    getrandom::fill(&mut bytes).expect("the operating system has randomness");
    bytes
}

mod tests {
    use super::*;
    use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1, UnparsedPublicKey};

    const ORIGIN: &str = "https://id.example.com";

    fn creation() -> Value {
        json!({
            "rp": {"id": "id.example.com", "name": "x"},
            "user": {"id": BASE64.encode([7; 16]), "name": "ana", "displayName": "Ana"},
            "challenge": BASE64.encode([1; 32]),
            "pubKeyCredParams": [{"type": "public-key", "alg": -7}],
        })
    }

    fn request() -> Value {
        json!({"rpId": "id.example.com", "challenge": BASE64.encode([2; 32])})
    }

    fn bytes(value: &Value) -> Vec<u8> {
        BASE64.decode(value.as_str().unwrap()).unwrap()
    }

    /// The public point, cut out of a registration by its position.
    fn point_of(registration: &Value) -> Vec<u8> {
        let object = bytes(&registration["response"]["attestationObject"]);
        let tail = &object[object.len() - 67..];
        [&[4], &tail[..32], &tail[35..]].concat()
    }

    #[test]
    fn passkey_device_signature_verifies_under_its_registered_key() {
        let mut device = PasskeyDevice::new();
        let registration = device.create(&creation(), ORIGIN).unwrap();
        let assertion = device.get(&request(), ORIGIN).unwrap();
        assert_eq!(assertion["id"], registration["id"]);
        assert_eq!(bytes(&assertion["response"]["userHandle"]), [7; 16]);
        let data = bytes(&assertion["response"]["authenticatorData"]);
        assert_eq!(data[..32], Sha256::digest("id.example.com")[..]);
        assert_eq!(data[32], 0b0001_1101);
        let client_data = bytes(&assertion["response"]["clientDataJSON"]);
        let body: Value = serde_json::from_slice(&client_data).unwrap();
        assert_eq!((body["type"].as_str(), body["origin"].as_str()), (Some("webauthn.get"), Some(ORIGIN)));
        let signed = [data, Sha256::digest(&client_data).to_vec()].concat();
        let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, point_of(&registration));
        let signature = bytes(&assertion["response"]["signature"]);
        assert!(key.verify(&signed, &signature).is_ok());
        device.behavior.bad_signature = true;
        let forged = device.get(&request(), ORIGIN).unwrap();
        assert!(key.verify(&signed, &bytes(&forged["response"]["signature"])).is_err());
    }

    #[test]
    fn passkey_device_respects_rp_id_and_exclude_credentials() {
        let mut device = PasskeyDevice::new();
        assert!(device.get(&request(), ORIGIN).is_none());
        let registration = device.create(&creation(), ORIGIN).unwrap();
        assert!(device.get(&json!({"rpId": "evil.example", "challenge": "AA"}), ORIGIN).is_none());
        let mut second_creation = creation();
        second_creation["excludeCredentials"] = json!([{"type": "public-key", "id": registration["id"]}]);
        assert!(device.create(&second_creation, ORIGIN).is_none());
        let mut other_algorithm = creation();
        other_algorithm["pubKeyCredParams"] = json!([{"type": "public-key", "alg": -257}]);
        assert!(device.create(&other_algorithm, ORIGIN).is_none());
        assert_eq!(device.passkey_count(), 1);
    }

    #[test]
    fn passkey_device_misbehavior_is_part_of_its_signed_data() {
        let mut device = PasskeyDevice::new();
        device.create(&creation(), ORIGIN).unwrap();
        device.behavior =
            DeviceBehavior { user_verified: false, counter_step: 5, ..DeviceBehavior::default() };
        let first = bytes(&device.get(&request(), ORIGIN).unwrap()["response"]["authenticatorData"]);
        assert_eq!((first[32] & USER_VERIFIED, first[36]), (0, 5));
        device.behavior.counter_step = -3;
        let second = bytes(&device.get(&request(), ORIGIN).unwrap()["response"]["authenticatorData"]);
        assert_eq!(second[36], 2);
    }
}
