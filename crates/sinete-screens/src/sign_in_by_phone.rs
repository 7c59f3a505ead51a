//! Signing in with a telephone number: digits are sent to it, if it is one that somebody has confirmed. Whether it is
//! shows in nothing.

use crate::form::Form;
use crate::page::{Frame, render};
use crate::trouble::Trouble;
use crate::words::Words;
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct SignInByPhone<'a> {
    /// Where the form goes.
    pub form: Form<'a>,
    /// The action that sends the digits.
    pub action: &'a str,
    /// The number, as it was typed before.
    pub number: &'a str,
    /// Where the other ways are.
    pub back: &'a str,
    /// What was not right.
    pub trouble: Option<Trouble>,
}

#[derive(Template)]
#[template(path = "sign_in_by_phone.html")]
struct Page<'a> {
    frame: &'a Frame<'a>,
    words: &'static Words,
    title: &'static str,
    view: &'a SignInByPhone<'a>,
    trouble: Option<String>,
}

impl SignInByPhone<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = frame.words();
        let trouble = self.trouble.map(|trouble| trouble.text(frame.language));
        render(&Page { frame, words, title: words.sign_in.phone_title, view: self, trouble })
    }
}
