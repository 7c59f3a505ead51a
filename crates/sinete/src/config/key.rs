//! Configuration keys: name, description and parser.

use crate::config::Config;
use crate::config::problem::ConfigProblem;
use crate::config::raw_value::{RawValue, ValueLocation};

/// A key whose value is a `T`.
pub struct ConfigKey<T> {
    /// The part that does not depend on the type of the value.
    pub entry: ConfigKeyEntry,
    shape: ValueShape<T>,
}

/// The public description of a key.
#[derive(Clone, Copy)]
pub struct ConfigKeyEntry {
    /// The name, with dots between levels.
    pub name: &'static str,
    /// The description, in a sentence or two.
    pub description: &'static str,
    /// The accepted values, as the end of a sentence that begins with "it takes".
    pub accepted_values: &'static str,
    /// An example in TOML.
    pub example: &'static str,
    /// The default value.
    pub default_value: ConfigKeyDefault,
    /// Whether the value is secret.
    pub secret: bool,
}

/// The default of a key.
#[derive(Clone, Copy)]
pub enum ConfigKeyDefault {
    /// A fixed value, as in an environment variable.
    Fixed(&'static str),
    /// A value derived from other keys.
    Derived {
        /// A description of how it is derived.
        description: &'static str,
        /// Formats the derived value.
        show: fn(&Config) -> String,
    },
    /// None; the text says what that means.
    Unset(&'static str),
}

/// The type of the value, and its parser.
enum ValueShape<T> {
    Text(fn(&str) -> Result<T, String>),
    Number(fn(i64) -> Result<T, String>),
    Flag(fn(bool) -> T),
    List(fn(&[String]) -> Result<T, String>),
}

impl<T> ConfigKey<T> {
    /// A key with a string value.
    pub const fn text(entry: ConfigKeyEntry, read: fn(&str) -> Result<T, String>) -> Self {
        Self { entry, shape: ValueShape::Text(read) }
    }

    /// A key with an integer value.
    pub const fn number(entry: ConfigKeyEntry, read: fn(i64) -> Result<T, String>) -> Self {
        Self { entry, shape: ValueShape::Number(read) }
    }

    /// A key with a boolean value.
    pub const fn flag(entry: ConfigKeyEntry, read: fn(bool) -> T) -> Self {
        Self { entry, shape: ValueShape::Flag(read) }
    }

    /// A key with a list of strings.
    pub const fn list(entry: ConfigKeyEntry, read: fn(&[String]) -> Result<T, String>) -> Self {
        Self { entry, shape: ValueShape::List(read) }
    }

    /// Parses a value, or returns why it is invalid, as a clause.
    pub fn parse(&self, raw: &RawValue) -> Result<T, String> {
        match (&self.shape, raw) {
            (ValueShape::Text(read), RawValue::Text(text) | RawValue::Untyped(text)) => read(text),
            (ValueShape::Number(read), RawValue::Integer(number)) => read(*number),
            (ValueShape::Number(read), RawValue::Untyped(word)) => {
                read(word.trim().parse().map_err(|_| format!("{word:?} is not a whole number"))?)
            }
            (ValueShape::Flag(read), RawValue::Flag(flag)) => Ok(read(*flag)),
            (ValueShape::Flag(read), RawValue::Untyped(word)) => {
                Ok(read(word.trim().parse().map_err(|_| format!("{word:?} is neither true nor false"))?))
            }
            (ValueShape::List(read), RawValue::List(list)) => read(list),
            (ValueShape::List(read), RawValue::Untyped(word)) => read(&split_list(word)),
            (shape, raw) => Err(format!("must be {}, not {}", shape.describe(), raw.describe())),
        }
    }
}

impl<T> ValueShape<T> {
    const fn describe(&self) -> &'static str {
        match self {
            Self::Text(_) => "a text in quotes",
            Self::Number(_) => "a whole number without quotes",
            Self::Flag(_) => "true or false without quotes",
            Self::List(_) => "a list of texts",
        }
    }
}

impl RawValue {
    const fn describe(&self) -> &'static str {
        match self {
            Self::Untyped(_) | Self::Text(_) => "a text",
            Self::Integer(_) => "a number",
            Self::Flag(_) => "true or false",
            Self::List(_) => "a list",
            Self::Unsupported(noun) => noun,
        }
    }
}

/// Splits a list in an environment variable: separated by commas, surrounding spaces ignored.
fn split_list(word: &str) -> Vec<String> {
    word.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

/// A key of any type.
pub trait AnyKey: Sync {
    /// The public description.
    fn entry(&self) -> &ConfigKeyEntry;
    /// Why a value is invalid for this key; `None` if it is valid.
    fn fault(&self, raw: &RawValue) -> Option<String>;
}

impl<T> AnyKey for ConfigKey<T> {
    fn entry(&self) -> &ConfigKeyEntry {
        &self.entry
    }

    fn fault(&self, raw: &RawValue) -> Option<String> {
        self.parse(raw).err()
    }
}

impl ConfigKeyEntry {
    /// Creates a key with description, accepted values and example, without a default.
    pub const fn new(
        name: &'static str,
        description: &'static str,
        takes: &'static str,
        example: &'static str,
    ) -> Self {
        Self {
            name,
            description,
            accepted_values: takes,
            example,
            default_value: ConfigKeyDefault::Unset("nothing"),
            secret: false,
        }
    }

    /// Sets a fixed default.
    #[must_use]
    pub const fn with_default(mut self, value: &'static str) -> Self {
        self.default_value = ConfigKeyDefault::Fixed(value);
        self
    }

    /// Sets a default that is derived from other keys.
    #[must_use]
    pub const fn with_derived_default(mut self, words: &'static str, show: fn(&Config) -> String) -> Self {
        self.default_value = ConfigKeyDefault::Derived { description: words, show };
        self
    }

    /// Sets the meaning of not being set.
    #[must_use]
    pub const fn with_unset_meaning(mut self, words: &'static str) -> Self {
        self.default_value = ConfigKeyDefault::Unset(words);
        self
    }

    /// Marks the value as secret.
    #[must_use]
    pub const fn secret(mut self) -> Self {
        self.secret = true;
        self
    }

    /// Creates the problem of an invalid value.
    pub fn problem(&self, value_location: &ValueLocation, message: String) -> ConfigProblem {
        let example = match value_location {
            ValueLocation::File { .. } => self.file_example(),
            ValueLocation::Variable(variable) => self.environment_example(variable),
        };
        let remedy = format!("it takes {}, for example {example}", self.accepted_values.replace('`', ""));
        ConfigProblem {
            location: Some(value_location.clone()),
            key: Some(self.name.to_owned()),
            message,
            fix: Some(remedy),
        }
    }

    /// The two spellings of the environment variable: two underscores for each dot, or one.
    pub fn variable_names(&self) -> Vec<String> {
        let spell = |dot| format!("SINETE_{}", self.name.replace('.', dot).to_ascii_uppercase());
        if self.name.contains('.') { vec![spell("__"), spell("_")] } else { vec![spell("_")] }
    }
}
