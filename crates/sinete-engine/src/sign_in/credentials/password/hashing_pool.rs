//! A pool of hashing threads with a short queue. Work that does not fit is rejected at once, and work that
//! waits too long soon after, so that a flood of sign-ins uses neither memory nor the time of others.

use super::hashing_queue::{HashingQueue, HashingRequester, PoolSlot, SlotPriority, WAIT_MAX};
use crate::Failure;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The niceness of every other hashing thread, beginning with the first: while all cores are busy, tokens get about
/// nine tenths of its time. A hash still gets its tenth, so that users can sign in during a flood.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// How long unknown devices in the queue wait for such a thread after a hash, as a multiple of the time for
/// which the hash waited for a processor.
const PAUSE_FACTOR: u32 = 2;
/// The maximum of that.
const PAUSE_MAX: Duration = Duration::from_millis(500);

/// The pool. Its threads start with the first work, so that a program that hashes nothing has none.
pub(super) struct HashingPool {
    slots: usize,
    pause_max: Duration,
    queue: Arc<HashingQueue>,
    running: Arc<RunningCount>,
    jobs: OnceLock<JobSenders>,
}

/// The channels to the threads. Only jobs with a slot are sent, so they never grow.
struct JobSenders {
    shared: Sender<HashingJob>,
    idle: Sender<HashingJob>,
}

impl JobSenders {
    fn for_priority(&self, priority: SlotPriority) -> &Sender<HashingJob> {
        match priority {
            SlotPriority::Shared => &self.shared,
            SlotPriority::Idle => &self.idle,
        }
    }
}

/// The current and the maximum number of running jobs.
#[derive(Default)]
struct RunningCount {
    running: AtomicUsize,
    max_concurrent: AtomicUsize,
}

impl RunningCount {
    fn run_counted<T>(&self, task: impl FnOnce() -> T) -> T {
        self.max_concurrent.fetch_max(self.running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        let _one_less = RunningHashGuard(&self.running);
        task()
    }
}

type HashingJob = Box<dyn FnOnce() + Send>;

/// A running job.
struct RunningHashGuard<'a>(&'a AtomicUsize);

impl Drop for RunningHashGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl HashingPool {
    pub(super) fn new(slots: usize) -> Self {
        let slots = slots.clamp(1, 64);
        let queue = HashingQueue::new(slots, WAIT_MAX);
        Self { slots, pause_max: PAUSE_MAX, queue, running: Arc::default(), jobs: OnceLock::new() }
    }

    /// The maximum number of jobs that ran concurrently.
    pub(super) fn max_concurrent(&self) -> usize {
        self.running.max_concurrent.load(Ordering::SeqCst)
    }

    /// Runs a job in a slot.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        slot: PoolSlot,
        task: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let (answer, receiver) = oneshot::channel();
        let running = Arc::clone(&self.running);
        let priority = slot.priority;
        let pause_max = if priority == SlotPriority::Shared { self.pause_max } else { Duration::ZERO };
        let job: HashingJob = Box::new(move || {
            let time = JobTime::start();
            let output = running.run_counted(task);
            let pause = time.pause().min(pause_max);
            if pause.is_zero() {
                // The slot is released before the result is sent, even if no caller waits for it.
                drop(slot);
                let _ = answer.send(output);
            } else {
                let _ = answer.send(output);
                slot.delay_unknown_devices(pause);
            }
        });
        self.job_senders()?.for_priority(priority).send(job).map_err(|_| Failure::Interrupted)?;
        receiver.await.map_err(|_| Failure::Interrupted)
    }

    /// Acquires a slot, waiting up to the limit.
    pub(super) async fn acquire_slot(&self, requester: HashingRequester) -> Option<PoolSlot> {
        self.queue.acquire(requester).await
    }

    fn job_senders(&self) -> Result<&JobSenders, Failure> {
        if let Some(jobs) = self.jobs.get() {
            return Ok(jobs);
        }
        let (shared, shared_jobs) = channel::<HashingJob>();
        let (idle, idle_jobs) = channel::<HashingJob>();
        let (shared_jobs, idle_jobs) = (Arc::new(Mutex::new(shared_jobs)), Arc::new(Mutex::new(idle_jobs)));
        for number in 0..self.slots {
            let priority = SlotPriority::of_thread(number);
            let receiver = Arc::clone(match priority {
                SlotPriority::Shared => &shared_jobs,
                SlotPriority::Idle => &idle_jobs,
            });
            let thread = std::thread::Builder::new().name(format!("passwords-{number}"));
            thread
                .spawn(move || {
                    lower_priority(priority);
                    run_jobs(&receiver);
                })
                .map_err(|_| Failure::Interrupted)?;
        }
        Ok(self.jobs.get_or_init(|| JobSenders { shared, idle }))
    }
}

