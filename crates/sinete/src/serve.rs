//! Serving: from a configuration to running listeners, and shutdown.
//!
//! Nothing is written before all checks have passed. The sockets are bound before the database is opened, so
//! that a port in use has no side effects.

mod heartbeats;
mod log_archiving;
mod start;

use crate::backend::EngineBackend;
use crate::config::Config;
use crate::config::values::{BaseUrl, ConfiguredMode};
use crate::exit::CommandError;
use crate::metrics;
use crate::server_ports::ServerPorts;
use crate::startup::checks::evaluation::{DoctorCheck, DoctorFinding, find_blockers};
use crate::startup::checks::examination::{Examination, examine_instance};
use crate::startup::engine;
use heartbeats::HeartbeatWriter;
use log_archiving::spawn_log_archiving;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::limits::{CLEANUP_INTERVAL, MEMBER_INDEX_BATCH_MAX};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_engine::administration::cleanup;
use sinete_engine::authzen::relationships;
use sinete_engine::events::audit_log::retention::{AuditCleanupPosition, remove_expired_entries};
use sinete_engine::events::security_log::{SecurityLog, spawn_sealer};
use sinete_engine::events::webhooks;
use sinete_engine::identity_providers::setup_links;
use sinete_engine::oauth::{ciba, dcr};
use sinete_engine::organizations::{domains, member_search};
use sinete_engine::platform::outbox::MessageCarriers;
use sinete_engine::platform::{background, outbox, signing_keys};
use sinete_engine::sign_in::backchannel_logout;
use sinete_engine::{Engine, EventCause};
use sinete_http::state::HttpState;
use sinete_server::serve::{DrainReport, ServerListeners};
use sinete_server::tls::TlsListener;
use sinete_store::{BatchOutcome, WriteBatch};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How often the database's clock is compared with ours: the maximum time for which tokens are issued after a
/// clock was set wrong.
const CLOCK_INTERVAL: Duration = Duration::from_secs(5);

/// How often members without search terms are indexed.
const MEMBER_INDEX_INTERVAL: Duration = Duration::from_secs(60);

/// How often unused registrations and expired rows are cleaned up.
const CLEANUP_PERIOD: Duration = Duration::from_secs(CLEANUP_INTERVAL.seconds().unsigned_abs());

/// A running server.
pub struct RunningServer {
    /// The address of the public listener.
    pub public: SocketAddr,
    /// The address of the admin listener.
    pub admin: SocketAddr,
    /// The public base URL.
    pub issuer: BaseUrl,
    engine: Engine,
    config: Config,
    tls: Option<TlsListener>,
    heartbeats: HeartbeatWriter,
    listener_task: JoinHandle<DrainReport>,
    drain_deadline: JoinHandle<()>,
    background: BackgroundTasks,
}

/// The background tasks of the server.
struct BackgroundTasks {
    stop: CancellationToken,
    seal_stop: CancellationToken,
    sealer: JoinHandle<()>,
    tasks: Vec<JoinHandle<()>>,
}

/// Starts the server, which runs until `stop` is cancelled. In production it refuses to start if anything is
/// unsafe, and lists all reasons.
pub async fn serve(
    config: Config,
    ports: ServerPorts,
    stop: CancellationToken,
) -> Result<RunningServer, CommandError> {
    crate::install_crypto_provider();
    let ready = start::prepare_server(&config, &ports).await?;
    let start::StartedServer {
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
    } = ready;
    let tls = listeners.tls.clone();
    let last_moment = spawn_drain_deadline(&stop, Duration::from_secs(config.limits.drain_seconds.into()));
    let mut background = BackgroundTasks::start(&engine, log.clone(), &house, carriers);
    if let Some(archiving) = archiving {
        background.tasks.push(spawn_log_archiving(&engine, log, archiving, &background.stop));
    }
    record_server_event(&engine, EventKind::ServerStarted).await?;
    let heartbeats = HeartbeatWriter::start(&engine, &state).await;
    background.tasks.push(heartbeats.spawn(&background.stop));
    let serving = tokio::spawn(run_listeners(listeners, state, stop));
    Ok(RunningServer {
        public,
        admin,
        issuer,
        engine,
        config,
        tls,
        heartbeats,
        listener_task: serving,
        drain_deadline: last_moment,
        background,
    })
}

async fn run_listeners(listeners: ServerListeners, state: HttpState, stop: CancellationToken) -> DrainReport {
    sinete_http::router::serve(listeners, state, stop).await
}

/// Ends when the drain time after the stop is over.
fn spawn_drain_deadline(stop: &CancellationToken, drain: Duration) -> JoinHandle<()> {
    let stop = stop.clone();
    tokio::spawn(async move {
        stop.cancelled().await;
        tokio::time::sleep(drain).await;
    })
}

