//! By which way a request came, and what its answer needs.

use sinete_core::authorize::addressed::ReplyTo;
use sinete_core::authorize::asked::Arrival;
use sinete_core::authorize::pkce::S256Challenge;
use sinete_core::client::metadata::GrantType;
use sinete_core::secret::{DeviceCode, Digest};
use sinete_core::session::device::Description;
use sinete_core::time::Timestamp;

/// By which way a request came.
#[derive(Clone, Debug)]
pub(super) enum Via {
    /// A browser brought it, and takes a code back.
    Browser(ByCode),
    /// A device waits for the answer.
    Device(Waiting),
}

/// What a code needs.
#[derive(Clone, Debug)]
pub(super) struct ByCode {
    pub(super) reply_to: ReplyTo,
    pub(super) challenge: S256Challenge,
    pub(super) arrival: Arrival,
}

/// A device that waits.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    /// Of what it waits with.
    pub(super) digest: Digest<DeviceCode>,
    /// What it is and where, as far as it told.
    pub(super) from: Description,
    /// When it asked.
    pub(super) asked_at: Timestamp,
}

impl Via {
    /// The grant by which a client gets the answer.
    pub(super) const fn grant(&self) -> GrantType {
        match self {
            Self::Browser(_) => GrantType::AuthorizationCode,
            Self::Device(_) => GrantType::DeviceCode,
        }
    }

    /// The host that the answer goes to; a device has none.
    pub(super) fn host(&self) -> String {
        match self {
            Self::Browser(by_code) => by_code.reply_to.callback.host().to_owned(),
            Self::Device(_) => String::new(),
        }
    }

    /// Whether an agreement counts the next time. What was said for one device is said for no other, and for no browser.
    pub(super) const fn remembers(&self) -> bool {
        match self {
            Self::Browser(_) => true,
            Self::Device(_) => false,
        }
    }
}
