//! Randomness as an argument. The program hands in the operating system's; tests hand in a seeded one.

/// A source of random bytes.
///
/// Only the program's own implementation reads the operating system's generator; everything else is given
/// one of these, so that a test can repeat what happened.
pub trait Entropy: Send + Sync {
    /// Fills the buffer with bytes nobody can guess.
    fn fill(&self, buffer: &mut [u8]);
}

/// Draws a fixed number of bytes.
pub fn draw<const LENGTH: usize>(entropy: &dyn Entropy) -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    entropy.fill(&mut bytes);
    bytes
}

/// Predictable bytes for tests: the same seed gives the same history. It protects nothing.
#[derive(Debug)]
pub struct DangerouslySeeded {
    seed: u64,
    drawn: std::sync::atomic::AtomicU64,
}

impl DangerouslySeeded {
    /// A generator whose whole output follows from the seed.
    pub const fn new(seed: u64) -> Self {
        Self { seed, drawn: std::sync::atomic::AtomicU64::new(0) }
    }
}

impl Entropy for DangerouslySeeded {
    fn fill(&self, buffer: &mut [u8]) {
        use sha2::Digest as _;
        for chunk in buffer.chunks_mut(32) {
            let turn = self.drawn.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let mut hash = sha2::Sha256::new();
            hash.update(self.seed.to_be_bytes());
            hash.update(turn.to_be_bytes());
            chunk.copy_from_slice(&hash.finalize()[..chunk.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_repeats_and_another_does_not() {
        let (one, same, other) =
            (DangerouslySeeded::new(7), DangerouslySeeded::new(7), DangerouslySeeded::new(8));
        let first: [u8; 40] = draw(&one);
        assert_eq!(first, draw::<40>(&same));
        assert_ne!(first, draw::<40>(&one));
        assert_ne!(first, draw::<40>(&other));
    }
}
