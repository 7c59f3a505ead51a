//! Outbound HTTP in which form posts can be paused.

use sinete::os::SystemClock;
use sinete::outbound::http_client::{GuardedHttpClient, OutboundRules, SystemResolver};
use sinete::outbound::limiter::OutboundLimiter;
use sinete_core::platform::outbound::OutboundTarget;
use sinete_engine::ports::{OutboundError, OutboundHttp, OutboundResponse};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::watch;

/// Outbound HTTP that pauses form posts while it is closed.
pub struct PausableWeb {
    inner: GuardedHttpClient,
    held: AtomicUsize,
    is_open: watch::Sender<bool>,
}

impl PausableWeb {
    /// Everything passes.
    pub fn new_open() -> Arc<Self> {
        let gate = Arc::new(OutboundLimiter::new(Arc::new(SystemClock)));
        let ip_nets = vec!["127.0.0.0/8".parse().unwrap()];
        let rules = OutboundRules {
            own_networks: ip_nets,
            authorities: Vec::new(),
            resolver: Arc::new(SystemResolver),
            limiter: gate,
        };
        let beyond = GuardedHttpClient::new(rules).unwrap();
        Arc::new(Self { inner: beyond, held: AtomicUsize::new(0), is_open: watch::Sender::new(true) })
    }

    /// Pauses form posts, or lets all of them continue.
    pub fn set_open(&self, is_open: bool) {
        self.is_open.send_replace(is_open);
    }

    /// How many form posts were sent while they were paused.
    pub fn held_count(&self) -> usize {
        self.held.load(Ordering::SeqCst)
    }
}

impl OutboundHttp for PausableWeb {
    fn get<'a>(
        &'a self,
        target: &'a OutboundTarget<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<u8>, OutboundError>> + Send + 'a>> {
        self.inner.get(target)
    }

    fn post_form<'a>(
        &'a self,
        target: &'a OutboundTarget<'a>,
        form: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<OutboundResponse, OutboundError>> + Send + 'a>> {
        Box::pin(async move {
            let mut gate = self.is_open.subscribe();
            if !*gate.borrow() {
                self.held.fetch_add(1, Ordering::SeqCst);
            }
            let _ = gate.wait_for(|is_open| *is_open).await;
            self.inner.post_form(target, form).await
        })
    }
}
