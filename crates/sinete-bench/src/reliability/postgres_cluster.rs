//! A PostgreSQL cluster of this run: created in a temporary folder on a free loopback port, frozen, killed, restarted
//! and promoted, and stopped at the end.

use crate::failed::BenchError;
use crate::server::free_address;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use tokio_postgres::NoTls;

/// The oldest supported version.
const VERSION_MIN: u32 = 15;

/// A cluster.
#[derive(Debug)]
pub struct PostgresCluster {
    /// The port on 127.0.0.1.
    pub port: u16,
    programs: PathBuf,
    data: PathBuf,
    log: PathBuf,
}

/// A signal to every process of a cluster.
#[derive(Clone, Copy, Debug)]
pub enum ClusterSignal {
    /// Freezes it.
    Stop,
    /// Lets it go on.
    Continue,
    /// Ends it as a power failure does.
    Kill,
}

impl PostgresCluster {
    /// Creates a durable cluster in `folder`, whose data may be elsewhere, and starts it.
    pub async fn create(folder: &Path, data: &Path) -> Result<Self, BenchError> {
        let programs = find_programs()?;
        open_to_owner(folder)?;
        open_to_owner(data.parent().unwrap_or(folder))?;
        let cluster = Self {
            port: free_address()?.port(),
            programs,
            data: data.to_owned(),
            log: folder.join("postgresql.log"),
        };
        let wal = folder.join("wal");
        let arguments = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
        let mut initdb = cluster.command("initdb");
        initdb.arg("-D").arg(data).arg("--waldir").arg(&wal).args(arguments);
        run_checked(initdb, "create a PostgreSQL cluster")?;
        cluster.start()?;
        Ok(cluster)
    }

    /// Creates a standby of this cluster that streams from it, starts it, and makes the commits of this one wait for it.
    pub async fn create_standby(&self, folder: &Path) -> Result<Self, BenchError> {
        open_to_owner(folder)?;
        let data = folder.join("standby");
        let standby = Self {
            port: free_address()?.port(),
            programs: self.programs.clone(),
            data: data.clone(),
            log: folder.join("standby.log"),
        };
        let source = format!("host=127.0.0.1 port={} user=postgres application_name=standby", self.port);
        let mut copy = self.command("pg_basebackup");
        copy.args(["-d", &source, "-R", "-X", "stream", "-c", "fast", "-D"]).arg(&data);
        run_checked(copy, "copy the cluster for a standby")?;
        standby.start()?;
        self.execute("ALTER SYSTEM SET synchronous_standby_names = 'standby'").await?;
        self.execute("SELECT pg_reload_conf()").await?;
        Ok(standby)
    }

    /// Makes a standby the primary, and returns when it accepts writes.
    pub fn promote(&self) -> Result<(), BenchError> {
        let mut promote = self.command("pg_ctl");
        promote.arg("-D").arg(&self.data).args(["-w", "promote"]);
        run_checked(promote, "promote the standby")
    }

    /// Starts it.
    pub fn start(&self) -> Result<(), BenchError> {
        let options = format!(
            "-p {} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=100",
            self.port
        );
        let mut start = self.command("pg_ctl");
        start
            .arg("-D")
            .arg(&self.data)
            .arg("-l")
            .arg(&self.log)
            .args(["-o", &options, "-w", "-t", "60", "start"]);
        run_checked(start, "start PostgreSQL").map_err(|error| {
            let log = std::fs::read_to_string(&self.log).unwrap_or_default();
            let tail: Vec<_> = log.lines().rev().take(8).collect();
            BenchError::Unexpected(format!("{error}\n{}", tail.join("\n")))
        })
    }

    /// Stops it without a checkpoint, as a crash does.
    pub fn stop(&self) -> Result<(), BenchError> {
        let mut stop = self.command("pg_ctl");
        stop.arg("-D").arg(&self.data).args(["-m", "immediate", "-w", "stop"]);
        run_checked(stop, "stop PostgreSQL")
    }

