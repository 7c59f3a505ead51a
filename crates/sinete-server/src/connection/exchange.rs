//! Shared state of a connection: how many requests began and ended, whether it should close, and whether the
//! client may still be sending.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[derive(Debug, Default)]
pub(crate) struct ConnectionProgress {
    begun: AtomicU64,
    ended: AtomicU64,
    closing: AtomicBool,
    unread: AtomicBool,
}

/// A request in progress, until its response has been sent completely.
pub(crate) struct ExchangeGuard(Arc<ConnectionProgress>);

impl ConnectionProgress {
    pub(crate) fn begin_request(self: &Arc<Self>) -> ExchangeGuard {
        self.begun.fetch_add(1, Ordering::AcqRel);
        ExchangeGuard(Arc::clone(self))
    }

    /// The number of requests that began.
    pub(crate) fn requests_begun(&self) -> u64 {
        self.begun.load(Ordering::Acquire)
    }

    /// The number of begun and ended requests.
    pub(crate) fn event_count(&self) -> u64 {
        self.requests_begun() + self.ended.load(Ordering::Acquire)
    }

    /// Whether there was no request yet.
    pub(crate) fn has_no_request_yet(&self) -> bool {
        self.requests_begun() == 0
    }

    /// Whether a request is in progress.
    pub(crate) fn is_busy(&self) -> bool {
        self.requests_begun() != self.ended.load(Ordering::Acquire)
    }

    /// Requests that the connection closes after the current or next response.
    pub(crate) fn request_close(&self) {
        self.closing.store(true, Ordering::Release);
    }

    pub(crate) fn is_close_requested(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Records that a response was sent before the request was read completely.
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
