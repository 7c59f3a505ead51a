//! A server as a child process: started on a free port, polled until ready, and stopped by its process id.

use crate::failed::BenchError;
use crate::load::LoadRequest;
use crate::load::connection::HttpConnection;
use crate::process::MeasuredProcess;
use crate::stopwatch::RunningStopwatch;
use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, Command};

/// Maximum time until the server is ready.
const READY_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum time until the server stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(35);
/// How often a starting server is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// The number of output lines shown of a failed server.
const OUTPUT_TAIL_LINES: usize = 15;

/// A running server. Dropped without [`ChildServer::stop`], it is killed.
#[derive(Debug)]
pub struct ChildServer {
    /// The address it listens on.
    pub address: SocketAddr,
    /// Its process.
    pub process: MeasuredProcess,
    /// The time from start to readiness.
    pub ready_after: Duration,
    program: String,
    output_path: PathBuf,
    child: Child,
}

/// Starts `sinete serve` with only its folder and addresses configured.
pub async fn start_sinete(program: &Path, folder: &Path) -> Result<ChildServer, BenchError> {
    start_sinete_with(program, folder, &[]).await
}

/// The same, with additional environment variables.
pub async fn start_sinete_with(
    program: &Path,
    folder: &Path,
    variables: &[(&str, &str)],
) -> Result<ChildServer, BenchError> {
    let (address, admin) = (free_address()?, free_address()?);
    let mut command = Command::new(program);
    command
        .arg("serve")
        .env("SINETE_DATA_DIR", folder.join("sinete-data"))
        .env("SINETE_LISTEN", address.to_string())
        .env("SINETE_ADMIN_LISTEN", admin.to_string())
        .env("SINETE_BASE_URL", format!("http://localhost:{}", address.port()))
        .envs(variables.iter().copied());
    ChildServer::start(command, folder, address, admin, "/readyz").await
}

/// The two listeners of a server, and shell commands that set a limit before it starts.
#[derive(Clone, Copy, Debug)]
pub struct ServerPlan<'a> {
    /// The public listener.
    pub address: SocketAddr,
    /// The admin listener.
    pub admin: SocketAddr,
    /// Shell commands that run first, such as `ulimit -n 256`.
    pub limits: Option<&'a str>,
}

/// Starts `sinete serve` on given listeners, with nothing configured but these variables.
pub async fn start_sinete_at(
    program: &Path,
    folder: &Path,
    plan: ServerPlan<'_>,
    variables: &[(String, String)],
) -> Result<ChildServer, BenchError> {
    let mut command = match plan.limits {
        None => Command::new(program),
        Some(limits) => {
            let mut shell = Command::new("/bin/sh");
            shell.arg("-c").arg(format!("{limits}; exec \"$0\" \"$@\"")).arg(program);
            shell
        }
    };
    command
        .arg("serve")
        .env("SINETE_LISTEN", plan.address.to_string())
        .env("SINETE_ADMIN_LISTEN", plan.admin.to_string())
        .envs(variables.iter().map(|(name, value)| (name, value)));
    ChildServer::start(command, folder, plan.address, plan.admin, "/readyz").await
}

/// Starts the baseline server with a document of the given size, on SQLite or on the given database.
pub async fn start_floor(
    program: &Path,
    folder: &Path,
    static_bytes: u32,
    database: Option<&str>,
) -> Result<ChildServer, BenchError> {
    let address = free_address()?;
    let mut command = Command::new(program);
    command
        .args(["--listen", &address.to_string(), "--static-bytes", &static_bytes.to_string(), "--data"])
        .arg(folder)
        .args(database.map(|url| format!("--postgres={url}")));
    ChildServer::start(command, folder, address, address, "/static").await
}

