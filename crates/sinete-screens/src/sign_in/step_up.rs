//! Somebody who is signed in shows once more that it is them.

use crate::form::{PageForm, PasskeyCeremony};
use crate::form_error::FormError;
use crate::locales::{LocalePhrases, with_value};
use crate::page::{PageFrame, render_template};
use crate::sign_in_method::SignInMethod;
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct StepUpView<'a> {
    /// Where the form goes.
    pub form: PageForm<'a>,
    /// Who is signed in, as they know themselves.
    pub person: &'a str,
    /// The application that wants to be sure, if it is one.
    pub application: Option<&'a str>,
    /// What the browser is told to ask a passkey with.
    pub passkey: Option<PasskeyCeremony<'a>>,
    /// Whether a password will do.
    pub password: bool,
    /// What else would do.
    pub others: &'a [SignInMethod],
    /// What was not right.
    pub trouble: Option<FormError>,
}

#[derive(Template)]
#[template(path = "step_up.html")]
struct StepUpPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    lead: String,
    view: &'a StepUpView<'a>,
    trouble: Option<String>,
}

impl StepUpView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        let lead = match self.application {
            Some(application) => with_value(words.sign_in.again_for, application),
            None => words.sign_in.again_lead.to_owned(),
        };
        let trouble = self.trouble.map(|trouble| trouble.text(frame.language));
        render_template(&StepUpPage {
            frame,
            words,
            title: words.sign_in.again_title,
            lead,
            view: self,
            trouble,
        })
    }
}
