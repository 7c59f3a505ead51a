//! The CSRF token of a flow in a browser.

use sinete_core::secret::Digest;

/// The digest type of CSRF tokens.
enum CsrfDigestDomain {}

/// Whether the CSRF token belongs to this flow token.
pub(crate) fn is_csrf_token(token: &str, submitted_token: &str) -> bool {
    let of = |text: &str| Digest::<CsrfDigestDomain>::from_parts(&[text.as_bytes()]);
    // Digests are compared in constant time.
    of(submitted_token) == of(&csrf_token(token))
}

/// The CSRF token derived from the flow token, which it does not reveal.
pub(crate) fn csrf_token(token: &str) -> String {
    use base64::Engine as _;
    let digest = Digest::<CsrfDigestDomain>::from_parts(&[b"csrf token of a flow", token.as_bytes()]);
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(digest.as_bytes())
}
