//! Parsing of WebAuthn responses in the JSON form of browsers (WebAuthn §5.1, `toJSON`).

use super::authenticator_data::CREDENTIAL_ID_BYTES_MAX;
use super::client_data;
use super::error::WebauthnRejection;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

/// The maximum length of a member, in bytes.
const MEMBER_BYTES_MAX: usize = 16 * 1024;
const TRANSPORTS_MAX: usize = 8;
const TRANSPORT_CHARACTERS_MAX: usize = 32;
const USER_HANDLE_BYTES_MAX: usize = 64;

/// A registration response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistrationResponse {
    pub(super) id: Vec<u8>,
    pub(super) client_data: Vec<u8>,
    pub(super) attestation_object: Vec<u8>,
    pub(super) transports: Vec<String>,
}

/// An authentication response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssertionResponse {
    pub(super) id: Vec<u8>,
    pub(super) client_data: Vec<u8>,
    pub(super) authenticator_data: Vec<u8>,
    pub(super) signature: Vec<u8>,
    pub(super) user_handle: Option<Vec<u8>>,
}

impl RegistrationResponse {
    /// Parses the response. Unknown members are ignored.
    pub fn parse(answer: &Value) -> Result<Self, WebauthnRejection> {
        let (id, response) = parse_credential(answer)?;
        let transports = match &response["transports"] {
            Value::Null => Vec::new(),
            Value::Array(values) => {
                values.iter().map(parse_transport).collect::<Option<_>>().ok_or(WebauthnRejection::Shape)?
            }
            _ => return Err(WebauthnRejection::Shape),
        };
        if transports.len() > TRANSPORTS_MAX {
            return Err(WebauthnRejection::Shape);
        }
        Ok(Self {
            id,
            client_data: decode_base64url(&response["clientDataJSON"])?,
            attestation_object: decode_base64url(&response["attestationObject"])?,
            transports,
        })
    }

    /// Reads the unverified challenge. The caller checks whether it is one of ours.
    pub fn read_claimed_challenge(&self) -> Option<Vec<u8>> {
        client_data::read_claimed_challenge(&self.client_data)
    }
}

impl AssertionResponse {
    /// Parses the response. Unknown members are ignored.
    pub fn parse(answer: &Value) -> Result<Self, WebauthnRejection> {
        let (id, response) = parse_credential(answer)?;
        let user_handle = match &response["userHandle"] {
            Value::Null => None,
            present => Some(decode_base64url(present)?),
        };
        if user_handle.as_ref().is_some_and(|handle| handle.len() > USER_HANDLE_BYTES_MAX) {
            return Err(WebauthnRejection::Shape);
        }
        Ok(Self {
            id,
            client_data: decode_base64url(&response["clientDataJSON"])?,
            authenticator_data: decode_base64url(&response["authenticatorData"])?,
            signature: decode_base64url(&response["signature"])?,
            user_handle,
        })
    }

    /// Reads the unverified challenge. The caller checks whether it is one of ours.
    pub fn read_claimed_challenge(&self) -> Option<Vec<u8>> {
        client_data::read_claimed_challenge(&self.client_data)
    }

    /// The credential id, to look up the passkey.
    pub fn credential_id(&self) -> &[u8] {
        &self.id
    }
}

/// Checks the common members: `id` and `rawId`, which must be equal, and `type`.
fn parse_credential(answer: &Value) -> Result<(Vec<u8>, &Value), WebauthnRejection> {
    if answer["type"] != "public-key" || answer["id"] != answer["rawId"] {
        return Err(WebauthnRejection::Shape);
    }
    let id = decode_base64url(&answer["rawId"])?;
    if id.is_empty() || id.len() > CREDENTIAL_ID_BYTES_MAX {
        return Err(WebauthnRejection::CredentialId);
    }
    Ok((id, &answer["response"]))
}

/// Decodes base64url without padding, accepting only the canonical encoding.
fn decode_base64url(member: &Value) -> Result<Vec<u8>, WebauthnRejection> {
    let text =
        member.as_str().filter(|text| text.len() <= MEMBER_BYTES_MAX).ok_or(WebauthnRejection::Shape)?;
    URL_SAFE_NO_PAD.decode(text).map_err(|_| WebauthnRejection::Shape)
}

fn parse_transport(value: &Value) -> Option<String> {
    let text = value.as_str()?;
    let plain = !text.is_empty()
        && text.len() <= TRANSPORT_CHARACTERS_MAX
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    plain.then(|| text.to_owned())
}
