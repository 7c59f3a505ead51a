//! Configuration problems: one line each, reported together.

use crate::config::raw_value::ValueLocation;
use std::fmt;

/// A problem with its location and a fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// The location; `None` for a problem of the configuration as a whole.
    pub location: Option<ValueLocation>,
    /// The key, if the problem is about one.
    pub key: Option<String>,
    /// What is wrong, as a clause without a final period. Never contains a secret value.
    pub message: String,
    /// How to fix it, such as an example or the key that was probably meant.
    pub fix: Option<String>,
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(value_location) = &self.location {
            write!(out, "{value_location}: ")?;
        }
        if let Some(key) = &self.key {
            write!(out, "{key}: ")?;
        }
        out.write_str(&self.message)?;
        self.fix.as_ref().map_or(Ok(()), |remedy| write!(out, "; {remedy}"))
    }
}

/// All problems of a configuration, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblems(Vec<ConfigProblem>);

impl ConfigProblems {
    /// Returns an error if there are problems.
    pub fn require_none(problems: Vec<ConfigProblem>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self(problems)) }
    }

    /// Iterates over the problems in reading order.
    pub fn iter(&self) -> impl Iterator<Item = &ConfigProblem> {
        self.0.iter()
    }
}

impl From<ConfigProblem> for ConfigProblems {
    fn from(problem: ConfigProblem) -> Self {
        Self(vec![problem])
    }
}

impl fmt::Display for ConfigProblems {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            1 => out.write_str("the configuration has a problem; nothing was started or written")?,
            many => write!(out, "the configuration has {many} problems; nothing was started or written")?,
        }
        self.0.iter().try_for_each(|problem| write!(out, "\n  {problem}"))
    }
}

impl std::error::Error for ConfigProblems {}
