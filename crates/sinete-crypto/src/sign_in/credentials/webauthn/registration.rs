//! Verification of registrations (WebAuthn §7.1).

use super::authenticator_data::AuthenticatorData;
use super::cbor;
use super::cbor::{CborForm, CborItem};
use super::error::WebauthnRejection;
use super::passkey::StoredPasskey;
use super::public_key::PasskeyPublicKey;
use super::response::RegistrationResponse;
use super::{WebauthnCeremony, WebauthnExpectations, client_data};

/// A verified registration, which may be stored if its credential id is not in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedPasskeyRegistration {
    /// The credential id.
    pub id: Vec<u8>,
    /// The passkey to store.
    pub passkey: StoredPasskey,
    /// The signature counter.
    pub counter: u32,
    /// Whether the authenticator verified the user.
    pub user_verified: bool,
}

/// Verifies a registration.
pub fn verify_registration(
    response: &RegistrationResponse,
    expected: &WebauthnExpectations<'_>,
) -> Result<VerifiedPasskeyRegistration, WebauthnRejection> {
    client_data::check_client_data(&response.client_data, WebauthnCeremony::Create, expected)?;
    let data = extract_authenticator_data(&response.attestation_object)?;
    let data = AuthenticatorData::parse(data)?;
    data.check_flags(expected)?;
    let (user_verified, backup_eligible, backed_up) =
        (data.is_user_verified(), data.is_backup_eligible(), data.is_backed_up());
    let counter = data.counter;
    let attested_credential = data.credential.ok_or(WebauthnRejection::AuthenticatorData)?;
    if attested_credential.id != response.id {
        return Err(WebauthnRejection::CredentialId);
    }
    PasskeyPublicKey::from_cose_map(&attested_credential.key)?;
    let passkey = StoredPasskey {
        key: attested_credential.key_bytes.to_vec(),
        backup_eligible,
        backed_up,
        aaguid: attested_credential.aaguid,
        transports: response.transports.clone(),
    };
    Ok(VerifiedPasskeyRegistration { id: response.id.clone(), passkey, counter, user_verified })
}

/// Extracts the authenticator data from the attestation object (WebAuthn §6.5.4). We requested no
/// attestation: a statement in a format other than `none` is only checked to be well-formed CBOR.
fn extract_authenticator_data(object: &[u8]) -> Result<&[u8], WebauthnRejection> {
    let object = cbor::parse_map(object, CborForm::Any).map_err(|_| WebauthnRejection::AttestationObject)?;
    match (
        object.find_text_key("fmt"),
        object.find_text_key("attStmt"),
        object.find_text_key("authData"),
        object.len(),
    ) {
        // WebAuthn §8.7: the format `none` has an empty statement.
        (Some(CborItem::Text("none")), Some(CborItem::Map(statement)), Some(CborItem::Bytes(data)), 3)
            if statement.len() == 0 =>
        {
            Ok(data)
        }
        (Some(CborItem::Text("none")), ..) => Err(WebauthnRejection::AttestationObject),
        (
            Some(CborItem::Text(_)),
            Some(CborItem::Map(_) | CborItem::Array(_)),
            Some(CborItem::Bytes(data)),
            _,
        ) => Ok(data),
        _ => Err(WebauthnRejection::AttestationObject),
    }
}
