//! The state shared by all handlers: the backend, the settings of the listeners, and metrics.

use crate::base_address::BaseAddress;
use crate::call::RoutedRequest;
use crate::extract::certificate::ProxyCertificates;
use crate::extract::peer::TrustedProxies;
use crate::extract::trace_parent::TraceParent;
use crate::limits::{ServerDeadlines, ServerLimits};
use crate::oauth::discovery::handlers::{MetadataCache, PublishedMetadata};
use crate::paces::{RateLimitCounters, RateLimitedRequest, RateLimits};
use crate::rate_limit::{RateLimitExemption, RegistrationLimiter, RegistrationLimits, RegistrationRate};
use crate::reply::document::StaticDocument;
use crate::route::RouteEntry;
use crate::scim::rate_limit::ScimRateLimits;
#[cfg(feature = "screens")]
use crate::screens::branding::InstanceBranding;
use crate::security_headers::IssuerScheme;
use crate::telemetry::ServerMetrics;
use crate::visit::RequestContext;
use metrics_exporter_prometheus::PrometheusHandle;
use sinete_core::entropy::Entropy;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_engine::Engine;
use sinete_engine::platform::dev_mailbox::DevMailbox;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use tokio::sync::Semaphore;

/// The backend of the HTTP server.
pub trait Backend: Send + Sync + 'static {
    /// The current time.
    fn now(&self) -> Timestamp;

    /// The source of randomness.
    fn entropy(&self) -> &dyn Entropy;

    /// The engine.
    fn engine(&self) -> &Engine;

    /// The development mailbox; `None` in production.
    fn dev_mailbox(&self) -> Option<&DevMailbox>;

    /// The JWKS document.
    fn jwks(&self) -> Arc<StaticDocument>;

    /// Whether requests can be served now: the database is available, keys are loaded, and the clock is
    /// right.
    fn check_readiness(&self) -> Pin<Box<dyn Future<Output = Result<(), ReadinessError>> + Send + '_>>;
}

/// Why requests cannot be served now, in one sentence for operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadinessError(pub &'static str);

/// The settings of the listeners.
#[derive(Clone, Debug)]
pub struct HttpSettings {
    /// The base URL; links are derived only from it.
    pub base_address: BaseAddress,
    /// The purpose of the instance.
    pub purpose: InstancePurpose,
    /// Whether the hosted screens are served.
    pub screens: ScreensMode,
    /// The branding.
    #[cfg(feature = "screens")]
    pub branding: InstanceBranding,
    /// The trusted proxies.
    pub proxies: TrustedProxies,
    /// How they forward client certificates.
    pub proxy_certificates: ProxyCertificates,
    /// Origins of the same site that may use the flow API with cookies, in addition to our own.
    pub allowed_origins: Vec<String>,
    /// Whether incoming traces are continued.
    pub traces: TracePolicy,
    /// The limits of dynamic client registration.
    pub registration_limits: RegistrationLimits,
    /// The rate limits; `None` if disabled.
    pub rate_limits: Option<RateLimits>,
    /// The limits.
    pub limits: ServerLimits,
    /// The timeouts.
    pub deadlines: ServerDeadlines,
}

/// The purpose of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstancePurpose {
    /// Development.
    Development,
    /// Production.
    Production,
}

/// Whether the hosted screens are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScreensMode {
    /// Yes.
    On,
    /// Yes, without the console.
    WithoutConsole,
    /// No: only the API.
    Off,
}

/// Whether incoming traces are continued.
#[derive(Clone, Copy, Debug)]
pub enum TracePolicy {
    /// Every request starts its own trace.
    BeginOwn,
    /// An incoming trace is set as the parent of the request's span, by a function of the program, which
    /// knows the exporter.
    Continue(fn(&tracing::Span, &TraceParent)),
}

/// The state shared by all handlers. Cheap to clone.
#[derive(Clone)]
pub struct HttpState(Arc<SharedState>);

struct SharedState {
    backend: Arc<dyn Backend>,
    settings: HttpSettings,
    metrics: PrometheusHandle,
    telemetry: ServerMetrics,
    request_slots: Semaphore,
    registration_limiter: RegistrationLimiter,
    rate_limit_counters: RateLimitCounters,
    scim_rate_limits: ScimRateLimits,
    draining: AtomicBool,
    event_stream_slots: Arc<Semaphore>,
    openapi_document: OnceLock<Option<Arc<StaticDocument>>>,
    discovery_document: MetadataCache,
}

/// Maximum concurrent event streams.
const EVENT_STREAMS_MAX: usize = 16;

/// The default rate of client registrations per address.
pub const REGISTRATION_RATE_BY_ADDRESS: RegistrationRate =
    RegistrationRate { count: 10, per: Lifetime::from_seconds(60), burst: 60 };
/// The default rate in total.
pub const REGISTRATION_RATE_TOTAL: RegistrationRate =
    RegistrationRate { count: 10_000, per: Lifetime::from_hours(24), burst: 10_000 };