impl RunningServer {
    /// The engine of the server.
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Reloads certificates and signing keys from their files. Files that cannot be used, or would keep
    /// production from starting, are logged; the current values then stay in use.
    pub async fn reload(&self) {
        let Examination { startup_facts: facts, configured_keys: outside, .. } =
            examine_instance(&self.config, self.engine.now()).await;
        let about_files = |finding: &DoctorFinding| {
            matches!(finding.check, DoctorCheck::SigningKeys | DoctorCheck::Files | DoctorCheck::Certificate)
        };
        let blockers: Vec<_> = find_blockers(&facts).into_iter().filter(about_files).collect();
        if self.config.mode == ConfiguredMode::Production && !blockers.is_empty() {
            for DoctorFinding { message: what, remedy, .. } in blockers {
                tracing::error!(what, remedy, "nothing was reloaded: the current values stay in use");
            }
            return;
        }
        if let Some(tls) = &self.tls {
            match tls.reload() {
                Ok(_) => tracing::info!("the TLS certificate was reloaded"),
                Err(bad) => {
                    tracing::error!(%bad, "the TLS certificate cannot be used: the current one stays in use")
                }
            }
        }
        match engine::require_usable_keys(outside) {
            Err(why) => {
                tracing::error!(%why, "the signing keys were not reloaded: the current ones stay in use")
            }
            Ok(fresh) => match signing_keys::reload_configured_keys(&self.engine, fresh).await {
                Ok(()) => tracing::info!("the signing keys were reloaded"),
                Err(why) => {
                    tracing::error!(%why, "the signing keys were not reloaded: the current ones stay in use")
                }
            },
        }
    }

    /// Waits until the server has stopped.
    pub async fn wait_until_stopped(self) -> Result<DrainReport, CommandError> {
        let drained = self.listener_task.await;
        wait_for_background_tasks(&self.engine, self.drain_deadline).await;
        // Failing to record the event must not fail the shutdown.
        if let Err(stop) = record_server_event(&self.engine, EventKind::ServerStopped).await {
            tracing::warn!(why = %stop, "the stop of this node could not be recorded");
        }
        self.background.shut_down().await;
        self.heartbeats.record_stop().await;
        self.engine.store().close().await;
        drained.map_err(|broken| CommandError::failed(format!("the server failed: {broken}")))
    }
}

impl BackgroundTasks {
    fn start(
        engine: &Engine,
        log: SecurityLog,
        house: &Arc<EngineBackend>,
        carriers: Option<MessageCarriers>,
    ) -> Self {
        let (stop, sealing) = (CancellationToken::new(), CancellationToken::new());
        let sealer = {
            let (clock, until) = (engine.clone(), sealing.clone());
            spawn_sealer(log, move || clock.now(), async move { until.cancelled().await })
        };
        let refresh = {
            let (engine, stop) = (engine.clone(), stop.clone());
            tokio::spawn(async move {
                stop.run_until_cancelled(signing_keys::run_reload(&engine)).await;
            })
        };
        let clocks = {
            let (house, stop) = (Arc::clone(house), stop.clone());
            tokio::spawn(async move {
                while tokio::time::timeout(CLOCK_INTERVAL, stop.cancelled()).await.is_err() {
                    house.compare_clocks().await;
                }
            })
        };
        let mut tasks =
            vec![refresh, clocks, spawn_cleanup(engine, &stop), spawn_member_indexing(engine, &stop)];
        if let Some(carriers) = carriers {
            tasks.push(spawn_message_delivery(engine, &stop, carriers));
            tasks.push(spawn_webhook_delivery(engine, &stop));
            tasks.push(spawn_ciba_notifications(engine, &stop));
            tasks.push(spawn_logout_retries(engine, &stop));
        }
        if engine.settings().mode == sinete_engine::InstanceMode::Development {
            tasks.push(spawn_development_key_generation(engine, &stop));
        }
        Self { stop, seal_stop: sealing, sealer, tasks }
    }

    /// Stops all background tasks, the log sealer last so that it seals the final events.
    async fn shut_down(self) {
        self.stop.cancel();
        for task in self.tasks {
            let _ = task.await;
        }
        self.seal_stop.cancel();
        let _ = self.sealer.await;
    }
}

/// Delivers pending messages until stopped. A delivery interrupted by the stop is retried when its claim
/// expires.
fn spawn_message_delivery(
    engine: &Engine,
    stop: &CancellationToken,
    carriers: MessageCarriers,
) -> JoinHandle<()> {
    let (engine, stop) = (engine.clone(), stop.clone());
    tokio::spawn(async move {
        stop.run_until_cancelled(outbox::run_delivery(&engine, &carriers)).await;
    })
}

/// Delivers CIBA ping notifications until stopped. An interrupted one is retried when its claim expires.
fn spawn_ciba_notifications(engine: &Engine, stop: &CancellationToken) -> JoinHandle<()> {
    let (engine, stop) = (engine.clone(), stop.clone());
    tokio::spawn(async move {
        stop.run_until_cancelled(ciba::notifications::run_notifications(&engine)).await;
    })
}

/// Retries back-channel logouts until stopped. An interrupted one is retried when its claim expires.
fn spawn_logout_retries(engine: &Engine, stop: &CancellationToken) -> JoinHandle<()> {
    let (engine, stop) = (engine.clone(), stop.clone());
    tokio::spawn(async move {
        stop.run_until_cancelled(backchannel_logout::run_retries(&engine)).await;
    })
}

