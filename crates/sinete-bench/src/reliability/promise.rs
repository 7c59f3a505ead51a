//! A promise, what was done to break it, and whether it held.

use crate::report::{ReportTable, TableCell};

/// The database engine of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// A file.
    Sqlite,
    /// A server.
    Postgres,
}

impl EngineKind {
    /// The name for display.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// Whether a promise held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromiseVerdict {
    /// Kept.
    Passed,
    /// Broken, with what was found.
    Failed(Vec<String>),
    /// Not tried, with the reason.
    Skipped(String),
}

/// A row of the table.
#[derive(Clone, Debug)]
pub struct PromiseRow {
    /// The promise, in a few words.
    pub promise: &'static str,
    /// The engine.
    pub engine: EngineKind,
    /// What was done.
    pub action: String,
    /// How often, or for how long.
    pub count: String,
    /// What happened.
    pub result: String,
    /// Whether the promise held.
    pub verdict: PromiseVerdict,
}

/// The number of findings that the table shows of a broken promise.
const FINDINGS_MAX: usize = 3;

impl PromiseVerdict {
    /// Kept if there are no findings.
    pub fn from_findings(findings: Vec<String>) -> Self {
        if findings.is_empty() { Self::Passed } else { Self::Failed(findings) }
    }
}

impl PromiseRow {
    /// A row for something that could not be tried here.
    pub fn skipped(promise: &'static str, engine: EngineKind, reason: &str) -> Self {
        let (action, count, result) = ("nothing".to_owned(), "0".to_owned(), String::new());
        Self { promise, engine, action, count, result, verdict: PromiseVerdict::Skipped(reason.to_owned()) }
    }

    /// Whether the promise was broken.
    pub fn is_broken(&self) -> bool {
        matches!(self.verdict, PromiseVerdict::Failed(_))
    }

    fn to_cells(&self) -> Vec<TableCell> {
        let result = match &self.verdict {
            PromiseVerdict::Passed => format!("kept: {}", self.result),
            PromiseVerdict::Failed(findings) => {
                let first_findings: Vec<_> = findings.iter().take(FINDINGS_MAX).map(String::as_str).collect();
                format!(
                    "**broken** ({} findings): {}; {}",
                    findings.len(),
                    first_findings.join("; "),
                    self.result
                )
            }
            PromiseVerdict::Skipped(reason) => format!("not tried: {reason}"),
        };
        // A bar would end the cell.
        let cells = [self.promise, self.engine.name(), &self.action, &self.count, &result];
        cells.map(|text| TableCell::text(text.replace(['|', '\n'], " "))).into()
    }
}

/// The table of all rows.
pub fn promise_table(title: &'static str, rows: &[PromiseRow]) -> ReportTable {
    let columns = &["Promise", "Engine", "What was done", "Count", "Result"];
    ReportTable { title, columns, rows: rows.iter().map(PromiseRow::to_cells).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(verdict: PromiseVerdict) -> PromiseRow {
        PromiseRow {
            promise: "nothing is lost",
            engine: EngineKind::Sqlite,
            action: "kill -9".to_owned(),
            count: "3".to_owned(),
            result: "a|b".to_owned(),
            verdict,
        }
    }

    #[test]
    fn reliability_promise_with_findings_is_broken_and_reports_the_first_of_them() {
        let findings: Vec<_> = (0..5).map(|number| format!("finding {number}")).collect();
        let broken = row(PromiseVerdict::from_findings(findings));
        assert!(broken.is_broken());
        let last_cell = broken.to_cells().last().map(ToString::to_string).unwrap();
        assert!(
            last_cell.contains("**broken** (5 findings): finding 0; finding 1; finding 2;"),
            "{last_cell}"
        );
        assert!(!last_cell.contains("finding 3") && !last_cell.contains('|'), "{last_cell}");
    }

    #[test]
    fn reliability_promise_without_findings_is_met_and_a_skipped_one_is_not_broken() {
        assert!(!row(PromiseVerdict::from_findings(Vec::new())).is_broken());
        let skipped = PromiseRow::skipped("x", EngineKind::Postgres, "there is no room");
        assert!(!skipped.is_broken());
        assert!(skipped.to_cells().last().unwrap().to_string().contains("not tried: there is no room"));
    }
}
