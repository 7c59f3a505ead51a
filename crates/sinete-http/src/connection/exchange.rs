//! What the parts of one connection tell each other: how many requests began and ended on it, whether it
//! should close, and whether its client may still be sending.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[derive(Debug, Default)]
pub(crate) struct ExchangeProgress {
    begun: AtomicU64,
    ended: AtomicU64,
    closing: AtomicBool,
    unread: AtomicBool,
}

/// A request in progress, until its answer has been handed over whole.
pub(crate) struct ExchangeGuard(Arc<ExchangeProgress>);

impl ExchangeProgress {
    pub(crate) fn begin_request(self: &Arc<Self>) -> ExchangeGuard {
        self.begun.fetch_add(1, Ordering::AcqRel);
        ExchangeGuard(Arc::clone(self))
    }

    /// How many requests have begun.
    pub(crate) fn requests_begun(&self) -> u64 {
        self.begun.load(Ordering::Acquire)
    }

    /// How often a request began or ended.
    pub(crate) fn event_count(&self) -> u64 {
        self.requests_begun() + self.ended.load(Ordering::Acquire)
    }

    /// Whether no request has come yet.
    pub(crate) fn has_no_request_yet(&self) -> bool {
        self.requests_begun() == 0
    }

    /// Whether a request is in progress.
    pub(crate) fn is_busy(&self) -> bool {
        self.requests_begun() != self.ended.load(Ordering::Acquire)
    }

    /// Asks for the connection to be closed after the answer in progress or the next one.
    pub(crate) fn request_close(&self) {
        self.closing.store(true, Ordering::Release);
    }

    pub(crate) fn is_close_requested(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Says that an answer was given before the request was read whole.
    pub(crate) fn mark_unread(&self) {
        self.unread.store(true, Ordering::Release);
    }

    pub(crate) fn has_unread_body(&self) -> bool {
        self.unread.load(Ordering::Acquire)
    }
}

impl Drop for ExchangeGuard {
    fn drop(&mut self) {
        self.0.ended.fetch_add(1, Ordering::AcqRel);
    }
}
