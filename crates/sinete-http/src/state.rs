//! The state shared by all handlers: the backend, the settings of the listeners, and metrics.

#[cfg(feature = "screens")]
pub mod branding;
mod metadata_cache;
mod scim_rate_limits;

#[cfg(feature = "screens")]
use branding::InstanceBranding;
use metadata_cache::{MetadataCache, PublishedMetadata};
use metrics_exporter_prometheus::PrometheusHandle;
use scim_rate_limits::ScimRateLimits;
use sinete_core::organizations::client_documents::ClientDocumentPolicy;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_engine::Engine;
use sinete_engine::platform::dev_mailbox::DevMailbox;
use sinete_engine::sign_in::flows::SignUpPolicy;
use sinete_server::application;
use sinete_server::base_address::BaseAddress;
use sinete_server::context::{ServerContext, ServerSettings, TimeAndEntropy};
#[cfg(feature = "screens")]
use sinete_server::extract::params::FormParams;
use sinete_server::rate_limits::RateLimitedRequest;
#[cfg(feature = "screens")]
use sinete_server::reply::HandlerResult;
use sinete_server::reply::document::StaticDocument;
use sinete_server::schema::SchemaRegistry;
use sinete_server::security_headers::IssuerScheme;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use tokio::sync::Semaphore;

/// A route of the table.
pub type RouteEntry = application::RouteEntry<HttpState>;
/// A handler of a route.
pub type HandlerFn = application::HandlerFn<HttpState>;
/// The request of a handler.
pub type RoutedRequest = application::RoutedRequest<HttpState>;

/// The dependencies of the routes, which the program implements.
pub trait Backend: TimeAndEntropy {
    /// The engine.
    fn engine(&self) -> &Engine;

    /// The development mailbox; `None` in production.
    fn dev_mailbox(&self) -> Option<&DevMailbox>;

    /// The JWKS document.
    fn jwks(&self) -> Arc<StaticDocument>;

    /// Whether requests can be served now: the database is available, keys are loaded, and the clock is
    /// right.
    fn check_readiness(&self) -> Pin<Box<dyn Future<Output = Result<(), ReadinessError>> + Send + '_>>;

    /// Checks the instance as `sinete doctor` does, blockers first.
    fn diagnose(
        &self,
        scope: DiagnosticScope,
    ) -> Pin<Box<dyn Future<Output = Vec<DiagnosticFinding>> + Send + '_>>;
}

/// Which checks of the instance run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagnosticScope {
    /// Those of this node, its files and its database.
    Node,
    /// Also those that connect to mail servers, identity providers and DNS.
    Connections,
}

/// The result of a check, in English sentences for operators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagnosticFinding {
    /// The name of the check.
    pub check: String,
    /// The severity.
    pub verdict: DiagnosticVerdict,
    /// What was found.
    pub message: String,
    /// How to fix it.
    pub remedy: Option<String>,
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagnosticVerdict {
    /// Production must not start.
    Blocker,
    /// Needs attention.
    Warning,
    /// Passed.
    Passed,
}

/// Why requests cannot be served now, in one sentence for operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadinessError(pub &'static str);

/// The settings of the service.
#[derive(Clone, Debug)]
pub struct HttpSettings {
    /// The settings of the listeners.
    pub server: ServerSettings,
    /// The purpose of the instance.
    pub purpose: InstancePurpose,
    /// Whether the hosted screens are served.
    pub screens: ScreensMode,
    /// The branding.
    #[cfg(feature = "screens")]
    pub branding: InstanceBranding,
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

/// The state shared by all handlers. Cheap to clone.
#[derive(Clone)]
pub struct HttpState(Arc<SharedState>);

/// What the state knows of the API, whose modules depend on the state.
#[derive(Clone, Copy)]
pub(crate) struct ApiTables {
    /// Every route.
    pub(crate) routes: &'static [RouteEntry],
    /// Every JSON schema.
    pub(crate) schemas: &'static SchemaRegistry,
    /// The pages whose forms can be suspended for a step-up.
    #[cfg(feature = "screens")]
    pub(crate) resumable: ResumablePages,
}

/// The pages whose forms can be suspended for a step-up: the account page and the console, which depend on the
/// pages of flows.
#[cfg(feature = "screens")]
#[derive(Clone, Copy)]
pub(crate) struct ResumablePages {
    /// Performs a suspended form of the account page.
    pub(crate) resume_account_form: for<'a> fn(ResumedForm<'a>) -> ResumedFormFuture<'a>,
    /// Performs a suspended form of this page of the console.
    pub(crate) resume_console_form: for<'a> fn(&'a str, ResumedForm<'a>) -> ResumedFormFuture<'a>,
    /// Whether the path is a page of the console.
    pub(crate) is_console_page: fn(&str) -> bool,
}

