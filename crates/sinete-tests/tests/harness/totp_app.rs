//! An authenticator app in software: it knows the `otpauth` URI and the time, and shares no code with the server.

use aws_lc_rs::hmac;
use url::Url;

/// An enrolled authenticator app.
#[derive(Clone)]
pub struct TotpApp {
    seed: Vec<u8>,
}

impl TotpApp {
    /// Reads the `otpauth` URI of a QR code.
    pub fn from_uri(uri: &str) -> Self {
        let uri = Url::parse(uri).unwrap();
        assert_eq!((uri.scheme(), uri.host_str()), ("otpauth", Some("totp")));
        let of =
            |name: &str| uri.query_pairs().find(|(param_name, _)| param_name == name).unwrap().1.into_owned();
        assert_eq!((of("algorithm"), of("digits"), of("period")), ("SHA1".into(), "6".into(), "30".into()));
        Self { seed: decode_base32(&of("secret")) }
    }

    /// The code at this time.
    pub fn code_at(&self, seconds: i64) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &self.seed);
        let tag = hmac::sign(&key, &(seconds / 30).to_be_bytes());
        let tag = tag.as_ref();
        let from = usize::from(tag[19] & 0x0f);
        let number = u32::from_be_bytes(tag[from..from + 4].try_into().unwrap()) & 0x7fff_ffff;
        format!("{:06}", number % 1_000_000)
    }
}

fn decode_base32(text: &str) -> Vec<u8> {
    let (mut bits, mut bit_count, mut bytes) = (0_u32, 0, Vec::new());
    for character in text.chars() {
        let value = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".find(character).unwrap();
        bits = (bits << 5) | u32::try_from(value).unwrap();
        bit_count += 5;
        if bit_count >= 8 {
            bit_count -= 8;
            bytes.push(((bits >> bit_count) & 0xff) as u8);
        }
    }
    bytes
}

mod tests {
    use super::*;

    /// RFC 6238, appendix B.
    #[test]
    fn totp_app_matches_rfc_6238() {
        let uri = "otpauth://totp/x:y?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=x&algorithm=SHA1&digits=6&period=30";
        let app = TotpApp::from_uri(uri);
        assert_eq!((app.code_at(59).as_str(), app.code_at(2_000_000_000).as_str()), ("287082", "279037"));
    }
}
