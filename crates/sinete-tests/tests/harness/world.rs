//! A test server in this process, with its own database, clock, mailbox and DNS.

use super::clock::TestClock;
use super::database::{TestDatabase, TestEngine};
use super::dns::TestDns;
use super::mailbox::TestMailbox;
use sinete::config::Config;
use sinete::config::environment::Environment;
use sinete::{RunningServer, ServerPorts, serve};
use sinete_core::entropy::DangerouslySeededEntropy;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::signing_keys::SigningKey;
use sinete_engine::ports::OutboundHttp;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::sync::{Arc, LazyLock};
use tempfile::TempDir;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

/// Everything a story needs.
pub struct World {
    /// The clock, which is stopped.
    pub clock: Arc<TestClock>,
    /// The mailbox that receives every message.
    pub mailbox: Arc<TestMailbox>,
    /// The DNS records that the server sees.
    pub dns: Arc<TestDns>,
    pub server: RunningServer,
    /// `http` or `https`.
    pub scheme: &'static str,
    /// An HTTP client that follows no redirects.
    pub http: reqwest::Client,
    /// The OpenAPI document, once it was requested.
    pub description: OnceCell<serde_json::Value>,
    // Dropping it would delete the files of this server.
    _folder: TempDir,
    database: TestDatabase,
    stop: CancellationToken,
}

impl World {
    /// Starts a server on a new database.
    pub async fn start(on: TestEngine) -> Self {
        Self::start_with_config(on, &[]).await
    }

    /// Starts a server with further configuration.
    pub async fn start_with_config(on: TestEngine, extra_settings: &[(&str, &str)]) -> Self {
        Self::start_in_folder(TempDir::new().unwrap(), on, extra_settings).await
    }

    /// Starts a server with further configuration that names files in this folder.
    pub async fn start_in_folder(folder: TempDir, on: TestEngine, extra_settings: &[(&str, &str)]) -> Self {
        Self::start_server(folder, on, extra_settings, None).await
    }

    /// Starts a server that sends outbound requests through this port.
    pub async fn start_with_web(on: TestEngine, web: Arc<dyn OutboundHttp>) -> Self {
        Self::start_with_web_and_config(on, web, &[]).await
    }

    /// Starts a server that sends outbound requests through this port, with further configuration.
    pub async fn start_with_web_and_config(
        on: TestEngine,
        web: Arc<dyn OutboundHttp>,
        extra_settings: &[(&str, &str)],
    ) -> Self {
        Self::start_server(TempDir::new().unwrap(), on, extra_settings, Some(web)).await
    }

    async fn start_server(
        folder: TempDir,
        on: TestEngine,
        extra_settings: &[(&str, &str)],
        web: Option<Arc<dyn OutboundHttp>>,
    ) -> Self {
        let database = TestDatabase::create(on, &folder).await;
        let data_dir = folder.path().join("data").display().to_string();
        let keys = signing_keys(&folder);
        let mut settings = vec![
            ("SINETE_LISTEN", "127.0.0.1:0"),
            ("SINETE_ADMIN_LISTEN", "127.0.0.1:0"),
            ("SINETE_DATA_DIR", &data_dir),
            ("SINETE_DATABASE_URL", &database.url),
            // Generating an RSA key takes a while, and until then a new instance reports that it has no key.
            ("SINETE_SIGNING_KEYS", &keys),
            // A busy machine has a slow database.
            ("SINETE_DATABASE_ANSWER_SECONDS", "120"),
            // A story delivers messages explicitly.
            ("SINETE_DELIVERY_ENABLED", "false"),
            // A development instance does not limit messages on its own machine.
            ("SINETE_RATE_LIMITS_MESSAGE_BUDGET", "true"),
            // Password hashing is tested for what it does, not for its cost.
            ("SINETE_PASSWORDS_MEMORY_KIB", "64"),
            ("SINETE_PASSWORDS_PASSES", "1"),
        ];
        settings.extend(extra_settings);
        let config = Config::load(None, &Environment::from_pairs(settings)).unwrap().config;
        let (clock, mailbox) = (Arc::new(TestClock::new_running()), Arc::new(TestMailbox::default()));
        // A fixed seed lets a failed story be repeated exactly.
        let entropy = Arc::new(DangerouslySeededEntropy::new(42));
        let dns = Arc::new(TestDns::default());
        let ports = ServerPorts {
            clock: clock.clone(),
            entropy,
            outbound_http: web,
            dns: Some(dns.clone()),
            email_sender: Some(mailbox.clone()),
            sms_sender: Some(mailbox.clone()),
            geoip: Some(Arc::new(super::geoip::TestGeoIp)),
        };
        let stop = CancellationToken::new();
        let server = serve(config, ports, stop.clone()).await.unwrap();
        clock.stop();
        let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
        // Stories with TLS do not test how a client verifies the server's certificate.
        let (scheme, http) = match extra_settings.iter().any(|(name, _)| *name == "SINETE_TLS_CERTIFICATE") {
            true => ("https", http.tls_certs_only([]).tls_danger_accept_invalid_certs(true)),
            // Loading the system's certificates takes longer than many stories.
            false => ("http", http.tls_certs_only([])),
        };
        let http = http.build().unwrap();
        let description = OnceCell::new();
        Self { clock, mailbox, dns, server, scheme, http, description, _folder: folder, database, stop }
    }

