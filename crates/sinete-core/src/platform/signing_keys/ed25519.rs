//! Detection of weak Ed25519 public keys.

use std::cmp::Ordering;

/// Whether a public key is weak: a point of small order, for which signatures can be forged without a private
/// key, or an encoding that RFC 8032 §5.1.3 does not decode. Every key supplied by others is checked here.
pub fn is_weak_public_key(key: &[u8; 32]) -> bool {
    let mut y = *key;
    // The highest bit is the sign of the x coordinate.
    y[31] &= 0x7f;
    !is_canonical(&y) || SMALL_ORDER.contains(&y)
}

/// Whether a little-endian number is below the field prime, 2^255 - 19.
fn is_canonical(y: &[u8; 32]) -> bool {
    y.iter().rev().cmp(PRIME.iter().rev()) == Ordering::Less
}

const PRIME: [u8; 32] = near_field_prime(0xed);

/// The y coordinates of the eight points whose order divides the cofactor.
const SMALL_ORDER: [[u8; 32]; 5] = [
    // The neutral element: 1.
    {
        let mut one = [0; 32];
        one[0] = 1;
        one
    },
    // Order 2: -1.
    near_field_prime(0xec),
    // Order 4: 0.
    [0; 32],
    // Order 8.
    [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5,
        0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ],
    [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a,
        0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
    ],
];

/// The number 2^255 - 256 + `lowest`.
const fn near_field_prime(lowest: u8) -> [u8; 32] {
    let mut bytes = [0xff; 32];
    bytes[0] = lowest;
    bytes[31] = 0x7f;
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ed25519_small_order_and_invalid_points_are_weak() {
        for y in SMALL_ORDER.into_iter().chain([
            near_field_prime(0xed),
            near_field_prime(0xee),
            near_field_prime(0xff),
        ]) {
            for sign in [0, 0x80] {
                let mut key = y;
                key[31] |= sign;
                assert!(is_weak_public_key(&key), "{key:02x?}");
            }
        }
    }

    #[test]
    fn ed25519_keys_that_sign_are_not_weak() {
        // RFC 8032 §7.1, test 1, and the base point itself.
        let first = [
            0xd7, 0x5a, 0x98, 0x01, 0x82, 0xb1, 0x0a, 0xb7, 0xd5, 0x4b, 0xfe, 0xd3, 0xc9, 0x64, 0x07, 0x3a,
            0x0e, 0xe1, 0x72, 0xf3, 0xda, 0xa6, 0x23, 0x25, 0xaf, 0x02, 0x1a, 0x68, 0xf7, 0x07, 0x51, 0x1a,
        ];
        let mut base = [0x66; 32];
        base[0] = 0x58;
        assert!(
            !is_weak_public_key(&first)
                && !is_weak_public_key(&base)
                && !is_weak_public_key(&near_field_prime(0xeb))
        );
    }
}
