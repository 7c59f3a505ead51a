//! A server in this process on free ports, with timeouts that only the tests about them reach.

use crate::raw_client::Client;
use crate::test_routes::with_test_routes;
use sinete_core::entropy::{DangerouslySeededEntropy, Entropy};
use sinete_core::time::Timestamp;
use sinete_crypto::platform::encryption::{InstanceKey, InstanceKeyRing};
use sinete_engine::platform::dev_mailbox::DevMailbox;
use sinete_engine::ports::Clock;
use sinete_engine::{Engine, EngineParts, InstanceMode};
use sinete_http::state::{
    Backend, DiagnosticFinding, DiagnosticScope, HttpSettings, HttpState, ReadinessError, ScreensMode,
};
use sinete_server::base_address::BaseAddress;
use sinete_server::context::TimeAndEntropy;
use sinete_server::limits::ServerDeadlines;
use sinete_server::reply::document::StaticDocument;
use sinete_server::serve::{DrainReport, ServerListeners, bind_listener, serve_routes};
use sinete_server::telemetry::build_recorder;
use sinete_server::tls::TlsListener;
use sinete_store::{Store, StoreAccess, StoreOptions, migrate};
use std::net::SocketAddr;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::OnceCell;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub const KEYS: &str = r#"{"keys":[{"kty":"OKP","kid":"one"}]}"#;

/// A backend whose readiness a test sets.
pub struct TestHouse {
    pub ready: AtomicBool,
    entropy: DangerouslySeededEntropy,
    keys: Arc<StaticDocument>,
    engine: Engine,
    // Kept so that the engine's database lives as long as it does.
    _folder: TempDir,
}

impl TestHouse {
    async fn build() -> Self {
        let folder = TempDir::new().unwrap();
        let engine = Engine::start(EngineParts {
            store: store_in(&folder).await,
            clock: Arc::new(StandingClock),
            entropy: Arc::new(DangerouslySeededEntropy::new(8)),
            outbound_http: Arc::new(sinete_engine::ports::NoOutboundHttp),
            dns_resolver: Arc::new(sinete_engine::ports::NoDnsResolver),
            geo_ip: Arc::new(sinete_engine::ports::NoGeoIp),
            breached_passwords: Vec::new(),
            instance_keys: instance_keys(),
            configured_keys: Vec::new(),
            settings: sinete_engine::EngineSettings::new("http://localhost:8080", InstanceMode::Development),
        });
        Self {
            ready: AtomicBool::new(true),
            entropy: DangerouslySeededEntropy::new(7),
            keys: Arc::new(StaticDocument::jwks(KEYS, "v1").unwrap()),
            engine: engine.await.unwrap(),
            _folder: folder,
        }
    }
}

/// The fixed time of every test.
const NOW: Timestamp = Timestamp::from_seconds(1_794_700_323);

struct StandingClock;

impl Clock for StandingClock {
    fn now(&self) -> Timestamp {
        NOW
    }
}

async fn store_in(folder: &TempDir) -> Store {
    let file = folder.path().join("sinete.db");
    std::fs::write(&file, migrated_database().await).unwrap();
    open_store(&file).await
}

/// The bytes of a migrated file, made once: copying them is faster than running the migrations for each test.
async fn migrated_database() -> &'static [u8] {
    static BYTES: OnceCell<Vec<u8>> = OnceCell::const_new();
    let make = || async {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("template.db");
        let store = open_store(&file).await;
        migrate::apply_pending_migrations(&store, NOW, &mut |_| {}).await.unwrap();
        store.close().await;
        std::fs::read(&file).unwrap()
    };
    BYTES.get_or_init(make).await
}

async fn open_store(file: &Path) -> Store {
    let address = format!("sqlite://{}", file.display());
    Store::open(&address.parse().unwrap(), &StoreOptions::new(StoreAccess::Serve)).await.unwrap()
}

fn instance_keys() -> InstanceKeyRing {
    let key = InstanceKey::parse(&InstanceKey::mint(&DangerouslySeededEntropy::new(9))).unwrap();
    InstanceKeyRing::new(key, Vec::new())
}

impl TimeAndEntropy for TestHouse {
    fn now(&self) -> Timestamp {
        NOW
    }

    fn entropy(&self) -> &dyn Entropy {
        &self.entropy
    }
}

impl Backend for TestHouse {
    fn engine(&self) -> &Engine {
        &self.engine
    }

    fn dev_mailbox(&self) -> Option<&DevMailbox> {
        None
    }

    fn jwks(&self) -> Arc<StaticDocument> {
        Arc::clone(&self.keys)
    }

