//! Why a WebAuthn response is rejected: one reason per check.

/// Why a registration or an assertion is rejected. The reason is only logged; users see one message for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WebauthnRejection {
    /// The response is not a serialized public key credential.
    #[error("the response is not a public key credential")]
    Shape,
    /// The client data is not well-formed.
    #[error("the client data is malformed")]
    ClientData,
    /// It is a response to another ceremony: a registration instead of a sign-in, or the reverse.
    #[error("the response belongs to another ceremony")]
    Ceremony,
    /// The challenge is another one.
    #[error("the response is to another challenge")]
    Challenge,
    /// The origin is not one of ours.
    #[error("the response is from another origin")]
    Origin,
    /// The page was in a cross-origin iframe.
    #[error("the response is from a cross-origin frame")]
    CrossOrigin,
    /// The attestation object is not well-formed.
    #[error("the attestation object is malformed")]
    AttestationObject,
    /// The authenticator data is not well-formed.
    #[error("the authenticator data is malformed")]
    AuthenticatorData,
    /// The RP ID is another one.
    #[error("the response is for another relying party")]
    RelyingParty,
    /// The user presence flag is not set.
    #[error("the user was not present")]
    UserPresence,
    /// The user verification flag is not set.
    #[error("the user was not verified")]
    UserVerification,
    /// The backup flags contradict each other, or backup eligibility changed.
    #[error("the backup flags contradict each other or the registration")]
    Backup,
    /// The algorithm was not offered.
    #[error("the algorithm was not offered")]
    AlgorithmNotOffered,
    /// The public key is not well-formed.
    #[error("the public key is malformed")]
    PublicKey,
    /// The credential id is empty, too long, or not the one in the authenticator data.
    #[error("the credential id does not match")]
    CredentialId,
    /// The user handle is not that of the passkey's owner.
    #[error("the user handle is another user's")]
    UserHandle,
    /// The signature is invalid.
    #[error("the signature is wrong")]
    Signature,
    /// The signature counter did not increase: the key may have been cloned.
    #[error("the signature counter did not increase")]
    Counter,
}

impl WebauthnRejection {
    /// A short name for logs and events.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shape => "shape",
            Self::ClientData => "client_data",
            Self::Ceremony => "ceremony",
            Self::Challenge => "challenge",
            Self::Origin => "origin",
            Self::CrossOrigin => "cross_origin",
            Self::AttestationObject => "attestation_object",
            Self::AuthenticatorData => "authenticator_data",
            Self::RelyingParty => "relying_party",
            Self::UserPresence => "user_presence",
            Self::UserVerification => "user_verification",
            Self::Backup => "backup",
            Self::AlgorithmNotOffered => "algorithm",
            Self::PublicKey => "public_key",
            Self::CredentialId => "credential_id",
            Self::UserHandle => "user_handle",
            Self::Signature => "signature",
            Self::Counter => "counter",
        }
    }
}
