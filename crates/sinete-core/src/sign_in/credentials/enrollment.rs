//! Setting up something to sign in with: what is being set up, and what came of it.

use crate::assurance::AuthenticationProof;
use crate::id::CredentialId;
use serde::{Deserialize, Serialize};

/// The kinds of credential that are set up in a flow of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EnrollableFactor {
    /// A passkey.
    Passkey,
    /// An authenticator application.
    Totp,
    /// A set of recovery codes.
    RecoveryCodes,
}

impl EnrollableFactor {
    /// Every one there is.
    pub const ALL: [Self; 3] = [Self::Passkey, Self::Totp, Self::RecoveryCodes];

    /// Its name. It is part of our interface.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passkey => "passkey",
            Self::Totp => "totp",
            Self::RecoveryCodes => "recovery_codes",
        }
    }

    /// The one of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// What is being set up, with what has been made for it so far.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PendingEnrollment {
    /// A passkey, which its device makes.
    Passkey,
    /// An authenticator application, which waits for its first digits.
    Totp {
        /// The credential it will be.
        credential: CredentialId,
        /// Its seed, sealed for that credential.
        sealed: Vec<u8>,
    },
    /// A set of recovery codes, which are made when they are shown.
    RecoveryCodes,
}

impl PendingEnrollment {
    /// What kind of credential it is.
    pub const fn factor(&self) -> EnrollableFactor {
        match self {
            Self::Passkey => EnrollableFactor::Passkey,
            Self::Totp { .. } => EnrollableFactor::Totp,
            Self::RecoveryCodes => EnrollableFactor::RecoveryCodes,
        }
    }
}

impl std::fmt::Debug for PendingEnrollment {
    /// Without the seed, sealed as it is.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Enrolling({})", self.factor().name())
    }
}

/// A passkey that passed every check.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisteredPasskey {
    /// Its own id.
    pub handle: Vec<u8>,
    /// What is kept of it.
    pub material: Vec<u8>,
    /// Its signature counter.
    pub counter: u32,
    /// What its owner calls it.
    pub name: String,
    /// Whether its device checked who made it.
    pub user_verified: bool,
    /// Whether it cannot leave its device.
    pub device_bound: bool,
}

impl RegisteredPasskey {
    /// What whoever made it has proven by that.
    pub const fn proof(&self) -> AuthenticationProof {
        AuthenticationProof::Passkey { user_verified: self.user_verified, device_bound: self.device_bound }
    }
}

impl std::fmt::Debug for RegisteredPasskey {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "MadePasskey({})", self.name)
    }
}

/// What was set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompletedEnrollment {
    /// A passkey.
    Passkey(RegisteredPasskey),
    /// An authenticator application, whose digits of this time step were right.
    Totp {
        /// The time step.
        step: i64,
        /// What its owner calls it.
        name: String,
    },
    /// A set of recovery codes.
    RecoveryCodes,
}

impl CompletedEnrollment {
    /// What kind of credential it is.
    pub const fn factor(&self) -> EnrollableFactor {
        match self {
            Self::Passkey(_) => EnrollableFactor::Passkey,
            Self::Totp { .. } => EnrollableFactor::Totp,
            Self::RecoveryCodes => EnrollableFactor::RecoveryCodes,
        }
    }
}
