//! Fetch Metadata: whether a browser opened a URL as a top-level page. Embedded images, frames or prefetches
//! of other sites start no flow, so that they do not use up the rate limit of their user's network.

use axum::http::HeaderName;
use axum::http::header::HeaderMap;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;

const SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");
const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const SEC_PURPOSE: HeaderName = HeaderName::from_static("sec-purpose");

/// Whether the request may start a flow: a top-level navigation, a same-site script, or a program without
/// these headers.
pub fn is_top_level_navigation(headers: &HeaderMap) -> bool {
    let one = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let is_prefetch = one(&SEC_PURPOSE).is_some_and(|purpose| purpose.contains("prefetch"));
    let is_of_this_site = matches!(one(&SEC_FETCH_SITE), Some("same-origin" | "same-site" | "none"));
    let is_page = match (one(&SEC_FETCH_DEST), one(&SEC_FETCH_MODE)) {
        (_, Some("no-cors")) => false,
        (Some("document") | None, _) => true,
        (Some("empty"), _) => is_of_this_site,
        // We have no frames, and other destinations cannot use the response.
        (Some(_), _) => false,
    };
    is_page && !is_prefetch
}

/// Refuses to start a flow otherwise.
pub fn require_top_level_navigation(headers: &HeaderMap) -> Result<(), Refusal> {
    if is_top_level_navigation(headers) {
        return Ok(());
    }
    Err(Refusal::because(RequestRefusal::NotANavigation, "no top-level navigation"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn fetch_metadata_allows_navigation_and_programs_but_not_embedded_requests() {
        let opened = |lines: &[(&'static str, &'static str)]| {
            let line = |(name, value): &(&'static str, &'static str)| {
                (HeaderName::from_static(name), HeaderValue::from_static(value))
            };
            is_top_level_navigation(&lines.iter().map(line).collect())
        };
        let (dest, mode, site) = ("sec-fetch-dest", "sec-fetch-mode", "sec-fetch-site");
        assert!(opened(&[]));
        assert!(opened(&[(dest, "document"), (mode, "navigate"), (site, "cross-site")]));
        assert!(opened(&[(dest, "empty"), (mode, "cors"), (site, "same-origin")]));
        assert!(opened(&[(dest, "empty"), (mode, "cors"), (site, "same-site")]));
        assert!(!opened(&[(dest, "empty"), (mode, "cors"), (site, "cross-site")]));
        for embedded in ["image", "iframe", "frame", "embed", "object", "script", "style", "video"] {
            assert!(!opened(&[(dest, embedded), (mode, "navigate"), (site, "cross-site")]), "{embedded}");
        }
        assert!(!opened(&[(dest, "document"), (mode, "no-cors")]));
        assert!(!opened(&[(dest, "document"), (mode, "navigate"), ("sec-purpose", "prefetch;prerender")]));
        assert!(require_top_level_navigation(&HeaderMap::new()).is_ok());
    }
}
