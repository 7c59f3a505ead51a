//! All variants and versions of Argon2, as PHC strings. Our own hashes are in [another
//! module](crate::sign_in::credentials::password).

use super::{HashComputationFailed, InvalidForeignHash, are_equal, encoding};
use argon2::{Algorithm, Argon2, Params, Version};
use zeroize::Zeroizing;

/// Maximum memory, in KiB.
const MEMORY_KIB_MAX: u32 = 131_072;
/// Maximum product of memory in KiB and passes.
const WORK_KIB_MAX: u64 = 524_288;
/// Maximum lanes; they run sequentially and share the memory.
const LANES_MAX: u32 = 16;

pub(super) struct ForeignArgon2Hash {
    algorithm: Algorithm,
    version: Version,
    parameters: Params,
    salt: Vec<u8>,
    tag: Vec<u8>,
}

impl ForeignArgon2Hash {
    /// Parses `$argon2id$v=19$m=65536,t=3,p=4$salt$tag`; the first version has no `v`.
    pub(super) fn parse(text: &str) -> Result<Self, InvalidForeignHash> {
        let text = text.strip_prefix("argon2$").or_else(|| text.strip_prefix('$')).unwrap_or(text);
        let mut parts: Vec<&str> = text.split('$').collect();
        if parts.len() == 4 {
            parts.insert(1, "v=16");
        }
        let [kind, version, costs, salt, tag] =
            <[&str; 5]>::try_from(parts).map_err(|_| InvalidForeignHash::Malformed)?;
        let algorithm = match kind {
            "argon2id" => Algorithm::Argon2id,
            "argon2i" => Algorithm::Argon2i,
            "argon2d" => Algorithm::Argon2d,
            _ => return Err(InvalidForeignHash::UnknownFormat),
        };
        let version = match version {
            "v=16" => Version::V0x10,
            "v=19" => Version::V0x13,
            _ => return Err(InvalidForeignHash::Malformed),
        };
        let [memory, passes, lanes] = encoding::split_parts(costs, ',')?;
        let memory = encoding::parse_named_number(memory, "m=")?;
        let (passes, lanes) =
            (encoding::parse_named_number(passes, "t=")?, encoding::parse_named_number(lanes, "p=")?);
        if memory > MEMORY_KIB_MAX
            || u64::from(memory) * u64::from(passes) > WORK_KIB_MAX
            || lanes > LANES_MAX
        {
            return Err(InvalidForeignHash::TooCostly(
                "Argon2 with more than 128 MiB, or too many passes over it",
            ));
        }
        let (salt, tag) = (encoding::decode_bytes(salt)?, encoding::decode_bytes(tag)?);
        encoding::check_lengths(&salt, &tag)?;
        let parameters =
            Params::new(memory, passes, lanes, Some(tag.len())).map_err(|_| InvalidForeignHash::Malformed)?;
        Ok(Self { algorithm, version, parameters, salt, tag })
    }

    pub(super) fn verify(&self, password: &[u8]) -> Result<bool, HashComputationFailed> {
        let mut tag = Zeroizing::new(vec![0; self.tag.len()]);
        let argon = Argon2::new(self.algorithm, self.version, self.parameters.clone());
        argon.hash_password_into(password, &self.salt, &mut tag).map_err(|_| HashComputationFailed)?;
        Ok(are_equal(&tag, &self.tag))
    }
}