    /// A URL on the public listener.
    pub fn public_url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.server.public)
    }

    /// A URL on the admin listener.
    pub fn admin_url(&self, path: &str) -> String {
        format!("http://{}{path}", self.server.admin)
    }

    pub async fn get(&self, path: &str) -> reqwest::Response {
        self.http.get(self.public_url(path)).send().await.unwrap()
    }

    pub fn database_url(&self) -> &str {
        &self.database.url
    }

    /// Stops the server and drops its database.
    pub async fn stop(self) {
        // The server waits half a second for a last request on connections that the client keeps open.
        drop(self.http);
        self.stop.cancel();
        self.server.wait_until_stopped().await.unwrap();
        self.database.drop_database().await;
    }
}

/// Files with signing keys that an instance would otherwise generate in the background; every test server has the same.
/// The other keys are generated before the server starts.
fn signing_keys(folder: &TempDir) -> String {
    static KEYS: LazyLock<[(SigningAlgorithm, String); 3]> = LazyLock::new(|| {
        [SigningAlgorithm::Rs256, SigningAlgorithm::Ps256, SigningAlgorithm::EdDsa].map(|algorithm| {
            let key = SigningKey::generate(algorithm).unwrap();
            (algorithm, key.to_pem().unwrap().to_string())
        })
    });
    let files = KEYS.each_ref().map(|(algorithm, pem)| {
        let path = folder.path().join(format!("{algorithm}.pem"));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path).unwrap();
        file.write_all(pem.as_bytes()).unwrap();
        format!("{algorithm}:{}", path.display())
    });
    files.join(",")
}

/// Declares two tests for each function, one on SQLite and one on PostgreSQL. The functions are ordinary functions next
/// to the list, so that rustfmt and clippy see them, and a function that is not listed is dead code. With `engine`,
/// each function starts its own test servers.
#[macro_export]
macro_rules! both_engines {
    (engine, [$($test:ident),* $(,)?]) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                super::$test($crate::harness::database::TestEngine::Sqlite).await;
            })*
        }

        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                super::$test($crate::harness::database::TestEngine::Postgres).await;
            })*
        }
    };
    ($start:path, [$($test:ident),* $(,)?]) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                let world = $start($crate::harness::database::TestEngine::Sqlite).await;
                super::$test(&world).await;
                world.stop().await;
            })*
        }

        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                let world = $start($crate::harness::database::TestEngine::Postgres).await;
                super::$test(&world).await;
                world.stop().await;
            })*
        }
    };
    ($($test:ident),* $(,)?) => {
        $crate::both_engines!($crate::harness::world::World::start, [$($test),*]);
    };
}
