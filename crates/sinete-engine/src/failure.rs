//! Internal failures.

use crate::ports::BreachedLookupError;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::encryption::{DecryptionError, EncryptionError};
use sinete_crypto::platform::jwt::JwtSigningError;
use sinete_crypto::platform::signing_keys::{CryptoLibraryFailure, InvalidSigningKey};

/// An internal failure. Clients see a generic server error; the message is for our log.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] sinete_store::StoreFailure),
    /// The facts of a decision changed repeatedly while it was made.
    #[error("the data of the decision changed repeatedly meanwhile: try again")]
    Contended,
    /// A stored secret cannot be decrypted.
    #[error(transparent)]
    DecryptionFailed(#[from] DecryptionError),
    /// A secret could not be encrypted.
    #[error(transparent)]
    EncryptionFailed(#[from] EncryptionError),
    /// A key could not be generated.
    #[error(transparent)]
    KeyGenerationFailed(InvalidSigningKey),
    /// The cryptographic library failed.
    #[error(transparent)]
    Library(#[from] CryptoLibraryFailure),
    /// No key signs with a required algorithm.
    #[error("no key signs with {0}: create one with `sinete keys generate`")]
    NoSigningKey(SigningAlgorithm),
    /// All keys of an algorithm start to sign later than the current time of this node.
    #[error("every key for {0} begins to sign in the future: set this node's clock")]
    BeforeFirstKey(SigningAlgorithm),
    /// The clock difference to the database is too large.
    #[error("this node's clock is too far from the database's, so it signs nothing: set the clock")]
    ClockWrong,
    /// A token could not be signed.
    #[error(transparent)]
    SigningFailed(#[from] JwtSigningError),
    /// A password could not be hashed.
    #[error("a password could not be hashed or checked: {0}")]
    PasswordHashingFailed(String),
    /// A breached password list could not be searched.
    #[error(transparent)]
    BreachedPasswordSearchFailed(#[from] BreachedLookupError),
    /// An outbound request was not sent, because no slot was free.
    #[error("there was no free slot for an outbound request: try again")]
    OutboundBusy,
    /// A thread ended before its work was done.
    #[error("the work was interrupted: the program is stopping")]
    Interrupted,
}

impl Failure {
    /// Whether the request contained text that the databases cannot store.
    pub const fn is_unstorable(&self) -> bool {
        matches!(self, Self::Store(sinete_store::StoreFailure::Unstorable(_)))
    }

    /// Whether it is unknown if the change was committed. It must not be retried as if it were not.
    pub const fn is_outcome_unknown(&self) -> bool {
        matches!(self, Self::Store(sinete_store::StoreFailure::OutcomeUnknown))
    }

    /// Whether more work waits for the database than it can do in time.
    pub const fn is_overloaded(&self) -> bool {
        matches!(self, Self::Store(sinete_store::StoreFailure::Overloaded))
    }

    /// Whether the same request may succeed later, because nothing was changed.
    pub const fn is_temporary(&self) -> bool {
        match self {
            Self::Store(failed) => failed.is_temporary(),
            Self::Contended
            | Self::Interrupted
            | Self::OutboundBusy
            | Self::BeforeFirstKey(_)
            | Self::ClockWrong => true,
            Self::DecryptionFailed(_)
            | Self::EncryptionFailed(_)
            | Self::KeyGenerationFailed(_)
            | Self::PasswordHashingFailed(_)
            | Self::BreachedPasswordSearchFailed(_)
            | Self::Library(_)
            | Self::NoSigningKey(_)
            | Self::SigningFailed(_) => false,
        }
    }
}
