//! Signing keys from files and from the configuration itself.

use crate::config::SigningConfig;
use crate::private_file;
use serde::Deserialize;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::signing_keys::{InvalidSigningKey, SigningKey};
use std::path::PathBuf;
use zeroize::Zeroizing;

/// A configured signing key.
#[derive(Debug)]
pub struct ConfiguredKey {
    /// Its origin, as text.
    pub origin: String,
    /// Its file, if any.
    pub file: Option<PathBuf>,
    /// The key, or why it cannot be used.
    pub key: Result<SigningKey, String>,
}

/// Loads all configured keys, including unusable ones with the reason.
pub fn load(signing: &SigningConfig) -> Vec<ConfiguredKey> {
    let files = signing.files.iter().map(|file| ConfiguredKey {
        origin: file.path.display().to_string(),
        file: Some(file.path.clone()),
        key: private_file::read(&file.path)
            .map_err(|error| error.to_string())
            .and_then(|text| parse_signing_key(&text, file.algorithm)),
    });
    let key_texts = signing.text.iter().flat_map(|text| split_keys(text.reveal()));
    let keys = key_texts.enumerate().map(|(index, text)| ConfiguredKey {
        origin: format!("{} in signing.key", index + 1),
        file: None,
        key: parse_signing_key(&text, None),
    });
    files.chain(keys).collect()
}

/// Splits a text with several keys: PEM blocks, or a JWKS. On platforms that only allow single-line values,
/// `\n` stands for a line break.
fn split_keys(text: &str) -> Vec<Zeroizing<String>> {
    if text.starts_with('{') {
        let set: Option<JwkSet> = serde_json::from_str(text).ok();
        let keys = set.map(|set| set.keys.iter().map(|key| Zeroizing::new(key.to_string())).collect());
        return keys.unwrap_or_else(|| vec![Zeroizing::new(text.to_owned())]);
    }
    let flat = !text.trim().contains('\n');
    let text = Zeroizing::new(if flat { text.replace("\\n", "\n") } else { text.to_owned() });
    let mut keys = vec![Zeroizing::new(String::new())];
    for line in text.lines() {
        if let Some(last) = keys.last_mut() {
            last.push_str(line);
            last.push('\n');
        }
        if line.starts_with("-----END") && line.contains("PRIVATE KEY") {
            keys.push(Zeroizing::new(String::new()));
        }
    }
    // The text after the last key counts as a key unless it is empty, so that mistakes are noticed.
    keys.retain(|key| !key.trim().is_empty());
    keys
}

/// A JWKS (RFC 7517 §5).
#[derive(Deserialize)]
struct JwkSet {
    keys: Vec<serde_json::Value>,
}

/// Parses a key. An RSA key without an algorithm is used for RS256, which every client supports.
fn parse_signing_key(text: &str, algorithm: Option<SigningAlgorithm>) -> Result<SigningKey, String> {
    let key = match SigningKey::parse(text, algorithm) {
        Err(InvalidSigningKey::AlgorithmMissing) => SigningKey::parse(text, Some(SigningAlgorithm::Rs256)),
        other => other,
    };
    key.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::values::{KeyFile, MaskedText};
    use sinete_crypto::platform::signing_keys::SigningKeyMarking;

    fn one(signing: &SigningConfig) -> ConfiguredKey {
        load(signing).into_iter().next().unwrap()
    }

    #[test]
    fn rsa_signing_key_defaults_to_rs256() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rsa.pem");
        let pem = SigningKey::generate(SigningAlgorithm::Rs256).unwrap().to_pem().unwrap();
        std::fs::write(&path, pem.as_bytes()).unwrap();
        for (signing_algorithm, expected) in
            [(None, SigningAlgorithm::Rs256), (Some(SigningAlgorithm::Ps256), SigningAlgorithm::Ps256)]
        {
            let files = vec![KeyFile { algorithm: signing_algorithm, path: path.clone() }];
            let key = one(&SigningConfig { files, text: None });
            assert_eq!(key.key.unwrap().algorithm(), expected);
            assert_eq!(key.file, Some(path.clone()));
        }
    }

    #[test]
    fn development_signing_key_is_recognized_as_a_bare_pem() {
        let key = SigningKey::generate_development(SigningAlgorithm::Es256, &crate::os::OsEntropy).unwrap();
        let pem = key.to_pem().unwrap();
        let bare: Vec<_> = pem.lines().skip_while(|line| !line.starts_with("-----BEGIN")).collect();
        let signing = SigningConfig { files: Vec::new(), text: Some(MaskedText::new(bare.join("\n"))) };
        assert_eq!(one(&signing).key.unwrap().marking(), SigningKeyMarking::Development);
    }

    #[test]
    fn signing_key_text_may_hold_several_keys() {
        let keys =
            [SigningAlgorithm::Es256, SigningAlgorithm::Rs256].map(|it| SigningKey::generate(it).unwrap());
        let pems = keys.each_ref().map(|key| key.to_pem().unwrap().to_string());
        let together = pems.concat();
        let jwk = r#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
            "d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"}"#;
        for (text, expected) in [
            (together.clone(), 2),
            (together.trim().replace('\n', "\\n"), 2),
            (jwk.to_owned(), 1),
            (format!("{{\"keys\":[{jwk}]}}"), 1),
        ] {
            let keys = load(&SigningConfig { files: Vec::new(), text: Some(MaskedText::new(text)) });
            assert_eq!(keys.len(), expected);
            assert!(keys.iter().all(|outside| outside.key.is_ok()), "{keys:?}");
        }
        let keys = load(&SigningConfig {
            files: Vec::new(),
            text: Some(MaskedText::new(together + "and nonsense")),
        });
        assert!(keys.last().unwrap().key.is_err());
    }

    #[test]
    fn unusable_signing_key_is_reported_with_its_reason() {
        let files = vec![KeyFile { algorithm: None, path: "/nowhere/key.pem".into() }];
        assert!(one(&SigningConfig { files, text: None }).key.is_err());
        let text = Some(MaskedText::new("hunter2"));
        let reason = one(&SigningConfig { files: Vec::new(), text }).key.unwrap_err();
        assert_eq!(reason, "this is neither a PEM private key nor a private JWK");
    }
}
