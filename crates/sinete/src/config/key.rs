//! What a configuration key is: its name, its meaning, and the one function that understands its value.

use crate::config::Config;
use crate::config::problem::ConfigProblem;
use crate::config::raw_value::{RawValue, ValueLocation};

/// A key whose value is a `T`.
pub struct ConfigKey<T> {
    /// Everything about the key that does not depend on the type of its value.
    pub entry: ConfigKeyEntry,
    shape: ValueShape<T>,
}

/// What a key looks like from outside.
#[derive(Clone, Copy)]
pub struct ConfigKeyEntry {
    /// The name, with a dot before each deeper level.
    pub name: &'static str,
    /// What it is for, in a sentence or two.
    pub description: &'static str,
    /// What may stand there, as the end of a sentence that begins with "it takes".
    pub accepted_values: &'static str,
    /// A value as a TOML file would hold it.
    pub example: &'static str,
    /// What counts when nobody says.
    pub default_value: DefaultValue,
    /// Whether the value is shown to nobody.
    pub secret: bool,
}

/// What counts when nobody says.
#[derive(Clone, Copy)]
pub enum DefaultValue {
    /// Always this value, written as an environment variable would hold it.
    Fixed(&'static str),
    /// A value that follows from other keys.
    Derived {
        /// How it follows, in words.
        words: &'static str,
        /// The value it came to.
        show: fn(&Config) -> String,
    },
    /// Nothing; the words say what that means.
    Unset(&'static str),
}

/// How the value is written, and what is made of it.
enum ValueShape<T> {
    Text(fn(&str) -> Result<T, String>),
    Number(fn(i64) -> Result<T, String>),
    Flag(fn(bool) -> T),
    List(fn(&[String]) -> Result<T, String>),
}

impl<T> ConfigKey<T> {
    /// A key whose value is a text.
    pub const fn text(entry: ConfigKeyEntry, read: fn(&str) -> Result<T, String>) -> Self {
        Self { entry, shape: ValueShape::Text(read) }
    }

    /// A key whose value is a whole number.
    pub const fn number(entry: ConfigKeyEntry, read: fn(i64) -> Result<T, String>) -> Self {
        Self { entry, shape: ValueShape::Number(read) }
    }

    /// A key whose value is `true` or `false`.
    pub const fn flag(entry: ConfigKeyEntry, read: fn(bool) -> T) -> Self {
        Self { entry, shape: ValueShape::Flag(read) }
    }

    /// A key whose value is a list of texts.
    pub const fn list(entry: ConfigKeyEntry, read: fn(&[String]) -> Result<T, String>) -> Self {
        Self { entry, shape: ValueShape::List(read) }
    }

    /// The value, or why what was written is none, as a clause.
    pub fn parse(&self, raw: &RawValue) -> Result<T, String> {
        match (&self.shape, raw) {
            (ValueShape::Text(read), RawValue::Text(text) | RawValue::Word(text)) => read(text),
            (ValueShape::Number(read), RawValue::Integer(number)) => read(*number),
            (ValueShape::Number(read), RawValue::Word(word)) => {
                read(word.trim().parse().map_err(|_| format!("{word:?} is not a whole number"))?)
            }
            (ValueShape::Flag(read), RawValue::Flag(flag)) => Ok(read(*flag)),
            (ValueShape::Flag(read), RawValue::Word(word)) => {
                Ok(read(word.trim().parse().map_err(|_| format!("{word:?} is neither true nor false"))?))
            }
            (ValueShape::List(read), RawValue::List(list)) => read(list),
            (ValueShape::List(read), RawValue::Word(word)) => read(&split_list(word)),
            (shape, raw) => Err(format!("{} stands where {} belongs", raw.noun(), shape.noun())),
        }
    }
}

impl<T> ValueShape<T> {
    const fn noun(&self) -> &'static str {
        match self {
            Self::Text(_) => "a text in quotes",
            Self::Number(_) => "a whole number without quotes",
            Self::Flag(_) => "true or false without quotes",
            Self::List(_) => "a list of texts",
        }
    }
}

impl RawValue {
    const fn noun(&self) -> &'static str {
        match self {
            Self::Word(_) | Self::Text(_) => "a text",
            Self::Integer(_) => "a number",
            Self::Flag(_) => "true or false",
            Self::List(_) => "a list",
            Self::Unsupported(noun) => noun,
        }
    }
}

/// The items of a list in an environment variable: separated by commas, blanks around them ignored.
fn split_list(word: &str) -> Vec<String> {
    word.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

/// A key of any type, for the work that is the same for all of them.
pub trait AnyKey: Sync {
    /// What it looks like from outside.
    fn entry(&self) -> &ConfigKeyEntry;
    /// Why what was written is not a value of this key, if it is not.
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
    /// A key with its meaning, what it takes and an example; nothing counts when nobody says.
    pub const fn new(
        name: &'static str,
        about: &'static str,
        takes: &'static str,
        example: &'static str,
    ) -> Self {
        Self {
            name,
            description: about,
            accepted_values: takes,
            example,
            default_value: DefaultValue::Unset("nothing"),
            secret: false,
        }
    }

    /// The same key, with this value when nobody says.
    #[must_use]
    pub const fn with_default(mut self, value: &'static str) -> Self {
        self.default_value = DefaultValue::Fixed(value);
        self
    }

    /// The same key, with a value that follows from other keys when nobody says.
    #[must_use]
    pub const fn with_derived_default(mut self, words: &'static str, show: fn(&Config) -> String) -> Self {
        self.default_value = DefaultValue::Derived { words, show };
        self
    }

    /// The same key, with the meaning of nobody saying.
    #[must_use]
    pub const fn with_unset_meaning(mut self, words: &'static str) -> Self {
        self.default_value = DefaultValue::Unset(words);
        self
    }

    /// The same key, with a value shown to nobody.
    #[must_use]
    pub const fn secret(mut self) -> Self {
        self.secret = true;
        self
    }

    /// The problem that what was written there is not a value of this key.
    pub fn problem(&self, place: &ValueLocation, what: String) -> ConfigProblem {
        let example = match place {
            ValueLocation::File { .. } => self.file_example(),
            ValueLocation::Variable(variable) => self.environment_example(variable),
        };
        let mend = format!("it takes {}, for example {example}", self.accepted_values.replace('`', ""));
        ConfigProblem {
            location: Some(place.clone()),
            key: Some(self.name.to_owned()),
            message: what,
            fix: Some(mend),
        }
    }

    /// The two spellings of the environment variable: two underscores for each dot, or one.
    pub fn variable_names(&self) -> Vec<String> {
        let spell = |dot| format!("SINETE_{}", self.name.replace('.', dot).to_ascii_uppercase());
        if self.name.contains('.') { vec![spell("__"), spell("_")] } else { vec![spell("_")] }
    }
}
