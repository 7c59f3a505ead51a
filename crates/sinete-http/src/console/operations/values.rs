//! Values of JSON responses, for display.

use serde_json::Value;
use sinete_screens::console::block_page::{BlockCell, CellTone};
use sinete_screens::display_time::DisplayTime;
use sinete_server::extract::time_parameter::TimeParameter;

/// The text at a pointer; empty if there is none.
pub(in crate::console) fn text_at(value: &Value, pointer: &str) -> String {
    match value.pointer(pointer) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Bool(is)) => is.to_string(),
        Some(Value::Array(items)) => {
            items.iter().map(|item| text_at(item, "")).collect::<Vec<_>>().join(", ")
        }
        Some(object @ Value::Object(_)) => object.to_string(),
        Some(Value::Null) | None => String::new(),
    }
}

/// The time at a pointer.
pub(in crate::console) fn time_at(value: &Value, pointer: &str) -> BlockCell {
    let text = value.pointer(pointer).and_then(Value::as_str);
    let at = text.and_then(|text| text.parse::<TimeParameter>().ok());
    BlockCell::time(at.map(|TimeParameter(at)| DisplayTime(at.seconds())))
}

/// The text at a pointer, as a cell.
pub(in crate::console) fn cell_at(value: &Value, pointer: &str) -> BlockCell {
    BlockCell::text(text_at(value, pointer))
}

/// The identifier at a pointer, as a cell with a button to copy it.
pub(in crate::console) fn code_at(value: &Value, pointer: &str) -> BlockCell {
    BlockCell::code(text_at(value, pointer))
}

/// Whether the value at a pointer is present and true.
pub(in crate::console) fn is_true(value: &Value, pointer: &str) -> bool {
    value.pointer(pointer).and_then(Value::as_bool).unwrap_or_default()
}

/// Whether there is a value at a pointer.
pub(in crate::console) fn is_present(value: &Value, pointer: &str) -> bool {
    value.pointer(pointer).is_some_and(|value| !value.is_null())
}

/// The items of an array.
pub(in crate::console) fn items_at<'v>(value: &'v Value, pointer: &str) -> &'v [Value] {
    value.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// A state: the texts of the known values, each with its tone; another value is shown as it is.
pub(in crate::console) fn state_at(
    value: &Value,
    pointer: &str,
    states: &[(&str, &str, CellTone)],
) -> BlockCell {
    let state = text_at(value, pointer);
    match states.iter().find(|(name, ..)| *name == state) {
        Some((_, text, tone)) => BlockCell::tag(*text, *tone),
        None if state.is_empty() => BlockCell::default(),
        None => BlockCell::tag(state, CellTone::Plain),
    }
}
