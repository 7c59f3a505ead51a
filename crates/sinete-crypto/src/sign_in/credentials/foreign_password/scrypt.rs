//! scrypt (RFC 7914), in the formats of PHC, passlib and Django.

use super::{HashComputationFailed, InvalidForeignHash, are_equal, encoding};
use ::scrypt::{Params, scrypt};
use zeroize::Zeroizing;

/// Maximum memory, in blocks of 128 bytes: 128 MiB.
const BLOCKS_MAX: u64 = 1 << 20;
/// Maximum blocks written in total, over all lanes.
const WORK_MAX: u64 = 1 << 21;

/// The cost parameters of scrypt.
pub(super) struct ScryptCostParameters {
    params: Params,
}

impl ScryptCostParameters {
    /// Creates parameters from the logarithm of N, r and p.
    pub(super) fn new(log_n: u32, r: u32, p: u32) -> Result<Self, InvalidForeignHash> {
        let blocks = 1u64.checked_shl(log_n).unwrap_or(u64::MAX).saturating_mul(r.into());
        if blocks > BLOCKS_MAX || blocks.saturating_mul(p.into()) > WORK_MAX {
            return Err(InvalidForeignHash::TooCostly(
                "scrypt with more than 128 MiB, or too many lanes of it",
            ));
        }
        let log_n = u8::try_from(log_n).map_err(|_| InvalidForeignHash::Malformed)?;
        let params = Params::new(log_n, r, p).map_err(|_| InvalidForeignHash::Malformed)?;
        if log_n == 0 { Err(InvalidForeignHash::Malformed) } else { Ok(Self { params }) }
    }

    pub(super) fn derive_key(
        &self,
        password: &[u8],
        salt: &[u8],
        out: &mut [u8],
    ) -> Result<(), HashComputationFailed> {
        scrypt(password, salt, &self.params, out).map_err(|_| HashComputationFailed)
    }
}

pub(super) struct ForeignScryptHash {
    costs: ScryptCostParameters,
    salt: Vec<u8>,
    tag: Vec<u8>,
}

impl ForeignScryptHash {
    pub(super) fn parse(text: &str) -> Result<Self, InvalidForeignHash> {
        let stored = match text.strip_prefix("$scrypt$") {
            Some(phc) => Self::parse_phc(phc)?,
            None => Self::parse_django(text)?,
        };
        encoding::check_lengths(&stored.salt, &stored.tag)?;
        Ok(stored)
    }

    /// Parses `ln=14,r=8,p=1$salt$tag`.
    fn parse_phc(text: &str) -> Result<Self, InvalidForeignHash> {
        let [costs, salt, tag] = encoding::split_parts(text, '$')?;
        let [log_n, r, p] = encoding::split_parts(costs, ',')?;
        let costs = ScryptCostParameters::new(
            encoding::parse_named_number(log_n, "ln=")?,
            encoding::parse_named_number(r, "r=")?,
            encoding::parse_named_number(p, "p=")?,
        )?;
        Ok(Self { costs, salt: encoding::decode_bytes(salt)?, tag: encoding::decode_bytes(tag)? })
    }

    /// Parses `scrypt$salt$16384$8$5$tag`, whose salt is text.
    fn parse_django(text: &str) -> Result<Self, InvalidForeignHash> {
        let [_, salt, n, r, p, tag] = encoding::split_parts(text, '$')?;
        let n = encoding::parse_number(n)?;
        if !n.is_power_of_two() {
            return Err(InvalidForeignHash::Malformed);
        }
        let costs =
            ScryptCostParameters::new(n.ilog2(), encoding::parse_number(r)?, encoding::parse_number(p)?)?;
        Ok(Self { costs, salt: salt.as_bytes().to_vec(), tag: encoding::decode_bytes(tag)? })
    }

    pub(super) fn verify(&self, password: &[u8]) -> Result<bool, HashComputationFailed> {
        let mut tag = Zeroizing::new(vec![0; self.tag.len()]);
        self.costs.derive_key(password, &self.salt, &mut tag)?;
        Ok(are_equal(&tag, &self.tag))
    }
}
