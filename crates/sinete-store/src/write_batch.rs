//! Write batches: guarded statements that are committed together or not at all, with their security events.

use crate::statement::SqlStatement;
use crate::value::SqlValue;
use std::fmt;

/// A decision ready to be committed. The statements run in order, in one transaction.
///
/// To prevent deadlocks, a batch that changes several tables goes in this order: single-use item,
/// organization, membership, client, grant, session, and the log last. Two batches that conflict nevertheless
/// end as one commit and one [`GuardConflict`].
#[derive(Debug, Default)]
#[must_use = "a write batch changes nothing until it is committed"]
pub struct WriteBatch {
    guarded_statements: Vec<GuardedStatement>,
    /// Where the first statement that appends a security event is.
    first_event: Option<usize>,
}

/// A guarded statement with its parameters and the number of rows it must touch. Only functions of this crate
/// create one, so every statement that can run is named and listed.
#[derive(Debug)]
#[must_use = "a guarded statement does nothing outside a write batch"]
pub struct GuardedStatement {
    pub(crate) statement: &'static SqlStatement,
    pub(crate) parameters: Box<[SqlValue]>,
    pub(crate) rows: ExpectedRows,
}

/// How many rows a statement must touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpectedRows {
    /// Exactly one; otherwise the data has changed and nothing of the batch happens.
    One,
    /// Any number, including none.
    Any,
}

/// Proof that a batch is durable. Only a commit creates one, so a value that must not leave earlier can
/// require it.
#[derive(Debug)]
pub struct CommitReceipt(());

/// A guard did not match: the data the decision relied on has changed. Nothing of the batch happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardConflict {
    statement: &'static str,
}

/// The outcome of a batch.
#[derive(Debug)]
#[must_use = "a batch whose guard did not match has changed nothing"]
pub enum BatchOutcome {
    /// The batch is durable.
    Committed(CommitReceipt),
    /// A guard did not match, and nothing was changed.
    Conflict(GuardConflict),
}

impl BatchOutcome {
    /// Whether the batch is durable.
    pub const fn is_committed(&self) -> bool {
        matches!(self, Self::Committed(_))
    }

    /// The receipt; a conflict is an error.
    pub fn into_result(self) -> Result<CommitReceipt, GuardConflict> {
        match self {
            Self::Committed(receipt) => Ok(receipt),
            Self::Conflict(conflict) => Err(conflict),
        }
    }
}

impl WriteBatch {
    /// An empty batch.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a statement at the end.
    pub fn with_statement(mut self, step: GuardedStatement) -> Self {
        self.guarded_statements.push(step);
        self
    }

    /// Adds a statement that appends a security event, whose id is its first parameter.
    pub(crate) fn with_event_statement(mut self, step: GuardedStatement) -> Self {
        self.first_event = self.first_event.or(Some(self.guarded_statements.len()));
        self.with_statement(step)
    }

    /// The id of a security event that the batch appends, if any. No other batch writes a row with this id.
    pub(crate) fn recorded_event_id(&self) -> Option<&SqlValue> {
        self.guarded_statements.get(self.first_event?).and_then(|step| step.parameters.first())
    }

    /// Adds all statements of another batch at the end.
    pub fn append(mut self, other: Self) -> Self {
        let index = self.guarded_statements.len();
        self.first_event = self.first_event.or_else(|| other.first_event.map(|event| index + event));
        self.guarded_statements.extend(other.guarded_statements);
        self
    }

    /// Adds a statement, unless the batch already contains the same one.
    pub fn with_statement_once(self, step: GuardedStatement) -> Self {
        let is_there = self
            .guarded_statements
            .iter()
            .any(|statement| statement.statement.name() == step.statement.name());
        if is_there { self } else { self.with_statement(step) }
    }

    /// Adds statements at the end, in order.
    pub fn with_statements(mut self, steps: impl IntoIterator<Item = GuardedStatement>) -> Self {
        self.guarded_statements.extend(steps);
        self
    }

    /// Whether it contains no statement.
    pub const fn is_empty(&self) -> bool {
        self.guarded_statements.is_empty()
    }

    pub(crate) fn statements(&self) -> &[GuardedStatement] {
        &self.guarded_statements
    }
}

impl GuardedStatement {
    /// A statement that must touch exactly one row.
    pub(crate) fn exactly_one(
        statement: &'static SqlStatement,
        parameters: impl Into<Box<[SqlValue]>>,
    ) -> Self {
        Self { statement, parameters: parameters.into(), rows: ExpectedRows::One }
    }

    /// A statement that touches any number of rows, including none.
    pub(crate) fn any_number(
        statement: &'static SqlStatement,
        parameters: impl Into<Box<[SqlValue]>>,
    ) -> Self {
        Self { statement, parameters: parameters.into(), rows: ExpectedRows::Any }
    }

    /// Checks the guard against the number of touched rows.
    pub(crate) fn check_rows(&self, touched: u64) -> Result<(), GuardConflict> {
        match self.rows {
            ExpectedRows::One if touched != 1 => Err(self.conflict()),
            ExpectedRows::One | ExpectedRows::Any => Ok(()),
        }
    }

    /// The conflict of this statement.
    pub(crate) const fn conflict(&self) -> GuardConflict {
        GuardConflict { statement: self.statement.name() }
    }
}

impl CommitReceipt {
    /// For the drivers, once the database has confirmed that the batch is durable, and for an empty batch.
    pub(crate) const fn issue() -> Self {
        Self(())
    }
}

impl GuardConflict {
    /// A conflict that appears only at the end of the transaction.
    pub(crate) const AT_COMMIT: Self = Self { statement: "commit" };

    /// The name of the statement whose guard did not match.
    pub const fn statement(&self) -> &'static str {
        self.statement
    }
}

impl fmt::Display for GuardConflict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the guard of {} did not match", self.statement)
    }
}
