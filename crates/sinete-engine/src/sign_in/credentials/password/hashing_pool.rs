//! A few threads that hash, and a short queue before them. What does not fit is turned away at once, and what
//! waits too long soon: a flood of sign-ins costs neither memory nor anybody else's time.

use crate::Failure;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// How many may wait for each slot.
const QUEUE_PER_SLOT: usize = 4;
/// How long somebody waits for a slot.
const WAIT_MAX: Duration = Duration::from_millis(500);

/// The pool. Its threads start with its first work, so that a program that hashes nothing has none.
pub(super) struct HashingPool {
    slots: usize,
    wait_max: Duration,
    free_slots: Arc<Semaphore>,
    waiting: AtomicUsize,
    running: Arc<RunningCount>,
    jobs: OnceLock<Sender<Job>>,
}

/// How many run, and how many ever ran at once.
#[derive(Default)]
struct RunningCount {
    now: AtomicUsize,
    max_concurrent: AtomicUsize,
}

impl RunningCount {
    fn run_counted<T>(&self, work: impl FnOnce() -> T) -> T {
        self.max_concurrent.fetch_max(self.now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        let _one_less = QueuePlace(&self.now);
        work()
    }
}

/// Room for one piece of work. It is free again once the work is done, or the slot is dropped.
pub(super) struct PoolSlot {
    _permit: OwnedSemaphorePermit,
}

impl PoolSlot {
    const fn from_permit(permit: OwnedSemaphorePermit) -> Self {
        Self { _permit: permit }
    }
}

type Job = Box<dyn FnOnce() + Send>;

/// Somebody in the queue, or at work.
struct QueuePlace<'a>(&'a AtomicUsize);

impl Drop for QueuePlace<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl HashingPool {
    pub(super) fn new(slots: usize) -> Self {
        let slots = slots.clamp(1, 64);
        let free = Arc::new(Semaphore::new(slots));
        let (waiting, running) = (AtomicUsize::new(0), Arc::default());
        Self { slots, wait_max: WAIT_MAX, free_slots: free, waiting, running, jobs: OnceLock::new() }
    }

    /// The most that ever ran at once.
    pub(super) fn max_concurrent(&self) -> usize {
        self.running.max_concurrent.load(Ordering::SeqCst)
    }

    /// What the work comes to that a slot was found for.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        slot: PoolSlot,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let (answer, answered) = oneshot::channel();
        let running = Arc::clone(&self.running);
        let job: Job = Box::new(move || {
            let done = running.run_counted(work);
            // The slot is free before anybody hears of the outcome, also of those nobody waits for any more.
            drop(slot);
            let _ = answer.send(done);
        });
        self.job_sender()?.send(job).map_err(|_| Failure::Interrupted)?;
        answered.await.map_err(|_| Failure::Interrupted)
    }

    /// A slot, if one is free, or becomes free before anybody has waited too long.
    pub(super) async fn acquire_slot(&self) -> Option<PoolSlot> {
        if let Ok(slot) = Arc::clone(&self.free_slots).try_acquire_owned() {
            return Some(PoolSlot::from_permit(slot));
        }
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let _place = QueuePlace(&self.waiting);
        if before >= self.slots * QUEUE_PER_SLOT {
            return None;
        }
        let free = Arc::clone(&self.free_slots).acquire_owned();
        tokio::time::timeout(self.wait_max, free).await.ok()?.ok().map(PoolSlot::from_permit)
    }

    /// Where work is handed over to the threads. Only work with a slot gets here, so it never piles up.
    fn job_sender(&self) -> Result<&Sender<Job>, Failure> {
        if let Some(jobs) = self.jobs.get() {
            return Ok(jobs);
        }
        let (sender, receiver) = channel::<Job>();
        let receiver = Arc::new(Mutex::new(receiver));
        for number in 0..self.slots {
            let receiver = Arc::clone(&receiver);
            let thread = std::thread::Builder::new().name(format!("passwords-{number}"));
            thread.spawn(move || run_jobs(&receiver)).map_err(|_| Failure::Interrupted)?;
        }
        Ok(self.jobs.get_or_init(|| sender))
    }
}

/// Takes one job after the other until nobody can hand any over.
fn run_jobs(jobs: &Mutex<Receiver<Job>>) {
    loop {
        // The lock is held while waiting for a job and not while doing it.
        let next = match jobs.lock() {
            Ok(jobs) => jobs.recv(),
            Err(_) => return,
        };
        let Ok(job) = next else { return };
        // A job that panics takes its slot and its asker with it, and nobody else's.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    /// What the work comes to, or nothing where there is no room for it.
    async fn try_run<T: Send + 'static>(
        pool: &HashingPool,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let slot = pool.acquire_slot().await?;
        Some(pool.run(slot, work).await.unwrap())
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn password_pool_limits_running_and_queued_hashes() {
        let pool = Arc::new(HashingPool { wait_max: Duration::from_secs(120), ..HashingPool::new(2) });
        let [running, most, turned_away] = [(); 3].map(|()| Arc::new(AtomicUsize::new(0)));
        let asked: Vec<_> = (0..40)
            .map(|_| {
                let pool = Arc::clone(&pool);
                let [running, most, away] = [&running, &most, &turned_away].map(Arc::clone);
                tokio::spawn(async move {
                    let others = Arc::clone(&away);
                    let done = try_run(&pool, move || {
                        most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        // Nobody is done before everybody else has asked.
                        while others.load(Ordering::SeqCst) < 30 {
                            std::thread::sleep(Duration::from_millis(5));
                        }
                        running.fetch_sub(1, Ordering::SeqCst);
                    });
                    let done = done.await.is_some();
                    away.fetch_add(usize::from(!done), Ordering::SeqCst);
                    done
                })
            })
            .collect();
        let mut done = 0;
        for one in asked {
            done += usize::from(one.await.unwrap());
        }
        assert!(most.load(Ordering::SeqCst) <= 2 && pool.max_concurrent() == most.load(Ordering::SeqCst));
        assert_eq!(done, 10, "two run, eight wait, the rest is turned away");
        assert_eq!(pool.waiting.load(Ordering::SeqCst), 0);
        assert_eq!(try_run(&pool, || 7).await, Some(7));
    }

    #[tokio::test]
    async fn password_pool_wait_is_at_most_half_a_second() {
        let pool = Arc::new(HashingPool::new(1));
        let (release, held) = mpsc::channel::<()>();
        let busy = tokio::spawn({
            let pool = Arc::clone(&pool);
            async move { try_run(&pool, move || held.recv().is_ok()).await }
        });
        while pool.free_slots.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(try_run(&pool, || ()).await, None);
        release.send(()).unwrap();
        assert_eq!(busy.await.unwrap(), Some(true));
    }

    #[tokio::test]
    async fn password_pool_survives_a_panicking_task() {
        let pool = HashingPool::new(1);
        let slot = pool.acquire_slot().await.unwrap();
        assert!(pool.run(slot, || panic!("on purpose")).await.is_err());
        assert_eq!(try_run(&pool, || 1).await, Some(1));
    }
}
