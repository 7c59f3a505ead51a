//! Cacheable documents that are the same for all clients: built once, and optionally compressed. Responses
//! for a single client are never compressed, because the compressed length could reveal secrets next to
//! attacker-controlled text (BREACH).

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

/// Bytes that rarely change, with an entity tag.
#[derive(Clone, Debug)]
pub struct StaticDocument {
    plain: DocumentRepresentation,
    /// The compressed representation.
    gzip: Option<DocumentRepresentation>,
}

/// A representation with its headers. Each representation has its own entity tag (RFC 9110 §8.8.3.3).
#[derive(Clone, Debug)]
struct DocumentRepresentation {
    bytes: Bytes,
    headers: HeaderMap,
}

impl StaticDocument {
    /// Creates a document. `tag` identifies this version, without quotes.
    pub fn new(
        bytes: impl Into<Bytes>,
        tag: &str,
        content_type: &'static str,
        cache: &'static str,
    ) -> Result<Self, InvalidHeaderValue> {
        let tag = HeaderValue::from_str(&format!("\"{tag}\""))?;
        Ok(Self::uncached(bytes, content_type).build(tag, cache))
    }

    /// Creates a document whose versions have numbers.
    pub fn with_version_number(
        bytes: impl Into<Bytes>,
        number: u64,
        content_type: &'static str,
        cache: &'static str,
    ) -> Self {
        // Hexadecimal digits in quotes are a valid header value.
        let tag = HeaderValue::from_maybe_shared(Bytes::from(format!("\"{number:016x}\"")));
        Self::uncached(bytes, content_type).build(tag.unwrap_or(HeaderValue::from_static("\"0\"")), cache)
    }

    /// Creates a document that is not cached.
    pub fn uncached(bytes: impl Into<Bytes>, content_type: &'static str) -> Self {
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(content_type))]);
        Self { plain: DocumentRepresentation { bytes: bytes.into(), headers }, gzip: None }
    }

    fn build(mut self, tag: HeaderValue, cache: &'static str) -> Self {
        self.plain.headers.insert(ETAG, tag);
        self.plain.headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
        self
    }

    /// Adds a compressed representation, if it is smaller.
    pub fn with_gzip(mut self) -> Self {
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
            self.gzip = Some(DocumentRepresentation { bytes: bytes.into(), headers });
        }
        self
    }

    /// The JWKS document.
    pub fn jwks(bytes: impl Into<Bytes>, tag: &str) -> Result<Self, InvalidHeaderValue> {
        Self::new(bytes, tag, "application/json", JWKS_CACHE_CONTROL)
    }

    /// The bytes.
    pub const fn bytes(&self) -> &Bytes {
        &self.plain.bytes
    }

    /// The document, or 304 if the client has this version.
    pub fn to_response(&self, headers: &HeaderMap) -> Response {
        self.to_byte_response(headers).map(Body::from)
    }

    /// The same with plain bytes as body.
    pub(crate) fn to_byte_response(&self, headers: &HeaderMap) -> http::Response<Bytes> {
        let document_representation =
            self.gzip.as_ref().filter(|_| accepts_gzip(headers)).unwrap_or(&self.plain);
        let mut response = http::Response::new(document_representation.bytes.clone());
        *response.headers_mut() = document_representation.headers.clone();
        if document_representation.is_fresh_for(headers) {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            *response.body_mut() = Bytes::new();
            for of_the_body in [CONTENT_TYPE, CONTENT_ENCODING] {
                response.headers_mut().remove(of_the_body);
            }
        }
        response
    }
}

/// The last served document with all its headers, so that they are added once.
///
/// - Holds: the document without and with the headers.
/// - Confirmed by: the identity of the document without them.
/// - Dropped: when another document is served.
#[derive(Debug, Default)]
pub(crate) struct DressedDocumentCache(RwLock<Option<DocumentWithHeaders>>);

/// A document without and with the headers.
type DocumentWithHeaders = (Arc<StaticDocument>, Arc<StaticDocument>);

impl DressedDocumentCache {
    /// Returns the document with the headers.
    pub(crate) fn get_or_build(
        &self,
        document: &Arc<StaticDocument>,
        dress: impl Fn(&mut HeaderMap),
    ) -> Arc<StaticDocument> {
        let last = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, static_document)) = last.as_ref().filter(|(bare, _)| Arc::ptr_eq(bare, document)) {
            return Arc::clone(static_document);
        }
        drop(last);
        let mut static_document = StaticDocument::clone(document);
        dress(&mut static_document.plain.headers);
        static_document.gzip.iter_mut().for_each(|packed| dress(&mut packed.headers));
        let static_document = Arc::new(static_document);
        let pair = (Arc::clone(document), Arc::clone(&static_document));
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(pair);
        static_document
    }
}

impl DocumentRepresentation {
    /// Whether the client has this version.
    fn is_fresh_for(&self, headers: &HeaderMap) -> bool {
        let mut value_iter = headers.get_all(IF_NONE_MATCH).iter();
        let tag = self.headers.get(ETAG);
        tag.is_some_and(|tag| value_iter.any(|tags| etag_matches(tags.as_bytes(), tag.as_bytes())))
    }
}

