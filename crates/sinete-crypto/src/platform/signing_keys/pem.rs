//! PEM encoding of private keys, including the line that marks development keys.

use super::{InvalidSigningKey, SigningKeyMarking};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

/// The line before a development key in PEM. RFC 7468 §5.2 allows explanatory text there, and other programs
/// skip it.
const DEVELOPMENT_LINE: &str = "Sinete development key: made for trying things out, refused in production.";
/// The text that identifies this line.
const DEVELOPMENT_MARKER: &str = "Sinete development key";

/// The encoding of the key inside the PEM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrivateKeyEncoding {
    /// PKCS#8, for all key types.
    Pkcs8,
    /// PKCS#1, for RSA keys.
    Pkcs1,
    /// SEC 1, for EC keys.
    Sec1,
}

/// A private key from a PEM text.
pub struct PemPrivateKey {
    /// The encoding of the bytes.
    pub encoding: PrivateKeyEncoding,
    /// The key.
    pub der: Zeroizing<Vec<u8>>,
    /// Whether the text is marked as a development key.
    pub marking: SigningKeyMarking,
}

/// Finds the only private key in a PEM text.
pub fn parse_pem(text: &str) -> Result<PemPrivateKey, InvalidSigningKey> {
    let mut private_key = None;
    let mut absent = InvalidSigningKey::NotAKeyFile;
    let mut marking = SigningKeyMarking::Real;
    let mut lines = text.lines().map(str::trim);
    while let Some(line) = lines.next() {
        if line.contains(DEVELOPMENT_MARKER) {
            marking = SigningKeyMarking::Development;
        }
        let Some(label) = line.strip_prefix("-----BEGIN ").and_then(|rest| rest.strip_suffix("-----")) else {
            continue;
        };
        let body = read_body(label, &mut lines)?;
        let encoding = match label {
            "PRIVATE KEY" => PrivateKeyEncoding::Pkcs8,
            "RSA PRIVATE KEY" => PrivateKeyEncoding::Pkcs1,
            "EC PRIVATE KEY" => PrivateKeyEncoding::Sec1,
            "ENCRYPTED PRIVATE KEY" => return Err(InvalidSigningKey::Encrypted),
            "PUBLIC KEY" | "RSA PUBLIC KEY" | "CERTIFICATE" => {
                absent = InvalidSigningKey::NotPrivate;
                continue;
            }
            // Curve parameters may precede an EC key; they repeat what the key contains.
            _ => continue,
        };
        if private_key.replace((encoding, body)).is_some() {
            return Err(InvalidSigningKey::MultipleKeys);
        }
    }
    let (encoding, body) = private_key.ok_or(absent)?;
    let mut der = Zeroizing::new(vec![0; body.len() / 4 * 3]);
    let length = STANDARD.decode_slice(body.as_bytes(), &mut der).map_err(|_| InvalidSigningKey::Damaged)?;
    der.truncate(length);
    Ok(PemPrivateKey { encoding, der, marking })
}

/// The base64 text between the boundary lines of a section.
fn read_body<'a>(
    label: &str,
    lines: &mut impl Iterator<Item = &'a str>,
) -> Result<Zeroizing<String>, InvalidSigningKey> {
    let mut body = Zeroizing::new(String::with_capacity(crate::platform::signing_keys::KEY_TEXT_BYTES_MAX));
    for line in lines {
        if let Some(end) = line.strip_prefix("-----END ") {
            return if end.strip_suffix("-----") == Some(label) {
                Ok(body)
            } else {
                Err(InvalidSigningKey::Damaged)
            };
        }
        // Only encrypted keys have the headers of RFC 1421.
        if line.contains(':') {
            return Err(InvalidSigningKey::Encrypted);
        }
        body.push_str(line);
    }
    Err(InvalidSigningKey::Damaged)
}

/// Writes a PKCS#8 key as PEM, with the marking line for a development key.
pub fn write_pem(pkcs8: &[u8], marking: SigningKeyMarking) -> Zeroizing<String> {
    let body = Zeroizing::new(STANDARD.encode(pkcs8));
    // Full capacity in advance: growing would leave copies of the key in memory.
    let mut text = Zeroizing::new(String::with_capacity(body.len() * 2 + 256));
    if marking == SigningKeyMarking::Development {
        text.push_str(DEVELOPMENT_LINE);
        text.push('\n');
    }
    text.push_str("-----BEGIN PRIVATE KEY-----\n");
    let mut rest = body.as_str();
    while !rest.is_empty() {
        let (line, next) = rest.split_at(rest.len().min(64));
        text.push_str(line);
        text.push('\n');
        rest = next;
    }
    text.push_str("-----END PRIVATE KEY-----\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> InvalidSigningKey {
        parse_pem(text).err().unwrap()
    }

    #[test]
    fn pem_round_trips_with_its_marking() {
        for marking in [SigningKeyMarking::Real, SigningKeyMarking::Development] {
            let text = write_pem(&[0xa5; 101], marking);
            assert!(text.lines().all(|line| line.len() <= 80));
            let private = parse_pem(&text).unwrap();
            assert_eq!((private.encoding, private.marking), (PrivateKeyEncoding::Pkcs8, marking));
            assert_eq!(*private.der, vec![0xa5; 101]);
        }
    }

    #[test]
    fn pem_parameters_crlf_and_surrounding_text_are_ignored() {
        let text = "my key\r\n-----BEGIN EC PARAMETERS-----\r\nBggqhkjOPQMBBw==\r\n-----END EC PARAMETERS-----\r\n\
                    -----BEGIN EC PRIVATE KEY-----\r\nAQID\r\n-----END EC PRIVATE KEY-----\r\n";
        let private = parse_pem(text).unwrap();
        assert_eq!((private.encoding, &private.der[..]), (PrivateKeyEncoding::Sec1, &[1, 2, 3][..]));
    }

    #[test]
    fn pem_without_a_usable_key_is_refused_with_its_reason() {
        let section =
            |label: &str, body: &str| format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n");
        assert_eq!(refusal(""), InvalidSigningKey::NotAKeyFile);
        assert_eq!(refusal("hello"), InvalidSigningKey::NotAKeyFile);
        assert_eq!(refusal(&section("ENCRYPTED PRIVATE KEY", "AQID")), InvalidSigningKey::Encrypted);
        let old = section("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nAQID");
        assert_eq!(refusal(&old), InvalidSigningKey::Encrypted);
        assert_eq!(refusal(&section("PUBLIC KEY", "AQID")), InvalidSigningKey::NotPrivate);
        assert_eq!(refusal(&section("CERTIFICATE", "AQID")), InvalidSigningKey::NotPrivate);
        assert_eq!(refusal(&section("PRIVATE KEY", "AQI=\nAQI=")), InvalidSigningKey::Damaged);
        assert_eq!(refusal("-----BEGIN PRIVATE KEY-----\nAQID\n"), InvalidSigningKey::Damaged);
        let crossed = "-----BEGIN PRIVATE KEY-----\nAQID\n-----END RSA PRIVATE KEY-----";
        assert_eq!(refusal(crossed), InvalidSigningKey::Damaged);
        let two = section("PRIVATE KEY", "AQID").repeat(2);
        assert_eq!(refusal(&two), InvalidSigningKey::MultipleKeys);
    }
}
