//! Reads a whole request body before it is handled: of the right type, within the size limit, and in time. A
//! slow client occupies a connection, but never a request slot.

use crate::limits::{ServerDeadlines, ServerLimits};
use crate::route::RequestBodyKind;
use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;

/// Reads the body that the route accepts; other bodies are not read.
pub(crate) async fn read_body(
    takes: RequestBodyKind,
    headers: &HeaderMap,
    body: Body,
    limits: &ServerLimits,
    deadlines: &ServerDeadlines,
) -> Result<Bytes, Refusal> {
    let bytes_max = match takes {
        RequestBodyKind::Nothing => return Ok(Bytes::new()),
        RequestBodyKind::Form | RequestBodyKind::FormOrNothing => limits.form_bytes,
        RequestBodyKind::Json | RequestBodyKind::MergePatch => limits.json_bytes,
        RequestBodyKind::Scim => limits.scim_bytes,
        RequestBodyKind::ScimBulk => limits.scim_bulk_bytes,
    };
    let is_untyped = !headers.contains_key(CONTENT_TYPE);
    let is_bare = takes == RequestBodyKind::FormOrNothing && is_untyped;
    // RFC 9110 §8.3: a body without a type may be read as what is expected. Some directories send none; the
    // credential is in a header that no form can set
    // (docs/contribute/decisions/0262-scim-requests-of-okta-and-entra-id.md).
    let is_scim = matches!(takes, RequestBodyKind::Scim | RequestBodyKind::ScimBulk) && is_untyped;
    if !is_bare
        && !is_scim
        && !takes.media_types().iter().any(|media_type| has_media_type(headers, media_type))
    {
        return Err(unsupported_media_type());
    }
    let announced = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: u64| length > bytes_max as u64) {
        return Err(body_too_large());
    }
    let Ok(collected) = tokio::time::timeout(deadlines.body, collect_body(body, bytes_max)).await else {
        return Err(Refusal::because(RequestRefusal::BodyTimeout, "the body did not arrive in time"));
    };
    let read = collected?;
    if is_bare && !read.is_empty() { Err(unsupported_media_type()) } else { Ok(read) }
}

async fn collect_body(mut body: Body, bytes_max: usize) -> Result<Bytes, Refusal> {
    let mut first = Bytes::new();
    let mut buffer = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame =
            frame.map_err(|_| Refusal::because(RequestRefusal::BodyIncomplete, "the body ended early"))?;
        let Ok(piece) = frame.into_data() else { continue };
        if first.len() + buffer.len() + piece.len() > bytes_max {
            return Err(body_too_large());
        }
        // Most bodies arrive in one piece, which is then used without copying.
        if first.is_empty() && buffer.is_empty() {
            first = piece;
        } else {
            buffer.extend_from_slice(&std::mem::take(&mut first));
            buffer.extend_from_slice(&piece);
        }
    }
    Ok(if buffer.is_empty() { first } else { buffer.freeze() })
}

/// Whether the body has this media type, in UTF-8 if it names a charset.
fn has_media_type(headers: &HeaderMap, expected: &str) -> bool {
    let mut lines = headers.get_all(CONTENT_TYPE).iter();
    let (Some(line), None) = (lines.next(), lines.next()) else { return false };
    let Ok(line) = line.to_str() else { return false };
    let mut parts = line.split(';').map(str::trim);
    parts.next().is_some_and(|kind| kind.eq_ignore_ascii_case(expected))
        && parts.all(|parameter| match parameter.split_once('=') {
            Some((name, value)) if name.eq_ignore_ascii_case("charset") => {
                value.trim_matches('"').eq_ignore_ascii_case("utf-8")
            }
            _ => true,
        })
}

fn body_too_large() -> Refusal {
    Refusal::because(RequestRefusal::BodyTooLarge, "the body exceeds its limit")
}

fn unsupported_media_type() -> Refusal {
    Refusal::because(RequestRefusal::MediaTypeNotSupported, "the route does not accept this content type")
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;
    use sinete_core::refusal::RefusalCode;

    fn typed(lines: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(CONTENT_TYPE, HeaderValue::from_str(line).unwrap());
        }
        headers
    }

    #[test]
    fn content_type_is_case_insensitive_and_its_charset_must_be_utf8() {
        for line in [
            "application/json",
            "Application/JSON",
            "application/json; charset=\"UTF-8\"",
            "application/json;v=1",
        ] {
            assert!(has_media_type(&typed(&[line]), "application/json"), "{line}");
        }
        for lines in [
            &[][..],
            &["text/plain"],
            &["application/jsonx"],
            &["application/json; charset=utf-16"],
            &["application/json", "application/json"],
            &["multipart/form-data; boundary=application/json"],
        ] {
            assert!(!has_media_type(&typed(lines), "application/json"), "{lines:?}");
        }
    }

    /// A body that arrives in this many pieces of three bytes.
    struct BodyChunks(usize);

    impl hyper::body::Body for BodyChunks {
        type Data = Bytes;
        type Error = std::io::Error;

        fn poll_frame(
            mut self: std::pin::Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
        ) -> std::task::Poll<Option<Result<hyper::body::Frame<Bytes>, std::io::Error>>> {
            std::task::Poll::Ready(self.0.checked_sub(1).map(|remaining| {
                self.0 = remaining;
                Ok(hyper::body::Frame::data(Bytes::from("abc")))
            }))
        }
    }

    #[tokio::test]
    async fn request_body_in_chunks_is_collected_and_bounded() {
        assert_eq!(collect_body(Body::new(BodyChunks(3)), 9).await.unwrap(), "abcabcabc");
        assert_eq!(collect_body(Body::new(BodyChunks(1)), 9).await.unwrap(), "abc");
        assert_eq!(collect_body(Body::empty(), 0).await.unwrap(), "");
        assert_eq!(
            collect_body(Body::new(BodyChunks(4)), 11).await.unwrap_err().code(),
            RefusalCode::TooLarge
        );
    }
}
