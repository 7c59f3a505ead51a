//! Unparsed configuration values with their locations.

use std::fmt;
use std::path::PathBuf;
use url::Url;

/// A value as in a file or the environment.
#[derive(Clone, Debug, PartialEq)]
pub enum RawValue {
    /// An untyped value of an environment variable.
    Untyped(String),
    /// A string.
    Text(String),
    /// An integer.
    Integer(i64),
    /// A boolean.
    Flag(bool),
    /// A list of strings.
    List(Vec<String>),
    /// An unsupported TOML type, by its name: a date, a fraction, a table.
    Unsupported(&'static str),
}

impl RawValue {
    /// Whether a URL contains a password, in the user information or the query.
    pub fn has_password(&self) -> bool {
        let (Self::Untyped(text) | Self::Text(text)) = self else { return false };
        Url::parse(text).is_ok_and(|url| {
            url.password().is_some() || url.query_pairs().any(|(name, _)| name == "password")
        })
    }
}

/// The location of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueLocation {
    /// A file and a line, starting at one.
    File {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
    },
    /// An environment variable.
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

/// A value with its location.
#[derive(Clone, Debug, PartialEq)]
pub struct LocatedValue {
    /// The value.
    pub raw: RawValue,
    /// The location.
    pub location: ValueLocation,
}
