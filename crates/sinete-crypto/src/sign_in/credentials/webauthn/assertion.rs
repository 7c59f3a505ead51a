//! Verification of assertions (WebAuthn §7.2).

use super::authenticator_data::AuthenticatorData;
use super::error::WebauthnRejection;
use super::passkey::StoredPasskey;
use super::public_key::PasskeyPublicKey;
use super::response::AssertionResponse;
use super::{WebauthnCeremony, WebauthnExpectations, client_data};
use aws_lc_rs::constant_time::verify_slices_are_equal;

/// The stored owner of a passkey.
#[derive(Clone, Copy, Debug)]
pub struct PasskeyOwner<'a> {
    /// The user handle with which the passkeys were created.
    pub handle: &'a [u8],
    /// Whether the response must contain the user handle.
    pub handle_requirement: UserHandleRequirement,
}

/// Whether an assertion must contain the user handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserHandleRequirement {
    /// Required: the user is identified by the passkey.
    Required,
    /// Optional: the user is already known; a user handle, if present, must be theirs.
    Optional,
}

/// A verified assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedPasskeyAssertion {
    /// The signature counter to store.
    pub counter: u32,
    /// Whether the authenticator verified the user.
    pub user_verified: bool,
    /// Whether the passkey is currently backed up.
    pub backed_up: bool,
    /// Whether the passkey is device-bound.
    pub device_bound: bool,
}

/// Verifies an assertion of the stored passkey, whose last signature counter is `counter`.
pub fn verify_assertion(
    response: &AssertionResponse,
    passkey: &StoredPasskey,
    counter: u32,
    owner: PasskeyOwner<'_>,
    expected: &WebauthnExpectations<'_>,
) -> Result<VerifiedPasskeyAssertion, WebauthnRejection> {
    match (&response.user_handle, owner.handle_requirement) {
        (Some(handle), UserHandleRequirement::Required | UserHandleRequirement::Optional) => {
            verify_slices_are_equal(handle, owner.handle).map_err(|_| WebauthnRejection::UserHandle)?;
        }
        (None, UserHandleRequirement::Optional) => {}
        (None, UserHandleRequirement::Required) => return Err(WebauthnRejection::UserHandle),
    }
    let client_hash = client_data::check_client_data(&response.client_data, WebauthnCeremony::Get, expected)?;
    let data = AuthenticatorData::parse(&response.authenticator_data)?;
    data.check_flags(expected)?;
    if data.is_backup_eligible() != passkey.backup_eligible {
        return Err(WebauthnRejection::Backup);
    }
    let signed = [response.authenticator_data.as_slice(), client_hash.as_ref()].concat();
    PasskeyPublicKey::parse(&passkey.key)?.verify_signature(&signed, &response.signature)?;
    // The counter must increase; an authenticator without a counter always sends zero.
    if (counter, data.counter) != (0, 0) && data.counter <= counter {
        return Err(WebauthnRejection::Counter);
    }
    Ok(VerifiedPasskeyAssertion {
        counter: data.counter,
        user_verified: data.is_user_verified(),
        backed_up: data.is_backed_up(),
        device_bound: !passkey.backup_eligible,
    })
}
