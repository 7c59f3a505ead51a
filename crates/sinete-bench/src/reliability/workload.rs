//! Clients that get, use and revoke tokens on one or several nodes, and write down what was acknowledged.

use super::instance::ClientCredentials;
use super::journal::{ClientJournal, IssuedCode, RefreshTokenPair, push_bounded};
use crate::failed::BenchError;
use crate::load::LoadRequest;
use crate::load::chain::{extract_code, extract_member};
use crate::load::connection::HttpConnection;
use crate::measure_flood::has_retry_after;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tokio::task::JoinSet;

/// The number of clients.
pub const CLIENTS: usize = 8;
/// How long a client pauses after a failure.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(25);

/// What became of a request.
#[derive(Debug)]
pub enum RequestOutcome {
    /// It was acknowledged, with this answer.
    Acknowledged(Vec<u8>),
    /// It had no effect: it was not sent, or answered 503 with `Retry-After`.
    NoEffect(&'static str),
    /// Whether it had an effect is unknown: answered 504, or not answered.
    Uncertain(&'static str),
    /// Any other answer.
    Refused(String),
}

/// Sends a request and classifies the answer.
pub async fn send_request(connection: &mut HttpConnection, request: &LoadRequest) -> RequestOutcome {
    if connection.open().await.is_err() {
        return RequestOutcome::NoEffect("not connected");
    }
    match connection.exchange(request.bytes()).await {
        Ok(answer) => classify_answer(answer.status, answer.bytes),
        Err(_) => RequestOutcome::Uncertain("no answer"),
    }
}

fn classify_answer(status: u16, bytes: &[u8]) -> RequestOutcome {
    match status {
        200..=399 => RequestOutcome::Acknowledged(bytes.to_vec()),
        503 if has_retry_after(bytes) => RequestOutcome::NoEffect("503"),
        504 => RequestOutcome::Uncertain("504"),
        _ => {
            let text = String::from_utf8_lossy(bytes);
            let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
            RequestOutcome::Refused(format!("{status} {}", body.chars().take(160).collect::<String>()))
        }
    }
}

/// Running clients.
#[derive(Debug)]
pub struct RunningWorkload {
    clients: JoinSet<ClientJournal>,
    shared: Arc<WorkloadState>,
}

#[derive(Debug, Default)]
struct WorkloadState {
    stop: AtomicBool,
    acknowledged: AtomicU64,
}

impl RunningWorkload {
    /// Starts clients, each of which uses the nodes in turn.
    pub fn start(targets: &[SocketAddr], credentials: &ClientCredentials) -> Self {
        let (mut clients, shared) = (JoinSet::new(), Arc::new(WorkloadState::default()));
        for number in 0..CLIENTS {
            let mut client = WorkloadClient {
                connections: targets.iter().map(|target| HttpConnection::new(*target)).collect(),
                credentials: credentials.clone(),
                journal: ClientJournal::default(),
                cycle: number,
                shared: Arc::clone(&shared),
            };
            clients.spawn(async move {
                while !client.shared.stop.load(Relaxed) {
                    if client.run_cycle().await.is_none() {
                        tokio::time::sleep(PAUSE_AFTER_FAILURE).await;
                    }
                }
                client.journal
            });
        }
        Self { clients, shared }
    }

    /// The operations acknowledged so far.
    pub fn acknowledged(&self) -> u64 {
        self.shared.acknowledged.load(Relaxed)
    }

    /// Lets every client finish its request, and returns the journals.
    pub async fn finish(mut self) -> Result<Vec<ClientJournal>, BenchError> {
        self.shared.stop.store(true, Relaxed);
        let mut journals = Vec::new();
        while let Some(client) = self.clients.join_next().await {
            journals.push(client.map_err(|error| BenchError::Unexpected(format!("a client: {error}")))?);
        }
        Ok(journals)
    }
}

struct WorkloadClient {
    connections: Vec<HttpConnection>,
    credentials: ClientCredentials,
    journal: ClientJournal,
    cycle: usize,
    shared: Arc<WorkloadState>,
}

impl WorkloadClient {
    /// A token, sometimes its revocation, and a code with its refresh tokens. `None` after a failure.
    async fn run_cycle(&mut self) -> Option<()> {
        self.cycle += 1;
        let answer = self.send_simple(&self.credentials.token_request()).await?;
        let token = self.extract(&answer, "access_token")?;
        if self.cycle.is_multiple_of(2) {
            self.send_simple(&self.credentials.revocation_request(&token)).await?;
            push_bounded(&mut self.journal.revoked_tokens, token);
        } else {
            push_bounded(&mut self.journal.active_tokens, token);
        }
        let answer = self.send_simple(&self.credentials.authorization_request()).await?;
        let Some(code) = extract_code(&answer) else {
            self.journal.note_violation("an authorization response without a code".to_owned());
            return None;
        };
        let code = IssuedCode::new(code);
        if self.cycle.is_multiple_of(4) {
            push_bounded(&mut self.journal.unused_codes, code);
            return Some(());
        }
        self.redeem(code).await
    }

    async fn redeem(&mut self, code: IssuedCode) -> Option<()> {
        let answer = match self.send(&self.credentials.redemption_request(&code.code)).await {
            RequestOutcome::Acknowledged(answer) => answer,
            outcome => {
                match &outcome {
                    RequestOutcome::NoEffect(_) => push_bounded(&mut self.journal.unused_codes, code),
                    RequestOutcome::Uncertain(_) => push_bounded(&mut self.journal.uncertain_codes, code),
                    RequestOutcome::Acknowledged(_) | RequestOutcome::Refused(_) => {}
                }
                return self.note_failure("an unused code", outcome);
            }
        };
        push_bounded(&mut self.journal.redeemed_codes, code.code);
        let first = self.extract(&answer, "refresh_token")?;
        let (pair, outcome) = match self.send(&self.credentials.refresh_request(&first)).await {
            RequestOutcome::Acknowledged(answer) => {
                let newest = self.extract(&answer, "refresh_token")?;
                (Some(RefreshTokenPair { rotated: Some(first), newest }), None)
            }
            outcome @ RequestOutcome::NoEffect(_) => {
                (Some(RefreshTokenPair { rotated: None, newest: first }), Some(outcome))
            }
            outcome => (None, Some(outcome)),
        };
        if let Some(pair) = pair {
            push_bounded(&mut self.journal.refresh_tokens, pair);
        }
        outcome.map_or(Some(()), |outcome| self.note_failure("the newest refresh token", outcome))
    }

    /// Sends a request that uses nothing up.
    async fn send_simple(&mut self, request: &LoadRequest) -> Option<Vec<u8>> {
        match self.send(request).await {
            RequestOutcome::Acknowledged(answer) => Some(answer),
            outcome => {
                self.note_failure("a request", outcome);
                None
            }
        }
    }

    async fn send(&mut self, request: &LoadRequest) -> RequestOutcome {
        let index = self.cycle % self.connections.len();
        let Some(connection) = self.connections.get_mut(index) else {
            return RequestOutcome::NoEffect("not connected");
        };
        let outcome = send_request(connection, request).await;
        if matches!(outcome, RequestOutcome::Acknowledged(_)) {
            self.journal.acknowledged += 1;
            self.shared.acknowledged.fetch_add(1, Relaxed);
        }
        outcome
    }

    fn extract(&mut self, answer: &[u8], member: &str) -> Option<String> {
        let value = extract_member(answer, member);
        if value.is_none() {
            self.journal.note_violation(format!("an answer without {member}"));
        }
        value
    }

    fn note_failure(&mut self, label: &str, outcome: RequestOutcome) -> Option<()> {
        match outcome {
            RequestOutcome::Acknowledged(_) => return Some(()),
            RequestOutcome::NoEffect(kind) | RequestOutcome::Uncertain(kind) => {
                self.journal.count_failure(kind);
            }
            RequestOutcome::Refused(answer) => {
                self.journal.note_violation(format!("{label} was answered {answer}"));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_with_503_is_the_only_sign_that_nothing_changed() {
        let classify = |status, head: &str| classify_answer(status, format!("{head}\r\n\r\n{{}}").as_bytes());
        assert!(matches!(classify(200, "HTTP/1.1 200 OK"), RequestOutcome::Acknowledged(_)));
        let retry = "HTTP/1.1 503 x\r\nRetry-After: 1";
        assert!(matches!(classify(503, retry), RequestOutcome::NoEffect("503")));
        assert!(matches!(classify(503, "HTTP/1.1 503 x"), RequestOutcome::Refused(_)));
        assert!(matches!(classify(504, "HTTP/1.1 504 x"), RequestOutcome::Uncertain("504")));
        assert!(matches!(classify(500, "HTTP/1.1 500 x"), RequestOutcome::Refused(_)));
    }
}
