//! The command line: what it takes, what it says, and how it ends.

use crate::machine::Machine;

#[test]
fn wrong_usage_is_one_line_and_exit_code_2() {
    for (arguments, words) in [
        (&["serv"][..], "a similar subcommand exists: 'serve'"),
        (&["keys"], "a command is missing here: sinete keys"),
        (&["keys", "rotate"], "--algorithm"),
        (&["keys", "rotate", "--algorithm", "HS256"], "the algorithms are RS256, PS256, ES256 and EdDSA"),
        (&["log", "export", "--since", "yesterday"], "2026-11-15T00:00:00Z"),
        (&["log", "export", "--kind", "tea.made"], "the kinds are instance.created"),
        (&["restore"], "<FILE>"),
        (&["serve", "--loud"], "--loud"),
    ] {
        Machine::new().run(arguments).ended_with(2).saying(words).in_one_line();
    }
}

#[test]
fn help_teaches_commands_examples_and_exit_codes() {
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
fn completions_are_there_for_the_usual_shells() {
    for (shell, words) in [("bash", "_sinete()"), ("zsh", "#compdef sinete"), ("fish", "complete -c sinete")]
    {
        let script = Machine::new().run(&["completions", shell]).succeeded().out;
        assert!(script.contains(words), "{shell}");
        assert!(script.contains("doctor"), "{shell}");
    }
}

#[test]
fn nothing_is_coloured_where_nobody_looks() {
    let machine = Machine::new().with("TERM", "xterm-256color");
    for arguments in [&["--help"][..], &["doctor"], &["config", "check"], &["serv"]] {
        let ended = machine.run(arguments);
        assert!(!ended.out.contains('\u{1b}') && !ended.err.contains('\u{1b}'), "{ended:?}");
    }
}

#[test]
fn a_reader_who_goes_away_is_no_failure() {
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
