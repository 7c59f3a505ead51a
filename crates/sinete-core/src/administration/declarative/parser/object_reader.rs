//! Reads one object of a declarative document, and reports each error with its location.

use crate::administration::declarative::escape_pointer_segment;
use crate::validation::ValidationErrors;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

/// Reads a JSON object, each member at most once.
pub(super) struct DeclarativeObjectReader<'a> {
    pointer: String,
    pub(super) members: Map<String, Value>,
    pub(super) faults: &'a mut ValidationErrors,
}

impl<'a> DeclarativeObjectReader<'a> {
    pub(super) fn from_value(
        pointer: impl Into<String>,
        raw: &Value,
        errors: &'a mut ValidationErrors,
    ) -> Option<Self> {
        let pointer = pointer.into();
        match raw {
            Value::Object(members) => Some(Self { pointer, members: members.clone(), faults: errors }),
            _ => {
                errors.add(pointer, "must be a table");
                None
            }
        }
    }

    pub(super) fn member_pointer(&self, name: &str) -> String {
        format!("{}/{}", self.pointer, escape_pointer_segment(name))
    }

    pub(super) fn add_fault(&mut self, name: &str, reason: impl Display) {
        let pointer = self.member_pointer(name);
        self.faults.add(pointer, reason.to_string());
    }

    /// Reads an optional member.
    pub(super) fn read_optional<T: DeserializeOwned>(&mut self, name: &str) -> Option<T> {
        let raw = self.members.remove(name)?;
        serde_json::from_value(raw).map_err(|error| self.add_fault(name, error)).ok()
    }

    /// Reads a required member.
    pub(super) fn read_required<T: DeserializeOwned>(&mut self, name: &str) -> Option<T> {
        if !self.members.contains_key(name) {
            self.add_fault(name, "is required");
        }
        self.read_optional(name)
    }

    /// Reads a member whose value is a map from names to objects.
    pub(super) fn read_map<K, V>(
        &mut self,
        name: &str,
        read: fn(&mut DeclarativeObjectReader<'_>) -> Option<V>,
    ) -> BTreeMap<K, V>
    where
        K: FromStr<Err: Display> + Ord,
    {
        let Some(raw) = self.members.remove(name) else { return BTreeMap::new() };
        let Some(table) = DeclarativeObjectReader::from_value(self.member_pointer(name), &raw, self.faults)
        else {
            return BTreeMap::new();
        };
        let DeclarativeObjectReader { pointer, members, faults: errors } = table;
        let mut entries = BTreeMap::new();
        for (name, raw) in members {
            let member_pointer = format!("{pointer}/{}", escape_pointer_segment(&name));
            let key = name
                .parse::<K>()
                .map_err(|reason| errors.add(member_pointer.clone(), reason.to_string()))
                .ok();
            let Some(mut part) = DeclarativeObjectReader::from_value(member_pointer, &raw, errors) else {
                continue;
            };
            let value = read(&mut part);
            part.finish();
            if let (Some(key), Some(value)) = (key, value) {
                entries.insert(key, value);
            }
        }
        entries
    }

    /// Reads a list and parses each item separately, so that one invalid item does not hide errors in others.
    pub(super) fn read_list<T: DeserializeOwned>(&mut self, name: &str) -> Option<Vec<T>> {
        let items: Vec<Value> = self.read_required(name)?;
        let mut read = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            match serde_json::from_value(item) {
                Ok(item) => read.push(item),
                Err(error) => self.faults.add(format!("{}/{name}/{index}", self.pointer), error.to_string()),
            }
        }
        Some(read)
    }

    /// Reads an object in which every member has a default, so that each member can be validated separately.
    pub(super) fn read_defaulted<T>(&mut self, name: &str, known_members: &[&str]) -> T
    where
        T: DeserializeOwned + Default,
    {
        let Some(raw) = self.members.remove(name) else { return T::default() };
        let Some(part) = DeclarativeObjectReader::from_value(self.member_pointer(name), &raw, self.faults)
        else {
            return T::default();
        };
        let DeclarativeObjectReader { pointer, members, faults: errors } = part;
        let mut fit = Map::new();
        for (name, raw) in members {
            let alone = Map::from_iter([(name.clone(), raw.clone())]);
            let member_pointer = format!("{pointer}/{}", escape_pointer_segment(&name));
            if !known_members.contains(&name.as_str()) {
                errors.add(member_pointer, "is not a known member; remove it");
            } else if let Err(error) = serde_json::from_value::<T>(Value::Object(alone)) {
                errors.add(member_pointer, error.to_string());
            } else {
                fit.insert(name, raw);
            }
        }
        serde_json::from_value(Value::Object(fit)).unwrap_or_default()
    }

    /// Reports every member that was not read as unknown.
    pub(super) fn finish(self) {
        for name in self.members.keys() {
            self.faults.add(
                format!("{}/{}", self.pointer, escape_pointer_segment(name)),
                "is not a known member; remove it",
            );
        }
    }
}
