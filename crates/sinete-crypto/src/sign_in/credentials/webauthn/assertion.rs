//! A passkey signs (WebAuthn §7.2).

use super::authenticator_data::AuthenticatorData;
use super::error::WebauthnRejection;
use super::passkey::StoredPasskey;
use super::public_key::PasskeyPublicKey;
use super::response::AssertionResponse;
use super::{WebauthnCeremony, WebauthnExpectations, client_data};
use aws_lc_rs::constant_time::verify_slices_are_equal;

/// Whose passkey it is, by our records.
#[derive(Clone, Copy, Debug)]
pub struct PasskeyOwner<'a> {
    /// The handle under which the person's passkeys were made.
    pub handle: &'a [u8],
    /// How we came to know who signs.
    pub naming: UserHandleRequirement,
}

/// How we came to know who signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserHandleRequirement {
    /// The device says it: nobody was named before, so the handle must be there.
    ByDevice,
    /// The person was known before; a handle that is there must be theirs.
    Beforehand,
}

/// A signature that passed every check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedPasskeyAssertion {
    /// The counter to store.
    pub counter: u32,
    /// Whether the device checked who the person is.
    pub user_verified: bool,
    /// Whether the key is copied to other devices now.
    pub backed_up: bool,
    /// Whether the key cannot leave its device.
    pub device_bound: bool,
}

/// Checks a signature of the stored passkey, whose counter was last `counter`.
pub fn verify_assertion(
    response: &AssertionResponse,
    passkey: &StoredPasskey,
    counter: u32,
    owner: PasskeyOwner<'_>,
    expected: &WebauthnExpectations<'_>,
) -> Result<VerifiedPasskeyAssertion, WebauthnRejection> {
    match (&response.user_handle, owner.naming) {
        (Some(handle), UserHandleRequirement::ByDevice | UserHandleRequirement::Beforehand) => {
            verify_slices_are_equal(handle, owner.handle).map_err(|_| WebauthnRejection::UserHandle)?;
        }
        (None, UserHandleRequirement::Beforehand) => {}
        (None, UserHandleRequirement::ByDevice) => return Err(WebauthnRejection::UserHandle),
    }
    let client_hash = client_data::check_client_data(&response.client_data, WebauthnCeremony::Get, expected)?;
    let data = AuthenticatorData::parse(&response.authenticator_data)?;
    data.check_flags(expected)?;
    if data.is_backup_eligible() != passkey.backup_eligible {
        return Err(WebauthnRejection::Backup);
    }
    let signed = [response.authenticator_data.as_slice(), client_hash.as_ref()].concat();
    PasskeyPublicKey::parse(&passkey.key)?.verify_signature(&signed, &response.signature)?;
    // A device that counts must count up; one that never counted keeps zero.
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
