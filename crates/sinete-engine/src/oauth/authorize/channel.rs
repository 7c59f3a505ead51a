//! By which way a request came, and what its answer needs.

use sinete_core::assurance::AssuranceLevel;
use sinete_core::id::AccountId;
use sinete_core::oauth::authorize::pending_authorization::AuthorizationChannel;
use sinete_core::oauth::authorize::redirectable_request::AuthorizationResponseTarget;
use sinete_core::oauth::ciba::CibaBindingMessage;
use sinete_core::oauth::client_metadata::GrantType;
use sinete_core::oauth::organization_policy::TokenSource;
use sinete_core::oauth::pkce::S256Challenge;
use sinete_core::secret::{BackchannelRequest, DeviceCode, Digest};
use sinete_core::sign_in::sessions::device::DeviceDescription;
use sinete_core::time::Timestamp;

/// By which way a request came.
#[derive(Clone, Debug)]
pub(super) enum AuthorizationResponseChannel {
    /// A browser brought it, and takes a code back.
    Browser(CodeDelivery),
    /// A device waits for the answer.
    Device(WaitingDevice),
    /// A client waits that asks somebody for their approval.
    Backchannel(WaitingCibaClient),
}

/// What a code needs.
#[derive(Clone, Debug)]
pub(super) struct CodeDelivery {
    pub(super) reply_to: AuthorizationResponseTarget,
    pub(super) challenge: S256Challenge,
    pub(super) arrival: AuthorizationChannel,
}

/// A device that waits.
#[derive(Clone, Debug)]
pub(super) struct WaitingDevice {
    /// Of what it waits with.
    pub(super) digest: Digest<DeviceCode>,
    /// What it is and where, as far as it told.
    pub(super) device: DeviceDescription,
    /// When it asked.
    pub(super) asked_at: Timestamp,
}

/// A client that waits for somebody's approval.
#[derive(Clone, Debug)]
pub(super) struct WaitingCibaClient {
    /// Of what it waits with.
    pub(super) digest: Digest<BackchannelRequest>,
    /// Who is asked, and nobody else.
    pub(super) account: AccountId,
    /// From where it asked.
    pub(super) device: DeviceDescription,
    /// When.
    pub(super) asked_at: Timestamp,
    /// What the person compares.
    pub(super) message: Option<CibaBindingMessage>,
}

impl AuthorizationResponseChannel {
    /// The grant by which a client gets the answer.
    pub(super) const fn grant_type(&self) -> GrantType {
        match self {
            Self::Browser(_) => GrantType::AuthorizationCode,
            Self::Device(_) => GrantType::DeviceCode,
            Self::Backchannel(_) => GrantType::Ciba,
        }
    }

    /// The host that the answer goes to; a device has none.
    pub(super) fn redirect_host(&self) -> String {
        match self {
            Self::Browser(by_code) => by_code.reply_to.callback.host().to_owned(),
            Self::Device(_) | Self::Backchannel(_) => String::new(),
        }
    }

    /// Who must answer, where it is known whom the request is for; whoever is signed in, otherwise.
    pub(super) const fn required_account(&self) -> Option<AccountId> {
        match self {
            Self::Browser(_) | Self::Device(_) => None,
            Self::Backchannel(approving) => Some(approving.account),
        }
    }

    /// What the tokens will be derived from.
    pub(super) const fn token_source(&self) -> TokenSource {
        match self {
            Self::Browser(_) => TokenSource::AuthorizationCode,
            Self::Device(_) => TokenSource::DeviceAuthorization,
            Self::Backchannel(_) => TokenSource::Ciba,
        }
    }

    /// The least assurance with which it is answered, whatever the organization asks for.
    pub(super) const fn least_assurance(&self) -> AssuranceLevel {
        match self {
            Self::Browser(_) | Self::Device(_) => AssuranceLevel::One,
            Self::Backchannel(_) => AssuranceLevel::Two,
        }
    }

    /// Whether an agreement counts the next time. What was said for one device is said for no other, and for no browser.
    pub(super) const fn remembers_consent(&self) -> bool {
        match self {
            Self::Browser(_) => true,
            Self::Device(_) | Self::Backchannel(_) => false,
        }
    }
}
