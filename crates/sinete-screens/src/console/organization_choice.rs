//! The organization chooser of the console.

use super::with_language;
use crate::language::UiLanguage;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct ConsoleChooserView<'a> {
    /// The organizations that the user may manage.
    pub organizations: &'a [ConsoleOrganization<'a>],
    /// Whether the user may administer the instance.
    pub is_operator: bool,
    /// The language selected in the URL.
    pub url_language: Option<UiLanguage>,
}

/// An organization.
#[derive(Clone, Copy, Debug)]
pub struct ConsoleOrganization<'a> {
    /// The name.
    pub name: &'a str,
    /// The slug, as in URLs.
    pub slug: &'a str,
    /// The user's roles in it.
    pub roles: &'a str,
    /// Whether it is suspended.
    pub suspended: bool,
}

#[derive(Template)]
#[template(path = "console/organization_choice.html")]
struct ConsoleChooserPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    view: &'a ConsoleChooserView<'a>,
}

impl ConsoleChooserView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&ConsoleChooserPage { frame, phrases, title: phrases.console.choose, view: self })
    }

    pub(crate) fn console_url(&self, frame: &PageFrame<'_>, path: &str) -> String {
        with_language(format!("{}{path}", frame.base_path), self.url_language)
    }

    pub(crate) fn organization_url(
        &self,
        frame: &PageFrame<'_>,
        workplace: &ConsoleOrganization<'_>,
    ) -> String {
        self.console_url(frame, &format!("/console/{}", workplace.slug))
    }
}
