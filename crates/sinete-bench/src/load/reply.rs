//! Finds the end and the status of an HTTP/1.1 response, and nothing else.

/// Maximum bytes of one response.
pub const REPLY_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The progress of parsing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseProgress {
    /// More bytes are needed.
    Partial,
    /// The response is complete.
    Complete(ParsedResponse),
}

/// A complete response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsedResponse {
    /// The status code.
    pub status: u16,
    /// Its length in bytes.
    pub length: usize,
    /// Whether the connection stays open.
    pub keep_alive: bool,
}

/// Why a response is malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed reply: {0}")]
pub struct MalformedResponse(pub &'static str);

/// Parses the final response at the start of `bytes`; interim responses (1xx) before it are skipped.
pub fn parse_response(bytes: &[u8]) -> Result<ParseProgress, MalformedResponse> {
    let mut start = 0;
    loop {
        let rest = &bytes[start..];
        let Some(end) = find_bytes(rest, b"\r\n\r\n") else {
            return Ok(ParseProgress::Partial);
        };
        let head = ResponseHead::parse(&rest[..end])?;
        let body = start + end + 4;
        if head.is_interim() {
            start = body;
            continue;
        }
        let Some(body_length) = head.framing.body_length(&bytes[body..])? else {
            return Ok(ParseProgress::Partial);
        };
        let length = body + body_length;
        return Ok(ParseProgress::Complete(ParsedResponse {
            status: head.status,
            length,
            keep_alive: head.keep_alive,
        }));
    }
}

struct ResponseHead {
    status: u16,
    keep_alive: bool,
    framing: BodyFraming,
}

enum BodyFraming {
    Length(usize),
    Chunked,
}

impl ResponseHead {
    fn parse(head: &[u8]) -> Result<Self, MalformedResponse> {
        let text = std::str::from_utf8(head).map_err(|_| MalformedResponse("the head is not text"))?;
        let mut lines = text.split("\r\n");
        let status = parse_status(lines.next().unwrap_or_default())?;
        let (mut keep_alive, mut length, mut chunked) = (true, None, false);
        for line in lines {
            let (name, value) = line.split_once(':').ok_or(MalformedResponse("a header without a colon"))?;
            let value = value.trim_matches([' ', '\t']);
            if name.eq_ignore_ascii_case("content-length") {
                let parsed = parse_length(value)?;
                if length.is_some_and(|earlier| earlier != parsed) {
                    return Err(MalformedResponse("two lengths that differ"));
                }
                length = Some(parsed);
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                if !value.eq_ignore_ascii_case("chunked") {
                    return Err(MalformedResponse("a transfer encoding other than chunked"));
                }
                chunked = true;
            } else if name.eq_ignore_ascii_case("connection") && value.eq_ignore_ascii_case("close") {
                keep_alive = false;
            }
        }
        let framing = match (chunked, length) {
            _ if status < 200 || status == 204 || status == 304 => BodyFraming::Length(0),
            (true, None) => BodyFraming::Chunked,
            (false, Some(length)) => BodyFraming::Length(length),
            (true, Some(_)) => return Err(MalformedResponse("both a length and chunks")),
            (false, None) => return Err(MalformedResponse("neither a length nor chunks")),
        };
        Ok(Self { status, keep_alive, framing })
    }

    fn is_interim(&self) -> bool {
        self.status < 200
    }
}

impl BodyFraming {
    /// The length of the response body within `body`, once it is complete.
    fn body_length(&self, body: &[u8]) -> Result<Option<usize>, MalformedResponse> {
        match self {
            Self::Length(length) => Ok((body.len() >= *length).then_some(*length)),
            Self::Chunked => chunked_length(body),
        }
    }
}

fn chunked_length(body: &[u8]) -> Result<Option<usize>, MalformedResponse> {
    let mut at = 0;
    loop {
        let Some(line_length) = find_bytes(&body[at..], b"\r\n") else {
            return Ok(None);
        };
        let size = parse_chunk_size(&body[at..at + line_length])?;
        at += line_length + 2;
        if size == 0 {
            return Ok(find_trailers_end(&body[at..]).map(|trailers| at + trailers));
        }
        let end = at + size;
        if body.len() < end + 2 {
            return Ok(None);
        }
        if &body[end..end + 2] != b"\r\n" {
            return Err(MalformedResponse("a chunk longer than its size"));
        }
        at = end + 2;
    }
}

/// The end of the trailers: lines up to an empty one.
fn find_trailers_end(bytes: &[u8]) -> Option<usize> {
    if bytes.starts_with(b"\r\n") {
        return Some(2);
    }
    find_bytes(bytes, b"\r\n\r\n").map(|end| end + 4)
}

fn parse_status(line: &str) -> Result<u16, MalformedResponse> {
    let digits = line
        .strip_prefix("HTTP/1.1 ")
        .and_then(|rest| rest.get(..3))
        .ok_or(MalformedResponse("the first line is no HTTP/1.1 status"))?;
    match digits.parse() {
        Ok(status @ 100..=999) => Ok(status),
        _ => Err(MalformedResponse("a status that is no number")),
    }
}

fn parse_length(value: &str) -> Result<usize, MalformedResponse> {
    if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(MalformedResponse("a length that is no number"));
    }
    check_length(value.parse().unwrap_or(usize::MAX))
}