/// `Cache-Control` of the JWKS: `KEYS_CACHE_LIFETIME`.
const JWKS_CACHE_CONTROL: &str = "public, max-age=300";

/// Whether the client accepts gzip (RFC 9110 §12.5.3).
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let lists = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|choice| {
        let (coding, weight) = choice.split_once(';').unwrap_or((choice, ""));
        let is_refused =
            weight.trim().strip_prefix("q=").is_some_and(|weight| weight.trim_matches(['0', '.']).is_empty());
        coding.trim().eq_ignore_ascii_case("gzip") && !is_refused
    })
}

/// Whether a list of entity tags contains this one, by weak comparison (RFC 9110 §13.1.2).
fn etag_matches(tags: &[u8], tag: &[u8]) -> bool {
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
    fn jwks_cache_control_matches_the_configured_lifetime() {
        let seconds = sinete_core::limits::KEYS_CACHE_LIFETIME.seconds();
        assert_eq!(JWKS_CACHE_CONTROL, format!("public, max-age={seconds}"));
    }

    fn asking(headers: &[(axum::http::HeaderName, &str)]) -> HeaderMap {
        headers.iter().map(|(name, value)| (name.clone(), HeaderValue::from_str(value).unwrap())).collect()
    }

    #[test]
    fn document_is_compressed_for_accepting_clients_under_its_own_etag() {
        let text = "a sentence that repeats itself, ".repeat(100);
        let document = StaticDocument::new(text.clone(), "v1", "text/css", "public").unwrap().with_gzip();
        for (accept_encoding, is_packed) in [
            ("gzip", true),
            ("br, GZIP;q=0.5", true),
            ("deflate,gzip", true),
            ("gzip;q=0", false),
            ("gzip;q=0.000", false),
            ("br, *", false),
            ("", false),
        ] {
            let answer = document.to_response(&asking(&[(ACCEPT_ENCODING, accept_encoding)]));
            let headers = answer.headers();
            assert_eq!(headers.contains_key(CONTENT_ENCODING), is_packed, "{accept_encoding}");
            assert_eq!(headers[ETAG], if is_packed { "\"v1-gzip\"" } else { "\"v1\"" });
            assert_eq!(headers[VARY], "accept-encoding");
        }
        let both = [(ACCEPT_ENCODING, "gzip"), (IF_NONE_MATCH, "\"v1-gzip\"")];
        assert_eq!(document.to_response(&asking(&both)).status(), 304);
        let other = [(ACCEPT_ENCODING, "gzip"), (IF_NONE_MATCH, "\"v1\"")];
        assert_eq!(
            document.to_response(&asking(&other)).status(),
            200,
            "the client has another representation"
        );
        let packed = document.gzip.unwrap().bytes;
        assert!(packed.len() < text.len() / 5);
        let mut unpacked = String::new();
        flate2::read::GzDecoder::new(&*packed).read_to_string(&mut unpacked).unwrap();
        assert_eq!(unpacked, text);
    }

    #[test]
    fn document_cache_reuses_headers_and_follows_the_document_version() {
        let document_cache = DressedDocumentCache::default();
        let dress = |headers: &mut HeaderMap| {
            headers.insert(SERVER, HeaderValue::from_static("us"));
        };
        let text = "a sentence that repeats itself, ".repeat(100);
        for tag in ["v1", "v2"] {
            let document =
                Arc::new(StaticDocument::new(text.clone(), tag, "text/css", "public").unwrap().with_gzip());
            let (once, second_document) = (
                document_cache.get_or_build(&document, dress),
                document_cache.get_or_build(&document, |_| panic!("dressed before")),
            );
            assert!(Arc::ptr_eq(&once, &second_document));
            for headers in
                [asking(&[]), asking(&[(ACCEPT_ENCODING, "gzip")]), asking(&[(IF_NONE_MATCH, "*")])]
            {
                let (bare, response) = (document.to_byte_response(&headers), once.to_byte_response(&headers));
                assert_eq!((bare.status(), bare.body()), (response.status(), response.body()));
                let mut expected = bare.headers().clone();
                dress(&mut expected);
                assert_eq!(*response.headers(), expected);
            }
        }
    }

    #[test]
    fn document_that_would_grow_is_not_compressed() {
        let document = StaticDocument::jwks("{}", "v1").unwrap().with_gzip();
        let answer = document.to_response(&asking(&[(ACCEPT_ENCODING, "gzip")]));
        assert!(!answer.headers().contains_key(CONTENT_ENCODING) && !answer.headers().contains_key(VARY));
    }

    #[test]
    fn document_with_a_known_etag_is_not_modified() {
        let document = StaticDocument::jwks("{}", "v1").unwrap();
        let ask = |tags: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(IF_NONE_MATCH, HeaderValue::from_str(tags).unwrap());
            document.to_response(&headers).status().as_u16()
        };
        for tags in ["\"v1\"", "W/\"v1\"", "\"v0\", \"v1\"", "*", "\"x\" ,W/\"v1\""] {
            assert_eq!(ask(tags), 304, "{tags}");
        }
        for tags in ["\"v2\"", "v1", "\"v1", "W/v1", ""] {
            assert_eq!(ask(tags), 200, "{tags}");
        }
        assert_eq!(document.to_response(&HeaderMap::new()).status(), 200);
    }
}
