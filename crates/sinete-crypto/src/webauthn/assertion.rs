//! A passkey signs (WebAuthn §7.2).

use super::authenticator_data::AuthenticatorData;
use super::passkey::Passkey;
use super::public_key::PublicKey;
use super::refused::Refused;
use super::response::AssertionResponse;
use super::{Ceremony, Expected, client_data};
use aws_lc_rs::constant_time::verify_slices_are_equal;

/// Whose passkey it is, by our records.
#[derive(Clone, Copy, Debug)]
pub struct Owner<'a> {
    /// The handle under which the person's passkeys were made.
    pub handle: &'a [u8],
    /// How we came to know who signs.
    pub naming: Naming,
}

/// How we came to know who signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// The device says it: nobody was named before, so the handle must be there.
    ByDevice,
    /// The person was known before; a handle that is there must be theirs.
    Beforehand,
}

/// A signature that passed every check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asserted {
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
pub fn assert(
    response: &AssertionResponse,
    passkey: &Passkey,
    counter: u32,
    owner: Owner<'_>,
    expected: &Expected<'_>,
) -> Result<Asserted, Refused> {
    match (&response.user_handle, owner.naming) {
        (Some(handle), Naming::ByDevice | Naming::Beforehand) => {
            verify_slices_are_equal(handle, owner.handle).map_err(|_| Refused::UserHandle)?;
        }
        (None, Naming::Beforehand) => {}
        (None, Naming::ByDevice) => return Err(Refused::UserHandle),
    }
    let client_hash = client_data::check(&response.client_data, Ceremony::Get, expected)?;
    let data = AuthenticatorData::parse(&response.authenticator_data)?;
    data.check(expected)?;
    if data.is_backup_eligible() != passkey.backup_eligible {
        return Err(Refused::Backup);
    }
    let signed = [response.authenticator_data.as_slice(), client_hash.as_ref()].concat();
    PublicKey::read(&passkey.key)?.verify(&signed, &response.signature)?;
    // A device that counts must count up; one that never counted keeps zero.
    if (counter, data.counter) != (0, 0) && data.counter <= counter {
        return Err(Refused::Counter);
    }
    Ok(Asserted {
        counter: data.counter,
        user_verified: data.is_user_verified(),
        backed_up: data.is_backed_up(),
        device_bound: !passkey.backup_eligible,
    })
}
