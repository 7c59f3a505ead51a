//! How connections to the server are created: settings, encryption and pool size.

use super::LIST_TIMEOUT_FACTOR;
use super::commit_outcome::ServerProcessList;
use super::error::to_pool_failure;
use super::session_settings::connection_options;
use crate::driver::address::{ConnectionEncryption, PostgresAddress};
use crate::driver::deadline::StatementDeadline;
use crate::failure::StoreFailure;
use crate::options::{ConnectionPooling, StoreAccess, StoreOptions};
use deadpool_postgres::{
    Client, Hook, HookError, Manager, ManagerConfig, Pool, QueueMode, RecyclingMethod, Runtime, Timeouts,
};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout_at;
use tokio_postgres::NoTls;
use tokio_postgres::config::{SslMode, TargetSessionAttrs};
use tokio_postgres_rustls::MakeRustlsConnect;

/// A pool of at most this many connections, still empty. It records the server process of each connection.
pub(super) fn build_pool(
    server: &PostgresAddress,
    options: &StoreOptions,
    connections: usize,
    backends: &ServerProcessList,
) -> Result<Pool, StoreFailure> {
    let timeout = options.answer_max.as_duration();
    let mut config = server.config.clone();
    let read_only = ReadOnlySession::choose(&config, options.access);
    let connect_within = connect_timeout(&config, timeout);
    if options.pooling == ConnectionPooling::Session {
        let from_start = read_only == ReadOnlySession::FromStart;
        config.options(connection_options(config.get_options(), from_start, timeout));
    }
    config
        .connect_timeout(connect_within)
        .tcp_user_timeout(timeout * LIST_TIMEOUT_FACTOR)
        .keepalives_idle(Duration::from_secs(30))
        .keepalives_interval(Duration::from_secs(10))
        .keepalives_retries(3);
    if config.get_application_name().is_none() {
        config.application_name("sinete");
    }
    let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = match &server.encryption {
        ConnectionEncryption::None => {
            config.ssl_mode(SslMode::Disable);
            Manager::from_config(config, NoTls, recycling)
        }
        ConnectionEncryption::Tls { roots } => {
            config.ssl_mode(SslMode::Require);
            Manager::from_config(config, build_tls_connector(roots.as_deref())?, recycling)
        }
    };
    let mut pool = Pool::builder(manager)
        .max_size(connections)
        // The connection that was used last has most statements prepared.
        .queue_mode(QueueMode::Lifo)
        .wait_timeout(Some(timeout))
        .create_timeout(Some(timeout))
        .recycle_timeout(Some(timeout))
        .runtime(Runtime::Tokio1);
    // Behind a pooler that lends server connections for a transaction, a connection has no process of its own.
    if options.pooling == ConnectionPooling::Session {
        pool = pool.post_create(backends.connection_hook(timeout));
        if read_only == ReadOnlySession::AfterConnecting {
            pool = pool.post_create(read_only_hook());
        }
    }
    pool.build().map_err(|error| StoreFailure::Other(format!("no pool of connections can be made: {error}")))
}

/// The time to reach one of several servers. They are tried in order, so that one that is switched off leaves enough
/// of the patience to reach the next.
fn connect_timeout(config: &tokio_postgres::Config, timeout: Duration) -> Duration {
    match u32::try_from(config.get_hosts().len().max(config.get_hostaddrs().len())) {
        Ok(servers @ 2..) => timeout / (servers + 1),
        _ => timeout,
    }
}

/// When a session becomes read-only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadOnlySession {
    /// Never.
    Never,
    /// From its start.
    FromStart,
    /// After it was connected: `target_session_attrs` compares how the session started, and would find no server that
    /// accepts writes.
    AfterConnecting,
}

impl ReadOnlySession {
    fn choose(config: &tokio_postgres::Config, access: StoreAccess) -> Self {
        match (access, config.get_target_session_attrs()) {
            (StoreAccess::ReadOnly, TargetSessionAttrs::Any) => Self::FromStart,
            (StoreAccess::ReadOnly, _) => Self::AfterConnecting,
            _ => Self::Never,
        }
    }
}

fn read_only_hook() -> Hook {
    Hook::async_fn(|client, _| {
        Box::pin(async move {
            let result = client.batch_execute("SET default_transaction_read_only = on").await;
            result.map_err(HookError::Backend)
        })
    })
}

/// Takes a connection, if one is free or can be created by the deadline. Waiting and creating share that
/// time.
pub(super) async fn acquire_connection(
    pool: &Pool,
    deadline: StatementDeadline,
) -> Result<Client, StoreFailure> {
    // A little less than what remains, so that the pool can report whether it was full or the server did not
    // respond.
    let longest = Some(deadline.remaining() * 15 / 16);
    let timeouts = Timeouts { wait: longest, create: longest, recycle: longest };
    match timeout_at(deadline.answer_by(), pool.timeout_get(&timeouts)).await {
        Ok(result) => result.map_err(to_pool_failure),
        Err(_) => Err(StoreFailure::Unreachable),
    }
}

fn build_tls_connector(roots: Option<&Path>) -> Result<MakeRustlsConnect, StoreFailure> {
    let mut trusted = RootCertStore::empty();
    match roots {
        Some(path) => {
            let unreadable = |error| {
                StoreFailure::Other(format!("sslrootcert {} cannot be read: {error}", path.display()))
            };
            for certificate in CertificateDer::pem_file_iter(path).map_err(unreadable)? {
                let certificate = certificate.map_err(unreadable)?;
                trusted.add(certificate).map_err(|error| {
                    StoreFailure::Other(format!(
                        "sslrootcert {} holds no usable root: {error}",
                        path.display()
                    ))
                })?;
            }
        }
        None => {
            trusted.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    if trusted.is_empty() {
        return Err(StoreFailure::Other(
            "there is no root certificate to verify the database with: name a PEM file with sslrootcert"
                .into(),
        ));
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| StoreFailure::Other(format!("TLS cannot be set up: {error}")))?
        .with_root_certificates(trusted)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
