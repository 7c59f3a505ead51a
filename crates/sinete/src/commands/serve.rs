//! `sinete serve`: serves until a signal stops it.

use crate::commands::{build_runtime, first_operator};
use crate::config::Config;
use crate::config::environment::Environment;
use crate::config::values::{BaseUrl, ConfiguredMode};
use crate::exit::{CommandError, CommandExit};
use crate::logging::LoggingGuard;
use crate::serve::{RunningServer, serve};
use crate::server_ports::ServerPorts;
use crate::startup::file_descriptors;
use crate::terminal::{Terminal, TextTone};
use sinete_engine::administration::bootstrap;
use sinete_engine::administration::bootstrap::FirstOperatorLink;
use std::path::Path;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Serves until SIGTERM or SIGINT, then completes the requests in progress.
pub fn run(
    file: Option<&Path>,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    run_config(Config::load(file, environment)?.config, environment, terminal, |_| String::new())
}

/// Serves with this configuration. The notice is printed when the issuer is known.
pub fn run_config(
    config: Config,
    environment: &Environment,
    terminal: &Terminal,
    notice: impl FnOnce(&BaseUrl) -> String,
) -> Result<CommandExit, CommandError> {
    let logging = LoggingGuard::start(&config, environment.get("NO_COLOR").is_none())?;
    let open_files = file_descriptors::raise_limit();
    tracing::debug!(?open_files, "the limit on open files is as high as it can be");
    let ended = build_runtime()?.block_on(serve_until_signal(config, terminal, notice));
    logging.shut_down();
    ended
}

async fn serve_until_signal(
    config: Config,
    terminal: &Terminal,
    notice: impl FnOnce(&BaseUrl) -> String,
) -> Result<CommandExit, CommandError> {
    let mut signals = ProcessSignals::listen()?;
    let stop = CancellationToken::new();
    let (mode, pages) = (config.mode, DevelopmentPages::from_config(&config));
    // A signal during startup must not be lost; startup stops at its next step.
    let running = tokio::select! {
        running = serve(config, ServerPorts::from_system(), stop.clone()) => running?,
        () = signals.wait_for_stop() => return Ok(CommandExit::Done),
    };
    terminal.print(&render_welcome(&running, mode, pages, terminal))?;
    if let Some(link) = bootstrap::create_development_link(running.engine()).await? {
        terminal.print(&render_first_operator_notice(&link, &running.issuer.to_string(), terminal))?;
    }
    terminal.print(&notice(&running.issuer))?;
    tracing::info!(
        issuer = %running.issuer, listen = %running.public, admin_listen = %running.admin, "ready"
    );
    while let SignalAction::Reload = signals.next().await {
        running.reload().await;
    }
    stop.cancel();
    let finished = running.wait_until_stopped();
    tokio::pin!(finished);
    tokio::select! {
        drained = &mut finished => drained.map(|_| CommandExit::Done),
        // A second signal stops immediately.
        () = signals.wait_for_stop() => Err(CommandError::failed("stopped at once, because of a second signal")),
    }
}

/// The pages that a developer opens first.
#[derive(Clone, Copy, Debug)]
struct DevelopmentPages {
    /// Whether the console is served.
    has_console: bool,
    /// Whether messages are shown in the development mailbox.
    has_mailbox: bool,
}

impl DevelopmentPages {
    const fn from_config(config: &Config) -> Self {
        #[cfg(feature = "screens")]
        let has_console = config.screens && config.console;
        #[cfg(not(feature = "screens"))]
        let has_console = false;
        Self { has_console, has_mailbox: config.email.is_none() }
    }

    /// One line for each page.
    fn render(self, issuer: &str) -> String {
        let console = self.has_console.then(|| format!("  console  {issuer}/console\n"));
        let mailbox = self.has_mailbox.then(|| format!("  mail     {issuer}/dev/mail\n"));
        console.into_iter().chain(mailbox).collect()
    }
}

/// The welcome text with the URLs.
fn render_welcome(
    running: &RunningServer,
    mode: ConfiguredMode,
    pages: DevelopmentPages,
    terminal: &Terminal,
) -> String {
    let RunningServer { issuer, public, admin, .. } = running;
    let pages = pages.render(&issuer.to_string());
    let issuer = terminal.paint(TextTone::Strong, &issuer.to_string());
    match mode {
        ConfiguredMode::Development => format!(
            "Sinete is ready at {issuer} for development. Stop it with Ctrl-C.\n{pages}  \
             keys     {issuer}/.well-known/jwks.json\n  \
             health   http://{admin}/readyz\n  \
             metrics  http://{admin}/metrics\n  \
             next     sinete doctor --production lists what production needs\n"
        ),
        ConfiguredMode::Production => {
            format!("Sinete is ready at {issuer}, listening on {public} and {admin}.\n")
        }
    }
}

/// The notice on how to become the first operator, shown until there is one.
fn render_first_operator_notice(link: &FirstOperatorLink, issuer: &str, terminal: &Terminal) -> String {
    let expires_at = link.expires_at;
    let step = terminal.paint(TextTone::Strong, &first_operator::render_instructions(link, issuer));
    let (how, otherwise) = if link.address.is_some() {
        let otherwise = "Without a browser, give its token to POST /flows with \"kind\": \"first_operator\".";
        ("open this link", otherwise)
    } else {
        (
            "send this",
            "This instance has no screens: the response contains the next actions; see docs/reference/flow-api.md.",
        )
    };
    format!(
        "\nThis instance has no operator yet. To become its first operator, {how}, once, before {expires_at}:\n  \
         {step}\n  \
         {otherwise}\n  \
         `sinete admin invite` prints another.\n"
    )
}

/// The handled signals.
struct ProcessSignals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl ProcessSignals {
    fn listen() -> Result<Self, CommandError> {
        let listen = |kind| {
            signal(kind).map_err(|error| CommandError::failed(format!("signals cannot be received: {error}")))
        };
        Ok(Self {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
            hangup: listen(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> SignalAction {
        tokio::select! {
            _ = self.terminate.recv() => SignalAction::Stop,
            _ = self.interrupt.recv() => SignalAction::Stop,
            _ = self.hangup.recv() => SignalAction::Reload,
        }
    }

    async fn wait_for_stop(&mut self) {
        while let SignalAction::Reload = self.next().await {}
    }
}

/// The meaning of a signal.
enum SignalAction {
    Stop,
    Reload,
}