/// Measures how long a job waits for a processor.
struct JobTime {
    start: Instant,
    processor: Option<Duration>,
}

impl JobTime {
    #[expect(
        clippy::disallowed_methods,
        reason = "how long a hash waited decides only when the next one begins"
    )]
    fn start() -> Self {
        Self { start: Instant::now(), processor: thread_processor_time() }
    }

    /// The pause after the job. If a processor was free for it, there is none.
    fn pause(&self) -> Duration {
        let Some((before, now)) = self.processor.zip(thread_processor_time()) else { return Duration::ZERO };
        pause_after(self.start.elapsed(), now.saturating_sub(before))
    }
}

/// The pause after a job that took this time, and this much of a processor.
fn pause_after(elapsed: Duration, processor: Duration) -> Duration {
    let waited = elapsed.saturating_sub(processor);
    // A job that had a processor for half of its time or more did not wait for long.
    if waited <= processor { Duration::ZERO } else { waited * PAUSE_FACTOR }
}

/// The processor time of this thread, where the system tells it.
#[cfg(target_os = "linux")]
fn thread_processor_time() -> Option<Duration> {
    rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime).try_into().ok()
}

#[cfg(not(target_os = "linux"))]
fn thread_processor_time() -> Option<Duration> {
    None
}

/// Lowers the priority of this thread. Of two threads one has a niceness, and the other runs only while a core would be
/// idle (`SCHED_IDLE`): a request that wakes up displaces it at once, and does not wait for the end of its time slice
/// (docs/contribute/decisions/0312-passwords-hashing-priority-and-queue.md). Where this fails, hashing has the same
/// priority as everything else.
#[cfg(target_os = "linux")]
fn lower_priority(priority: SlotPriority) {
    let lowered = match priority {
        SlotPriority::Shared => raise_niceness().map_err(|error| error.to_string()),
        SlotPriority::Idle => run_only_when_idle(),
    };
    if let Err(error) = lowered {
        tracing::debug!(error, "the priority of a password thread cannot be lowered");
    }
}

#[cfg(not(target_os = "linux"))]
fn lower_priority(_priority: SlotPriority) {}

/// Sets the niceness of this thread, unless it is as high. On Linux, `setpriority` with the id of a thread applies to
/// that thread alone.
#[cfg(target_os = "linux")]
fn raise_niceness() -> Result<(), rustix::io::Errno> {
    use rustix::process::{getpriority_process, setpriority_process};
    let thread = Some(rustix::thread::gettid());
    match getpriority_process(thread)? < NICENESS {
        true => setpriority_process(thread, NICENESS),
        false => Ok(()),
    }
}

#[cfg(target_os = "linux")]
fn run_only_when_idle() -> Result<(), String> {
    use thread_priority::{
        NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy, set_thread_priority_and_policy,
        thread_native_id,
    };
    let idle = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
    set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, idle)
        .map_err(|error| format!("{error:?}"))
}

