//! A world: one server in this process, on its own database, with its own clock and mailbox.

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
    /// The clock, which stands still.
    pub clock: Arc<TestClock>,
    /// Where mail ends up.
    pub mailbox: Arc<TestMailbox>,
    /// What stands in the DNS.
    pub dns: Arc<TestDns>,
    /// The server.
    pub server: RunningServer,
    /// How the service is spoken to.
    pub scheme: &'static str,
    /// A client that follows no redirect.
    pub http: reqwest::Client,
    /// The description of the API, once it was asked for.
    pub description: OnceCell<serde_json::Value>,
    // Kept so that the files of this world live as long as it does.
    _folder: TempDir,
    database: TestDatabase,
    stop: CancellationToken,
}

impl World {
    /// A world in which the server has just started for the first time.
    pub async fn start(on: TestEngine) -> Self {
        Self::start_with_config(on, &[]).await
    }

    /// The same, with more configuration.
    pub async fn start_with_config(on: TestEngine, more: &[(&str, &str)]) -> Self {
        Self::start_in_folder(TempDir::new().unwrap(), on, more).await
    }

    /// The same, with files in a folder that the configuration may name.
    pub async fn start_in_folder(folder: TempDir, on: TestEngine, more: &[(&str, &str)]) -> Self {
        Self::start_server(folder, on, more, None).await
    }

    /// A world that reaches addresses that others named in this way.
    pub async fn start_with_web(on: TestEngine, web: Arc<dyn OutboundHttp>) -> Self {
        Self::start_server(TempDir::new().unwrap(), on, &[], Some(web)).await
    }

    async fn start_server(
        folder: TempDir,
        on: TestEngine,
        more: &[(&str, &str)],
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
            // An RSA key takes a while to be found, and until then a new instance says that it has none.
            ("SINETE_SIGNING_KEYS", &keys),
            // A machine with much else to do is slow, and so is its database.
            ("SINETE_DATABASE_ANSWER_SECONDS", "120"),
            // A story sends its messages when it says so.
            ("SINETE_DELIVERY_ENABLED", "false"),
            // What is tested is what is done with a hash, not what one costs.
            ("SINETE_PASSWORDS_MEMORY_KIB", "64"),
            ("SINETE_PASSWORDS_PASSES", "1"),
        ];
        settings.extend(more);
        let config = Config::load(None, &Environment::from_pairs(settings)).unwrap().config;
        let (clock, mailbox) = (Arc::new(TestClock::new_running()), Arc::new(TestMailbox::default()));
        // Nobody guesses secrets here, and a story that failed can be told again.
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
        // Whom a server is believed to be is not what a story with TLS is about.
        let (scheme, http) = match more.iter().any(|(name, _)| *name == "SINETE_TLS_CERTIFICATE") {
            true => ("https", http.tls_certs_only([]).tls_danger_accept_invalid_certs(true)),
            // Reading the system's certificates takes longer than many a story.
            false => ("http", http.tls_certs_only([])),
        };
        let http = http.build().unwrap();
        let description = OnceCell::new();
        Self { clock, mailbox, dns, server, scheme, http, description, _folder: folder, database, stop }
    }

    /// An address of the service.
    pub fn public_url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.server.public)
    }

    /// An address for those who run it.
    pub fn admin_url(&self, path: &str) -> String {
        format!("http://{}{path}", self.server.admin)
    }

    /// Asks the service.
    pub async fn get(&self, path: &str) -> reqwest::Response {
        self.http.get(self.public_url(path)).send().await.unwrap()
    }

    /// Where the database is.
    pub fn database_url(&self) -> &str {
        &self.database.url
    }

    /// Stops the server and removes what it left.
    pub async fn stop(self) {
        self.stop.cancel();
        self.server.wait_until_stopped().await.unwrap();
        self.database.drop_database().await;
    }
}

/// Files with the keys that an instance would be looking for while a story is told, the same in every world. The
/// others it makes before it serves.
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

/// Makes two tests of each function named, one on either engine. The functions stand beside the list, so that
/// rustfmt and clippy see them, and one that is not listed is dead code. With `engine` they start worlds of their own.
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
