//! What must hold between keys for a configuration to make sense at all.

mod delivery;
mod mutual_tls;

use crate::config::ConfigOrigins;
use crate::config::key::ConfigKey;
use crate::config::keys;
use crate::config::problem::ConfigProblem;

/// Every rule between keys that is broken.
pub fn broken(written: &ConfigOrigins) -> Vec<ConfigProblem> {
    let rules: [fn(&ConfigOrigins) -> Option<ConfigProblem>; 5] =
        [one_without_the_other, two_instance_keys, previous_without_current, one_address_twice, no_traces];
    rules.iter().chain(&delivery::RULES).chain(&mutual_tls::RULES).filter_map(|rule| rule(written)).collect()
}

fn about<T>(written: &ConfigOrigins, key: &ConfigKey<T>, what: String, mend: &str) -> Option<ConfigProblem> {
    let place = written.given(key.entry.name).map(|given| given.place.clone());
    Some(ConfigProblem { place, key: Some(key.entry.name.to_owned()), what, mend: Some(mend.to_owned()) })
}

fn is_set<T>(written: &ConfigOrigins, key: &ConfigKey<T>) -> bool {
    written.given(key.entry.name).is_some()
}

fn one_without_the_other(written: &ConfigOrigins) -> Option<ConfigProblem> {
    match (is_set(written, &keys::TLS_CERTIFICATE), is_set(written, &keys::TLS_KEY)) {
        (true, false) => about(
            written,
            &keys::TLS_CERTIFICATE,
            "is set without tls.key".to_owned(),
            "set both to speak TLS here, or neither",
        ),
        (false, true) => about(
            written,
            &keys::TLS_KEY,
            "is set without tls.certificate".to_owned(),
            "set both to speak TLS here, or neither",
        ),
        (true, true) | (false, false) => None,
    }
}

fn two_instance_keys(written: &ConfigOrigins) -> Option<ConfigProblem> {
    if !is_set(written, &keys::INSTANCE_KEY) || !is_set(written, &keys::INSTANCE_KEY_FILE) {
        return None;
    }
    let what = "is set, and so is instance_key_file".to_owned();
    about(written, &keys::INSTANCE_KEY, what, "keep one of them")
}

fn previous_without_current(written: &ConfigOrigins) -> Option<ConfigProblem> {
    let current = is_set(written, &keys::INSTANCE_KEY) || is_set(written, &keys::INSTANCE_KEY_FILE);
    if current || !is_set(written, &keys::PREVIOUS_INSTANCE_KEYS) {
        return None;
    }
    let what = "is set without the key that follows them".to_owned();
    about(written, &keys::PREVIOUS_INSTANCE_KEYS, what, "set instance_key or instance_key_file too")
}

fn one_address_twice(written: &ConfigOrigins) -> Option<ConfigProblem> {
    let listen = written.settled(&keys::LISTEN).ok()?;
    let admin = written.settled(&keys::ADMIN_LISTEN).ok()?;
    if listen != admin || listen.port() == 0 {
        return None;
    }
    let what = format!("{admin} is the address of listen too");
    about(written, &keys::ADMIN_LISTEN, what, "give each listener its own port")
}

/// A switch that would do nothing is refused rather than ignored.
fn no_traces(written: &ConfigOrigins) -> Option<ConfigProblem> {
    if cfg!(feature = "otel") || !is_set(written, &keys::TELEMETRY_OTLP_ENDPOINT) {
        return None;
    }
    let what = "this program was built without traces".to_owned();
    about(written, &keys::TELEMETRY_OTLP_ENDPOINT, what, "build it with --features otel, or remove the key")
}