/// A form that was suspended, and the session that the step-up renewed.
#[cfg(feature = "screens")]
pub(crate) struct ResumedForm<'a> {
    pub(crate) state: &'a HttpState,
    pub(crate) request: &'a RoutedRequest,
    pub(crate) query: &'a FormParams,
    pub(crate) form: &'a FormParams,
    /// The session token.
    pub(crate) session: &'a str,
}

#[cfg(feature = "screens")]
type ResumedFormFuture<'a> = Pin<Box<dyn Future<Output = HandlerResult> + Send + 'a>>;

struct SharedState {
    backend: Arc<dyn Backend>,
    tables: ApiTables,
    server: Arc<ServerContext>,
    settings: HttpSettings,
    scim_rate_limits: ScimRateLimits,
    event_stream_slots: Arc<Semaphore>,
    openapi_document: OnceLock<Option<Arc<StaticDocument>>>,
    discovery_document: MetadataCache,
}

/// Maximum concurrent event streams.
const EVENT_STREAMS_MAX: usize = 16;

impl HttpSettings {
    /// The default settings for this base URL.
    pub fn new(base_address: BaseAddress) -> Self {
        Self {
            server: ServerSettings::new(base_address),
            purpose: InstancePurpose::Production,
            screens: ScreensMode::Off,
            #[cfg(feature = "screens")]
            branding: InstanceBranding::default(),
        }
    }
}

impl HttpState {
    /// Creates the state of an API with these tables.
    pub(crate) fn with_tables(
        house: Arc<dyn Backend>,
        settings: HttpSettings,
        metrics: PrometheusHandle,
        tables: ApiTables,
    ) -> Self {
        let source: Arc<dyn TimeAndEntropy> = house.clone();
        Self(Arc::new(SharedState {
            server: ServerContext::new(source, settings.server.clone(), metrics),
            backend: house,
            tables,
            settings,
            scim_rate_limits: ScimRateLimits::default(),
            event_stream_slots: Arc::new(Semaphore::new(EVENT_STREAMS_MAX)),
            openapi_document: OnceLock::new(),
            discovery_document: MetadataCache::default(),
        }))
    }

    /// The settings, limits and counters of the server.
    pub fn server(&self) -> &Arc<ServerContext> {
        &self.0.server
    }

    /// The backend.
    pub fn backend(&self) -> &dyn Backend {
        &*self.0.backend
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        self.0.backend.engine()
    }

    /// Every route.
    pub(crate) fn routes(&self) -> &'static [RouteEntry] {
        self.0.tables.routes
    }

    /// Every JSON schema.
    pub(crate) fn schemas(&self) -> &'static SchemaRegistry {
        self.0.tables.schemas
    }

    /// The pages whose forms can be suspended for a step-up.
    #[cfg(feature = "screens")]
    pub(crate) fn resumable_pages(&self) -> ResumablePages {
        self.0.tables.resumable
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
            routes: self.0.tables.routes,
            signing_support: signs,
            has_interaction: self.has_interaction(),
            has_sign_up: self.engine().settings().flows.sign_up == SignUpPolicy::Open,
            certificates,
            client_documents: self.engine().settings().client_documents.policy != ClientDocumentPolicy::Off,
        };
        self.0.discovery_document.get_or_build(self.base_address(), serving)
    }

    /// The base URL.
    pub fn base_address(&self) -> &BaseAddress {
        self.0.server.base_address()
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
        self.0.server.is_draining()
    }

    /// The rate limits of a request.
    pub(crate) fn rate_limit(&self, request: &RoutedRequest) -> RateLimitedRequest<'_> {
        self.0.server.rate_limit_for(request.route().limited_route(), request.context())
    }

    /// The rate limits of SCIM requests.
    pub(crate) fn scim_rate_limits(&self) -> &ScimRateLimits {
        &self.0.scim_rate_limits
    }

    /// The slots of event streams.
    pub(crate) fn event_stream_slots(&self) -> Arc<Semaphore> {
        Arc::clone(&self.0.event_stream_slots)
    }

    pub(crate) fn scheme(&self) -> IssuerScheme {
        self.0.server.scheme()
    }
}
