//! A new password is chosen.

use crate::form::Form;
use crate::page::{Frame, render};
use crate::trouble::Trouble;
use crate::words::Words;
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct SetPassword<'a> {
    /// Where the form goes.
    pub form: Form<'a>,
    /// The action that takes it.
    pub action: &'a str,
    /// Whose it is, for the password manager.
    pub person: &'a str,
    /// Whether there was one before.
    pub occasion: Occasion,
    /// The least number of characters.
    pub password_min: u32,
    /// The action that goes on without one, where that is possible.
    pub skip: Option<&'a str>,
    /// What was not right.
    pub trouble: Option<Trouble>,
}

/// Whether there was a password before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// It replaces another, and whoever else is signed in is signed out.
    Replace,
    /// It is the first.
    First,
}

#[derive(Template)]
#[template(path = "set_password.html")]
struct Page<'a> {
    frame: &'a Frame<'a>,
    words: &'static Words,
    title: &'static str,
    lead: &'static str,
    view: &'a SetPassword<'a>,
    trouble: Option<String>,
}

impl SetPassword<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = frame.words();
        let (title, lead) = match self.occasion {
            Occasion::Replace => (words.credentials.set_title, words.credentials.set_lead),
            Occasion::First => (words.credentials.set_first_title, words.credentials.set_first_lead),
        };
        let trouble = self.trouble.map(|trouble| trouble.text(frame.language));
        render(&Page { frame, words, title, lead, view: self, trouble })
    }
}
