//! Tests of the documentation about reverse proxies: the proxies run with the configurations from its pages,
//! and sign-up, event streams and size limits work through them.

use crate::machine::{Machine, Server, eventually};
use crate::sign_in_on_nodes::{PASSWORD, code_in};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::net::Ipv4Addr;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

/// The port of the proxy, on a loopback address of its own.
const PORT: u16 = 8443;
/// The address of the client: neither the proxy's nor the server's.
const CLIENT: &str = "127.0.0.2";

const OPERATORS: &str = r#"
[clients.ops]
kind = "service"
organization = "operator"
roles = ["operator"]
secret = { file = "ops.secret" }
metadata = { client_name = "Operations", grant_types = ["client_credentials"] }
"#;

/// The only code block of a page in this language.
fn block(page: &str, language: &str) -> String {
    let path = format!("{}/../../docs/operate/{page}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let start = format!("```{language}\n");
    let blocks: Vec<_> = text.split(start.as_str()).skip(1).collect();
    assert_eq!(blocks.len(), 1, "{page} has one block of {language}");
    blocks[0].split_once("```").unwrap().0.to_owned()
}

/// Replaces texts, which must occur.
fn with(text: &str, replaced: &[(&str, String)]) -> String {
    replaced.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from:?} is no longer in the text: {text}");
        text.replace(from, to)
    })
}

/// A proxy with a server behind it, stopped on drop.
struct Proxied {
    machine: Machine,
    node: Server,
    proxy: Child,
    address: Ipv4Addr,
}

impl Drop for Proxied {
    fn drop(&mut self) {
        // A stop signal, unlike a kill, also ends its child processes.
        let id = self.proxy.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &id]).status();
        let _ = self.proxy.wait();
    }
}

impl Proxied {
    /// Starts the server with the page's settings, then the proxy that `started` builds from the page.
    fn run(page: &str, started: impl FnOnce(&Machine, &Server, Ipv4Addr) -> Command) -> Self {
        let [second, third, fourth]: [u8; 3] = sinete_core::entropy::draw_bytes(&sinete::os::OsEntropy);
        let address = Ipv4Addr::new(127, 64 | (second & 63), third, 1 | fourth);
        let machine = Machine::new()
            .without("SINETE_LISTEN")
            .with("SINETE_PASSWORDS_MEMORY_KIB", "64")
            .with("SINETE_PASSWORDS_PASSES", "1");
        let ours = with(
            &block(page, "toml"),
            &[
                ("https://id.example.com", format!("https://id.example.com:{PORT}")),
                ("127.0.0.1:8080", "127.0.0.1:0".to_owned()),
            ],
        );
        machine.file("sinete.toml", &ours, 0o644);
        let machine = machine.with("SINETE_CONFIG", "sinete.toml");
        let certified = rcgen::generate_simple_self_signed(["id.example.com".to_owned()]).unwrap();
        machine.file("chain.pem", &certified.cert.pem(), 0o644);
        machine.private("key.pem", &certified.signing_key.serialize_pem());
        let secret = machine.run(&["admin", "client-secret"]).succeeded().out;
        machine.private("ops.secret", &secret);
        machine.file("instance.toml", OPERATORS, 0o644);
        machine.run(&["apply", "-f", "instance.toml", "--yes"]).succeeded();
        let node = machine.serve();
        let proxy = started(&machine, &node, address).spawn().unwrap();
        let proxied = Self { machine, node, proxy, address };
        eventually("the proxy answers", || {
            proxied.curl(&["/healthz"]).is_some_and(|(status, _)| status == 200)
        });
        proxied
    }

