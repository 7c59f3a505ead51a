//! The security log and its chain, audit log, webhooks, event stream.

/// A page of a log with this value (`?7`) in a column, between two ids and two times. The bounds name column and id together,
/// so that no planner prefers the index of all entries of the organization, which would have to pass over every other
/// entry (docs/contribute/decisions/0332-console-lists-read-one-index-range.md).
macro_rules! page_of_value {
    ($column:literal, $more:expr, $order:literal) => {
        concat!(
            "(",
            $column,
            ", id) > (?7, ?2) AND (",
            $column,
            ", id) < (?7, ?3) AND at >= ?4 AND at < ?5",
            $more,
            " ORDER BY ",
            $column,
            $order,
            ", id",
            $order,
            " LIMIT ?6"
        )
    };
}

pub mod audit_log;
pub(crate) mod audit_log_address;
pub mod audit_log_names;
pub mod audit_retention;
pub mod log_archive;
pub mod log_chain;
pub mod log_verification;
pub mod security_log;
pub(crate) mod sign_in_entries;
pub mod usage;
pub mod webhooks;
