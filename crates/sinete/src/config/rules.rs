//! Consistency rules between configuration keys.

mod delivery;
mod log_archive;
mod mtls;

use crate::config::ConfigSources;
use crate::config::key::ConfigKey;
use crate::config::keys;
use crate::config::problem::ConfigProblem;

/// Finds all violated rules.
pub fn find_violations(origins: &ConfigSources) -> Vec<ConfigProblem> {
    let rules: [fn(&ConfigSources) -> Option<ConfigProblem>; 5] = [
        check_tls_pair,
        check_single_instance_key,
        check_previous_instance_keys,
        check_distinct_listeners,
        check_otlp_support,
    ];
    let rules = rules.iter().chain(&delivery::RULES).chain(&log_archive::RULES).chain(&mtls::RULES);
    rules.filter_map(|rule| rule(origins)).collect()
}

fn problem_with_key<T>(
    origins: &ConfigSources,
    key: &ConfigKey<T>,
    message: String,
    remedy: &str,
) -> Option<ConfigProblem> {
    let value_location =
        origins.effective_value(key.entry.name).map(|located_value| located_value.location.clone());
    Some(ConfigProblem {
        location: value_location,
        key: Some(key.entry.name.to_owned()),
        message,
        fix: Some(remedy.to_owned()),
    })
}

fn is_set<T>(origins: &ConfigSources, key: &ConfigKey<T>) -> bool {
    origins.effective_value(key.entry.name).is_some()
}

fn check_tls_pair(origins: &ConfigSources) -> Option<ConfigProblem> {
    match (is_set(origins, &keys::TLS_CERTIFICATE), is_set(origins, &keys::TLS_KEY)) {
        (true, false) => problem_with_key(
            origins,
            &keys::TLS_CERTIFICATE,
            "is set without tls.key".to_owned(),
            "set both to terminate TLS here, or neither",
        ),
        (false, true) => problem_with_key(
            origins,
            &keys::TLS_KEY,
            "is set without tls.certificate".to_owned(),
            "set both to terminate TLS here, or neither",
        ),
        (true, true) | (false, false) => None,
    }
}

fn check_single_instance_key(origins: &ConfigSources) -> Option<ConfigProblem> {
    if !is_set(origins, &keys::INSTANCE_KEY) || !is_set(origins, &keys::INSTANCE_KEY_FILE) {
        return None;
    }
    let message = "is set, and so is instance_key_file".to_owned();
    problem_with_key(origins, &keys::INSTANCE_KEY, message, "keep one of them")
}

fn check_previous_instance_keys(origins: &ConfigSources) -> Option<ConfigProblem> {
    let current = is_set(origins, &keys::INSTANCE_KEY) || is_set(origins, &keys::INSTANCE_KEY_FILE);
    if current || !is_set(origins, &keys::PREVIOUS_INSTANCE_KEYS) {
        return None;
    }
    let message = "is set without the key that follows them".to_owned();
    problem_with_key(
        origins,
        &keys::PREVIOUS_INSTANCE_KEYS,
        message,
        "set instance_key or instance_key_file too",
    )
}

fn check_distinct_listeners(origins: &ConfigSources) -> Option<ConfigProblem> {
    let listen = origins.require(&keys::LISTEN).ok()?;
    let admin = origins.require(&keys::ADMIN_LISTEN).ok()?;
    if listen != admin || listen.port() == 0 {
        return None;
    }
    let message = format!("{admin} is the address of listen too");
    problem_with_key(origins, &keys::ADMIN_LISTEN, message, "give each listener its own port")
}

/// A setting that would have no effect is rejected rather than ignored.
fn check_otlp_support(origins: &ConfigSources) -> Option<ConfigProblem> {
    if cfg!(feature = "otel") || !is_set(origins, &keys::TELEMETRY_OTLP_ENDPOINT) {
        return None;
    }
    let message = "this program was built without traces".to_owned();
    problem_with_key(
        origins,
        &keys::TELEMETRY_OTLP_ENDPOINT,
        message,
        "build it with --features otel, or remove the key",
    )
}
