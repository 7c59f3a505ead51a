//! An archive in a folder: files that only their owner can read, written completely or not at all.

use crate::private_file;
use sinete_engine::ports::{ArchiveFuture, ArchiveStorage, ArchiveStorageError};
use std::io;
use std::path::{Path, PathBuf};

/// The ending of a file that is being written.
const UNFINISHED_SUFFIX: &str = ".new";

/// An archive in a folder.
pub struct ArchiveFolder {
    root: PathBuf,
}

impl ArchiveFolder {
    /// Names the folder, which is created with its first file.
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// Runs file operations on a thread that may wait for the disk.
    fn run<T: Send + 'static>(
        &self,
        name: &str,
        operation: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
    ) -> ArchiveFuture<'static, T> {
        let path = self.root.join(name);
        Box::pin(async move {
            let path_text = path.display().to_string();
            let result = tokio::task::spawn_blocking(move || operation(&path)).await;
            let result = result.unwrap_or_else(|error| Err(io::Error::other(error)));
            result.map_err(|error| ArchiveStorageError(format!("{path_text}: {error}")))
        })
    }
}

impl ArchiveStorage for ArchiveFolder {
    fn put<'a>(&'a self, name: &'a str, content: &'a [u8]) -> ArchiveFuture<'a, ()> {
        let content = content.to_vec();
        self.run(name, move |path| {
            if let Some(folder) = path.parent() {
                private_file::create_folder(folder)?;
            }
            private_file::replace(path, &content)
        })
    }

    fn get<'a>(&'a self, name: &'a str) -> ArchiveFuture<'a, Option<Vec<u8>>> {
        self.run(name, |path| match std::fs::read(path) {
            Ok(content) => Ok(Some(content)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        })
    }

    fn list<'a>(&'a self, prefix: &'a str) -> ArchiveFuture<'a, Vec<String>> {
        let (folder, start) = prefix.rsplit_once('/').unwrap_or(("", prefix));
        let (folder, start) = (folder.to_owned(), start.to_owned());
        self.run(&folder.clone(), move |path| {
            let mut names = Vec::new();
            let entries = match std::fs::read_dir(path) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(names),
                Err(error) => return Err(error),
            };
            for entry in entries {
                let name = entry?.file_name().to_string_lossy().into_owned();
                if name.starts_with(&start) && !name.ends_with(UNFINISHED_SUFFIX) {
                    names.push(format!("{folder}/{name}"));
                }
            }
            names.sort_unstable();
            Ok(names)
        })
    }

    fn remove<'a>(&'a self, name: &'a str) -> ArchiveFuture<'a, ()> {
        self.run(name, |path| match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn archive_folder_stores_lists_and_removes_files() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("not/there/yet");
        let archive = ArchiveFolder::new(&root);
        assert_eq!(archive.list("segments/").await, Ok(Vec::new()));
        assert_eq!(archive.get("segments/1").await, Ok(None));
        for (name, content) in [("segments/2-b", "two"), ("segments/1-a", "one"), ("origins/1", "o")] {
            archive.put(name, content.as_bytes()).await.unwrap();
        }
        std::fs::write(root.join("segments/3-c.77.new"), "half").unwrap();
        let names = |names: &[&str]| Ok(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(archive.list("segments/").await, names(&["segments/1-a", "segments/2-b"]));
        assert_eq!(archive.list("segments/2-").await, names(&["segments/2-b"]));
        archive.put("segments/1-a", b"another").await.unwrap();
        assert_eq!(archive.get("segments/1-a").await, Ok(Some(b"another".to_vec())));
        archive.remove("segments/1-a").await.unwrap();
        archive.remove("segments/1-a").await.unwrap();
        assert_eq!(archive.list("segments/").await, names(&["segments/2-b"]));
        std::fs::write(folder.path().join("file"), "x").unwrap();
        let broken = ArchiveFolder::new(&folder.path().join("file"));
        assert!(broken.put("segments/1", b"x").await.is_err());
    }
}
