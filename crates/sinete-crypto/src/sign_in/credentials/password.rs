//! Passwords as Argon2id hashes (RFC 9106), in the PHC string form.
//!
//! The string names its own cost, so that a stored hash is checked at the cost it was made with and made anew
//! when the configured cost changes. Only Argon2id in its current version is read, and only within bounds: a
//! row that somebody else wrote cannot make a check cost gigabytes. A pepper is a key kept outside the
//! database; the hash names which one it was made with.

use argon2::{Algorithm, Argon2, AssociatedData, Block, ParamsBuilder, Version};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD as BASE64;
use std::cell::RefCell;
use zeroize::Zeroizing;

/// How long the salt of a new hash is.
pub const SALT_BYTES: usize = 16;
/// How long the tag of a new hash is.
pub const TAG_BYTES: usize = 32;
/// The most memory a hash may take, in KiB.
pub const MEMORY_KIB_MAX: u32 = 262_144;
/// The most passes a hash may take.
pub const PASSES_MAX: u32 = 16;
/// The most lanes a hash may have.
pub const LANES_MAX: u32 = 16;
/// The longest string that is read as a hash.
const STORED_LENGTH_MAX: usize = 300;
const SALT_BYTES_READ: std::ops::RangeInclusive<usize> = 8..=64;
const TAG_BYTES_READ: std::ops::RangeInclusive<usize> = 16..=64;
/// RFC 9106 §3.1 calls it 0x13.
const VERSION: u32 = 19;

/// The most memory a thread keeps between two hashes, in blocks of a KiB.
const BLOCKS_KEPT_MAX: usize = 65_536;

thread_local! {
    /// The memory of the hash before. Few threads hash, one password after another: taking so much from the system and
    /// giving it back each time costs more than it is worth, and what is given back is not always taken.
    static MEMORY: RefCell<Vec<Block>> = const { RefCell::new(Vec::new()) };
}

/// What a hash costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argon2Parameters {
    /// Memory, in KiB.
    pub memory_kib: u32,
    /// Passes over that memory.
    pub passes: u32,
    /// Lanes; they run one after the other.
    pub lanes: u32,
}

impl Default for Argon2Parameters {
    fn default() -> Self {
        Self { memory_kib: 19_456, passes: 2, lanes: 1 }
    }
}

impl Argon2Parameters {
    /// Whether Argon2 is defined for these figures and they stay within our bounds.
    pub const fn are_within_bounds(&self) -> bool {
        1 <= self.lanes
            && self.lanes <= LANES_MAX
            && 8 * self.lanes <= self.memory_kib
            && self.memory_kib <= MEMORY_KIB_MAX
            && 1 <= self.passes
            && self.passes <= PASSES_MAX
    }
}

/// A key mixed into hashes and kept outside the database.
pub struct PasswordPepper {
    id: String,
    key: Zeroizing<Vec<u8>>,
}

impl PasswordPepper {
    /// A pepper under the name that its hashes carry: up to 16 letters, digits and hyphens; its key is
    /// 16 to 64 bytes.
    pub fn new(id: &str, key: &[u8]) -> Option<Self> {
        let named = (1..=16).contains(&id.len()) && id.bytes().all(is_name_byte);
        let fits = named && (16..=64).contains(&key.len());
        fits.then(|| Self { id: id.to_owned(), key: Zeroizing::new(key.to_vec()) })
    }
}

impl std::fmt::Debug for PasswordPepper {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Pepper {}", self.id)
    }
}

/// Why no hash could be made. Only parameters out of bounds or a machine without memory make this happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PasswordHashingError {
    /// The configured cost is not one we hash at.
    #[error("the parameters of the password hash are out of bounds")]
    OutOfBounds,
    /// The library did not answer, most likely for want of memory.
    #[error("the password could not be hashed")]
    Library,
}

/// Why a stored hash says nothing about a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PasswordVerificationError {
    /// It is not an Argon2id hash within bounds.
    #[error("the stored password hash is not in a form this program knows")]
    UnknownForm,
    /// It was made with a pepper we do not have.
    #[error("the stored password hash was made with a pepper that is not configured")]
    UnknownPepper,
    /// The library did not answer, most likely for want of memory.
    #[error("the password could not be hashed")]
    Library,
}

/// The hash of a password, as it is stored.
pub fn hash_password(
    password: &[u8],
    salt: &[u8; SALT_BYTES],
    parameters: &Argon2Parameters,
    pepper: Option<&PasswordPepper>,
) -> Result<String, PasswordHashingError> {
    if !parameters.are_within_bounds() {
        return Err(PasswordHashingError::OutOfBounds);
    }
    let mut tag = Zeroizing::new([0; TAG_BYTES]);
    let work = Argon2Inputs { parameters, key: pepper.map_or(&[], |pepper| &pepper.key), associated: &[] };
    work.compute_tag(password, salt, tag.as_mut_slice()).ok_or(PasswordHashingError::Library)?;
    let Argon2Parameters { memory_kib, passes, lanes } = parameters;
    let keyid = pepper.map(|pepper| format!(",keyid={}", pepper.id)).unwrap_or_default();
    let (salt, tag) = (BASE64.encode(salt), BASE64.encode(tag.as_slice()));
    Ok(format!("$argon2id$v={VERSION}$m={memory_kib},t={passes},p={lanes}{keyid}${salt}${tag}"))
}

