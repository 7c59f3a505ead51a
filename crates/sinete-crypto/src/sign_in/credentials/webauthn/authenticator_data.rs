//! Parsing of authenticator data (WebAuthn §6.1), up to the last byte.

use super::cbor;
use super::cbor::{CborForm, CborMap};
use super::error::WebauthnRejection;
use super::{UserVerification, WebauthnExpectations};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest::{SHA256, digest};

/// The maximum length of a credential id (WebAuthn §4).
pub const CREDENTIAL_ID_BYTES_MAX: usize = 1023;

const USER_PRESENT: u8 = 1;
const USER_VERIFIED: u8 = 1 << 2;
const BACKUP_ELIGIBLE: u8 = 1 << 3;
const BACKED_UP: u8 = 1 << 4;
const HAS_CREDENTIAL: u8 = 1 << 6;
const HAS_EXTENSIONS: u8 = 1 << 7;

/// Parsed authenticator data.
pub(super) struct AuthenticatorData<'a> {
    party_hash: &'a [u8; 32],
    flags: u8,
    pub(super) counter: u32,
    pub(super) credential: Option<AttestedCredential<'a>>,
}

/// The attested credential data.
pub(super) struct AttestedCredential<'a> {
    /// The AAGUID, or zeros.
    pub(super) aaguid: [u8; 16],
    pub(super) id: &'a [u8],
    /// The public key as encoded, and parsed.
    pub(super) key_bytes: &'a [u8],
    pub(super) key: CborMap<'a>,
}

impl<'a> AuthenticatorData<'a> {
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, WebauthnRejection> {
        let data = Self::parse_parts(bytes).ok_or(WebauthnRejection::AuthenticatorData)?;
        match &data.credential {
            Some(attested_credential)
                if attested_credential.id.is_empty()
                    || attested_credential.id.len() > CREDENTIAL_ID_BYTES_MAX =>
            {
                Err(WebauthnRejection::CredentialId)
            }
            _ => Ok(data),
        }
    }

    fn parse_parts(bytes: &'a [u8]) -> Option<Self> {
        let (party_hash, rest) = bytes.split_first_chunk()?;
        let (&flags, rest) = rest.split_first()?;
        let (counter, mut rest) = rest.split_first_chunk()?;
        let mut credential = None;
        if flags & HAS_CREDENTIAL != 0 {
            let (aaguid, remaining) = rest.split_first_chunk()?;
            let (length, remaining) = remaining.split_first_chunk()?;
            let (id, remaining) = remaining.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
            let (key, after) = cbor::parse_leading_map(remaining, CborForm::Canonical).ok()?;
            let key_bytes = remaining.get(..remaining.len() - after.len())?;
            credential = Some(AttestedCredential { aaguid: *aaguid, id, key_bytes, key });
            rest = after;
        }
        if flags & HAS_EXTENSIONS != 0 {
            (_, rest) = cbor::parse_leading_map(rest, CborForm::Canonical).ok()?;
        }
        let counter = u32::from_be_bytes(*counter);
        rest.is_empty().then_some(Self { party_hash, flags, counter, credential })
    }

    /// Checks the RP ID hash, user presence, user verification if required, and the consistency of the backup
    /// flags.
    pub(super) fn check_flags(&self, expected: &WebauthnExpectations<'_>) -> Result<(), WebauthnRejection> {
        let ours = digest(&SHA256, expected.party.id.as_bytes());
        verify_slices_are_equal(ours.as_ref(), self.party_hash)
            .map_err(|_| WebauthnRejection::RelyingParty)?;
        if self.flags & USER_PRESENT == 0 {
            return Err(WebauthnRejection::UserPresence);
        }
        match expected.user_verification {
            UserVerification::Required if !self.is_user_verified() => {
                return Err(WebauthnRejection::UserVerification);
            }
            UserVerification::Required | UserVerification::Preferred => {}
        }
        if self.is_backed_up() && !self.is_backup_eligible() {
            Err(WebauthnRejection::Backup)
        } else {
            Ok(())
        }
    }

    pub(super) const fn is_user_verified(&self) -> bool {
        self.flags & USER_VERIFIED != 0
    }

    pub(super) const fn is_backup_eligible(&self) -> bool {
        self.flags & BACKUP_ELIGIBLE != 0
    }

    pub(super) const fn is_backed_up(&self) -> bool {
        self.flags & BACKED_UP != 0
    }
}
