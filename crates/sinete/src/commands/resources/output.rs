//! The results of commands about resources: a table or a list of members for users, JSON for programs.

use crate::exit::CommandError;
use serde_json::Value;
use std::fmt::Write as _;

/// What a command prints.
pub enum ResourceOutput {
    /// Rows, of which a table shows these columns.
    List {
        /// The members that are columns.
        columns: &'static [&'static str],
        /// The rows.
        rows: Vec<Value>,
    },
    /// One resource, of which everything is printed.
    Item(Value),
    /// One resource that was changed, and what was done to it, for users.
    Changed(Value, String),
}

impl ResourceOutput {
    /// What was done, if something was.
    pub fn note(&self) -> Option<String> {
        match self {
            Self::Changed(_, note) => Some(note.clone()),
            Self::List { .. } | Self::Item(_) => None,
        }
    }

    /// Renders the result. The JSON of a list is an array.
    pub fn render(self, json: bool) -> Result<String, CommandError> {
        if !json {
            return Ok(match self {
                Self::List { columns, rows } => render_table(columns, &rows),
                Self::Item(item) | Self::Changed(item, _) => render_item(&item),
            });
        }
        let value = match self {
            Self::List { rows, .. } => Value::Array(rows),
            Self::Item(item) | Self::Changed(item, _) => item,
        };
        let text = serde_json::to_string_pretty(&value);
        text.map(|text| text + "\n")
            .map_err(|error| CommandError::failed(format!("the result cannot be written: {error}")))
    }
}

fn render_table(columns: &[&str], rows: &[Value]) -> String {
    let heading = columns.iter().map(|column| column.to_uppercase()).collect();
    let cells = rows.iter().map(|row| columns.iter().map(|column| to_plain_text(&row[*column])).collect());
    let lines: Vec<Vec<String>> = std::iter::once(heading).chain(cells).collect();
    let width = |index: usize| lines.iter().map(|line| line[index].chars().count()).max().unwrap_or(0);
    let widths: Vec<_> = (0..columns.len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        let padded: Vec<_> = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        let _ = writeln!(text, "{}", padded.join("  ").trim_end());
    }
    text
}

fn render_item(item: &Value) -> String {
    let Value::Object(members) = item else { return format!("{item}\n") };
    let width = members.keys().map(|name| name.chars().count()).max().unwrap_or(0);
    members.iter().fold(String::new(), |mut text, (name, value)| {
        let _ = writeln!(text, "{name:width$}  {}", to_plain_text(value));
        text
    })
}

/// A value for display: nothing for what is absent, and a list of texts separated by commas.
fn to_plain_text(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(to_plain_text).collect::<Vec<_>>().join(", "),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}
