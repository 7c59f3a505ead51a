//! Documents that are the same for everyone and kept by caches: made once, sent as ready bytes, and smaller to
//! whoever can unpack them. Nothing that is made for one reader is ever packed: the length of what is packed
//! tells about secrets that stand beside what somebody else put there.

use axum::body::Body;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue,
    IF_NONE_MATCH, VARY,
};
use axum::http::{self, StatusCode, header::InvalidHeaderValue};
use axum::response::Response;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write as _;
use std::sync::{Arc, PoisonError, RwLock};

/// Bytes that change rarely, with the tag that tells one version from the next.
#[derive(Clone, Debug)]
pub struct StaticDocument {
    plain: DocumentRepresentation,
    /// The same for whoever unpacks it.
    packed: Option<DocumentRepresentation>,
}

/// The bytes in one form, with every header that describes them. Another form has another tag (RFC 9110 §8.8.3.3).
#[derive(Clone, Debug)]
struct DocumentRepresentation {
    bytes: Bytes,
    headers: HeaderMap,
}

impl StaticDocument {
    /// A document. `tag` identifies this version, without quotes.
    pub fn new(
        bytes: impl Into<Bytes>,
        tag: &str,
        content_type: &'static str,
        cache: &'static str,
    ) -> Result<Self, InvalidHeaderValue> {
        let tag = HeaderValue::from_str(&format!("\"{tag}\""))?;
        Ok(Self::fleeting(bytes, content_type).kept(tag, cache))
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
        Self::fleeting(bytes, content_type).kept(tag.unwrap_or(HeaderValue::from_static("\"0\"")), cache)
    }

    /// A document that nobody keeps, and that has no versions.
    pub(crate) fn fleeting(bytes: impl Into<Bytes>, content_type: &'static str) -> Self {
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(content_type))]);
        Self { plain: DocumentRepresentation { bytes: bytes.into(), headers }, packed: None }
    }

    fn kept(mut self, tag: HeaderValue, cache: &'static str) -> Self {
        self.plain.headers.insert(ETAG, tag);
        self.plain.headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
        self
    }

    /// The same document, packed once for whoever can unpack it, if that makes it smaller.
    pub fn packed(mut self) -> Self {
        let mut headers = self.plain.headers.clone();
        let tag = headers.get(ETAG).and_then(|tag| tag.as_bytes().strip_suffix(b"\""));
        let tag = tag.and_then(|tag| HeaderValue::from_bytes(&[tag, b"-gzip\""].concat()).ok());
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let bytes = encoder.write_all(&self.plain.bytes).and_then(|()| encoder.finish()).ok();
        let smaller = bytes.filter(|bytes| bytes.len() < self.plain.bytes.len());
        if let Some((bytes, tag)) = smaller.zip(tag) {
            headers.insert(ETAG, tag);
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            for headers in [&mut headers, &mut self.plain.headers] {
                headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
            }
            self.packed = Some(DocumentRepresentation { bytes: bytes.into(), headers });
        }
        self
    }

    /// Our public keys.
    pub fn keys(bytes: impl Into<Bytes>, tag: &str) -> Result<Self, InvalidHeaderValue> {
        Self::new(bytes, tag, "application/json", KEYS_CACHE)
    }

    /// What is in it.
    pub const fn bytes(&self) -> &Bytes {
        &self.plain.bytes
    }

    /// The document, or 304 if whoever asks has this version already.
    pub fn answer(&self, asked: &HeaderMap) -> Response {
        self.shown(asked).map(Body::from)
    }

    /// The same, as the bytes that it is.
    pub(crate) fn shown(&self, asked: &HeaderMap) -> http::Response<Bytes> {
        let shown = self.packed.as_ref().filter(|_| unpacks(asked)).unwrap_or(&self.plain);
        let mut response = http::Response::new(shown.bytes.clone());
        *response.headers_mut() = shown.headers.clone();
        if shown.is_known(asked) {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            *response.body_mut() = Bytes::new();
            for of_the_body in [CONTENT_TYPE, CONTENT_ENCODING] {
                response.headers_mut().remove(of_the_body);
            }
        }
        response
    }
}

/// The document that was asked for last, as it went out: dressed once, and not for everybody who asks.
#[derive(Debug, Default)]
pub(crate) struct DressedDocumentCache(RwLock<Option<DressedDocument>>);

/// A document as it is, and as it goes out.
type DressedDocument = (Arc<StaticDocument>, Arc<StaticDocument>);

impl DressedDocumentCache {
    /// This document with more headers.
    pub(crate) fn of(
        &self,
        document: &Arc<StaticDocument>,
        dress: impl Fn(&mut HeaderMap),
    ) -> Arc<StaticDocument> {
        let last = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, dressed)) = last.as_ref().filter(|(bare, _)| Arc::ptr_eq(bare, document)) {
            return Arc::clone(dressed);
        }
        drop(last);
        let mut dressed = StaticDocument::clone(document);
        dress(&mut dressed.plain.headers);
        dressed.packed.iter_mut().for_each(|packed| dress(&mut packed.headers));
        let dressed = Arc::new(dressed);
        let pair = (Arc::clone(document), Arc::clone(&dressed));
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(pair);
        dressed
    }
}

impl DocumentRepresentation {
    /// Whether whoever asks has it already.
    fn is_known(&self, asked: &HeaderMap) -> bool {
        let mut known = asked.get_all(IF_NONE_MATCH).iter();
        let tag = self.headers.get(ETAG);
        tag.is_some_and(|tag| known.any(|tags| names(tags.as_bytes(), tag.as_bytes())))
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
    use axum::http::header::SERVER;
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
        let document = StaticDocument::new(text.clone(), "v1", "text/css", "public").unwrap().packed();
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
    fn a_document_goes_out_as_it_is_now_with_more_headers() {
        let kept = DressedDocumentCache::default();
        let dress = |headers: &mut HeaderMap| {
            headers.insert(SERVER, HeaderValue::from_static("us"));
        };
        let text = "a sentence that repeats itself, ".repeat(100);
        for tag in ["v1", "v2"] {
            let document =
                Arc::new(StaticDocument::new(text.clone(), tag, "text/css", "public").unwrap().packed());
            let (once, again) = (kept.of(&document, dress), kept.of(&document, |_| panic!("dressed before")));
            assert!(Arc::ptr_eq(&once, &again));
            for asked in [asking(&[]), asking(&[(ACCEPT_ENCODING, "gzip")]), asking(&[(IF_NONE_MATCH, "*")])]
            {
                let (bare, dressed) = (document.shown(&asked), once.shown(&asked));
                assert_eq!((bare.status(), bare.body()), (dressed.status(), dressed.body()));
                let mut expected = bare.headers().clone();
                dress(&mut expected);
                assert_eq!(*dressed.headers(), expected);
            }
        }
    }

    #[test]
    fn what_would_grow_is_not_packed() {
        let document = StaticDocument::keys("{}", "v1").unwrap().packed();
        let answer = document.answer(&asking(&[(ACCEPT_ENCODING, "gzip")]));
        assert!(!answer.headers().contains_key(CONTENT_ENCODING) && !answer.headers().contains_key(VARY));
    }

    #[test]
    fn a_version_already_known_is_not_sent_again() {
        let document = StaticDocument::keys("{}", "v1").unwrap();
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
