//! The page to choose a second factor that an application or organization demands.

use crate::form::PageForm;
use crate::form_error::FormError;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct ChooseFactorView<'a> {
    /// The form's action and CSRF token.
    pub form: PageForm<'a>,
    /// The action that the form requests.
    pub action: &'a str,
    /// The application that waits.
    pub application: Option<&'a str>,
    /// Whether a passkey is offered.
    pub passkey: bool,
    /// Whether an authenticator app is offered.
    pub totp: bool,
    /// The form error.
    pub error: Option<FormError>,
}

#[derive(Template)]
#[template(path = "choose_factor.html")]
struct ChooseFactorPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    introduction: String,
    view: &'a ChooseFactorView<'a>,
    error: Option<String>,
}

impl ChooseFactorView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        let name = self.application.unwrap_or(&frame.brand.name);
        render_template(&ChooseFactorPage {
            frame,
            phrases,
            title: phrases.credentials.second_title,
            introduction: phrases.credentials.second_lead(name),
            view: self,
            error: self.error.map(|error| error.text(frame.language)),
        })
    }
}
