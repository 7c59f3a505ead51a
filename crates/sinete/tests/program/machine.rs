//! A test machine: a folder, a clean environment and the program.

use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::time::Lifetime;
use sinete_crypto::platform::signing_keys::SigningKey;
use sinete_store::{StoreAccess, StoreOptions};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The timeout for expected events: long, because only failures take that long, and busy machines are slow.
pub const PATIENCE: Duration = Duration::from_secs(240);

/// A new machine.
pub struct Machine {
    folder: tempfile::TempDir,
    program: PathBuf,
    variables: Vec<(String, String)>,
    /// Shell commands before the program starts, if any.
    before: Option<String>,
}

/// The exit status and output of a run.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Machine {
    /// A machine whose servers use free ports.
    pub fn new() -> Self {
        let (folder, program) = (tempfile::tempdir().unwrap(), PathBuf::from(env!("CARGO_BIN_EXE_sinete")));
        let machine = Self { folder, program, variables: Vec::new(), before: None };
        let machine = machine.with("SINETE_LISTEN", "127.0.0.1:0").with("SINETE_ADMIN_LISTEN", "127.0.0.1:0");
        // A busy machine is slow, and so is its database.
        machine.with("SINETE_DATABASE_ANSWER_SECONDS", "120")
    }

    /// Uses the program that was built without screens.
    pub fn built_without_screens(mut self) -> Self {
        self.program.set_file_name("sinete-without-screens");
        assert!(self.program.exists(), "run ./scripts/test, which builds {}", self.program.display());
        self
    }

    /// Runs the program under a limit that these shell commands set.
    pub fn after(mut self, words: &str) -> Self {
        self.before = Some(words.to_owned());
        self
    }

    /// Sets an environment variable.
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.variables.retain(|(existing_name, _)| existing_name != name);
        self.variables.push((name.to_owned(), value.into()));
        self
    }

    /// Removes an environment variable.
    pub fn without(mut self, name: &str) -> Self {
        self.variables.retain(|(existing_name, _)| existing_name != name);
        self
    }

    /// A machine that is ready for production: issuer, instance key and signing keys are valid.
    pub fn fit_for_production() -> Self {
        let machine = Self::new();
        let instance_key = machine.run(&["keys", "instance-key"]).succeeded().out;
        machine.private("instance.key", &instance_key);
        let keys = [SigningAlgorithm::Es256, SigningAlgorithm::Rs256].map(|algorithm| {
            let name = format!("{algorithm}.pem");
            let key = SigningKey::generate(algorithm).unwrap();
            machine.private(&name, &key.to_pem().unwrap());
            name
        });
        machine
            .with("SINETE_MODE", "production")
            .with("SINETE_BASE_URL", "https://id.example.com")
            .with("SINETE_INSTANCE_KEY_FILE", "instance.key")
            .with("SINETE_SIGNING_KEYS", keys.join(","))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file that only its owner can read.
    pub fn private(&self, name: &str, contents: &str) -> PathBuf {
        self.file(name, contents, 0o600)
    }

    pub fn file(&self, name: &str, contents: &str, mode: u32) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, contents).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    /// The files in the folder.
    pub fn listing(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = match &self.before {
            None => Command::new(&self.program),
            Some(words) => {
                let mut shell = Command::new("/bin/sh");
                shell.arg("-c").arg(format!("{words}; exec \"$0\" \"$@\"")).arg(&self.program);
                shell
            }
        };
        command
            .args(arguments)
            .env_clear()
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(self.folder.path());
        command
    }

    /// Runs the program to its end.
    pub fn run(&self, arguments: &[&str]) -> Ended {
        let Output { status, stdout, stderr } = self.command(arguments).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ended { code: status.code(), out: text(stdout), err: text(stderr) }
    }

    /// Runs a script of the project to its end, with this `PATH`.
    pub fn script(&self, script: &str, arguments: &[&str], path: &str) -> Ended {
        let mut command = Command::new(script);
        command.args(arguments).env_clear().env("PATH", path).current_dir(self.folder.path());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        let Output { status, stdout, stderr } = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ended { code: status.code(), out: text(stdout), err: text(stderr) }
    }

    /// Starts the program with piped input and lets it run.
    pub fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Starts a server and waits until it is ready.
    pub fn serve(&self) -> Server {
        self.serve_with(&["serve"])
    }

    /// The same, with another command that serves.
    pub fn serve_with(&self, arguments: &[&str]) -> Server {
        let mut child =
            self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut output = String::new();
        let ready = loop {
            let mut line = String::new();
            if log.read_line(&mut line).unwrap() == 0 {
                panic!("the server did not start: {output}{:?}", child.wait().unwrap());
            }
            output.push_str(&line);
            if line.contains("admin_listen") {
                break line;
            }
        };
        // From here on the output must be read, or the server would block.
        let output = Arc::new(Mutex::new(output));
        let shared_output = Arc::clone(&output);
        let rest = std::thread::spawn(move || {
            for line in log.lines().map_while(Result::ok) {
                shared_output.lock().unwrap().push_str(&format!("{line}\n"));
            }
        });
        Server {
            public: address(&ready, "listen"),
            admin: address(&ready, "admin_listen"),
            child,
            rest: Some(rest),
            said: output,
        }
    }
}

