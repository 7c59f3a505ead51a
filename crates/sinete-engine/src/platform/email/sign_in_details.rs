//! Time, device and location of a sign-in, as shown in messages.

use sinete_core::sign_in::sessions::device::DeviceDescription;
use sinete_core::time::Timestamp;

/// Time, device and location of a sign-in.
#[derive(Clone, Debug, Default)]
pub struct SignInDetails {
    /// The time.
    pub at: Option<Timestamp>,
    /// The device, as stored with a session.
    pub device: Option<String>,
    /// The location, if known.
    pub location: Option<String>,
    /// The IP address.
    pub address: Option<String>,
}

impl SignInDetails {
    /// Creates it from a device description, at this time.
    pub(crate) fn from_description(from: &DeviceDescription, at: Timestamp) -> Self {
        Self {
            at: Some(at),
            device: Some(from.device.clone()),
            location: from.location.clone(),
            address: from.address.map(|address| address.to_string()),
        }
    }
}
