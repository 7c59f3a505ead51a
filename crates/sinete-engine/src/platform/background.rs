//! Detached background tasks, such as logout notifications. A stopping node waits for those in progress.

use crate::Engine;
use tokio::sync::watch;

/// The number of running tasks.
#[derive(Debug)]
pub(crate) struct BackgroundTasks(watch::Sender<usize>);

/// A running task, until dropped.
#[derive(Debug)]
pub(crate) struct BackgroundTaskGuard(watch::Sender<usize>);

impl BackgroundTasks {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(0))
    }

    /// Starts a task.
    pub(crate) fn start_task(&self) -> BackgroundTaskGuard {
        self.0.send_modify(|count| *count += 1);
        BackgroundTaskGuard(self.0.clone())
    }

    async fn wait_until_idle(&self) {
        // The sender exists as long as `self`, so this cannot fail.
        let _ = self.0.subscribe().wait_for(|count| *count == 0).await;
    }
}

impl Drop for BackgroundTaskGuard {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}

/// The number of running tasks.
pub fn running_tasks(engine: &Engine) -> usize {
    *engine.background_tasks().0.borrow()
}

/// Waits until no task is running.
pub async fn wait_for_all(engine: &Engine) {
    engine.background_tasks().wait_until_idle().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn shutdown_waits_for_the_last_background_task() {
        let errands = BackgroundTasks::new();
        errands.wait_until_idle().await;
        let (one, other) = (errands.start_task(), errands.start_task());
        drop(one);
        let is_over = tokio::select! {
            biased;
            () = errands.wait_until_idle() => true,
            () = std::future::ready(()) => false,
        };
        assert!(!is_over, "one is still under way");
        let broken = tokio::spawn(async move {
            let _under_way = other;
            std::future::pending::<()>().await;
        });
        broken.abort();
        errands.wait_until_idle().await;
        drop(errands.start_task());
        errands.wait_until_idle().await;
    }
}
