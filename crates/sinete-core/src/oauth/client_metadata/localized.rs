//! Localized client metadata.

use std::cmp::Reverse;

/// Selects the text for a language among members named like `client_name#pt-BR`: the exact tag, else the
/// language without region, else the language with another region.
pub fn select_localized_text<'a>(
    texts: impl Iterator<Item = (&'a str, &'a str)>,
    member: &str,
    language: &str,
) -> Option<&'a str> {
    let spoken = primary_subtag(language);
    let nearness = |tag: &str| {
        let is_same = primary_subtag(tag).eq_ignore_ascii_case(spoken);
        is_same.then(|| {
            (tag.eq_ignore_ascii_case(language), tag.len() == spoken.len(), Reverse(tag.to_ascii_lowercase()))
        })
    };
    texts
        .filter_map(|(name, text)| {
            let (base_name, tag) = name.split_once('#')?;
            Some((nearness(tag).filter(|_| base_name == member)?, text))
        })
        .max_by(|(left, _), (right, _)| left.cmp(right))
        .map(|(_, text)| text)
}

/// The primary language subtag.
fn primary_subtag(tag: &str) -> &str {
    tag.split('-').next().unwrap_or(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(localized_texts: &[(&'static str, &'static str)], language: &str) -> Option<&'static str> {
        select_localized_text(localized_texts.iter().copied(), "client_name", language)
    }

    #[test]
    fn localized_client_metadata_uses_the_closest_language_tag() {
        let exact = ("client_name#pt-BR", "padaria");
        let plain = ("client_name#PT", "a padaria");
        let elsewhere = [("client_name#pt-PT", "pastelaria"), ("client_name#pt-AO", "pão")];
        assert_eq!(said(&[elsewhere[0], plain, exact], "pt-br"), Some("padaria"));
        assert_eq!(said(&[elsewhere[0], plain], "pt-BR"), Some("a padaria"));
        assert_eq!(said(&elsewhere, "pt-BR"), Some("pão"), "the same one every time");
        assert_eq!(said(&[exact], "pt"), Some("padaria"));
    }

    #[test]
    fn localized_client_metadata_ignores_other_languages_and_members() {
        let others = [
            ("client_name#en", "bakery"),
            ("client_name#ptx", "x"),
            ("tos_uri#pt", "https://example.com"),
            ("client_name", "bakery"),
        ];
        assert_eq!(said(&others, "pt-BR"), None);
        assert_eq!(said(&others, "en"), Some("bakery"));
    }
}
