//! What a configuration key is: its name, its meaning, and the one function that understands its value.

use crate::config::Config;
use crate::config::problem::Problem;
use crate::config::raw::{Place, Raw};

/// A key whose value is a `T`.
pub struct Key<T> {
    /// Everything about the key that does not depend on the type of its value.
    pub entry: Entry,
    shape: Shape<T>,
}

/// What a key looks like from outside.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The name, with a dot before each deeper level.
    pub name: &'static str,
    /// What it is for, in a sentence or two.
    pub about: &'static str,
    /// What may stand there, as the end of a sentence that begins with "it takes".
    pub takes: &'static str,
    /// A value as a TOML file would hold it.
    pub example: &'static str,
    /// What counts when nobody says.
    pub fallback: Fallback,
    /// Whether the value is shown to nobody.
    pub secret: bool,
}

/// What counts when nobody says.
#[derive(Clone, Copy)]
pub enum Fallback {
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
enum Shape<T> {
    Text(fn(&str) -> Result<T, String>),
    Number(fn(i64) -> Result<T, String>),
    Flag(fn(bool) -> T),
    List(fn(&[String]) -> Result<T, String>),
}

impl<T> Key<T> {
    /// A key whose value is a text.
    pub const fn text(entry: Entry, read: fn(&str) -> Result<T, String>) -> Self {
        Self { entry, shape: Shape::Text(read) }
    }

    /// A key whose value is a whole number.
    pub const fn number(entry: Entry, read: fn(i64) -> Result<T, String>) -> Self {
        Self { entry, shape: Shape::Number(read) }
    }

    /// A key whose value is `true` or `false`.
    pub const fn flag(entry: Entry, read: fn(bool) -> T) -> Self {
        Self { entry, shape: Shape::Flag(read) }
    }

    /// A key whose value is a list of texts.
    pub const fn list(entry: Entry, read: fn(&[String]) -> Result<T, String>) -> Self {
        Self { entry, shape: Shape::List(read) }
    }

    /// The value, or why what was written is none, as a clause.
    pub fn read(&self, raw: &Raw) -> Result<T, String> {
        match (&self.shape, raw) {
            (Shape::Text(read), Raw::Text(text) | Raw::Word(text)) => read(text),
            (Shape::Number(read), Raw::Integer(number)) => read(*number),
            (Shape::Number(read), Raw::Word(word)) => {
                read(word.trim().parse().map_err(|_| format!("{word:?} is not a whole number"))?)
            }
            (Shape::Flag(read), Raw::Flag(flag)) => Ok(read(*flag)),
            (Shape::Flag(read), Raw::Word(word)) => {
                Ok(read(word.trim().parse().map_err(|_| format!("{word:?} is neither true nor false"))?))
            }
            (Shape::List(read), Raw::List(list)) => read(list),
            (Shape::List(read), Raw::Word(word)) => read(&split(word)),
            (shape, raw) => Err(format!("{} stands where {} belongs", raw.noun(), shape.noun())),
        }
    }
}

impl<T> Shape<T> {
    const fn noun(&self) -> &'static str {
        match self {
            Self::Text(_) => "a text in quotes",
            Self::Number(_) => "a whole number without quotes",
            Self::Flag(_) => "true or false without quotes",
            Self::List(_) => "a list of texts",
        }
    }
}

impl Raw {
    const fn noun(&self) -> &'static str {
        match self {
            Self::Word(_) | Self::Text(_) => "a text",
            Self::Integer(_) => "a number",
            Self::Flag(_) => "true or false",
            Self::List(_) => "a list",
            Self::Unfit(noun) => noun,
        }
    }
}

/// The items of a list in an environment variable: separated by commas, blanks around them ignored.
fn split(word: &str) -> Vec<String> {
    word.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

/// A key of any type, for the work that is the same for all of them.
pub trait AnyKey: Sync {
    /// What it looks like from outside.
    fn entry(&self) -> &Entry;
    /// Why what was written is not a value of this key, if it is not.
    fn fault(&self, raw: &Raw) -> Option<String>;
}

impl<T> AnyKey for Key<T> {
    fn entry(&self) -> &Entry {
        &self.entry
    }

    fn fault(&self, raw: &Raw) -> Option<String> {
        self.read(raw).err()
    }
}

impl Entry {
    /// A key with its meaning, what it takes and an example; nothing counts when nobody says.
    pub const fn new(
        name: &'static str,
        about: &'static str,
        takes: &'static str,
        example: &'static str,
    ) -> Self {
        Self { name, about, takes, example, fallback: Fallback::Unset("nothing"), secret: false }
    }

    /// The same key, with this value when nobody says.
    #[must_use]
    pub const fn or(mut self, value: &'static str) -> Self {
        self.fallback = Fallback::Fixed(value);
        self
    }

    /// The same key, with a value that follows from other keys when nobody says.
    #[must_use]
    pub const fn or_derived(mut self, words: &'static str, show: fn(&Config) -> String) -> Self {
        self.fallback = Fallback::Derived { words, show };
        self
    }

    /// The same key, with the meaning of nobody saying.
    #[must_use]
    pub const fn or_unset(mut self, words: &'static str) -> Self {
        self.fallback = Fallback::Unset(words);
        self
    }

    /// The same key, with a value shown to nobody.
    #[must_use]
    pub const fn secret(mut self) -> Self {
        self.secret = true;
        self
    }

    /// The problem that what was written there is not a value of this key.
    pub fn problem(&self, place: &Place, what: String) -> Problem {
        let example = match place {
            Place::File { .. } => self.in_file(),
            Place::Variable(variable) => self.in_environment(variable),
        };
        let mend = format!("it takes {}, for example {example}", self.takes.replace('`', ""));
        Problem { place: Some(place.clone()), key: Some(self.name.to_owned()), what, mend: Some(mend) }
    }

    /// The two spellings of the environment variable: two underscores for each dot, or one.
    pub fn variables(&self) -> Vec<String> {
        let spell = |dot| format!("SINETE_{}", self.name.replace('.', dot).to_ascii_uppercase());
        if self.name.contains('.') { vec![spell("__"), spell("_")] } else { vec![spell("_")] }
    }
}
