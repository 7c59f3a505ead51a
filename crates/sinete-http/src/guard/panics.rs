//! A handler that panics fails its own request and no other.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

/// A handler's work whose panic is an outcome.
pub(super) struct PanicIsolated<F>(pub(super) F);

pub(super) struct HandlerPanicked;

impl<F: Future + Unpin> Future for PanicIsolated<F> {
    type Output = Result<F::Output, HandlerPanicked>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // The future is dropped after a panic and never polled again, so nobody sees it half done.
        match catch_unwind(AssertUnwindSafe(|| Pin::new(&mut self.0).poll(context))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(outcome)) => Poll::Ready(Ok(outcome)),
            Err(_) => Poll::Ready(Err(HandlerPanicked)),
        }
    }
}
