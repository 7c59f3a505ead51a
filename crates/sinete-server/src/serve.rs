//! The server: accepts connections without waiting for any of them, rejects those above the limit, and
//! drains.

use crate::application::{Application, RouteEntry};
use crate::connection::{
    ConnectionHandler, ConnectionTransport, EarlyResponseReason, EarlyResponses, ShutdownSignals,
};
use crate::context::ServerContext;
use crate::dispatcher::build_dispatcher;
use crate::extract::certificate::ConnectedPeer;
use crate::route::RouteListener;
use crate::telemetry::GaugeGuard;
use crate::tls::{CertificateReload, TlsHandshake, TlsListener};
use metrics::Gauge;
use sinete_core::limits::CONNECTIONS_REJECTED_MAX;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The listeners.
pub struct ServerListeners {
    /// The public listener.
    pub public: TcpListener,
    /// TLS for it; `None` if a proxy terminates TLS, or in development.
    pub tls: Option<TlsListener>,
    /// The admin listener, without TLS, so on loopback or a private network.
    pub admin: Option<TcpListener>,
}

/// How serving ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrainReport {
    /// The number of connections with a request in progress when the drain time was over.
    pub aborted_connections: usize,
}

/// Opens a listening socket.
pub fn bind_listener(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves all routes until `stop` is cancelled and requests in progress are complete.
pub async fn serve_routes<A: Application>(
    routes: &[RouteEntry<A>],
    listeners: ServerListeners,
    application: A,
    stop: CancellationToken,
) -> DrainReport {
    let server = Arc::clone(application.server());
    let deadlines = server.settings().deadlines.clone();
    let limits = server.settings().limits.clone();
    let telemetry = server.telemetry();
    let farewell = Arc::new(EarlyResponses::new(Arc::clone(&server)));
    let background = CancellationToken::new();
    let upkeep = tokio::spawn(run_metrics_upkeep(Arc::clone(&server), background.clone()));
    let reload = listeners
        .tls
        .clone()
        .map(|tls| tokio::spawn(reload_certificates(tls, Arc::clone(&server), background.clone())));

    let public = Server::new(
        ConnectionHandler::new(
            build_dispatcher(routes, RouteListener::Public, &application),
            Arc::clone(&farewell),
        ),
        Arc::clone(&farewell),
        limits.connections,
        telemetry.connections_public.clone(),
    );
    let admin = Server::new(
        ConnectionHandler::new(
            build_dispatcher(routes, RouteListener::Admin, &application),
            Arc::clone(&farewell),
        ),
        farewell,
        limits.admin_connections,
        telemetry.connections_admin.clone(),
    );
    let handshake = listeners.tls.as_ref().map(TlsListener::handshake);
    let public_task = tokio::spawn(Arc::clone(&public).accept(listeners.public, handshake));
    let admin_task = listeners.admin.map(|listener| tokio::spawn(Arc::clone(&admin).accept(listener, None)));

    stop.cancelled().await;
    tracing::info!("draining");
    server.begin_draining();
    // Load balancers read /readyz; they have this long to send new connections elsewhere.
    tokio::time::sleep(deadlines.notice).await;
    let cut_off = public.drain(public_task, deadlines.drain).await;
    // The admin listener stays until now, to report that this node is draining.
    if let Some(admin_task) = admin_task {
        admin.drain(admin_task, deadlines.drain.min(ADMIN_DRAIN_MAX)).await;
    }
    background.cancel();
    for task in [Some(upkeep), reload].into_iter().flatten() {
        log_task_result(task).await;
    }
    tracing::info!(cut_off, "drained");
    DrainReport { aborted_connections: cut_off }
}

const BACKLOG: u32 = 1_024;
const ADMIN_DRAIN_MAX: Duration = Duration::from_secs(1);
/// The pause when no connection can be accepted, because file descriptors are exhausted.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Maximum time for sending the rejection.
const REJECTION_WRITE_TIMEOUT: Duration = Duration::from_secs(1);
const MAINTENANCE_INTERVAL: Duration = Duration::from_secs(5);

/// Accepts the connections of one listener.
struct Server<A> {
    handler: ConnectionHandler<A>,
    early_responses: Arc<EarlyResponses>,
    connection_slots: Arc<Semaphore>,
    rejection_slots: Arc<Semaphore>,
    open_connections: Gauge,
    tasks: TaskTracker,
    shutdown: ShutdownSignals,
}

impl<A: Application> Server<A> {
    fn new(
        handler: ConnectionHandler<A>,
        farewell: Arc<EarlyResponses>,
        connections: usize,
        open: Gauge,
    ) -> Arc<Self> {
        Arc::new(Self {
            handler,
            early_responses: farewell,
            connection_slots: Arc::new(Semaphore::new(connections.min(Semaphore::MAX_PERMITS))),
            rejection_slots: Arc::new(Semaphore::new(CONNECTIONS_REJECTED_MAX)),
            open_connections: open,
            tasks: TaskTracker::new(),
            shutdown: ShutdownSignals { drain: CancellationToken::new(), abort: CancellationToken::new() },
        })
    }

    /// Accepts until draining begins, and then the connections in the backlog.
    async fn accept(self: Arc<Self>, listener: TcpListener, tls: Option<TlsHandshake>) {
        loop {
            tokio::select! {
                biased;
                () = self.shutdown.drain.cancelled() => break,
                accepted = listener.accept() => match accepted {
                    Ok((stream, peer)) => self.spawn_connection(stream, peer, tls.as_ref()),
                    Err(failed) => {
                        tracing::warn!(%failed, "no connection could be accepted");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                },
            }
        }
        // The system is queried directly, because the runtime may not have seen the latest connections.
        let Ok(listener) = listener.into_std() else { return };
        while let Ok((stream, peer)) = listener.accept() {
            if stream.set_nonblocking(true).is_ok()
                && let Ok(stream) = TcpStream::from_std(stream)
            {
                self.spawn_connection(stream, peer, tls.as_ref());
            }
        }
    }

    /// Serves a connection in its own task, so that it cannot delay others.
    fn spawn_connection(self: &Arc<Self>, stream: TcpStream, peer: SocketAddr, tls: Option<&TlsHandshake>) {
        let Ok(semaphore_permit) = Arc::clone(&self.connection_slots).try_acquire_owned() else {
            return self.reject_connection(stream, tls);
        };
        // A failure only costs latency.
        let _ = stream.set_nodelay(true);
        let (this, tls) = (Arc::clone(self), tls.cloned());
        self.tasks.spawn(async move { this.serve_connection(stream, peer, tls, semaphore_permit).await });
    }

    async fn serve_connection(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        tls: Option<TlsHandshake>,
        _place: OwnedSemaphorePermit,
    ) {
        let _open = GaugeGuard::new(&self.open_connections);
        let transport = match tls {
            None => ConnectionTransport::Plain(stream),
            Some(handshake) => match self.tls_handshake(&handshake, stream).await {
                Some(transport) => transport,
                None => return self.handler.server().telemetry().refused_handshake.increment(1),
            },
        };
        // An unparsable certificate must not be treated as none.
        let Ok(certificate) = transport.client_certificate() else {
            return self.handler.server().telemetry().refused_handshake.increment(1);
        };
        let connected = ConnectedPeer { address: peer.ip(), certificate: certificate.map(Arc::new) };
        // A separate token, so that connections do not contend for one lock.
        let ending = ShutdownSignals {
            drain: self.shutdown.drain.child_token(),
            abort: self.shutdown.abort.child_token(),
        };
        self.handler.serve_connection(transport, connected, ending).await;
    }

    async fn tls_handshake(
        &self,
        handshake: &TlsHandshake,
        stream: TcpStream,
    ) -> Option<ConnectionTransport> {
        let timeout = self.handler.server().settings().deadlines.handshake;
        let shaken = tokio::select! {
            shaken = tokio::time::timeout(timeout, handshake.accept_tls(stream)) => shaken,
            () = self.shutdown.drain_grace_elapsed() => return None,
        };
        let Ok(shaken) = shaken else {
            tracing::debug!("a TLS handshake took too long");
            return None;
        };
        match shaken {
            Ok(stream) => Some(ConnectionTransport::Tls(Box::new(stream))),
            Err(failed) => {
                tracing::debug!(%failed, "a TLS handshake failed");
                None
            }
        }
    }

    /// Rejects a connection above the limit. With TLS a response would need a handshake, so the connection is
    /// just closed.
    fn reject_connection(self: &Arc<Self>, mut stream: TcpStream, tls: Option<&TlsHandshake>) {
        let regret = Arc::clone(&self.rejection_slots).try_acquire_owned();
        let (Ok(regret), None) = (regret, tls) else {
            return self.handler.server().count_refused_connection();
        };
        let answer = self.early_responses.write_response(EarlyResponseReason::Full);
        self.tasks.spawn(async move {
            let _regret = regret;
            let send_rejection = async {
                stream.write_all(&answer).await?;
                stream.shutdown().await?;
                // The client's bytes are read and discarded: a TCP reset would destroy our response.
                let mut waste = [0; 1024];
                while stream.read(&mut waste).await? > 0 {}
                io::Result::Ok(())
            };
            let _ = tokio::time::timeout(REJECTION_WRITE_TIMEOUT, send_rejection).await;
        });
    }

    /// Stops accepting, waits for requests in progress, and aborts the rest; returns their number.
    async fn drain(&self, accepting: JoinHandle<()>, timeout: Duration) -> usize {
        self.shutdown.drain.cancel();
        log_task_result(accepting).await;
        self.tasks.close();
        if tokio::time::timeout(timeout, self.tasks.wait()).await.is_ok() {
            return 0;
        }
        let cut_off = self.tasks.len();
        self.shutdown.abort.cancel();
        self.tasks.wait().await;
        cut_off
    }
}

async fn log_task_result(task: JoinHandle<()>) {
    if let Err(broken) = task.await {
        tracing::error!(%broken, "a task of the server failed");
    }
}

/// Runs the upkeep of the metrics recorder.
async fn run_metrics_upkeep(server: Arc<ServerContext>, stop: CancellationToken) {
    while tokio::time::timeout(MAINTENANCE_INTERVAL, stop.cancelled()).await.is_err() {
        server.metrics().run_upkeep();
    }
}

/// Reloads the certificate after its files change.
async fn reload_certificates(tls: TlsListener, server: Arc<ServerContext>, stop: CancellationToken) {
    let interval = server.settings().deadlines.certificate_check;
    while tokio::time::timeout(interval, stop.cancelled()).await.is_err() {
        let tls = tls.clone();
        let telemetry = server.telemetry();
        let reload = match tokio::task::spawn_blocking(move || tls.reload_if_changed()).await {
            Ok(reload) => reload,
            Err(broken) => {
                tracing::error!(%broken, "checking the TLS certificate failed");
                continue;
            }
        };
        match reload {
            Ok(CertificateReload::Unchanged) => {}
            Ok(CertificateReload::Replaced) => {
                telemetry.certificate_reloaded.increment(1);
                tracing::info!("a new TLS certificate is in use");
            }
            Err(bad) => {
                telemetry.certificate_refused.increment(1);
                tracing::error!(%bad, "the TLS certificate changed and cannot be used; the previous one stays in use");
            }
        }
    }
}
