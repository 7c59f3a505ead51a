//! Ids for requests. They need to be unique, not secret, so their randomness is drawn in bulk: asking the
//! operating system each time would cost more than the rest of a small answer.

use sinete_core::entropy::Entropy;
use sinete_core::id::RequestId;
use sinete_core::time::Timestamp;
use std::sync::{Mutex, PoisonError};

/// Mints the ids of one listener's requests.
pub(crate) struct RequestIds {
    stock: Mutex<Stock>,
}

/// Random bytes, each of which is used once.
struct Stock {
    bytes: [u8; STOCK_BYTES],
    used: usize,
}

const STOCK_BYTES: usize = 1024;

impl RequestIds {
    pub(crate) const fn new() -> Self {
        Self { stock: Mutex::new(Stock { bytes: [0; STOCK_BYTES], used: STOCK_BYTES }) }
    }

    pub(crate) fn mint(&self, now: Timestamp, entropy: &dyn Entropy) -> RequestId {
        RequestId::mint(now, &Drawn { stock: &self.stock, entropy })
    }
}

/// Entropy from the stock, which is filled from the real one when it is used up.
struct Drawn<'a> {
    stock: &'a Mutex<Stock>,
    entropy: &'a dyn Entropy,
}

impl Entropy for Drawn<'_> {
    fn fill(&self, buffer: &mut [u8]) {
        let mut stock = self.stock.lock().unwrap_or_else(PoisonError::into_inner);
        for byte in buffer {
            if stock.used == STOCK_BYTES {
                self.entropy.fill(&mut stock.bytes);
                stock.used = 0;
            }
            *byte = stock.bytes[stock.used];
            stock.used += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::entropy::DangerouslySeeded;
    use std::collections::BTreeSet;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Counted {
        asked: AtomicUsize,
        entropy: DangerouslySeeded,
    }

    impl Entropy for Counted {
        fn fill(&self, buffer: &mut [u8]) {
            self.asked.fetch_add(1, Ordering::Relaxed);
            self.entropy.fill(buffer);
        }
    }

    #[test]
    fn no_byte_is_used_twice_and_the_real_source_is_asked_rarely() {
        let source = Counted { asked: AtomicUsize::new(0), entropy: DangerouslySeeded::new(3) };
        let ids = RequestIds::new();
        let now = Timestamp::from_seconds(1_794_700_323);
        let minted: Vec<_> = (0..1_000).map(|_| ids.mint(now, &source)).collect();
        // All in the same millisecond: only the random part tells them apart.
        let tails: BTreeSet<_> = minted.iter().map(|id| id.as_bytes()[9..].to_vec()).collect();
        assert_eq!(tails.len(), 1_000);
        assert!(source.asked.load(Ordering::Relaxed) < 20);
    }
}
