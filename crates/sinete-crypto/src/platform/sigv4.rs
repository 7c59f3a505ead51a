//! AWS Signature Version 4, with which requests to S3-compatible object stores are authenticated.

use aws_lc_rs::{digest, hmac};
use sinete_core::time::Timestamp;
use std::fmt::Write as _;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// The credentials of an object store.
#[derive(Clone, Copy)]
pub struct SigV4Credentials<'a> {
    /// The access key id.
    pub access_key: &'a str,
    /// The secret access key.
    pub secret_key: &'a str,
    /// The region.
    pub region: &'a str,
}

/// A request to sign.
#[derive(Clone, Copy, Debug)]
pub struct SigV4Request<'a> {
    /// The method, in capitals.
    pub method: &'a str,
    /// The path, encoded.
    pub path: &'a str,
    /// The query, encoded and sorted by name; empty for none.
    pub query: &'a str,
    /// The headers that are signed, in lower case and sorted by name. `host`, `x-amz-content-sha256` and
    /// `x-amz-date` must be among them.
    pub headers: &'a [(&'a str, &'a str)],
    /// The SHA-256 of the body, in hexadecimal.
    pub body_sha256: &'a str,
    /// The value of `x-amz-date`, as in `20261115T025203Z`.
    pub date: &'a str,
}

impl SigV4Credentials<'_> {
    /// The value of the `Authorization` header.
    pub fn authorize(&self, request: &SigV4Request<'_>) -> String {
        let names: Vec<_> = request.headers.iter().map(|(name, _)| *name).collect();
        let names = names.join(";");
        let mut canonical = format!("{}\n{}\n{}\n", request.method, request.path, request.query);
        for (name, value) in request.headers {
            canonical.push_str(&format!("{name}:{}\n", value.trim()));
        }
        canonical.push_str(&format!("\n{names}\n{}", request.body_sha256));
        let day = request.date.split('T').next().unwrap_or_default();
        let scope = format!("{day}/{}/s3/aws4_request", self.region);
        let text = format!("{ALGORITHM}\n{}\n{scope}\n{}", request.date, sha256_hex(canonical.as_bytes()));
        let mut key = compute_mac(format!("AWS4{}", self.secret_key).as_bytes(), day.as_bytes());
        for part in [self.region, "s3", "aws4_request"] {
            key = compute_mac(key.as_ref(), part.as_bytes());
        }
        let signature = encode_hex(compute_mac(key.as_ref(), text.as_bytes()).as_ref());
        format!(
            "{ALGORITHM} Credential={}/{scope},SignedHeaders={names},Signature={signature}",
            self.access_key
        )
    }
}

/// The value of `x-amz-date` for a time.
pub fn format_date(at: Timestamp) -> String {
    let text = at.to_string();
    let seconds = text.split(['.', 'Z']).next().unwrap_or_default();
    format!("{}Z", seconds.replace(['-', ':'], ""))
}

/// The SHA-256 of bytes, in hexadecimal.
pub fn sha256_hex(bytes: &[u8]) -> String {
    encode_hex(digest::digest(&digest::SHA256, bytes).as_ref())
}

/// Encodes a value of a query or a segment of a path: everything but unreserved characters (RFC 3986).
pub fn encode_component(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                encoded.push(char::from(byte));
            }
            // Writing to a string cannot fail.
            _ => drop(write!(encoded, "%{byte:02X}")),
        }
    }
    encoded
}

fn compute_mac(key: &[u8], text: &[u8]) -> hmac::Tag {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text)
}

fn encode_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREDENTIALS: SigV4Credentials<'_> = SigV4Credentials {
        access_key: "AKIAIOSFODNN7EXAMPLE",
        secret_key: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        region: "us-east-1",
    };
    const DATE: &str = "20130524T000000Z";
    const HOST: &str = "examplebucket.s3.amazonaws.com";

    /// The examples of the Amazon S3 API reference, "Signature Calculations for the Authorization Header".
    #[test]
    fn sigv4_signatures_are_those_of_the_published_examples() {
        let nothing = sha256_hex(b"");
        let get = CREDENTIALS.authorize(&SigV4Request {
            method: "GET",
            path: "/test.txt",
            query: "",
            headers: &[
                ("host", HOST),
                ("range", "bytes=0-9"),
                ("x-amz-content-sha256", &nothing),
                ("x-amz-date", DATE),
            ],
            body_sha256: &nothing,
            date: DATE,
        });
        assert_eq!(
            get,
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,\
             SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,\
             Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        );
        let body = sha256_hex(b"Welcome to Amazon S3.");
        let put = CREDENTIALS.authorize(&SigV4Request {
            method: "PUT",
            path: "/test%24file.text",
            query: "",
            headers: &[
                ("date", "Fri, 24 May 2013 00:00:00 GMT"),
                ("host", HOST),
                ("x-amz-content-sha256", &body),
                ("x-amz-date", DATE),
                ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
            ],
            body_sha256: &body,
            date: DATE,
        });
        assert!(
            put.ends_with("Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
            "{put}"
        );
        let list = CREDENTIALS.authorize(&SigV4Request {
            method: "GET",
            path: "/",
            query: "max-keys=2&prefix=J",
            headers: &[("host", HOST), ("x-amz-content-sha256", &nothing), ("x-amz-date", DATE)],
            body_sha256: &nothing,
            date: DATE,
        });
        assert!(
            list.ends_with("Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
            "{list}"
        );
    }

    #[test]
    fn sigv4_components_are_encoded_by_rfc_3986() {
        assert_eq!(encode_component("a/b c~é"), "a%2Fb%20c~%C3%A9");
        assert_eq!(format_date(Timestamp::from_micros(1_794_711_123_000_042)), "20261115T025203Z");
        assert_eq!(format_date(Timestamp::from_seconds(1_794_711_123)), "20261115T025203Z");
    }
}
