//! Request ids of callers, which are returned next to our own.

use axum::http::header::{HeaderMap, HeaderName, HeaderValue};

/// The header of the request id. A value sent by the client is ignored, except by APIs that define it
/// (AuthZEN Authorization API 1.0 §10.1.3).
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The caller's request id, if it is short and printable.
pub(crate) fn caller_request_id(headers: &HeaderMap) -> Option<HeaderValue> {
    let mut lines = headers.get_all(X_REQUEST_ID).iter();
    let (Some(line), None) = (lines.next(), lines.next()) else { return None };
    let fits = (1..=CALLER_REQUEST_ID_BYTES_MAX).contains(&line.len())
        && line.as_bytes().iter().all(u8::is_ascii_graphic);
    fits.then(|| line.clone())
}

/// Maximum bytes in a caller's request id.
const CALLER_REQUEST_ID_BYTES_MAX: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x_request_id_of_the_caller_must_be_short_and_printable() {
        let called_by = |lines: &[&str]| {
            let mut headers = HeaderMap::new();
            lines.iter().for_each(|line| {
                headers.append(X_REQUEST_ID, HeaderValue::from_str(line).unwrap());
            });
            caller_request_id(&headers).map(|line| line.to_str().unwrap().to_owned())
        };
        assert_eq!(called_by(&["bfe9eb29-ab87"]).as_deref(), Some("bfe9eb29-ab87"));
        assert_eq!(called_by(&[&"x".repeat(129)]), None);
        for lines in [&[][..], &[""], &["a b"], &["a", "b"]] {
            assert_eq!(called_by(lines), None, "{lines:?}");
        }
    }
}
