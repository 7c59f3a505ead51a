//! Tests of the command line: arguments, output and exit codes.

use crate::machine::Machine;

#[test]
fn cli_usage_error_is_one_line_with_exit_code_2() {
    for (arguments, words) in [
        (&["serv"][..], "'serve'"),
        (&["keys"], "a command is missing here: sinete keys"),
        (&["keys", "rotate"], "--algorithm"),
        (&["keys", "rotate", "--algorithm", "HS256"], "must be RS256, PS256, ES256 or EdDSA"),
        (&["log", "export", "--since", "yesterday"], "2026-11-15T00:00:00Z"),
        (&["log", "export", "--kind", "tea.made"], "the kinds are instance.created"),
        (&["restore"], "<FILE>"),
        (&["serve", "--loud"], "--loud"),
    ] {
        Machine::new().run(arguments).ended_with(2).saying(words).in_one_line();
    }
}

#[test]
fn cli_help_lists_commands_examples_and_exit_codes() {
    let machine = Machine::new();
    let help = machine.run(&["--help"]).succeeded().out;
    for words in ["Without a command it serves", "Examples:", "sinete doctor --production", "Exit codes:"] {
        assert!(help.contains(words), "{words}");
    }
    for command in ["serve", "migrate", "keys", "config", "doctor", "log", "backup", "restore", "completions"]
    {
        assert!(help.contains(command), "{command}");
        machine.run(&[command, "--help"]).succeeded();
    }
    for (exit, meaning) in sinete::exit::CommandExit::MEANINGS {
        assert!(help.contains(&format!("{}  {meaning}", exit as u8)), "{meaning}");
    }
    assert_eq!(
        machine.run(&["--version"]).succeeded().out,
        concat!("sinete ", env!("CARGO_PKG_VERSION"), "\n")
    );
}

#[test]
fn shell_completions_exist_for_bash_zsh_and_fish() {
    for (shell, words) in [("bash", "_sinete()"), ("zsh", "#compdef sinete"), ("fish", "complete -c sinete")]
    {
        let script = Machine::new().run(&["completions", shell]).succeeded().out;
        assert!(script.contains(words), "{shell}");
        assert!(script.contains("doctor"), "{shell}");
    }
}

#[test]
fn cli_output_has_no_colors_without_a_tty() {
    let machine = Machine::new().with("TERM", "xterm-256color");
    for arguments in [&["--help"][..], &["doctor"], &["config", "check"], &["serv"]] {
        let ended = machine.run(arguments);
        assert!(!ended.out.contains('\u{1b}') && !ended.err.contains('\u{1b}'), "{ended:?}");
    }
}

#[test]
fn closed_stdout_is_not_a_failure() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_sinete"))
        .args(["config", "reference"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}
