//! Why a passkey's answer was refused: one reason per check.

/// Why a registration or an assertion was refused. It goes to the log; outside, all of them read alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WebauthnRejection {
    /// The answer is not the JSON of a public key credential.
    #[error("the answer is not a public key credential")]
    Shape,
    /// The client data is not what browsers write.
    #[error("the client data is not in a form this program knows")]
    ClientData,
    /// It answers another ceremony: a registration where a sign-in was asked for, or the reverse.
    #[error("the answer belongs to another ceremony")]
    Ceremony,
    /// It answers another challenge.
    #[error("the answer is to another challenge")]
    Challenge,
    /// It was made on a page we do not serve.
    #[error("the answer comes from another origin")]
    Origin,
    /// The page stood in a frame of another site.
    #[error("the answer comes from a frame of another site")]
    CrossOrigin,
    /// The attestation object is not well-formed.
    #[error("the attestation object is malformed")]
    AttestationObject,
    /// The authenticator data is not well-formed.
    #[error("the authenticator data is malformed")]
    AuthenticatorData,
    /// It was made for another relying party.
    #[error("the answer is for another relying party")]
    RelyingParty,
    /// Nobody touched the device.
    #[error("nobody was present")]
    UserPresence,
    /// The device did not check who the person is.
    #[error("the user was not verified")]
    UserVerification,
    /// It claims to be backed up and that it cannot be, or changed its mind about the latter.
    #[error("the backup flags contradict each other or what was registered")]
    Backup,
    /// The key signs in a way we did not offer.
    #[error("the algorithm was not offered")]
    AlgorithmNotOffered,
    /// The public key is not well-formed.
    #[error("the public key is malformed")]
    PublicKey,
    /// The credential's id is empty, too long, or not the one the device names.
    #[error("the credential's id does not fit")]
    CredentialId,
    /// The device names another person than the one the key belongs to.
    #[error("the user handle is another person's")]
    UserHandle,
    /// The signature is wrong.
    #[error("the signature is wrong")]
    Signature,
    /// The counter did not grow: two devices use one key.
    #[error("the signature counter did not grow")]
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
