//! The first page: what this is, and where to go from here.

use crate::page::{Frame, render};
use askama::Template;

/// What the first page shows.
#[derive(Clone, Copy, Debug)]
pub struct Landing<'a> {
    /// The issuer, as tokens name it.
    pub issuer: &'a str,
    /// Whether it is an instance to try things on.
    pub purpose: Purpose,
}

/// What an instance is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Trying things: the page warns about it.
    Development,
    /// Real accounts.
    Production,
}

#[derive(Template)]
#[template(path = "landing.html")]
struct LandingPage<'a> {
    frame: &'a Frame<'a>,
    title: &'static str,
    issuer: &'a str,
    development: bool,
}

impl Landing<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        render(&LandingPage {
            frame,
            title: frame.words().landing.title,
            issuer: self.issuer,
            development: self.purpose == Purpose::Development,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brand::Brand;
    use crate::language::Language;

    fn landing(purpose: Purpose, language: Language) -> String {
        let brand = Brand::default();
        let view = Landing { issuer: "https://example.org/id", purpose };
        view.page(&Frame::plain(language, "/id", &brand))
    }

    #[test]
    fn it_leads_to_health_and_keys_below_the_base_address_in_both_languages() {
        for language in Language::ALL {
            let page = landing(Purpose::Production, language);
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
    fn only_a_development_instance_says_that_it_is_one() {
        for language in Language::ALL {
            let words = language.words();
            assert!(landing(Purpose::Development, language).contains(words.landing.development));
            assert!(!landing(Purpose::Production, language).contains(words.landing.development));
        }
    }

    #[test]
    fn nothing_it_is_given_becomes_markup_and_nothing_is_inline() {
        let hostile = "\"><script>alert(1)</script><p style='x' onclick='y'>";
        let brand = Brand { name: hostile.to_owned(), ..Brand::default() };
        let page = Landing { issuer: hostile, purpose: Purpose::Development }.page(&Frame::plain(
            Language::English,
            hostile,
            &brand,
        ));
        assert!(!page.contains("<script") && !page.contains("<p style"));
        let plain = landing(Purpose::Development, Language::English);
        assert!(!plain.contains("<script") && !plain.contains("style=\"") && !plain.contains("<style"));
        assert!(!plain.contains(" onclick") && !plain.contains("javascript:"));
    }
}