    fn check_readiness(&self) -> Pin<Box<dyn Future<Output = Result<(), ReadinessError>> + Send + '_>> {
        let ready = self.ready.load(Ordering::Relaxed);
        Box::pin(
            async move { if ready { Ok(()) } else { Err(ReadinessError("the database is unreachable")) } },
        )
    }

    fn diagnose(
        &self,
        _: DiagnosticScope,
    ) -> Pin<Box<dyn Future<Output = Vec<DiagnosticFinding>> + Send + '_>> {
        Box::pin(std::future::ready(Vec::new()))
    }
}

pub struct Server {
    pub public: SocketAddr,
    pub admin: SocketAddr,
    pub house: Arc<TestHouse>,
    pub stop: CancellationToken,
    serving: JoinHandle<DrainReport>,
}

/// A timeout that a test waits for.
pub const SOON: Duration = Duration::from_millis(300);

/// The timeout for expected events: long, because only failures take that long, and busy machines are slow.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A timeout that no test reaches.
const NEVER: Duration = Duration::from_secs(600);

/// Settings with screens, http, and no timeout that a test reaches.
pub fn settings() -> HttpSettings {
    let mut settings = HttpSettings::new(BaseAddress::parse("http://localhost:8080").unwrap());
    settings.screens = ScreensMode::On;
    settings.server.deadlines = ServerDeadlines {
        handshake: NEVER,
        headers: NEVER,
        body: NEVER,
        response: NEVER,
        keep_alive: NEVER,
        linger: NEVER,
        linger_idle: NEVER,
        notice: Duration::ZERO,
        drain: NEVER,
        certificate_check: Duration::from_millis(50),
    };
    settings
}

/// The same with the timeouts under test.
pub fn settings_with(change: impl FnOnce(&mut ServerDeadlines)) -> HttpSettings {
    let mut settings = settings();
    change(&mut settings.server.deadlines);
    settings
}

/// The same with this keep-alive time. The first check comes after the header timeout of the first request.
pub fn idle_after(keep_alive: Duration) -> HttpSettings {
    settings_with(|it| (it.headers, it.keep_alive) = (SOON, keep_alive))
}

/// Waits until the condition holds.
pub async fn eventually(condition: &str, mut holds: impl AsyncFnMut() -> bool) {
    let started_at = Instant::now();
    while !holds().await {
        assert!(started_at.elapsed() < PATIENCE, "never: {condition}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

pub async fn start() -> Server {
    start_with(settings(), None).await
}

pub async fn start_with(settings: HttpSettings, tls: Option<TlsListener>) -> Server {
    let (public, admin) = (listen_anywhere(), listen_anywhere());
    let (public_at, admin_at) = (public.local_addr().unwrap(), admin.local_addr().unwrap());
    let house = Arc::new(TestHouse::build().await);
    let recorder = build_recorder().unwrap();
    let metrics = recorder.handle();
    let as_house: Arc<dyn Backend> = Arc::clone(&house) as _;
    // Metrics are registered when serving begins, so the recorder must be installed then.
    let stop = CancellationToken::new();
    let listeners = ServerListeners { public, tls, admin: Some(admin) };
    let state = metrics::with_local_recorder(&recorder, || HttpState::new(as_house, settings, metrics));
    let serving = WithRecorder { recorder, serving: Box::pin(serve(listeners, state, stop.clone())) };
    Server { public: public_at, admin: admin_at, house, stop, serving: tokio::spawn(serving) }
}

async fn serve(listeners: ServerListeners, state: HttpState, stop: CancellationToken) -> DrainReport {
    serve_routes(&with_test_routes(), listeners, state, stop).await
}

/// A future whose every poll uses its own recorder, so that tests do not share metrics.
struct WithRecorder {
    recorder: metrics_exporter_prometheus::PrometheusRecorder,
    serving: Pin<Box<dyn Future<Output = DrainReport> + Send>>,
}

impl Future for WithRecorder {
    type Output = DrainReport;

    fn poll(mut self: Pin<&mut Self>, context: &mut std::task::Context<'_>) -> std::task::Poll<DrainReport> {
        let this = &mut *self;
        metrics::with_local_recorder(&this.recorder, || this.serving.as_mut().poll(context))
    }
}

fn listen_anywhere() -> tokio::net::TcpListener {
    bind_listener(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap()
}

impl Server {
    pub async fn client(&self) -> Client {
        Client::connect(self.public).await
    }

    /// Waits until this many requests are in progress, in addition to the one that checks.
    pub async fn is_busy_with(&self, requests: usize) {
        let expected_metric = format!("sinete_http_requests_in_progress {}\n", requests + 1);
        let mut admin = Client::connect(self.admin).await;
        eventually(&expected_metric, async || {
            admin.get("/metrics", "").await.body.contains(&expected_metric)
        })
        .await;
    }

    /// Stops the server and waits.
    pub async fn stop(self) -> DrainReport {
        self.stop.cancel();
        tokio::time::timeout(PATIENCE, self.serving).await.unwrap().unwrap()
    }
}
