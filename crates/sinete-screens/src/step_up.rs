//! Somebody who is signed in shows once more that it is them.

use crate::form::{Ceremony, Form};
use crate::page::{Frame, render};
use crate::trouble::Trouble;
use crate::way::Way;
use crate::words::{Words, with};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct StepUp<'a> {
    /// Where the form goes.
    pub form: Form<'a>,
    /// Who is signed in, as they know themselves.
    pub person: &'a str,
    /// The application that wants to be sure, if it is one.
    pub application: Option<&'a str>,
    /// What the browser is told to ask a passkey with.
    pub passkey: Option<Ceremony<'a>>,
    /// Whether a password will do.
    pub password: bool,
    /// What else would do.
    pub others: &'a [Way],
    /// What was not right.
    pub trouble: Option<Trouble>,
}

#[derive(Template)]
#[template(path = "step_up.html")]
struct Page<'a> {
    frame: &'a Frame<'a>,
    words: &'static Words,
    title: &'static str,
    lead: String,
    view: &'a StepUp<'a>,
    trouble: Option<String>,
}

impl StepUp<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = frame.words();
        let lead = match self.application {
            Some(application) => with(words.sign_in.again_for, application),
            None => words.sign_in.again_lead.to_owned(),
        };
        let trouble = self.trouble.map(|trouble| trouble.text(frame.language));
        render(&Page { frame, words, title: words.sign_in.again_title, lead, view: self, trouble })
    }
}