    fn curl_command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("curl");
        let resolve = format!("id.example.com:{PORT}:{}", self.address);
        command.args(["-sS", "--max-time", "240", "--cacert"]).arg(self.machine.path("chain.pem"));
        command.args(["--resolve", &resolve, "--interface", CLIENT]);
        let (path, options) = arguments.split_last().unwrap();
        command.args(options).arg(format!("https://id.example.com:{PORT}{path}"));
        command.stderr(Stdio::null());
        command
    }

    /// Sends a request through the proxy; `None` without a response.
    fn curl(&self, arguments: &[&str]) -> Option<(u16, String)> {
        let options = [&["-w", "\n%{http_code}"], arguments].concat();
        let output = self.curl_command(&options).output().expect("run ./scripts/test, which brings curl");
        let output_text = String::from_utf8(output.stdout).unwrap();
        let (body, status) = output_text.rsplit_once('\n')?;
        Some((status.parse().ok().filter(|status| *status > 0)?, body.to_owned()))
    }

    /// Sends JSON with forged forwarding headers.
    fn ask(&self, method: &str, path: &str, authorization: &str, body: &Value) -> (u16, Value) {
        let header = format!("Authorization: {authorization}");
        let mut arguments = vec!["-X", method, "-H", "Content-Type: application/json"];
        arguments.extend(["-H", "X-Forwarded-For: 203.0.113.9", "-H", "Forwarded: for=203.0.113.9"]);
        let body_text = body.to_string();
        if !authorization.is_empty() {
            arguments.extend(["-H", &header]);
        }
        if !body.is_null() {
            arguments.extend(["-d", &body_text]);
        }
        arguments.push(path);
        let (status, text) = self.curl(&arguments).unwrap_or_else(|| panic!("no answer: {method} {path}"));
        (status, serde_json::from_str(&text).unwrap_or_default())
    }

    /// Sends a request directly to the server from its own machine.
    fn at_the_server(&self, path: &str) -> Value {
        let url = format!("http://localhost:{}{path}", self.node.public.port());
        let output = Command::new("curl").args(["-sS", "--max-time", "240", &url]).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    }

    /// The code in the e-mail to this address, from the development mailbox.
    fn mailed_code(&self, email: &str) -> String {
        let mut code = None;
        eventually("the mail arrives", || {
            code = code_in(&self.at_the_server("/dev/mail"), email);
            code.is_some()
        });
        code.unwrap()
    }

    /// Signs a user up and in, and checks that the real client address is recorded.
    fn signs_somebody_up(&self) {
        let (status, discovery) = self.ask("GET", "/.well-known/openid-configuration", "", &Value::Null);
        assert_eq!((status, &discovery["issuer"]), (200, &json!(format!("https://id.example.com:{PORT}"))));
        let (status, started_flow) =
            self.ask("POST", "/flows", "", &json!({"kind": "sign_up", "session": "token"}));
        assert_eq!(status, 201, "{started_flow}");
        let flow = started_flow["id"].as_str().unwrap();
        let says = |token: &Value, action: &str, body: Value| {
            let flow_authorization = format!("Flow {}", token.as_str().unwrap());
            let (status, response_body) =
                self.ask("POST", &format!("/flows/{flow}/{action}"), &flow_authorization, &body);
            assert_eq!(status, 200, "{response_body}");
            response_body
        };
        let details = json!({"email": "ana@example.com", "password": PASSWORD});
        let body = says(&started_flow["flow_token"], "details", details);
        let code = json!({"code": self.mailed_code("ana@example.com")});
        let token = body.get("flow_token").filter(|it| !it.is_null()).unwrap_or(&started_flow["flow_token"]);
        let body = says(token, "code", code);
        let session = format!("Session {}", body["session_token"].as_str().unwrap());
        assert_eq!(self.ask("GET", "/account", &session, &Value::Null).0, 200);
        let database = rusqlite::Connection::open(self.machine.path("sinete-data/sinete.db")).unwrap();
        let mut statement =
            database.prepare("SELECT DISTINCT address FROM security_log WHERE salt IS NOT NULL").unwrap();
        let mapped_rows = statement.query_map([], |row| row.get::<_, Option<String>>(0)).unwrap();
        assert_eq!(mapped_rows.map(Result::unwrap).collect::<Vec<_>>(), [Some(CLIENT.to_owned())]);
    }

    /// Checks that the size limits are the server's own and not the proxy's.
    fn leaves_sizes_to_us(&self) {
        let large = format!("@{}", self.machine.file("large", &"a".repeat(900_000), 0o644).display());
        let json = "Content-Type: application/json";
        let (status, response_body) = self.curl(&["-H", json, "--data-binary", &large, "/flows"]).unwrap();
        assert!(
            status == 413 && response_body.contains("urn:sinete:problem:body_too_large"),
            "{status} {response_body}"
        );
        let header = format!("X-Something: {}", "a".repeat(12_000));
        assert_eq!(self.curl(&["-H", &header, "/healthz"]).unwrap().0, 200);
    }

    /// Checks that events are streamed while the response is open.
    fn assert_events_are_streamed(&self) {
        let command =
            ["admin", "api-key", "--organization", "operator", "--client", "ops", "--scope", "instance:read"];
        let printed = self.machine.run(&command).succeeded().out;
        let key = printed.split_whitespace().find(|word| word.starts_with("sn_ak_")).unwrap();
        let header = format!("Authorization: Bearer {key}");
        let mut following = self.curl_command(&["-N", "-H", &header, "/manage/events/stream"]);
        let mut following = following.stdout(Stdio::piped()).spawn().unwrap();
        let (received_text, answer) = (Arc::new(Mutex::new(String::new())), following.stdout.take().unwrap());
        let reader_copy = Arc::clone(&received_text);
        let reading = std::thread::spawn(move || {
            for line in BufReader::new(answer).lines().map_while(Result::ok) {
                reader_copy.lock().unwrap().push_str(&line);
            }
        });
        eventually("an event arrives", || {
            self.machine.run(&command).succeeded();
            received_text.lock().unwrap().contains("api_key.issued")
        });
        assert!(following.try_wait().unwrap().is_none(), "the answer is still open");
        following.kill().unwrap();
        following.wait().unwrap();
        reading.join().unwrap();
    }

    fn does_everything(self) {
        self.signs_somebody_up();
        self.leaves_sizes_to_us();
        self.assert_events_are_streamed();
        let (status, _) = self.curl(&["/metrics"]).unwrap();
        assert_eq!(status, 404, "figures are for the admin listener alone");
        assert_eq!(self.node.get(self.node.admin, "/metrics").0, 200);
    }
}

