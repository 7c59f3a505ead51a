//! Writes a configuration file: the chosen values, then every other key as a comment with its default or an
//! example. All comments come from the table of keys.

use crate::config::file;
use crate::config::key::{ConfigKeyDefault, ConfigKeyEntry};
use crate::config::keys;
use crate::config::raw_value::RawValue;
use std::fmt::Write as _;
use toml::de::DeValue;

const OPENING: &str = "\
# The configuration of Sinete, written by `sinete init`.
#
# `sinete config check` shows every value in force, and `sinete doctor` what production needs. An environment variable
# overrides a key of this file: `listen` is SINETE_LISTEN.
";

const OTHER_KEYS: &str = "
# Everything else, with its default or an example. Remove the # before a key to set it. Keys with secret values are
# left out: set them in the environment.
";

/// The maximum length of a comment line.
const COMMENT_CHARACTERS_MAX: usize = 116;

/// Renders a configuration file that sets these keys.
pub fn render_file(values: &[(&'static str, RawValue)]) -> String {
    let mut text = OPENING.to_owned();
    let value_of = |entry: &ConfigKeyEntry| values.iter().find(|(name, _)| *name == entry.name);
    let entries = || keys::ALL.iter().map(|key| key.entry());
    for entry in entries() {
        if let Some((name, value)) = value_of(entry) {
            let _ = write!(text, "\n{}{name} = {}\n", render_comment(entry), render_value(value));
        }
    }
    text.push_str(OTHER_KEYS);
    for entry in entries().filter(|entry| !entry.secret && value_of(entry).is_none()) {
        let _ = write!(text, "\n{}#{} = {}\n", render_comment(entry), entry.name, suggest_value(entry));
    }
    text
}

/// The description of a key, its accepted values and its default, as comment lines.
fn render_comment(entry: &ConfigKeyEntry) -> String {
    let unset = match entry.default_value {
        ConfigKeyDefault::Fixed(word) => format!("Default: {word}."),
        ConfigKeyDefault::Derived { description: words, .. } => format!("Default: {words}."),
        ConfigKeyDefault::Unset(words) => format!("If not set: {words}."),
    };
    let sentences = format!("{} It takes {}. {unset}", entry.description, entry.accepted_values);
    let mut comment = String::new();
    let mut length = COMMENT_CHARACTERS_MAX;
    for word in sentences.split_whitespace() {
        let characters = word.chars().count() + 1;
        if length + characters > COMMENT_CHARACTERS_MAX {
            comment.push_str(if comment.is_empty() { "#" } else { "\n#" });
            length = 1;
        }
        let _ = write!(comment, " {word}");
        length += characters;
    }
    comment + "\n"
}

/// The default in TOML if there is a fixed one, else the example.
fn suggest_value(entry: &ConfigKeyEntry) -> String {
    let ConfigKeyDefault::Fixed(word) = entry.default_value else { return entry.example.to_owned() };
    // The example shows the type: only a default of the same type can be written without knowing the parser.
    match DeValue::parse(entry.example).map(|value| file::to_raw_value(value.get_ref())) {
        Ok(RawValue::Text(_)) => render_value(&RawValue::Text(word.to_owned())),
        Ok(RawValue::Integer(_) | RawValue::Flag(_)) => word.to_owned(),
        Ok(RawValue::List(_) | RawValue::Untyped(_) | RawValue::Unsupported(_)) | Err(_) => {
            entry.example.to_owned()
        }
    }
}

fn render_value(value: &RawValue) -> String {
    let quote = |text: &String| toml::Value::String(text.clone()).to_string();
    match value {
        RawValue::Untyped(text) | RawValue::Text(text) => quote(text),
        RawValue::Integer(number) => number.to_string(),
        RawValue::Flag(flag) => flag.to_string(),
        RawValue::List(items) => format!("[{}]", items.iter().map(quote).collect::<Vec<_>>().join(", ")),
        RawValue::Unsupported(noun) => (*noun).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn configuration_template_describes_every_key_that_is_not_secret_once() {
        let settings = [
            ("base_url", RawValue::Text("https://id.example.com".to_owned())),
            ("trusted_proxies", RawValue::List(vec!["127.0.0.1".to_owned(), "::1".to_owned()])),
        ];
        let text = render_file(&settings);
        let read = file::parse(Path::new("sinete.toml"), &text);
        assert_eq!(read.problems, []);
        assert_eq!(read.values.len(), settings.len());
        for ((name, value), (read_name, read_value)) in settings.iter().zip(&read.values) {
            assert_eq!((name, value), (read_name, &read_value.raw));
        }
        assert!(text.lines().all(|line| !line.starts_with("# ") || line.chars().count() <= 120), "{text}");
        // Uncommented, each line sets a key to a value that the key accepts.
        let uncomment = |line: &str| match line.strip_prefix('#') {
            Some(rest) if rest.starts_with(|first: char| first.is_ascii_lowercase()) => rest.to_owned(),
            _ => line.to_owned(),
        };
        let all: Vec<_> = text.lines().map(uncomment).collect();
        let read = file::parse(Path::new("sinete.toml"), &all.join("\n"));
        assert_eq!(read.problems, []);
        let mut names: Vec<_> = read.values.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        let not_secret = keys::ALL.iter().map(|key| key.entry()).filter(|entry| !entry.secret);
        let mut expected: Vec<_> = not_secret.map(|entry| entry.name).collect();
        expected.sort_unstable();
        assert_eq!(names, expected);
        for (name, located_value) in &read.values {
            assert_eq!(keys::find_key(name).unwrap().fault(&located_value.raw), None, "{name}");
        }
    }
}
