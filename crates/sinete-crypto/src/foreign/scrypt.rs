//! scrypt (RFC 7914), as PHC strings, as passlib and as Django write it.

use super::{HashComputationFailed, InvalidForeignHash, are_equal, encodings};
use ::scrypt::{Params, scrypt};
use zeroize::Zeroizing;

/// The most memory, in blocks of 128 bytes: 128 MiB.
const BLOCKS_MAX: u64 = 1 << 20;
/// The most blocks that are written in all, over every lane.
const WORK_MAX: u64 = 1 << 21;

/// What scrypt is told about its cost.
pub(super) struct ScryptCostParameters {
    params: Params,
}

impl ScryptCostParameters {
    /// N as a power of two, r and p.
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

    pub(super) fn fill(
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
            Some(phc) => Self::of_phc(phc)?,
            None => Self::of_django(text)?,
        };
        encodings::plausible(&stored.salt, &stored.tag)?;
        Ok(stored)
    }

    /// `ln=14,r=8,p=1$salt$tag`
    fn of_phc(text: &str) -> Result<Self, InvalidForeignHash> {
        let [costs, salt, tag] = encodings::parts(text, '$')?;
        let [log_n, r, p] = encodings::parts(costs, ',')?;
        let costs = ScryptCostParameters::new(
            encodings::named(log_n, "ln=")?,
            encodings::named(r, "r=")?,
            encodings::named(p, "p=")?,
        )?;
        Ok(Self { costs, salt: encodings::bytes(salt)?, tag: encodings::bytes(tag)? })
    }

    /// `scrypt$salt$16384$8$5$tag`, where the salt is text.
    fn of_django(text: &str) -> Result<Self, InvalidForeignHash> {
        let [_, salt, n, r, p, tag] = encodings::parts(text, '$')?;
        let n = encodings::number(n)?;
        if !n.is_power_of_two() {
            return Err(InvalidForeignHash::Malformed);
        }
        let costs = ScryptCostParameters::new(n.ilog2(), encodings::number(r)?, encodings::number(p)?)?;
        Ok(Self { costs, salt: salt.as_bytes().to_vec(), tag: encodings::bytes(tag)? })
    }

    pub(super) fn verify(&self, password: &[u8]) -> Result<bool, HashComputationFailed> {
        let mut tag = Zeroizing::new(vec![0; self.tag.len()]);
        self.costs.fill(password, &self.salt, &mut tag)?;
        Ok(are_equal(&tag, &self.tag))
    }
}
