//! The second proof that it is really this person.

use crate::form::{Ceremony, Form};
use crate::page::{Frame, render};
use crate::trouble::Trouble;
use crate::way::Way;
use crate::words::Words;
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct SecondFactor<'a> {
    /// Where the form goes.
    pub form: Form<'a>,
    /// What is asked for.
    pub way: Asked<'a>,
    /// What else would do.
    pub others: &'a [Way],
    /// What was not right.
    pub trouble: Option<Trouble>,
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub enum Asked<'a> {
    /// A passkey.
    Passkey(Ceremony<'a>),
    /// A code from an authenticator app.
    Totp,
    /// A recovery code.
    RecoveryCode,
    /// Whether to send a text message.
    Sms,
    /// Whether to go to the organization's provider.
    Provider,
}

#[derive(Template)]
#[template(path = "second_factor.html")]
struct Page<'a> {
    frame: &'a Frame<'a>,
    words: &'static Words,
    title: &'static str,
    view: &'a SecondFactor<'a>,
    trouble: Option<String>,
}

impl SecondFactor<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = frame.words();
        let trouble = self.trouble.map(|trouble| trouble.text(frame.language));
        render(&Page { frame, words, title: words.sign_in.second_title, view: self, trouble })
    }
}
