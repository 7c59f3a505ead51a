//! Tests of serving in process with an injected clock, as most other tests do.

use crate::machine::{get, postgres_database};
use sinete::config::Config;
use sinete::config::environment::Environment;
use sinete::exit::CommandExit;
use sinete::os::SystemClock;
use sinete::{RunningServer, ServerPorts, serve};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_engine::ports::Clock;
use std::path::Path;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A clock that is ahead of the system's.
struct Ahead(Lifetime);

impl Clock for Ahead {
    fn now(&self) -> Timestamp {
        SystemClock.now().plus(self.0)
    }
}

fn config(folder: &Path, extra_config: &[(&str, &str)]) -> Config {
    let folder = folder.to_str().unwrap();
    let mut variables = vec![
        ("SINETE_LISTEN", "127.0.0.1:0"),
        ("SINETE_ADMIN_LISTEN", "127.0.0.1:0"),
        ("SINETE_DATA_DIR", folder),
    ];
    variables.extend(extra_config);
    Config::from_environment(&Environment::from_pairs(variables)).unwrap()
}

async fn started(config: Config, clock: impl Clock + 'static) -> (RunningServer, CancellationToken) {
    let stop = CancellationToken::new();
    let ports = ServerPorts { clock: Arc::new(clock), ..ServerPorts::from_system() };
    (serve(config, ports, stop.clone()).await.unwrap(), stop)
}

/// The status and body of a GET request, without blocking the server.
async fn asked(address: std::net::SocketAddr, path: &'static str) -> (u16, String) {
    tokio::task::spawn_blocking(move || get(address, path)).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn embedded_servers_run_side_by_side_in_one_process_and_stop_on_request() {
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let mut running = Vec::new();
    for folder in &folders {
        running.push(started(config(folder.path(), &[]), SystemClock).await);
    }
    for (server, _) in &running {
        assert_eq!(server.issuer.as_str(), format!("http://localhost:{}", server.public.port()));
        assert_eq!(asked(server.public, "/healthz").await.0, 200);
        assert_eq!(asked(server.admin, "/readyz").await.0, 200);
    }
    for (server, stop) in running {
        stop.cancel();
        assert_eq!(server.wait_until_stopped().await.unwrap().aborted_connections, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn embedded_start_refusal_returns_an_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let production = config(folder.path(), &[("SINETE_MODE", "production")]);
    let refused = serve(production, ServerPorts::from_system(), CancellationToken::new()).await;
    assert_eq!(refused.err().unwrap().exit, CommandExit::Unsafe);
}

#[tokio::test(flavor = "multi_thread")]
async fn node_with_a_clock_offset_from_the_database_is_not_ready() {
    let database = tokio::task::spawn_blocking(postgres_database).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path(), &[("SINETE_DATABASE_URL", &database)]);
    let (server, stop) = started(config, Ahead(Lifetime::from_seconds(5))).await;
    let (status, reason) = asked(server.admin, "/readyz").await;
    assert_eq!(status, 503);
    assert!(reason.contains("clock is too far from the database's"), "{reason}");
    assert_eq!(asked(server.public, "/healthz").await.0, 200, "alive all the same");
    stop.cancel();
    server.wait_until_stopped().await.unwrap();
}
