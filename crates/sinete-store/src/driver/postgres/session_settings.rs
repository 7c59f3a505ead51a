//! The settings of a database session: how statements are planned, and when the server gives up on them.

use super::LIST_TIMEOUT_FACTOR;
use crate::driver::deadline::lock_timeout;
use crate::failure::StoreFailure;
use std::time::Duration;

/// How statements are planned, unless the database URL sets it otherwise: once per connection, finding each
/// row through an index. All of them are short and written for that; planning for specific values takes
/// longer than execution, and a plan made while a table was small would scan it whole once it is large.
const PLANNER_SETTINGS: [(&str, &str); 6] = [
    ("plan_cache_mode", "force_generic_plan"),
    ("enable_seqscan", "off"),
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
    ("random_page_cost", "1"),
    ("jit", "off"),
];

/// The names of all settings that [`check_settings`] reads.
pub(super) const READ_SETTINGS: &str = "SELECT name, setting FROM pg_settings WHERE name IN ('plan_cache_mode', \
    'enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'random_page_cost', 'jit', 'statement_timeout', \
    'idle_in_transaction_session_timeout', 'lock_timeout', 'default_transaction_isolation')";

/// The settings as options of a new connection. The server cancels what the caller no longer waits for. It gives
/// up on a lock earlier than the caller, because a pipelined batch would otherwise be committed once the lock
/// is free, after the caller received an error.
pub(super) fn connection_options(
    configured_options: Option<&str>,
    is_read_only: bool,
    timeout: Duration,
) -> String {
    let options = |settings: &mut dyn Iterator<Item = (&str, String)>| {
        settings.map(|(name, value)| format!("-c {name}={value}")).collect::<Vec<_>>().join(" ")
    };
    let planning = options(&mut PLANNER_SETTINGS.iter().map(|(name, value)| (*name, (*value).to_owned())));
    let timeouts =
        options(&mut list_timeouts(timeout).into_iter().map(|(name, millis)| (name, millis.to_string())));
    let read_only = if is_read_only { "-c default_transaction_read_only=on" } else { "" };
    let configured_options = configured_options.unwrap_or_default();
    format!(
        "{planning} {configured_options} {timeouts} -c default_transaction_isolation=read\\ committed {read_only}"
    )
}

/// The longest that the server may wait, in milliseconds.
fn list_timeouts(timeout: Duration) -> [(&'static str, u128); 3] {
    let longest = (timeout * LIST_TIMEOUT_FACTOR).as_millis();
    [
        ("statement_timeout", longest),
        ("idle_in_transaction_session_timeout", longest),
        ("lock_timeout", lock_timeout(timeout).as_millis()),
    ]
}

/// Checks the settings of a session that a pooler created, which accepts no options. They belong to the role.
pub(super) fn check_settings(settings: &[(String, String)], timeout: Duration) -> Result<(), StoreFailure> {
    let value = |name: &str| settings.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let mut missing: Vec<String> = Vec::new();
    for (name, expected) in PLANNER_SETTINGS {
        if value(name) != Some(expected) {
            missing.push(format!("SET {name} = {expected}"));
        }
    }
    for (name, maximum) in list_timeouts(timeout) {
        let is_set =
            value(name).and_then(|millis| millis.parse().ok()).is_some_and(|it| (1..=maximum).contains(&it));
        if !is_set {
            missing.push(format!("SET {name} = {maximum}"));
        }
    }
    if value("default_transaction_isolation") != Some("read committed") {
        missing.push("SET default_transaction_isolation = 'read committed'".to_owned());
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(StoreFailure::Other(format!(
        "database.pooling is transaction, and the role lacks settings: run ALTER ROLE … IN DATABASE … with each of {}; \
         then let the pooler reconnect",
        missing.join(", ")
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postgres_url_options_may_set_planning_but_not_timeouts() {
        let url_options = "-c plan_cache_mode=auto -c statement_timeout=0";
        let settings = connection_options(Some(url_options), false, Duration::from_secs(5));
        let find_position =
            |text: &str| settings.find(text).unwrap_or_else(|| panic!("{text} in {settings}"));
        assert!(find_position("plan_cache_mode=force_generic_plan") < find_position("plan_cache_mode=auto"));
        assert!(find_position("statement_timeout=0") < find_position("statement_timeout=25000"));
    }

    #[test]
    fn pooled_session_without_the_settings_of_the_role_is_refused_by_name() {
        let timeout = Duration::from_secs(2);
        let mut session_settings: Vec<(String, String)> = PLANNER_SETTINGS
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .chain(list_timeouts(timeout).map(|(name, limit)| (name.to_owned(), limit.to_string())))
            .chain([("default_transaction_isolation".to_owned(), "read committed".to_owned())])
            .collect();
        assert_eq!(check_settings(&session_settings, timeout), Ok(()));
        // Shorter is fine, none at all is not.
        for (name, value) in &mut session_settings {
            if name == "lock_timeout" {
                "10".clone_into(value);
            }
        }
        assert_eq!(check_settings(&session_settings, timeout), Ok(()));
        for (name, value) in &mut session_settings {
            match name.as_str() {
                "lock_timeout" => "0".clone_into(value),
                "jit" => "on".clone_into(value),
                _ => {}
            }
        }
        let refused = check_settings(&session_settings, timeout).unwrap_err().to_string();
        assert!(refused.contains("SET jit = off, SET lock_timeout = 1125;"), "{refused}");
        assert!(!refused.contains("statement_timeout"), "{refused}");
    }
}
