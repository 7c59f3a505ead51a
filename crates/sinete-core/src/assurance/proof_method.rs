//! The methods with which a user can authenticate.

use crate::assurance::AuthenticationProof;
use serde::{Deserialize, Serialize};

/// A proof method backed by a credential of the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthenticationProofMethod {
    /// A password.
    Password,
    /// A passkey.
    Passkey,
    /// A code from an authenticator app.
    Totp,
    /// A recovery code.
    RecoveryCode,
    /// A code sent by SMS.
    SmsCode,
    /// An organization's identity provider, for accounts without credentials of their own.
    SingleSignOn,
}

impl AuthenticationProofMethod {
    /// The methods that also identify the user, the recommended one first.
    pub const FIRST_FACTORS: [Self; 2] = [Self::Passkey, Self::Password];

    /// The method of a proof; `None` for proofs sent by e-mail.
    pub const fn from_proof(proof: &AuthenticationProof) -> Option<Self> {
        match proof {
            AuthenticationProof::Password => Some(Self::Password),
            AuthenticationProof::Passkey { .. } => Some(Self::Passkey),
            AuthenticationProof::Totp => Some(Self::Totp),
            AuthenticationProof::RecoveryCode => Some(Self::RecoveryCode),
            AuthenticationProof::SmsCode => Some(Self::SmsCode),
            AuthenticationProof::SingleSignOn { .. } => Some(Self::SingleSignOn),
            AuthenticationProof::EmailCode | AuthenticationProof::MagicLink => None,
        }
    }

    /// The strongest proof it can give; `None` if an identity provider decides that.
    pub(crate) const fn strongest_proof(self) -> Option<AuthenticationProof> {
        match self {
            Self::Password => Some(AuthenticationProof::Password),
            Self::Passkey => Some(AuthenticationProof::Passkey { user_verified: true, device_bound: true }),
            Self::Totp => Some(AuthenticationProof::Totp),
            Self::RecoveryCode => Some(AuthenticationProof::RecoveryCode),
            Self::SmsCode => Some(AuthenticationProof::SmsCode),
            Self::SingleSignOn => None,
        }
    }

    /// Whether it can be a second factor.
    pub const fn is_second_factor(self) -> bool {
        match self {
            Self::Password | Self::Passkey | Self::Totp | Self::RecoveryCode | Self::SmsCode => true,
            Self::SingleSignOn => false,
        }
    }
}
