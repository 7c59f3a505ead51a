//! What every handler shares: the house behind it, the settings of the listeners, and what is counted.

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

/// What the envelope needs of the house behind it.
pub trait Backend: Send + Sync + 'static {
    /// What time it is.
    fn now(&self) -> Timestamp;

    /// Where randomness comes from.
    fn entropy(&self) -> &dyn Entropy;

    /// Every use case there is.
    fn engine(&self) -> &Engine;

    /// What a development instance would have sent; production has none.
    fn dev_mailbox(&self) -> Option<&DevMailbox>;

    /// Our public keys, ready to be sent.
    fn jwks(&self) -> Arc<StaticDocument>;

    /// Whether requests can be answered right now: the database is there, keys are loaded, the clock is
    /// right.
    fn check_readiness(&self) -> Pin<Box<dyn Future<Output = Result<(), ReadinessError>> + Send + '_>>;
}

/// Why requests cannot be answered right now, in one sentence for whoever runs the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadinessError(pub &'static str);

/// How the listeners behave.
#[derive(Clone, Debug)]
pub struct HttpSettings {
    /// The configured address of the service; links are made from nothing else.
    pub base_address: BaseAddress,
    /// What the instance is for.
    pub purpose: InstancePurpose,
    /// Whether the hosted screens are served.
    pub screens: ScreensMode,
    /// What they look like.
    #[cfg(feature = "screens")]
    pub branding: InstanceBranding,
    /// Whose word about a client's address counts.
    pub proxies: TrustedProxies,
    /// How they say which certificate they were shown.
    pub proxy_certificates: ProxyCertificates,
    /// Origins of the same site whose pages may walk through flows by cookie, beside our own.
    pub allowed_origins: Vec<String>,
    /// Whether traces begun by callers are continued.
    pub traces: TracePolicy,
    /// How often clients may register themselves.
    pub registration_limits: RegistrationLimits,
    /// How often one address may ask for what proves nothing; nothing, where that is not counted.
    pub rate_limits: Option<RateLimits>,
    /// How much is taken.
    pub limits: ServerLimits,
    /// How long is waited.
    pub deadlines: ServerDeadlines,
}

/// What an instance is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstancePurpose {
    /// Trying things.
    Development,
    /// Real accounts.
    Production,
}

/// Whether the hosted screens are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScreensMode {
    /// They are.
    On,
    /// They are, and the console is not.
    WithoutConsole,
    /// Nothing but the API is.
    Off,
}

/// Whether traces begun by callers are continued.
#[derive(Clone, Copy, Debug)]
pub enum TracePolicy {
    /// Every request begins its own.
    BeginOwn,
    /// A caller's is continued by telling the request's span about it. Only the program knows the exporter,
    /// so it brings the function that does.
    Continue(fn(&tracing::Span, &TraceParent)),
}

/// What every handler shares. Cheap to clone.
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

/// How many may follow events as they happen.
const EVENT_STREAMS_MAX: usize = 16;

/// How often clients may register themselves from one address, unless it is said otherwise.
pub const REGISTRATION_RATE_BY_ADDRESS: RegistrationRate =
    RegistrationRate { count: 10, per: Lifetime::from_seconds(60), burst: 60 };
/// How often they may from everywhere together.
pub const REGISTRATION_RATE_TOTAL: RegistrationRate =
    RegistrationRate { count: 10_000, per: Lifetime::from_hours(24), burst: 10_000 };

impl HttpSettings {
    /// The settings of a service at this address, with the limits and deadlines of the house.
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
    /// What handlers share from now on. Figures are counted by the recorder installed when this is called.
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

    /// The house behind the envelope.
    pub fn backend(&self) -> &dyn Backend {
        &*self.0.backend
    }

    /// Every use case there is.
    pub fn engine(&self) -> &Engine {
        self.0.backend.engine()
    }

    /// The description of the API, made when it is first asked for.
    pub(crate) fn openapi_document(
        &self,
        make: impl FnOnce() -> Option<Arc<StaticDocument>>,
    ) -> Option<Arc<StaticDocument>> {
        self.0.openapi_document.get_or_init(make).clone()
    }

    /// What this service does, for clients, as of now.
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

    /// The configured address of the service.
    pub fn base_address(&self) -> &BaseAddress {
        &self.0.settings.base_address
    }

    /// How the listeners behave.
    pub fn settings(&self) -> &HttpSettings {
        &self.0.settings
    }

    /// Whether the hosted screens are served; a build without them serves none.
    pub fn serves_screens(&self) -> bool {
        cfg!(feature = "screens") && self.0.settings.screens != ScreensMode::Off
    }

    /// Whether the console is served.
    pub fn serves_console(&self) -> bool {
        cfg!(feature = "screens") && self.0.settings.screens == ScreensMode::On
    }

    /// Whether people are led anywhere when they have to be asked something.
    pub fn has_interaction(&self) -> bool {
        self.engine().settings().flows.interaction.has_screens()
    }

    /// What the screens look like.
    #[cfg(feature = "screens")]
    pub(crate) fn branding(&self) -> &InstanceBranding {
        &self.0.settings.branding
    }

    /// Whether this node is going away.
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

    /// How a request is counted.
    pub(crate) fn rate_limit<'a>(&'a self, call: &'a RoutedRequest) -> RateLimitedRequest<'a> {
        self.rate_limit_for(call.route(), call.context())
    }

    /// How a request to this route is counted.
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

    /// How often credentials have provisioned lately.
    pub(crate) fn scim_rate_limits(&self) -> &ScimRateLimits {
        &self.0.scim_rate_limits
    }

    /// The places among the requests being answered.
    pub(crate) fn request_slots(&self) -> &Semaphore {
        &self.0.request_slots
    }

    /// The places among those who follow events as they happen.
    pub(crate) fn event_stream_slots(&self) -> Arc<Semaphore> {
        Arc::clone(&self.0.event_stream_slots)
    }

    /// How often clients have registered themselves lately.
    pub(crate) fn registration_limiter(&self) -> &RegistrationLimiter {
        &self.0.registration_limiter
    }

    pub(crate) fn scheme(&self) -> IssuerScheme {
        if self.base_address().is_secure() { IssuerScheme::Https } else { IssuerScheme::Http }
    }
}
