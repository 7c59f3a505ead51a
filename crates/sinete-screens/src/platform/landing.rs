//! The landing page.

use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct LandingView<'a> {
    /// The issuer, as tokens name it.
    pub issuer: &'a str,
    /// The purpose of the instance.
    pub purpose: LandingPurpose,
    /// Whether the console is served.
    pub has_console: bool,
}

/// The purpose of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LandingPurpose {
    /// Development: the page shows a warning.
    Development,
    /// Production.
    Production,
}

#[derive(Template)]
#[template(path = "landing.html")]
struct LandingPage<'a> {
    frame: &'a PageFrame<'a>,
    title: &'static str,
    issuer: &'a str,
    development: bool,
    console: bool,
}

impl LandingView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        render_template(&LandingPage {
            frame,
            title: frame.phrases().landing.title,
            issuer: self.issuer,
            development: self.purpose == LandingPurpose::Development,
            console: self.has_console,
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
        let view = LandingView { issuer: "https://example.org/id", purpose, has_console: true };
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
            assert!(page.contains(language.phrases().landing.title));
            assert!(page.contains("https://example.org/id"));
        }
    }

    #[test]
    fn landing_page_links_the_documentation_where_it_is_served() {
        let url = "https://docs.example/sinete/";
        let brand = PageBranding { documentation: Some(url.to_owned()), ..PageBranding::default() };
        let view = LandingView {
            issuer: "https://example.org",
            purpose: LandingPurpose::Production,
            has_console: false,
        };
        for language in UiLanguage::ALL {
            let page = view.render(&PageFrame::without_script(language, "", &brand));
            assert!(page.contains(&format!("href=\"{url}\"")), "{page}");
            assert!(!landing(LandingPurpose::Production, language).contains("id=\"documentation\""));
        }
    }

    #[test]
    fn landing_page_links_the_console_and_in_development_the_mailbox() {
        for language in UiLanguage::ALL {
            let development = landing(LandingPurpose::Development, language);
            let production = landing(LandingPurpose::Production, language);
            assert!(development.contains("href=\"/id/dev/mail\"") && !production.contains("/dev/mail"));
            assert!(production.contains("href=\"/id/console\""), "{production}");
            assert!(!production.contains("scripts/docs"), "the program does not contain it: {production}");
            let brand = PageBranding::default();
            let view = LandingView {
                issuer: "https://example.org",
                purpose: LandingPurpose::Production,
                has_console: false,
            };
            let without = view.render(&PageFrame::without_script(language, "", &brand));
            assert!(!without.contains("id=\"console\""), "{without}");
        }
    }

    #[test]
    fn landing_page_shows_the_development_banner_only_in_development() {
        for language in UiLanguage::ALL {
            let phrases = language.phrases();
            assert!(landing(LandingPurpose::Development, language).contains(phrases.landing.development));
            assert!(!landing(LandingPurpose::Production, language).contains(phrases.landing.development));
        }
    }

    #[test]
    fn landing_page_escapes_its_values_and_has_no_inline_code() {
        let hostile = "\"><script>alert(1)</script><p style='x' onclick='y'>";
        let brand = PageBranding { name: hostile.to_owned(), ..PageBranding::default() };
        let page = LandingView { issuer: hostile, purpose: LandingPurpose::Development, has_console: true }
            .render(&PageFrame::without_script(UiLanguage::English, hostile, &brand));
        assert!(!page.contains("<script") && !page.contains("<p style"));
        let plain = landing(LandingPurpose::Development, UiLanguage::English);
        assert!(!plain.contains("<script") && !plain.contains("style=\"") && !plain.contains("<style"));
        assert!(!plain.contains(" onclick") && !plain.contains("javascript:"));
    }
}
