//! Signing and verification of one token, without lookups or decisions.

use crate::failed::BenchError;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _,
    ParsedPublicKey, RSA_PKCS1_SHA256,
};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Claims of the size of a typical access token.
const CLAIMS: &str = r#"{"iss":"http://localhost:8080","sub":"0197a3f2-58d0-7c41-9a55-1f2e3d4c5b6a","aud":"https://api.example.com","client_id":"0197a3f2-58d0-7c41-9a55-1f2e3d4c5b6b","org":"0197a3f2-58d0-7c41-9a55-1f2e3d4c5b6c","iat":1794711123,"exp":1794714723,"jti":"0197a3f2-58d0-7c41-9a55-1f2e3d4c5b6d","scope":"invoices:read invoices:write"}"#;
const HEADER: &str =
    r#"{"alg":"ES256","typ":"at+jwt","kid":"Zm9yIHRoZSBmbG9vciBvbmx5LCBub3QgYSByZWFsIGtleQ"}"#;

/// An ES256 key, generated at start.
pub struct Es256Signer {
    key: EcdsaKeyPair,
    public: ParsedPublicKey,
    random: SystemRandom,
    /// The encoded header, including the dot.
    header: String,
}

impl Es256Signer {
    /// Generates a key.
    pub fn new() -> Result<Self, BenchError> {
        let key = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING)
            .map_err(|_| BenchError::Unexpected("could not make a P-256 key".to_owned()))?;
        let public = ParsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, key.public_key().as_ref())
            .map_err(|_| BenchError::Unexpected("could not read the public half of a new key".to_owned()))?;
        let header = URL_SAFE_NO_PAD.encode(HEADER) + ".";
        Ok(Self { key, public, random: SystemRandom::new(), header })
    }

    /// Signs a token.
    pub fn sign_token(&self) -> Result<String, BenchError> {
        let mut token = String::with_capacity(768);
        token.push_str(&self.header);
        URL_SAFE_NO_PAD.encode_string(CLAIMS, &mut token);
        let signature = self
            .key
            .sign(&self.random, token.as_bytes())
            .map_err(|_| BenchError::Unexpected("could not sign".to_owned()))?;
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(signature.as_ref(), &mut token);
        Ok(token)
    }

    /// Verifies a token.
    pub fn verify_token(&self, token: &str) -> bool {
        let Some((signed, signature)) = token.rsplit_once('.') else {
            return false;
        };
        URL_SAFE_NO_PAD
            .decode(signature)
            .is_ok_and(|signature| self.public.verify_sig(signed.as_bytes(), &signature).is_ok())
    }
}

/// Keys of the other algorithms, generated at start.
pub struct OtherSigners {
    ed25519: Ed25519KeyPair,
    rsa: rsa::KeyPair,
    random: SystemRandom,
}

impl OtherSigners {
    /// Generates the keys. RSA keys have 2048 bits, like those of Sinete.
    pub fn new() -> Result<Self, BenchError> {
        let failed = |_| BenchError::Unexpected("could not make a key".to_owned());
        Ok(Self {
            ed25519: Ed25519KeyPair::generate().map_err(failed)?,
            rsa: rsa::KeyPair::generate(rsa::KeySize::Rsa2048).map_err(failed)?,
            random: SystemRandom::new(),
        })
    }

    /// Signs a token with EdDSA.
    pub fn sign_eddsa(&self) -> Result<String, BenchError> {
        let text = signing_input(&HEADER.replace("ES256", "EdDSA"));
        let signature = self.ed25519.sign(text.as_bytes());
        Ok(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref())))
    }

    /// Signs a token with RS256.
    pub fn sign_rs256(&self) -> Result<String, BenchError> {
        let text = signing_input(&HEADER.replace("ES256", "RS256"));
        let mut signature = vec![0; self.rsa.public_modulus_len()];
        self.rsa
            .sign(&RSA_PKCS1_SHA256, &self.random, text.as_bytes(), &mut signature)
            .map_err(|_| BenchError::Unexpected("could not sign".to_owned()))?;
        Ok(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

fn signing_input(header: &str) -> String {
    format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(CLAIMS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn baseline_token_verifies_and_a_changed_one_does_not() {
        let signer = Es256Signer::new().unwrap();
        let token = signer.sign_token().unwrap();
        assert!(signer.verify_token(&token));
        assert!(!signer.verify_token(&token.replacen("ey", "eY", 1)));
        assert!(!signer.verify_token("no token"));
        assert!(!Es256Signer::new().unwrap().verify_token(&token));
    }
}
