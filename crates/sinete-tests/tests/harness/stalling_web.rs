//! Outbound HTTP in which some hosts never respond: a request to one of them keeps its concurrency slot.

use sinete::os::SystemClock;
use sinete::outbound::http_client::{GuardedHttpClient, OutboundRules, SystemResolver};
use sinete::outbound::limiter::OutboundLimiter;
use sinete_core::platform::outbound::{OutboundPurpose, OutboundTarget};
use sinete_core::time::Lifetime;
use sinete_engine::ports::{OutboundError, OutboundHttp, OutboundResponse};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The URL prefix of a host that never responds.
pub const STALLING_HOST: &str = "http://127.0.0.1:9/stalls";

/// Outbound HTTP with hosts that never respond.
pub struct StallingWeb {
    gate: Arc<OutboundLimiter>,
    inner: GuardedHttpClient,
    attempted: AtomicUsize,
    in_flight: AtomicUsize,
}

impl StallingWeb {
    pub fn create() -> Arc<Self> {
        let gate = Arc::new(OutboundLimiter::new(Arc::new(SystemClock)));
        let ip_nets = vec!["127.0.0.0/8".parse().unwrap()];
        let names = Arc::new(SystemResolver);
        let rules = OutboundRules {
            own_networks: ip_nets,
            authorities: Vec::new(),
            resolver: names,
            limiter: Arc::clone(&gate),
        };
        let beyond = GuardedHttpClient::new(rules).unwrap();
        Arc::new(Self { gate, inner: beyond, attempted: AtomicUsize::new(0), in_flight: AtomicUsize::new(0) })
    }

    /// How many requests to such hosts were attempted.
    pub fn attempted_count(&self) -> usize {
        self.attempted.load(Ordering::SeqCst)
    }

    /// How many of them hold a concurrency slot.
    pub fn in_flight_count(&self) -> usize {
        self.in_flight.load(Ordering::SeqCst)
    }

    async fn stall<T>(&self, target: &OutboundTarget<'_>) -> Result<T, OutboundError> {
        self.attempted.fetch_add(1, Ordering::SeqCst);
        let silence = async {
            self.in_flight.fetch_add(1, Ordering::SeqCst);
            std::future::pending().await
        };
        self.gate.run_request(target, Lifetime::from_hours(1), silence).await
    }
}

impl OutboundHttp for StallingWeb {
    fn get<'a>(
        &'a self,
        target: &'a OutboundTarget<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<u8>, OutboundError>> + Send + 'a>> {
        if target.url.starts_with(STALLING_HOST) {
            // The check before a connection is created fails at once: it is not what stalls here.
            if target.purpose == OutboundPurpose::ConnectionTest {
                return Box::pin(std::future::ready(Err(OutboundError::new("no response"))));
            }
            return Box::pin(self.stall(target));
        }
        self.inner.get(target)
    }

    fn post_form<'a>(
        &'a self,
        target: &'a OutboundTarget<'a>,
        form: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<OutboundResponse, OutboundError>> + Send + 'a>> {
        if target.url.starts_with(STALLING_HOST) {
            return Box::pin(self.stall(target));
        }
        self.inner.post_form(target, form)
    }
}
