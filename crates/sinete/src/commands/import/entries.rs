//! Reads an export one account at a time, because it may be larger than memory.

use crate::exit::CommandError;
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use sinete_core::administration::import::ImportFileLayout;
use sinete_core::limits::{IMPORT_CONCURRENT_MAX, IMPORTED_ACCOUNT_BYTES_MAX};
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// One account in the export.
pub struct ImportEntry {
    /// The number of the line or user, starting at one.
    pub number: u64,
    /// The number of bytes read so far.
    pub bytes: u64,
    /// The entry, or why it cannot be parsed.
    pub raw: Result<Value, String>,
}

/// The entries of an export, read on a separate thread.
pub struct ImportEntries {
    receiver: Receiver<ImportEntry>,
    reader_thread: Option<std::thread::JoinHandle<Result<(), String>>>,
    length: u64,
}

impl ImportEntries {
    /// Opens an export; `-` is standard input.
    pub fn open(path: &Path, layout: ImportFileLayout) -> Result<Self, CommandError> {
        let unreadable =
            |error| CommandError::invalid_usage(format!("{} cannot be read: {error}", path.display()));
        let (input, length): (Box<dyn Read + Send>, u64) = if path == Path::new("-") {
            (Box::new(io::stdin()), 0)
        } else {
            let file = std::fs::File::open(path).map_err(unreadable)?;
            let length = file.metadata().map_err(unreadable)?.len();
            (Box::new(file), length)
        };
        let (hand_over, receiver) = channel(IMPORT_CONCURRENT_MAX);
        let read = Arc::new(AtomicU64::new(0));
        let input =
            BufReader::with_capacity(256 * 1024, CountingReader { input, bytes_read: Arc::clone(&read) });
        let reader = EntryReader { sender: hand_over, bytes_read: read, number: 0 };
        let thread = std::thread::Builder::new().name("import".to_owned());
        let reading = thread.spawn(move || match layout {
            ImportFileLayout::JsonLines => reader.read_lines(input),
            ImportFileLayout::Users => reader.read_users(input),
        });
        let reading =
            reading.map_err(|error| CommandError::failed(format!("no thread can be started: {error}")))?;
        Ok(Self { receiver, reader_thread: Some(reading), length })
    }

    /// The length of the export, if known.
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// The next entry.
    pub async fn next(&mut self) -> Option<ImportEntry> {
        self.receiver.recv().await
    }

    /// The result of reading, after the last entry.
    pub fn finish(mut self) -> Result<(), String> {
        match self.reader_thread.take().map(std::thread::JoinHandle::join) {
            Some(Ok(ended)) => ended,
            Some(Err(_)) => Err("the reader failed".to_owned()),
            None => Ok(()),
        }
    }
}

/// Counts the bytes read.
struct CountingReader<R> {
    input: R,
    bytes_read: Arc<AtomicU64>,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.bytes_read.fetch_add(read as u64, Relaxed);
        Ok(read)
    }
}

struct EntryReader {
    sender: Sender<ImportEntry>,
    bytes_read: Arc<AtomicU64>,
    number: u64,
}

impl EntryReader {
    /// Reads a JSON object from each line; empty lines are skipped.
    fn read_lines(mut self, mut input: impl BufRead) -> Result<(), String> {
        let mut line = Vec::new();
        loop {
            line.clear();
            let bound = IMPORTED_ACCOUNT_BYTES_MAX as u64 + 1;
            let read = (&mut input).take(bound).read_until(b'\n', &mut line);
            if read.map_err(|error| error.to_string())? == 0 {
                return Ok(());
            }
            self.number += 1;
            let is_cut = line.len() > IMPORTED_ACCOUNT_BYTES_MAX && line.last() != Some(&b'\n');
            let raw = if is_cut {
                skip_line(&mut input).map_err(|error| error.to_string())?;
                Err(format!("the line is longer than {IMPORTED_ACCOUNT_BYTES_MAX} bytes"))
            } else if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            } else {
                serde_json::from_slice(&line).map_err(|error| format!("the line is not JSON: {error}"))
            };
            if !self.send_entry(raw) {
                return Ok(());
            }
        }
    }

    /// Reads one document with a list of `users`, or only that list.
    fn read_users(self, input: impl BufRead) -> Result<(), String> {
        let mut document = serde_json::Deserializer::from_reader(input);
        document.deserialize_any(UsersDocument(self)).map_err(|error| error.to_string())?;
        document.end().map_err(|error| error.to_string())
    }

    /// Sends an entry, and returns whether the receiver still exists.
    fn send_entry(&self, raw: Result<Value, String>) -> bool {
        let entry = ImportEntry { number: self.number, bytes: self.bytes_read.load(Relaxed), raw };
        self.sender.blocking_send(entry).is_ok()
    }
}

