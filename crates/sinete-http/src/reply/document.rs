//! Documents that are the same for everyone and kept by caches: made once, sent as ready bytes, and smaller to
//! whoever can unpack them. Nothing that is made for one reader is ever packed: the length of what is packed
//! tells about secrets that stand beside what somebody else put there.

use axum::body::Body;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue,
    IF_NONE_MATCH, VARY,
};
use axum::http::{StatusCode, header::InvalidHeaderValue};
use axum::response::Response;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write as _;

/// Bytes that change rarely, with the tag that tells one version from the next.
#[derive(Clone, Debug)]
pub struct Document {
    bytes: Bytes,
    tag: HeaderValue,
    content_type: HeaderValue,
    cache: HeaderValue,
    packed: Option<Packed>,
}

/// The same bytes for whoever unpacks them. Another representation has another tag (RFC 9110 §8.8.3.3).
#[derive(Clone, Debug)]
struct Packed {
    bytes: Bytes,
    tag: HeaderValue,
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
            packed: None,
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
            packed: None,
        }
    }

    /// The same document, packed once for whoever can unpack it, if that makes it smaller.
    pub fn packed(mut self) -> Self {
        let tag = self.tag.as_bytes().strip_suffix(b"\"").map(|tag| [tag, b"-gzip\""].concat());
        let tag = tag.and_then(|tag| HeaderValue::from_bytes(&tag).ok());
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let bytes = encoder.write_all(&self.bytes).and_then(|()| encoder.finish()).ok();
        let smaller = bytes.filter(|bytes| bytes.len() < self.bytes.len());
        self.packed = smaller.zip(tag).map(|(bytes, tag)| Packed { bytes: bytes.into(), tag });
        self
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
        let packed = self.packed.as_ref().filter(|_| unpacks(asked));
        let (bytes, tag) = packed.map_or((&self.bytes, &self.tag), |packed| (&packed.bytes, &packed.tag));
        let known = asked.get_all(IF_NONE_MATCH).iter().any(|tags| names(tags.as_bytes(), tag.as_bytes()));
        let mut response = if known {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response
        } else {
            let mut response = Response::new(Body::from(bytes.clone()));
            response.headers_mut().insert(CONTENT_TYPE, self.content_type.clone());
            if packed.is_some() {
                response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            }
            response
        };
        let headers = response.headers_mut();
        if self.packed.is_some() {
            headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        }
        headers.insert(ETAG, tag.clone());
        headers.insert(CACHE_CONTROL, self.cache.clone());
        response
    }
}

/// How long our keys may be kept: `KEYS_CACHE_LIFETIME`, as the header says it.
const KEYS_CACHE: &str = "public, max-age=300";

/// Whether whoever asks can unpack what is packed (RFC 9110 §12.5.3).
fn unpacks(asked: &HeaderMap) -> bool {
    let lists = asked.get_all(ACCEPT_ENCODING).iter().filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|choice| {
        let (coding, weight) = choice.split_once(';').unwrap_or((choice, ""));
        let is_refused =
            weight.trim().strip_prefix("q=").is_some_and(|weight| weight.trim_matches(['0', '.']).is_empty());
        coding.trim().eq_ignore_ascii_case("gzip") && !is_refused
    })
}

/// Whether a list of tags names this one; a weak tag counts (RFC 9110 §13.1.2).
fn names(tags: &[u8], tag: &[u8]) -> bool {
    tags.split(|&byte| byte == b',')
        .map(<[u8]>::trim_ascii)
        .any(|one| one == b"*" || one == tag || one.strip_prefix(b"W/").is_some_and(|strong| strong == tag))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    #[test]
    fn keys_may_be_kept_for_as_long_as_the_limit_says() {
        let seconds = sinete_core::limits::KEYS_CACHE_LIFETIME.seconds();
        assert_eq!(KEYS_CACHE, format!("public, max-age={seconds}"));
    }

    fn asking(headers: &[(axum::http::HeaderName, &str)]) -> HeaderMap {
        headers.iter().map(|(name, value)| (name.clone(), HeaderValue::from_str(value).unwrap())).collect()
    }

    #[test]
    fn what_is_packed_goes_to_whoever_unpacks_it_under_a_tag_of_its_own() {
        let text = "a sentence that repeats itself, ".repeat(100);
        let document = Document::new(text.clone(), "v1", "text/css", "public").unwrap().packed();
        for (said, is_packed) in [
            ("gzip", true),
            ("br, GZIP;q=0.5", true),
            ("deflate,gzip", true),
            ("gzip;q=0", false),
            ("gzip;q=0.000", false),
            ("br, *", false),
            ("", false),
        ] {
            let answer = document.answer(&asking(&[(ACCEPT_ENCODING, said)]));
            let headers = answer.headers();
            assert_eq!(headers.contains_key(CONTENT_ENCODING), is_packed, "{said}");
            assert_eq!(headers[ETAG], if is_packed { "\"v1-gzip\"" } else { "\"v1\"" });
            assert_eq!(headers[VARY], "accept-encoding");
        }
        let both = [(ACCEPT_ENCODING, "gzip"), (IF_NONE_MATCH, "\"v1-gzip\"")];
        assert_eq!(document.answer(&asking(&both)).status(), 304);
        let other = [(ACCEPT_ENCODING, "gzip"), (IF_NONE_MATCH, "\"v1\"")];
        assert_eq!(document.answer(&asking(&other)).status(), 200, "what it has is not what it would get");
        let packed = document.packed.unwrap().bytes;
        assert!(packed.len() < text.len() / 5);
        let mut unpacked = String::new();
        flate2::read::GzDecoder::new(&*packed).read_to_string(&mut unpacked).unwrap();
        assert_eq!(unpacked, text);
    }

    #[test]
    fn what_would_grow_is_not_packed() {
        let document = Document::keys("{}", "v1").unwrap().packed();
        let answer = document.answer(&asking(&[(ACCEPT_ENCODING, "gzip")]));
        assert!(!answer.headers().contains_key(CONTENT_ENCODING) && !answer.headers().contains_key(VARY));
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
