//! Compares the journals with the instance: everything acknowledged is there, and nothing works twice.

use super::instance::ClientCredentials;
use super::journal::ClientJournal;
use super::workload::{RequestOutcome, send_request};
use crate::failed::BenchError;
use crate::load::LoadRequest;
use crate::load::connection::HttpConnection;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::task::JoinSet;

/// How often a request answered 503 is repeated.
const ATTEMPTS_MAX: u32 = 20;
const PAUSE_BETWEEN_ATTEMPTS: Duration = Duration::from_millis(100);

/// The outcome of a comparison.
#[derive(Debug, Default)]
pub struct VerificationOutcome {
    /// The number of facts that were checked.
    pub checked: u64,
    /// What was acknowledged and is gone, what worked twice, and answers that must never be given.
    pub findings: Vec<String>,
}

impl VerificationOutcome {
    /// Adds another outcome.
    pub fn absorb(&mut self, other: Self) {
        self.checked += other.checked;
        self.findings.extend(other.findings);
    }
}

/// Checks all journals on a node, one connection for each.
pub async fn verify_journals(
    journals: Vec<ClientJournal>,
    target: SocketAddr,
    credentials: &ClientCredentials,
) -> Result<VerificationOutcome, BenchError> {
    let mut checks = JoinSet::new();
    for journal in journals {
        let mut verifier = JournalVerifier {
            connection: HttpConnection::new(target),
            credentials: credentials.clone(),
            outcome: VerificationOutcome { checked: 0, findings: journal.violations.clone() },
        };
        checks.spawn(async move {
            verifier.check_journal(&journal).await;
            verifier.outcome
        });
    }
    let mut all = VerificationOutcome::default();
    while let Some(result) = checks.join_next().await {
        all.absorb(result.map_err(|error| BenchError::Unexpected(format!("a verification: {error}")))?);
    }
    Ok(all)
}

struct JournalVerifier {
    connection: HttpConnection,
    credentials: ClientCredentials,
    outcome: VerificationOutcome,
}

impl JournalVerifier {
    /// Refresh tokens come first: presenting a used code again revokes its grant.
    async fn check_journal(&mut self, journal: &ClientJournal) {
        for pair in &journal.refresh_tokens {
            let request = self.credentials.refresh_request(&pair.newest);
            self.expect_success("a refresh token", &request).await;
            if let Some(rotated) = &pair.rotated {
                let request = self.credentials.refresh_request(rotated);
                self.expect_refusal("a rotated refresh token", &request).await;
            }
        }
        for code in journal.unused_codes.iter().filter(|code| code.is_fresh()) {
            let request = self.credentials.redemption_request(&code.code);
            self.expect_success("an unused code", &request).await;
            self.expect_refusal("a code that was just redeemed", &request).await;
        }
        for code in &journal.redeemed_codes {
            let request = self.credentials.redemption_request(code);
            self.expect_refusal("a redeemed code", &request).await;
        }
        for code in journal.uncertain_codes.iter().filter(|code| code.is_fresh()) {
            let request = self.credentials.redemption_request(&code.code);
            let _ = self.send(&request).await;
            self.expect_refusal("a code presented before", &request).await;
        }
        for token in &journal.revoked_tokens {
            self.expect_active(token, false).await;
        }
        for token in &journal.active_tokens {
            self.expect_active(token, true).await;
        }
    }

    async fn expect_success(&mut self, label: &str, request: &LoadRequest) {
        let outcome = self.send(request).await;
        if !matches!(outcome, RequestOutcome::Acknowledged(_)) {
            self.outcome.findings.push(format!("{label} is lost: {}", describe_outcome(outcome)));
        }
    }

    async fn expect_refusal(&mut self, label: &str, request: &LoadRequest) {
        match self.send(request).await {
            RequestOutcome::Refused(answer) if answer.contains("invalid_grant") => {}
            outcome => self.outcome.findings.push(format!("{label} works: {}", describe_outcome(outcome))),
        }
    }

    async fn expect_active(&mut self, token: &str, active: bool) {
        let request = self.credentials.introspection_request(token);
        let expected = format!("\"active\":{active}");
        match self.send(&request).await {
            RequestOutcome::Acknowledged(answer) if String::from_utf8_lossy(&answer).contains(&expected) => {}
            outcome => {
                let problem = if active { "an access token is lost" } else { "a revoked token is active" };
                self.outcome.findings.push(format!("{problem}: {}", describe_outcome(outcome)));
            }
        }
    }

    async fn send(&mut self, request: &LoadRequest) -> RequestOutcome {
        self.outcome.checked += 1;
        let mut outcome = send_request(&mut self.connection, request).await;
        for _ in 1..ATTEMPTS_MAX {
            if !matches!(outcome, RequestOutcome::NoEffect(_)) {
                break;
            }
            tokio::time::sleep(PAUSE_BETWEEN_ATTEMPTS).await;
            outcome = send_request(&mut self.connection, request).await;
        }
        outcome
    }
}

fn describe_outcome(outcome: RequestOutcome) -> String {
    match outcome {
        RequestOutcome::Acknowledged(_) => "it was acknowledged".to_owned(),
        RequestOutcome::NoEffect(kind) | RequestOutcome::Uncertain(kind) => kind.to_owned(),
        RequestOutcome::Refused(answer) => answer,
    }
}
