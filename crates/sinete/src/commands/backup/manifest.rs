//! The manifest next to a backup, for verifying that the backup is unchanged.

use crate::exit::CommandError;
use crate::private_file;
use crate::terminal::ProgressReporter;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// The version of the manifest format.
const FORMAT_VERSION: u32 = 1;
/// Bytes read at once while hashing a file.
const CHUNK_BYTES: usize = 1024 * 1024;

/// The manifest of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackupManifest {
    /// The version of the manifest format.
    pub form: u32,
    /// The version of the program that made the backup.
    pub version: String,
    /// The time of the backup, in RFC 3339.
    pub created_at: String,
    /// The newest migration of the database.
    pub schema_version: u32,
    /// The size of the file in bytes.
    pub size_bytes: u64,
    /// The SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// The number of rows in each table.
    pub rows: BTreeMap<String, u64>,
    /// The result of verifying the security log, if it could be verified.
    pub security_log: Option<LogCheckResult>,
}

/// The result of verifying the security log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogCheckResult {
    /// The number of findings.
    pub findings: u64,
}

impl BackupManifest {
    /// The path of a backup's manifest.
    pub fn manifest_path(backup: &Path) -> PathBuf {
        let mut name = backup.as_os_str().to_owned();
        name.push(".manifest.json");
        name.into()
    }

    /// The version of the format that this program writes.
    pub const fn format_version() -> u32 {
        FORMAT_VERSION
    }

    /// Reads the manifest of a backup.
    pub fn read(backup: &Path) -> Result<Self, CommandError> {
        let path = Self::manifest_path(backup);
        let unusable = |reason: &dyn std::fmt::Display| {
            CommandError::damaged(format!(
                "the backup cannot be checked: its manifest {}: {reason}",
                path.display()
            ))
        };
        let text = private_file::read(&path).map_err(|error| unusable(&error))?;
        let manifest: Self = serde_json::from_str(&text).map_err(|error| unusable(&error))?;
        if manifest.form == FORMAT_VERSION { Ok(manifest) } else { Err(unusable(&"it has a newer format")) }
    }

    /// Serializes the manifest.
    pub fn to_text(&self) -> Result<String, CommandError> {
        let text = serde_json::to_string_pretty(self);
        text.map(|text| text + "\n").map_err(|error| CommandError::failed(format!("no manifest: {error}")))
    }

    /// Verifies that the file matches the manifest.
    pub fn verify_file(&self, file: &Path, bar: &ProgressReporter) -> Result<(), CommandError> {
        let unreadable =
            |error: io::Error| CommandError::failed(format!("{} cannot be read: {error}", file.display()));
        let length = std::fs::metadata(file).map_err(unreadable)?.len();
        if length != self.size_bytes {
            return Err(CommandError::damaged(format!(
                "{} is damaged: it has {length} bytes and was taken with {}",
                file.display(),
                self.size_bytes
            )));
        }
        if sha256_hex(file, bar).map_err(unreadable)? != self.sha256 {
            return Err(CommandError::damaged(format!(
                "{} is damaged: its checksum does not match",
                file.display()
            )));
        }
        Ok(())
    }
}

/// The SHA-256 of a file, in hexadecimal.
pub fn sha256_hex(path: &Path, bar: &ProgressReporter) -> io::Result<String> {
    let mut file = File::open(path)?;
    let (length, mut bytes_read) = (file.metadata()?.len(), 0);
    let mut hash = Sha256::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(bytes) => {
                hash.update(&chunk[..bytes]);
                bytes_read += bytes as u64;
                bar.set_position(bytes_read, length);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::CommandExit;
    use crate::terminal::Terminal;

    fn manifest_of(path: &Path) -> BackupManifest {
        let bar = Terminal::plain().progress("", 0);
        BackupManifest {
            form: FORMAT_VERSION,
            version: "0.1.0".to_owned(),
            created_at: "2026-11-15T00:00:00Z".to_owned(),
            schema_version: 6,
            size_bytes: std::fs::metadata(path).unwrap().len(),
            sha256: sha256_hex(path, &bar).unwrap(),
            rows: BTreeMap::new(),
            security_log: Some(LogCheckResult { findings: 0 }),
        }
    }

    #[test]
    fn backup_manifest_digest_is_sha256() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "abc").unwrap();
        assert_eq!(
            manifest_of(file.path()).sha256,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn backup_with_a_changed_missing_or_added_byte_is_detected() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "the backup").unwrap();
        let (manifest, bar) = (manifest_of(file.path()), Terminal::plain().progress("", 0));
        manifest.verify_file(file.path(), &bar).unwrap();
        for changed in ["the Backup", "the backu", "the backup!", ""] {
            std::fs::write(file.path(), changed).unwrap();
            assert_eq!(
                manifest.verify_file(file.path(), &bar).unwrap_err().exit,
                CommandExit::Damaged,
                "{changed}"
            );
        }
    }

    #[test]
    fn backup_manifest_missing_mangled_or_newer_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let backup = folder.path().join("a.db");
        std::fs::write(&backup, "x").unwrap();
        assert_eq!(BackupManifest::read(&backup).unwrap_err().exit, CommandExit::Damaged);
        let manifest = manifest_of(&backup);
        for text in [
            "{}".to_owned(),
            "not json".to_owned(),
            manifest.to_text().unwrap().replace("\"form\": 1", "\"form\": 2"),
        ] {
            std::fs::write(BackupManifest::manifest_path(&backup), text).unwrap();
            assert_eq!(BackupManifest::read(&backup).unwrap_err().exit, CommandExit::Damaged);
        }
        std::fs::write(BackupManifest::manifest_path(&backup), manifest.to_text().unwrap()).unwrap();
        assert_eq!(BackupManifest::read(&backup).unwrap(), manifest);
    }
}
