//! Loads the instance key from its configured source, or generates one in development.

use crate::config::values::{ConfiguredMode, MaskedText};
use crate::config::{Config, InstanceKey as Configured};
use crate::private_file;
use crate::startup::file_exposure::FileExposure;
use crate::startup::sample_secrets;
use sinete_core::entropy::Entropy;
use sinete_crypto::platform::encryption::{InstanceKey, InstanceKeyRing};
use std::path::{Path, PathBuf};

/// The first line of a file that a development instance generated.
const GENERATED_KEY_HEADER: &str =
    "# Made by a development instance, beside the data it protects. Not for production.";

/// The loaded instance key.
#[derive(Debug)]
pub struct LoadedInstanceKey {
    /// The current and previous keys.
    pub keys: InstanceKeyRing,
    /// Its origin, as text.
    pub origin: String,
    /// The file it was read from, and who can read it.
    pub file: Option<(PathBuf, FileExposure)>,
    /// Whether it is the sample from our documentation.
    pub is_sample: bool,
    /// Whether a development instance generated it.
    pub is_generated: bool,
}

/// Loads the configured key, if there is one. A configured key that cannot be read is an error.
pub fn load(config: &Config) -> Result<Option<LoadedInstanceKey>, String> {
    match &config.instance_key {
        Configured::Unset => Ok(None),
        Configured::Text { current, previous } => {
            let keys = build_key_ring([current.reveal()].into_iter().chain(reveal_keys(previous)))?;
            Ok(Some(describe_loaded_key(keys, "the configuration".to_owned(), None, false)))
        }
        Configured::File { path, previous } => load_from_file(path, previous).map(Some),
    }
}

/// Loads the configured key, or the one that a development instance generated earlier. Generates none.
pub fn load_existing(config: &Config) -> Result<Option<LoadedInstanceKey>, String> {
    let path = development_key_path(config);
    match load(config)? {
        None if config.mode == ConfiguredMode::Development && path.exists() => {
            load_from_file(&path, &[]).map(Some)
        }
        other => Ok(other),
    }
}

/// The path of a development instance's key.
fn development_key_path(config: &Config) -> PathBuf {
    config.data_dir.join("instance.key")
}

/// Loads the key of a development instance, or generates it.
pub fn load_or_create_development_key(
    config: &Config,
    entropy: &dyn Entropy,
) -> Result<LoadedInstanceKey, String> {
    let path = development_key_path(config);
    if !path.exists() {
        let text = format!("{GENERATED_KEY_HEADER}\n{}\n", *InstanceKey::mint(entropy));
        private_file::create(&path, text.as_bytes()).map_err(|error| error_at_path(&path, error))?;
    }
    load_from_file(&path, &[])
}

fn load_from_file(path: &Path, previous: &[MaskedText]) -> Result<LoadedInstanceKey, String> {
    let text = private_file::read(path).map_err(|error| error_at_path(path, error))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let keys =
        build_key_ring(lines.chain(reveal_keys(previous))).map_err(|error| error_at_path(path, error))?;
    let is_generated = text.lines().next() == Some(GENERATED_KEY_HEADER);
    let file = Some((path.to_owned(), FileExposure::from_path(path)));
    Ok(describe_loaded_key(keys, format!("the file {}", path.display()), file, is_generated))
}

fn reveal_keys(keys: &[MaskedText]) -> impl Iterator<Item = &str> {
    keys.iter().map(MaskedText::reveal)
}

/// Builds the key ring; the first key is the current one.
fn build_key_ring<'a>(key_texts: impl Iterator<Item = &'a str>) -> Result<InstanceKeyRing, String> {
    let mut keys = key_texts.map(|text| InstanceKey::parse(text).map_err(|error| error.to_string()));
    let current = keys.next().ok_or("there is no key in it")??;
    let previous = keys.collect::<Result<_, _>>()?;
    Ok(InstanceKeyRing::new(current, previous))
}

fn describe_loaded_key(
    keys: InstanceKeyRing,
    origin: String,
    file: Option<(PathBuf, FileExposure)>,
    is_generated: bool,
) -> LoadedInstanceKey {
    let is_sample = sample_secrets::is_sample_instance_key(keys.current().id());
    LoadedInstanceKey { keys, origin, file, is_sample, is_generated }
}

fn error_at_path(path: &Path, error: impl std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::environment::Environment;
    use crate::os::OsEntropy;

    fn config(pairs: &[(&str, &str)]) -> Config {
        Config::from_environment(&Environment::from_pairs(pairs.iter().copied())).unwrap()
    }

    #[test]
    fn development_instance_key_is_generated_once_and_marked() {
        let folder = tempfile::tempdir().unwrap();
        let config = config(&[("SINETE_DATA_DIR", folder.path().to_str().unwrap())]);
        assert!(load(&config).unwrap().is_none());
        let key = load_or_create_development_key(&config, &OsEntropy).unwrap();
        let second_load = load_or_create_development_key(&config, &OsEntropy).unwrap();
        assert_eq!(key.keys.current().id(), second_load.keys.current().id());
        assert!(key.is_generated && second_load.is_generated && !key.is_sample);
        assert_eq!(key.file.unwrap().1, FileExposure::OwnerOnly);
    }

    #[test]
    fn instance_key_file_lists_current_key_first_then_previous_keys() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let key_texts = [(); 3].map(|()| InstanceKey::mint(&OsEntropy));
        std::fs::write(&path, format!("# mine\n{}\n\n{}\n", *key_texts[0], *key_texts[1])).unwrap();
        let variables = [
            ("SINETE_INSTANCE_KEY_FILE", path.to_str().unwrap()),
            ("SINETE_PREVIOUS_INSTANCE_KEYS", key_texts[2].as_str()),
        ];
        let loaded = load(&config(&variables)).unwrap().unwrap();
        let id = |index: usize| InstanceKey::parse(&key_texts[index]).unwrap().id();
        assert_eq!(loaded.keys.current().id(), id(0));
        let previous: Vec<_> = loaded.keys.previous().iter().map(InstanceKey::id).collect();
        assert_eq!(previous, [id(1), id(2)]);
        assert!(!loaded.is_generated);
    }

    #[test]
    fn instance_key_file_without_a_key_is_reported_by_path_without_its_contents() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let config = config(&[("SINETE_INSTANCE_KEY_FILE", path.to_str().unwrap())]);
        for contents in ["", "# only words\n", "hunter2\n"] {
            std::fs::write(&path, contents).unwrap();
            let fault = load(&config).unwrap_err();
            assert!(fault.starts_with(path.to_str().unwrap()), "{fault}");
            assert!(!fault.contains("hunter2"));
        }
        std::fs::remove_file(&path).unwrap();
        assert!(load(&config).is_err());
    }
}
