//! The step-up page, on which a signed-in user authenticates again.

use crate::form::{PageForm, PasskeyCeremony};
use crate::form_error::FormError;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use crate::sign_in_method::SignInMethod;
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct StepUpView<'a> {
    /// The form's action and CSRF token.
    pub form: PageForm<'a>,
    /// The display name of the signed-in user.
    pub account_label: &'a str,
    /// The requesting application, if there is one.
    pub application: Option<&'a str>,
    /// The options for a passkey.
    pub passkey: Option<PasskeyCeremony<'a>>,
    /// Whether a password is accepted.
    pub password: bool,
    /// The alternative methods.
    pub other_methods: &'a [SignInMethod],
    /// The form error.
    pub error: Option<FormError>,
}

#[derive(Template)]
#[template(path = "step_up.html")]
struct StepUpPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    introduction: String,
    view: &'a StepUpView<'a>,
    error: Option<String>,
}

impl StepUpView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        let introduction = match self.application {
            Some(application) => phrases.sign_in.again_for(application),
            None => phrases.sign_in.again_lead.to_owned(),
        };
        let error_text = self.error.map(|error| error.text(frame.language));
        render_template(&StepUpPage {
            frame,
            phrases,
            title: phrases.sign_in.again_title,
            introduction,
            view: self,
            error: error_text,
        })
    }
}
