//! Isolates panics: a panicking handler fails only its own request.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

/// A future whose panic becomes a result.
pub(super) struct PanicIsolated<F>(pub(super) F);

pub(super) struct HandlerPanicked;

impl<F: Future + Unpin> Future for PanicIsolated<F> {
    type Output = Result<F::Output, HandlerPanicked>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // The future is dropped after a panic and never polled again, so no inconsistent state is visible.
        match catch_unwind(AssertUnwindSafe(|| Pin::new(&mut self.0).poll(context))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(outcome)) => Poll::Ready(Ok(outcome)),
            Err(_) => Poll::Ready(Err(HandlerPanicked)),
        }
    }
}
