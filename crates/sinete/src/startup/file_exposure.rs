//! File permissions: who can read a file besides its owner.

use std::fmt;
use std::path::Path;

/// Who can read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileExposure {
    /// Only its owner.
    OwnerOnly,
    /// Others too; these are the permissions.
    Others(u32),
    /// It could not be examined, or the system has no such permissions.
    Unknown,
}

impl FileExposure {
    /// Reads the permissions of a file.
    pub fn from_path(path: &Path) -> Self {
        read_mode(path).map_or(Self::Unknown, |mode| {
            if mode & 0o077 == 0 { Self::OwnerOnly } else { Self::Others(mode & 0o777) }
        })
    }

    /// Whether users other than its owner can read it.
    pub const fn is_readable_by_others(self) -> bool {
        matches!(self, Self::Others(_))
    }
}

impl fmt::Display for FileExposure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OwnerOnly => out.write_str("for its owner only"),
            Self::Others(mode) => write!(out, "mode {mode:03o}"),
            Self::Unknown => out.write_str("unknown"),
        }
    }
}

#[cfg(unix)]
fn read_mode(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).ok().map(|file| file.permissions().mode())
}

#[cfg(not(unix))]
fn mode(_: &Path) -> Option<u32> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn file_mode_with_any_bit_for_others_is_exposed() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for (mode, expected) in [
            (0o600, FileExposure::OwnerOnly),
            (0o400, FileExposure::OwnerOnly),
            (0o640, FileExposure::Others(0o640)),
            (0o604, FileExposure::Others(0o604)),
            (0o620, FileExposure::Others(0o620)),
        ] {
            std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(FileExposure::from_path(file.path()), expected, "{mode:o}");
        }
        assert_eq!(FileExposure::from_path(Path::new("/nowhere/at/all")), FileExposure::Unknown);
    }
}