/// Whether the stored hash is the one of this password. A hash made with a pepper needs that pepper among
/// the ones given.
pub fn verify_password(
    password: &[u8],
    stored: &str,
    peppers: &[PasswordPepper],
) -> Result<bool, PasswordVerificationError> {
    let stored = StoredArgon2Hash::parse(stored).ok_or(PasswordVerificationError::UnknownForm)?;
    let key: &[u8] = match &stored.pepper {
        None => &[],
        Some(id) => match peppers.iter().find(|pepper| pepper.id == *id) {
            None => return Err(PasswordVerificationError::UnknownPepper),
            Some(pepper) => &pepper.key,
        },
    };
    let mut tag = Zeroizing::new(vec![0; stored.tag.len()]);
    let work = Argon2Inputs { parameters: &stored.parameters, key, associated: &[] };
    work.compute_tag(password, &stored.salt, &mut tag).ok_or(PasswordVerificationError::Library)?;
    Ok(verify_slices_are_equal(&tag, &stored.tag).is_ok())
}

/// Whether a password that has just been verified should be hashed anew: another cost, another pepper or
/// another length than a new hash would have.
pub fn needs_rehash(stored: &str, parameters: &Argon2Parameters, pepper: Option<&PasswordPepper>) -> bool {
    let Some(stored) = StoredArgon2Hash::parse(stored) else { return true };
    stored.parameters != *parameters
        || stored.pepper != pepper.map(|pepper| pepper.id.as_str())
        || stored.salt.len() != SALT_BYTES
        || stored.tag.len() != TAG_BYTES
}

/// A stored hash, read.
struct StoredArgon2Hash<'a> {
    parameters: Argon2Parameters,
    pepper: Option<&'a str>,
    salt: Vec<u8>,
    tag: Vec<u8>,
}

impl<'a> StoredArgon2Hash<'a> {
    /// `$argon2id$v=19$m=…,t=…,p=…[,keyid=…]$salt$tag`, in exactly this order.
    fn parse(text: &'a str) -> Option<Self> {
        if text.len() > STORED_LENGTH_MAX {
            return None;
        }
        let rest = text.strip_prefix("$argon2id$v=19$")?;
        let mut parts = rest.split('$');
        let (costs, salt, tag) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        let mut costs = costs.split(',');
        let parameters = Argon2Parameters {
            memory_kib: parse_figure(costs.next()?, "m=")?,
            passes: parse_figure(costs.next()?, "t=")?,
            lanes: parse_figure(costs.next()?, "p=")?,
        };
        let pepper = match costs.next() {
            None => None,
            Some(named) => Some(named.strip_prefix("keyid=").filter(|id| id.bytes().all(is_name_byte))?),
        };
        let (salt, tag) = (BASE64.decode(salt).ok()?, BASE64.decode(tag).ok()?);
        let fits = costs.next().is_none()
            && parameters.are_within_bounds()
            && SALT_BYTES_READ.contains(&salt.len())
            && TAG_BYTES_READ.contains(&tag.len());
        fits.then_some(Self { parameters, pepper, salt, tag })
    }
}

/// A decimal number after its name, without sign or leading zero.
fn parse_figure(text: &str, name: &str) -> Option<u32> {
    let digits = text.strip_prefix(name)?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    if plain { digits.parse().ok() } else { None }
}

const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

/// What a tag is computed from beside password and salt.
struct Argon2Inputs<'a> {
    parameters: &'a Argon2Parameters,
    key: &'a [u8],
    associated: &'a [u8],
}

impl Argon2Inputs<'_> {
    fn compute_tag(&self, password: &[u8], salt: &[u8], tag: &mut [u8]) -> Option<()> {
        let mut builder = ParamsBuilder::new();
        builder
            .m_cost(self.parameters.memory_kib)
            .t_cost(self.parameters.passes)
            .p_cost(self.parameters.lanes)
            .output_len(tag.len())
            .data(AssociatedData::new(self.associated).ok()?);
        let parameters = builder.build().ok()?;
        let argon =
            Argon2::new_with_secret(self.key, Algorithm::Argon2id, Version::V0x13, parameters).ok()?;
        let blocks = argon.params().block_count();
        MEMORY.with_borrow_mut(|memory| {
            if memory.len() < blocks {
                // What was kept is given back before more is taken.
                *memory = Vec::new();
                memory.try_reserve_exact(blocks).ok()?;
                memory.resize(blocks, Block::default());
            }
            let done = argon.hash_password_into_with_memory(password, salt, tag, &mut *memory).ok();
            if memory.len() > BLOCKS_KEPT_MAX {
                *memory = Vec::new();
            }
            done
        })
    }
}

#[cfg(test)]
mod tests;
