//! What can go wrong on our side while a use case runs.

use crate::ports::BreachedLookupError;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::encryption::{DecryptionError, EncryptionError};
use sinete_crypto::platform::jwt::JwtSigningError;
use sinete_crypto::platform::signing_keys::{CryptoLibraryFailure, InvalidSigningKey};

/// We could not do what was asked. Outside this is a bare server error; the sentence is for our log.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The database could not.
    #[error(transparent)]
    Store(#[from] sinete_store::StoreFailure),
    /// What a decision stood on changed again and again while it was made.
    #[error("what was decided on kept changing meanwhile: try again")]
    Contended,
    /// A stored secret does not open.
    #[error(transparent)]
    NotOpened(#[from] DecryptionError),
    /// A secret could not be sealed.
    #[error(transparent)]
    NotSealed(#[from] EncryptionError),
    /// A key could not be generated.
    #[error(transparent)]
    NotMade(InvalidSigningKey),
    /// The cryptographic library failed.
    #[error(transparent)]
    Library(#[from] CryptoLibraryFailure),
    /// No key of ours signs with an algorithm that is asked for.
    #[error("no key signs with {0}: `sinete keys generate` makes one")]
    NoSigner(SigningAlgorithm),
    /// Every key of an algorithm begins to sign later than this node's clock says it is.
    #[error("every key for {0} begins to sign in the future: set this node's clock")]
    BeforeFirstKey(SigningAlgorithm),
    /// This node's clock is too far from the database's.
    #[error("this node's clock is too far from the database's, so it signs nothing: set the clock")]
    ClockWrong,
    /// A token could not be signed.
    #[error(transparent)]
    NotSigned(#[from] JwtSigningError),
    /// A password could not be hashed.
    #[error("a password could not be hashed or checked: {0}")]
    NotHashed(String),
    /// A list of breached passwords could not be searched.
    #[error(transparent)]
    NotSearched(#[from] BreachedLookupError),
    /// A request to another server was not sent, because there was no place for it.
    #[error("there was no place for a request to the server that publishes keys: try again")]
    OutboundBusy,
    /// A thread of ours ended before its work did.
    #[error("the work was interrupted: the program is stopping")]
    Interrupted,
}

impl Failure {
    /// Whether somebody sent a text that no database of ours can hold.
    pub const fn is_unstorable(&self) -> bool {
        matches!(self, Self::Store(sinete_store::StoreFailure::Unstorable(_)))
    }

    /// Whether nobody can say if what was asked for happened. It must not be asked for again as if it had not.
    pub const fn is_outcome_unknown(&self) -> bool {
        matches!(self, Self::Store(sinete_store::StoreFailure::OutcomeUnknown))
    }

    /// Whether the same request may well succeed a little later, because nothing of it happened now.
    pub const fn is_temporary(&self) -> bool {
        match self {
            Self::Store(failed) => failed.is_temporary(),
            Self::Contended
            | Self::Interrupted
            | Self::OutboundBusy
            | Self::BeforeFirstKey(_)
            | Self::ClockWrong => true,
            Self::NotOpened(_)
            | Self::NotSealed(_)
            | Self::NotMade(_)
            | Self::NotHashed(_)
            | Self::NotSearched(_)
            | Self::Library(_)
            | Self::NoSigner(_)
            | Self::NotSigned(_) => false,
        }
    }
}
