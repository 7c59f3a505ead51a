//! Lifecycle conditions as text columns.

use crate::failure::StoreFailure;
use crate::row::SqlRow;
use sinete_core::access_control::subject::LifecycleCondition;

/// The column value of a condition.
pub(crate) const fn condition_text(condition: LifecycleCondition) -> &'static str {
    match condition {
        LifecycleCondition::Enabled => "enabled",
        LifecycleCondition::Suspended => "suspended",
        LifecycleCondition::Ended => "ended",
    }
}

/// Reads a condition from a column.
pub(crate) fn read_condition(row: &SqlRow, column: &str) -> Result<LifecycleCondition, StoreFailure> {
    match row.text(column)? {
        "enabled" => Ok(LifecycleCondition::Enabled),
        "suspended" => Ok(LifecycleCondition::Suspended),
        "ended" => Ok(LifecycleCondition::Ended),
        _ => Err(row.damaged_column(column, "a condition")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::SqlStatement;
    use crate::value::SqlValue;

    static CONDITION: SqlStatement = SqlStatement::new("robots.find", "SELECT condition FROM robots");

    #[test]
    fn lifecycle_condition_round_trips_and_other_text_is_damage() {
        for condition in
            [LifecycleCondition::Enabled, LifecycleCondition::Suspended, LifecycleCondition::Ended]
        {
            let row = SqlRow::new(&CONDITION, vec![SqlValue::from(condition_text(condition))]);
            assert_eq!(read_condition(&row, "condition"), Ok(condition));
        }
        let row = SqlRow::new(&CONDITION, vec![SqlValue::from("Enabled")]);
        assert_eq!(read_condition(&row, "condition"), Err(row.damaged_column("condition", "a condition")));
    }
}
