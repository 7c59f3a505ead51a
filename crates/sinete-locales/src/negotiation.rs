//! The choice of a language by BCP 47 language ranges (RFC 4647 §3.4, lookup).

use crate::Language;

impl Language {
    /// Selects a language from an `Accept-Language` header: the range with the highest weight that matches a
    /// language, the first of equal weights. Unsupported and malformed entries are skipped.
    pub fn from_accept_language(accept_language: &str) -> Self {
        let mut best = (Self::default(), 0_u16);
        for choice in accept_language.split(',').take(CHOICES_MAX) {
            let mut parts = choice.split(';');
            let Some(language) = parts.next().and_then(Self::lookup) else { continue };
            let Some(weight) = parse_weight(parts.next()) else { continue };
            if weight > best.1 {
                best = (language, weight);
            }
        }
        best.0
    }

    /// Selects the first supported language from a list in order of preference: `ui_locales` (OpenID Connect
    /// Core §3.1.2.1), a form or the account's setting.
    pub fn from_locale_list(ranges: &str) -> Option<Self> {
        ranges.split_ascii_whitespace().take(CHOICES_MAX).find_map(Self::lookup)
    }

    /// Finds the language of a range, shortening the range from its end until it is one of ours. `pt` is
    /// Brazilian Portuguese.
    fn lookup(range: &str) -> Option<Self> {
        let mut range = range.trim();
        loop {
            let fits = |tag: &str| range.eq_ignore_ascii_case(tag);
            let language = Self::ALL.into_iter().find(|it| fits(it.tag()) || fits(it.stored_value()));
            if language.is_some() {
                return language;
            }
            range = range.rsplit_once('-')?.0;
            // RFC 4647 §3.4: a single letter or digit goes with the subtag that followed it.
            while let Some((shorter, last)) = range.rsplit_once('-') {
                if last.len() != 1 {
                    break;
                }
                range = shorter;
            }
        }
    }
}

/// The maximum number of entries read; no browser sends more.
const CHOICES_MAX: usize = 20;

/// Parses a quality value in thousandths (RFC 9110 §12.4.2).
fn parse_weight(parameter: Option<&str>) -> Option<u16> {
    let Some(parameter) = parameter else { return Some(1_000) };
    let value = parameter.trim().strip_prefix("q=")?;
    let (integer, fraction) = value.split_once('.').unwrap_or((value, ""));
    if fraction.len() > 3 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let thousandths =
        fraction.bytes().chain(*b"000").take(3).fold(0, |sum, digit| sum * 10 + u16::from(digit - b'0'));
    match integer {
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
            ("PT-pt", Language::EuropeanPortuguese),
            ("pt-AO", Language::Portuguese),
            ("en-GB, pt;q=0.9", Language::English),
            ("en;q=0.3, pt;q=0.301", Language::Portuguese),
            ("es-419,es;q=0.9,en;q=0.8", Language::Spanish),
            ("de, fr;q=0.9", Language::English),
            ("de, pt;q=0.1", Language::Portuguese),
            ("*", Language::English),
        ] {
            assert_eq!(Language::from_accept_language(header), expected, "{header}");
        }
    }

    #[test]
    fn ui_locales_picks_the_first_supported_language() {
        assert_eq!(Language::from_locale_list("fr pt-PT en"), Some(Language::EuropeanPortuguese));
        assert_eq!(Language::from_locale_list("fr-CA es-MX en"), Some(Language::Spanish));
        assert_eq!(Language::from_locale_list("pt-PT-x-lisboa"), Some(Language::EuropeanPortuguese));
        assert_eq!(Language::from_locale_list("EN"), Some(Language::English));
        assert_eq!(Language::from_locale_list("fr de"), None);
        assert_eq!(Language::from_locale_list("spa portuguese - -en"), None);
        assert_eq!(Language::from_locale_list(""), None);
    }

    #[test]
    fn language_values_round_trip() {
        for language in Language::ALL {
            assert_eq!(Language::from_locale_list(language.stored_value()), Some(language));
            assert_eq!(Language::from_locale_list(language.tag()), Some(language));
        }
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
