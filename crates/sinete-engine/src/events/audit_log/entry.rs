//! Text formats of audit log entries: JSON lines for programs, CSV for spreadsheets.

use super::names::AuditLogNames;
use crate::Failure;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use sinete_core::id::EventId;
use sinete_store::events::audit_log::AuditLogEntry;

/// An entry as exported.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AuditLogLine<'a> {
    /// Its id.
    pub id: EventId,
    /// When it happened.
    #[schemars(extend("format" = "date-time"))]
    pub at: String,
    /// The kind of event.
    #[schemars(description = "What happened.")]
    pub kind: &'a str,
    /// The actor.
    #[schemars(description = "Who did it.")]
    pub actor: EventParty<'a>,
    /// The subject.
    #[schemars(description = "The subject of the event.")]
    pub subject: Option<EventParty<'a>>,
    /// The reason, if one was required.
    #[schemars(description = "The reason, if the actor was an operator with an assignment.")]
    pub reason: &'a str,
    /// The details.
    #[schemars(description = "Facts about it.")]
    pub detail: Map<String, Value>,
    /// The network address of the request, if it is known.
    #[schemars(
        description = "The network address of the request. It is null for operators, and after it was erased."
    )]
    pub address: Option<&'a str>,
    /// The user agent of the request, if it is known.
    #[schemars(description = "The browser or program that sent the request.")]
    pub user_agent: Option<&'a str>,
}

/// A reference by kind and id.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct EventParty<'a> {
    /// The kind.
    pub kind: &'a str,
    /// The id; `None` for the program itself.
    pub id: Option<&'a str>,
}

impl<'a> AuditLogLine<'a> {
    /// Converts an entry.
    pub fn from_entry(entry: &'a AuditLogEntry) -> Result<Self, Failure> {
        let subject = |kind| EventParty { kind, id: entry.subject_id.as_deref() };
        Ok(Self {
            id: entry.id,
            at: entry.at.to_string(),
            kind: &entry.kind,
            actor: EventParty { kind: &entry.actor_kind, id: entry.actor_id.as_deref() },
            subject: entry.subject_kind.as_deref().map(subject),
            reason: &entry.reason,
            detail: entry.detail.parse()?,
            address: entry.address.as_deref(),
            user_agent: entry.user_agent.as_deref(),
        })
    }
}

/// An entry of a file, with names beside the ids.
#[derive(Debug, Serialize)]
struct NamedLine<'a> {
    #[serde(flatten)]
    line: AuditLogLine<'a>,
    actor_name: Option<&'a str>,
    subject_name: Option<&'a str>,
}

/// The names of the actor and the subject, if they are known. A subject without a current name has the one that the entry
/// recorded.
fn find_party_names<'a>(
    entry: &'a AuditLogEntry,
    recorded: Option<&'a str>,
    names: &'a AuditLogNames,
) -> (Option<&'a str>, Option<&'a str>) {
    let subject_kind = entry.subject_kind.as_deref().unwrap_or_default();
    let subject_name = names.find(subject_kind, entry.subject_id.as_deref()).or(recorded);
    (names.find(&entry.actor_kind, entry.actor_id.as_deref()), subject_name)
}

/// The name of its subject that an entry recorded.
fn find_recorded_name(line: &AuditLogLine<'_>) -> Option<String> {
    line.detail.get("name").and_then(Value::as_str).map(str::to_owned)
}

/// Formats the entry as one line of JSON, including the line end.
pub fn to_json_line(entry: &AuditLogEntry, names: &AuditLogNames) -> Result<String, Failure> {
    let line = AuditLogLine::from_entry(entry)?;
    let recorded = find_recorded_name(&line);
    let (actor_name, subject_name) = find_party_names(entry, recorded.as_deref(), names);
    let named_line = NamedLine { line, actor_name, subject_name };
    let mut text = serde_json::to_string(&named_line).map_err(|_| Failure::Interrupted)?;
    text.push('\n');
    Ok(text)
}

/// The header line of a CSV file.
pub const CSV_HEADER: &str = "id,at,kind,actor_kind,actor_id,subject_kind,subject_id,reason,detail,address,user_agent,actor_name,subject_name\r\n";

