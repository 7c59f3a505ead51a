//! What a person is shown about the browser or device a session is on, told from what it says of itself.

use crate::security::event::Origin;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// What a person recognises a session by. All of it is the device's own word or an address: personal, and proof
/// of nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// The browser and the system, such as `Firefox on Linux`.
    #[serde(default)]
    pub device: String,
    /// The network address it began from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<IpAddr>,
    /// Where that address is, as far as somebody told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

impl Description {
    /// What is known of whoever asks.
    pub fn of(origin: &Origin) -> Self {
        let device = origin.user_agent().map_or_else(|| UNKNOWN.to_owned(), label);
        Self { device, address: origin.address, place: None }
    }
}

const UNKNOWN: &str = "an unknown device";

/// Browsers by the word that gives them away, the more particular before those they pretend to be.
const BROWSERS: [(&str, &str); 11] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Vivaldi/", "Vivaldi"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
    ("okhttp/", "an Android application"),
];

/// Systems by the word that gives them away, in the same order of particularity.
const SYSTEMS: [(&str, &str); 8] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Macintosh", "macOS"),
    ("Linux", "Linux"),
];

/// A short name made of our own words only, so that nothing a caller wrote is ever shown to a person.
fn label(user_agent: &str) -> String {
    let known = |table: &[(&str, &'static str)]| {
        table.iter().find(|(mark, _)| user_agent.contains(mark)).map(|(_, name)| *name)
    };
    match (known(&BROWSERS), known(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => UNKNOWN.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_browser_is_told_from_those_it_pretends_to_be() {
        for (user_agent, expected) in [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0 \
                 Safari/537.36 Edg/138.0",
                "Edge on Windows",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like \
                 Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
                "Safari on iPhone",
            ),
            ("Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/138.0 Mobile", "Chrome on Android"),
            ("curl/8.5.0", "curl"),
            ("nonsense", "an unknown device"),
            ("", "an unknown device"),
        ] {
            assert_eq!(label(user_agent), expected);
        }
        assert_eq!(Description::of(&Origin::default()).device, "an unknown device");
    }

    proptest! {
        #[test]
        fn nothing_a_caller_wrote_is_shown(user_agent in ".{0,200}") {
            let label = label(&user_agent);
            let named = |table: &[(&str, &str)], text: &str| table.iter().any(|(_, name)| *name == text);
            let is_ours = match label.split_once(" on ") {
                Some((browser, system)) => named(&BROWSERS, browser) && named(&SYSTEMS, system),
                None => label == UNKNOWN || named(&BROWSERS, &label) || named(&SYSTEMS, &label),
            };
            prop_assert!(is_ours, "{label}");
        }
    }
}
