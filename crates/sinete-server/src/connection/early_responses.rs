//! Early responses, sent where no handler can respond: the request was unreadable or too slow, or there was
//! no room for the connection. They are written directly, contain all required headers, and end the
//! connection.

use crate::context::ServerContext;
use crate::reply::problem;
use crate::request_ids::X_REQUEST_ID;
use crate::security_headers;
use sinete_core::id::RequestId;
use sinete_core::limits::RETRY_AFTER;
use sinete_core::refusal::RefusalReason;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::time::Timestamp;
use std::fmt::Write as _;
use std::sync::Arc;

pub(crate) struct EarlyResponses {
    server: Arc<ServerContext>,
    /// The security headers.
    security_header_lines: String,
}

/// Why a connection gets an early response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EarlyResponseReason {
    /// It sent something that is not a request.
    Malformed,
    /// The request target is too long to be read.
    TargetTooLong,
    /// The headers are too large or too many to be read.
    HeadersTooLarge,
    /// The headers did not arrive in time.
    TooSlow,
    /// There are too many connections.
    Full,
}

impl EarlyResponseReason {
    /// The reason for a status that hyper sends by itself.
    pub(super) fn from_status(status: &[u8]) -> Option<Self> {
        match status {
            b"400" => Some(Self::Malformed),
            b"414" => Some(Self::TargetTooLong),
            b"431" => Some(Self::HeadersTooLarge),
            _ => None,
        }
    }

    const fn to_refusal(self) -> RequestRefusal {
        match self {
            Self::Malformed => RequestRefusal::RequestMalformed,
            Self::TargetTooLong => RequestRefusal::TargetTooLong,
            Self::HeadersTooLarge => RequestRefusal::HeadersTooLarge,
            Self::TooSlow => RequestRefusal::RequestTimeout,
            Self::Full => RequestRefusal::TooManyConnections,
        }
    }
}

impl EarlyResponses {
    pub(crate) fn new(server: Arc<ServerContext>) -> Self {
        let lines = security_headers::security_header_lines(server.scheme());
        Self { server, security_header_lines: lines }
    }

    /// Writes the whole response, and counts and logs it.
    pub(crate) fn write_response(&self, parting: EarlyResponseReason) -> Vec<u8> {
        let reason = RefusalReason::from(parting.to_refusal());
        let now = self.server.now();
        let id = RequestId::mint(now, self.server.entropy());
        let status = problem::status_code(reason.code());
        if parting == EarlyResponseReason::Full {
            self.server.count_refused_connection();
        } else {
            self.server.telemetry().count_unreadable(status.as_u16());
        }
        tracing::info!(request_id = %id, status = status.as_u16(), refusal = reason.name(), "not served");
        let body = problem::problem_body(reason, id);
        let mut head = format!(
            "HTTP/1.1 {} {}\r\ndate: {}\r\nconnection: close\r\ncontent-type: application/problem+json\r\n\
             content-length: {}\r\n{X_REQUEST_ID}: {id}\r\n{}",
            status.as_u16(),
            status.canonical_reason().unwrap_or_default(),
            http_date(now),
            body.len(),
            self.security_header_lines,
        );
        if parting == EarlyResponseReason::Full {
            let _ = write!(head, "retry-after: {}\r\n", RETRY_AFTER.seconds());
        }
        head.push_str("\r\n");
        let mut answer = head.into_bytes();
        answer.extend_from_slice(&body);
        answer
    }
}

/// Formats a time as an HTTP date (RFC 9110 §5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(now: Timestamp) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let days_since_a_thursday = now.seconds().div_euclid(86_400).rem_euclid(7);
    let weekday = DAYS[usize::try_from(days_since_a_thursday).unwrap_or_default()];
    // RFC 3339: year, month and day, a T, and the time of day.
    let text = now.to_string();
    let (date, time) = text.split_once('T').unwrap_or((&text, ""));
    let mut parts = date.splitn(3, '-');
    let (year, month, day) = (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    );
    let month = month.parse().ok().and_then(|month: usize| MONTHS.get(month.wrapping_sub(1)));
    let time = time.get(..8).unwrap_or_default();
    format!("{weekday}, {day} {} {year} {time} GMT", month.copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_date_is_formatted_as_imf_fixdate() {
        for (seconds, expected) in [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        ] {
            assert_eq!(http_date(Timestamp::from_seconds(seconds)), expected);
        }
    }
}
