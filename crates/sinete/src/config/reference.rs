//! The configuration reference, generated from the table of keys. `docs/reference/configuration.md` is its
//! output.

use crate::config::file;
use crate::config::key::{ConfigKeyDefault, ConfigKeyEntry};
use crate::config::keys;
use crate::config::raw_value::RawValue;
use toml::de::DeValue;

const OPENING: &str = "\
# Configuration

Sinete reads one TOML file: the one named by `--config` or `SINETE_CONFIG`, else `sinete.toml` in the working
directory if there is one. With no file at all it is a complete development instance.

Every key can also be set by an environment variable, which wins over the file. In its name a dot becomes two
underscores, or one: `screens.enabled` is `SINETE_SCREENS__ENABLED` or `SINETE_SCREENS_ENABLED`, not both. Lists
are separated by commas. An empty variable counts as not set. Relative paths begin at the working directory.

`sinete config check` shows every value in force and where it came from. An unknown key or an invalid value is
an error: all of them are reported at once, and nothing is started or written (exit code 2). `sinete doctor`
shows what production refuses although it is well-formed.

This page is the output of `sinete config reference`.
";

/// Renders the whole reference in Markdown.
pub fn render_markdown() -> String {
    let entries = keys::ALL.iter().map(|key| render_section(key.entry()));
    std::iter::once(OPENING.to_owned()).chain(entries).collect::<Vec<_>>().join("\n")
}

fn render_section(entry: &ConfigKeyEntry) -> String {
    let fallback = match entry.default_value {
        ConfigKeyDefault::Fixed(word) => format!("`{word}`"),
        ConfigKeyDefault::Derived { description: words, .. } => words.to_owned(),
        ConfigKeyDefault::Unset(words) => format!("not set: {words}"),
    };
    let secret = if entry.secret { "- Secret: never shown, never logged.\n" } else { "" };
    let variables: Vec<_> = entry.variable_names().iter().map(|name| format!("`{name}`")).collect();
    format!(
        "## `{}`\n\n{}\n\n- Takes {}.\n- Default: {fallback}.\n- Variable: {}.\n{secret}- Example: `{}`\n",
        entry.name,
        entry.description,
        entry.accepted_values,
        variables.join(" or "),
        entry.file_example(),
    )
}

impl ConfigKeyEntry {
    /// Formats the example as a line of the file.
    pub fn file_example(&self) -> String {
        format!("{} = {}", self.name, self.example)
    }

    /// Formats the example as an environment variable.
    pub fn environment_example(&self, variable: &str) -> String {
        let value = DeValue::parse(self.example).map(|value| file::to_raw_value(value.get_ref()));
        let word = match value {
            Ok(RawValue::Text(text)) => text,
            Ok(RawValue::List(items)) => items.join(","),
            Ok(
                RawValue::Untyped(_) | RawValue::Integer(_) | RawValue::Flag(_) | RawValue::Unsupported(_),
            )
            | Err(_) => self.example.to_owned(),
        };
        format!("{variable}={}", word.trim())
    }
}
