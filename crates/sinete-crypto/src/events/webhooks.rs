//! Webhook signatures as in the Standard Webhooks specification: HMAC-SHA-256 over the message's id, the time
//! of sending in seconds and the body, with a secret that the receiver was shown once.

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sinete_core::entropy::{Entropy, draw_bytes};
use sinete_core::secret::Digest;
use zeroize::Zeroizing;

/// The prefix of every secret. Receivers rely on it, so it must never change.
const PREFIX: &str = "whsec_";
/// The length of a secret in bytes.
const SECRET_BYTES: usize = 32;

/// The secret shared with one webhook. It is needed for signing, so it is stored encrypted and not as a
/// digest.
pub struct WebhookSecret(Zeroizing<[u8; SECRET_BYTES]>);

impl WebhookSecret {
    /// Generates a secret.
    pub fn mint(entropy: &dyn Entropy) -> Self {
        Self(Zeroizing::new(draw_bytes(entropy)))
    }

    /// Reads a stored secret; `None` if the length is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(|bytes| Self(Zeroizing::new(bytes)))
    }

    /// Parses a secret in the form it was shown; `None` if it is not one of ours.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = Zeroizing::new(STANDARD.decode(text.strip_prefix(PREFIX)?).ok()?);
        Self::from_bytes(&bytes)
    }

    /// A digest that identifies the secret. It is not used for signing.
    pub fn digest(&self) -> Digest<Self> {
        Digest::from_parts(&[PREFIX.as_bytes(), self.as_bytes()])
    }

    /// The bytes to encrypt and store.
    pub fn as_bytes(&self) -> &[u8] {
        &*self.0
    }

    /// The text, to show once.
    pub fn reveal(self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(self.as_bytes()))
    }

    /// Signs a message; the signature is prefixed with the name of its scheme.
    pub fn sign_message(&self, id: &str, second: i64, body: &[u8]) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &*self.0);
        let mut context = hmac::Context::with_key(&key);
        context.update(format!("{id}.{second}.").as_bytes());
        context.update(body);
        format!("v1,{}", STANDARD.encode(context.sign()))
    }
}

impl std::fmt::Debug for WebhookSecret {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("WebhookSecret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::entropy::DangerouslySeededEntropy;

    #[test]
    fn webhook_signature_covers_id_timestamp_and_body() {
        let secret = WebhookSecret::from_bytes(&[0x0b; 32]).unwrap();
        let signed = secret.sign_message("msg_1", 1_614_265_330, b"{\"test\": 2432232314}");
        let signed_message = b"msg_1.1614265330.{\"test\": 2432232314}";
        let key = hmac::Key::new(hmac::HMAC_SHA256, &[0x0b; 32]);
        assert_eq!(signed, format!("v1,{}", STANDARD.encode(hmac::sign(&key, signed_message))));
        for (id, second, body) in [("msg_2", 1_614_265_330, &b"{}"[..]), ("msg_1", 1_614_265_331, b"{}")] {
            assert_ne!(
                secret.sign_message(id, second, body),
                secret.sign_message("msg_1", 1_614_265_330, b"{}")
            );
        }
    }

    #[test]
    fn webhook_secret_round_trips_and_is_displayed_with_its_prefix() {
        let secret = WebhookSecret::mint(&DangerouslySeededEntropy::new(1));
        let webhook_secret = WebhookSecret::from_bytes(secret.as_bytes()).unwrap();
        assert_eq!(webhook_secret.sign_message("a", 1, b"b"), secret.sign_message("a", 1, b"b"));
        assert_eq!(format!("{secret:?}"), "WebhookSecret(…)");
        let secret_text = secret.reveal();
        assert_eq!(STANDARD.decode(secret_text.strip_prefix("whsec_").unwrap()).unwrap().len(), 32);
        assert!(WebhookSecret::from_bytes(&[0; 31]).is_none());
        assert!(WebhookSecret::parse(&secret_text).unwrap().digest() == webhook_secret.digest());
        assert!(WebhookSecret::mint(&DangerouslySeededEntropy::new(2)).digest() != webhook_secret.digest());
        for wrong in [
            "",
            "whsec_",
            &secret_text[6..],
            &secret_text[..secret_text.len() - 4],
            &format!("{secret_text} "),
        ] {
            assert!(WebhookSecret::parse(wrong).is_none(), "{wrong}");
        }
    }
}
