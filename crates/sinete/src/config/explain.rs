//! What a configuration came to: each value in force and where it came from, secrets hidden.

use crate::config::key::{Entry, Fallback};
use crate::config::raw::Raw;
use crate::config::{Loaded, keys};

/// One key, its value in force and its origin, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The key.
    pub key: &'static str,
    /// The value, or what stands for it where it is secret or not set.
    pub value: String,
    /// Where it came from.
    pub origin: String,
}

/// Every key, in the order of the reference.
pub fn lines(loaded: &Loaded) -> Vec<Line> {
    keys::ALL.iter().map(|key| line(key.entry(), loaded)).collect()
}

fn line(entry: &Entry, loaded: &Loaded) -> Line {
    let Some(given) = loaded.written.given(entry.name) else {
        let (value, origin) = match entry.fallback {
            Fallback::Fixed(word) => (word.to_owned(), "default".to_owned()),
            Fallback::Derived { words, show } => {
                (show(&loaded.config), format!("default: {}", words.replace('`', "")))
            }
            Fallback::Unset(words) => ("not set".to_owned(), words.replace('`', "")),
        };
        return Line { key: entry.name, value, origin };
    };
    let value = if entry.secret {
        "set, not shown".to_owned()
    } else if entry.name == keys::DATABASE_URL.entry.name {
        loaded.config.database.address.to_string()
    } else {
        plain(&given.raw)
    };
    Line { key: entry.name, value, origin: given.place.to_string() }
}

fn plain(raw: &Raw) -> String {
    match raw {
        Raw::Word(text) | Raw::Text(text) => text.clone(),
        Raw::Integer(number) => number.to_string(),
        Raw::Flag(flag) => flag.to_string(),
        Raw::List(items) => items.join(", "),
        Raw::Unfit(noun) => (*noun).to_owned(),
    }
}
