//! What every handler shares: the house behind it, the settings of the listeners, and what is counted.

use crate::base_address::BaseAddress;
use crate::call::Call;
use crate::extract::certificate::ToldByProxies;
use crate::extract::peer::Proxies;
use crate::extract::trace_parent::TraceParent;
use crate::limits::{Deadlines, Limits};
use crate::paces::{Counting, Paced, Paces};
use crate::rate_limit::{Exempt, Limited, Limiter, Rate};
use crate::reply::document::Document;
use crate::route::Route;
use crate::scim::pace::Provisioning;
#[cfg(feature = "screens")]
use crate::screens::branding::Branding;
use crate::security_headers::Scheme;
use crate::telemetry::Telemetry;
use crate::visit::Visit;
use crate::wellknown::{Kept, Published};
use metrics_exporter_prometheus::PrometheusHandle;
use sinete_core::entropy::Entropy;
use sinete_core::signing::Algorithm;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_engine::Engine;
use sinete_engine::dev_mailbox::DevMailbox;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use tokio::sync::Semaphore;

/// What the envelope needs of the house behind it.
pub trait House: Send + Sync + 'static {
    /// What time it is.
    fn now(&self) -> Timestamp;

    /// Where randomness comes from.
    fn entropy(&self) -> &dyn Entropy;

    /// Every use case there is.
    fn engine(&self) -> &Engine;

    /// What a development instance would have sent; production has none.
    fn dev_mailbox(&self) -> Option<&DevMailbox>;

    /// Our public keys, ready to be sent.
    fn keys(&self) -> Arc<Document>;

    /// Whether requests can be answered right now: the database is there, keys are loaded, the clock is
    /// right.
    fn ready(&self) -> Pin<Box<dyn Future<Output = Result<(), NotReady>> + Send + '_>>;
}

/// Why requests cannot be answered right now, in one sentence for whoever runs the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotReady(pub &'static str);

/// How the listeners behave.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The configured address of the service; links are made from nothing else.
    pub base_address: BaseAddress,
    /// What the instance is for.
    pub purpose: Purpose,
    /// Whether the hosted screens are served.
    pub screens: Screens,
    /// What they look like.
    #[cfg(feature = "screens")]
    pub branding: Branding,
    /// Whose word about a client's address counts.
    pub proxies: Proxies,
    /// How they say which certificate they were shown.
    pub told_by_proxies: ToldByProxies,
    /// Origins of the same site whose pages may walk through flows by cookie, beside our own.
    pub allowed_origins: Vec<String>,
    /// Whether traces begun by callers are continued.
    pub traces: Traces,
    /// How often clients may register themselves.
    pub registering: Limited,
    /// How often one address may ask for what proves nothing; nothing, where that is not counted.
    pub paces: Option<Paces>,
    /// How much is taken.
    pub limits: Limits,
    /// How long is waited.
    pub deadlines: Deadlines,
}

/// What an instance is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Trying things.
    Development,
    /// Real accounts.
    Production,
}

/// Whether the hosted screens are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Screens {
    /// They are.
    On,
    /// They are, and the console is not.
    WithoutConsole,
    /// Nothing but the API is.
    Off,
}

/// Whether traces begun by callers are continued.
#[derive(Clone, Copy, Debug)]
pub enum Traces {
    /// Every request begins its own.
    BeginOwn,
    /// A caller's is continued by telling the request's span about it. Only the program knows the exporter,
    /// so it brings the function that does.
    Continue(fn(&tracing::Span, &TraceParent)),
}

/// What every handler shares. Cheap to clone.
#[derive(Clone)]
pub struct State(Arc<Shared>);

struct Shared {
    house: Arc<dyn House>,
    settings: Settings,
    metrics: PrometheusHandle,
    telemetry: Telemetry,
    places: Semaphore,
    registering: Limiter,
    counting: Counting,
    provisioning: Provisioning,
    draining: AtomicBool,
    listening: Arc<Semaphore>,
    description: OnceLock<Option<Arc<Document>>>,
    discovery: Kept,
}

/// How many may follow events as they happen.
const LISTENERS_MAX: usize = 16;

/// How often clients may register themselves from one address, unless it is said otherwise.
pub const REGISTERING_FROM_ONE: Rate = Rate { count: 10, per: Lifetime::from_seconds(60), burst: 60 };
/// How often they may from everywhere together.
pub const REGISTERING_FROM_ALL: Rate = Rate { count: 10_000, per: Lifetime::from_hours(24), burst: 10_000 };

