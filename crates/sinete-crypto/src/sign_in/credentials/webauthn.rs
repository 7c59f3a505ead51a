//! Our own relying party for passkeys (WebAuthn Level 3): options out, answers in, a verdict.
//!
//! Everything here is a function of bytes: the challenge, the stored key and the clock's business are the
//! caller's. We ask for no attestation and trust none; what an authenticator attests is checked to be
//! well-formed and then left alone. Every check has its own reason to refuse, for the log alone.

mod assertion;
mod authenticator_data;
mod cbor;
mod client_data;
mod error;
mod options;
mod passkey;
mod public_key;
mod registration;
mod response;

pub use assertion::{PasskeyOwner, UserHandleRequirement, VerifiedPasskeyAssertion, verify_assertion};
pub use authenticator_data::CREDENTIAL_ID_BYTES_MAX;
pub use error::WebauthnRejection;
pub use options::{
    PasskeyCreationRequest, PasskeyDescriptor, PasskeyUser, build_creation_options, build_request_options,
};
pub use passkey::{InvalidStoredPasskey, StoredPasskey};
pub use public_key::{CoseAlgorithm, OFFERED};
pub use registration::{VerifiedPasskeyRegistration, verify_registration};
pub use response::{AssertionResponse, RegistrationResponse};

/// How long a challenge is.
pub const CHALLENGE_BYTES: usize = 32;

/// Who asks for passkeys: the domain they are bound to, and the pages that may use them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelyingParty {
    /// The domain. It is fixed once a passkey may exist.
    pub id: String,
    /// The origins of our pages, compared byte for byte.
    pub origins: Vec<String>,
}

/// What an answer must be to.
#[derive(Clone, Copy, Debug)]
pub struct WebauthnExpectations<'a> {
    /// Who asked.
    pub party: &'a RelyingParty,
    /// The challenge that was given.
    pub challenge: &'a [u8],
    /// Whether the device must have checked who the person is.
    pub user_verification: UserVerification,
}

/// Whether the device must check who the person is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserVerification {
    /// An answer without it is refused.
    Required,
    /// An answer without it counts for less.
    Preferred,
}

/// The two ceremonies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WebauthnCeremony {
    Create,
    Get,
}

impl WebauthnCeremony {
    const fn name(self) -> &'static str {
        match self {
            Self::Create => "webauthn.create",
            Self::Get => "webauthn.get",
        }
    }
}

impl UserVerification {
    const fn name(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::Preferred => "preferred",
        }
    }
}

#[cfg(test)]
mod tests;
