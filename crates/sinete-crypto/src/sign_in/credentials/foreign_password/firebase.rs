//! Firebase's variant of scrypt: the derived bytes are an AES key, and the tag is the project's signer key
//! encrypted with it.

use super::scrypt::ScryptCostParameters;
use super::{HashComputationFailed, InvalidForeignHash, are_equal, encoding};
use aws_lc_rs::cipher::{AES_256, EncryptingKey, EncryptionContext, UnboundCipherKey};
use aws_lc_rs::iv::FixedLength;
use zeroize::Zeroizing;

/// The hash parameters of a project, as the Firebase console shows them.
#[derive(Clone)]
pub struct FirebaseHashParameters {
    signer_key: String,
    salt_separator: String,
    rounds: u32,
    memory: u32,
}

impl FirebaseHashParameters {
    /// Parses the block that the console shows: `base64_signer_key`, `base64_salt_separator`, `rounds` and
    /// `mem_cost`, each with its value on a separate line.
    pub fn parse(text: &str) -> Result<Self, InvalidForeignHash> {
        let value = |name: &str| {
            let line = text.lines().find_map(|line| {
                let rest = line.trim().trim_start_matches('"').strip_prefix(name)?;
                Some(rest.trim_start_matches('"').trim_start().strip_prefix([':', '='])?.trim())
            });
            let value = line.map(|value| value.trim_end_matches(',').trim_matches('"').to_owned());
            value.ok_or(InvalidForeignHash::Malformed)
        };
        let project = Self {
            signer_key: value("base64_signer_key")?,
            salt_separator: value("base64_salt_separator")?,
            rounds: encoding::parse_number(&value("rounds")?)?,
            memory: encoding::parse_number(&value("mem_cost")?)?,
        };
        ScryptCostParameters::new(project.memory, project.rounds, 1)?;
        encoding::decode_bytes(&project.salt_separator)?;
        if encoding::decode_bytes(&project.signer_key)?.len() < 16 {
            return Err(InvalidForeignHash::Malformed);
        }
        Ok(project)
    }

    /// Formats a hash of the project together with all parameters needed to verify it.
    pub fn format_hash(&self, salt: &str, tag: &str) -> String {
        let Self { signer_key, salt_separator, rounds, memory } = self;
        format!("$firebase-scrypt$ln={memory},r={rounds}${salt}${salt_separator}${signer_key}${tag}")
    }
}

impl std::fmt::Debug for FirebaseHashParameters {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("the parameters of a Firebase project")
    }
}

pub(super) struct FirebaseScryptHash {
    costs: ScryptCostParameters,
    salt: Vec<u8>,
    signer_key: Zeroizing<Vec<u8>>,
    tag: Vec<u8>,
}

impl FirebaseScryptHash {
    /// Parses `$firebase-scrypt$ln=14,r=8$salt$separator$signer key$tag`: our own format, because Firebase
    /// stores the parts separately.
    pub(super) fn parse(text: &str) -> Result<Self, InvalidForeignHash> {
        let [_, _, costs, salt, separator, signer_key, tag] = encoding::split_parts(text, '$')?;
        let [memory, rounds] = encoding::split_parts(costs, ',')?;
        let costs = ScryptCostParameters::new(
            encoding::parse_named_number(memory, "ln=")?,
            encoding::parse_named_number(rounds, "r=")?,
            1,
        )?;
        let mut salt = encoding::decode_bytes(salt)?;
        salt.extend(encoding::decode_bytes(separator)?);
        let (signer_key, tag) =
            (Zeroizing::new(encoding::decode_bytes(signer_key)?), encoding::decode_bytes(tag)?);
        encoding::check_lengths(&salt, &tag)?;
        if signer_key.len() != tag.len() {
            return Err(InvalidForeignHash::Malformed);
        }
        Ok(Self { costs, salt, signer_key, tag })
    }

    pub(super) fn verify(&self, password: &[u8]) -> Result<bool, HashComputationFailed> {
        let mut key = Zeroizing::new([0; 32]);
        self.costs.derive_key(password, &self.salt, key.as_mut_slice())?;
        let mut tag = Zeroizing::new(self.signer_key.to_vec());
        let key = UnboundCipherKey::new(&AES_256, key.as_slice()).map_err(|_| HashComputationFailed)?;
        let cipher = EncryptingKey::ctr(key).map_err(|_| HashComputationFailed)?;
        // Every password has its own key, so a counter starting at zero never repeats.
        let start = EncryptionContext::Iv128(FixedLength::from(&[0; 16]));
        cipher.less_safe_encrypt(&mut tag, start).map_err(|_| HashComputationFailed)?;
        Ok(are_equal(&tag, &self.tag))
    }
}
