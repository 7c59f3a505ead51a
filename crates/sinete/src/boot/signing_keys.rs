//! Signing keys from outside the database: files and the configuration itself.

use crate::boot::private_file;
use crate::config::Signing;
use sinete_core::signing::Algorithm;
use sinete_crypto::key::{NotAKey, SigningKey};
use std::path::PathBuf;

/// A key that somebody configured.
#[derive(Debug)]
pub struct OutsideKey {
    /// Where it is, in words.
    pub origin: String,
    /// The file it is in.
    pub file: Option<PathBuf>,
    /// The key, or why it cannot be used.
    pub key: Result<SigningKey, String>,
}

/// Every configured key. One that cannot be used is there too, with the reason.
pub fn load(signing: &Signing) -> Vec<OutsideKey> {
    let files = signing.files.iter().map(|file| OutsideKey {
        origin: file.path.display().to_string(),
        file: Some(file.path.clone()),
        key: private_file::read(&file.path)
            .map_err(|error| error.to_string())
            .and_then(|text| parse(&text, file.algorithm)),
    });
    let text = signing.text.iter().map(|text| OutsideKey {
        origin: "in signing.key".to_owned(),
        file: None,
        key: parse(text.reveal(), None),
    });
    files.chain(text).collect()
}

/// An RSA key of which nobody says whether it signs RS256 or PS256 signs the one every client knows.
fn parse(text: &str, algorithm: Option<Algorithm>) -> Result<SigningKey, String> {
    let key = match SigningKey::parse(text, algorithm) {
        Err(NotAKey::AlgorithmNeeded) => SigningKey::parse(text, Some(Algorithm::Rs256)),
        other => other,
    };
    key.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::values::{KeyFile, Masked};
    use sinete_crypto::key::Marking;

    fn one(signing: &Signing) -> OutsideKey {
        load(signing).into_iter().next().unwrap()
    }

    #[test]
    fn an_rsa_key_signs_rs256_unless_it_is_said_otherwise() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rsa.pem");
        let pem = SigningKey::generate(Algorithm::Rs256).unwrap().to_pem().unwrap();
        std::fs::write(&path, pem.as_bytes()).unwrap();
        for (said, expected) in [(None, Algorithm::Rs256), (Some(Algorithm::Ps256), Algorithm::Ps256)] {
            let files = vec![KeyFile { algorithm: said, path: path.clone() }];
            let found = one(&Signing { files, text: None });
            assert_eq!(found.key.unwrap().algorithm(), expected);
            assert_eq!(found.file, Some(path.clone()));
        }
    }

    #[test]
    fn a_development_key_is_known_even_as_a_bare_pem() {
        let key = SigningKey::generate_development(Algorithm::Es256, &crate::os::OsEntropy).unwrap();
        let pem = key.to_pem().unwrap();
        let bare: Vec<_> = pem.lines().skip_while(|line| !line.starts_with("-----BEGIN")).collect();
        let signing = Signing { files: Vec::new(), text: Some(Masked::new(bare.join("\n"))) };
        assert_eq!(one(&signing).key.unwrap().marking(), Marking::Development);
    }

    #[test]
    fn what_is_no_key_has_its_reason() {
        let files = vec![KeyFile { algorithm: None, path: "/nowhere/key.pem".into() }];
        assert!(one(&Signing { files, text: None }).key.is_err());
        let text = Some(Masked::new("hunter2"));
        let reason = one(&Signing { files: Vec::new(), text }).key.unwrap_err();
        assert_eq!(reason, "this is neither a PEM private key nor a private JWK");
    }
}