impl ChildServer {
    /// Starts the command with an otherwise empty environment and waits until `ready_path` at `ready_address` responds with 200.
    async fn start(
        mut command: Command,
        folder: &Path,
        address: SocketAddr,
        ready_address: SocketAddr,
        ready_path: &str,
    ) -> Result<Self, BenchError> {
        let program = command.as_std().get_program().to_string_lossy().into_owned();
        let path = folder.join("output.log");
        let output =
            File::create(&path).map_err(|source| BenchError::io("keep a server's output", source))?;
        let errors = output.try_clone().map_err(|source| BenchError::io("keep a server's output", source))?;
        let variables: Vec<_> = command
            .as_std()
            .get_envs()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
            .collect();
        command.env_clear().envs(variables).current_dir(folder).kill_on_drop(true);
        command.stdin(Stdio::null()).stdout(output).stderr(errors);
        let watch = RunningStopwatch::start();
        let child = command.spawn().map_err(|source| BenchError::io(format!("start {program}"), source))?;
        let id = child.id().ok_or_else(|| BenchError::Unexpected(format!("{program} ended at once")))?;
        let process = MeasuredProcess { id };
        let mut server =
            Self { address, process, ready_after: Duration::ZERO, program, output_path: path, child };
        server.wait_until_ready(ready_address, ready_path, watch).await?;
        Ok(server)
    }

    async fn wait_until_ready(
        &mut self,
        ready_address: SocketAddr,
        ready_path: &str,
        watch: RunningStopwatch,
    ) -> Result<(), BenchError> {
        let request = LoadRequest::get(ready_path);
        let mut connection = HttpConnection::new(ready_address);
        loop {
            if connection.exchange(request.bytes()).await.is_ok_and(|answer| answer.status == 200) {
                self.ready_after = watch.elapsed();
                return Ok(());
            }
            if let Ok(Some(status)) = self.child.try_wait() {
                let (program, last_words) = (self.program.clone(), self.output_tail());
                return Err(BenchError::ProcessExited {
                    program,
                    status: status.to_string(),
                    output_tail: last_words,
                });
            }
            if watch.elapsed() > READY_TIMEOUT {
                let (program, last_words) = (self.program.clone(), self.output_tail());
                return Err(BenchError::NotReady { program, waited: READY_TIMEOUT, output_tail: last_words });
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Stops the server with a signal and waits; a server that does not stop is killed and reported.
    pub async fn stop(mut self) -> Result<(), BenchError> {
        let result = Command::new("kill").args(["-TERM", &self.process.id.to_string()]).status().await;
        result.map_err(|source| BenchError::io(format!("ask {} to stop", self.program), source))?;
        match tokio::time::timeout(STOP_TIMEOUT, self.child.wait()).await {
            Ok(waited) => {
                let status =
                    waited.map_err(|source| BenchError::io(format!("wait for {}", self.program), source))?;
                if status.success() {
                    return Ok(());
                }
                Err(BenchError::ProcessExited {
                    program: self.program.clone(),
                    status: status.to_string(),
                    output_tail: self.output_tail(),
                })
            }
            Err(_) => {
                // The process is killed by its id; the error below is what matters.
                let _ = self.child.kill().await;
                Err(BenchError::Unexpected(format!("{} did not stop within {STOP_TIMEOUT:?}", self.program)))
            }
        }
    }

    /// Kills the server as `kill -9` does, and waits until it is gone.
    pub async fn kill(mut self) -> Result<(), BenchError> {
        self.child.kill().await.map_err(|source| BenchError::io(format!("kill {}", self.program), source))
    }

    fn output_tail(&self) -> String {
        let text = std::fs::read(&self.output_path).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let mut lines: Vec<_> = text.lines().rev().take(OUTPUT_TAIL_LINES).collect();
        lines.reverse();
        if lines.is_empty() { "(it wrote nothing)".to_owned() } else { lines.join("\n") }
    }
}

/// Finds a free address. If another process takes it first, the server reports that.
pub(crate) fn free_address() -> Result<SocketAddr, BenchError> {
    std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|listener| listener.local_addr())
        .map_err(|source| BenchError::io("find a free port", source))
}
