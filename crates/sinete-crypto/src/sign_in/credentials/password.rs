//! Passwords as Argon2id hashes (RFC 9106) in the PHC string format.
//!
//! The string names its own cost: a stored hash is verified at that cost, and replaced when the configured
//! cost changes. Only the current version of Argon2id is accepted, and only within limits, so that a
//! manipulated row cannot make verification take gigabytes. A pepper is a key stored outside the database;
//! the hash names the pepper it was made with.

use argon2::{Algorithm, Argon2, AssociatedData, Block, ParamsBuilder, Version};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD as BASE64;
use std::cell::RefCell;
use zeroize::Zeroizing;

/// The salt length of new hashes, in bytes.
pub const SALT_BYTES: usize = 16;
/// The tag length of new hashes, in bytes.
pub const TAG_BYTES: usize = 32;
/// The maximum memory of a hash, in KiB.
pub const MEMORY_KIB_MAX: u32 = 262_144;
/// The maximum passes of a hash.
pub const PASSES_MAX: u32 = 16;
/// The maximum lanes of a hash.
pub const LANES_MAX: u32 = 16;
/// The maximum length of a stored hash.
const STORED_LENGTH_MAX: usize = 300;
const SALT_BYTES_ACCEPTED: std::ops::RangeInclusive<usize> = 8..=64;
const TAG_BYTES_ACCEPTED: std::ops::RangeInclusive<usize> = 16..=64;
/// RFC 9106 §3.1 calls it 0x13.
const VERSION: u32 = 19;

/// The maximum memory that a thread keeps between two hashes, in blocks of 1 KiB.
const RETAINED_BLOCKS_MAX: usize = 65_536;

thread_local! {
    /// The memory of the previous hash. A few threads hash one password after another: allocating and freeing
    /// this much each time is expensive, and freed memory is not always returned to the system.
    static MEMORY: RefCell<Vec<Block>> = const { RefCell::new(Vec::new()) };
}

/// The cost parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argon2Parameters {
    /// Memory, in KiB.
    pub memory_kib: u32,
    /// Passes over the memory.
    pub passes: u32,
    /// Lanes; they run sequentially.
    pub lanes: u32,
}

impl Default for Argon2Parameters {
    fn default() -> Self {
        Self { memory_kib: 19_456, passes: 2, lanes: 1 }
    }
}

impl Argon2Parameters {
    /// Whether the parameters are valid for Argon2 and within our limits.
    pub const fn are_within_bounds(&self) -> bool {
        1 <= self.lanes
            && self.lanes <= LANES_MAX
            && 8 * self.lanes <= self.memory_kib
            && self.memory_kib <= MEMORY_KIB_MAX
            && 1 <= self.passes
            && self.passes <= PASSES_MAX
    }
}

/// A key that is mixed into hashes and stored outside the database.
pub struct PasswordPepper {
    id: String,
    key: Zeroizing<Vec<u8>>,
}

impl PasswordPepper {
    /// Creates a pepper with the id that its hashes name: up to 16 letters, digits and hyphens; the key is 16
    /// to 64 bytes.
    pub fn new(id: &str, key: &[u8]) -> Option<Self> {
        let has_valid_id = (1..=16).contains(&id.len()) && id.bytes().all(is_name_byte);
        let fits = has_valid_id && (16..=64).contains(&key.len());
        fits.then(|| Self { id: id.to_owned(), key: Zeroizing::new(key.to_vec()) })
    }
}

impl std::fmt::Debug for PasswordPepper {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Pepper {}", self.id)
    }
}

/// Why hashing failed. Happens only with parameters out of bounds or without memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PasswordHashingError {
    /// The configured cost is out of bounds.
    #[error("the parameters of the password hash are out of bounds")]
    OutOfBounds,
    /// The library failed, most likely for lack of memory.
    #[error("the password could not be hashed")]
    Library,
}

/// Why a stored hash cannot be verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PasswordVerificationError {
    /// It is not an Argon2id hash within bounds.
    #[error("the stored password hash has an unknown format")]
    UnknownFormat,
    /// It was made with an unknown pepper.
    #[error("the stored password hash was made with a pepper that is not configured")]
    UnknownPepper,
    /// The library failed, most likely for lack of memory.
    #[error("the password could not be hashed")]
    Library,
}