/// Delivers webhooks until stopped. An interrupted delivery is retried when its claim expires.
fn spawn_webhook_delivery(engine: &Engine, stop: &CancellationToken) -> JoinHandle<()> {
    let (engine, stop) = (engine.clone(), stop.clone());
    tokio::spawn(async move {
        stop.run_until_cancelled(webhooks::delivery::run_delivery(&engine, metrics::count_webhook_attempts))
            .await;
    })
}

/// Indexes members for search, so that searches after an upgrade or import find all of them.
fn spawn_member_indexing(engine: &Engine, stop: &CancellationToken) -> JoinHandle<()> {
    let (engine, stop) = (engine.clone(), stop.clone());
    tokio::spawn(async move {
        loop {
            match stop
                .run_until_cancelled(member_search::index_due_members(&engine, MEMBER_INDEX_BATCH_MAX))
                .await
            {
                None => break,
                Some(Ok(round)) => {
                    tracing::debug!(written = round.indexed, "members were indexed for the search");
                    // There are more members to index, so the next round starts immediately.
                    if round.has_more && round.indexed > 0 {
                        continue;
                    }
                }
                Some(Err(failed)) => {
                    tracing::warn!(%failed, "the search index of members could not be updated")
                }
            }
            if tokio::time::timeout(MEMBER_INDEX_INTERVAL, stop.cancelled()).await.is_ok() {
                break;
            }
        }
    })
}

/// Periodically removes unused registrations, deletes expired rows and rows of deleted owners, and checks
/// domain records.
fn spawn_cleanup(engine: &Engine, stop: &CancellationToken) -> JoinHandle<()> {
    let (engine, stop) = (engine.clone(), stop.clone());
    tokio::spawn(async move {
        let mut walk = relationships::CleanupPosition::default();
        let mut audit_logs = AuditCleanupPosition::default();
        while tokio::time::timeout(CLEANUP_PERIOD, stop.cancelled()).await.is_err() {
            match dcr::remove_unused(&engine).await {
                Ok(0) => {}
                Ok(ended) => tracing::info!(ended, "unused registrations were removed"),
                Err(failed) => tracing::warn!(%failed, "unused registrations could not be removed"),
            }
            // Cleanup is interrupted by a shutdown.
            match stop.run_until_cancelled(cleanup::delete_expired(&engine)).await {
                None => break,
                Some(Ok(())) => {}
                Some(Err(failed)) => tracing::warn!(%failed, "expired rows could not be deleted"),
            }
            match setup_links::remove_expired_preparations(&engine).await {
                Ok(0) => {}
                Ok(removed) => {
                    tracing::info!(removed, "connections prepared with expired set-up links were removed")
                }
                Err(failed) => {
                    tracing::warn!(%failed, "connections prepared with expired set-up links could not be removed")
                }
            }
            if let Err(failed) = remove_expired_entries(&engine, &mut audit_logs).await {
                tracing::warn!(%failed, "entries of audit logs that passed their retention could not be removed");
            }
            match relationships::remove_orphaned_relationships(&engine, &mut walk).await {
                Ok(0) => {}
                Ok(removed) => tracing::info!(removed, "relationships of deleted subjects were removed"),
                Err(failed) => {
                    tracing::warn!(%failed, "relationships of deleted subjects could not be removed")
                }
            }
            match domains::recheck_verified_domains(&engine).await {
                Ok(looked) => metrics::count_domain_checks(looked),
                Err(failed) => tracing::warn!(%failed, "the records of domains could not be checked"),
            }
        }
    })
}

/// Generates development keys that are not needed immediately, so that they do not delay the start.
fn spawn_development_key_generation(engine: &Engine, stop: &CancellationToken) -> JoinHandle<()> {
    let (engine, stop) = (engine.clone(), stop.clone());
    tokio::spawn(async move {
        let cause = EventCause::system();
        let generation = signing_keys::ensure_keys(&engine, &SigningAlgorithm::ALL, &cause);
        if let Some(Err(failed)) = stop.run_until_cancelled(generation).await {
            tracing::warn!(%failed, "not every development key could be generated");
        }
    })
}

/// Waits for detached background tasks, but not beyond the deadline.
async fn wait_for_background_tasks(engine: &Engine, last_moment: JoinHandle<()>) {
    let abort = last_moment.abort_handle();
    tokio::select! {
        biased;
        () = background::wait_for_all(engine) => abort.abort(),
        _ = last_moment => {
            let errands = background::running_tasks(engine);
            tracing::warn!(errands, "not every application could be notified of sessions that ended before the stop");
        }
    }
}

async fn record_server_event(engine: &Engine, kind: EventKind) -> Result<(), CommandError> {
    let event = SecurityEvent::new(kind, SecurityEventActor::System, engine.now(), engine.entropy())
        .with_detail("version", env!("CARGO_PKG_VERSION"))
        .with_detail("process", std::process::id());
    match engine.store().commit(WriteBatch::new().with_event(&event)).await? {
        BatchOutcome::Committed(_) => Ok(()),
        BatchOutcome::Conflict(conflict) => {
            Err(CommandError::failed(format!("the security log cannot be written: {conflict:?}")))
        }
    }
}
