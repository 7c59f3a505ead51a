//! Enrollment of credentials.

use crate::assurance::AuthenticationProof;
use crate::id::CredentialId;
use serde::{Deserialize, Serialize};

/// The kinds of credentials that have an enrollment flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EnrollableFactor {
    /// A passkey.
    Passkey,
    /// An authenticator app.
    Totp,
    /// A set of recovery codes.
    RecoveryCodes,
}

impl EnrollableFactor {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Passkey, Self::Totp, Self::RecoveryCodes];

    /// The name in our API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passkey => "passkey",
            Self::Totp => "totp",
            Self::RecoveryCodes => "recovery_codes",
        }
    }

    /// Finds the kind by name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// A pending enrollment.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PendingEnrollment {
    /// A passkey, created by the device.
    Passkey,
    /// An authenticator app, until its first code is entered.
    Totp {
        /// The id of the new credential.
        credential: CredentialId,
        /// The TOTP secret, encrypted for that credential.
        #[serde(rename = "sealed")]
        encrypted_seed: Vec<u8>,
    },
    /// A set of recovery codes, generated when shown.
    RecoveryCodes,
}

impl PendingEnrollment {
    /// The kind of credential.
    pub const fn factor(&self) -> EnrollableFactor {
        match self {
            Self::Passkey => EnrollableFactor::Passkey,
            Self::Totp { .. } => EnrollableFactor::Totp,
            Self::RecoveryCodes => EnrollableFactor::RecoveryCodes,
        }
    }
}

impl std::fmt::Debug for PendingEnrollment {
    /// Omits the TOTP secret, even though it is encrypted.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Enrolling({})", self.factor().name())
    }
}

/// A verified passkey registration.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisteredPasskey {
    /// The WebAuthn credential id.
    pub handle: Vec<u8>,
    /// The stored key material.
    pub material: Vec<u8>,
    /// The signature counter.
    pub counter: u32,
    /// The name given by the user.
    pub name: String,
    /// Whether the authenticator verified the user.
    pub user_verified: bool,
    /// Whether the key is device-bound, that is, not synced.
    pub device_bound: bool,
}

impl RegisteredPasskey {
    /// The proof that the registration itself provides.
    pub const fn proof(&self) -> AuthenticationProof {
        AuthenticationProof::Passkey { user_verified: self.user_verified, device_bound: self.device_bound }
    }
}

impl std::fmt::Debug for RegisteredPasskey {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "MadePasskey({})", self.name)
    }
}

/// A completed enrollment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompletedEnrollment {
    /// A passkey.
    Passkey(RegisteredPasskey),
    /// An authenticator app whose code was correct.
    Totp {
        /// The time step of that code.
        step: i64,
        /// The name given by the user.
        name: String,
    },
    /// A set of recovery codes.
    RecoveryCodes,
}

impl CompletedEnrollment {
    /// The kind of credential.
    pub const fn factor(&self) -> EnrollableFactor {
        match self {
            Self::Passkey(_) => EnrollableFactor::Passkey,
            Self::Totp { .. } => EnrollableFactor::Totp,
            Self::RecoveryCodes => EnrollableFactor::RecoveryCodes,
        }
    }
}
