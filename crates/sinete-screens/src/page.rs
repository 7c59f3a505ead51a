//! The frame that all pages share, and template rendering.

use crate::assets::{SCRIPT, SEAL, STYLE};
use crate::branding::PageBranding;
use crate::display_time::DisplayTime;
use crate::language::UiLanguage;
use crate::locales::LocalePhrases;
use askama::Template;

/// The frame of a page.
#[derive(Clone, Copy, Debug)]
pub struct PageFrame<'a> {
    /// The language.
    pub language: UiLanguage,
    /// The path of the base URL without its trailing slash: empty at the root of a host.
    pub base_path: &'a str,
    /// The branding.
    pub brand: &'a PageBranding,
    /// The CSP nonce of the page's script and style; empty if the page has no script.
    pub nonce: &'a str,
    /// The page's path and query below the base URL, for the language links; empty if the page cannot be
    /// requested again.
    pub current_path: &'a str,
}

impl<'a> PageFrame<'a> {
    /// A frame without a script, for a page that cannot be requested again.
    pub const fn without_script(language: UiLanguage, base_path: &'a str, brand: &'a PageBranding) -> Self {
        Self { language, base_path, brand, nonce: "", current_path: "" }
    }

    pub(crate) const fn phrases(&self) -> &'static LocalePhrases {
        self.language.phrases()
    }

    pub(crate) const fn style_path(&self) -> &'static str {
        STYLE.path
    }

    pub(crate) const fn script_path(&self) -> &'static str {
        SCRIPT.path
    }

    pub(crate) const fn seal_path(&self) -> &'static str {
        SEAL.path
    }

    pub(crate) fn is_current_language(&self, language: &UiLanguage) -> bool {
        self.language == *language
    }

    /// The URL of this page in another language.
    pub(crate) fn url_in_language(&self, language: &UiLanguage) -> String {
        let glue = if self.current_path.contains('?') { '&' } else { '?' };
        format!("{}{}{glue}ui_locales={}", self.base_path, self.current_path, language.tag())
    }

    /// Formats a date in this language.
    pub(crate) fn day_text(&self, moment: &DisplayTime) -> String {
        moment.day(self.language)
    }

    /// Formats a date and time in this language.
    pub(crate) fn time_text(&self, moment: &DisplayTime) -> String {
        moment.time(self.language)
    }
}

/// The emblem of a message page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageEmblem {
    /// Not found.
    NotFound,
    /// An error.
    Error,
    /// Waiting.
    Wait,
}

/// A message page: a heading, a sentence, and optionally a reference to quote.
#[derive(Template)]
#[template(path = "message.html")]
pub(crate) struct MessagePage<'a> {
    pub(crate) frame: PageFrame<'a>,
    pub(crate) emblem: MessageEmblem,
    pub(crate) title: &'a str,
    pub(crate) detail: &'a str,
    pub(crate) reference: Option<&'a str>,
}

/// Renders a template. It cannot fail: templates contain only text, and none of our `Display` implementations
/// fails.
pub(crate) fn render_template(template: &impl Template) -> String {
    template.render().unwrap_or_default()
}

/// The initials of a name, shown in place of a picture. Pictures from other hosts are never loaded.
pub(crate) fn initials(name: &str) -> String {
    let letters =
        name.split_whitespace().filter_map(|word| word.chars().find(|letter| letter.is_alphanumeric()));
    letters.take(2).flat_map(char::to_uppercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initials_are_the_first_letters_of_up_to_two_words() {
        for (name, expected) in [
            ("Ana Sousa", "AS"),
            ("acme", "A"),
            ("Érico da Costa", "ÉD"),
            ("(beta) 3", "B3"),
            ("", ""),
            ("–", ""),
        ] {
            assert_eq!(initials(name), expected, "{name}");
        }
    }

    #[test]
    fn language_switch_keeps_the_query() {
        let brand = PageBranding::default();
        let mut frame = PageFrame {
            current_path: "/sign-in?flow=1",
            ..PageFrame::without_script(UiLanguage::English, "/id", &brand)
        };
        assert_eq!(frame.url_in_language(&UiLanguage::Portuguese), "/id/sign-in?flow=1&ui_locales=pt-BR");
        frame.current_path = "/signed-out";
        assert_eq!(frame.url_in_language(&UiLanguage::English), "/id/signed-out?ui_locales=en");
    }
}
