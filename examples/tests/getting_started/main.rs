//! Runs every command of `docs/start/getting-started.md` in one shell and in order, and compares the output with the one
//! on the page. Only the ports are replaced, because tests run in parallel.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that cannot continue fails and reports where")]

use std::fmt::Write as _;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/start/getting-started.md");
/// The build command. It is replaced by a script, because the programs are built already.
const BUILD: &str = "build --release -p sinete -p sinete-examples";
/// The ports of the page: the instance, its admin listener, the API and the application.
const PORTS: [&str; 4] = ["8080", "9090", "7001", "7002"];

/// A block of commands with the output that the page shows.
struct CodeBlock {
    commands: String,
    output: Vec<String>,
}

/// The blocks of the page: commands, each followed by their output.
fn code_blocks(page: &str) -> Vec<CodeBlock> {
    let mut all: Vec<CodeBlock> = Vec::new();
    let mut language = None;
    for line in page.lines() {
        match (line.strip_prefix("```"), language) {
            (Some("sh"), None) => {
                all.push(CodeBlock { commands: String::new(), output: Vec::new() });
                language = Some("sh");
            }
            (Some("text"), None) => language = Some("text"),
            (Some(other), None) => panic!("a block of {other:?}: neither a command nor its output"),
            (Some(_), Some(_)) => language = None,
            (None, Some("sh")) => writeln!(all.last_mut().unwrap().commands, "{line}").unwrap(),
            (None, Some(_)) => all.last_mut().unwrap().output.push(line.to_owned()),
            (None, None) => {}
        }
    }
    all
}

fn free_port() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string()
}

/// The `sinete` binary in the folder of the examples: a build of the whole workspace creates both.
fn sinete() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_web-app")).with_file_name("sinete");
    assert!(path.exists(), "{} is missing: run cargo build -p sinete", path.display());
    path
}

fn executable(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A folder that looks like a fresh clone to the commands. Its `cargo` copies the tested programs instead of building.
fn clone(ports: &[String; 4]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for folder_name in ["examples", "bin", "built"] {
        std::fs::create_dir(at(folder_name)).unwrap();
    }
    for name in ["instance.toml", "shop.toml"] {
        let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
        std::fs::write(at("examples").join(name), replace_ports(&text, ports)).unwrap();
    }
    let [instance, _, api, app] = ports;
    let (issuer, api, app) = (
        format!("http://localhost:{instance}"),
        format!("http://127.0.0.1:{api}"),
        format!("http://127.0.0.1:{app}"),
    );
    let program = |path: &str, arguments: &str| format!("#!/bin/sh\nexec '{path}' \"$@\" {arguments}\n");
    let sinete = sinete();
    executable(&at("built/sinete"), &program(sinete.to_str().unwrap(), ""));
    let arguments = format!("{issuer} {api}");
    executable(&at("built/protected-api"), &program(env!("CARGO_BIN_EXE_protected-api"), &arguments));
    let arguments = format!("{issuer} {app} {api}");
    executable(&at("built/web-app"), &program(env!("CARGO_BIN_EXE_web-app"), &arguments));
    let cargo = format!(
        "#!/bin/sh\n[ \"$*\" = '{BUILD}' ] || {{ echo \"cargo $* is not answered\" >&2; exit 1; }}\n\
         mkdir -p target/release && cp built/* target/release/\n"
    );
    executable(&at("bin/cargo"), &cargo);
    folder
}

/// Replaces the ports with those of this test.
fn replace_ports(text: &str, ports: &[String; 4]) -> String {
    PORTS
        .iter()
        .zip(ports)
        .fold(text.to_owned(), |text, (default_port, port)| text.replace(default_port, port))
}

/// Whether the text contains the line, in which `…` matches anything.
fn contains_line(text: &str, line: &str) -> bool {
    let mut rest = text;
    line.split('…').all(|piece| match rest.find(piece) {
        Some(index) => {
            rest = &rest[index + piece.len()..];
            true
        }
        None => false,
    })
}

#[test]
fn getting_started_commands_work_as_written() {
    let ports = [(); 4].map(|()| free_port());
    let folder = clone(&ports);
    let blocks = code_blocks(&std::fs::read_to_string(PAGE).unwrap());
    assert!(blocks.len() >= 10, "the page was not read");
    let mut script = String::from("set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n");
    for (index, block) in blocks.iter().enumerate() {
        writeln!(script, "echo '@@@ {index}'\n{}", replace_ports(&block.commands, &ports)).unwrap();
    }
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", folder.path().join("bin").display());
    let [instance, admin, ..] = &ports;
    let ran = Command::new("bash")
        .args(["-c", &script])
        .current_dir(folder.path())
        .env_clear()
        .env("PATH", path)
        .env("SINETE_LISTEN", format!("127.0.0.1:{instance}"))
        .env("SINETE_ADMIN_LISTEN", format!("127.0.0.1:{admin}"))
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    let logs = ["sinete.log", "api.log", "app.log"]
        .map(|name| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default());
    assert!(ran.status.success(), "{out}\n{err}\n{}", logs.join("\n---\n"));
    for (index, block) in blocks.iter().enumerate() {
        let after = out.split(&format!("@@@ {index}\n")).nth(1).unwrap_or_default();
        let output = after.split("@@@ ").next().unwrap_or_default();
        for line in &block.output {
            assert!(
                contains_line(output, &replace_ports(line, &ports)),
                "{line:?} is not in the output: {output}\n{err}"
            );
        }
    }
}

#[test]
fn getting_started_parser_reads_commands_with_their_output_and_ellipses_match_any_text() {
    let blocks = code_blocks("a\n```sh\nls\n```\nb\n```text\nx … z\n```\n");
    assert_eq!((blocks.len(), blocks[0].commands.as_str()), (1, "ls\n"));
    assert!(contains_line("w x y z", &blocks[0].output[0]) && !contains_line("z y x", &blocks[0].output[0]));
}