/// Hashes a password for storage.
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
    let argon2_inputs =
        Argon2Inputs { parameters, key: pepper.map_or(&[], |pepper| &pepper.key), associated_data: &[] };
    argon2_inputs.compute_tag(password, salt, tag.as_mut_slice()).ok_or(PasswordHashingError::Library)?;
    let Argon2Parameters { memory_kib, passes, lanes } = parameters;
    let keyid = pepper.map(|pepper| format!(",keyid={}", pepper.id)).unwrap_or_default();
    let (salt, tag) = (BASE64.encode(salt), BASE64.encode(tag.as_slice()));
    Ok(format!("$argon2id$v={VERSION}$m={memory_kib},t={passes},p={lanes}{keyid}${salt}${tag}"))
}

/// Verifies a password against a stored hash. A peppered hash needs its pepper in `peppers`.
pub fn verify_password(
    password: &[u8],
    stored: &str,
    peppers: &[PasswordPepper],
) -> Result<bool, PasswordVerificationError> {
    let stored = StoredArgon2Hash::parse(stored).ok_or(PasswordVerificationError::UnknownFormat)?;
    let key: &[u8] = match &stored.pepper {
        None => &[],
        Some(id) => match peppers.iter().find(|pepper| pepper.id == *id) {
            None => return Err(PasswordVerificationError::UnknownPepper),
            Some(pepper) => &pepper.key,
        },
    };
    let mut tag = Zeroizing::new(vec![0; stored.tag.len()]);
    let argon2_inputs = Argon2Inputs { parameters: &stored.parameters, key, associated_data: &[] };
    argon2_inputs.compute_tag(password, &stored.salt, &mut tag).ok_or(PasswordVerificationError::Library)?;
    Ok(verify_slices_are_equal(&tag, &stored.tag).is_ok())
}

/// Whether a password that was just verified should be hashed again: cost, pepper or lengths differ from
/// those of a new hash.
pub fn needs_rehash(stored: &str, parameters: &Argon2Parameters, pepper: Option<&PasswordPepper>) -> bool {
    let Some(stored) = StoredArgon2Hash::parse(stored) else { return true };
    stored.parameters != *parameters
        || stored.pepper != pepper.map(|pepper| pepper.id.as_str())
        || stored.salt.len() != SALT_BYTES
        || stored.tag.len() != TAG_BYTES
}

/// A parsed stored hash.
struct StoredArgon2Hash<'a> {
    parameters: Argon2Parameters,
    pepper: Option<&'a str>,
    salt: Vec<u8>,
    tag: Vec<u8>,
}

impl<'a> StoredArgon2Hash<'a> {
    /// Parses `$argon2id$v=19$m=…,t=…,p=…[,keyid=…]$salt$tag`, in exactly this order.
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
            Some(name) => Some(name.strip_prefix("keyid=").filter(|id| id.bytes().all(is_name_byte))?),
        };
        let (salt, tag) = (BASE64.decode(salt).ok()?, BASE64.decode(tag).ok()?);
        let fits = costs.next().is_none()
            && parameters.are_within_bounds()
            && SALT_BYTES_ACCEPTED.contains(&salt.len())
            && TAG_BYTES_ACCEPTED.contains(&tag.len());
        fits.then_some(Self { parameters, pepper, salt, tag })
    }
}

/// Parses a decimal number after its name, without sign or leading zero.
fn parse_figure(text: &str, name: &str) -> Option<u32> {
    let digits = text.strip_prefix(name)?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    if plain { digits.parse().ok() } else { None }
}

const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

/// The inputs of a tag other than password and salt.
struct Argon2Inputs<'a> {
    parameters: &'a Argon2Parameters,
    key: &'a [u8],
    associated_data: &'a [u8],
}

impl Argon2Inputs<'_> {
    fn compute_tag(&self, password: &[u8], salt: &[u8], tag: &mut [u8]) -> Option<()> {
        let mut builder = ParamsBuilder::new();
        builder
            .m_cost(self.parameters.memory_kib)
            .t_cost(self.parameters.passes)
            .p_cost(self.parameters.lanes)
            .output_len(tag.len())
            .data(AssociatedData::new(self.associated_data).ok()?);
        let parameters = builder.build().ok()?;
        let argon =
            Argon2::new_with_secret(self.key, Algorithm::Argon2id, Version::V0x13, parameters).ok()?;
        let blocks = argon.params().block_count();
        MEMORY.with_borrow_mut(|memory| {
            if memory.len() < blocks {
                // The kept memory is freed before more is allocated.
                *memory = Vec::new();
                memory.try_reserve_exact(blocks).ok()?;
                memory.resize(blocks, Block::default());
            }
            let result = argon.hash_password_into_with_memory(password, salt, tag, &mut *memory).ok();
            if memory.len() > RETAINED_BLOCKS_MAX {
                *memory = Vec::new();
            }
            result
        })
    }
}

#[cfg(test)]
mod tests;
