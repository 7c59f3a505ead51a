//! A person who belongs to several organizations says which one this is about.

use crate::form::PageForm;
use crate::form_error::FormError;
use crate::locales::{LocalePhrases, with_value};
use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct ChooseOrganizationView<'a> {
    /// Where the form goes.
    pub form: PageForm<'a>,
    /// The application that will see it.
    pub application: Option<&'a str>,
    /// What there is to choose from.
    pub choices: &'a [OrganizationChoiceView<'a>],
    /// What was not right.
    pub trouble: Option<FormError>,
}

/// An organization the person belongs to.
#[derive(Clone, Copy, Debug)]
pub struct OrganizationChoiceView<'a> {
    /// What the form names it by.
    pub id: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its short name, which tells two of the same name apart.
    pub slug: &'a str,
}

#[derive(Template)]
#[template(path = "choose_organization.html")]
struct ChooseOrganizationPage<'a> {
    frame: &'a PageFrame<'a>,
    title: &'static str,
    lead: String,
    view: &'a ChooseOrganizationView<'a>,
    trouble: Option<String>,
}

impl ChooseOrganizationView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words: &LocalePhrases = frame.words();
        let lead = match (self.choices.is_empty(), self.application) {
            (true, _) => words.sign_in.organization_none.to_owned(),
            (false, Some(application)) => with_value(words.sign_in.organization_lead, application),
            (false, None) => words.sign_in.organization_plain.to_owned(),
        };
        let trouble = self.trouble.map(|trouble| trouble.text(frame.language));
        render_template(&ChooseOrganizationPage {
            frame,
            title: words.sign_in.organization_title,
            lead,
            view: self,
            trouble,
        })
    }
}