/// Runs jobs until the channel closes.
fn run_jobs(jobs: &Mutex<Receiver<HashingJob>>) {
    loop {
        // The lock is held while waiting for a job, not while running it.
        let next = match jobs.lock() {
            Ok(jobs) => jobs.recv(),
            Err(_) => return,
        };
        let Ok(job) = next else { return };
        // A panicking job affects only its own slot and caller.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    /// Runs a job; `None` if there is no slot.
    async fn try_run<T: Send + 'static>(
        pool: &HashingPool,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let slot = pool.acquire_slot(HashingRequester::UnknownDevice(None)).await?;
        Some(pool.run(slot, job).await.unwrap())
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn password_pool_limits_running_and_queued_hashes() {
        let queue = HashingQueue::new(2, Duration::from_secs(120));
        let pool = Arc::new(HashingPool { queue, pause_max: Duration::ZERO, ..HashingPool::new(2) });
        let [running, most_running, turned_away] = [(); 3].map(|()| Arc::new(AtomicUsize::new(0)));
        let tasks: Vec<_> = (0..40)
            .map(|_| {
                let pool = Arc::clone(&pool);
                let [running, most_running, away] = [&running, &most_running, &turned_away].map(Arc::clone);
                tokio::spawn(async move {
                    let others = Arc::clone(&away);
                    let job_future = try_run(&pool, move || {
                        most_running.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        // No job ends before all others have asked for a slot.
                        while others.load(Ordering::SeqCst) < 30 {
                            std::thread::sleep(Duration::from_millis(5));
                        }
                        running.fetch_sub(1, Ordering::SeqCst);
                    });
                    let is_done = job_future.await.is_some();
                    away.fetch_add(usize::from(!is_done), Ordering::SeqCst);
                    is_done
                })
            })
            .collect();
        let mut done_count = 0;
        for one in tasks {
            done_count += usize::from(one.await.unwrap());
        }
        assert!(
            most_running.load(Ordering::SeqCst) <= 2
                && pool.max_concurrent() == most_running.load(Ordering::SeqCst)
        );
        assert_eq!(done_count, 10, "two run, eight wait, the rest is rejected");
        assert_eq!(pool.queue.free_and_waiting(), (2, 0));
        assert_eq!(try_run(&pool, || 7).await, Some(7));
    }

    #[tokio::test]
    async fn password_pool_wait_is_at_most_half_a_second() {
        let pool = Arc::new(HashingPool::new(1));
        let (release, receiver) = mpsc::channel::<()>();
        let busy = tokio::spawn({
            let pool = Arc::clone(&pool);
            async move { try_run(&pool, move || receiver.recv().is_ok()).await }
        });
        while pool.queue.free_and_waiting().0 > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(try_run(&pool, || ()).await, None);
        release.send(()).unwrap();
        assert_eq!(busy.await.unwrap(), Some(true));
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn password_pool_threads_have_a_lower_priority_than_the_others() {
        let niceness = || rustix::process::getpriority_process(Some(rustix::thread::gettid())).unwrap();
        let before = niceness();
        assert_eq!(try_run(&HashingPool::new(1), niceness).await, Some(before.max(NICENESS)));
        assert_eq!(niceness(), before);
    }

    #[cfg(target_os = "linux")]
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn password_pool_has_a_thread_that_runs_only_when_idle_beside_one_with_a_share() {
        use thread_priority::{NormalThreadSchedulePolicy, ThreadSchedulePolicy, thread_schedule_policy};
        let (pool, both) = (HashingPool::new(2), Arc::new(std::sync::Barrier::new(2)));
        let policy = || {
            let both = Arc::clone(&both);
            try_run(&pool, move || {
                both.wait();
                matches!(
                    thread_schedule_policy(),
                    Ok(ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle))
                )
            })
        };
        let (one, other) = tokio::join!(policy(), policy());
        assert_ne!(one.unwrap(), other.unwrap());
    }

    #[test]
    fn password_pool_pauses_after_a_hash_that_waited_for_a_processor() {
        let pause = |elapsed, processor| {
            pause_after(Duration::from_millis(elapsed), Duration::from_millis(processor))
        };
        assert_eq!(pause(20, 20), Duration::ZERO);
        assert_eq!(pause(40, 20), Duration::ZERO);
        assert_eq!(pause(60, 20), Duration::from_millis(40) * PAUSE_FACTOR);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn password_pool_measures_how_long_a_job_waits() {
        let time = JobTime::start();
        std::thread::sleep(Duration::from_millis(20));
        assert!(time.pause() >= Duration::from_millis(10) * PAUSE_FACTOR);
    }

    #[tokio::test]
    async fn password_pool_survives_a_panicking_task() {
        let pool = HashingPool::new(1);
        let slot = pool.acquire_slot(HashingRequester::UnknownDevice(None)).await.unwrap();
        assert!(pool.run(slot, || panic!("on purpose")).await.is_err());
        assert_eq!(try_run(&pool, || 1).await, Some(1));
    }
}
