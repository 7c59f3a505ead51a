//! Development keys, which can be recognized from the key alone.
//!
//! A comment in a file or a flag in a database is lost when only the key is copied to another instance.
//! Therefore the mark is part of the key itself, where it cannot be removed without creating another key, and
//! where no production key has it by accident:
//!
//! - An RSA key has the public exponent [`EXPONENT`]. Production keys have 65537, and no other exponent is
//!   accepted.
//! - The private key of an EC or Ed25519 key is 16 random bytes followed by a digest of those bytes under a
//!   fixed label. A production key has this form with a probability of 2⁻¹²⁸.
//!
//! This halves the randomness; the remaining 128 bits cannot be guessed and suffice for development.

use super::InvalidSigningKey;
use super::der::DerReader;
use aws_lc_rs::digest::{self, SHA256};
use aws_lc_rs::encoding::{AsDer as _, Pkcs8V1Der};
use aws_lc_rs::rsa;
use sinete_core::entropy::{Entropy, draw_bytes};
use zeroize::Zeroizing;

/// The public exponent of RSA development keys: a prime below 2³¹, which every verifier accepts.
pub const EXPONENT: u32 = 0x534e_454d;

const LABEL: &[u8] = b"sinete development key";

/// Generates the private key of an EC or Ed25519 development key.
pub fn mint_private_key(entropy: &dyn Entropy) -> Zeroizing<[u8; 32]> {
    let random = Zeroizing::new(draw_bytes::<16>(entropy));
    let mut private = Zeroizing::new([0; 32]);
    private[..16].copy_from_slice(&*random);
    private[16..].copy_from_slice(&compute_mark(&random));
    private
}

/// Whether an EC or Ed25519 private key is that of a development key.
pub fn is_development_key(private: &[u8]) -> bool {
    let Some((random, mark)) = private.split_first_chunk::<16>() else { return false };
    mark == compute_mark(random)
}

fn compute_mark(random: &[u8; 16]) -> [u8; 16] {
    let mut hash = digest::Context::new(&SHA256);
    hash.update(LABEL);
    hash.update(random);
    let mut mark = [0; 16];
    mark.copy_from_slice(&hash.finish().as_ref()[..16]);
    mark
}

/// Generates an RSA key with the exponent of development keys.
///
/// The library generates keys with 65537 only. The primes of such a key also work with another exponent: only
/// the private exponents must be computed again. None of this runs in constant time, which is acceptable for
/// a key that protects nothing.
pub fn generate_rsa(size: rsa::KeySize) -> Result<rsa::KeyPair, InvalidSigningKey> {
    // An attempt fails if the exponent divides the totient, which has a probability of about 2⁻³⁰.
    for _ in 0..4 {
        let ordinary = rsa::KeyPair::generate(size).map_err(|_| InvalidSigningKey::GenerationFailed)?;
        let pkcs8: Pkcs8V1Der<'_> = ordinary.as_der().map_err(|_| InvalidSigningKey::GenerationFailed)?;
        if let Some(marked) = with_exponent(pkcs8.as_ref()) {
            return Ok(marked);
        }
    }
    Err(InvalidSigningKey::GenerationFailed)
}

fn with_exponent(pkcs8: &[u8]) -> Option<rsa::KeyPair> {
    let mut info = DerReader::new(pkcs8).enter_sequence()?;
    info.read_integer()?;
    info.enter_sequence()?;
    let mut numbers = DerReader::new(info.read_element(super::der::DerTag::OctetString)?).enter_sequence()?;
    numbers.read_integer()?;
    let n = numbers.read_integer()?;
    numbers.read_integer()?; // e
    numbers.read_integer()?; // d
    let (p, q) = (numbers.read_integer()?, numbers.read_integer()?);
    numbers.read_integer()?; // d mod (p - 1)
    numbers.read_integer()?; // d mod (q - 1)
    let inverse_of_q = numbers.read_integer()?;
    // (p - 1)(q - 1) = (n - 1) - (p - 1) - (q - 1), and all three numbers are odd.
    let totient = subtract(&subtract(&subtract_one(n), &subtract_one(p)), &subtract_one(q));
    let components = rsa::KeyPairComponents {
        public_key: rsa::PublicKeyComponents { n, e: &EXPONENT.to_be_bytes()[..] },
        d: &inverse_of_exponent(&totient)?[..],
        p,
        q,
        dP: &inverse_of_exponent(&subtract_one(p))?[..],
        dQ: &inverse_of_exponent(&subtract_one(q))?[..],
        qInv: inverse_of_q,
    };
    rsa::KeyPair::from_components(&components).ok()
}

