//! Faulty disks: a full one and a read-only one.

use super::database::{Database, folder_on_disk};
use super::probe::open;
use crate::Store;
use crate::driver::DatabaseDriver;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A disk with little free space. If the test may mount a file system, it is a real one; otherwise a page
/// limit is used.
pub struct SmallDisk {
    // Unmounted before the folder is removed.
    mounted: Option<Mounted>,
    pub database: Database,
}

impl SmallDisk {
    pub fn new() -> Self {
        let folder = folder_on_disk();
        let mounted = Mounted::at(folder.path());
        Self { mounted, database: Database::Sqlite(folder) }
    }

    /// Leaves room for a few transactions.
    pub async fn fill(&self, store: &Store) {
        if self.mounted.is_none() {
            return Self::limit(store).await;
        }
        let mut ballast = Vec::new();
        while fs::write(self.ballast(), &ballast).is_ok() {
            ballast.resize(ballast.len() + 64 * 1024, 1);
        }
        ballast.truncate(ballast.len().saturating_sub(384 * 1024));
        fs::write(self.ballast(), &ballast).unwrap();
    }

    /// Makes the database full after a few more pages.
    pub async fn limit(store: &Store) {
        sqlite(store).limit_pages(120).await.unwrap();
    }

    /// Lets the database grow again.
    pub async fn lift_limit(store: &Store) {
        sqlite(store).limit_pages(1_000_000).await.unwrap();
    }

    /// Frees the space.
    pub async fn make_room(&self, store: &Store) {
        if self.mounted.is_none() {
            return Self::lift_limit(store).await;
        }
        fs::remove_file(self.ballast()).unwrap();
    }

    fn ballast(&self) -> PathBuf {
        self.database.folder().join("ballast")
    }
}

/// A folder with a valid database that cannot be written.
pub struct ReadOnlyFolder {
    _mounted: Option<Mounted>,
    database: Database,
}

impl ReadOnlyFolder {
    pub async fn with_a_database() -> Self {
        let folder = folder_on_disk();
        let mounted = Mounted::at(folder.path());
        let database = Database::Sqlite(folder);
        open(&database).await.close().await;
        match &mounted {
            Some(_) => assert!(run("mount", &["-o", "remount,ro"], database.folder())),
            None => {
                run("chmod", &["-R", "a-w"], database.folder());
            }
        }
        Self { _mounted: mounted, database }
    }

    /// Files that cannot be written: even root cannot create one in `/sys`.
    pub fn files(&self) -> Vec<PathBuf> {
        let ours = self.database.file();
        let mut files = vec![PathBuf::from("/sys/sinete.db")];
        if fs::File::options().append(true).open(&ours).is_err() {
            files.push(ours);
        }
        files
    }
}

impl Drop for ReadOnlyFolder {
    fn drop(&mut self) {
        run("chmod", &["-R", "u+w"], self.database.folder());
    }
}

/// A file system in memory, unmounted on drop.
struct Mounted {
    place: PathBuf,
}

impl Mounted {
    fn at(path: &Path) -> Option<Self> {
        let mounted = run("mount", &["-t", "tmpfs", "-o", "size=4m", "tmpfs"], path);
        mounted.then(|| Self { place: path.to_owned() })
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        run("umount", &["-l"], &self.place);
    }
}

fn run(program: &str, arguments: &[&str], path: &Path) -> bool {
    let mut command = Command::new(program);
    let command = command.args(arguments).arg(path).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn sqlite(store: &Store) -> &crate::driver::sqlite::SqliteDriver {
    match store.driver() {
        DatabaseDriver::Sqlite(engine) => engine,
        DatabaseDriver::Postgres(_) => panic!("PostgreSQL keeps its own disk"),
    }
}
