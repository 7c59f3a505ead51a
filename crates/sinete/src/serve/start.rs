//! The steps of startup: examine, refuse or continue, bind, open, migrate, load keys, log.

use super::log_archiving::LogArchiving;
use crate::backend::EngineBackend;
use crate::config::Config;
use crate::config::values::{BaseUrl, ConfiguredMode};
use crate::exit::CommandError;
use crate::logging::LoggingGuard;
use crate::metrics;
use crate::outbound::message_carriers;
use crate::server_ports::ServerPorts;
#[cfg(feature = "screens")]
use crate::startup::branding;
use crate::startup::checks::evaluation::{DoctorFinding, find_blockers};
use crate::startup::checks::examination::examine_instance;
use crate::startup::checks::facts::DatabaseFact;
use crate::startup::engine;
use crate::startup::engine::DatabaseIntent;
use crate::startup::{file_descriptors, log_archive};
use sinete_engine::events::security_log::SecurityLog;
use sinete_engine::platform::outbox::MessageCarriers;
use sinete_engine::platform::signing_keys;
use sinete_engine::{Engine, EventCause, identity_providers, organizations};
use sinete_http::state::{HttpSettings, HttpState, InstancePurpose, ScreensMode};
use sinete_server::base_address::BaseAddress;
use sinete_server::context::ServerSettings;
use sinete_server::extract::certificate::ProxyCertificates;
use sinete_server::extract::peer::TrustedProxies;
use sinete_server::limits::{ServerDeadlines, ServerLimits};
use sinete_server::serve::{ServerListeners, bind_listener};
use sinete_server::tls::{ClientCertificatePolicy, TlsFiles, TlsListener};

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// A server that is ready to accept requests.
pub struct StartedServer {
    pub engine: Engine,
    pub log: SecurityLog,
    pub backend: Arc<EngineBackend>,
    pub state: HttpState,
    /// The message senders, if this node delivers messages.
    pub carriers: Option<MessageCarriers>,
    pub listeners: ServerListeners,
    /// The archive of the security log, if one is configured.
    pub archiving: Option<LogArchiving>,
    pub public: SocketAddr,
    pub admin: SocketAddr,
    pub issuer: BaseUrl,
}

pub async fn prepare_server(config: &Config, ports: &ServerPorts) -> Result<StartedServer, CommandError> {
    let examined = examine_instance(config, ports.clock.now()).await;
    if config.mode == ConfiguredMode::Production {
        refuse_blockers(&find_blockers(&examined.startup_facts))?;
    }
    engine::require_instance_key(&examined.startup_facts)?;
    if let DatabaseFact::Open { write_failure: Some(failed), .. } = &examined.startup_facts.database {
        return Err(failed.clone().into());
    }
    engine::require_usable_lists(&examined.startup_facts.lookup_files)?;
    if let Some(Err(reason)) = &examined.startup_facts.branding {
        return Err(CommandError::invalid_usage(reason));
    }
    let (listeners, public, admin) = bind_listeners(config)?;
    let issuer = config.issuer(public);
    let store = engine::open_store(config, ports, DatabaseIntent::Serve).await?;
    let engine = engine::build_engine(config, ports, store, &issuer, examined).await?;
    identity_providers::set_call_observer(&engine, metrics::count_provider_request);
    if config.mode == ConfiguredMode::Development {
        signing_keys::ensure_keys(&engine, &signing_keys::REQUIRED_ALGORITHMS, &EventCause::system()).await?;
    }
    organizations::ensure_built_in_organizations(&engine).await?;
    let log =
        SecurityLog::open_or_create(engine.store(), engine.instance_keys(), engine.now(), engine.entropy())
            .await?;
    let mailbox = message_carriers::build_dev_mailbox(config);
    let carriers = config
        .delivery_enabled
        .then(|| message_carriers::build_carriers(config, ports, mailbox.as_ref()))
        .transpose()?;
    let archiving = build_archiving(config, ports)?;
    let house =
        Arc::new(EngineBackend::new(engine.clone(), config.clone(), mailbox).map_err(CommandError::failed)?);
    house.compare_clocks().await;
    let state =
        HttpState::new(house.clone(), build_http_settings(config, &issuer)?, metrics::install_recorder()?);
    Ok(StartedServer {
        engine,
        log,
        backend: house,
        state,
        carriers,
        listeners,
        archiving,
        public,
        admin,
        issuer,
    })
}

/// The configured archive of the security log.
fn build_archiving(config: &Config, ports: &ServerPorts) -> Result<Option<LogArchiving>, CommandError> {
    let Some(location) = &config.log_archive.location else { return Ok(None) };
    let clock = ports.clock.clone();
    let storage = log_archive::open_archive(config, location, clock.clone())?;
    Ok(Some(LogArchiving { storage, policy: log_archive::archive_policy(config), clock }))
}