/// Skips the rest of a line that is too long.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let (is_over, used) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(index) => (true, index + 1),
            None => (buffer.is_empty(), buffer.len()),
        };
        input.consume(used);
        if is_over {
            return Ok(());
        }
    }
}

/// A document of which only `users` is read.
struct UsersDocument(EntryReader);

impl<'de> Visitor<'de> for UsersDocument {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object with a list of users")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let mut has_users = false;
        while let Some(name) = map.next_key::<String>()? {
            if name == "users" && !has_users {
                has_users = true;
                map.next_value_seed(UserSequence(&mut self.0))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        if has_users { Ok(()) } else { Err(serde::de::Error::custom("there is no list of users in it")) }
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, list: A) -> Result<(), A::Error> {
        UserSequence(&mut self.0).visit_seq(list)
    }
}

/// The list of users, sent one by one.
struct UserSequence<'a>(&'a mut EntryReader);

impl<'de> serde::de::DeserializeSeed<'de> for UserSequence<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, list: D) -> Result<(), D::Error> {
        list.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for UserSequence<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of users")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(raw) = list.next_element::<Value>()? {
            self.0.number += 1;
            if !self.0.send_entry(Ok(raw)) {
                return Err(serde::de::Error::custom("the import has stopped"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Numbered = (u64, Result<Value, String>);

    fn read(text: &str, layout: ImportFileLayout) -> (Vec<Numbered>, Result<(), String>) {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let mut entries = ImportEntries::open(file.path(), layout).unwrap();
        let mut all = Vec::new();
        while let Some(entry) = entries.receiver.blocking_recv() {
            all.push((entry.number, entry.raw));
        }
        (all, entries.finish())
    }

    #[test]
    fn import_lines_keep_their_numbers_across_blank_and_invalid_lines() {
        let long = "x".repeat(IMPORTED_ACCOUNT_BYTES_MAX + 10);
        let (all, end) =
            read(&format!("{{\"a\":1}}\n\n  \n{long}\nnot json\n{{\"b\":2}}"), ImportFileLayout::JsonLines);
        assert_eq!(all.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 4, 5, 6]);
        assert_eq!(all[0].1, Ok(serde_json::json!({"a": 1})));
        assert!(all[1].1.as_ref().unwrap_err().contains("longer than"), "{:?}", all[1].1);
        assert!(all[2].1.as_ref().unwrap_err().starts_with("the line is not JSON"), "{:?}", all[2].1);
        assert_eq!((&all[3].1, end), (&Ok(serde_json::json!({"b": 2})), Ok(())));
    }

    #[test]
    fn import_finds_users_in_a_document_or_an_array_and_detects_truncation() {
        let (all, end) = read(
            "{\"realm\": \"x\", \"users\": [{\"a\": 1}, {}], \"clients\": [1]}",
            ImportFileLayout::Users,
        );
        assert_eq!((all.len(), end), (2, Ok(())));
        assert_eq!(read("[{}, {}, {}]", ImportFileLayout::Users).0.len(), 3);
        let (all, end) = read("{\"users\": [{\"a\": 1}, {\"b\"", ImportFileLayout::Users);
        assert_eq!(all.len(), 1);
        assert!(end.unwrap_err().contains("EOF"), "{all:?}");
        assert!(
            read("{\"realm\": \"x\"}", ImportFileLayout::Users).1.unwrap_err().contains("no list of users")
        );
        assert!(read("7", ImportFileLayout::Users).1.is_err());
    }
}
