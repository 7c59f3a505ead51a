//! The languages we write to people in, and which of them somebody prefers.

use serde::{Deserialize, Serialize};

/// A language every message is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Language {
    /// English.
    #[default]
    #[serde(rename = "en")]
    English,
    /// Portuguese.
    #[serde(rename = "pt")]
    Portuguese,
}

impl Language {
    /// Every language, in the order they were added.
    pub const ALL: [Self; 2] = [Self::English, Self::Portuguese];

    /// Its tag, as BCP 47 writes it.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Portuguese => "pt",
        }
    }

    /// The language a reader likes best, from an `Accept-Language` header. A region makes no difference; of
    /// two liked equally the one named first wins; what we do not speak or cannot read is passed over.
    pub fn from_accept_language(accept_language: &str) -> Self {
        let mut best = (Self::default(), 0_u16);
        for choice in accept_language.split(',').take(CHOICES_MAX) {
            let mut parts = choice.split(';');
            let Some(language) = parts.next().and_then(Self::from_tag) else { continue };
            let Some(weight) = weight(parts.next()) else { continue };
            if weight > best.1 {
                best = (language, weight);
            }
        }
        best.0
    }

    /// The first language of a list, most wanted first, that is spoken here: `ui_locales` of OpenID Connect
    /// Core §3.1.2.1, and a person's own setting.
    pub fn from_locale_list(tags: &str) -> Option<Self> {
        tags.split_ascii_whitespace().take(CHOICES_MAX).find_map(Self::from_tag)
    }

    fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.trim().split('-').next()?;
        Self::ALL.into_iter().find(|language| primary.eq_ignore_ascii_case(language.tag()))
    }
}

/// More choices than this are a header nobody's browser sends.
const CHOICES_MAX: usize = 20;

/// A quality value in thousandths (RFC 9110 §12.4.2); none if it is not one.
fn weight(parameter: Option<&str>) -> Option<u16> {
    let Some(parameter) = parameter else { return Some(1_000) };
    let value = parameter.trim().strip_prefix("q=")?;
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    if fraction.len() > 3 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let thousandths =
        fraction.bytes().chain(*b"000").take(3).fold(0, |sum, digit| sum * 10 + u16::from(digit - b'0'));
    match whole {
        "0" => Some(thousandths),
        "1" if thousandths == 0 => Some(1_000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accept_language_picks_the_preferred_supported_language() {
        for (header, expected) in [
            ("", Language::English),
            ("pt", Language::Portuguese),
            ("pt-BR,pt;q=0.9,en;q=0.8", Language::Portuguese),
            ("PT-pt", Language::Portuguese),
            ("en-GB, pt;q=0.9", Language::English),
            ("en;q=0.3, pt;q=0.301", Language::Portuguese),
            ("de, fr;q=0.9", Language::English),
            ("de, pt;q=0.1", Language::Portuguese),
            ("*", Language::English),
        ] {
            assert_eq!(Language::from_accept_language(header), expected, "{header}");
        }
    }

    #[test]
    fn ui_locales_picks_the_first_supported_language() {
        assert_eq!(Language::from_locale_list("fr pt-PT en"), Some(Language::Portuguese));
        assert_eq!(Language::from_locale_list("EN"), Some(Language::English));
        assert_eq!(Language::from_locale_list("fr de"), None);
        assert_eq!(Language::from_locale_list(""), None);
    }

    #[test]
    fn accept_language_with_invalid_or_zero_weight_entries_is_skipped() {
        for header in ["pt;q=2", "pt;q=0.1234", "pt;q=x", "pt;q=0", "pt;q=1.001", "ptx", "pt;;", "pt;Q=1"] {
            assert_eq!(Language::from_accept_language(header), Language::English, "{header}");
        }
        let endless = "xx,".repeat(10_000) + "pt";
        assert_eq!(Language::from_accept_language(&endless), Language::English);
    }
}