    /// Sends a signal to the cluster's main process and all its children, by their ids.
    pub fn signal(&self, signal: ClusterSignal) -> Result<(), BenchError> {
        let name = match signal {
            ClusterSignal::Stop => "-STOP",
            ClusterSignal::Continue => "-CONT",
            ClusterSignal::Kill => "-KILL",
        };
        let processes = self.processes();
        if processes.is_empty() {
            return Ok(());
        }
        let mut kill = Command::new("kill");
        kill.arg(name).args(processes.iter().map(ToString::to_string));
        // A child may end by itself in between.
        kill.output().map_err(|source| BenchError::io("signal PostgreSQL", source))?;
        if matches!(signal, ClusterSignal::Kill) {
            // The ids may belong to other processes soon.
            let _ = std::fs::remove_file(self.data.join("postmaster.pid"));
        }
        Ok(())
    }

    /// Creates a database and returns its URL.
    pub async fn create_database(&self, name: &str) -> Result<String, BenchError> {
        self.execute(&format!("CREATE DATABASE {name}")).await?;
        Ok(format!("postgres://postgres@127.0.0.1:{}/{name}", self.port))
    }

    async fn execute(&self, statement: &str) -> Result<(), BenchError> {
        let url = format!("postgres://postgres@127.0.0.1:{}/postgres", self.port);
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
        let connection = tokio::spawn(connection);
        let result = client.batch_execute(statement).await;
        drop(client);
        connection.abort();
        Ok(result?)
    }

    /// The main process, first, and its children.
    fn processes(&self) -> Vec<u32> {
        let file = std::fs::read_to_string(self.data.join("postmaster.pid")).unwrap_or_default();
        let Some(main) = file.lines().next().and_then(|line| line.trim().parse::<u32>().ok()) else {
            return Vec::new();
        };
        let children =
            std::fs::read_to_string(format!("/proc/{main}/task/{main}/children")).unwrap_or_default();
        std::iter::once(main).chain(children.split_whitespace().filter_map(|id| id.parse().ok())).collect()
    }

    fn command(&self, program: &str) -> Command {
        let path = self.programs.join(program);
        // PostgreSQL refuses to run as root.
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(path);
            command
        } else {
            Command::new(path)
        };
        command.current_dir("/");
        command
    }
}

impl Drop for PostgresCluster {
    fn drop(&mut self) {
        // A frozen cluster does not stop; one that is down already needs no stopping.
        let _ = self.signal(ClusterSignal::Continue);
        let _ = self.stop();
    }
}

/// Gives a folder to the owner of the cluster.
fn open_to_owner(folder: &Path) -> Result<(), BenchError> {
    let permissions = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder, permissions)
        .map_err(|source| BenchError::io(format!("open {}", folder.display()), source))?;
    if is_root() {
        let mut chown = Command::new("chown");
        chown.arg("postgres").arg(folder);
        return run_checked(chown, "give a folder to PostgreSQL");
    }
    Ok(())
}

/// Whether this process runs as root.
fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// The folder of the newest installed PostgreSQL programs.
fn find_programs() -> Result<PathBuf, BenchError> {
    let installed = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let versions = installed.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let newest = versions.filter(|version| *version >= VERSION_MIN).max();
    let folder = newest.map_or_else(
        || PathBuf::from("/usr/bin"),
        |version| PathBuf::from(format!("/usr/lib/postgresql/{version}/bin")),
    );
    if folder.join("initdb").exists() {
        return Ok(folder);
    }
    Err(BenchError::Unexpected(format!("there is no PostgreSQL {VERSION_MIN} or newer: install one")))
}

/// Runs a command to its end.
pub fn run_checked(mut command: Command, action: &str) -> Result<(), BenchError> {
    // The output is dropped, because a started server would keep a pipe open.
    let file = tempfile::tempfile().map_err(|source| BenchError::io(action, source))?;
    let copy = file.try_clone().map_err(|source| BenchError::io(action, source))?;
    command.stdin(std::process::Stdio::null()).stdout(file).stderr(copy);
    let status = command.status().map_err(|source| BenchError::io(action, source))?;
    if status.success() {
        Ok(())
    } else {
        Err(BenchError::Unexpected(format!("could not {action}: {status}")))
    }
}
