//! A file of breached passwords: fingerprints in ascending order, one per line, in the published format. It
//! may be far larger than memory, so it is searched on disk.

use sinete_core::sign_in::credentials::breached_password::PasswordFingerprint;
use sinete_engine::ports::{BreachedLookupError, BreachedPasswords};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex};

/// Maximum line length: forty digits, a colon, a count and the line end.
const LINE_BYTES_MAX: usize = 64;
/// A file up to this size is checked completely at startup; of a longer one, samples.
const FULL_CHECK_BYTES_MAX: u64 = 1024 * 1024;
/// The number of samples of a long file.
const SAMPLED_POSITIONS: u64 = 1024;

/// A file of breached passwords.
#[derive(Debug)]
pub struct BreachedPasswordFile {
    list: Arc<Mutex<FileLines>>,
    path: PathBuf,
}

impl BreachedPasswordFile {
    /// Opens and checks the file.
    pub fn open(path: &Path) -> Result<Self, String> {
        let unusable = |reason: String| format!("{}: {reason}", path.display());
        let mut list = FileLines::open(path).map_err(|error| unusable(error.to_string()))?;
        list.check_order().map_err(unusable)?;
        Ok(Self { list: Arc::new(Mutex::new(list)), path: path.to_owned() })
    }
}

impl BreachedPasswords for BreachedPasswordFile {
    fn contains<'a>(
        &'a self,
        fingerprint: &'a PasswordFingerprint,
    ) -> Pin<Box<dyn Future<Output = Result<bool, BreachedLookupError>> + Send + 'a>> {
        let (list, fingerprint) = (Arc::clone(&self.list), *fingerprint);
        Box::pin(async move {
            let search = move || match list.lock() {
                Ok(mut list) => list.contains(&fingerprint),
                Err(_) => Err("an earlier search failed".to_owned()),
            };
            let searched = tokio::task::spawn_blocking(search).await;
            let result = searched.unwrap_or_else(|_| Err("the program is stopping".to_owned()));
            result.map_err(|reason| BreachedLookupError(format!("{}: {reason}", self.path.display())))
        })
    }
}

/// The lines of a file.
#[derive(Debug)]
struct FileLines {
    file: File,
    bytes: u64,
}

/// A line.
struct FileLine {
    start: u64,
    end: u64,
    fingerprint: PasswordFingerprint,
}

impl FileLines {
    fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other("it is not a file"));
        }
        Ok(Self { file, bytes: metadata.len() })
    }

    /// Checks the format and the order, completely or by samples.
    fn check_order(&mut self) -> Result<(), String> {
        let Some(first) = self.read_line_from(0)? else { return Err("it is empty".to_owned()) };
        let (mut before, mut offset) = (first, 0);
        while let Some(line) = {
            offset = if self.bytes <= FULL_CHECK_BYTES_MAX {
                before.end
            } else {
                offset + self.bytes / SAMPLED_POSITIONS
            };
            self.read_line_from(offset)?
        } {
            if line.start > before.start && line.fingerprint <= before.fingerprint {
                return Err(format!(
                    "it is not sorted: the line at byte {} belongs before the one at byte {}; take the list that \
                     is ordered by hash",
                    line.start, before.start
                ));
            }
            before = line;
        }
        Ok(())
    }

    /// Whether a line begins with this fingerprint.
    fn contains(&mut self, password_fingerprint: &PasswordFingerprint) -> Result<bool, String> {
        // If the line exists, it starts at or after `low` and before `high`.
        let (mut low, mut high) = (0, self.bytes);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.read_line_from(middle)?.filter(|line| line.start < high) {
                Some(line) if line.fingerprint == *password_fingerprint => return Ok(true),
                Some(line) if line.fingerprint < *password_fingerprint => low = line.end,
                Some(_) | None => high = middle,
            }
        }
        Ok(false)
    }

    /// Reads the first line that starts at or after this offset.
    fn read_line_from(&mut self, offset: u64) -> Result<Option<FileLine>, String> {
        let unreadable = |error: io::Error| error.to_string();
        // A line starts at this offset if the previous byte is a line end.
        let (from, skips) = if offset == 0 { (0, false) } else { (offset - 1, true) };
        let mut read = Vec::with_capacity(2 * LINE_BYTES_MAX);
        self.file.seek(SeekFrom::Start(from)).map_err(unreadable)?;
        (&self.file).take(2 * LINE_BYTES_MAX as u64).read_to_end(&mut read).map_err(unreadable)?;
        let ends = |bytes: &[u8]| bytes.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
        let start = match (skips, ends(&read)) {
            (false, _) => 0,
            (true, Some(end)) => end,
            (true, None) if read.len() <= LINE_BYTES_MAX => return Ok(None),
            (true, None) => return Err(malformed_line(from)),
        };
        let line = &read[start..];
        let Some(line) = ends(line).map_or(Some(line), |end| line.get(..end)).filter(|line| !line.is_empty())
        else {
            return Ok(None);
        };
        let begins = from + start as u64;
        let text = std::str::from_utf8(line).ok().filter(|_| line.len() <= LINE_BYTES_MAX);
        let fingerprint =
            text.and_then(PasswordFingerprint::parse_line).ok_or_else(|| malformed_line(begins))?;
        Ok(Some(FileLine { start: begins, end: begins + line.len() as u64, fingerprint }))
    }
}

