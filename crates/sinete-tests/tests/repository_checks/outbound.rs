//! Every outbound HTTP request goes through the one gate, which limits concurrency and applies the circuit breaker.

use super::source_tree::{File, files, sample};
use super::{expect_complaint, expect_silence};

/// The call of the gate that sends a request.
const PASSES: &str = ".run_request(";

/// A file that sends with the HTTP client must use the limiter as many times.
fn bypassing_requests(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.is_product() && file.text.contains("reqwest")) {
        let code = file.code();
        let request_count = code.matches(".execute(").count() + code.matches(".send().await").count();
        let passed = code.matches(PASSES).count();
        if request_count > passed {
            complaints.push(format!(
                "{} sends {request_count} requests and {passed} of them pass the limiter",
                file.path
            ));
        }
    }
    complaints
}

#[test]
fn http_clients_send_through_the_outbound_limiter() {
    let files = files();
    assert!(
        files.iter().any(|file| file.is_product() && file.code().contains(PASSES)),
        "the limiter was renamed"
    );
    expect_silence(&bypassing_requests(&files));
}

#[test]
fn outbound_limiter_check_finds_a_direct_request() {
    let around = "use reqwest::Client;\nasync fn ask(it: &Client) { it.get(\"x\").send().await; }\n";
    expect_complaint(
        &bypassing_requests(&[sample("crates/sinete/src/around.rs", around)]),
        "sends 1 requests",
    );
    let through =
        "use reqwest::Client;\nasync fn ask() { limiter.run_request(&t, it.get(\"x\").send().await); }\n";
    expect_silence(&bypassing_requests(&[sample("crates/sinete/src/through.rs", through)]));
}
