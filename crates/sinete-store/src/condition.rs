//! Conditions as the database spells them.

use crate::failed::Failed;
use crate::row::Row;
use sinete_core::people::Condition;

/// The condition as a column holds it.
pub(crate) const fn text(condition: Condition) -> &'static str {
    match condition {
        Condition::Enabled => "enabled",
        Condition::Suspended => "suspended",
        Condition::Ended => "ended",
    }
}

/// The condition a column holds.
pub(crate) fn read(row: &Row, column: usize) -> Result<Condition, Failed> {
    match row.text(column)? {
        "enabled" => Ok(Condition::Enabled),
        "suspended" => Ok(Condition::Suspended),
        "ended" => Ok(Condition::Ended),
        _ => Err(row.damaged(column, "a condition")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    #[test]
    fn a_condition_survives_its_text_and_anything_else_is_damage() {
        for condition in [Condition::Enabled, Condition::Suspended, Condition::Ended] {
            let row = Row::new("t.v", vec![Value::from(text(condition))]);
            assert_eq!(read(&row, 0), Ok(condition));
        }
        let row = Row::new("t.v", vec![Value::from("Enabled")]);
        assert_eq!(read(&row, 0), Err(row.damaged(0, "a condition")));
    }
}
