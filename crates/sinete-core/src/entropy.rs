//! Randomness as an argument: the program passes the operating system's generator, tests pass a seeded one.

use std::sync::{Mutex, PoisonError};

/// A source of random bytes.
///
/// Only the program's implementation reads the operating system's generator. All other code receives the
/// source as an argument, so that tests are reproducible.
pub trait Entropy: Send + Sync {
    /// Fills the buffer with unpredictable bytes.
    fn fill(&self, buffer: &mut [u8]);
}

/// Draws a fixed number of bytes.
pub fn draw_bytes<const LENGTH: usize>(entropy: &dyn Entropy) -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    entropy.fill(&mut bytes);
    bytes
}

/// A buffer of random bytes, each used once. For values that must be unique but are not secret: calling the
/// operating system each time would cost more than the rest of a small response.
#[derive(Debug)]
pub struct EntropyBuffer(Mutex<EntropyBufferState>);

#[derive(Debug)]
struct EntropyBufferState {
    bytes: [u8; BUFFER_BYTES],
    used: usize,
}

const BUFFER_BYTES: usize = 1024;

impl EntropyBuffer {
    /// Creates an empty buffer, which is filled at first use.
    pub const fn new() -> Self {
        Self(Mutex::new(EntropyBufferState { bytes: [0; BUFFER_BYTES], used: BUFFER_BYTES }))
    }

    /// Returns the buffer as a source that refills itself from `source`.
    pub fn with_source<'a>(&'a self, source: &'a dyn Entropy) -> impl Entropy + 'a {
        BufferedEntropy { buffer: self, source }
    }
}

impl Default for EntropyBuffer {
    fn default() -> Self {
        Self::new()
    }
}

struct BufferedEntropy<'a> {
    buffer: &'a EntropyBuffer,
    source: &'a dyn Entropy,
}

impl Entropy for BufferedEntropy<'_> {
    fn fill(&self, mut buffer: &mut [u8]) {
        let mut buffer_state = self.buffer.0.lock().unwrap_or_else(PoisonError::into_inner);
        while !buffer.is_empty() {
            if buffer_state.used == BUFFER_BYTES {
                self.source.fill(&mut buffer_state.bytes);
                buffer_state.used = 0;
            }
            let length = buffer.len().min(BUFFER_BYTES - buffer_state.used);
            let (now, later) = buffer.split_at_mut(length);
            now.copy_from_slice(&buffer_state.bytes[buffer_state.used..buffer_state.used + length]);
            buffer_state.used += length;
            buffer = later;
        }
    }
}

/// Predictable bytes for tests: the same seed gives the same sequence. It offers no security.
#[derive(Debug)]
pub struct DangerouslySeededEntropy {
    seed: u64,
    bytes_drawn: std::sync::atomic::AtomicU64,
}

impl DangerouslySeededEntropy {
    /// Creates a generator whose output follows from the seed.
    pub const fn new(seed: u64) -> Self {
        Self { seed, bytes_drawn: std::sync::atomic::AtomicU64::new(0) }
    }
}

impl Entropy for DangerouslySeededEntropy {
    fn fill(&self, buffer: &mut [u8]) {
        use sha2::Digest as _;
        for chunk in buffer.chunks_mut(32) {
            let turn = self.bytes_drawn.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
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
    fn entropy_buffer_never_reuses_a_byte_and_rarely_reads_its_source() {
        struct CountingEntropy(std::sync::atomic::AtomicU64);
        impl Entropy for CountingEntropy {
            fn fill(&self, buffer: &mut [u8]) {
                for pair in buffer.chunks_mut(8) {
                    let next = self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    pair.copy_from_slice(&next.to_be_bytes()[..pair.len()]);
                }
            }
        }
        let (source, stock) = (CountingEntropy(0.into()), EntropyBuffer::new());
        let mut drawn_bytes = Vec::new();
        for length in (0..4_000).map(|turn| turn % 41) {
            let mut bytes = vec![0; length];
            stock.with_source(&source).fill(&mut bytes);
            drawn_bytes.extend(bytes);
        }
        let counters: Vec<u64> =
            drawn_bytes.chunks_exact(8).map(|eight| u64::from_be_bytes(eight.try_into().unwrap())).collect();
        assert_eq!(counters, (0..counters.len() as u64).collect::<Vec<_>>());
        let filled = source.0.into_inner() * 8;
        assert!(filled - drawn_bytes.len() as u64 <= BUFFER_BYTES as u64);
    }

    #[test]
    fn seeded_entropy_repeats_for_the_same_seed_only() {
        let (one, same, other) = (
            DangerouslySeededEntropy::new(7),
            DangerouslySeededEntropy::new(7),
            DangerouslySeededEntropy::new(8),
        );
        let first: [u8; 40] = draw_bytes(&one);
        assert_eq!(first, draw_bytes::<40>(&same));
        assert_ne!(first, draw_bytes::<40>(&one));
        assert_ne!(first, draw_bytes::<40>(&other));
    }
}
