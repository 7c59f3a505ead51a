//! The states of a request that waits for a user's answer on another device.

use crate::failure::StoreFailure;
use crate::row::SqlRow;
use sinete_core::id::GrantId;

/// The state of a device authorization or CIBA request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeferredGrantState {
    /// Not answered yet.
    Waiting,
    /// Approved, with this grant.
    Approved(GrantId),
    /// Denied.
    Denied,
    /// The grant was redeemed.
    Spent(GrantId),
}

/// Reads the state from four columns: the grant, and when it was approved, denied and redeemed.
pub(crate) fn read_deferred_state(row: &SqlRow) -> Result<DeferredGrantState, StoreFailure> {
    let grant = row.optional_id("grant_id")?;
    let [approved, denied, spent] =
        ["approved_at", "denied_at", "spent_at"].map(|name| row.optional_timestamp(name));
    match (grant, approved?.is_some(), denied?.is_some(), spent?.is_some()) {
        (None, false, false, false) => Ok(DeferredGrantState::Waiting),
        (Some(grant), true, false, false) => Ok(DeferredGrantState::Approved(grant)),
        (None, false, true, false) => Ok(DeferredGrantState::Denied),
        (Some(grant), true, false, true) => Ok(DeferredGrantState::Spent(grant)),
        _ => Err(row.damaged_column("grant_id", "the state of a request")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::SqlStatement;
    use crate::value::SqlValue;

    static STATES: SqlStatement =
        SqlStatement::new("states.find", "SELECT grant_id, approved_at, denied_at, spent_at FROM states");

    #[test]
    fn deferred_grant_state_is_one_of_four() {
        let grant = GrantId::from_bytes([1; 16]);
        let states = [
            (
                [SqlValue::Null, SqlValue::Null, SqlValue::Null, SqlValue::Null],
                Some(DeferredGrantState::Waiting),
            ),
            (
                [grant.into(), 5_i64.into(), SqlValue::Null, SqlValue::Null],
                Some(DeferredGrantState::Approved(grant)),
            ),
            (
                [SqlValue::Null, SqlValue::Null, 5_i64.into(), SqlValue::Null],
                Some(DeferredGrantState::Denied),
            ),
            (
                [grant.into(), 5_i64.into(), SqlValue::Null, 6_i64.into()],
                Some(DeferredGrantState::Spent(grant)),
            ),
            ([SqlValue::Null, 5_i64.into(), SqlValue::Null, SqlValue::Null], None),
            ([grant.into(), 5_i64.into(), 5_i64.into(), SqlValue::Null], None),
            ([SqlValue::Null, SqlValue::Null, SqlValue::Null, 6_i64.into()], None),
        ];
        for (columns, expected) in states {
            let row = SqlRow::new(&STATES, columns.to_vec());
            assert_eq!(read_deferred_state(&row).ok(), expected, "{row:?}");
        }
    }
}
