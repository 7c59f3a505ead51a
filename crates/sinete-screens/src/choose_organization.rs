//! A person who belongs to several organizations says which one this is about.

use crate::form::Form;
use crate::page::{Frame, render};
use crate::trouble::Trouble;
use crate::words::{Words, with};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct ChooseOrganization<'a> {
    /// Where the form goes.
    pub form: Form<'a>,
    /// The application that will see it.
    pub application: Option<&'a str>,
    /// What there is to choose from.
    pub choices: &'a [Choice<'a>],
    /// What was not right.
    pub trouble: Option<Trouble>,
}

/// An organization the person belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    /// What the form names it by.
    pub id: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its short name, which tells two of the same name apart.
    pub slug: &'a str,
}

#[derive(Template)]
#[template(path = "choose_organization.html")]
struct Page<'a> {
    frame: &'a Frame<'a>,
    title: &'static str,
    lead: String,
    view: &'a ChooseOrganization<'a>,
    trouble: Option<String>,
}

impl ChooseOrganization<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words: &Words = frame.words();
        let lead = match (self.choices.is_empty(), self.application) {
            (true, _) => words.sign_in.organization_none.to_owned(),
            (false, Some(application)) => with(words.sign_in.organization_lead, application),
            (false, None) => words.sign_in.organization_plain.to_owned(),
        };
        let trouble = self.trouble.map(|trouble| trouble.text(frame.language));
        render(&Page { frame, title: words.sign_in.organization_title, lead, view: self, trouble })
    }
}
