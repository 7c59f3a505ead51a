//! The headers that no response goes without, whatever produced it.

use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY,
    STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use std::sync::LazyLock;

/// Who may load a response into a page of another origin.
pub const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const CROSS_ORIGIN_OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");

/// What a page of ours without a script may do: show our style and images, send forms to us, and nothing else.
pub const PAGE_CSP: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; \
     frame-ancestors 'none'; require-trusted-types-for 'script'",
);

/// What a page of ours with a script may do: run that one script, by the nonce that was made for this answer, show
/// our style and images, talk to us, and send forms to us.
pub fn page_csp(nonce: &str) -> HeaderValue {
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
         form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
         trusted-types 'none'"
    );
    // A nonce is made of letters, digits and two marks; anything else is no nonce, and runs nothing.
    HeaderValue::try_from(policy).unwrap_or(PAGE_CSP)
}

/// The same on every response; a handler cannot say otherwise.
static FIXED_HEADERS: [(HeaderName, HeaderValue); 5] = [
    (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (CROSS_ORIGIN_OPENER_POLICY, HeaderValue::from_static("same-origin")),
    (
        PERMISSIONS_POLICY,
        HeaderValue::from_static(
            "publickey-credentials-get=(self), publickey-credentials-create=(self), camera=(), \
             microphone=(), geolocation=()",
        ),
    ),
];

/// What holds unless a handler said otherwise: not a document, not for other origins, not to be kept.
static DEFAULT_HEADERS: [(HeaderName, HeaderValue); 3] = [
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
    (CROSS_ORIGIN_RESOURCE_POLICY, HeaderValue::from_static("same-origin")),
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
];

static STRICT_TRANSPORT_SECURITY_VALUE: (HeaderName, HeaderValue) =
    (STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=63072000; includeSubDomains"));

/// How the issuer is reached, and so whether browsers are told to come back over TLS only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IssuerScheme {
    /// Over TLS, for good.
    Https,
    /// In the clear: asking for TLS would lock browsers out.
    Http,
}

/// Room for as many headers as nearly every response has.
const USUAL_HEADER_COUNT: usize = 24;

/// What a response begins with, as browsers read it over TLS and in the clear. It is copied, which costs less than to put
/// each header where it belongs.
static BASE_HEADERS: LazyLock<[HeaderMap; 2]> = LazyLock::new(|| {
    let mut clear = HeaderMap::with_capacity(USUAL_HEADER_COUNT);
    clear.extend(FIXED_HEADERS.iter().chain(&DEFAULT_HEADERS).cloned());
    let mut secure = clear.clone();
    secure.extend([STRICT_TRANSPORT_SECURITY_VALUE.clone()]);
    [secure, clear]
});

/// Gives a response the headers it must have.
pub fn apply_security_headers(headers: &mut HeaderMap, scheme: IssuerScheme) {
    let [secure, clear] = &*BASE_HEADERS;
    let outset = match scheme {
        IssuerScheme::Https => secure,
        IssuerScheme::Http => clear,
    };
    let said = std::mem::replace(headers, outset.clone());
    // Only the first of several headers of one name comes with that name.
    let mut current = None;
    for (name, value) in said {
        match name {
            Some(name) if is_fixed_header(&name) => current = None,
            Some(name) => {
                headers.insert(name.clone(), value);
                current = Some(name);
            }
            None => {
                current.as_ref().map(|name| headers.append(name, value));
            }
        }
    }
}

/// Whether a handler has no say about this header.
fn is_fixed_header(name: &HeaderName) -> bool {
    FIXED_HEADERS.iter().chain([&STRICT_TRANSPORT_SECURITY_VALUE]).any(|(fixed, _)| fixed == name)
}

/// The same headers as lines of HTTP/1.1, for an answer that is written by hand.
pub fn security_header_lines(scheme: IssuerScheme) -> String {
    let mut headers = HeaderMap::new();
    apply_security_headers(&mut headers, scheme);
    let line = |(name, value): (&HeaderName, &HeaderValue)| {
        format!("{name}: {}\r\n", value.to_str().unwrap_or_default())
    };
    headers.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::header::SET_COOKIE;

    #[test]
    fn security_headers_can_be_relaxed_only_where_allowed() {
        let mut headers = HeaderMap::new();
        headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("ALLOWALL"));
        headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=1"));
        for name in [X_CONTENT_TYPE_OPTIONS, SET_COOKIE] {
            for value in ["a=1", "b=2", "c=3"] {
                headers.append(&name, HeaderValue::from_static(value));
            }
        }
        apply_security_headers(&mut headers, IssuerScheme::Http);
        assert_eq!(headers[X_FRAME_OPTIONS], "DENY");
        assert_eq!(headers[CROSS_ORIGIN_RESOURCE_POLICY], "cross-origin");
        assert_eq!(headers[CACHE_CONTROL], "no-store");
        assert!(!headers.contains_key(STRICT_TRANSPORT_SECURITY));
        let all = |name| headers.get_all(name).iter().map(|it| it.to_str().unwrap()).collect::<Vec<_>>();
        assert_eq!(all(X_CONTENT_TYPE_OPTIONS), ["nosniff"], "what was said instead is gone, all of it");
        assert_eq!(all(SET_COOKIE), ["a=1", "b=2", "c=3"], "what comes several times goes out as often");
    }

    #[test]
    fn security_header_lines_match_the_headers() {
        let mut headers = HeaderMap::new();
        apply_security_headers(&mut headers, IssuerScheme::Https);
        let lines = security_header_lines(IssuerScheme::Https);
        assert_eq!(lines.lines().count(), headers.len());
        assert!(lines.contains("strict-transport-security: max-age=63072000; includeSubDomains\r\n"));
        assert!(lines.contains("content-security-policy: default-src 'none'; frame-ancestors 'none'\r\n"));
        assert!(!super::security_header_lines(IssuerScheme::Http).contains("strict-transport"));
    }

    #[test]
    fn csp_of_a_page_with_a_script_allows_only_its_nonce() {
        let policy = page_csp("bm9uY2U");
        let policy = policy.to_str().unwrap();
        assert!(policy.contains("script-src 'nonce-bm9uY2U';") && !policy.contains("unsafe"));
        assert!(policy.contains("frame-ancestors 'none'") && policy.contains("trusted-types 'none'"));
        assert!(!policy.contains("http") && policy.contains("form-action 'self'"));
        assert_eq!(page_csp("a\nb"), PAGE_CSP);
    }

    #[test]
    fn csp_of_pages_allows_no_script_and_no_frame() {
        let policy = PAGE_CSP.to_str().unwrap().to_owned();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("script-src"));
        assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"));
    }
}
