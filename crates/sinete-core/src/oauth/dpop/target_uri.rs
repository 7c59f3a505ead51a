//! Normalized request URIs, for comparing `htu`.

use crate::limits::DPOP_PROOF_HTU_BYTES_MAX;
use std::str::FromStr;
use url::Url;

/// A URI without query and fragment, normalized: lower-case scheme and host, no default port, no dot
/// segments, no unnecessary escapes (RFC 3986 §6.2.2, §6.2.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DpopTargetUri(String);

/// The text is not a valid request URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the text is not a valid request URI")]
pub struct InvalidDpopTargetUri;

impl DpopTargetUri {
    /// The normalized URI.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for DpopTargetUri {
    type Err = InvalidDpopTargetUri;

    fn from_str(text: &str) -> Result<Self, InvalidDpopTargetUri> {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
        if text.len() > DPOP_PROOF_HTU_BYTES_MAX || !is_plain {
            return Err(InvalidDpopTargetUri);
        }
        let url = Url::parse(text).map_err(|_| InvalidDpopTargetUri)?;
        let names_somebody = !url.username().is_empty() || url.password().is_some();
        if !matches!(url.scheme(), "http" | "https") || names_somebody {
            return Err(InvalidDpopTargetUri);
        }
        let path = normalize_escapes(url.path()).ok_or(InvalidDpopTargetUri)?;
        Ok(Self(format!("{}{path}", url.origin().ascii_serialization())))
    }
}

/// Removes unnecessary escapes and writes the others in upper case; `None` for a truncated escape.
fn normalize_escapes(path: &str) -> Option<String> {
    let mut out = String::with_capacity(path.len());
    let mut parts = path.split('%');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        let byte = u8::from_str_radix(digits, 16).ok()?;
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(byte.into());
        } else {
            out.push('%');
            out.push_str(&digits.to_ascii_uppercase());
        }
        out.push_str(rest);
    }
    Some(out)
}
