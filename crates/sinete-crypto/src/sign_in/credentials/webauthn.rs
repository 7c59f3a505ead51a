//! A WebAuthn relying party for passkeys (WebAuthn Level 3): creates options and verifies responses.
//!
//! All functions are pure; the caller manages challenges, stored keys and time. We request no attestation and
//! trust none: an attestation is only checked to be well-formed. Every check has its own rejection reason,
//! which is only logged.

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
pub use public_key::{CoseAlgorithm, OFFERED_ALGORITHMS};
pub use registration::{VerifiedPasskeyRegistration, verify_registration};
pub use response::{AssertionResponse, RegistrationResponse};

/// The length of a challenge in bytes.
pub const CHALLENGE_BYTES: usize = 32;

/// The relying party: the domain that passkeys are bound to, and the allowed origins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelyingParty {
    /// The RP ID, a domain. It must not change once passkeys exist.
    pub id: String,
    /// The allowed origins, compared byte for byte.
    pub origins: Vec<String>,
}

/// The expected values of a response.
#[derive(Clone, Copy, Debug)]
pub struct WebauthnExpectations<'a> {
    /// The relying party.
    pub party: &'a RelyingParty,
    /// The issued challenge.
    pub challenge: &'a [u8],
    /// Whether user verification is required.
    pub user_verification: UserVerification,
}

/// Whether the authenticator must verify the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserVerification {
    /// A response without user verification is rejected.
    Required,
    /// A response without user verification is accepted at a lower assurance level.
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