/// Refuses to start, with all reasons and their fixes.
fn refuse_blockers(blockers: &[DoctorFinding]) -> Result<(), CommandError> {
    if blockers.is_empty() {
        return Ok(());
    }
    let mut message = match blockers.len() {
        1 => "production cannot start, for one reason".to_owned(),
        many => format!("production cannot start, for {many} reasons"),
    };
    for DoctorFinding { message: summary, remedy, .. } in blockers {
        let remedy = remedy.as_deref().unwrap_or_default();
        message.push_str(&format!("\n  {summary}; {remedy}"));
    }
    Err(CommandError::refused(message))
}

fn bind_listeners(config: &Config) -> Result<(ServerListeners, SocketAddr, SocketAddr), CommandError> {
    let open = |key: &str, address: SocketAddr| {
        let listen_error =
            |error| CommandError::failed(format!("{key} = \"{address}\" cannot be listened on: {error}"));
        let listener = bind_listener(address).map_err(listen_error)?;
        let bound = listener.local_addr().map_err(listen_error)?;
        Ok::<_, CommandError>((listener, bound))
    };
    let tls = config.tls.as_ref().map(|tls| {
        let files = TlsFiles { certificate: tls.certificate.clone(), key: tls.key.clone() };
        let certificate_policy =
            config.mtls.as_ref().map(|mutual| mutual.certificate_policy(&config.issuer(config.listen)));
        TlsListener::open_with_client_certificates(
            files,
            certificate_policy.unwrap_or(ClientCertificatePolicy::Never),
        )
        .map_err(|bad| CommandError::invalid_usage(format!("TLS cannot be set up: {bad}")))
    });
    let tls = tls.transpose()?;
    let (public, public_address) = open("listen", config.listen)?;
    let (admin, admin_address) = open("admin_listen", config.admin_listen)?;
    Ok((ServerListeners { public, tls, admin: Some(admin) }, public_address, admin_address))
}

/// Which screens are served.
const fn screens_mode(config: &Config) -> ScreensMode {
    #[cfg(feature = "screens")]
    let console = config.console;
    #[cfg(not(feature = "screens"))]
    let console = false;
    match (config.screens, console) {
        (true, true) => ScreensMode::On,
        (true, false) => ScreensMode::WithoutConsole,
        (false, _) => ScreensMode::Off,
    }
}

fn build_http_settings(config: &Config, issuer: &BaseUrl) -> Result<HttpSettings, CommandError> {
    let base_address = BaseAddress::parse(issuer.as_str())
        .map_err(|error| CommandError::invalid_usage(error.to_string()))?;
    if config.screens && cfg!(not(feature = "screens")) {
        return Err(CommandError::invalid_usage(
            "screens.enabled is true, and this program was built without the screens",
        ));
    }
    let seconds = |seconds: u32| Duration::from_secs(u64::from(seconds));
    let limits = config.limits;
    Ok(HttpSettings {
        server: ServerSettings {
            proxies: TrustedProxies { trusted: config.trusted_proxies.clone(), header: config.proxy_header },
            proxy_certificates: proxy_certificate_source(config),
            allowed_origins: config.sign_in.allowed_origins.clone(),
            traces: LoggingGuard::trace_policy(config),
            rate_limits: config.rate_limits,
            limits: ServerLimits {
                connections: public_connection_limit(config),
                requests: limits.requests,
                ..ServerLimits::default()
            },
            deadlines: ServerDeadlines {
                notice: seconds(limits.notice_seconds),
                drain: seconds(limits.drain_seconds),
                ..ServerDeadlines::default()
            },
            base_address,
        },
        purpose: match config.mode {
            ConfiguredMode::Development => InstancePurpose::Development,
            ConfiguredMode::Production => InstancePurpose::Production,
        },
        screens: screens_mode(config),
        #[cfg(feature = "screens")]
        branding: branding::load_branding(&config.branding)?,
    })
}

/// The connection limit of the public listener; logs if it is lower than configured.
fn public_connection_limit(config: &Config) -> usize {
    let (allowed, configured) = (file_descriptors::current_limit(), config.limits.connections);
    let connections = file_descriptors::public_connection_limit(config, allowed);
    if connections < configured {
        tracing::warn!(?allowed, configured, connections, "the limit on open files leaves fewer connections");
    }
    connections
}

/// How trusted proxies forward client certificates, if they do.
fn proxy_certificate_source(config: &Config) -> ProxyCertificates {
    let secret = config.mtls.as_ref().and_then(|mutual| mutual.proxy_secret.as_ref());
    secret.map_or(ProxyCertificates::NotForwarded, |secret| ProxyCertificates::with_secret(secret.reveal()))
}