impl HttpSettings {
    /// The default settings for this base URL.
    pub fn new(base_address: BaseAddress) -> Self {
        Self {
            base_address,
            purpose: InstancePurpose::Production,
            screens: ScreensMode::Off,
            #[cfg(feature = "screens")]
            branding: InstanceBranding::default(),
            proxies: TrustedProxies::default(),
            proxy_certificates: ProxyCertificates::default(),
            allowed_origins: Vec::new(),
            traces: TracePolicy::BeginOwn,
            registration_limits: RegistrationLimits {
                by_address: REGISTRATION_RATE_BY_ADDRESS,
                by_all: REGISTRATION_RATE_TOTAL,
                exempt: RateLimitExemption::Nobody,
            },
            rate_limits: Some(RateLimits::default()),
            limits: ServerLimits::default(),
            deadlines: ServerDeadlines::default(),
        }
    }
}

impl HttpState {
    /// Creates the state. Metrics are recorded by the recorder installed at this time.
    pub fn new(house: Arc<dyn Backend>, settings: HttpSettings, metrics: PrometheusHandle) -> Self {
        let places = Semaphore::new(settings.limits.requests.min(Semaphore::MAX_PERMITS));
        let telemetry = ServerMetrics::new();
        let registering = RegistrationLimiter::new(settings.registration_limits);
        Self(Arc::new(SharedState {
            backend: house,
            settings,
            metrics,
            telemetry,
            request_slots: places,
            registration_limiter: registering,
            rate_limit_counters: RateLimitCounters::default(),
            scim_rate_limits: ScimRateLimits::default(),
            draining: AtomicBool::new(false),
            event_stream_slots: Arc::new(Semaphore::new(EVENT_STREAMS_MAX)),
            openapi_document: OnceLock::new(),
            discovery_document: MetadataCache::default(),
        }))
    }

    /// The backend.
    pub fn backend(&self) -> &dyn Backend {
        &*self.0.backend
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        self.0.backend.engine()
    }

    /// The OpenAPI description, built on first use.
    pub(crate) fn openapi_document(
        &self,
        make: impl FnOnce() -> Option<Arc<StaticDocument>>,
    ) -> Option<Arc<StaticDocument>> {
        self.0.openapi_document.get_or_init(make).clone()
    }

    /// The current discovery document.
    pub(crate) fn discovery_document(&self) -> Option<Arc<StaticDocument>> {
        let (ring, now) = (self.engine().key_ring(), self.0.backend.now());
        let signs = SigningAlgorithm::ALL.map(|it| ring.signing_key(it, now).is_some());
        let certificates = self.engine().settings().mtls.as_ref();
        let serving = PublishedMetadata {
            signing_support: signs,
            has_interaction: self.has_interaction(),
            certificates,
        };
        self.0.discovery_document.get_or_build(self.base_address(), serving)
    }

    /// The base URL.
    pub fn base_address(&self) -> &BaseAddress {
        &self.0.settings.base_address
    }

    /// The settings.
    pub fn settings(&self) -> &HttpSettings {
        &self.0.settings
    }

    /// Whether the hosted screens are served; never in a build without them.
    pub fn serves_screens(&self) -> bool {
        cfg!(feature = "screens") && self.0.settings.screens != ScreensMode::Off
    }

    /// Whether the console is served.
    pub fn serves_console(&self) -> bool {
        cfg!(feature = "screens") && self.0.settings.screens == ScreensMode::On
    }

    /// Whether there is an interface for users.
    pub fn has_interaction(&self) -> bool {
        self.engine().settings().flows.interaction.has_screens()
    }

    /// The branding.
    #[cfg(feature = "screens")]
    pub(crate) fn branding(&self) -> &InstanceBranding {
        &self.0.settings.branding
    }

    /// Whether this node is stopping.
    pub fn is_draining(&self) -> bool {
        self.0.draining.load(Ordering::Relaxed)
    }

    pub(crate) fn begin_draining(&self) {
        self.0.draining.store(true, Ordering::Relaxed);
    }

    pub(crate) fn metrics(&self) -> &PrometheusHandle {
        &self.0.metrics
    }

    pub(crate) fn telemetry(&self) -> &ServerMetrics {
        &self.0.telemetry
    }

    /// The rate limits of a request.
    pub(crate) fn rate_limit<'a>(&'a self, call: &'a RoutedRequest) -> RateLimitedRequest<'a> {
        self.rate_limit_for(call.route(), call.context())
    }

    /// The rate limits of a request to this route.
    pub(crate) fn rate_limit_for<'a>(
        &'a self,
        route: &'a RouteEntry,
        visit: &RequestContext,
    ) -> RateLimitedRequest<'a> {
        self.0.rate_limit_counters.for_request(
            self.0.settings.rate_limits.as_ref(),
            route,
            visit.client_address(),
            self.0.backend.now(),
        )
    }

    /// The rate limits of SCIM requests.
    pub(crate) fn scim_rate_limits(&self) -> &ScimRateLimits {
        &self.0.scim_rate_limits
    }

    /// The request slots.
    pub(crate) fn request_slots(&self) -> &Semaphore {
        &self.0.request_slots
    }

    /// The slots of event streams.
    pub(crate) fn event_stream_slots(&self) -> Arc<Semaphore> {
        Arc::clone(&self.0.event_stream_slots)
    }

    /// The limiter of client registrations.
    pub(crate) fn registration_limiter(&self) -> &RegistrationLimiter {
        &self.0.registration_limiter
    }

    pub(crate) fn scheme(&self) -> IssuerScheme {
        if self.base_address().is_secure() { IssuerScheme::Https } else { IssuerScheme::Http }
    }
}
