//! In which organization somebody wants to work.

use super::with_language;
use crate::language::UiLanguage;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct ConsoleChooserView<'a> {
    /// The organizations in which the person has something to manage.
    pub workplaces: &'a [ConsoleOrganization<'a>],
    /// The language that was asked for in the address.
    pub asked: Option<UiLanguage>,
}

/// An organization to work in.
#[derive(Clone, Copy, Debug)]
pub struct ConsoleOrganization<'a> {
    /// Its name.
    pub name: &'a str,
    /// What its pages are found under.
    pub slug: &'a str,
    /// The person's roles in it.
    pub roles: &'a str,
    /// Whether it is suspended.
    pub suspended: bool,
}

#[derive(Template)]
#[template(path = "console/choose.html")]
struct ConsoleChooserPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    view: &'a ConsoleChooserView<'a>,
}

impl ConsoleChooserView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        render_template(&ConsoleChooserPage { frame, words, title: words.console.choose, view: self })
    }

    pub(crate) fn console_url(&self, frame: &PageFrame<'_>, path: &str) -> String {
        with_language(format!("{}{path}", frame.base_path), self.asked)
    }

    pub(crate) fn organization_url(
        &self,
        frame: &PageFrame<'_>,
        workplace: &ConsoleOrganization<'_>,
    ) -> String {
        self.console_url(frame, &format!("/console/{}", workplace.slug))
    }
}
