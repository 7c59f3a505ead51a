//! Setting up something to sign in with: what is being set up, and what came of it.

use crate::assurance::Proof;
use crate::id::CredentialId;
use serde::{Deserialize, Serialize};

/// The kinds of credential that are set up in a flow of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Factor {
    /// A passkey.
    Passkey,
    /// An authenticator application.
    Totp,
    /// A set of recovery codes.
    RecoveryCodes,
}

impl Factor {
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
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// What is being set up, with what has been made for it so far.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Enrolling {
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

impl Enrolling {
    /// What kind of credential it is.
    pub const fn factor(&self) -> Factor {
        match self {
            Self::Passkey => Factor::Passkey,
            Self::Totp { .. } => Factor::Totp,
            Self::RecoveryCodes => Factor::RecoveryCodes,
        }
    }
}

impl std::fmt::Debug for Enrolling {
    /// Without the seed, sealed as it is.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Enrolling({})", self.factor().name())
    }
}

/// A passkey that passed every check.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadePasskey {
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

impl MadePasskey {
    /// What whoever made it has proven by that.
    pub const fn proof(&self) -> Proof {
        Proof::Passkey { user_verified: self.user_verified, device_bound: self.device_bound }
    }
}

impl std::fmt::Debug for MadePasskey {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "MadePasskey({})", self.name)
    }
}

/// What was set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetUp {
    /// A passkey.
    Passkey(MadePasskey),
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

impl SetUp {
    /// What kind of credential it is.
    pub const fn factor(&self) -> Factor {
        match self {
            Self::Passkey(_) => Factor::Passkey,
            Self::Totp { .. } => Factor::Totp,
            Self::RecoveryCodes => Factor::RecoveryCodes,
        }
    }
}