fn parse_chunk_size(line: &[u8]) -> Result<usize, MalformedResponse> {
    let digits = line.split(|byte| *byte == b';').next().unwrap_or_default();
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_hexdigit) {
        return Err(MalformedResponse("a chunk size that is no number"));
    }
    let text =
        std::str::from_utf8(digits).map_err(|_| MalformedResponse("a chunk size that is no number"))?;
    check_length(usize::from_str_radix(text, 16).unwrap_or(usize::MAX))
}

fn check_length(length: usize) -> Result<usize, MalformedResponse> {
    if length > REPLY_BYTES_MAX { Err(MalformedResponse("larger than the limit")) } else { Ok(length) }
}

fn find_bytes(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nContent-Length:  5 \r\n\r\nhello";
    const CHUNKED: &str = "HTTP/1.1 201 Created\r\nTransfer-Encoding: Chunked\r\n\r\n\
         5;note=1\r\nhello\r\n1A\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\nx-sum: 1\r\n\r\n";

    fn whole(text: &str) -> ParsedResponse {
        match parse_response(text.as_bytes()) {
            Ok(ParseProgress::Complete(reply)) => reply,
            other => panic!("{text:?} is {other:?}"),
        }
    }

    fn refused(text: &str) -> &'static str {
        parse_response(text.as_bytes()).unwrap_err().0
    }

    #[test]
    fn http_response_is_complete_exactly_at_its_last_byte() {
        for text in [LENGTH, CHUNKED, "HTTP/1.1 204 No Content\r\n\r\n"] {
            for cut in 0..text.len() {
                assert_eq!(
                    parse_response(&text.as_bytes()[..cut]),
                    Ok(ParseProgress::Partial),
                    "{text:?} cut at {cut}"
                );
            }
            assert_eq!(whole(text).length, text.len());
            assert_eq!(whole(&format!("{text}HTTP/1.1 500")).length, text.len());
        }
    }

    #[test]
    fn http_response_status_and_keep_alive_are_read() {
        assert_eq!(whole(LENGTH), ParsedResponse { status: 200, length: LENGTH.len(), keep_alive: true });
        assert_eq!(whole(CHUNKED).status, 201);
        let closing = "HTTP/1.1 503 \r\nCONNECTION: Close\r\ncontent-length: 0\r\n\r\n";
        assert_eq!(whole(closing), ParsedResponse { status: 503, length: closing.len(), keep_alive: false });
    }

    #[test]
    fn http_response_without_a_body_needs_no_length() {
        let unchanged = "HTTP/1.1 304 Not Modified\r\ncontent-length: 500\r\netag: \"a\"\r\n\r\n";
        assert_eq!(whole(unchanged).length, unchanged.len());
    }

    #[test]
    fn interim_http_responses_are_skipped() {
        let text = format!("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n{LENGTH}");
        assert_eq!(whole(&text).status, 200);
        assert_eq!(whole(&text).length, text.len());
        assert_eq!(parse_response(b"HTTP/1.1 100 Continue\r\n\r\n"), Ok(ParseProgress::Partial));
    }

    #[test]
    fn invalid_http_response_is_refused() {
        assert_eq!(refused("HTTP/2 200\r\n\r\n"), "the first line is no HTTP/1.1 status");
        assert_eq!(refused("HTTP/1.1 2x0 OK\r\n\r\n"), "a status that is no number");
        assert_eq!(refused("HTTP/1.1 099 Low\r\n\r\n"), "a status that is no number");
        assert_eq!(refused("HTTP/1.1 200 OK\r\n\r\n"), "neither a length nor chunks");
        assert_eq!(refused("HTTP/1.1 200 OK\r\nodd\r\n\r\n"), "a header without a colon");
        assert_eq!(refused("HTTP/1.1 200 OK\r\ncontent-length: +5\r\n\r\n"), "a length that is no number");
        assert_eq!(
            refused("HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999999\r\n\r\n"),
            "larger than the limit"
        );
        assert_eq!(
            refused("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n"),
            "two lengths that differ"
        );
        let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n";
        assert_eq!(refused(&format!("{chunked}content-length: 2\r\n\r\n")), "both a length and chunks");
        assert_eq!(refused(&format!("{chunked}\r\n-1\r\n")), "a chunk size that is no number");
        assert_eq!(refused(&format!("{chunked}\r\n1\r\nab\r\n")), "a chunk longer than its size");
        assert_eq!(
            refused("HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\n"),
            "a transfer encoding other than chunked"
        );
    }
}
