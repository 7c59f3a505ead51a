//! The configuration file: TOML, with the line of every value.

use crate::config::keys;
use crate::config::problem::ConfigProblem;
use crate::config::raw_value::{LocatedValue, RawValue, ValueLocation};
use crate::config::suggestion::find_nearest_name;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// Maximum bytes in a configuration file.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// The values and errors found in a configuration file.
#[derive(Debug, Default)]
pub struct FileContents {
    /// The known keys that it sets.
    pub values: Vec<(&'static str, LocatedValue)>,
    /// Syntax errors and unknown keys.
    pub problems: Vec<ConfigProblem>,
}

/// Reads the file. A file that cannot be read is a problem like any other.
pub fn read_file(path: &Path) -> FileContents {
    match read_text(path) {
        Ok(text) => parse(path, &text),
        Err(message) => {
            let value_location = Some(ValueLocation::File { path: path.to_owned(), line: 1 });
            let remedy = "name the file to read with --config or SINETE_CONFIG".to_owned();
            let problem = ConfigProblem { location: value_location, key: None, message, fix: Some(remedy) };
            FileContents { values: Vec::new(), problems: vec![problem] }
        }
    }
}

fn read_text(path: &Path) -> Result<String, String> {
    let file = std::fs::File::open(path).map_err(|error| format!("cannot be opened: {error}"))?;
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("cannot be read: {error}"))?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(format!("is larger than {FILE_BYTES_MAX} bytes"));
    }
    String::from_utf8(bytes).map_err(|_| "is not UTF-8 text".to_owned())
}

/// Parses the text of a file.
pub fn parse(path: &Path, text: &str) -> FileContents {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut reader = TomlReader { path: path.to_owned(), text, contents: FileContents::default() };
    for error in errors {
        let at = error.span().map_or(0, |span| span.start);
        reader.push_problem(at, None, format!("not TOML here: {}", to_one_line(error.message())), None);
    }
    reader.read_table("", table.get_ref());
    reader.contents.problems.sort_by_key(|problem| match &problem.location {
        Some(ValueLocation::File { line, .. }) => *line,
        Some(ValueLocation::Variable(_)) | None => 0,
    });
    reader.contents
}

fn to_one_line(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join(", ")
}

struct TomlReader<'a> {
    path: PathBuf,
    text: &'a str,
    contents: FileContents,
}

impl TomlReader<'_> {
    fn read_table(&mut self, above: &str, table: &DeTable<'_>) {
        for (key, value) in table {
            let name = if above.is_empty() { key.get_ref().to_string() } else { format!("{above}.{key}") };
            self.read_entry(&name, key.span().start, value.get_ref());
        }
    }

    fn read_entry(&mut self, name: &str, at: usize, value: &DeValue<'_>) {
        if let Some(key) = keys::find_key(name) {
            let located_value = LocatedValue { raw: to_raw_value(value), location: self.location_at(at) };
            self.contents.values.push((key.entry().name, located_value));
            return;
        }
        let inside: Vec<_> = keys::key_names().filter(|key_name| is_in_section(key_name, name)).collect();
        match value {
            DeValue::Table(table) if !inside.is_empty() => self.read_table(name, table),
            _ if !inside.is_empty() => {
                let remedy = format!("its keys are {}", inside.join(", "));
                self.push_problem(
                    at,
                    Some(name),
                    "is a section and takes no value itself".to_owned(),
                    Some(remedy),
                );
            }
            _ => {
                let remedy = find_nearest_name(name, keys::key_names())
                    .map(|nearest| format!("did you mean {nearest}?"));
                let remedy = remedy.unwrap_or_else(|| "`sinete config reference` lists every key".to_owned());
                self.push_problem(at, Some(name), "there is no such key".to_owned(), Some(remedy));
            }
        }
    }

    fn push_problem(&mut self, at: usize, key: Option<&str>, message: String, remedy: Option<String>) {
        let value_location = Some(self.location_at(at));
        self.contents.problems.push(ConfigProblem {
            location: value_location,
            key: key.map(str::to_owned),
            message,
            fix: remedy,
        });
    }

    fn location_at(&self, at: usize) -> ValueLocation {
        let before = self.text.as_bytes().get(..at).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        ValueLocation::File { path: self.path.clone(), line }
    }
}