/// Formats the entry as one line of CSV (RFC 4180), including the line end.
pub fn to_csv_row(entry: &AuditLogEntry, names: &AuditLogNames) -> Result<String, Failure> {
    let log_line = AuditLogLine::from_entry(entry)?;
    let recorded = find_recorded_name(&log_line);
    let (actor_name, subject_name) = find_party_names(entry, recorded.as_deref(), names);
    let detail = Value::Object(log_line.detail).to_string();
    let id = log_line.id.to_string();
    let cells = [
        id.as_str(),
        &log_line.at,
        log_line.kind,
        log_line.actor.kind,
        log_line.actor.id.unwrap_or_default(),
        log_line.subject.as_ref().map_or("", |subject| subject.kind),
        log_line.subject.as_ref().and_then(|subject| subject.id).unwrap_or_default(),
        log_line.reason,
        &detail,
        log_line.address.unwrap_or_default(),
        log_line.user_agent.unwrap_or_default(),
        actor_name.unwrap_or_default(),
        subject_name.unwrap_or_default(),
    ];
    Ok(format!("{}\r\n", cells.map(to_csv_cell).join(",")))
}

/// Formats a value as a cell. Spreadsheets would execute a value that begins like a formula; a leading
/// apostrophe makes it text.
fn to_csv_cell(value: &str) -> String {
    let is_formula = value.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    let text = if is_formula { format!("'{value}") } else { value.to_owned() };
    if text.contains(['"', ',', '\r', '\n', ';']) || text != text.trim() {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sinete_core::time::Timestamp;
    use sinete_store::JsonDocument;

    fn entry(reason: &str) -> AuditLogEntry {
        AuditLogEntry {
            id: EventId::from_bytes([7; 16]),
            at: Timestamp::from_seconds(1_800_000_000),
            kind: "role.created".to_owned(),
            actor_kind: "system".to_owned(),
            actor_id: None,
            subject_kind: Some("role".to_owned()),
            subject_id: Some("01936f5e-7c2a-7def-8a1b-2c3d4e5f6071".to_owned()),
            reason: reason.to_owned(),
            detail: JsonDocument::from_value(&serde_json::json!({"name": "clerk"})).unwrap(),
            address: Some("192.0.2.7".to_owned()),
            user_agent: None,
        }
    }

    /// Parses one line of CSV (RFC 4180), independently of the implementation.
    fn cells(line: &str) -> Vec<String> {
        let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
        let mut characters = line.strip_suffix("\r\n").unwrap().chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '"' if quoted && characters.peek() == Some(&'"') => {
                    characters.next();
                    cell.push('"');
                }
                '"' => quoted = !quoted,
                ',' if !quoted => cells.push(std::mem::take(&mut cell)),
                other => cell.push(other),
            }
        }
        cells.push(cell);
        cells
    }

    #[test]
    fn audit_log_json_line_is_complete_and_one_line() {
        let line = to_json_line(&entry("two\nlines"), &AuditLogNames::default()).unwrap();
        assert_eq!(line.matches('\n').count(), 1);
        let read: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(read["actor"], serde_json::json!({"kind": "system", "id": null}));
        assert_eq!((&read["subject"]["kind"], &read["reason"]), (&"role".into(), &"two\nlines".into()));
        assert_eq!(read["detail"]["name"], "clerk");
        assert_eq!((&read["actor_name"], &read["subject_name"]), (&Value::Null, &"clerk".into()));
        assert_eq!(read["at"], "2027-01-15T08:00:00.000000Z");
    }

    #[test]
    fn audit_log_csv_cell_that_looks_like_a_formula_is_escaped() {
        for formula in
            ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "=HYPERLINK(\"http://evil\",\"x\")", "＝1"]
        {
            let row = to_csv_row(&entry(formula), &AuditLogNames::default()).unwrap();
            assert_eq!(cells(&row)[7], format!("'{formula}"), "{row}");
        }
        let row = to_csv_row(&entry("an ordinary reason"), &AuditLogNames::default()).unwrap();
        assert_eq!(cells(&row)[7], "an ordinary reason");
        assert_eq!(cells(&row)[12], "clerk");
        assert_eq!(cells(&row).len(), cells(CSV_HEADER).len());
    }

    proptest! {
        #[test]
        fn audit_log_csv_reason_stays_in_its_cell(reason in "(?s).{0,40}") {
            let read = cells(&to_csv_row(&entry(&reason), &AuditLogNames::default()).unwrap());
            prop_assert_eq!(read.len(), 13);
            let escaped = format!("'{reason}");
            prop_assert!(read[7] == reason || read[7] == escaped);
            prop_assert!(!read[7].starts_with(['=', '+', '-', '@']));
        }
    }
}