#[test]
fn nginx_configuration_in_the_docs_works_verbatim() {
    let proxied = Proxied::run("proxy-nginx.md", |machine, node, address| {
        let page = block("proxy-nginx.md", "nginx");
        let of_this_machine = page.lines().filter(|line| !line.contains("listen [::]:"));
        let page = of_this_machine.collect::<Vec<_>>().join("\n");
        let site = with(
            &page,
            &[
                ("server 127.0.0.1:8080;", format!("server {};", node.public)),
                ("listen 443 ssl", format!("listen {address}:{PORT} ssl")),
                ("listen 80;", format!("listen {address}:8080;")),
                ("/etc/ssl/id.example.com/", format!("{}/", machine.path("").display())),
            ],
        );
        let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path {};\n", machine.path(name).display()));
        let around = format!(
            "daemon off;\nmaster_process off;\npid {};\nerror_log stderr;\nevents {{}}\n\
             http {{\naccess_log off;\n{}{site}\n}}\n",
            machine.path("nginx.pid").display(),
            folders.concat()
        );
        let file = machine.file("nginx.conf", &around, 0o644);
        let mut command = Command::new(program("nginx"));
        command.arg("-p").arg(machine.path("")).arg("-c").arg(file).args(["-e", "stderr"]);
        command
    });
    let plain = "http://id.example.com:8080/healthz?x=1";
    let resolve = format!("id.example.com:8080:{}", proxied.address);
    let mut command = Command::new("curl");
    command.args([
        "-sS",
        "-o",
        "/dev/null",
        "-w",
        "%{http_code} %{redirect_url}",
        "--resolve",
        &resolve,
        plain,
    ]);
    let output = command.output().unwrap().stdout;
    assert_eq!(String::from_utf8(output).unwrap(), "301 https://id.example.com/healthz?x=1");
    proxied.does_everything();
}

#[test]
fn caddy_configuration_in_the_docs_works_verbatim() {
    let proxied = Proxied::run("proxy-caddy.md", |machine, node, address| {
        let folder = machine.path("");
        let (chain, key) = (machine.path("chain.pem"), machine.path("key.pem"));
        let site_config = format!(
            "id.example.com:{PORT} {{\n\tbind {address}\n\ttls {} {}\n",
            chain.display(),
            key.display()
        );
        let site = with(
            &block("proxy-caddy.md", "caddyfile"),
            &[("id.example.com {\n", site_config), ("127.0.0.1:8080", node.public.to_string())],
        );
        let around = format!("{{\n\tadmin off\n\tauto_https disable_redirects\n}}\n{site}");
        let file = machine.file("Caddyfile", &around, 0o644);
        let mut command = Command::new(program("caddy"));
        command.args(["run", "--adapter", "caddyfile", "--config"]).arg(file);
        command.env("HOME", &folder).env("XDG_DATA_HOME", &folder).env("XDG_CONFIG_HOME", &folder);
        command.stderr(Stdio::null());
        command
    });
    proxied.does_everything();
}

/// The path of a proxy program. Debian installs one of them in a folder for root only.
fn program(name: &str) -> String {
    let places = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"];
    let program_path = places
        .iter()
        .map(|folder| format!("{folder}/{name}"))
        .find(|path| std::path::Path::new(path).exists());
    program_path.unwrap_or_else(|| panic!("run ./scripts/test, which brings {name}"))
}
