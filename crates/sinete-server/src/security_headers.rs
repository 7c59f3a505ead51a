//! The security headers of every response.

use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY,
    STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use std::sync::LazyLock;

/// `Cross-Origin-Resource-Policy`: who may embed a response in a page of another origin.
pub const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const CROSS_ORIGIN_OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");

/// The CSP of a page without a script: our styles and images, forms to us, and nothing else.
pub const PAGE_CSP: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; \
     frame-ancestors 'none'; require-trusted-types-for 'script'",
);

/// The CSP of a page with a script: that script by its nonce, our styles and images, requests and forms to
/// us.
pub fn page_csp(nonce: &str) -> HeaderValue {
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
         form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
         trusted-types 'none'"
    );
    // A nonce consists of base64url characters; if it did not, no script would run.
    HeaderValue::try_from(policy).unwrap_or(PAGE_CSP)
}

/// The same on every response; handlers cannot change them.
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

/// Defaults that a handler can change: no document, no other origins, no caching.
static DEFAULT_HEADERS: [(HeaderName, HeaderValue); 3] = [
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
    (CROSS_ORIGIN_RESOURCE_POLICY, HeaderValue::from_static("same-origin")),
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
];

static STRICT_TRANSPORT_SECURITY_VALUE: (HeaderName, HeaderValue) =
    (STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=63072000; includeSubDomains"));

/// The scheme of the issuer, and so whether HSTS is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IssuerScheme {
    /// https.
    Https,
    /// http: HSTS would lock browsers out.
    Http,
}

/// The capacity for the headers of nearly every response.
const TYPICAL_HEADER_COUNT: usize = 24;

/// The initial headers of a response, for https and http. Copying them is cheaper than inserting each.
static BASE_HEADERS: LazyLock<[HeaderMap; 2]> = LazyLock::new(|| {
    let mut clear = HeaderMap::with_capacity(TYPICAL_HEADER_COUNT);
    clear.extend(FIXED_HEADERS.iter().chain(&DEFAULT_HEADERS).cloned());
    let mut secure = clear.clone();
    secure.extend([STRICT_TRANSPORT_SECURITY_VALUE.clone()]);
    [secure, clear]
});

/// Adds the security headers to a response.
pub fn apply_security_headers(headers: &mut HeaderMap, scheme: IssuerScheme) {
    let [secure, clear] = &*BASE_HEADERS;
    let outset = match scheme {
        IssuerScheme::Https => secure,
        IssuerScheme::Http => clear,
    };
    let response_headers = std::mem::replace(headers, outset.clone());
    // In the iterator, only the first of several headers of one name has the name.
    let mut current = None;
    for (name, value) in response_headers {
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

/// Whether handlers cannot change this header.
fn is_fixed_header(name: &HeaderName) -> bool {
    FIXED_HEADERS.iter().chain([&STRICT_TRANSPORT_SECURITY_VALUE]).any(|(fixed, _)| fixed == name)
}

/// The same headers as HTTP/1.1 lines, for early responses.
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
        assert_eq!(all(X_CONTENT_TYPE_OPTIONS), ["nosniff"], "the values of the handler are replaced");
        assert_eq!(all(SET_COOKIE), ["a=1", "b=2", "c=3"], "repeated headers are kept");
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
