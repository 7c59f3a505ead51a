//! Where and when somebody was seen, as letters tell it.

use sinete_core::sign_in::sessions::device::DeviceDescription;
use sinete_core::time::Timestamp;

/// Where and when somebody was seen.
#[derive(Clone, Debug, Default)]
pub struct SignInSighting {
    /// When.
    pub at: Option<Timestamp>,
    /// On what, as it is kept with a session.
    pub device: Option<String>,
    /// Where on earth, if that is known.
    pub place: Option<String>,
    /// From which network address.
    pub address: Option<String>,
}

impl SignInSighting {
    /// Whoever is described like this, at this moment.
    pub(crate) fn from_description(from: &DeviceDescription, at: Timestamp) -> Self {
        Self {
            at: Some(at),
            device: Some(from.device.clone()),
            place: from.place.clone(),
            address: from.address.map(|address| address.to_string()),
        }
    }
}
