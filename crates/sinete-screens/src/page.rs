//! What every page shares: its frame, and how a template becomes text.

use crate::assets::{SCRIPT, SEAL, STYLE};
use crate::branding::PageBranding;
use crate::display_time::DisplayTime;
use crate::language::UiLanguage;
use crate::locales::LocalePhrases;
use askama::Template;

/// What the frame around every page needs.
#[derive(Clone, Copy, Debug)]
pub struct PageFrame<'a> {
    /// The language it is read in.
    pub language: UiLanguage,
    /// The path of the base address, without its trailing slash: empty at the root of a host.
    pub base_path: &'a str,
    /// Whose service it is.
    pub brand: &'a PageBranding,
    /// What the page's script and style are known by to the browser; empty where the page has no script.
    pub nonce: &'a str,
    /// The page's own path and query below the base address, to read it in another language; empty where it
    /// cannot be asked for again.
    pub here: &'a str,
}

impl<'a> PageFrame<'a> {
    /// A frame for a page without a script that is there for one answer only.
    pub const fn without_script(language: UiLanguage, base_path: &'a str, brand: &'a PageBranding) -> Self {
        Self { language, base_path, brand, nonce: "", here: "" }
    }

    pub(crate) const fn words(&self) -> &'static LocalePhrases {
        self.language.words()
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

    /// The same page in that language.
    pub(crate) fn url_in_language(&self, language: &UiLanguage) -> String {
        let glue = if self.here.contains('?') { '&' } else { '?' };
        format!("{}{}{glue}ui_locales={}", self.base_path, self.here, language.tag())
    }

    /// A day, as it is written in this language.
    pub(crate) fn day_text(&self, moment: &DisplayTime) -> String {
        moment.day(self.language)
    }

    /// A day and a time, as they are written in this language.
    pub(crate) fn time_text(&self, moment: &DisplayTime) -> String {
        moment.time(self.language)
    }
}

/// What stands above a page that says one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageEmblem {
    /// There is nothing at this address.
    NotFound,
    /// Something went wrong.
    Error,
    /// It takes a while.
    Wait,
}

/// A page that says one thing: a heading, a sentence, and perhaps a reference to quote.
#[derive(Template)]
#[template(path = "message.html")]
pub(crate) struct MessagePage<'a> {
    pub(crate) frame: PageFrame<'a>,
    pub(crate) emblem: MessageEmblem,
    pub(crate) title: &'a str,
    pub(crate) detail: &'a str,
    pub(crate) reference: Option<&'a str>,
}

/// The page as text. A template over plain texts cannot fail: only a `Display` of ours could, and none of
/// them does.
pub(crate) fn render_template(template: &impl Template) -> String {
    template.render().unwrap_or_default()
}

/// The first letters of a name, for where there is no picture. Pictures of others are never loaded.
pub(crate) fn initials(name: &str) -> String {
    let letters =
        name.split_whitespace().filter_map(|word| word.chars().find(|letter| letter.is_alphanumeric()));
    letters.take(2).flat_map(char::to_uppercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initials_are_taken_from_a_name_without_a_picture() {
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
            here: "/sign-in?flow=1",
            ..PageFrame::without_script(UiLanguage::English, "/id", &brand)
        };
        assert_eq!(frame.url_in_language(&UiLanguage::Portuguese), "/id/sign-in?flow=1&ui_locales=pt-BR");
        frame.here = "/signed-out";
        assert_eq!(frame.url_in_language(&UiLanguage::English), "/id/signed-out?ui_locales=en");
    }
}