/// Subtracts one from an odd number.
fn subtract_one(odd: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut number = Zeroizing::new(odd.to_vec());
    if let Some(last) = number.last_mut() {
        *last &= 0xfe;
    }
    number
}

/// Subtracts a smaller number.
fn subtract(number: &[u8], smaller: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut difference = Zeroizing::new(number.to_vec());
    let mut borrowed = false;
    let missing = std::iter::repeat(&0);
    for (byte, less) in difference.iter_mut().rev().zip(smaller.iter().rev().chain(missing)) {
        let (once, first) = byte.overflowing_sub(*less);
        let (twice, second) = once.overflowing_sub(u8::from(borrowed));
        (*byte, borrowed) = (twice, first || second);
    }
    difference
}

/// The multiplicative inverse of the exponent modulo `modulus`.
///
/// The exponent is small, so there is a small `k` for which it divides `k · modulus + 1`; the quotient is the
/// inverse.
fn inverse_of_exponent(modulus: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let exponent = u64::from(EXPONENT);
    let rest = modulus.iter().fold(0, |rest, byte| (rest << 8 | u64::from(*byte)) % exponent);
    if rest == 0 {
        return None;
    }
    let factor = exponent - modular_power(rest, exponent - 2, exponent);
    let mut carry = 1;
    let mut product = Zeroizing::new(vec![0_u8; modulus.len() + 4]);
    for (digit, byte) in product.iter_mut().rev().zip(modulus.iter().rev().chain(std::iter::repeat(&0))) {
        carry += factor * u64::from(*byte);
        *digit = carry.to_le_bytes()[0];
        carry >>= 8;
    }
    let mut rest = 0;
    for digit in product.iter_mut() {
        rest = rest << 8 | u64::from(*digit);
        *digit = u8::try_from(rest / exponent).ok()?;
        rest %= exponent;
    }
    Some(product)
}

/// Computes `base` to the power of `times` modulo `modulus`. By Fermat's little theorem, the power of a prime
/// minus two is the inverse modulo that prime.
fn modular_power(mut base: u64, mut times: u64, modulus: u64) -> u64 {
    let mut result = 1;
    while times > 0 {
        if times & 1 == 1 {
            result = result * base % modulus;
        }
        base = base * base % modulus;
        times >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sinete_core::entropy::DangerouslySeededEntropy;

    fn number(bytes: &[u8]) -> u128 {
        bytes.iter().fold(0, |number, byte| number << 8 | u128::from(*byte))
    }

    #[test]
    fn development_key_exponent_is_a_prime_accepted_by_every_verifier() {
        let exponent = u64::from(EXPONENT);
        let is_prime = (2..=exponent.isqrt()).all(|divisor| exponent % divisor != 0);
        assert!(is_prime && (65_537..1 << 31).contains(&exponent));
    }

    #[test]
    fn development_key_marking_is_recognized_and_lost_when_changed() {
        let private = mint_private_key(&DangerouslySeededEntropy::new(1));
        assert!(is_development_key(&*private));
        for index in 0..32 {
            let mut changed = private.clone();
            changed[index] ^= 1;
            assert!(!is_development_key(&*changed));
        }
        assert!(!is_development_key(&private[..31]));
        assert!(!is_development_key(&[]));
    }

    proptest! {
        #[test]
        fn big_number_arithmetic_matches_small_numbers(large in any::<u64>(), small in any::<u64>()) {
            let (large, small) = (large.max(small), large.min(small));
            let difference = subtract(&large.to_be_bytes(), &small.to_be_bytes());
            prop_assert_eq!(number(&difference), u128::from(large - small));
            prop_assert_eq!(number(&subtract_one(&(large | 1).to_be_bytes())), u128::from((large | 1) - 1));
        }

        #[test]
        fn big_number_inverse_of_the_exponent_is_correct(modulus in 1_u64 << 32..u64::MAX) {
            if let Some(inverse) = inverse_of_exponent(&modulus.to_be_bytes()) {
                let product = number(&inverse) * u128::from(EXPONENT);
                prop_assert_eq!(product % u128::from(modulus), 1);
                prop_assert!(number(&inverse) < u128::from(modulus));
            } else {
                prop_assert_eq!(modulus % u64::from(EXPONENT), 0);
            }
        }

        #[test]
        fn production_keys_are_not_marked_as_development_keys(private in any::<[u8; 32]>()) {
            prop_assert!(!is_development_key(&private));
        }
    }
}
