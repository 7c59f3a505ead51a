//! Reports: tables as Markdown and as JSON.

use serde_json::{Value, json};
use std::fmt::{self, Write as _};
use std::time::Duration;

/// The report of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BenchReport {
    /// Date and machine, in lines of prose.
    pub circumstances: Vec<String>,
    /// The tables, in the order they were measured.
    pub tables: Vec<ReportTable>,
}

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportTable {
    /// The title.
    pub title: &'static str,
    /// The column headers.
    pub columns: &'static [&'static str],
    /// The rows, with one cell for every column.
    pub rows: Vec<Vec<TableCell>>,
}

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub enum TableCell {
    /// Text.
    Text(String),
    /// A rate per second.
    PerSecond(f64),
    /// A ratio of two figures, or a mean count.
    Ratio(f64),
    /// A duration in milliseconds.
    Milliseconds(f64),
    /// A duration in microseconds.
    Microseconds(f64),
    /// A size in bytes, shown in megabytes.
    Bytes(u64),
    /// A count.
    Count(u64),
    /// Not available, with the reason.
    Absent(&'static str),
}

impl TableCell {
    /// A text cell.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A cell created by `cell`, or "not measured".
    pub fn or_absent<T>(figure: Option<T>, cell: impl FnOnce(T) -> Self) -> Self {
        figure.map_or(Self::Absent("not measured"), cell)
    }

    /// A duration in milliseconds, if there is one.
    pub fn milliseconds(duration: Option<Duration>) -> Self {
        Self::or_absent(duration, |duration| Self::Milliseconds(duration.as_secs_f64() * 1_000.0))
    }

    fn to_json(&self) -> Value {
        match self {
            Self::Text(text) => json!(text),
            Self::PerSecond(figure)
            | Self::Ratio(figure)
            | Self::Milliseconds(figure)
            | Self::Microseconds(figure) => json!(figure),
            Self::Bytes(figure) | Self::Count(figure) => json!(figure),
            Self::Absent(_) => Value::Null,
        }
    }
}

impl fmt::Display for TableCell {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => out.write_str(text),
            Self::PerSecond(figure) => out.write_str(&format_thousands(*figure)),
            Self::Ratio(figure) => write!(out, "{figure:.2}"),
            Self::Milliseconds(figure) if *figure >= 100.0 => write!(out, "{figure:.0} ms"),
            Self::Milliseconds(figure) if *figure >= 1.0 => write!(out, "{figure:.1} ms"),
            Self::Milliseconds(figure) => write!(out, "{figure:.4} ms"),
            Self::Microseconds(figure) => write!(out, "{figure:.1} µs"),
            Self::Bytes(figure) => write!(out, "{:.1} MB", *figure as f64 / 1e6),
            Self::Count(figure) => out.write_str(&format_thousands(*figure as f64)),
            Self::Absent(reason) => out.write_str(reason),
        }
    }
}

/// Formats an integer with thousands separators.
fn format_thousands(figure: f64) -> String {
    let digits = format!("{figure:.0}");
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

impl BenchReport {
    /// Formats the tables as Markdown.
    pub fn to_markdown(&self) -> String {
        let mut text = String::new();
        for line in &self.circumstances {
            let _ = writeln!(text, "{line}");
        }
        for table in &self.tables {
            let _ = write!(text, "\n### {}\n\n{}", table.title, markdown_row(table.columns.iter()));
            text.push_str(&markdown_row(table.columns.iter().map(|_| "---")));
            for row in &table.rows {
                text.push_str(&markdown_row(row.iter()));
            }
        }
        text
    }

    /// Formats the tables as JSON: per table a list of rows, each an object by column; `null` means "not
    /// measured".
    pub fn to_json(&self) -> Value {
        let row = |table: &ReportTable, row: &Vec<TableCell>| -> Value {
            table
                .columns
                .iter()
                .zip(row)
                .map(|(column, cell)| ((*column).to_owned(), cell.to_json()))
                .collect()
        };
        let tables: serde_json::Map<_, _> = self
            .tables
            .iter()
            .map(|table| {
                let rows = table.rows.iter().map(|cells| row(table, cells)).collect();
                (table.title.to_owned(), Value::Array(rows))
            })
            .collect();
        json!({ "circumstances": self.circumstances, "tables": tables })
    }
}

fn markdown_row(cells: impl Iterator<Item = impl fmt::Display>) -> String {
    let mut text = "|".to_owned();
    for cell in cells {
        let _ = write!(text, " {cell} |");
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> BenchReport {
        let rows = vec![
            vec![
                TableCell::text("keys"),
                TableCell::PerSecond(12_345.6),
                TableCell::Ratio(0.834),
                TableCell::Bytes(18_400_000),
            ],
            vec![
                TableCell::text("none"),
                TableCell::Absent("not measured"),
                TableCell::Milliseconds(0.0065),
                TableCell::Bytes(0),
            ],
        ];
        let table =
            ReportTable { title: "Reading", columns: &["What", "Per second", "Ratio", "Memory"], rows };
        BenchReport { circumstances: vec!["2 cores".to_owned()], tables: vec![table] }
    }

    #[test]
    fn report_table_renders_as_markdown() {
        let expected = "2 cores\n\n### Reading\n\n\
            | What | Per second | Ratio | Memory |\n| --- | --- | --- | --- |\n\
            | keys | 12,346 | 0.83 | 18.4 MB |\n| none | not measured | 0.0065 ms | 0.0 MB |\n";
        assert_eq!(report().to_markdown(), expected);
    }

    #[test]
    fn report_renders_the_same_figures_as_json() {
        let json = report().to_json();
        assert_eq!(json["tables"]["Reading"][0]["Per second"], 12_345.6);
        assert_eq!(json["tables"]["Reading"][0]["Memory"], 18_400_000);
        assert_eq!(json["tables"]["Reading"][1]["Per second"], Value::Null);
    }

    #[test]
    fn thousands_are_separated() {
        assert_eq!(
            ["7", "999", "1,000", "86,749", "1,234,567"],
            [7.0, 999.0, 1e3, 86_749.0, 1_234_567.0].map(format_thousands).each_ref().map(String::as_str)
        );
    }
}
