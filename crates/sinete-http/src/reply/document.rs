//! Documents that are the same for everyone and kept by caches: made once, sent as ready bytes.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH};
use axum::http::{StatusCode, header::InvalidHeaderValue};
use axum::response::Response;
use bytes::Bytes;

/// Bytes that change rarely, with the tag that tells one version from the next.
#[derive(Clone, Debug)]
pub struct Document {
    bytes: Bytes,
    tag: HeaderValue,
    content_type: HeaderValue,
    cache: HeaderValue,
}

impl Document {
    /// A document. `tag` identifies this version, without quotes.
    pub fn new(
        bytes: impl Into<Bytes>,
        tag: &str,
        content_type: &'static str,
        cache: &'static str,
    ) -> Result<Self, InvalidHeaderValue> {
        Ok(Self {
            bytes: bytes.into(),
            tag: HeaderValue::from_str(&format!("\"{tag}\""))?,
            content_type: HeaderValue::from_static(content_type),
            cache: HeaderValue::from_static(cache),
        })
    }

    /// A document whose versions are told apart by a number.
    pub fn numbered(
        bytes: impl Into<Bytes>,
        number: u64,
        content_type: &'static str,
        cache: &'static str,
    ) -> Self {
        // Hexadecimal digits between quotes, which any header may hold.
        let tag = HeaderValue::from_maybe_shared(Bytes::from(format!("\"{number:016x}\"")));
        Self {
            bytes: bytes.into(),
            tag: tag.unwrap_or(HeaderValue::from_static("\"0\"")),
            content_type: HeaderValue::from_static(content_type),
            cache: HeaderValue::from_static(cache),
        }
    }

    /// Our public keys.
    pub fn keys(bytes: impl Into<Bytes>, tag: &str) -> Result<Self, InvalidHeaderValue> {
        Self::new(bytes, tag, "application/json", KEYS_CACHE)
    }

    /// What is in it.
    pub const fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The document, or 304 if whoever asks has this version already.
    pub fn answer(&self, asked: &HeaderMap) -> Response {
        let known =
            asked.get_all(IF_NONE_MATCH).iter().any(|tags| names(tags.as_bytes(), self.tag.as_bytes()));
        let mut response = if known {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response
        } else {
            let mut response = Response::new(Body::from(self.bytes.clone()));
            response.headers_mut().insert(CONTENT_TYPE, self.content_type.clone());
            response
        };
        let headers = response.headers_mut();
        headers.insert(ETAG, self.tag.clone());
        headers.insert(CACHE_CONTROL, self.cache.clone());
        response
    }
}

/// How long our keys may be kept: `KEYS_CACHE_LIFETIME`, as the header says it.
const KEYS_CACHE: &str = "public, max-age=300";

/// Whether a list of tags names this one; a weak tag counts (RFC 9110 §13.1.2).
fn names(tags: &[u8], tag: &[u8]) -> bool {
    tags.split(|&byte| byte == b',')
        .map(<[u8]>::trim_ascii)
        .any(|one| one == b"*" || one == tag || one.strip_prefix(b"W/").is_some_and(|strong| strong == tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_may_be_kept_for_as_long_as_the_limit_says() {
        let seconds = sinete_core::limits::KEYS_CACHE_LIFETIME.seconds();
        assert_eq!(KEYS_CACHE, format!("public, max-age={seconds}"));
    }

    #[test]
    fn a_version_already_known_is_not_sent_again() {
        let document = Document::keys("{}", "v1").unwrap();
        let ask = |tags: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(IF_NONE_MATCH, HeaderValue::from_str(tags).unwrap());
            document.answer(&headers).status().as_u16()
        };
        for tags in ["\"v1\"", "W/\"v1\"", "\"v0\", \"v1\"", "*", "\"x\" ,W/\"v1\""] {
            assert_eq!(ask(tags), 304, "{tags}");
        }
        for tags in ["\"v2\"", "v1", "\"v1", "W/v1", ""] {
            assert_eq!(ask(tags), 200, "{tags}");
        }
        assert_eq!(document.answer(&HeaderMap::new()).status(), 200);
    }
}
