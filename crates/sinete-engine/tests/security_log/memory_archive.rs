//! An archive in memory, whose files a test can change and whose operations can fail.

use sinete_engine::ports::{ArchiveFuture, ArchiveStorage, ArchiveStorageError};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

#[derive(Default)]
pub struct MemoryArchive {
    pub files: Mutex<BTreeMap<String, Vec<u8>>>,
    /// How many more files can be written before the process "crashes" right after a write; negative for no limit.
    writes_left: AtomicI64,
}

impl MemoryArchive {
    pub fn new() -> Self {
        Self { files: Mutex::default(), writes_left: AtomicI64::new(-1) }
    }

    /// The write after this many more fails, although the file was written.
    pub fn fail_after(&self, writes: i64) {
        self.writes_left.store(writes, Ordering::SeqCst);
    }

    pub fn names(&self, prefix: &str) -> Vec<String> {
        let files = self.files.lock().unwrap();
        files.keys().filter(|name| name.starts_with(prefix)).cloned().collect()
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        self.files.lock().unwrap()[name].clone()
    }

    pub fn write(&self, name: &str, bytes: Vec<u8>) {
        self.files.lock().unwrap().insert(name.to_owned(), bytes);
    }

    pub fn delete(&self, name: &str) {
        self.files.lock().unwrap().remove(name).unwrap();
    }
}

impl ArchiveStorage for MemoryArchive {
    fn put<'a>(&'a self, name: &'a str, content: &'a [u8]) -> ArchiveFuture<'a, ()> {
        Box::pin(async move {
            self.write(name, content.to_vec());
            tokio::task::yield_now().await;
            match self.writes_left.load(Ordering::SeqCst) {
                0 => Err(ArchiveStorageError("the process ended".to_owned())),
                writes_left if writes_left > 0 => {
                    self.writes_left.fetch_sub(1, Ordering::SeqCst);
                    Ok(())
                }
                _ => Ok(()),
            }
        })
    }

    fn get<'a>(&'a self, name: &'a str) -> ArchiveFuture<'a, Option<Vec<u8>>> {
        Box::pin(async move { Ok(self.files.lock().unwrap().get(name).cloned()) })
    }

    fn list<'a>(&'a self, prefix: &'a str) -> ArchiveFuture<'a, Vec<String>> {
        Box::pin(async move { Ok(self.names(prefix)) })
    }

    fn remove<'a>(&'a self, name: &'a str) -> ArchiveFuture<'a, ()> {
        Box::pin(async move {
            self.files.lock().unwrap().remove(name);
            Ok(())
        })
    }
}
