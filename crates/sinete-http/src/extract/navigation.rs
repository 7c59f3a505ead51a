//! Whether a browser opened an address as a page of its own, as it tells (Fetch Metadata Request Headers). A picture, a frame
//! or a prefetch that another site puts into its page starts no flow, and costs its reader's network nothing.

use axum::http::HeaderName;
use axum::http::header::HeaderMap;
use sinete_core::refusal::{Refusal, RefusalCode};

const SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");
const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const SEC_PURPOSE: HeaderName = HeaderName::from_static("sec-purpose");

/// Whether the request may start a flow: a page that somebody opens, a script of this site, or a program, which says nothing.
pub(crate) fn is_top_level_navigation(headers: &HeaderMap) -> bool {
    let one = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let is_prefetch = one(&SEC_PURPOSE).is_some_and(|purpose| purpose.contains("prefetch"));
    let is_of_this_site = matches!(one(&SEC_FETCH_SITE), Some("same-origin" | "same-site" | "none"));
    let is_page = match (one(&SEC_FETCH_DEST), one(&SEC_FETCH_MODE)) {
        (_, Some("no-cors")) => false,
        (Some("document") | None, _) => true,
        (Some("empty"), _) => is_of_this_site,
        // Frames of ours do not exist, and what is not a page cannot be answered.
        (Some(_), _) => false,
    };
    is_page && !is_prefetch
}

/// Refuses to start a flow for anything else.
pub(crate) fn require_top_level_navigation(headers: &HeaderMap) -> Result<(), Refusal> {
    if is_top_level_navigation(headers) {
        return Ok(());
    }
    let public = "this address is opened as a page, and not from inside another one";
    Err(Refusal::new(RefusalCode::Forbidden, public, "no top-level navigation"))
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
