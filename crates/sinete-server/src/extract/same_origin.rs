//! CSRF protection: whether a request with cookies comes from our own pages.

use axum::http::HeaderName;
use axum::http::header::{COOKIE, HeaderMap, ORIGIN};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Whether a browser may have sent the request: browsers name the site of a POST, and only they hold cookies of ours.
#[must_use]
pub fn can_come_from_browser(headers: &HeaderMap) -> bool {
    [ORIGIN, SEC_FETCH_SITE, COOKIE].iter().any(|name| headers.contains_key(name))
}

/// Whether the headers show that the request comes from a page of our own origin or of an allowed one.
pub fn check_same_origin_headers(
    headers: &HeaderMap,
    own_origin: &str,
    allowed: &[String],
) -> Result<(), Refusal> {
    let one = |name: &HeaderName| {
        let mut values = headers.get_all(name).iter();
        let value = values.next()?;
        Some(values.next().map_or_else(|| value.to_str().unwrap_or_default(), |_| ""))
    };
    let is_known =
        |origin: &str| origin == own_origin || allowed.iter().any(|allowed_origin| allowed_origin == origin);
    let fits = match (one(&SEC_FETCH_SITE), one(&ORIGIN)) {
        // A page without a referrer, as ours are, sends no `Origin` to its own site either (Fetch, "append a
        // request Origin header"); `Sec-Fetch-Site` shows that it is the same origin.
        (Some("same-origin"), origin) => origin.is_none_or(|origin| origin == own_origin || origin == "null"),
        (Some("same-site") | None, Some(origin)) => is_known(origin),
        (Some(_) | None, _) => false,
    };
    if fits {
        return Ok(());
    }
    if headers.contains_key(ORIGIN) || headers.contains_key(SEC_FETCH_SITE) {
        return Err(Refusal::because(RequestRefusal::CrossSite, "another origin"));
    }
    Err(Refusal::because(RequestRefusal::OriginMissing, "neither Origin nor Sec-Fetch-Site"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn origin_check_accepts_only_own_and_allowed_origins_for_cookies() {
        let own_origin = "https://id.example.org";
        let allowed = ["https://app.example.org".to_owned()];
        let is_accepted = |site: Option<&str>, origin: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.extend(site.map(|it| (SEC_FETCH_SITE, HeaderValue::from_str(it).unwrap())));
            headers.extend(origin.map(|it| (ORIGIN, HeaderValue::from_str(it).unwrap())));
            check_same_origin_headers(&headers, own_origin, &allowed).is_ok()
        };
        assert!(is_accepted(Some("same-origin"), Some(own_origin)));
        assert!(is_accepted(Some("same-origin"), None));
        assert!(is_accepted(None, Some(own_origin)));
        assert!(is_accepted(Some("same-site"), Some(&allowed[0])));
        for site in ["cross-site", "none", "same-site", ""] {
            assert!(!is_accepted(Some(site), None), "{site}");
        }
        for origin in
            ["null", "", "https://id.example.org.evil", "https://evil.example", "http://id.example.org"]
        {
            assert!(!is_accepted(None, Some(origin)), "{origin}");
            assert_eq!(is_accepted(Some("same-origin"), Some(origin)), origin == "null", "{origin}");
            assert!(!is_accepted(Some("same-site"), Some(origin)), "{origin}");
        }
        assert!(!is_accepted(Some("cross-site"), Some(own_origin)));
        assert!(!is_accepted(None, None));
    }
}
