//! The shared state of the server: settings, clock, randomness and metrics.

use crate::base_address::BaseAddress;
use crate::extract::certificate::ProxyCertificates;
use crate::extract::peer::TrustedProxies;
use crate::extract::session::SessionTokenKind;
use crate::extract::trace_parent::TraceParent;
use crate::extract::{same_origin, session};
use crate::limit_counters::LimitCounters;
use crate::limits::{ServerDeadlines, ServerLimits};
use crate::rate_limits::{RateLimitCounters, RateLimitedRequest, RateLimitedRoute, RateLimits};
use crate::request_context::RequestContext;
use crate::security_headers::IssuerScheme;
use crate::telemetry::{ServerMetrics, limit_counter};
use axum::http::HeaderMap;
use metrics_exporter_prometheus::PrometheusHandle;
use sinete_core::entropy::Entropy;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::limit_kind::LimitKind;
use sinete_core::time::Timestamp;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Semaphore;

/// Time and randomness: the program reads them from the system, a test sets them.
pub trait TimeAndEntropy: Send + Sync + 'static {
    /// The current time.
    fn now(&self) -> Timestamp;

    /// The source of randomness.
    fn entropy(&self) -> &dyn Entropy;
}

/// The settings of the listeners.
#[derive(Clone, Debug)]
pub struct ServerSettings {
    /// The base URL; links are derived only from it.
    pub base_address: BaseAddress,
    /// The trusted proxies.
    pub proxies: TrustedProxies,
    /// How they forward client certificates.
    pub proxy_certificates: ProxyCertificates,
    /// Origins of the same site that may use the flow API with cookies, in addition to our own.
    pub allowed_origins: Vec<String>,
    /// Whether incoming traces are continued.
    pub traces: TracePolicy,
    /// The rate limits; `None` if disabled.
    pub rate_limits: Option<RateLimits>,
    /// The limits.
    pub limits: ServerLimits,
    /// The timeouts.
    pub deadlines: ServerDeadlines,
}

/// Whether incoming traces are continued.
#[derive(Clone, Copy, Debug)]
pub enum TracePolicy {
    /// Every request starts its own trace.
    StartNew,
    /// An incoming trace is set as the parent of the request's span, by a function of the program, which
    /// knows the exporter.
    Continue(fn(&tracing::Span, &TraceParent)),
}

/// The shared state of the server.
pub struct ServerContext {
    source: Arc<dyn TimeAndEntropy>,
    settings: ServerSettings,
    metrics: PrometheusHandle,
    telemetry: ServerMetrics,
    limit_counters: LimitCounters,
    request_slots: Semaphore,
    rate_limit_counters: RateLimitCounters,
    draining: AtomicBool,
}

impl ServerSettings {
    /// The default settings for this base URL.
    pub fn new(base_address: BaseAddress) -> Self {
        Self {
            base_address,
            proxies: TrustedProxies::default(),
            proxy_certificates: ProxyCertificates::default(),
            allowed_origins: Vec::new(),
            traces: TracePolicy::StartNew,
            rate_limits: Some(RateLimits::default()),
            limits: ServerLimits::default(),
            deadlines: ServerDeadlines::default(),
        }
    }
}

impl ServerContext {
    /// Creates the context. Metrics go to the recorder that is installed at this time.
    pub fn new(
        source: Arc<dyn TimeAndEntropy>,
        settings: ServerSettings,
        metrics: PrometheusHandle,
    ) -> Arc<Self> {
        let request_slots = Semaphore::new(settings.limits.requests.min(Semaphore::MAX_PERMITS));
        Arc::new(Self {
            source,
            settings,
            metrics,
            telemetry: ServerMetrics::new(),
            limit_counters: LimitCounters::new(limit_counter),
            request_slots,
            rate_limit_counters: RateLimitCounters::default(),
            draining: AtomicBool::new(false),
        })
    }

    /// The current time.
    pub fn now(&self) -> Timestamp {
        self.source.now()
    }

    /// The source of randomness.
    pub fn entropy(&self) -> &dyn Entropy {
        self.source.entropy()
    }

    /// The settings of the listeners.
    pub const fn settings(&self) -> &ServerSettings {
        &self.settings
    }

    /// The base URL.
    pub const fn base_address(&self) -> &BaseAddress {
        &self.settings.base_address
    }

    /// Whether the service is reached by HTTPS.
    pub fn scheme(&self) -> IssuerScheme {
        if self.base_address().is_secure() { IssuerScheme::Https } else { IssuerScheme::Http }
    }

    /// Whether this node is shutting down.
    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    pub(crate) fn begin_draining(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// The metrics.
    pub const fn metrics(&self) -> &PrometheusHandle {
        &self.metrics
    }

    pub(crate) const fn telemetry(&self) -> &ServerMetrics {
        &self.telemetry
    }

    /// Counts a connection above the limit.
    pub(crate) fn count_refused_connection(&self) {
        self.telemetry.refused_full.increment(1);
        self.limit_counters.count(LimitKind::Connections);
    }

    /// The counts of refusals by limit.
    pub const fn limit_counters(&self) -> &LimitCounters {
        &self.limit_counters
    }

    /// The request slots.
    pub(crate) const fn request_slots(&self) -> &Semaphore {
        &self.request_slots
    }

    /// Refuses a cookie-authenticated request that another site made the browser send.
    pub fn check_same_origin(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let (origin, allowed) = (self.base_address().origin(), &self.settings.allowed_origins);
        same_origin::check_same_origin_headers(headers, origin, allowed)
    }

    /// The session token of a request, from its cookie or its header.
    pub fn session_token(&self, headers: &HeaderMap) -> Result<Option<String>, Refusal> {
        let token = session::find_token(SessionTokenKind::Session, headers, self.scheme())?;
        Ok(token.map(|token| token.token.to_owned()))
    }

    /// The rate limits of a request to this route.
    pub fn rate_limit_for<'a>(
        &'a self,
        route: RateLimitedRoute,
        context: &RequestContext,
    ) -> RateLimitedRequest<'a> {
        self.rate_limit_counters.for_request(
            self.settings.rate_limits.as_ref(),
            route,
            context.client_address(),
            self.now(),
        )
    }
}
