//! Environment variables: every key has one, and an unknown `SINETE_` variable is an error.

use crate::config::key::AnyKey;
use crate::config::keys;
use crate::config::problem::ConfigProblem;
use crate::config::raw_value::{LocatedValue, RawValue, ValueLocation};
use crate::config::suggestion::find_nearest_name;
use std::collections::BTreeMap;
use std::ffi::OsString;

/// The prefix of our variables.
const PREFIX: &str = "SINETE_";

/// The environment variables of the process. Only this type reads the environment.
#[derive(Clone, Debug, Default)]
pub struct Environment(BTreeMap<String, Option<String>>);

/// The values and errors found in the environment.
#[derive(Debug, Default)]
pub struct EnvironmentContents {
    /// The known keys that it sets.
    pub values: Vec<(&'static str, LocatedValue)>,
    /// Unknown, duplicate or non-UTF-8 variables.
    pub problems: Vec<ConfigProblem>,
}

impl Environment {
    /// The environment of this process.
    pub fn from_process() -> Self {
        Self::from_pairs(std::env::vars_os())
    }

    /// An environment with these variables.
    pub fn from_pairs<N: Into<OsString>, V: Into<OsString>>(pairs: impl IntoIterator<Item = (N, V)>) -> Self {
        let readable = pairs.into_iter().filter_map(|(name, value)| {
            let name = name.into().into_string().ok()?;
            Some((name, value.into().into_string().ok()))
        });
        Self(readable.collect())
    }

    /// The value of a variable. An empty one counts as not set, as is common where variables are passed
    /// through.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_deref().filter(|value| !value.is_empty())
    }

    /// Reads all keys, and reports unknown variables.
    pub fn read_keys(&self) -> EnvironmentContents {
        let mut contents = EnvironmentContents::default();
        for key in keys::ALL {
            self.read_key(*key, &mut contents);
        }
        for (name, value) in &self.0 {
            if value.is_none() && name.starts_with(PREFIX) {
                contents.problems.push(variable_problem(name, "is not UTF-8 text".to_owned(), None));
            } else if value.as_deref() != Some("") && is_sinete_variable(name) && !is_known_variable(name) {
                contents.problems.push(unknown_variable(name));
            }
        }
        contents
    }

    fn read_key(&self, key: &dyn AnyKey, contents: &mut EnvironmentContents) {
        let set: Vec<_> = key
            .entry()
            .variable_names()
            .into_iter()
            .filter_map(|name| self.get(&name).map(|value| (name.clone(), value.to_owned())))
            .collect();
        if let [(one, _), (other, _)] = &set[..] {
            let message = format!("is set, and so is {other}: both mean {}", key.entry().name);
            contents.problems.push(variable_problem(one, message, Some("remove one of them".to_owned())));
        }
        if let Some((name, value)) = set.into_iter().next() {
            let located_value =
                LocatedValue { raw: RawValue::Untyped(value), location: ValueLocation::Variable(name) };
            contents.values.push((key.entry().name, located_value));
        }
    }
}

fn variable_problem(name: &str, message: String, remedy: Option<String>) -> ConfigProblem {
    ConfigProblem {
        location: Some(ValueLocation::Variable(name.to_owned())),
        key: None,
        message,
        fix: remedy,
    }
}

fn unknown_variable(name: &str) -> ConfigProblem {
    let variables = all_variables();
    let without_prefix = |name| str::strip_prefix(name, PREFIX).unwrap_or(name);
    let near = find_nearest_name(without_prefix(name), variables.iter().map(|name| without_prefix(name)));
    let remedy = near.map(|near| format!("did you mean {PREFIX}{near}?"));
    let remedy = remedy.unwrap_or_else(|| "`sinete config reference` lists every variable".to_owned());
    variable_problem(name, "there is no such key".to_owned(), Some(remedy))
}

fn all_variables() -> Vec<String> {
    keys::ALL.iter().flat_map(|key| key.entry().variable_names()).collect()
}

fn is_known_variable(name: &str) -> bool {
    name == "SINETE_CONFIG" || all_variables().iter().any(|variable| variable == name)
}

/// Whether a variable must be one of ours. Tests have their own, and in Kubernetes a service called `sinete`
/// sets some with our prefix: see decision 0004.
fn is_sinete_variable(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(PREFIX) else { return false };
    let of_tests = rest.starts_with("TEST_");
    let of_cluster = rest == "PORT"
        || rest.starts_with("PORT_")
        || rest == "SERVICE_HOST"
        || rest.starts_with("SERVICE_PORT");
    !of_tests && !of_cluster
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pairs: &[(&str, &str)]) -> Vec<String> {
        Environment::from_pairs(pairs.iter().copied())
            .read_keys()
            .problems
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn environment_variable_of_a_nested_key_is_read_in_either_spelling() {
        for name in ["SINETE_SCREENS_ENABLED", "SINETE_SCREENS__ENABLED"] {
            let contents = Environment::from_pairs([(name, "false")]).read_keys();
            let (key, located_value) = &contents.values[0];
            assert_eq!(
                (*key, &located_value.raw),
                ("screens.enabled", &RawValue::Untyped("false".to_owned()))
            );
            assert_eq!(located_value.location.to_string(), name);
            assert_eq!(contents.problems, []);
        }
    }

    #[test]
    fn environment_variable_in_both_spellings_is_refused() {
        let problems = lines(&[("SINETE_SCREENS_ENABLED", "false"), ("SINETE_SCREENS__ENABLED", "true")]);
        let expected = "SINETE_SCREENS__ENABLED: is set, and so is SINETE_SCREENS_ENABLED: \
                        both mean screens.enabled; remove one of them";
        assert_eq!(problems, [expected]);
    }

    #[test]
    fn unknown_sinete_environment_variable_is_refused_and_an_empty_one_is_ignored() {
        assert_eq!(
            lines(&[("SINETE_LISTN", "127.0.0.1:80"), ("SINETE_COLOUR", ""), ("LISTEN", "x")]),
            ["SINETE_LISTN: there is no such key; did you mean SINETE_LISTEN?"]
        );
    }

    #[test]
    fn kubernetes_and_test_environment_variables_are_ignored() {
        let cluster = [
            ("SINETE_PORT", "tcp://10.0.0.1:8080"),
            ("SINETE_PORT_8080_TCP_ADDR", "10.0.0.1"),
            ("SINETE_SERVICE_HOST", "10.0.0.1"),
            ("SINETE_SERVICE_PORT", "8080"),
            ("SINETE_SERVICE_PORT_HTTP", "8080"),
            ("SINETE_TEST_POSTGRES", "postgres://"),
            ("SINETE_CONFIG", "sinete.toml"),
        ];
        assert_eq!(lines(&cluster), Vec::<String>::new());
    }

    #[test]
    fn environment_variable_names_are_unique_and_do_not_look_like_kubernetes_ones() {
        let mut variables = all_variables();
        for name in &variables {
            assert!(is_sinete_variable(name), "{name}");
        }
        variables.sort_unstable();
        let count = variables.len();
        variables.dedup();
        assert_eq!(variables.len(), count);
    }

    #[cfg(unix)]
    #[test]
    fn environment_variable_that_is_not_utf8_is_refused() {
        use std::os::unix::ffi::OsStringExt as _;
        let environment =
            Environment::from_pairs([(OsString::from("SINETE_MODE"), OsString::from_vec(vec![0xff]))]);
        assert_eq!(environment.read_keys().problems[0].to_string(), "SINETE_MODE: is not UTF-8 text");
    }
}