impl Settings {
    /// The settings of a service at this address, with the limits and deadlines of the house.
    pub fn at(base_address: BaseAddress) -> Self {
        Self {
            base_address,
            purpose: Purpose::Production,
            screens: Screens::Off,
            #[cfg(feature = "screens")]
            branding: Branding::default(),
            proxies: Proxies::default(),
            told_by_proxies: ToldByProxies::default(),
            allowed_origins: Vec::new(),
            traces: Traces::BeginOwn,
            registering: Limited {
                by_address: REGISTERING_FROM_ONE,
                by_all: REGISTERING_FROM_ALL,
                exempt: Exempt::Nobody,
            },
            paces: Some(Paces::default()),
            limits: Limits::default(),
            deadlines: Deadlines::default(),
        }
    }
}

impl State {
    /// What handlers share from now on. Figures are counted by the recorder installed when this is called.
    pub fn new(house: Arc<dyn House>, settings: Settings, metrics: PrometheusHandle) -> Self {
        let places = Semaphore::new(settings.limits.requests.min(Semaphore::MAX_PERMITS));
        let telemetry = Telemetry::new();
        let registering = Limiter::new(settings.registering);
        Self(Arc::new(Shared {
            house,
            settings,
            metrics,
            telemetry,
            places,
            registering,
            counting: Counting::default(),
            provisioning: Provisioning::default(),
            draining: AtomicBool::new(false),
            listening: Arc::new(Semaphore::new(LISTENERS_MAX)),
            description: OnceLock::new(),
            discovery: Kept::default(),
        }))
    }

    /// The house behind the envelope.
    pub fn house(&self) -> &dyn House {
        &*self.0.house
    }

    /// Every use case there is.
    pub fn engine(&self) -> &Engine {
        self.0.house.engine()
    }

    /// The description of the API, made when it is first asked for.
    pub(crate) fn description(&self, make: impl FnOnce() -> Option<Arc<Document>>) -> Option<Arc<Document>> {
        self.0.description.get_or_init(make).clone()
    }

    /// What this service does, for clients, as of now.
    pub(crate) fn discovery(&self) -> Option<Arc<Document>> {
        let (ring, now) = (self.engine().keys(), self.0.house.now());
        let signs = Algorithm::ALL.map(|it| ring.signer(it, now).is_some());
        let certificates = self.engine().settings().certificates.as_ref();
        let serving = Published { signs, leads_people: self.leads_people(), certificates };
        self.0.discovery.document(self.base_address(), serving)
    }

    /// The configured address of the service.
    pub fn base_address(&self) -> &BaseAddress {
        &self.0.settings.base_address
    }

    /// How the listeners behave.
    pub fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// Whether the hosted screens are served; a build without them serves none.
    pub fn serves_screens(&self) -> bool {
        cfg!(feature = "screens") && self.0.settings.screens != Screens::Off
    }

    /// Whether the console is served.
    pub fn serves_console(&self) -> bool {
        cfg!(feature = "screens") && self.0.settings.screens == Screens::On
    }

    /// Whether people are led anywhere when they have to be asked something.
    pub fn leads_people(&self) -> bool {
        self.engine().settings().flows.interaction.leads_somewhere()
    }

    /// What the screens look like.
    #[cfg(feature = "screens")]
    pub(crate) fn branding(&self) -> &Branding {
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

    pub(crate) fn telemetry(&self) -> &Telemetry {
        &self.0.telemetry
    }

    /// How a request is counted.
    pub(crate) fn paced<'a>(&'a self, call: &'a Call) -> Paced<'a> {
        self.paced_at(call.route(), call.visit())
    }

    /// How a request to this route is counted.
    pub(crate) fn paced_at<'a>(&'a self, route: &'a Route, visit: &Visit) -> Paced<'a> {
        self.0.counting.paced(self.0.settings.paces.as_ref(), route, visit.client(), self.0.house.now())
    }

    /// How often credentials have provisioned lately.
    pub(crate) fn provisioning(&self) -> &Provisioning {
        &self.0.provisioning
    }

    /// The places among the requests being answered.
    pub(crate) fn places(&self) -> &Semaphore {
        &self.0.places
    }

    /// The places among those who follow events as they happen.
    pub(crate) fn listening(&self) -> Arc<Semaphore> {
        Arc::clone(&self.0.listening)
    }

    /// How often clients have registered themselves lately.
    pub(crate) fn registering(&self) -> &Limiter {
        &self.0.registering
    }

    pub(crate) fn scheme(&self) -> Scheme {
        if self.base_address().is_secure() { Scheme::Https } else { Scheme::Http }
    }
}
