//! Reads of many rows by their ids: one statement for fifty of them instead of one each.

use crate::value::SqlValue;

/// Ids per statement.
const IDS_PER_STATEMENT: usize = 50;

/// The parameters of each statement: `first`, then the ids, padded by repeating some if there are fewer than it takes.
pub(crate) fn batch_parameters<Id: Copy + Into<SqlValue>>(
    first: impl Into<SqlValue> + Copy,
    ids: &[Id],
) -> impl Iterator<Item = Vec<SqlValue>> {
    ids.chunks(IDS_PER_STATEMENT).map(move |some| {
        let mut parameters: Vec<SqlValue> = vec![first.into()];
        parameters.extend(some.iter().cycle().take(IDS_PER_STATEMENT).map(|id| (*id).into()));
        parameters
    })
}

/// Matches any of the ids, which follow the first parameter.
macro_rules! any_in_batch {
    () => {
        "(?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, \
         ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, ?39, ?40, ?41, ?42, ?43, ?44, ?45, ?46, ?47, \
         ?48, ?49, ?50, ?51)"
    };
}
pub(crate) use any_in_batch;
