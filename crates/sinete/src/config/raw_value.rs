//! A value as somebody wrote it, before it is understood, and where it was written.

use std::fmt;
use std::path::PathBuf;
use url::Url;

/// A value as a file or the environment holds it.
#[derive(Clone, Debug, PartialEq)]
pub enum RawValue {
    /// Text of an environment variable, which has no type of its own.
    Word(String),
    /// Text in quotes.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// `true` or `false`.
    Flag(bool),
    /// A list of texts.
    List(Vec<String>),
    /// Something no key takes, by its name: a date, a fraction, a table.
    Unsupported(&'static str),
}

impl RawValue {
    /// Whether an address holds a password, in either of the two places one can stand.
    pub fn has_password(&self) -> bool {
        let (Self::Word(text) | Self::Text(text)) = self else { return false };
        Url::parse(text).is_ok_and(|url| {
            url.password().is_some() || url.query_pairs().any(|(name, _)| name == "password")
        })
    }
}

/// Where a value was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueLocation {
    /// In a file, at a line counted from one.
    File {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
    },
    /// In an environment variable.
    Variable(String),
}

impl fmt::Display for ValueLocation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line } => write!(out, "{}:{line}", path.display()),
            Self::Variable(name) => out.write_str(name),
        }
    }
}

/// One value somebody gave for a key.
#[derive(Clone, Debug, PartialEq)]
pub struct LocatedValue {
    /// What they wrote.
    pub raw: RawValue,
    /// Where they wrote it.
    pub location: ValueLocation,
}
