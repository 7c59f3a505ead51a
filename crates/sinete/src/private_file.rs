//! Small secret files: size-limited reads and atomic creation, readable only by the owner.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use zeroize::Zeroizing;

/// Maximum bytes in a key file.
const BYTES_MAX: u64 = 64 * 1024;

/// Reads a file.
pub fn read(path: &Path) -> io::Result<Zeroizing<String>> {
    let mut bytes = Zeroizing::new(Vec::new());
    File::open(path)?.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(io::Error::other(format!("it is larger than {BYTES_MAX} bytes")));
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| io::Error::other("it is not text"))?;
    Ok(Zeroizing::new(text.to_owned()))
}

/// Creates a new file that only its owner can read. Symbolic links are not followed (`O_EXCL`), and the mode
/// is 0600 regardless of the umask. All files that the program creates for users are created here.
pub fn create_file(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    Ok(file)
}

/// Creates a new file that only its owner can read. It is durable when this returns.
pub fn create(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut file = create_file(path)?;
    let result = file.write_all(contents).and_then(|()| file.sync_all());
    if result.is_err() {
        // A partial secret must not be used at the next start.
        let _ = std::fs::remove_file(path);
    }
    result
}

/// Creates a file that only its owner can read, replacing an existing one. A symbolic link is replaced, not
/// followed.
pub fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let temp_path = path.with_file_name(name);
    create(&temp_path, contents)?;
    let renamed = rename(&temp_path, path);
    if renamed.is_err() {
        let _ = std::fs::remove_file(&temp_path);
    }
    renamed
}

/// Renames a finished file. The rename is durable when this returns.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::rename(from, to)?;
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

/// Creates a folder that only its owner can access, unless it exists.
pub fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::startup::file_exposure::FileExposure;

    #[test]
    fn private_files_are_owner_only_and_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let (inner, path) = (folder.path().join("a/b"), folder.path().join("a/b/key"));
        create_folder(&inner).unwrap();
        create_folder(&inner).unwrap();
        create(&path, b"one").unwrap();
        assert_eq!(create(&path, b"two").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(read(&path).unwrap().as_str(), "one");
        assert_eq!(FileExposure::from_path(&path), FileExposure::OwnerOnly);
        assert_eq!(FileExposure::from_path(&inner), FileExposure::OwnerOnly);
    }

    #[cfg(unix)]
    #[test]
    fn private_files_have_mode_0600_and_symbolic_links_are_not_followed() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mode = |name: &str| std::fs::metadata(at(name)).unwrap().permissions().mode() & 0o7777;
        std::fs::write(at("victim"), "mine").unwrap();
        symlink(at("victim"), at("link")).unwrap();
        assert_eq!(create(&at("link"), b"x").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        replace(&at("link"), b"export").unwrap();
        assert!(!std::fs::symlink_metadata(at("link")).unwrap().is_symlink());
        assert_eq!(
            (read(&at("victim")).unwrap().as_str(), read(&at("link")).unwrap().as_str()),
            ("mine", "export")
        );
        assert_eq!(mode("link"), 0o600);
        // The existing file determines neither mode nor content.
        std::fs::set_permissions(at("victim"), std::fs::Permissions::from_mode(0o644)).unwrap();
        replace(&at("victim"), b"export").unwrap();
        assert_eq!((mode("victim"), read(&at("victim")).unwrap().as_str()), (0o600, "export"));
        // A dangling link creates nothing at its target.
        symlink(at("nowhere"), at("dangling")).unwrap();
        assert!(create(&at("dangling"), b"x").is_err());
        replace(&at("dangling"), b"x").unwrap();
        assert!(!at("nowhere").exists());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "nothing is left beside them");
    }

    #[test]
    fn private_file_that_is_too_large_or_not_text_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("huge");
        std::fs::write(&path, vec![b'x'; 64 * 1024 + 1]).unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("larger"));
        std::fs::write(&path, [0xff]).unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("not text"));
    }
}
