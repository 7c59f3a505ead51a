//! How long a fetched document is used: by the rules of HTTP caching (RFC 9111), within our bounds.

use crate::limits::{CLIENT_DOCUMENT_AGE_DEFAULT, CLIENT_DOCUMENT_AGE_MAX, CLIENT_DOCUMENT_AGE_MIN};
use crate::time::Lifetime;

/// The lifetime for a response with these headers.
pub fn compute_document_lifetime(cache_control: Option<&str>, age: Option<&str>) -> Lifetime {
    let Some(cache_control) = cache_control else { return CLIENT_DOCUMENT_AGE_DEFAULT };
    let mut max_age = None;
    for directive in cache_control.split(',').map(|it| it.trim().to_ascii_lowercase()) {
        if matches!(directive.as_str(), "no-store" | "no-cache") || directive.starts_with("no-cache=") {
            return CLIENT_DOCUMENT_AGE_MIN;
        }
        if let Some(seconds) = directive.strip_prefix("max-age=") {
            // A value that is too large counts as the largest (RFC 9111 §1.2.2).
            let is_number = !seconds.is_empty() && seconds.bytes().all(|it| it.is_ascii_digit());
            max_age = Some(if is_number { seconds.parse().unwrap_or(u32::MAX) } else { 0 });
        }
    }
    let Some(max_age) = max_age else { return CLIENT_DOCUMENT_AGE_DEFAULT };
    let age = age.and_then(|age| age.trim().parse::<u32>().ok()).unwrap_or(0);
    Lifetime::from_seconds(max_age.saturating_sub(age).min(MAX_AGE_SECONDS))
        .clamp(CLIENT_DOCUMENT_AGE_MIN, CLIENT_DOCUMENT_AGE_MAX)
}

/// Above our upper bound, and small enough for every calculation.
const MAX_AGE_SECONDS: u32 = 7 * 24 * 60 * 60;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_document_is_cached_by_http_rules_within_bounds() {
        let minutes = Lifetime::from_minutes;
        for (cache_control, age, expected) in [
            (None, None, CLIENT_DOCUMENT_AGE_DEFAULT),
            (Some("public"), None, CLIENT_DOCUMENT_AGE_DEFAULT),
            (Some("max-age=1800"), None, minutes(30)),
            (Some("public, Max-Age=1800"), Some("600"), minutes(20)),
            (Some("max-age=1800"), Some("9999"), CLIENT_DOCUMENT_AGE_MIN),
            (Some("max-age=0"), None, CLIENT_DOCUMENT_AGE_MIN),
            (Some("max-age=x"), None, CLIENT_DOCUMENT_AGE_MIN),
            (Some("max-age=99999999999999999999"), None, CLIENT_DOCUMENT_AGE_MAX),
            (Some("max-age=31536000, immutable"), None, CLIENT_DOCUMENT_AGE_MAX),
            (Some("no-store"), None, CLIENT_DOCUMENT_AGE_MIN),
            (Some("max-age=1800, no-cache"), None, CLIENT_DOCUMENT_AGE_MIN),
        ] {
            assert_eq!(compute_document_lifetime(cache_control, age), expected, "{cache_control:?} {age:?}");
        }
    }
}
