//! How an authorization request arrived, and what its response needs.

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

/// How an authorization request arrived.
#[derive(Clone, Debug)]
pub(super) enum AuthorizationResponseChannel {
    /// From a browser, which receives a code.
    Browser(CodeDelivery),
    /// By device authorization.
    Device(WaitingDevice),
    /// By CIBA.
    Backchannel(WaitingCibaClient),
}

/// The parameters of a code.
#[derive(Clone, Debug)]
pub(super) struct CodeDelivery {
    pub(super) reply_to: AuthorizationResponseTarget,
    pub(super) challenge: S256Challenge,
    pub(super) arrival: AuthorizationChannel,
}

/// A waiting device.
#[derive(Clone, Debug)]
pub(super) struct WaitingDevice {
    /// The digest of its device code.
    pub(super) digest: Digest<DeviceCode>,
    /// The device and its location, as far as known.
    pub(super) device: DeviceDescription,
    /// When it made the request.
    pub(super) asked_at: Timestamp,
}

/// A waiting CIBA client.
#[derive(Clone, Debug)]
pub(super) struct WaitingCibaClient {
    /// The digest of its `auth_req_id`.
    pub(super) digest: Digest<BackchannelRequest>,
    /// The requested user.
    pub(super) account: AccountId,
    /// The origin of the request.
    pub(super) device: DeviceDescription,
    /// When it was made.
    pub(super) asked_at: Timestamp,
    /// The binding message.
    pub(super) message: Option<CibaBindingMessage>,
}

impl AuthorizationResponseChannel {
    /// The grant type of the response.
    pub(super) const fn grant_type(&self) -> GrantType {
        match self {
            Self::Browser(_) => GrantType::AuthorizationCode,
            Self::Device(_) => GrantType::DeviceCode,
            Self::Backchannel(_) => GrantType::Ciba,
        }
    }

    /// The host of the redirect URI; empty for a device.
    pub(super) fn redirect_host(&self) -> String {
        match self {
            Self::Browser(by_code) => by_code.reply_to.callback.host().to_owned(),
            Self::Device(_) | Self::Backchannel(_) => String::new(),
        }
    }

    /// The account that must respond, if the request names one; `None` for the signed-in user.
    pub(super) const fn required_account(&self) -> Option<AccountId> {
        match self {
            Self::Browser(_) | Self::Device(_) => None,
            Self::Backchannel(approving) => Some(approving.account),
        }
    }

    /// The source of the tokens.
    pub(super) const fn token_source(&self) -> TokenSource {
        match self {
            Self::Browser(_) => TokenSource::AuthorizationCode,
            Self::Device(_) => TokenSource::DeviceAuthorization,
            Self::Backchannel(_) => TokenSource::Ciba,
        }
    }

    /// The minimum assurance level, regardless of the organization.
    pub(super) const fn least_assurance(&self) -> AssuranceLevel {
        match self {
            Self::Browser(_) | Self::Device(_) => AssuranceLevel::One,
            Self::Backchannel(_) => AssuranceLevel::Two,
        }
    }

    /// Whether consent is remembered. Consent for one device applies to no other and to no browser.
    pub(super) const fn remembers_consent(&self) -> bool {
        match self {
            Self::Browser(_) => true,
            Self::Device(_) | Self::Backchannel(_) => false,
        }
    }
}
