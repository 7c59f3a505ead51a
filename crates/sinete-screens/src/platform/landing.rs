//! The first page: what this is, and where to go from here.

use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the first page shows.
#[derive(Clone, Copy, Debug)]
pub struct LandingView<'a> {
    /// The issuer, as tokens name it.
    pub issuer: &'a str,
    /// Whether it is an instance to try things on.
    pub purpose: LandingPurpose,
}

/// What an instance is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LandingPurpose {
    /// Trying things: the page warns about it.
    Development,
    /// Real accounts.
    Production,
}

#[derive(Template)]
#[template(path = "landing.html")]
struct LandingPage<'a> {
    frame: &'a PageFrame<'a>,
    title: &'static str,
    issuer: &'a str,
    development: bool,
}

impl LandingView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        render_template(&LandingPage {
            frame,
            title: frame.words().landing.title,
            issuer: self.issuer,
            development: self.purpose == LandingPurpose::Development,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::branding::PageBranding;
    use crate::language::UiLanguage;

    fn landing(purpose: LandingPurpose, language: UiLanguage) -> String {
        let brand = PageBranding::default();
        let view = LandingView { issuer: "https://example.org/id", purpose };
        view.render(&PageFrame::without_script(language, "/id", &brand))
    }

    #[test]
    fn landing_page_links_health_and_keys_in_every_language() {
        for language in UiLanguage::ALL {
            let page = landing(LandingPurpose::Production, language);
            assert!(page.starts_with("<!doctype html>"));
            assert!(page.contains(&format!("<html lang=\"{}\">", language.tag())));
            assert!(
                page.contains("href=\"/id/healthz\"") && page.contains("href=\"/id/.well-known/jwks.json\"")
            );
            assert!(page.contains(language.words().landing.title));
            assert!(page.contains("https://example.org/id"));
        }
    }

    #[test]
    fn landing_page_shows_the_development_banner_only_in_development() {
        for language in UiLanguage::ALL {
            let words = language.words();
            assert!(landing(LandingPurpose::Development, language).contains(words.landing.development));
            assert!(!landing(LandingPurpose::Production, language).contains(words.landing.development));
        }
    }

    #[test]
    fn landing_page_escapes_its_values_and_has_no_inline_code() {
        let hostile = "\"><script>alert(1)</script><p style='x' onclick='y'>";
        let brand = PageBranding { name: hostile.to_owned(), ..PageBranding::default() };
        let page = LandingView { issuer: hostile, purpose: LandingPurpose::Development }
            .render(&PageFrame::without_script(UiLanguage::English, hostile, &brand));
        assert!(!page.contains("<script") && !page.contains("<p style"));
        let plain = landing(LandingPurpose::Development, UiLanguage::English);
        assert!(!plain.contains("<script") && !plain.contains("style=\"") && !plain.contains("<style"));
        assert!(!plain.contains(" onclick") && !plain.contains("javascript:"));
    }
}
