//! A PgBouncer with transaction pooling before the test server.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Where Debian installs it.
const PROGRAM: &str = "/usr/sbin/pgbouncer";

/// The settings that the role needs, for an answer within two seconds. The first part of each line names the role
/// and the database.
const ROLE_SETTINGS: [&str; 9] = [
    "plan_cache_mode = force_generic_plan",
    "enable_seqscan = off",
    "enable_hashjoin = off",
    "enable_mergejoin = off",
    "random_page_cost = 1",
    "jit = off",
    "statement_timeout = 10000",
    "idle_in_transaction_session_timeout = 10000",
    "lock_timeout = 1125",
];

/// A running PgBouncer, ended on drop.
pub struct PgBouncer {
    child: Child,
    port: u16,
    _folder: TempDir,
}

/// Whether PgBouncer is installed. A test that is skipped without it prints that.
pub fn is_installed() -> bool {
    let is_there = Path::new(PROGRAM).exists();
    if !is_there {
        eprintln!("skipped: pgbouncer is not installed (apt-get install pgbouncer)");
    }
    is_there
}

/// The statements that give the role its settings in a database, or take them away again.
pub fn role_settings(database: &str) -> (String, String) {
    let role = format!("ALTER ROLE CURRENT_USER IN DATABASE {database}");
    let set: Vec<_> = ROLE_SETTINGS.iter().map(|setting| format!("{role} SET {setting}")).collect();
    (set.join("; "), format!("{role} RESET ALL"))
}

impl PgBouncer {
    /// Starts one before the server of this URL. Five connections to the server serve all clients.
    pub fn before(url: &str) -> Self {
        let folder = TempDir::new().unwrap();
        // It runs as another user if it is started by root.
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let (host, port) = authority(url).rsplit_once(':').expect("the cluster's URL names a port");
        let listen_port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let settings = format!(
            "[databases]\n* = host={host} port={port} user=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {listen_port}\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\n\
             default_pool_size = 5\nmax_client_conn = 500\nserver_reset_query = DISCARD ALL\n"
        );
        let file = folder.path().join("pgbouncer.ini");
        std::fs::File::create(&file).unwrap().write_all(settings.as_bytes()).unwrap();
        let mut command = Command::new(PROGRAM);
        command.arg("-q").args(["-u", "nobody"]).arg(&file);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let started = Self { child, port: listen_port, _folder: folder };
        for _ in 0..500 {
            if TcpStream::connect(("127.0.0.1", listen_port)).is_ok() {
                return started;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("pgbouncer does not listen on {listen_port}");
    }

    /// The URL of the database through the pooler.
    pub fn url(&self, url: &str) -> String {
        url.replacen(authority(url), &format!("127.0.0.1:{}", self.port), 1)
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The host and port of a URL.
fn authority(url: &str) -> &str {
    let after = url.split_once("://").map_or(url, |(_, after)| after);
    let server = after.split(['/', '?']).next().unwrap_or(after);
    server.rsplit_once('@').map_or(server, |(_, server)| server)
}
