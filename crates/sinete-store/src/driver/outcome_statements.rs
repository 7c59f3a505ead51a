//! The statements that the driver itself runs to find out whether a commit took effect.

use crate::statement::SqlStatement;

/// Whether there is a security event of this id.
pub(crate) static EVENT_EXISTS: SqlStatement =
    SqlStatement::new("security_log.exists", "SELECT 1 FROM security_log WHERE id = ?1");

/// Writes to the dedicated row. It increments, because SQLite does not write a value that does not change.
pub(crate) static COUNT_WRITE_CHECK: SqlStatement =
    SqlStatement::new("write_check.count", "UPDATE write_check SET checks = checks + 1 WHERE id = 1");

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&EVENT_EXISTS, &COUNT_WRITE_CHECK];
