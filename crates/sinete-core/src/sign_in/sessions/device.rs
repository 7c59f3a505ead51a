//! The description of a session's device, derived from the User-Agent and the IP address.

use crate::accounts::language::Language;
use crate::events::security_event::RequestOrigin;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// What helps a user recognize a session. It is claimed by the device or derived from its IP address:
/// personal data, and proof of nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceDescription {
    /// Browser and operating system in English, such as `Firefox on Linux`.
    #[serde(default)]
    pub device: String,
    /// The IP address at the start of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<IpAddr>,
    /// The location of that address, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

impl DeviceDescription {
    /// Describes the device of a request.
    pub fn from_origin(origin: &RequestOrigin) -> Self {
        let device = origin.user_agent().map_or_else(|| UNKNOWN.english.to_owned(), label);
        Self { device, address: origin.address, place: None }
    }

    /// Browser and operating system in this language; `None` if both are unknown.
    pub fn localize_device(&self, language: Language) -> Option<String> {
        let is_known = !self.device.is_empty() && self.device != UNKNOWN.english;
        is_known.then(|| localize_device_label(&self.device, language))
    }
}

/// The name of an unrecognized device.
const UNKNOWN: LocalizedName =
    LocalizedName { english: "an unknown device", portuguese: "um dispositivo desconhecido" };

/// The name of a browser or operating system in each language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LocalizedName {
    english: &'static str,
    portuguese: &'static str,
}

/// A name that is the same in every language.
const fn untranslated_name(name: &'static str) -> LocalizedName {
    LocalizedName { english: name, portuguese: name }
}

/// Browsers by User-Agent token, the more specific ones first.
const BROWSERS: [(&str, LocalizedName); 11] = [
    ("Edg", untranslated_name("Edge")),
    ("OPR/", untranslated_name("Opera")),
    ("Vivaldi/", untranslated_name("Vivaldi")),
    ("SamsungBrowser/", untranslated_name("Samsung Internet")),
    ("FxiOS/", untranslated_name("Firefox")),
    ("Firefox/", untranslated_name("Firefox")),
    ("CriOS/", untranslated_name("Chrome")),
    ("Chrome/", untranslated_name("Chrome")),
    ("Safari/", untranslated_name("Safari")),
    ("curl/", untranslated_name("curl")),
    ("okhttp/", LocalizedName { english: "an Android application", portuguese: "um aplicativo Android" }),
];

/// Operating systems by User-Agent token, the more specific ones first.
const SYSTEMS: [(&str, LocalizedName); 8] = [
    ("iPhone", untranslated_name("iPhone")),
    ("iPad", untranslated_name("iPad")),
    ("Android", untranslated_name("Android")),
    ("CrOS", untranslated_name("ChromeOS")),
    ("Windows", untranslated_name("Windows")),
    ("Mac OS X", untranslated_name("macOS")),
    ("Macintosh", untranslated_name("macOS")),
    ("Linux", untranslated_name("Linux")),
];

/// The word between browser and operating system.
const ON: LocalizedName = LocalizedName { english: " on ", portuguese: " no " };

/// Builds a label from our own words only, so that no text of the User-Agent is ever shown.
fn label(user_agent: &str) -> String {
    let known = |table: &[(&str, LocalizedName)]| {
        table.iter().find(|(mark, _)| user_agent.contains(mark)).map(|(_, name)| name.english)
    };
    match (known(&BROWSERS), known(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser}{}{system}", ON.english),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => UNKNOWN.english.to_owned(),
    }
}

/// Translates a stored English label. Labels not made of our own words stay unchanged.
pub fn localize_device_label(device: &str, language: Language) -> String {
    match language {
        Language::English => device.to_owned(),
        Language::Portuguese => in_portuguese(device).unwrap_or_else(|| device.to_owned()),
    }
}

fn in_portuguese(device: &str) -> Option<String> {
    let names = || BROWSERS.iter().chain(&SYSTEMS).map(|(_, name)| *name).chain([UNKNOWN]);
    let named = |english: &str| names().find(|name| name.english == english).map(|name| name.portuguese);
    match device.split_once(ON.english) {
        Some((browser, system)) => Some(format!("{}{}{}", named(browser)?, ON.portuguese, named(system)?)),
        None => named(device).map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn user_agent_label_distinguishes_lookalike_browsers() {
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
        assert_eq!(DeviceDescription::from_origin(&RequestOrigin::default()).device, "an unknown device");
    }

    #[test]
    fn user_agent_label_is_localized() {
        for (device, portuguese) in [
            ("Firefox on Linux", "Firefox no Linux"),
            ("Safari on iPhone", "Safari no iPhone"),
            ("an Android application on Android", "um aplicativo Android no Android"),
            ("curl", "curl"),
            ("an unknown device", "um dispositivo desconhecido"),
            // Stored by an earlier version, or unknown.
            ("Netscape on Linux", "Netscape on Linux"),
            ("", ""),
        ] {
            assert_eq!(localize_device_label(device, Language::Portuguese), portuguese);
            assert_eq!(localize_device_label(device, Language::English), device);
        }
        let described =
            |device: &str| DeviceDescription { device: device.to_owned(), ..DeviceDescription::default() };
        assert_eq!(
            described("Edge on Windows").localize_device(Language::Portuguese).unwrap(),
            "Edge no Windows"
        );
        for unknown in ["", "an unknown device"] {
            assert_eq!(described(unknown).localize_device(Language::Portuguese), None);
        }
    }

    proptest! {
        #[test]
        fn user_agent_label_never_contains_caller_text(user_agent in ".{0,200}") {
            let label = label(&user_agent);
            let named = |table: &[(&str, LocalizedName)], text: &str| table.iter().any(|(_, name)| name.english == text);
            let is_ours = match label.split_once(" on ") {
                Some((browser, system)) => named(&BROWSERS, browser) && named(&SYSTEMS, system),
                None => label == UNKNOWN.english || named(&BROWSERS, &label) || named(&SYSTEMS, &label),
            };
            prop_assert!(is_ours, "{label}");
            prop_assert!(in_portuguese(&label).is_some(), "{label}");
        }
    }
}
