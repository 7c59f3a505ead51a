//! How an authorization request arrived, and what its response needs.

use sinete_core::assurance::AssuranceLevel;
use sinete_core::id::AccountId;
use sinete_core::oauth::authorize::pending_authorization::AuthorizationChannel;
use sinete_core::oauth::authorize::redirectable_request::AuthorizationResponseTarget;
use sinete_core::oauth::ciba::CibaBindingMessage;
use sinete_core::oauth::client_metadata::GrantType;
use sinete_core::oauth::grants::deferred::{DeferredGrantDigest, DeferredGrantKind};
use sinete_core::oauth::organization_policy::TokenSource;
use sinete_core::oauth::pkce::S256Challenge;
use sinete_core::sign_in::sessions::device::DeviceDescription;
use sinete_core::time::Timestamp;

/// How the response to an authorization request is delivered.
#[derive(Clone, Debug)]
pub(super) enum AuthorizationResponseChannel {
    /// To a browser, as a redirect with a code.
    Browser(AuthorizationCodeDelivery),
    /// To a client that polls for the user's decision.
    Deferred(PollingClient),
}

/// The parameters of a code.
#[derive(Clone, Debug)]
pub(super) struct AuthorizationCodeDelivery {
    pub(super) reply_to: AuthorizationResponseTarget,
    pub(super) challenge: S256Challenge,
    pub(super) channel: AuthorizationChannel,
}

/// A client that waits for the user's decision.
#[derive(Clone, Debug)]
pub(super) struct PollingClient {
    /// The digest of the code it polls with.
    pub(super) digest: DeferredGrantDigest,
    /// The account that must decide, if the client named one.
    pub(super) account: Option<AccountId>,
    /// The origin of the request, as far as known.
    pub(super) device: DeviceDescription,
    /// When it was made.
    pub(super) requested_at: Timestamp,
    /// The binding message of a CIBA request.
    pub(super) message: Option<CibaBindingMessage>,
}

impl AuthorizationResponseChannel {
    /// The grant type of the response.
    pub(super) const fn grant_type(&self) -> GrantType {
        match self {
            Self::Browser(_) => GrantType::AuthorizationCode,
            Self::Deferred(client) => client.digest.kind().grant_type(),
        }
    }

    /// The host of the redirect URI; empty for a client that polls.
    pub(super) fn redirect_host(&self) -> String {
        match self {
            Self::Browser(by_code) => by_code.reply_to.callback.host().to_owned(),
            Self::Deferred(_) => String::new(),
        }
    }

    /// Whether consent is asked even if it is remembered or implied.
    pub(super) fn requires_consent_each_time(&self) -> bool {
        match self {
            Self::Browser(by_code) => by_code.reply_to.callback.requires_consent_each_time(),
            Self::Deferred(_) => false,
        }
    }

    /// The account that must respond, if the request names one; `None` for the signed-in user.
    pub(super) const fn required_account(&self) -> Option<AccountId> {
        match self {
            Self::Browser(_) => None,
            Self::Deferred(client) => client.account,
        }
    }

    /// The source of the tokens.
    pub(super) const fn token_source(&self) -> TokenSource {
        match self {
            Self::Browser(_) => TokenSource::AuthorizationCode,
            Self::Deferred(client) => client.digest.kind().token_source(),
        }
    }

    /// Whether a user without the demanded second factor is led to set one up.
    pub(super) const fn enrolls_on_demand(&self) -> bool {
        match self {
            Self::Browser(_) => true,
            Self::Deferred(client) => match client.digest.kind() {
                DeferredGrantKind::Ciba => true,
                DeferredGrantKind::DeviceAuthorization => false,
            },
        }
    }

    /// The minimum assurance level, regardless of the organization.
    pub(super) const fn least_assurance(&self) -> AssuranceLevel {
        match self {
            Self::Browser(_) => AssuranceLevel::One,
            Self::Deferred(client) => client.digest.kind().least_assurance(),
        }
    }

    /// Whether consent is remembered. Consent for one device applies to no other and to no browser.
    pub(super) const fn remembers_consent(&self) -> bool {
        match self {
            Self::Browser(_) => true,
            Self::Deferred(_) => false,
        }
    }
}
