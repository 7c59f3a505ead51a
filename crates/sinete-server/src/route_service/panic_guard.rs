//! Isolates panics: a panicking handler fails only its own request.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

/// A future whose panic becomes a result.
struct PanicIsolated<F>(F);

struct HandlerPanicked;

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

/// Runs a handler with the timeout. An immediate result needs no timer.
pub(super) async fn run_with_timeout<F: Future + Unpin>(
    result: std::thread::Result<F>,
    timeout: Duration,
) -> Result<F::Output, HandlerInterruption> {
    let Ok(future) = result else { return Err(HandlerInterruption::Panicked) };
    let mut panic_isolated = PanicIsolated(future);
    let at_once = poll_fn(|context| match Pin::new(&mut panic_isolated).poll(context) {
        Poll::Ready(outcome) => Poll::Ready(Some(outcome)),
        Poll::Pending => Poll::Ready(None),
    });
    let outcome = match at_once.await {
        Some(outcome) => outcome,
        None => {
            tokio::time::timeout(timeout, panic_isolated).await.map_err(|_| HandlerInterruption::TimedOut)?
        }
    };
    outcome.map_err(|HandlerPanicked| HandlerInterruption::Panicked)
}

/// Why a handler has no outcome.
pub(super) enum HandlerInterruption {
    Panicked,
    TimedOut,
}
