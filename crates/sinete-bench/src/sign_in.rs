//! Sign-ins with a password through the flow API.

use crate::failed::BenchError;
use crate::load::chain::extract_member;
use crate::load::connection::HttpConnection;
use crate::many_people::{PASSWORD, account_email};
use crate::server::ChildServer;
use crate::statistics::LatencyStatistics;
use crate::stopwatch::RunningStopwatch;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// How users fared who signed in with the right password while others guessed.
#[derive(Debug, Default)]
pub struct HonestSignIns {
    /// From the first attempt to the session, with all waits.
    pub durations: Vec<Duration>,
    /// The number of attempts of each.
    pub attempts: Vec<f64>,
}

/// Signs accounts in one after the other until stopped. A user who must wait tries again after a second.
pub async fn sign_in_honestly(
    target: SocketAddr,
    accounts: u64,
    stop: &AtomicBool,
) -> Result<HonestSignIns, BenchError> {
    let (mut connection, mut sign_ins) = (HttpConnection::new(target), HonestSignIns::default());
    for number in (0..accounts).cycle() {
        let (watch, mut attempts) = (RunningStopwatch::start(), 1.0);
        while try_sign_in(&mut connection, target, number).await?.is_none() {
            if stop.load(Relaxed) {
                return Ok(sign_ins);
            }
            tokio::time::sleep(RETRY_AFTER).await;
            attempts += 1.0;
        }
        sign_ins.durations.push(watch.elapsed());
        sign_ins.attempts.push(attempts);
        if stop.load(Relaxed) {
            break;
        }
        tokio::time::sleep(RETRY_AFTER).await;
    }
    Ok(sign_ins)
}

/// Between two attempts of one user.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// The number of concurrent sign-ins: as many passwords as a small machine hashes at once.
const CONCURRENT_SIGN_INS: u64 = 2;

/// Signs in accounts from the whole instance, this many, and returns the latencies.
pub async fn measure_sign_ins(
    server: &ChildServer,
    accounts: u64,
    sign_ins: u64,
) -> Result<LatencyStatistics, BenchError> {
    let mut working = tokio::task::JoinSet::new();
    for worker in 0..CONCURRENT_SIGN_INS {
        let target = server.address;
        working.spawn(async move {
            let (mut connection, mut timeouts) = (HttpConnection::new(target), Vec::new());
            for turn in 0..sign_ins / CONCURRENT_SIGN_INS {
                // Spread over the whole instance, never the same account twice in a row.
                let number = (turn * CONCURRENT_SIGN_INS + worker).wrapping_mul(2_654_435_761) % accounts;
                let watch = RunningStopwatch::start();
                sign_in_once(&mut connection, target, number).await?;
                timeouts.push(watch.elapsed());
            }
            Ok::<_, BenchError>(timeouts)
        });
    }
    let mut all = Vec::new();
    while let Some(result) = working.join_next().await {
        let durations =
            result.map_err(|error| BenchError::Unexpected(format!("signing in was interrupted: {error}")))?;
        all.extend(durations?);
    }
    Ok(LatencyStatistics::from_durations(all))
}

/// Signs an account in and returns its session token.
pub async fn sign_in_once(
    connection: &mut HttpConnection,
    target: SocketAddr,
    number: u64,
) -> Result<String, BenchError> {
    let session_token = try_sign_in(connection, target, number).await?;
    session_token.ok_or_else(|| BenchError::Unexpected("signing in was answered with 503".to_owned()))
}

/// Signs an account in and returns its session token; `None` if the server has no time for it now.
async fn try_sign_in(
    connection: &mut HttpConnection,
    target: SocketAddr,
    number: u64,
) -> Result<Option<String>, BenchError> {
    let begin = json_request("/flows", "", "{\"kind\":\"sign_in\",\"session\":\"token\"}");
    let started = expect_status(connection, target, &begin, 201).await?;
    let missing = || BenchError::Unexpected("a flow has no id or no token".to_owned());
    let id = extract_member(&started, "id").ok_or_else(missing)?;
    let token = extract_member(&started, "flow_token").ok_or_else(missing)?;
    let body = format!("{{\"email\":\"{}\",\"password\":\"{PASSWORD}\"}}", account_email(number));
    let prove =
        json_request(&format!("/flows/{id}/password"), &format!("authorization: Flow {token}\r\n"), &body);
    let answer = connection.exchange(&prove).await;
    let answer =
        answer.map_err(|fault| BenchError::Unexpected(format!("{target} did not answer: {fault}")))?;
    match (answer.status, extract_member(answer.bytes, "stage").as_deref()) {
        (200, Some("signed_in")) => {
            let missing = || BenchError::Unexpected("a sign-in returned no session token".to_owned());
            extract_member(answer.bytes, "session_token").ok_or_else(missing).map(Some)
        }
        (503, _) => Ok(None),
        other => Err(BenchError::Unexpected(format!("signing in resulted in {other:?}"))),
    }
}

async fn expect_status(
    connection: &mut HttpConnection,
    target: SocketAddr,
    request: &[u8],
    status: u16,
) -> Result<Vec<u8>, BenchError> {
    let answer = connection.exchange(request).await;
    let answer =
        answer.map_err(|fault| BenchError::Unexpected(format!("{target} did not answer: {fault}")))?;
    if answer.status == status {
        return Ok(answer.bytes.to_vec());
    }
    let body = String::from_utf8_lossy(answer.bytes).into_owned();
    Err(BenchError::Unexpected(format!("signing in was answered with {}: {body}", answer.status)))
}

fn json_request(path: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\n{headers}content-type: application/json\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}
