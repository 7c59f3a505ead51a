//! Explains a configuration: each effective value and its origin, with secrets hidden.

use crate::config::key::{ConfigKeyDefault, ConfigKeyEntry};
use crate::config::raw_value::RawValue;
use crate::config::{LoadedConfig, keys};

/// A key with its effective value and origin, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedSetting {
    /// The key.
    pub key: &'static str,
    /// The value, or a placeholder if it is secret or not set.
    pub value: String,
    /// The origin.
    pub origin: String,
}

/// Explains all keys, in the order of the reference.
pub fn explain_settings(loaded: &LoadedConfig) -> Vec<ExplainedSetting> {
    keys::ALL.iter().map(|key| explain_setting(key.entry(), loaded)).collect()
}

fn explain_setting(entry: &ConfigKeyEntry, loaded: &LoadedConfig) -> ExplainedSetting {
    let Some(located_value) = loaded.origins.effective_value(entry.name) else {
        let (value, origin) = match entry.default_value {
            ConfigKeyDefault::Fixed(word) => (word.to_owned(), "default".to_owned()),
            ConfigKeyDefault::Derived { description: words, show } => {
                (show(&loaded.config), format!("default: {}", words.replace('`', "")))
            }
            ConfigKeyDefault::Unset(words) => ("not set".to_owned(), words.replace('`', "")),
        };
        return ExplainedSetting { key: entry.name, value, origin };
    };
    let value = if entry.secret {
        "set, not shown".to_owned()
    } else if entry.name == keys::DATABASE_URL.entry.name {
        loaded.config.database.address.to_string()
    } else {
        to_plain_text(&located_value.raw)
    };
    ExplainedSetting { key: entry.name, value, origin: located_value.location.to_string() }
}

fn to_plain_text(raw: &RawValue) -> String {
    match raw {
        RawValue::Untyped(text) | RawValue::Text(text) => text.clone(),
        RawValue::Integer(number) => number.to_string(),
        RawValue::Flag(flag) => flag.to_string(),
        RawValue::List(items) => items.join(", "),
        RawValue::Unsupported(noun) => (*noun).to_owned(),
    }
}
