//! Fuzzing with mutated valid requests: the response is always an intended refusal, never a 5xx. `SINETE_FUZZ_REQUESTS`
//! says how many; `./scripts/fuzz` sends 200,000.

mod mutations;
mod seeds;

use crate::harness::database::TestEngine;
use crate::harness::world::World;
use mutations::spoiled;
use seeds::{Seed, seeds};
use sinete_core::entropy::{DangerouslySeededEntropy, Entropy};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tokio::sync::Mutex;

/// How many requests are sent by default.
const USUALLY: u64 = 3_000;
/// How many are concurrent.
const AT_ONCE: u64 = 32;

/// What came back.
#[derive(Default)]
struct Tally {
    by_status: Mutex<BTreeMap<u16, u64>>,
    sent: AtomicU64,
    past_proof: AtomicU64,
}

#[expect(clippy::disallowed_methods, reason = "the script sets the number in this variable")]
fn asked_for() -> u64 {
    std::env::var("SINETE_FUZZ_REQUESTS").ok().map_or(USUALLY, |text| text.parse().expect("a number"))
}

fn drawn(entropy: &dyn Entropy) -> u64 {
    let mut bytes = [0; 8];
    entropy.fill(&mut bytes);
    u64::from_le_bytes(bytes)
}

async fn send(world: &World, seed: &Seed, entropy: &DangerouslySeededEntropy, tally: &Tally) {
    let request = spoiled(world, seed, entropy);
    // A request that the HTTP client refuses to send does not count.
    let Ok(answer) = request.send().await else { return };
    let status = answer.status().as_u16();
    let text = answer.text().await.unwrap_or_default();
    assert!(status < 500, "{} {} answered {status}: {text}", seed.method, seed.path);
    // A response other than an authentication error shows that the client was authenticated.
    if seed.proves && status != 401 && status != 415 && !text.contains("invalid_client") {
        tally.past_proof.fetch_add(1, Relaxed);
    }
    *tally.by_status.lock().await.entry(status).or_default() += 1;
    tally.sent.fetch_add(1, Relaxed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fuzzed_requests_never_cause_a_server_error() {
    let limits = [
        ("SINETE_REGISTRATION__PER_MINUTE", "0"),
        ("SINETE_REGISTRATION__PER_DAY", "0"),
        ("SINETE_LOG__LEVEL", "error"),
    ];
    let world = World::start_with_config(TestEngine::Sqlite, &limits).await;
    let seeds = seeds(&world).await;
    let count = asked_for();
    let tally = Arc::new(Tally::default());
    let worker = async |worker: u64| {
        let entropy = DangerouslySeededEntropy::new(1_000 + worker);
        for _ in 0..count.div_ceil(AT_ONCE) {
            let index = usize::try_from(drawn(&entropy)).unwrap_or_default() % seeds.len();
            send(&world, &seeds[index], &entropy, &tally).await;
        }
    };
    let workers: Vec<_> = (0..AT_ONCE).map(worker).collect();
    join_all(workers).await;
    let (sent_count, past) = (tally.sent.load(Relaxed), tally.past_proof.load(Relaxed));
    println!("{sent_count} requests, {past} of them past client authentication");
    for (status, times) in tally.by_status.lock().await.iter() {
        println!("  {status}: {times}");
    }
    assert!(sent_count * 10 >= count * 9, "only {sent_count} of {count} were sent");
    assert!(past * 5 >= sent_count, "only {past} of {sent_count} passed client authentication");
    let figures = world.http.get(world.admin_url("/metrics")).send().await.unwrap().text().await.unwrap();
    let panics = figures.lines().find(|line| line.starts_with("sinete_http_panics_total"));
    assert!(panics.is_none_or(|line| line.ends_with(" 0")), "{panics:?}");
    assert_eq!(world.get("/healthz").await.status(), 200);
    world.stop().await;
}

/// Awaits all of them concurrently.
async fn join_all<F: Future<Output = ()>>(futures: Vec<F>) {
    let mut futures: Vec<_> = futures.into_iter().map(Box::pin).map(Some).collect();
    std::future::poll_fn(|context| {
        let mut open = false;
        for slot in &mut futures {
            if let Some(future) = slot {
                match future.as_mut().poll(context) {
                    std::task::Poll::Ready(()) => *slot = None,
                    std::task::Poll::Pending => open = true,
                }
            }
        }
        if open { std::task::Poll::Pending } else { std::task::Poll::Ready(()) }
    })
    .await;
}
