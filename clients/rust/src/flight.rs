//! Asking once for all who wait. What was begun goes on when whoever began it leaves.

use std::sync::{Mutex, PoisonError};
use tokio::sync::watch;

/// One thing that is asked for at a time.
pub struct Flight<T>(Mutex<Option<watch::Receiver<Option<T>>>>);

impl<T> Default for Flight<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone + Send + Sync + 'static> Flight<T> {
    /// What comes of the one that is under way, or of the one that is begun now if there is something to begin. Nothing
    /// where there is not, or where it broke off.
    pub async fn join<F>(&self, begin: impl FnOnce() -> Option<F>) -> Option<T>
    where
        F: Future<Output = T> + Send + 'static,
    {
        let mut outcome = self.boarded(begin)?;
        let arrived = outcome.wait_for(Option::is_some).await;
        arrived.ok().and_then(|outcome| outcome.clone())
    }

    fn boarded<F>(&self, begin: impl FnOnce() -> Option<F>) -> Option<watch::Receiver<Option<T>>>
    where
        F: Future<Output = T> + Send + 'static,
    {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_under_way =
            |it: &watch::Receiver<Option<T>>| it.borrow().is_none() && it.has_changed().is_ok();
        if let Some(outcome) = current.as_ref().filter(|it| is_under_way(it)) {
            return Some(outcome.clone());
        }
        let asking = begin()?;
        let (arrives, outcome) = watch::channel(None);
        tokio::spawn(async move { arrives.send_replace(Some(asking.await)) });
        *current = Some(outcome.clone());
        Some(outcome)
    }
}
