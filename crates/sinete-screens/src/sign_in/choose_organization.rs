//! The page on which a user with several memberships chooses an organization.

use crate::form::PageForm;
use crate::form_error::FormError;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct ChooseOrganizationView<'a> {
    /// The form's action and CSRF token.
    pub form: PageForm<'a>,
    /// The requesting application.
    pub application: Option<&'a str>,
    /// The choices.
    pub choices: &'a [OrganizationChoiceView<'a>],
    /// The form error.
    pub error: Option<FormError>,
}

/// An organization of the user.
#[derive(Clone, Copy, Debug)]
pub struct OrganizationChoiceView<'a> {
    /// The id that the form submits.
    pub id: &'a str,
    /// The name.
    pub name: &'a str,
    /// The slug, which distinguishes organizations of the same name.
    pub slug: &'a str,
}

#[derive(Template)]
#[template(path = "choose_organization.html")]
struct ChooseOrganizationPage<'a> {
    frame: &'a PageFrame<'a>,
    title: &'static str,
    introduction: String,
    view: &'a ChooseOrganizationView<'a>,
    error: Option<String>,
}

impl ChooseOrganizationView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases: &LocalePhrases = frame.phrases();
        let introduction = match (self.choices.is_empty(), self.application) {
            (true, _) => phrases.sign_in.organization_none.to_owned(),
            (false, Some(application)) => phrases.sign_in.organization_lead(application),
            (false, None) => phrases.sign_in.organization_plain.to_owned(),
        };
        let error_text = self.error.map(|error| error.text(frame.language));
        render_template(&ChooseOrganizationPage {
            frame,
            title: phrases.sign_in.organization_title,
            introduction,
            view: self,
            error: error_text,
        })
    }
}
