//! What is committed: guarded statements, all of them or none, with the security events they cause.

use crate::statement::SqlStatement;
use crate::value::SqlValue;
use std::fmt;

/// A decision ready to be carried out. The steps are applied in order, in one transaction.
///
/// An act that changes several things goes from the top down, so that no two acts wait for each other: what is
/// spent, then organization, membership, client, grant, session, and last the log. Two that meet all
/// the same end as one that happened and one [`GuardConflict`].
#[derive(Debug, Default)]
#[must_use = "an act changes nothing until it is committed"]
pub struct WriteBatch {
    steps: Vec<GuardedStatement>,
}

/// One guarded statement with its parameters and the number of rows it must touch. Only the verbs of this
/// crate make one, so every statement that can run has a name and a place.
#[derive(Debug)]
#[must_use = "a step does nothing outside an act"]
pub struct GuardedStatement {
    pub(crate) statement: &'static SqlStatement,
    pub(crate) parameters: Box<[SqlValue]>,
    pub(crate) rows: ExpectedRows,
}

/// How many rows a step must touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpectedRows {
    /// One, or the facts have changed and nothing of the act happens.
    One,
    /// As many as there are, none included.
    Any,
}

/// Proof that an act is durable. Only a commit makes one, so what must not leave before is made to need it.
#[derive(Debug)]
pub struct CommitReceipt(());

/// A guard did not match: what the decision stood on has changed meanwhile. Nothing of the act happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardConflict {
    statement: &'static str,
}

impl WriteBatch {
    /// An act that does nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// One more step, after those already there.
    pub fn with_statement(mut self, step: GuardedStatement) -> Self {
        self.steps.push(step);
        self
    }

    /// Everything of another act, after what is already there.
    pub fn append(mut self, other: Self) -> Self {
        self.steps.extend(other.steps);
        self
    }

    /// One more step, unless the act has one of the same statement already.
    pub fn with_statement_once(self, step: GuardedStatement) -> Self {
        let is_there = self.steps.iter().any(|known| known.statement.name() == step.statement.name());
        if is_there { self } else { self.with_statement(step) }
    }

    /// More steps, in their order.
    pub fn with_statements(mut self, steps: impl IntoIterator<Item = GuardedStatement>) -> Self {
        self.steps.extend(steps);
        self
    }

    /// Whether there is nothing to do.
    pub const fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    pub(crate) fn statements(&self) -> &[GuardedStatement] {
        &self.steps
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

    /// A statement that touches as many rows as there are, none included.
    pub(crate) fn any_number(
        statement: &'static SqlStatement,
        parameters: impl Into<Box<[SqlValue]>>,
    ) -> Self {
        Self { statement, parameters: parameters.into(), rows: ExpectedRows::Any }
    }

    /// Whether the guard held, judged by the number of rows that were touched.
    pub(crate) fn check_rows(&self, touched: u64) -> Result<(), GuardConflict> {
        match self.rows {
            ExpectedRows::One if touched != 1 => Err(self.conflict()),
            ExpectedRows::One | ExpectedRows::Any => Ok(()),
        }
    }

    /// That this step found the facts changed.
    pub(crate) const fn conflict(&self) -> GuardConflict {
        GuardConflict { statement: self.statement.name() }
    }
}

impl CommitReceipt {
    /// For the drivers, once the database has confirmed that the act is durable, and for an act that asks
    /// nothing of it.
    pub(crate) const fn issue() -> Self {
        Self(())
    }
}

impl GuardConflict {
    /// A conflict that shows only as the transaction ends.
    pub(crate) const AT_COMMIT: Self = Self { statement: "commit" };

    /// The name of the statement whose guard did not match.
    pub const fn statement(&self) -> &'static str {
        self.statement
    }
}

impl fmt::Display for GuardConflict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} found the facts changed", self.statement)
    }
}