fn malformed_line(offset: u64) -> String {
    format!("the text at byte {offset} is not a line of a list of SHA-1 hashes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::entropy::{DangerouslySeededEntropy, draw_bytes};
    use std::collections::BTreeSet;

    fn line(bytes: &[u8; 20]) -> String {
        bytes.iter().map(|byte| format!("{byte:02X}")).collect()
    }

    fn written(text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("breached.txt");
        std::fs::write(&path, text).unwrap();
        (folder, path)
    }

    /// This many fingerprints in order, with counts of different lengths.
    fn some(many: usize) -> Vec<[u8; 20]> {
        let entropy = DangerouslySeededEntropy::new(3);
        (0..many).map(|_| draw_bytes(&entropy)).collect::<BTreeSet<[u8; 20]>>().into_iter().collect()
    }

    fn list(all: &[[u8; 20]], end: &str) -> String {
        let entries = all.iter().enumerate();
        entries.map(|(at, one)| format!("{}:{}{end}", line(one), 7_usize.pow((at % 9) as u32))).collect()
    }

    #[test]
    fn breached_password_list_finds_exactly_its_lines() {
        for (many, end) in [(1, "\n"), (2, "\r\n"), (3, "\n"), (500, "\r\n"), (30_000, "\n")] {
            let all = some(many);
            for text in [list(&all, end), list(&all, end).trim_end().to_owned()] {
                let (_folder, path) = written(&text);
                BreachedPasswordFile::open(&path).unwrap();
                let mut list = FileLines::open(&path).unwrap();
                for one in all.iter().step_by(1 + many / 500).chain(all.last()) {
                    assert_eq!(list.contains(&PasswordFingerprint::from_bytes(*one)), Ok(true), "{many}");
                    let mut near = *one;
                    near[19] ^= 1;
                    assert_eq!(list.contains(&PasswordFingerprint::from_bytes(near)), Ok(false), "{many}");
                }
                for edge in [[0; 20], [0xff; 20]] {
                    assert_eq!(list.contains(&PasswordFingerprint::from_bytes(edge)), Ok(false), "{many}");
                }
            }
        }
    }

    #[test]
    fn invalid_breached_password_list_is_refused_in_one_line() {
        let all = some(30_000);
        let by_count: Vec<_> = all.iter().rev().copied().collect();
        let mut two_swapped = some(100);
        two_swapped.swap(70, 71);
        for (text, says) in [
            (String::new(), "is empty"),
            ("password\nletmein\n".to_owned(), "not a line of a list"),
            ("x".repeat(4_000), "not a line of a list"),
            (list(&by_count, "\n"), "not sorted"),
            (list(&two_swapped, "\n"), "not sorted"),
            (format!("{}\n\nhello\n", line(&all[0])), "not a line of a list"),
        ] {
            let (_folder, path) = written(&text);
            let reason = BreachedPasswordFile::open(&path).unwrap_err();
            assert!(
                reason.contains(says) && reason.contains("breached.txt") && !reason.contains('\n'),
                "{reason}"
            );
        }
        assert!(BreachedPasswordFile::open(Path::new("/nowhere/breached.txt")).is_err());
        assert!(BreachedPasswordFile::open(Path::new("/")).unwrap_err().contains("not a file"));
    }

    #[tokio::test]
    async fn breached_password_list_that_changed_on_disk_is_an_error_not_a_miss() {
        let all = some(500);
        let (_folder, path) = written(&list(&all, "\n"));
        let opened = BreachedPasswordFile::open(&path).unwrap();
        assert_eq!(opened.contains(&PasswordFingerprint::from_bytes(all[250])).await, Ok(true));
        std::fs::write(&path, "x".repeat(100_000)).unwrap();
        assert!(opened.contains(&PasswordFingerprint::from_bytes(all[250])).await.is_err());
    }
}
