//! An address is asked for: of somebody who forgot a password, or who wants to confirm the address itself.

use crate::form::Form;
use crate::page::{Frame, render};
use crate::trouble::Trouble;
use crate::words::Words;
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct AskAddress<'a> {
    /// Where the form goes.
    pub form: Form<'a>,
    /// Why it is asked.
    pub reason: Reason,
    /// The action that something is sent by.
    pub action: &'a str,
    /// The address, as it was typed before.
    pub identifier: &'a str,
    /// Where to go instead.
    pub back: &'a str,
    /// What was not right.
    pub trouble: Option<Trouble>,
}

/// Why an address is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The password was forgotten.
    ForgottenPassword,
    /// It is to be confirmed.
    Confirm,
}

#[derive(Template)]
#[template(path = "reset_password.html")]
struct Page<'a> {
    frame: &'a Frame<'a>,
    words: &'static Words,
    title: &'static str,
    lead: &'static str,
    view: &'a AskAddress<'a>,
    trouble: Option<String>,
}

impl AskAddress<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = frame.words();
        let (title, lead) = match self.reason {
            Reason::ForgottenPassword => (words.credentials.reset_title, words.credentials.reset_lead),
            Reason::Confirm => (words.sign_up.verify_title, words.sign_up.verify_ask),
        };
        let trouble = self.trouble.map(|trouble| trouble.text(frame.language));
        render(&Page { frame, words, title, lead, view: self, trouble })
    }
}