fn is_in_section(key: &str, section: &str) -> bool {
    key.strip_prefix(section).is_some_and(|rest| rest.starts_with('.'))
}

/// Converts a TOML value.
pub(super) fn to_raw_value(value: &DeValue<'_>) -> RawValue {
    match value {
        DeValue::String(text) => RawValue::Text(text.to_string()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or(RawValue::Unsupported("a number that is too large"), RawValue::Integer),
        DeValue::Float(_) => RawValue::Unsupported("a fraction"),
        DeValue::Boolean(flag) => RawValue::Flag(*flag),
        DeValue::Datetime(_) => RawValue::Unsupported("a date"),
        DeValue::Array(items) => {
            let strings = items.iter().map(|item| item.get_ref().as_str().map(str::to_owned));
            strings
                .collect::<Option<_>>()
                .map_or(RawValue::Unsupported("a list of other values than texts"), RawValue::List)
        }
        DeValue::Table(_) => RawValue::Unsupported("a table"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> Vec<String> {
        parse(Path::new("sinete.toml"), text).problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn configuration_file_values_are_read_with_lines_from_sections_and_dotted_keys() {
        let text = "# ours\nlisten = \"127.0.0.1:80\"\nscreens.enabled = false\n\n[log]\nlevel = \"debug\"\n";
        let contents = parse(Path::new("a.toml"), text);
        let mut located_values: Vec<_> = contents
            .values
            .iter()
            .map(|(key, located_value)| (*key, located_value.location.to_string()))
            .collect();
        located_values.sort_unstable();
        let expected = [("listen", "a.toml:2"), ("log.level", "a.toml:6"), ("screens.enabled", "a.toml:3")];
        assert_eq!(located_values, expected.map(|(key, place)| (key, place.to_owned())));
        assert_eq!(contents.problems, []);
    }

    #[test]
    fn mistyped_configuration_key_is_reported_with_a_suggestion() {
        assert_eq!(
            problems("lissten = \"x\"\n[screns]\nenabled = true\n"),
            [
                "sinete.toml:1: lissten: there is no such key; did you mean listen?",
                "sinete.toml:2: screns: there is no such key; `sinete config reference` lists every key",
            ]
        );
        assert_eq!(
            problems("[log]\nformt = \"text\"\n"),
            ["sinete.toml:2: log.formt: there is no such key; did you mean log.format?"]
        );
    }

    #[test]
    fn configuration_section_used_as_a_value_is_refused() {
        assert_eq!(
            problems("tls = true\n"),
            ["sinete.toml:1: tls: is a section and takes no value itself; \
              its keys are tls.certificate, tls.key"]
        );
    }

    #[test]
    fn invalid_toml_is_reported_together_with_other_problems() {
        let problem_lines =
            problems("listen = \nmode = \"production\"\nmode = \"development\"\nnonsense = 1\n");
        assert!(problem_lines.len() >= 3, "{problem_lines:#?}");
        assert!(problem_lines[0].starts_with("sinete.toml:1: not TOML here: "), "{problem_lines:#?}");
        assert!(problem_lines.iter().any(|line| line.starts_with("sinete.toml:3: ")), "{problem_lines:#?}");
        assert!(
            problem_lines.iter().any(|line| line.contains("nonsense: there is no such key")),
            "{problem_lines:#?}"
        );
        assert!(problem_lines.iter().all(|line| !line.contains('\n')), "{problem_lines:#?}");
    }

    #[test]
    fn unreadable_configuration_file_is_a_problem() {
        let folder = tempfile::tempdir().unwrap();
        let absent = read_file(&folder.path().join("absent.toml"));
        assert!(absent.problems[0].to_string().contains("cannot be opened"), "{absent:?}");
        let binary = folder.path().join("binary.toml");
        std::fs::write(&binary, [0xff, 0xfe]).unwrap();
        assert!(read_file(&binary).problems[0].to_string().contains("is not UTF-8 text"));
        let huge = folder.path().join("huge.toml");
        std::fs::write(&huge, vec![b'#'; 1024 * 1024 + 1]).unwrap();
        assert!(read_file(&huge).problems[0].to_string().contains("is larger than"));
    }
}