/// The address in a log line, as text or as JSON.
fn address(line: &str, name: &str) -> SocketAddr {
    let starts = [format!(" {name}="), format!("\"{name}\":\"")];
    let after = starts.iter().find_map(|start| line.split_once(start.as_str())).unwrap().1;
    let end = after.find([' ', '"', '\n']).unwrap();
    after[..end].parse().unwrap()
}

/// A running server, killed on drop.
pub struct Server {
    pub public: SocketAddr,
    pub admin: SocketAddr,
    said: Arc<Mutex<String>>,
    child: Child,
    rest: Option<std::thread::JoinHandle<()>>,
}

impl Server {
    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap().success());
    }

    /// The process id.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// The log so far.
    pub fn log(&self) -> String {
        self.said.lock().unwrap().clone()
    }

    /// Waits until the log contains this text.
    #[track_caller]
    pub fn says(&self, words: &str) {
        eventually(&format!("that the log says {words:?}"), || self.log().contains(words));
    }

    /// Stops the server and waits.
    pub fn stop(mut self) -> Ended {
        self.signal("TERM");
        self.ended()
    }

    pub fn ended(&mut self) -> Ended {
        let status = self.child.wait().unwrap();
        let mut out = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        self.rest.take().unwrap().join().unwrap();
        Ended { code: status.code(), out, err: self.log() }
    }

    pub fn get(&self, address: SocketAddr, path: &str) -> (u16, String) {
        get(address, path)
    }
}

/// The status and body of a GET request.
pub fn get(address: SocketAddr, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    (status, answer.split_once("\r\n\r\n").unwrap().1.to_owned())
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Ended {
    #[track_caller]
    pub fn ended_with(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    #[track_caller]
    pub fn succeeded(self) -> Self {
        self.ended_with(0)
    }

    /// Asserts that the error message contains this text.
    #[track_caller]
    pub fn saying(self, words: &str) -> Self {
        assert!(self.err.contains(words), "{words:?} is missing: {self:#?}");
        self
    }

    /// The error message, without preceding log lines.
    pub fn complaint(&self) -> &str {
        self.err.find("sinete: ").map_or("", |index| &self.err[index..])
    }

    /// Asserts that the error message is one line that begins with the program's name.
    #[track_caller]
    pub fn in_one_line(self) -> Self {
        assert_eq!(self.complaint().trim_end().lines().count(), 1, "{self:#?}");
        self
    }
}

/// Waits until the condition holds, up to the timeout.
#[track_caller]
#[expect(clippy::disallowed_methods, reason = "a test's own patience, not a decision")]
pub fn eventually(condition: &str, mut is_so: impl FnMut() -> bool) {
    let started_at = Instant::now();
    while !is_so() {
        assert!(started_at.elapsed() < PATIENCE, "{condition} did not happen");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Creates a database on the test cluster with durable commits, as production requires, and returns its URL.
pub fn postgres_database() -> String {
    #[expect(clippy::disallowed_methods, reason = "./scripts/test names the cluster")]
    let cluster =
        std::env::var("SINETE_TEST_POSTGRES_DURABLE").expect("run ./scripts/test, which starts PostgreSQL");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let name = format!("program_{}_{:x}", std::process::id(), rand());
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(&cluster, tokio_postgres::NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        client.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
        drop(client);
        connection.await.unwrap().unwrap();
    });
    let (server, _) = cluster.rsplit_once('/').unwrap();
    format!("{server}/{name}")
}

fn rand() -> u64 {
    u64::from_be_bytes(sinete_core::entropy::draw_bytes(&sinete::os::OsEntropy))
}

/// The text of a file.
pub fn text_of(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// Store options with a long timeout.
pub fn patient(access: StoreAccess) -> StoreOptions {
    StoreOptions { answer_max: Lifetime::from_minutes(2), ..StoreOptions::new(access) }
}
