//! What a request that waits for a person's answer can have become.

use crate::failed::Failed;
use crate::row::Row;
use sinete_core::id::GrantId;

/// The state of a request that a person answers on another device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nobody has answered.
    Waiting,
    /// The person agreed, and this grant came of it.
    Approved(GrantId),
    /// The person refused.
    Denied,
    /// The grant was handed over.
    Spent(GrantId),
}

/// The state in four columns: the grant, and when it was approved, denied and spent.
pub(crate) fn read(row: &Row, column: usize) -> Result<State, Failed> {
    let grant = row.optional_id(column)?;
    let [approved, denied, spent] = [1, 2, 3].map(|place| row.optional_timestamp(column + place));
    match (grant, approved?.is_some(), denied?.is_some(), spent?.is_some()) {
        (None, false, false, false) => Ok(State::Waiting),
        (Some(grant), true, false, false) => Ok(State::Approved(grant)),
        (None, false, true, false) => Ok(State::Denied),
        (Some(grant), true, false, true) => Ok(State::Spent(grant)),
        _ => Err(row.damaged(column, "the state of a request")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    #[test]
    fn only_the_four_states_are_states() {
        let grant = GrantId::from_bytes([1; 16]);
        let states = [
            ([Value::Null, Value::Null, Value::Null, Value::Null], Some(State::Waiting)),
            ([grant.into(), 5_i64.into(), Value::Null, Value::Null], Some(State::Approved(grant))),
            ([Value::Null, Value::Null, 5_i64.into(), Value::Null], Some(State::Denied)),
            ([grant.into(), 5_i64.into(), Value::Null, 6_i64.into()], Some(State::Spent(grant))),
            ([Value::Null, 5_i64.into(), Value::Null, Value::Null], None),
            ([grant.into(), 5_i64.into(), 5_i64.into(), Value::Null], None),
            ([Value::Null, Value::Null, Value::Null, 6_i64.into()], None),
        ];
        for (columns, expected) in states {
            let row = Row::new("t.v", columns.to_vec());
            assert_eq!(read(&row, 0).ok(), expected, "{row:?}");
        }
    }
}
