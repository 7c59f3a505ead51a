//! Ids for requests. They need to be unique, not secret, so their randomness is drawn in bulk: asking the
//! operating system each time would cost more than the rest of a small answer.

use crate::door::X_REQUEST_ID;
use axum::http::header::{HeaderMap, HeaderValue};
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

/// What the caller calls its request, where that is short and printable.
pub(crate) fn called(headers: &HeaderMap) -> Option<HeaderValue> {
    let mut lines = headers.get_all(X_REQUEST_ID).iter();
    let (Some(line), None) = (lines.next(), lines.next()) else { return None };
    let fits =
        (1..=CALLED_BYTES_MAX).contains(&line.len()) && line.as_bytes().iter().all(u8::is_ascii_graphic);
    fits.then(|| line.clone())
}

/// Most bytes in what a caller calls its request.
const CALLED_BYTES_MAX: usize = 128;

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

    #[test]
    fn a_caller_calls_its_request_by_something_short_and_printable_or_by_nothing() {
        let called_by = |lines: &[&str]| {
            let mut headers = HeaderMap::new();
            lines.iter().for_each(|line| {
                headers.append(X_REQUEST_ID, HeaderValue::from_str(line).unwrap());
            });
            called(&headers).map(|line| line.to_str().unwrap().to_owned())
        };
        assert_eq!(called_by(&["bfe9eb29-ab87"]).as_deref(), Some("bfe9eb29-ab87"));
        assert_eq!(called_by(&[&"x".repeat(129)]), None);
        for lines in [&[][..], &[""], &["a b"], &["a", "b"]] {
            assert_eq!(called_by(lines), None, "{lines:?}");
        }
    }
}
