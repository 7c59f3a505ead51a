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
    #[serde(rename = "place")]
    pub location: Option<String>,
}

impl DeviceDescription {
    /// Describes the device of a request.
    pub fn from_origin(origin: &RequestOrigin) -> Self {
        let device = origin.user_agent().map_or_else(|| UNKNOWN_DEVICE.to_owned(), build_label);
        Self { device, address: origin.address, location: None }
    }

    /// Browser and operating system in this language; `None` if both are unknown.
    pub fn localize_device(&self, language: Language) -> Option<String> {
        let is_known = !self.device.is_empty() && self.device != UNKNOWN_DEVICE;
        is_known.then(|| localize_device_label(&self.device, language))
    }
}

/// The name of an unrecognized device.
const UNKNOWN_DEVICE: &str = "an unknown device";

/// The name of an application on Android that uses no browser.
const ANDROID_APPLICATION: &str = "an Android application";

/// Browsers by User-Agent token, the more specific ones first.
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
    ("okhttp/", ANDROID_APPLICATION),
];

/// Operating systems by User-Agent token, the more specific ones first.
const OPERATING_SYSTEMS: [(&str, &str); 8] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Macintosh", "macOS"),
    ("Linux", "Linux"),
];

/// The word between browser and operating system.
const BROWSER_SYSTEM_SEPARATOR: &str = " on ";

/// Builds a label from our own words only, so that no text of the User-Agent is ever shown.
fn build_label(user_agent: &str) -> String {
    let find_name = |table: &[(&str, &'static str)]| {
        table.iter().find(|(mark, _)| user_agent.contains(mark)).map(|(_, name)| *name)
    };
    match (find_name(&BROWSERS), find_name(&OPERATING_SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser}{}{system}", BROWSER_SYSTEM_SEPARATOR),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => UNKNOWN_DEVICE.to_owned(),
    }
}

/// Translates a stored English label. Labels not made of our own words stay unchanged.
pub fn localize_device_label(device: &str, language: Language) -> String {
    translate_label(device, language).unwrap_or_else(|| device.to_owned())
}

fn translate_label(device: &str, language: Language) -> Option<String> {
    let phrases = &language.phrases().device_label;
    let name = |english: &str| match english {
        UNKNOWN_DEVICE => Some(phrases.unknown),
        ANDROID_APPLICATION => Some(phrases.android_application),
        _ => BROWSERS
            .iter()
            .chain(&OPERATING_SYSTEMS)
            .find(|(_, name)| *name == english)
            .map(|(_, name)| *name),
    };
    match device.split_once(BROWSER_SYSTEM_SEPARATOR) {
        Some((browser, system)) => Some(phrases.on(name(browser)?, name(system)?)),
        None => name(device).map(str::to_owned),
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
            assert_eq!(build_label(user_agent), expected);
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
            let label = build_label(&user_agent);
            let named = |table: &[(&str, &str)], text: &str| table.iter().any(|(_, name)| *name == text);
            let is_ours = match label.split_once(" on ") {
                Some((browser, system)) => named(&BROWSERS, browser) && named(&OPERATING_SYSTEMS, system),
                None => label == UNKNOWN_DEVICE || named(&BROWSERS, &label) || named(&OPERATING_SYSTEMS, &label),
            };
            prop_assert!(is_ours, "{label}");
            prop_assert!(translate_label(&label, Language::Spanish).is_some(), "{label}");
        }
    }
}
