//! Tests of the command line: output and error messages.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue stops at once")]

use std::process::{Command, Output};

fn bench(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sinete-bench"));
    command.args(arguments).env_remove("SINETE_TEST_POSTGRES").output().unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn store_benchmark_is_reported_as_table_and_json() {
    let folder = tempfile::tempdir().unwrap();
    let (folder_path, file) = (folder.path().to_str().unwrap(), folder.path().join("figures.json"));
    let json = file.to_str().unwrap();
    let output =
        bench(&["store", "--rounds", "1", "--round", "500", "--folder", folder_path, "--json", json]);
    assert!(output.status.success(), "{}", errors(&output));

    let text = String::from_utf8(output.stdout).unwrap();
    let row = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap().to_owned();
    assert!(!row("| SQLite | 64 |").contains("| not measured | not measured |"), "{text}");
    assert!(row("| PostgreSQL | 64 |").ends_with("| not measured | not measured |"), "{text}");

    let figures: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let rows = figures["tables"]["Store: durable commits of one security event"].as_array().unwrap();
    assert_eq!(rows.len(), 6);
    assert!(rows[0]["Store /s"].as_f64().unwrap() > 0.0 && rows[3]["Store /s"].is_null());
    // Only the requested file is left.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn benchmark_names_a_program_that_is_missing_or_does_not_serve() {
    let folder = tempfile::tempdir().unwrap();
    let folder_path = folder.path().to_str().unwrap();
    let absent = bench(&["start", "--sinete", "/nowhere/sinete", "--folder", folder_path]);
    assert!(!absent.status.success());
    assert!(errors(&absent).contains("sinete-bench: could not start /nowhere/sinete: No such file"));

    let failing = bench(&["start", "--sinete", "/bin/false", "--folder", folder_path]);
    assert!(!failing.status.success());
    assert!(errors(&failing).contains("/bin/false ended early (exit status: 1)"), "{}", errors(&failing));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn postgres_benchmark_needs_a_cluster() {
    let output = bench(&["postgres"]);
    assert!(!output.status.success());
    assert!(errors(&output).contains("postgres needs a cluster: name it with --postgres"));
}

#[test]
fn benchmark_stops_at_its_time_limit() {
    let output = bench(&["store", "--rounds", "20", "--round", "1000", "--at-most", "1"]);
    assert!(!output.status.success());
    assert!(
        errors(&output).ends_with("sinete-bench: the run was given up after 1 s\n"),
        "{}",
        errors(&output)
    );
}

#[test]
fn benchmark_options_out_of_bounds_are_refused() {
    for wrong in [["http", "--connections", "0"], ["http", "--rounds", "99"], ["store", "--round", "5"]] {
        let output = bench(&wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
        assert!(errors(&output).contains("is not in"), "{}", errors(&output));
    }
}
