//! One task for concurrent callers. It goes on when the caller that began it is dropped.

use std::sync::{Mutex, PoisonError};
use tokio::sync::watch;

/// At most one task at a time, whose output every caller gets.
pub struct SingleFlight<T>(Mutex<Option<watch::Receiver<Option<T>>>>);

impl<T> Default for SingleFlight<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone + Send + Sync + 'static> SingleFlight<T> {
    /// Waits for the task in flight, or begins one. `None` where there is nothing to begin, or the task was aborted.
    pub async fn join<F>(&self, begin: impl FnOnce() -> Option<F>) -> Option<T>
    where
        F: Future<Output = T> + Send + 'static,
    {
        let mut outcome = self.start_or_join(begin)?;
        let finished = outcome.wait_for(Option::is_some).await;
        finished.ok().and_then(|outcome| outcome.clone())
    }

    fn start_or_join<F>(&self, begin: impl FnOnce() -> Option<F>) -> Option<watch::Receiver<Option<T>>>
    where
        F: Future<Output = T> + Send + 'static,
    {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_in_flight =
            |it: &watch::Receiver<Option<T>>| it.borrow().is_none() && it.has_changed().is_ok();
        if let Some(outcome) = current.as_ref().filter(|it| is_in_flight(it)) {
            return Some(outcome.clone());
        }
        let future = begin()?;
        let (sender, outcome) = watch::channel(None);
        tokio::spawn(async move { sender.send_replace(Some(future.await)) });
        *current = Some(outcome.clone());
        Some(outcome)
    }
}
